/* SPDX-License-Identifier: MIT
 *
 * Profiles of pprof: one protobuf message, mostly gzipped, as Go's runtime, tcmalloc,
 * async-profiler and tm-export write them. Fields may come in any order, and Go's come samples
 * first and strings last: so the file is read twice, the tables first.
 *
 * A row is a stack with one value per sample type. Rows of allocations become allocations with
 * numbers for addresses, of which what is no longer in use is freed at an unknown time. Rows of
 * times become samples of the stack alone. What no place is left for are periods of an event of its name.
 */
#include "formats/pprof/pprof.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pprof_row {       /* a sample */
	size_t first, n; /* its part of the stacks */
	uint32_t stack;
	int64_t values[PPROF_ROLES];
	int64_t periods[PPROF_TYPES_MOST]; /* by sample type: of PPROF_OTHER */
	struct buf label;                  /* "key=value, key=value" */
	bool only_type;
	struct thread thread;
	bool has_thread, has_tid;
	uint8_t domain;
};

enum { ROWS = 64, ROWS_CALLS = 1 << 14 };

struct pprof {
	struct import *im;
	struct pprof_tables tables;
	struct emit_blocks blocks;
	uint8_t roles[PPROF_TYPES_MOST]; /* by sample type */
	uint64_t negative, odd, huge, samples;
	uint64_t beyond; /* values that 64 bits cannot hold in ns or bytes */
	bool allocs, counted;

	struct pprof_row rows[ROWS]; /* that wait: their stacks are looked up together */
	size_t n_rows;
	struct pprof_row *row; /* that is read, or pushed */
	uint32_t *stack;       /* of these rows */
	size_t n_stack, cap_stack;
};

/* --- a sample --- */

static void add_location(struct pprof *p, uint64_t id)
{
	size_t n;
	const uint32_t *at = pprof_location_of(&p->tables, p->im->t, id, &n);

	size_t room = PPROF_STACK_MOST - (p->n_stack - p->row->first);

	if (n > room) {
		p->tables.more_calls += n - room;
		n = room;
	}
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(p->stack, p->n_stack, p->cap_stack) = at[i];
}

static void add_value(struct pprof *p, size_t index, uint64_t value)
{
	int64_t v = (int64_t)value, scaled = v;

	if (index >= sizeof p->roles)
		return;
	if (index < p->tables.n_types &&
	    __builtin_mul_overflow(v, p->tables.types[index].scale, &scaled)) {
		p->beyond++;
		scaled = v < 0 ? INT64_MIN : INT64_MAX;
	}
	if (p->roles[index] == PPROF_OTHER)
		p->row->periods[index] = scaled;
	p->row->values[p->roles[index]] = scaled;
}

static bool pprof_label_is_thread(struct pprof *p, const char *key, size_t n, uint64_t text,
				  uint64_t number)
{
	bool name = text_is(key, n, "thread") || text_is(key, n, "thread_name") ||
		    text_is(key, n, "thread name");
	size_t len;
	const char *s;

	if (!name && !text_is(key, n, "thread_id") && !text_is(key, n, "thread id") &&
	    !text_is(key, n, "tid"))
		return false;
	s = pprof_text(&p->tables, text, &len);
	if (text && name)
		p->row->thread.name = trace_string(p->im->t, s, len);
	else if (!text)
		p->row->thread.tid = number;
	else
		return false;
	p->row->has_tid |= !text;
	p->row->has_thread = true;
	return true;
}

static bool label_is_domain(struct pprof *p, const char *key, size_t n, uint64_t text)
{
	static const char *const names[DOMAINS] = {"malloc", "pool", "mmap", "mono", "lua"};
	size_t len;
	const char *s;

	if (!text || !text_is(key, n, "domain"))
		return false;
	s = pprof_text(&p->tables, text, &len);
	for (unsigned d = 0; d < DOMAINS; d++)
		if (text_is(s, len, names[d])) {
			p->row->domain = (uint8_t)d;
			return true;
		}
	return false;
}

static void pprof_add_label(struct pprof *p, struct pb b)
{
	uint64_t key = 0, text = 0, number = 0, unit = 0;
	struct pb_field f;
	const char *s;
	size_t n;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: key = f.value; break;
		case 2: text = f.value; break;
		case 3: number = f.value; break;
		case 4: unit = f.value; break;
		}
	p->tables.broken += b.bad;
	s = pprof_text(&p->tables, key, &n);
	if (pprof_label_is_thread(p, s, n, text, number) || label_is_domain(p, s, n, text))
		return;
	if (p->row->label.len > TRACE_STRING_MAX) /* more would be cut off */
		return;
	p->row->only_type = !p->row->label.len && text && text_is(s, n, "type");
	if (p->row->label.len)
		buf_adds(&p->row->label, ", ");
	if (!p->row->only_type) {
		buf_add(&p->row->label, s, n);
		buf_addc(&p->row->label, '=');
	}
	if (text) {
		s = pprof_text(&p->tables, text, &n);
		buf_add(&p->row->label, s, n);
	} else {
		buf_addf(&p->row->label, "%" PRId64, (int64_t)number);
		s = pprof_text(&p->tables, unit, &n);
		if (n)
			buf_addc(&p->row->label, ' ');
		buf_add(&p->row->label, s, n);
	}
}

/* False: it is no sample. */
static bool pprof_parse_sample(struct pprof *p, struct pb b)
{
	struct pb_field f;
	size_t n_values = 0;
	uint64_t v;

	p->row->first = p->n_stack;
	p->row->label.len = 0;
	p->row->thread = (struct thread){0};
	p->row->has_thread = p->row->has_tid = false;
	p->row->domain = DOMAIN_MALLOC;
	memset(p->row->values, 0, sizeof p->row->values);
	memset(p->row->periods, 0, p->tables.n_types * sizeof *p->row->periods);
	while (pb_next(&b, &f)) {
		struct pb list = pb_of(&f);
		bool packed = f.wire == PB_BYTES;

		switch (f.number) {
		case 1:
			while (packed && pb_packed(&list, &v))
				add_location(p, v);
			if (f.wire == PB_VARINT)
				add_location(p, f.value);
			break;
		case 2:
			while (packed && pb_packed(&list, &v))
				add_value(p, n_values++, v);
			if (f.wire == PB_VARINT)
				add_value(p, n_values++, f.value);
			break;
		case 3:
			if (packed)
				pprof_add_label(p, list);
			continue;
		}
		b.bad |= list.bad;
	}
	if (p->row->has_thread &&
	    !p->row->has_tid) /* by name alone: there is no id that would distinguish them */
		p->row->thread.generation = p->row->thread.name;
	p->odd += n_values != p->tables.n_types + p->tables.more_types;
	return !b.bad;
}

/* --- what it becomes --- */

static bool below_zero(const struct pprof *p)
{
	for (size_t r = PPROF_ALLOC; r < PPROF_ROLES; r++)
		if (p->row->values[r] < 0)
			return true;
	for (size_t i = 0; i < p->tables.n_types; i++)
		if (p->row->periods[i] < 0)
			return true;
	return false;
}

/* Counts of so many blocks that each row would be a flood of them. */
static bool is_huge(const struct pprof *p)
{
	return emit_blocks_huge(&p->blocks, &p->row->values[PPROF_ALLOC]) ||
	       emit_blocks_huge(&p->blocks, &p->row->values[PPROF_LIVE]);
}

/* 0: not known. */
static uint32_t thread_of(const struct pprof *p)
{
	return p->row->has_thread ? trace_thread(p->im->t, &p->row->thread) : 0;
}

/* The amounts whose types the profile has, from the type `first` on. */
static unsigned known_amounts(const struct pprof *p, unsigned first)
{
	unsigned known = 0;

	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++)
		if (pprof_type_of(&p->tables, first + a))
			known |= 1u << a;
	return known;
}

/* Blocks that share a fate, v[BLOCKS_COUNT] of them; first: whose types say what is known. */
static enum status push_allocs(struct pprof *p, uint32_t stack, const int64_t v[BLOCKS_AMOUNTS],
			       unsigned first, enum profile_fate fate, struct err *e)
{
	struct emit_profile row = {.stack = stack,
				   .thread = thread_of(p),
				   .domain = KNOWN(p->row->domain),
				   .known = known_amounts(p, first)};

	if (p->row->label.len)
		row.type = trace_type(p->im->t, p->row->label.data, p->row->label.len);
	return emit_blocks(&p->blocks, &row, v, fate, e);
}

static bool any_of(const int64_t v[BLOCKS_AMOUNTS])
{
	return v[0] || v[1] || v[2];
}

static enum status push_heap(struct pprof *p, uint32_t stack, struct err *e)
{
	int64_t rest[BLOCKS_AMOUNTS], *live = &p->row->values[PPROF_LIVE];
	enum status st = ST_OK;

	if (p->blocks.live && any_of(live))
		st = push_allocs(p, stack, live, PPROF_LIVE, PROFILE_LIVE, e);
	if (st || !p->allocs)
		return st;
	emit_blocks_gone(&p->blocks, &p->row->values[PPROF_ALLOC], live,
			 known_amounts(p, PPROF_ALLOC), rest);
	return any_of(rest) ? push_allocs(p, stack, rest, PPROF_ALLOC, PROFILE_FREED, e) : ST_OK;
}

/* The row's label is the name of that type's event. */
static bool is_of_event(const struct pprof *p, size_t type)
{
	size_t n;
	const struct trace *t = p->im->t;
	const struct pprof_type *x = &p->tables.types[type];
	const char *s;

	if (x->role != PPROF_OTHER || !p->row->periods[type])
		return false;
	s = intern_text(&t->strings, t->markers[x->marker].name, &n);
	return n && n == p->row->label.len && !memcmp(s, p->row->label.data, n);
}

static bool is_of_any_event(const struct pprof *p)
{
	for (size_t i = 0; i < p->tables.n_types; i++)
		if (is_of_event(p, i))
			return true;
	return false;
}

/* Periods of the event that the row is of belong to its samples; those of others are sums of their own. */
static enum status pprof_push_periods(struct pprof *p, uint32_t stack, struct emit_sample *sample,
				      struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < p->tables.n_types && !st; i++) {
		struct emit_sample own = {.stack = stack, .thread = thread_of(p)}, *to = &own;

		if (!p->row->periods[i])
			continue;
		if (sample && is_of_event(p, i))
			to = sample;
		to->period = KNOWN(p->row->periods[i]);
		to->marker = p->tables.types[i].marker;
		if (to == &own)
			st = emit_sample(p->im, &own, e);
	}
	return st;
}

static enum status pprof_push_sample(struct pprof *p, uint32_t stack, struct err *e)
{
	enum status st;
	const struct pprof_type *time = pprof_type_of(&p->tables, PPROF_TIME);
	const struct pprof_type *samples = pprof_type_of(&p->tables, PPROF_SAMPLES);
	struct emit_sample s = {.stack = stack, .thread = thread_of(p)};

	if (!p->row->values[PPROF_SAMPLES] && !p->row->values[PPROF_TIME] &&
	    !p->row->values[PPROF_CALLS])
		return pprof_push_periods(p, stack, NULL, e);
	/* Samples of an event have no time beside those of a clock. */
	if (time && (p->row->values[PPROF_TIME] || !is_of_any_event(p)))
		s.self = KNOWN(p->row->values[PPROF_TIME]);
	if (p->row->values[PPROF_CALLS]) {
		struct emit_sample calls = s;

		calls.calls = KNOWN(p->row->values[PPROF_CALLS]);
		st = emit_sample(p->im, &calls, e);
		if (st || !p->row->values[PPROF_SAMPLES])
			return st ? st : pprof_push_periods(p, stack, NULL, e);
		s.self = ABSENT; /* the time is counted */
	}
	/* What was counted one by one is calls: of contended locks, for example. */
	if (samples)
		*(p->counted ? &s.calls : &s.samples) = KNOWN(p->row->values[PPROF_SAMPLES]);
	if (p->row->label.len) {
		struct trace *t = p->im->t;
		struct marker m = {trace_string(t, p->row->label.data, p->row->label.len),
				   trace_strz(t, "label")};

		s.marker = trace_marker(t, &m);
	}
	st = pprof_push_periods(p, stack, &s, e);
	return st ? st : emit_sample(p->im, &s, e);
}

/* Pushes the rows that wait. */
static enum status pprof_push_rows(struct pprof *p, struct err *e)
{
	struct trace *t = p->im->t;
	struct trace_path paths[ROWS];
	size_t n = p->n_rows;
	enum status st = ST_OK;

	for (size_t i = 0; i < n; i++) {
		uint32_t *stack = VEC_AT(p->stack, p->rows[i].first);
		size_t last = p->rows[i].n;

		for (size_t k = 0; k < last / 2; k++) {
			uint32_t swap = stack[k];

			stack[k] = stack[last - 1 - k];
			stack[last - 1 - k] = swap;
		}
		paths[i] = (struct trace_path){.locations = stack, .n = (uint32_t)last};
	}
	if (n)
		trace_paths_seek(t, paths, n);
	for (size_t i = 0; i < n; i++)
		p->rows[i].stack = trace_path_stack(t, &paths[i]);
	for (size_t i = 0; !st && i < n; i++) {
		p->row = &p->rows[i];
		st = push_heap(p, p->row->stack, e);
		if (!st)
			st = pprof_push_sample(p, p->row->stack, e);
	}
	p->n_rows = p->n_stack = 0;
	return st;
}

static enum status pprof_add_sample(struct pprof *p, struct pb b, struct err *e)
{
	bool sound;

	p->row = &p->rows[p->n_rows];
	sound = pprof_parse_sample(p, b);
	p->row->n = p->n_stack - p->row->first;
	p->tables.broken += !sound;
	if (sound && below_zero(p)) {
		p->negative++;
		sound = false;
	}
	if (sound && is_huge(p)) {
		p->huge++;
		sound = false;
	}
	if (sound)
		p->n_rows++;
	else
		p->n_stack = p->row->first;
	return p->n_rows == ROWS || p->n_stack > ROWS_CALLS ? pprof_push_rows(p, e) : ST_OK;
}

/* --- the whole --- */

static void pprof_set_heap(struct pprof *p, uint8_t state)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REQUESTED, METRIC_REAL};
	struct trace *t = p->im->t;
	bool lives = false;

	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++) {
		bool alloc = pprof_type_of(&p->tables, PPROF_ALLOC + a);
		bool live = pprof_type_of(&p->tables, PPROF_LIVE + a);

		p->allocs |= alloc;
		lives |= live;
		if (alloc)
			trace_metric(t, metrics[a], state, METRIC_AT_ALL);
		else if (live) /* what was freed is in no row */
			trace_metric(t, metrics[a], METRIC_LOWER_BOUND, METRIC_AT_ALL);
	}
	if (p->allocs || lives)
		trace_set_blocks(t, TRACE_BLOCKS_SUMMED);
	if (lives)
		emit_blocks_live(&p->blocks, state);
}

static void pprof_set_attributes(struct pprof *p)
{
	static const char *const keys[] = {"pprof.time_ns", "pprof.duration_ns", "pprof.period"};
	const char *type;
	const uint64_t values[] = {p->tables.time, p->tables.duration, p->tables.period};
	struct trace *t = p->im->t;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (!values[i])
			continue;
		b.len = 0;
		buf_addf(&b, "%" PRId64, (int64_t)values[i]);
		if (i == 2 && p->tables.period_unit)
			buf_addf(&b, " %s", pprof_text(&p->tables, p->tables.period_unit, NULL));
		trace_set(t, keys[i], buf_str(&b));
	}
	for (size_t i = 0; i < p->tables.n_types; i++)
		if (p->roles[i < sizeof p->roles ? i : 0] == PPROF_TIME) {
			type = pprof_text(&p->tables, p->tables.types[i].type, NULL);
			trace_set(t, "pprof.time_type", type);
			/* tm-export's is of any clock. */
			if (strcmp(type, "time") != 0)
				trace_set(t, TRACE_CLOCK, type);
		}
	buf_release(&b);
}

/* What tm-export says of its trace in a comment that begins so; NULL: nothing. */
static const char *pprof_comment_value(struct pprof *p, const char *with)
{
	for (size_t i = 0; i < p->tables.n_comments; i++) {
		const char *s = pprof_text(&p->tables, p->tables.comments[i], NULL);

		if (strncmp(s, with, strlen(with)) == 0)
			return s + strlen(with);
	}
	return NULL;
}

static uint8_t pprof_state_of(struct pprof *p, const char *word)
{
	const char *estimated = pprof_comment_value(p, TRACE_ESTIMATED_COMMENT);

	/* A period of 1, or none, is that each was counted. */
	return p->tables.period > 1 || (estimated && strstr(estimated, word)) ? METRIC_ESTIMATED
									      : METRIC_EXACT;
}

static bool has_twin(struct pprof *p, size_t index)
{
	for (size_t i = 0; i < p->tables.n_types; i++)
		if (i != index && p->tables.types[i].type == p->tables.types[index].type)
			return true;
	return false;
}

/* Those without another place are events, by name, and by unit where two have one name. */
static void pprof_name_events(struct pprof *p)
{
	struct trace *t = p->im->t;
	struct buf b = BUF_INIT;
	uint64_t n = 0;

	for (size_t i = 0; i < p->tables.n_types; i++) {
		struct pprof_type *x = &p->tables.types[i];
		const char *unit = pprof_text(&p->tables, x->unit, NULL);

		if (x->role != PPROF_OTHER)
			continue;
		n++;
		b.len = 0;
		buf_adds(&b, pprof_text(&p->tables, x->type, NULL));
		if (has_twin(p, i))
			buf_addf(&b, " (%s)", unit);
		unit = x->is_time                                     ? "ns"
		       : x->is_bytes                                  ? "bytes"
		       : !strcmp(unit, "count") || !strcmp(unit, "1") ? ""
								      : unit;
		x->marker =
		    trace_period_marker(t, trace_string(t, b.data, b.len), "pprof value", unit);
	}
	if (n)
		trace_note(t, NOTE_INFO, n,
			   "more sample types, which do not add up with the others, are read "
			   "as periods by type");
	if (n && pprof_state_of(p, "period") == METRIC_EXACT)
		trace_set(t, TRACE_PERIODS, TRACE_PERIODS_COUNTED);
	buf_release(&b);
}

static void pprof_add_notes(struct pprof *p)
{
	struct trace *t = p->im->t;

	for (size_t i = 0; i < p->tables.n_comments; i++)
		trace_note(t, NOTE_INFO, 0, "comment: %s",
			   pprof_text(&p->tables, p->tables.comments[i], NULL));
	if (p->negative)
		trace_note(t, NOTE_LOSS, p->negative,
			   "rows are negative, as in a difference of profiles: left out");
	if (p->beyond)
		trace_note(t, NOTE_LOSS, p->beyond,
			   "values are too large for 64 bits in ns or bytes: the largest possible "
			   "value stands for them");
	if (p->huge)
		trace_note(t, NOTE_LOSS, p->huge,
			   "rows have more than %" PRId64 " objects: left out", BLOCKS_MOST);
	emit_blocks_note(&p->blocks);
	if (p->tables.more_types)
		trace_note(t, NOTE_LOSS, p->tables.more_types,
			   "sample types above the limit of %d were left out", PPROF_TYPES_MOST);
	if (p->tables.more_calls)
		trace_note(t, NOTE_LOSS, p->tables.more_calls,
			   "calls above the limit of %d in a location or %d in a stack were "
			   "left out",
			   PPROF_PLACES_MOST, PPROF_STACK_MOST);
	if (p->odd)
		trace_note(t, NOTE_LOSS, p->odd, "rows do not have as many values as sample types");
	if (p->tables.broken)
		trace_note(t, NOTE_LOSS, p->tables.broken, "unreadable messages were left out");
	if (p->tables.missing)
		trace_note(t, NOTE_LOSS, p->tables.missing,
			   "references go to strings, functions, locations or mappings that "
			   "are not in the file");
}

static enum status parse_samples(struct pprof *p, struct err *e)
{
	struct cursor *c = &p->im->in->cur;
	enum status st = ST_OK, out;
	struct err own = ERR_INIT;
	struct pb_field f;

	while (!st) {
		st = pb_next_of(c, &f, "profile");
		if (!st && f.number == 2 && f.wire == PB_BYTES)
			st = pprof_add_sample(p, pb_of(&f), e);
	}
	out = pprof_push_rows(p, &own);
	if (out && (st == ST_OK || st == ST_NONE))
		*e = own;
	return st != ST_NONE && st ? st : out;
}

/* The input's own failure, which the first reading met, is met again by the second. */
static enum status pprof_read_profile(struct pprof *p, struct err *e)
{
	struct import *im = p->im;
	struct pprof_tables *x = &p->tables;
	enum status st = pprof_tables_read(x, &im->in->cur);
	const char *filtered;

	if (st && (!x->n_types || !intern_count(&x->strings)))
		return st;
	if (!x->n_types)
		return err_at(e, ST_BAD, 0, "the profile has no sample types");
	if (!pprof_roles(x)) {
		if (x->missing)
			return st ? st
				  : err_at(e, ST_BAD, cursor_offset(&im->in->cur),
					   "the names of sample types are not in the file");
		return err_set(e, ST_UNSUPPORTED, "no sample type is a count, a time or bytes: %s",
			       pprof_text(x, x->types[0].type, NULL));
	}
	for (size_t i = 0; i < x->n_types && i < sizeof p->roles; i++)
		p->roles[i] = x->types[i].role;
	pprof_set_heap(p, pprof_state_of(p, "heap"));
	p->counted = x->period <= 1 && !pprof_are_samples(x);
	if (pprof_type_of(x, PPROF_TIME))
		trace_metric(im->t, METRIC_TIME, pprof_state_of(p, "time"), METRIC_AT_ALL);
	pprof_name_events(p);
	pprof_modules(x, im->t);
	pprof_set_attributes(p);
	filtered = pprof_comment_value(p, TRACE_FILTERED_COMMENT);
	if (filtered)
		trace_set(im->t, TRACE_FILTERED, filtered);
	st = input_rewind(im->in);
	if (!st)
		st = import_begin(im, e);
	if (!st)
		st = parse_samples(p, e);
	pprof_add_notes(p);
	return st;
}

static enum status pprof_read(struct import *im, struct err *e)
{
	struct pprof *p = mem_zalloc(sizeof *p);
	enum status st;

	p->im = p->blocks.im = im;
	st = pprof_read_profile(p, e);
	pprof_tables_release(&p->tables);
	for (size_t i = 0; i < ROWS; i++)
		buf_release(&p->rows[i].label);
	free(p->stack);
	free(p);
	return st;
}

/* --- whose file it is --- */

/* Bytes of a message of numbers alone, or of those and messages of numbers. */
static bool is_message(struct pb b, uint32_t most, uint32_t packed)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number > most ||
		    (f.wire == PB_BYTES ? !(packed >> f.number & 1) : f.wire != PB_VARINT))
			return false;
	return !b.bad;
}

static bool pprof_is_field(const struct pb_field *f)
{
	static const struct {
		uint8_t most, packed;
	} messages[] = {
	    [1] = {2, 0}, [2] = {3, 0x0e}, [3] = {10, 0}, [4] = {5, 0x10}, [5] = {5, 0}};
	struct pb b = pb_of(f);

	switch (f->number) {
	case 1:
	case 2:
	case 3:
	case 4:
	case 5:
		return f->wire == PB_BYTES &&
		       is_message(b, messages[f->number].most, messages[f->number].packed);
	case 6: return f->wire == PB_BYTES && (!f->n || !memchr(f->s, 0, f->n));
	case 11: return f->wire == PB_BYTES && is_message(b, 2, 0);
	case 13: return true;
	default: return f->number <= 15 && f->wire == PB_VARINT;
	}
}

static int pprof_bid(const uint8_t *head, size_t n, bool whole)
{
	struct pb b = {head, head + n, false};
	size_t fields = 0, types = 0, others = 0;
	struct pb_field f = {0};

	while (pb_next(&b, &f)) {
		if (!pprof_is_field(&f))
			return 0;
		fields++;
		types += f.number == 1;
		others += f.number != 1;
	}
	/* What is cut by the head's end, or the file's, does not lower the bid; a wrong field does.
	 */
	if (b.bad && b.p < b.end && (f.wire != PB_BYTES || !f.number || f.number > 13))
		return 0;
	return !types || fields < 2 ? 0 : others || whole ? 20 : 12;
}

const struct reader reader_pprof = {
    .name = "pprof",
    .family = "Heap profiles",
    .page = "pprof",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "pprof's profiles: heap, cpu, contention and others",
    .suffixes = "pb.gz,pprof,pb,prof",
    .rewinds = true,
    .guesses = true,
    .cut = CUT_NEVER, /* names come after samples */
    .bid = pprof_bid,
    .read = pprof_read,
};

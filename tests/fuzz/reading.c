/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/reading.h"

#include "lib/base/hash.h"
#include "lib/input/members.h"
#include "lib/trace/dump.h"
#include "lib/trace/merge.h"
#include "lib/trace/writer.h"

#include <stdio.h>
#include <string.h>

/* A property that costs as much as reading itself is tried on one input of so many. */
enum { SHARE_TWICE = 8, SHARE_WRITTEN = 4, SHARE_CUT = 4, SHARE_HALVES = 8 };
/* Few bytes may be many events: beyond so many, only the sink looks at them. */
enum { EVENTS_MANY = 20000 };
static uint64_t of_whole[EVENTS_MANY], of_part[EVENTS_MANY];

#define must(fact)                                                                         \
	do {                                                                               \
		if (!(fact)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact); \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* --- the sink --- */

static bool is_string(const struct trace *t, uint32_t id)
{
	return id <= intern_count(&t->strings);
}

static void check_module(const struct trace *t, const struct module *m)
{
	must(is_string(t, m->name) && is_string(t, m->build_id));
	must(m->n_ranges <= MODULE_RANGES && (!m->n_ranges || m->ranges));
}

static void check_location(const struct trace *t, const struct location *l)
{
	must(l->module < t->n_modules || !l->module);
	must(l->space < SPACES && l->kind < LOCATION_KINDS);
	must(is_string(t, l->name) && is_string(t, l->file));
}

/* The rows that came since the last look. */
static void check_tables(struct reading_sink *s, const struct trace *t)
{
	must(t->n_modules >= s->modules && t->n_locations >= s->locations);
	must(t->n_stacks >= s->stacks && t->n_types >= s->types && t->n_threads >= s->threads);
	must(t->n_markers >= s->markers && t->n_counters >= s->counters);
	for (; s->modules < t->n_modules; s->modules++)
		if (s->modules)
			check_module(t, &t->modules[s->modules]);
	for (; s->locations < t->n_locations; s->locations++)
		if (s->locations)
			check_location(t, &t->locations[s->locations]);
	for (; s->stacks < t->n_stacks; s->stacks++)
		if (s->stacks)
			must(t->stacks[s->stacks].parent < s->stacks &&
			     t->stacks[s->stacks].location &&
			     t->stacks[s->stacks].location < t->n_locations);
	for (; s->types < t->n_types; s->types++)
		must(!s->types || is_string(t, t->types[s->types]));
	for (; s->threads < t->n_threads; s->threads++)
		must(!s->threads || is_string(t, t->threads[s->threads].name));
	for (; s->markers < t->n_markers; s->markers++)
		must(!s->markers || (is_string(t, t->markers[s->markers].name) &&
				     is_string(t, t->markers[s->markers].category)));
	for (; s->counters < t->n_counters; s->counters++)
		must(!s->counters || (is_string(t, t->counters[s->counters].name) &&
				      is_string(t, t->counters[s->counters].unit)));
}

/* What a capture says of itself. */
static void check_facts(const struct trace *t)
{
	for (int m = 0; m < METRICS; m++)
		must(t->metrics[m].state <= METRIC_ESTIMATED &&
		     t->metrics[m].key <= METRIC_AT_TYPE);
	for (size_t i = 0; i < t->n_notes; i++)
		must(t->notes[i].severity <= NOTE_LOSS && t->notes[i].text);
	for (size_t i = 0; i < t->n_attributes; i++)
		must(t->attributes[i].key && t->attributes[i].value);
}

static enum status sink_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct reading_sink *s = (struct reading_sink *)sink;

	must(!s->t);
	s->t = t;
	s->modules = s->locations = s->stacks = s->types = 0;
	s->threads = s->markers = s->counters = 0;
	memset(s->events, 0, sizeof s->events);
	check_tables(s, t);
	check_facts(t);
	return s->to ? s->to->begin(s->to, t, e) : ST_OK;
}

/* A field that is not there is not looked at, but by mistake. */
static void check_absent(const struct event *ev)
{
	must((ev->has & EV_HAS_SEQ) || !ev->seq);
	must((ev->has & EV_HAS_ADDRESS) || !ev->address);
	must((ev->has & EV_HAS_REQUESTED) || !ev->requested);
	must((ev->has & EV_HAS_REAL) || !ev->real);
	must((ev->has & EV_HAS_TYPE) || !ev->type);
	must((ev->has & EV_HAS_STACK) || !ev->stack);
	must((ev->has & EV_HAS_TIME) || !ev->time);
	must((ev->has & EV_HAS_COUNT) || ev->count <= 1);
	must((ev->has & EV_HAS_THREAD) || !ev->thread);
	must((ev->has & EV_HAS_VALUE) || !ev->value);
	must((ev->has & EV_HAS_NAME) || !ev->name);
	must((ev->has & EV_HAS_DOMAIN) || !ev->domain);
	must((ev->has & EV_HAS_TARGET) || !ev->target);
}

static uint64_t event_hash(const struct event *ev)
{
	const uint64_t fields[] = {ev->kind,      ev->domain,         ev->has,
				   ev->type,      ev->stack,          ev->thread,
				   ev->name,      (uint64_t)ev->time, ev->seq,
				   ev->address,   ev->target,         ev->count,
				   ev->requested, ev->real,           (uint64_t)ev->value};

	return hash_bytes(fields, sizeof fields);
}

/* A trace may have a field with the value for absent, which no other reader does. */
static bool is_row(const struct reading_sink *s, const struct event *ev, unsigned field,
		   uint32_t id, size_t n)
{
	return !(ev->has & field) || (id && id < n) || (!id && s->trace);
}

static enum status sink_take(struct sink *sink, struct trace *t, const struct event *ev,
			     struct err *e)
{
	bool counter = ev->kind == EV_COUNTER;
	struct reading_sink *s = (struct reading_sink *)sink;
	size_t types = counter                      ? t->n_counters
		       : event_has_marker(ev->kind) ? t->n_markers
						    : t->n_types;

	(void)e;
	must(s->t == t);
	check_tables(s, t);
	must(ev->kind && ev->kind < EV_KINDS && !(ev->has & ~EV_FIELDS) && ev->domain < DOMAINS);
	must(is_row(s, ev, EV_HAS_TYPE, ev->type, types));
	must(is_row(s, ev, EV_HAS_STACK, ev->stack, t->n_stacks));
	must(is_row(s, ev, EV_HAS_THREAD, ev->thread, t->n_threads));
	must(!(ev->has & EV_HAS_NAME) || is_string(t, ev->name));
	check_absent(ev);
	if (s->rule)
		s->rule(ev);
	s->events[ev->kind]++;
	if (s->n < s->kept)
		s->hashes[s->n] = event_hash(ev);
	s->n++;
	s->last = ev->kind == EV_COUNTER ? s->last + 1 : 0;
	return ST_OK;
}

static enum status sink_take_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				   struct err *e)
{
	struct sink *to = ((struct reading_sink *)s)->to;
	enum status st = sink_each(s, t, b, e, sink_take);

	return st || !to ? st : to->batch(to, t, b, e);
}

static enum status sink_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct reading_sink *s = (struct reading_sink *)sink;

	must(s->t == t);
	check_tables(s, t);
	check_facts(t);
	for (int k = 0; k < EV_KINDS; k++)
		must(s->events[k] == t->events[k]);
	s->t = NULL;
	return s->to ? s->to->end(s->to, t, e) : ST_OK;
}

void reading_sink_init(struct reading_sink *s, reading_rule_fn *rule, struct sink *to)
{
	*s = (struct reading_sink){
	    .sink = {.begin = sink_begin, .batch = sink_take_batch, .end = sink_end},
	    .rule = rule,
	    .to = to};
}

/* --- the properties --- */

/* What is read goes into the sink. */
static enum status read_into(const struct reading_source *from, const struct import_options *o,
			     struct sink *to)
{
	struct err e = ERR_INIT;
	enum status st = ST_OK;
	struct input in = {0};
	bool lossy;

	if (from->path)
		st = input_open(&in, from->path, &e);
	else
		input_memory(&in, "fuzz", from->data, from->n, &e);
	if (!st)
		st = capture_read(&in, o, to, &lossy, &e);
	must(!st || e.msg[0]); /* a failure without a reason */
	input_close(&in);
	return st;
}

struct text {
	char *s;
	size_t n;
};

static struct text written(const struct reading_source *from, const struct import_options *o,
			   enum status *st)
{
	struct text x = {NULL, 0};
	FILE *f = open_memstream(&x.s, &x.n);
	struct writer *w = writer_new(f);

	*st = read_into(from, o, writer_sink(w));
	writer_free(w);
	fclose(f);
	return x;
}

static struct text dumped(const struct reading_source *from, const struct import_options *o)
{
	static const struct dump_options events = {false, true, false};
	struct text x = {NULL, 0};
	FILE *f = open_memstream(&x.s, &x.n);
	struct dump *d = dump_new(f, &events);

	read_into(from, o, dump_sink(d));
	dump_free(d);
	fclose(f);
	return x;
}

static void must_be_same(const struct text *a, const struct text *b)
{
	must(a->n == b->n && (!a->n || !memcmp(a->s, b->s, a->n)));
}

static void twice(const struct reading_source *from, const struct import_options *o)
{
	enum status first, second;
	struct text a = written(from, o, &first), b = written(from, o, &second);

	must(first == second);
	must_be_same(&a, &b);
	free(a.s);
	free(b.s);
}

static void written_again(const struct reading_source *from, const struct import_options *o)
{
	static const struct import_options trace = {.format = "trace"};
	enum status st;
	struct text a = written(from, o, &st), b, before, after;
	const struct reading_source again = {.data = (const uint8_t *)a.s, .n = a.n};

	if (!st) {
		before = dumped(from, o);
		after = dumped(&again, &trace);
		must_be_same(&before, &after);
		b = written(&again, &trace, &st);
		must(!st);
		must_be_same(&a, &b);
		free(before.s);
		free(after.s);
		free(b.s);
	}
	free(a.s);
}

/* Sums of the events of a kind, independent of their order and the numbers of their rows. Frames
 * are left out, which a merge writes once, and times, which it moves. */
struct sums {
	struct sink sink; /* first */
	struct sink *to;  /* gets the events from first to end; or NULL: those are added up */
	uint64_t first, end, n;
	unsigned captures;
	uint64_t of[EV_KINDS][8];
};

static enum status sums_begin(struct sink *sink, struct trace *t, struct err *e)
{
	struct sums *s = (struct sums *)sink;

	s->captures++;
	return s->to ? s->to->begin(s->to, t, e) : ST_OK;
}

static uint64_t text_hash(const struct trace *t, uint32_t string)
{
	return hash_bytes(trace_text(t, string), strlen(trace_text(t, string)));
}

static uint64_t stack_hash(const struct trace *t, uint32_t stack)
{
	uint64_t h = 0;

	for (; stack; stack = t->stacks[stack].parent) {
		const struct location *l = &t->locations[t->stacks[stack].location];

		h = hash_u64(h ^ l->raw ^ l->space ^ text_hash(t, l->name) ^ l->line);
	}
	return h;
}

static enum status sums_event(struct sink *sink, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct sums *s = (struct sums *)sink;
	uint64_t at = s->n++, *of = s->of[ev->kind];

	if (s->to)
		return at >= s->first && at < s->end ? sink_event(s->to, t, ev, e) : ST_OK;
	if (ev->kind == EV_FRAME)
		return ST_OK;
	of[0]++;
	of[1] += ev->address;
	of[2] += ev->requested;
	of[3] += ev->real;
	of[4] += ev->count;
	of[5] += (uint64_t)ev->value;
	of[6] += ev->has & EV_HAS_STACK ? stack_hash(t, ev->stack) : 0;
	of[7] += ev->has & EV_HAS_NAME ? text_hash(t, ev->name) : 0;
	return ST_OK;
}

static enum status sums_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return sink_each(s, t, b, e, sums_event);
}

static enum status sums_end(struct sink *sink, struct trace *t, struct err *e)
{
	struct sums *s = (struct sums *)sink;

	return s->to ? s->to->end(s->to, t, e) : ST_OK;
}

static struct sums sums_of(struct sink *to, uint64_t first, uint64_t end)
{
	return (struct sums){.sink = {.begin = sums_begin, .batch = sums_batch, .end = sums_end},
			     .to = to,
			     .first = first,
			     .end = end};
}

static FILE *spool(struct err *e)
{
	FILE *f = tmpfile();

	return f ? f : (err_sys(e, "temporary file"), NULL);
}

static void halves(const struct reading_source *from, const struct import_options *o, uint64_t at)
{
	const struct merge_options options = {.spool = spool};
	struct sums whole = sums_of(NULL, 0, 0), merged = sums_of(NULL, 0, 0);
	struct merge *m = merge_new(&options);
	struct err e = ERR_INIT;
	bool sound = !read_into(from, o, &whole.sink) && whole.captures == 1;

	for (int part = 0; sound && part < 2; part++) {
		struct sums half = sums_of(merge_sink(m), part ? at : 0, part ? UINT64_MAX : at);

		merge_part(m, part ? "second" : "first", false, 0);
		must(!read_into(from, o, &half.sink));
	}
	if (sound) {
		must(!merge_write(m, &merged.sink, &e));
		must(merged.captures == 1 && !memcmp(whole.of, merged.of, sizeof whole.of));
	}
	merge_free(m);
}

static void cut_short(const struct reading_source *from, const struct import_options *o, size_t at,
		      const struct reading_sink *whole)
{
	struct reading_source part = {.data = from->data, .n = at};
	const struct reader *r = reader_by_name(o->format, NULL);
	/* What is read twice knows at its beginning what comes at its end. */
	enum reader_cut cut = r->rewinds ? CUT_NEVER : r->cut;
	struct reading_sink s;
	int bits = 0, bits_of_part = 0;

	/* what is shorter than a head has none */
	members_head(from->data, from->n, &bits);
	members_head(part.data, part.n, &bits_of_part);
	if (bits != bits_of_part)
		return;
	while (cut == CUT_AT_LINE && part.n && part.data[part.n - 1] != '\n')
		part.n--;
	if (cut == CUT_NEVER || !part.n)
		return;
	reading_sink_init(&s, whole->rule, NULL);
	s.trace = whole->trace;
	s.kept = whole->kept;
	s.hashes = of_part;
	read_into(&part, o, &s.sink);
	if (cut == CUT_BUT_LAST)
		s.n -= s.last;
	must(s.n <= whole->n);
	for (uint64_t i = 0; i < s.n; i++) {
		if (of_part[i] != of_whole[i])
			fprintf(stderr, "%s: of %zu bytes, event %llu of %llu differs\n", o->format,
				part.n, (unsigned long long)i, (unsigned long long)s.n);
		must(of_part[i] == of_whole[i]);
	}
}

void fuzz_reading_of(const struct reading_source *from, const struct import_options *o,
		     reading_rule_fn *rule)
{
	const struct reader *r = reader_by_name(o->format, NULL);
	uint64_t chosen = from->path ? 0 : hash_bytes(from->data, from->n);
	struct reading_sink s;

	if (!from->path) {
		r->bid(from->data, from->n, true);
		r->bid(from->data, from->n, false);
	}
	reading_sink_init(&s, rule, NULL);
	s.trace = r->own_tables;
	s.kept = EVENTS_MANY;
	s.hashes = of_whole;
	read_into(from, o, &s.sink);
	if (s.n <= EVENTS_MANY) {
		if (chosen % SHARE_TWICE == 0)
			twice(from, o);
		if (chosen / SHARE_TWICE % SHARE_WRITTEN == 0)
			written_again(from, o);
		if (!from->path && from->n && chosen / 64 % SHARE_CUT == 0)
			cut_short(from, o, (size_t)(chosen >> 16) % from->n, &s);
		if (s.n && chosen / 256 % SHARE_HALVES == 0)
			halves(from, o, (chosen >> 16) % s.n);
	}
}

void fuzz_reading_by(const char *name, const uint8_t *data, size_t n, reading_rule_fn *rule)
{
	const struct reading_source from = {.data = data, .n = n};
	const struct import_options o = {.format = name};

	fuzz_reading_of(&from, &o, rule);
}

void fuzz_reading(const char *name, const uint8_t *data, size_t n)
{
	fuzz_reading_by(name, data, n, NULL);
}

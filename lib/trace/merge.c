/* SPDX-License-Identifier: MIT */
#include "lib/trace/merge.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/trace/encode.h"
#include "lib/trace/merge_tables.h"

#include <stdlib.h>
#include <string.h>

struct part {
	FILE *file; /* struct event after struct event */
	char *name;
	struct merge_tables tables;
	struct part_frame {
		int64_t number, time;
		bool has_time;
	} * frames;
	size_t n_frames, cap_frames;
	size_t at; /* of frames: the one that comes next */
	bool ascending, allocates, lives;
	bool has_offset, has_times;
	int64_t offset;
	uint64_t seq, seq_base; /* the largest; what is added to all */

	/* while they are merged */
	struct event next;
	bool open; /* next is there */
	bool timed;
	int64_t time; /* of the last event that had one */
	bool floats;  /* it has no place in the frames but by time */
};

struct merge {
	struct sink sink;
	struct merge_options options;
	struct trace *t;
	struct part *parts;
	size_t n, cap;
	char *name;
	bool has_offset;
	int64_t offset;
	uint64_t dropped; /* frames of parts whose numbers do not count */
	uint64_t overflow;
	bool samples; /* a part has some */
};

static int64_t later(struct merge *m, int64_t time, int64_t by)
{
	int64_t r;

	if (!__builtin_add_overflow(time, by, &r))
		return r;
	m->overflow++;
	return by > 0 ? INT64_MAX : INT64_MIN;
}

static void merge_join_metrics(struct merge *m, const struct trace *from)
{
	struct trace *t = m->t;

	for (size_t i = 0; i < METRICS; i++) {
		unsigned state = from->metrics[i].state;

		if (state == METRIC_ABSENT)
			continue;
		if (t->metrics[i].state == METRIC_ABSENT) {
			t->metrics[i].key = from->metrics[i].key;
			t->metrics[i].state = (uint8_t)state;
		} else if (t->metrics[i].key != from->metrics[i].key) {
			trace_note(t, NOTE_LOSS, 1,
				   "'%s' is known per type in one capture and everywhere in "
				   "another: that of the first counts",
				   metric_name((unsigned)i));
		} else if (state > t->metrics[i].state) {
			t->metrics[i].state = (uint8_t)state;
		}
	}
	t->unordered |= from->unordered;
}

static enum status merge_sink_begin(struct sink *s, struct trace *from, struct err *e)
{
	struct merge *m = (struct merge *)s;
	struct part *p;

	if (m->n == MERGE_PARTS_MAX)
		return err_set(e, ST_LIMIT, "more than %d captures to merge", MERGE_PARTS_MAX);
	p = &VEC_PUSH(m->parts, m->n, m->cap);
	*p = (struct part){.name = mem_strdup(m->name ? m->name : "capture"),
			   .ascending = true,
			   .has_offset = m->has_offset,
			   .offset = m->offset};
	p->tables.part = (uint32_t)m->n - 1;
	p->lives = from->metrics[METRIC_LIVE].state != METRIC_ABSENT;
	p->file = m->options.spool(e);
	if (!p->file)
		return err_failure(e);
	merge_join_metrics(m, from);
	return ST_OK;
}

static enum status merge_sink_event(struct sink *s, struct trace *from, const struct event *ev,
				    struct err *e)
{
	struct merge *m = (struct merge *)s;
	struct part *p = &m->parts[m->n - 1];
	struct event x = *ev;

	merge_rows(&p->tables, from, m->t);
	merge_event(&p->tables, from, m->t, &x);
	if (x.kind == EV_FRAME) {
		if (p->n_frames && x.value <= p->frames[p->n_frames - 1].number)
			p->ascending = false;
		VEC_PUSH(p->frames, p->n_frames, p->cap_frames) =
		    (struct part_frame){x.value, x.time, x.has & EV_HAS_TIME};
	}
	p->allocates |= event_allocates(x.kind);
	p->has_times |= (x.has & EV_HAS_TIME) != 0;
	if (x.has & EV_HAS_SEQ && x.seq > p->seq)
		p->seq = x.seq;
	if (fwrite(&x, sizeof x, 1, p->file) != 1)
		return err_sys(e, "temporary file");
	return ST_OK;
}

static enum status merge_sink_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				    struct err *e)
{
	return sink_each(s, t, b, e, merge_sink_event);
}

/* The clock is the first capture's: the date of another one's time 0 is none of it. */
static bool is_of_clock(const char *key)
{
	return !strcmp(key, TRACE_DATE) || !strcmp(key, TRACE_DATE_ZONE);
}

static enum status merge_sink_end(struct sink *s, struct trace *from, struct err *e)
{
	struct merge *m = (struct merge *)s;
	struct part *p = &m->parts[m->n - 1];

	if (from->events[EV_SAMPLE] && m->samples &&
	    (trace_samples_agree(trace_samples_in(from), trace_samples_in(m->t), e) ||
	     trace_clocks_agree(trace_get(from, TRACE_CLOCK), trace_get(m->t, TRACE_CLOCK), e)))
		return err_failure(e);
	m->samples |= from->events[EV_SAMPLE] != 0;
	merge_rows(&p->tables, from, m->t);
	merge_symbols(&p->tables, from, m->t);
	for (size_t i = 0; i < from->n_attributes; i++)
		if (!trace_get(m->t, from->attributes[i].key) &&
		    (m->n == 1 || !is_of_clock(from->attributes[i].key)) &&
		    strcmp(from->attributes[i].key, TRACE_DURATION) != 0 &&
		    strcmp(from->attributes[i].key, TRACE_BEGIN) != 0 &&
		    strcmp(from->attributes[i].key, TRACE_END) != 0)
			trace_set(m->t, from->attributes[i].key, from->attributes[i].value);
	for (size_t i = 0; i < from->n_notes; i++)
		trace_note(m->t, (enum severity)from->notes[i].severity, from->notes[i].count,
			   "%s: %s", p->name, from->notes[i].text);
	m->t->cut_strings += from->cut_strings;
	return fflush(p->file) ? err_sys(e, "temporary file") : ST_OK;
}

struct merge *merge_new(const struct merge_options *o)
{
	struct merge *m = mem_zalloc(sizeof *m);

	m->sink = (struct sink){
	    .begin = merge_sink_begin, .batch = merge_sink_batch, .end = merge_sink_end};
	m->options = *o;
	m->t = trace_new();
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		if (m->parts[i].file)
			fclose(m->parts[i].file);
		free(m->parts[i].name);
		free(m->parts[i].frames);
		merge_tables_release(&m->parts[i].tables);
	}
	free(m->parts);
	free(m->name);
	trace_free(m->t);
	free(m);
}

void merge_part(struct merge *m, const char *name, bool has_offset, int64_t offset)
{
	free(m->name);
	m->name = mem_strdup(name);
	m->has_offset = has_offset;
	m->offset = offset;
}

struct sink *merge_sink(struct merge *m)
{
	return &m->sink;
}

static int merge_compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Frames that both have, and the median of what a's times are ahead of b's. */
static size_t merge_shared_frames(const struct part *a, const struct part *b, bool *has_offset,
				  int64_t *offset)
{
	int64_t *d = mem_array(b->n_frames + 1, sizeof *d);
	size_t n = 0, shared = 0;

	for (size_t i = 0, k = 0; i < a->n_frames && k < b->n_frames;) {
		const struct part_frame *x = &a->frames[i], *y = &b->frames[k];

		if (x->number != y->number) {
			*(x->number < y->number ? &i : &k) += 1;
			continue;
		}
		shared++;
		if (x->has_time && y->has_time && !__builtin_sub_overflow(x->time, y->time, &d[n]))
			n++;
		i++;
		k++;
	}
	*has_offset = n;
	if (n) {
		sort_array(d, n, sizeof *d, merge_compare_i64);
		*offset = d[n / 2];
	}
	free(d);
	return shared;
}

static void merge_align_clocks(struct merge *m, bool *by_frames)
{
	size_t shared = 0;

	for (size_t i = 1; i < m->n; i++) {
		struct part *p = &m->parts[i];
		bool known = false;
		int64_t offset = 0;

		for (size_t k = 0; k < i && !known; k++)
			if (p->ascending && m->parts[k].ascending)
				shared += merge_shared_frames(&m->parts[k], p, &known, &offset);
		if (known && m->options.align != MERGE_TIME && !p->has_offset) {
			p->has_offset = true;
			p->offset = offset;
			trace_note(m->t, NOTE_GUESS, 0,
				   "%s: its clock is taken to be %s%lld ns from the first "
				   "capture's, as shared frames say",
				   p->name, offset < 0 ? "" : "+", (long long)offset);
		} else if (!p->has_offset && p->has_times) {
			trace_note(m->t, NOTE_GUESS, 0,
				   "%s: its times are taken to be the first capture's", p->name);
		}
	}
	*by_frames = m->options.align == MERGE_FRAMES || (m->options.align == MERGE_AUTO && shared);
}

/* The next event of a part, with its time and number in the whole. */
static enum status advance(struct merge *m, struct part *p, struct err *e)
{
	p->open = p->file && fread(&p->next, sizeof p->next, 1, p->file) == 1;
	if (!p->open)
		return p->file && ferror(p->file) ? err_sys(e, "temporary file") : ST_OK;
	if (p->next.has & EV_HAS_SEQ)
		p->next.seq += p->seq_base;
	if (p->next.has & EV_HAS_TIME) {
		p->next.time = later(m, p->next.time, p->offset);
		p->timed = true;
		p->time = p->next.time;
	}
	return ST_OK;
}

static enum status emit(struct merge *m, struct part *p, struct sink *to, struct err *e)
{
	enum status st = sink_event(to, m->t, &p->next, e);

	return st ? st : advance(m, p, e);
}

/* The part whose event comes next among those that may go on: the earliest; an event without a time
 * keeps its place. frames: a frame ends a part's turn; floats: those without count too. */
static struct part *earliest(const struct merge *m, bool frames, bool floats)
{
	struct part *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		struct part *p = &m->parts[i];

		if (!p->open || (p->floats && !floats))
			continue;
		if (frames && !p->floats && p->next.kind == EV_FRAME)
			continue;
		if (!p->timed)
			return p;
		/* What has the time of a frame is in it. */
		if (!best || p->time < best->time ||
		    (p->time == best->time && p->next.kind == EV_FRAME &&
		     best->next.kind != EV_FRAME))
			best = p;
	}
	return best;
}

/* All events up to the next frames, those without frames up to the time of the next one. */
static enum status merge_emit_frame(struct merge *m, const struct part_frame *next, struct sink *to,
				    struct err *e)
{
	enum status st = ST_OK;

	for (struct part *p; !st && (p = earliest(m, true, true));) {
		if (p->floats && p->next.kind == EV_FRAME) {
			/* What comes behind it may be later than the others' next. */
			m->dropped++;
			st = advance(m, p, e);
		} else if (p->floats && next && p->timed && next->has_time &&
			   p->time >= next->time) {
			/* It waits; the others go on without it. */
			p->open = false;
			st = merge_emit_frame(m, next, to, e);
			p->open = true;
			return st;
		} else {
			st = emit(m, p, to, e);
		}
	}
	return st;
}

/* Once, however many parts have it: as the first of them has it. All are at a frame now. */
static enum status merge_start_frame(struct merge *m, int64_t number, struct sink *to,
				     struct err *e)
{
	enum status st = ST_OK;
	bool told = false;

	for (size_t i = 0; !st && i < m->n; i++) {
		struct part *p = &m->parts[i];

		if (!p->open || p->floats || p->next.value != number)
			continue;
		if (!told)
			st = sink_event(to, m->t, &p->next, e);
		told = true;
		p->at++;
		if (!st)
			st = advance(m, p, e);
	}
	return st || told ? st : err_set(e, ST_BAD, "a temporary file changed");
}

/* The frame that comes next, with its time in the whole. False: none. */
static bool next_frame(struct merge *m, struct part_frame *next)
{
	bool any = false;

	for (size_t i = 0; i < m->n; i++) {
		const struct part *p = &m->parts[i];

		if (p->floats || !p->open || p->at == p->n_frames ||
		    (any && p->frames[p->at].number >= next->number))
			continue;
		any = true;
		*next = p->frames[p->at];
		if (next->has_time)
			next->time = later(m, next->time, p->offset);
	}
	return any;
}

static enum status merge_frames(struct merge *m, struct sink *to, struct err *e)
{
	enum status st = ST_OK;
	struct part_frame next;

	/* Events before a part's first frame come before all frames. */
	for (struct part *p; !st && (p = earliest(m, true, false));)
		st = emit(m, p, to, e);
	while (!st && next_frame(m, &next)) {
		st = merge_emit_frame(m, &next, to, e);
		if (!st)
			st = merge_start_frame(m, next.number, to, e);
	}
	return st ? st : merge_emit_frame(m, NULL, to, e);
}

static enum status merge_times(struct merge *m, struct sink *to, struct err *e)
{
	const struct part *master = NULL;
	enum status st = ST_OK;

	for (size_t i = 0; i < m->n && !master; i++)
		if (m->parts[i].n_frames)
			master = &m->parts[i];
	for (struct part *p; !st && (p = earliest(m, false, true));) {
		if (p->next.kind == EV_FRAME && p != master) {
			m->dropped++;
			st = advance(m, p, e);
		} else {
			st = emit(m, p, to, e);
		}
	}
	return st;
}

static void note_parts(struct merge *m)
{
	bool lives = false;
	struct buf names = BUF_INIT;

	for (size_t i = 0; i < m->n; i++) {
		lives |= m->parts[i].lives;
		buf_addf(&names, "%s%s", i ? "+" : "", m->parts[i].name);
	}
	for (size_t i = 0; i < m->n; i++)
		if (lives && m->parts[i].allocates && !m->parts[i].lives)
			trace_note(m->t, NOTE_GUESS, 0,
				   "%s: it knows no frees, so all that it allocates counts as live",
				   m->parts[i].name);
	trace_set(m->t, "merged", buf_str(&names));
	trace_set(m->t, "format", "merged");
	buf_release(&names);
}

enum status merge_write(struct merge *m, struct sink *to, struct err *e)
{
	bool by_frames;
	enum status st;
	uint64_t seq = 0;

	merge_align_clocks(m, &by_frames);
	note_parts(m);
	for (size_t i = 0; i < m->n; i++) {
		struct part *p = &m->parts[i];

		if (!p->file) /* it could not be made: what was read before is kept */
			continue;
		rewind(p->file);
		p->seq_base = seq;
		seq += p->seq < UINT64_MAX / 2 - seq ? p->seq : 0;
		p->floats = !p->n_frames || !p->ascending;
		if (by_frames && p->n_frames && !p->ascending)
			trace_note(m->t, NOTE_LOSS, p->n_frames,
				   "%s: frame numbers do not go up: its events go by time",
				   p->name);
	}
	st = to->begin(to, m->t, e);
	for (size_t i = 0; !st && i < m->n; i++)
		st = advance(m, &m->parts[i], e);
	if (!st)
		st = by_frames ? merge_frames(m, to, e) : merge_times(m, to, e);
	if (st)
		return st;
	if (m->dropped)
		trace_note(m->t, NOTE_INFO, m->dropped,
			   "frames of other captures than the first that has some do not count");
	if (m->overflow)
		trace_note(m->t, NOTE_LOSS, m->overflow, "times are too large for 64 bits");
	m->t->complete = true;
	return to->end(to, m->t, e);
}

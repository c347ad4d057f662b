/* SPDX-License-Identifier: MIT
 *
 * A session as one trace: the files whose clocks are known, their times on the session's clock, between its frames. As in
 * the report, a file whose frames are the session's has each event in the frame in which the file has it.
 */
#include "cmd/tm-session/session.h"

#include "lib/base/sort.h"
#include "lib/input/input.h"
#include "lib/trace/merge.h"
#include "lib/trace/tap.h"

#include <inttypes.h>

/* Hands on the first capture of a file, whose clock is known. */
struct clock_sink {
	struct sink sink; /* first */
	struct sink *to;
	const struct session_axis *axis;
	const struct session_clock *clock;
	struct clock_frames frames; /* its own */
	bool shared;                /* they are the axis's */
	uint64_t captures;
	int64_t frame; /* of the axis: the one that comes next */
};

/* Frames before and behind those of the axis are counted on from there. */
static int64_t number_of(const struct session_axis *a, int64_t i)
{
	int64_t end = (int64_t)a->n - 1;

	if (!a->numbers)
		return i;
	return i < 0 ? a->numbers[0] + i : i > end ? a->numbers[end] + (i - end) : a->numbers[i];
}

/* On the session's clock. What that clock is off by moves nothing to another frame than the file has it in. */
static int64_t time_there(const struct clock_sink *c, int64_t time)
{
	const struct clock_frame *own = c->frames.items, *axis = c->axis->frames;
	int64_t there = clock_there(c->clock, time), next;

	if (!c->shared)
		return there;
	next = (int64_t)BISECT(i, (size_t)0, c->frames.n, own[i].start <= time) + c->clock->lag;
	if (next > 0 && next <= (int64_t)c->axis->n && there < axis[next - 1].start)
		there = axis[next - 1].start;
	if (next >= 0 && next < (int64_t)c->axis->n && there >= axis[next].start)
		there = axis[next].start - 1;
	return there;
}

/* False: a frame that is none of the session's. */
static bool move_event(struct clock_sink *c, struct event *ev)
{
	if (ev->kind == EV_FRAME && !c->shared)
		return false;
	if (ev->has & EV_HAS_TIME)
		ev->time = time_there(c, ev->time);
	if (ev->kind == EV_FRAME)
		ev->value = number_of(c->axis, c->frame++);
	return true;
}

static enum status clock_sink_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct clock_sink *c = (struct clock_sink *)s;

	return ++c->captures == 1 ? c->to->begin(c->to, t, e) : ST_OK;
}

static enum status clock_sink_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				    struct err *e)
{
	enum { ROWS = 64 };
	struct clock_sink *c = (struct clock_sink *)s;
	struct event rows[ROWS];
	enum status st = ST_OK;

	for (size_t i = 0; !st && c->captures == 1 && i < b->n;) {
		struct sink_batch part = {.rows = rows};

		for (; part.n < ROWS && i < b->n; i++) {
			rows[part.n] = b->rows[i];
			part.n += move_event(c, &rows[part.n]);
		}
		st = c->to->batch(c->to, t, &part, e);
	}
	return st;
}

static enum status clock_sink_end(struct sink *s, struct trace *t, struct err *e)
{
	struct clock_sink *c = (struct clock_sink *)s;

	return c->captures == 1 ? c->to->end(c->to, t, e) : ST_OK;
}

/* A merge goes by the numbers of frames. If the session's do not ascend, as where each level begins at 0, frames have
 * their index instead. */
static struct session_axis axis_of(const struct session *s)
{
	struct session_axis a = s->axis;

	for (size_t i = 1; a.numbers && i < a.n; i++)
		if (a.numbers[i] <= a.numbers[i - 1])
			a.numbers = NULL;
	return a;
}

static size_t add_file(const struct session_axis *axis, struct merge *m, struct session_file *f,
		       const struct import_options *import, struct cli_symbols *symbols)
{
	const struct import_options o = session_options_of(f, import);
	struct clock_sink c = {
	    .sink = {.begin = clock_sink_begin, .batch = clock_sink_batch, .end = clock_sink_end},
	    .to = merge_sink(m),
	    .axis = axis,
	    .clock = &f->clock,
	    .frames = survey_frames(&f->survey),
	    .shared = axis->n && session_frames_shared(&f->clock),
	    .frame = f->clock.lag};
	struct cli_loop loop = {.import = &o, .sink = &c.sink, .symbols = symbols};

	merge_part(m, f->name, true, 0);
	cli_inputs(&loop, 1, &f->path);
	if (c.captures > 1)
		cli_note(f->path,
			 "loss: captures behind the first, whose clocks are not known: %" PRIu64,
			 c.captures - 1);
	return loop.read;
}

/* Adds the session's notes behind those of its files. */
struct note_tap {
	struct sink_tap tap; /* first */
	const struct session *session;
};

static enum status note_tap_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	(void)e;
	session_note(((struct note_tap *)tap)->session, t);
	return ST_OK;
}

/* Of a frame that several files have, the session's own is the one that is written. */
enum status session_write(const struct session *s, const struct import_options *import,
			  struct cli_symbols *symbols, struct sink *to, struct err *e)
{
	static const struct tap_hooks hooks = {.end = note_tap_end};
	const struct merge_options o = {.align = MERGE_FRAMES, .spool = input_temporary_file};
	const struct session_axis axis = axis_of(s);
	struct note_tap notes = {.session = s};
	enum status st = ST_OK;
	struct merge *m;
	size_t read = 0;

	if (!s->n)
		return err_set(e, ST_BAD, "the folder has no files");
	if (s->reference == s->n)
		return err_set(e, ST_BAD, "no file has a clock");
	m = merge_new(&o);
	sink_tap_init(&notes.tap, to, &hooks, false);
	read += add_file(&axis, m, &s->files[s->reference], import, symbols);
	for (size_t i = 0; i < s->n; i++) {
		struct session_file *f = &s->files[i];

		if (i == s->reference || !f->capture)
			continue;
		if (f->clock.by)
			read += add_file(&axis, m, f, import, symbols);
		else
			cli_note(f->path, "is not in the trace: its clock is not known");
	}
	if (read)
		st = merge_write(m, &notes.tap.sink, e);
	merge_free(m);
	return st;
}

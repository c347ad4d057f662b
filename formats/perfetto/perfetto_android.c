/* SPDX-License-Identifier: MIT
 *
 * What system traces of Android have: the marks of atrace among the kernel's events (print), and the frame
 * timeline. Numbers and meanings of fields: google/perfetto, protos/perfetto/trace/ftrace and
 * protos/third_party/android/frameworks/native/tracing; the text of a mark: system/core, libcutils/trace-dev.inc
 * ("B|PID|NAME", "E|PID", "C|PID|NAME|VALUE", "S|PID|NAME|COOKIE", "F|PID|NAME|COOKIE", "G" and "H" with the name of a
 * track before that).
 *
 * The kernel's events come by processor: calls of a thread are put in order at the end.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { ATRACE_THREAD = 1, ATRACE_COUNTER, ATRACE_ASYNC, ATRACE_TIMELINE };

static uint64_t key_of(unsigned kind, uint64_t number, const char *s, size_t n)
{
	return hash_bytes_seeded(s, n, hash_u64((uint64_t)kind << 56 ^ number));
}

/* ---- marks of atrace ---- */

struct mark {
	char kind;
	uint32_t pid;
	const char *name; /* NULL: none */
	size_t n;
	const char *last; /* the value, or the cookie */
	size_t n_last;
};

static const char *bar_of(const char *s, size_t n)
{
	return n ? memchr(s, '|', n) : NULL;
}

/* False: it is no mark of atrace. */
static bool parse_mark(struct mark *m, const char *s, size_t n)
{
	const char *end, *bar;
	uint64_t pid = 0;

	while (n && (s[n - 1] == '\n' || s[n - 1] == '\0'))
		n--;
	end = s + n;
	if (!n || (n > 1 && s[1] != '|') || !strchr("BECSFGHIN", *s))
		return false;
	*m = (struct mark){.kind = *s};
	if (n < 3)
		return *s == 'E';
	s += 2;
	bar = bar_of(s, (size_t)(end - s));
	if (!num_dec(s, (size_t)((bar ? bar : end) - s), &pid) || pid > UINT32_MAX)
		return false;
	m->pid = (uint32_t)pid;
	if (!bar)
		return *(s - 2) == 'E';
	m->name = bar + 1;
	m->n = (size_t)(end - m->name);
	if (m->kind == 'G' || m->kind == 'H') { /* the track's name is the call's, too */
		bar = bar_of(m->name, m->n);
		if (!bar)
			return false;
		m->last = memrchr(m->name, '|', m->n);
		m->n = (size_t)(bar - m->name);
	} else if (m->kind == 'C' || m->kind == 'S' || m->kind == 'F') {
		m->last = memrchr(m->name, '|', m->n);
		if (!m->last)
			return false;
		m->n = (size_t)(m->last - m->name);
	}
	if (m->last)
		m->n_last = (size_t)(end - ++m->last);
	return true;
}

/* A track of ours, as its first mark makes it. */
static struct perfetto_track *atrace_track(struct perfetto *x, const struct mark *m, unsigned kind,
					   uint32_t tid, uint64_t *uuid)
{
	struct perfetto_track *t;

	*uuid =
	    kind == ATRACE_THREAD ? key_of(kind, tid, "", 0) : key_of(kind, m->pid, m->name, m->n);
	t = perfetto_track_of(x, *uuid);
	if (t->mixed)
		return t;
	t->mixed = true;
	t->is_counter = kind == ATRACE_COUNTER;
	t->pid = m->pid;
	t->has_pid = true;
	t->tid = tid;
	t->has_tid = kind == ATRACE_THREAD;
	t->name = kind == ATRACE_THREAD ? 0 : perfetto_name(x, m->name, m->n);
	return t;
}

static struct perfetto_call make_call(struct perfetto *x, const struct perfetto_track *track,
				      int64_t ts, int64_t end, const char *name, size_t n,
				      uint32_t category)
{
	struct trace *trace = x->im->t;
	struct perfetto_call c = {
	    .ts = ts, .end = end, .track = (uint32_t)(track - x->tracks.list), .ends = !name};
	struct marker m = {.category = category};

	if (name) {
		m.name = n ? trace_string(trace, name, n) : trace_strz(trace, "(no name)");
		c.marker = trace_marker(trace, &m);
	}
	return c;
}

static void keep_overlapping(struct perfetto *x, const struct perfetto_call *c)
{
	struct perfetto_android *a = &x->android;

	VEC_PUSH(a->overlapping, a->n_overlapping, a->cap_overlapping) = *c;
}

static void read_async(struct perfetto *x, const struct mark *m, const struct perfetto_track *track,
		       uint64_t uuid, int64_t ts)
{
	struct perfetto_android *a = &x->android;
	uint32_t *at = map64_put(&a->asyncs, key_of(ATRACE_ASYNC, uuid, m->last, m->n_last));
	bool begins = m->kind == 'S' || m->kind == 'G';
	struct perfetto_begin *b;
	struct perfetto_call c;

	if (!*at) {
		VEC_PUSH(a->begins, a->n_begins, a->cap_begins) = (struct perfetto_begin){0, false};
		*at = (uint32_t)a->n_begins;
	}
	b = &a->begins[*at - 1];
	if (begins) {
		a->unended += b->open;
		*b = (struct perfetto_begin){ts, true};
		return;
	}
	if (!b->open) {
		a->unmatched++;
		return;
	}
	c = make_call(x, track, b->ts, ts < b->ts ? b->ts : ts, m->name, m->n, 0);
	keep_overlapping(x, &c);
	b->open = false;
}

static enum status read_mark(struct perfetto *x, const struct mark *m, uint32_t tid,
			     struct perfetto_time at, struct err *e)
{
	bool scan = x->pass == PERFETTO_SCAN, thread = m->kind == 'B' || m->kind == 'E';
	unsigned kind = thread ? ATRACE_THREAD : m->kind == 'C' ? ATRACE_COUNTER : ATRACE_ASYNC;
	struct perfetto_tracks *t = &x->tracks;
	const struct perfetto_track *track;
	struct perfetto_call c;
	decimal value;
	uint64_t uuid;
	int64_t ns;

	if (m->kind == 'I' || m->kind == 'N') {
		x->android.instants += !scan;
		return ST_OK;
	}
	x->calls |= kind != ATRACE_COUNTER;
	x->counters |= kind == ATRACE_COUNTER;
	if (scan) {
		if (m->kind != 'E')
			atrace_track(x, m, kind, tid, &uuid);
		return ST_OK;
	}
	track = atrace_track(x, m, kind, tid, &uuid);
	if (kind == ATRACE_COUNTER) {
		if (decimal_parse(m->last, m->n_last, &value) > DECIMAL_ROUNDED)
			value = PERFETTO_NO_READING;
		return perfetto_push_value(x, NULL, uuid, value, at, e);
	}
	if (!perfetto_ns(x, at, &ns)) {
		t->no_time++;
		return ST_OK;
	}
	if (kind == ATRACE_ASYNC) {
		read_async(x, m, track, uuid, ns);
		return ST_OK;
	}
	c = make_call(x, track, ns, INT64_MAX, m->kind == 'B' ? m->name : NULL, m->n, 0);
	VEC_PUSH(t->calls, t->n_calls, t->cap_calls) = c;
	return ST_OK;
}

/* ---- the kernel's events ---- */

enum {
	EVENT_TIMESTAMP = 1,
	EVENT_PID,
	EVENT_PRINT,
	EVENT_SWITCH,
	EVENT_CPU_FREQUENCY = 11,
	EVENT_WAKEUP = 17,
	EVENT_WAKING = 20,
	EVENT_GPU_FREQUENCY = 332,
	EVENT_THERMAL = 341
};
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT,
	BUNDLE_LOST,
	BUNDLE_COMPACT,
	BUNDLE_CLOCK,
	BUNDLE_FTRACE_TIME,
	BUNDLE_BOOT_TIME
};

/* False: it is of a kind that is not read. */
static bool is_event_read(uint32_t number)
{
	return number == EVENT_PRINT || number == EVENT_SWITCH || number == EVENT_CPU_FREQUENCY ||
	       number == EVENT_WAKEUP || number == EVENT_WAKING || number == EVENT_GPU_FREQUENCY ||
	       number == EVENT_THERMAL;
}

enum status perfetto_atrace(struct perfetto *x, const char *s, size_t n, uint32_t tid,
			    struct perfetto_time at, struct err *e)
{
	struct mark m;

	if (parse_mark(&m, s, n)) {
		perfetto_thread_pid(x, tid, m.pid);
		return read_mark(x, &m, tid, at, e);
	}
	x->android.odd += x->pass == PERFETTO_SCAN;
	return ST_OK;
}

static enum status read_kind(struct perfetto *x, const struct pb_field *event, uint32_t tid,
			     struct perfetto_time at, struct err *e)
{
	struct pb b = pb_of(event);
	struct pb_field f;

	switch (event->number) {
	case EVENT_SWITCH: perfetto_event_switch(x, b, at); return ST_OK;
	case EVENT_WAKEUP:
	case EVENT_WAKING: perfetto_event_ready(x, b, at); return ST_OK;
	case EVENT_CPU_FREQUENCY:
	case EVENT_GPU_FREQUENCY:
		return perfetto_event_frequency(x, event->number == EVENT_GPU_FREQUENCY, b, at, e);
	case EVENT_THERMAL: return perfetto_event_thermal(x, b, at, e);
	}
	while (pb_next(&b, &f))
		if (f.number == 2 && f.wire == PB_BYTES)
			return perfetto_atrace(x, (const char *)f.s, f.n, tid, at, e);
	return ST_OK;
}

static enum status read_event(struct perfetto *x, struct pb b, int64_t to_boot, struct err *e)
{
	struct pb_field f, event = {0};
	uint64_t timestamp = 0;
	uint32_t tid = 0;
	bool other = false;

	while (pb_next(&b, &f))
		switch (f.number) {
		case EVENT_TIMESTAMP: timestamp = f.value; break;
		case EVENT_PID: tid = (uint32_t)f.value; break;
		default:
			if (f.wire == PB_BYTES && is_event_read(f.number))
				event = f;
			else
				other |= f.wire == PB_BYTES;
		}
	if (!event.number || b.bad || timestamp > INT64_MAX / 2) {
		x->android.others += other && x->pass == PERFETTO_SCAN;
		return ST_OK;
	}
	return read_kind(x, &event, tid,
			 perfetto_time_at(x, PERFETTO_BOOTTIME, (int64_t)timestamp + to_boot), e);
}

enum status perfetto_ftrace(struct perfetto *x, const struct perfetto_packet *p, struct err *e)
{
	struct pb b = pb_of(&p->data), again = b;
	int64_t ftrace = 0, boot = 0, to_boot = 0;
	uint64_t clock = 0;
	uint32_t cpu = 0;
	enum status st = ST_OK;
	struct pb_field f;

	while (pb_next(&again, &f))
		switch (f.number) {
		case BUNDLE_CPU: cpu = (uint32_t)f.value; break;
		case BUNDLE_LOST: x->sched.lost += f.value && x->pass == PERFETTO_SCAN; break;
		case BUNDLE_CLOCK: clock = f.value; break;
		case BUNDLE_FTRACE_TIME: ftrace = (int64_t)f.value; break;
		case BUNDLE_BOOT_TIME: boot = (int64_t)f.value; break;
		}
	/* Of another clock than that since boot, which is the one where none is named. */
	if (clock && boot && __builtin_sub_overflow(boot, ftrace, &to_boot))
		to_boot = 0;
	if (to_boot > INT64_MAX / 2 || to_boot < -(INT64_MAX / 2))
		to_boot = 0;
	while (!st && pb_next(&b, &f))
		if (f.number == BUNDLE_EVENT && f.wire == PB_BYTES)
			st = read_event(x, pb_of(&f), to_boot, e);
		else if (f.number == BUNDLE_COMPACT && f.wire == PB_BYTES)
			perfetto_compact_sched(x, pb_of(&f), cpu, to_boot);
	return st;
}

/* ---- the frame timeline ---- */

enum { FRAME_EXPECTED_DISPLAY = 1, FRAME_ACTUAL_DISPLAY, FRAME_EXPECTED, FRAME_ACTUAL, FRAME_END };
enum { JANK_NONE = 1 };

/* The words that Perfetto shows. */
static const char *const jank_words[] = {
    "None",
    "SurfaceFlinger Scheduling",
    "Prediction Error",
    "Display HAL",
    "SurfaceFlinger CPU Deadline Missed",
    "SurfaceFlinger GPU Deadline Missed",
    "App Deadline Missed",
    "Buffer Stuffing",
    "Unknown Jank",
    "SurfaceFlinger Stuffing",
    "Dropped Frame",
    "Non Animating",
    "App Resynced Jitter",
    "Display not ON",
    "ModeChange in progress",
    "PowerModeChange in progress",
};

static uint32_t jank_text(struct perfetto *x, uint32_t jank)
{
	x->text.len = 0;
	for (size_t i = 0; i < sizeof jank_words / sizeof *jank_words; i++)
		if (jank >> i & 1)
			buf_addf(&x->text, "%s%s", x->text.len ? ", " : "", jank_words[i]);
	return x->text.len ? trace_string(x->im->t, x->text.data, x->text.len) : 0;
}

static uint32_t surface_of(struct perfetto *x, uint32_t pid, const struct pb_field *layer)
{
	struct perfetto_android *a = &x->android;
	uint32_t *at = map64_put(&a->surface_ids,
				 key_of(ATRACE_TIMELINE, pid, (const char *)layer->s, layer->n));

	if (!*at) {
		struct perfetto_surface s = {.pid = pid};

		s.layer = layer->n ? perfetto_name(x, layer->s, layer->n) : 0;
		VEC_PUSH(a->surfaces, a->n_surfaces, a->cap_surfaces) = s;
		*at = (uint32_t)a->n_surfaces;
	}
	return *at - 1;
}

static void start_timeline(struct perfetto *x, unsigned kind, struct pb b, int64_t ns)
{
	struct perfetto_android *a = &x->android;
	bool display = kind == FRAME_EXPECTED_DISPLAY || kind == FRAME_ACTUAL_DISPLAY;
	struct perfetto_timeline_frame frame = {
	    .start = ns, .actual = kind == FRAME_ACTUAL || kind == FRAME_ACTUAL_DISPLAY};
	struct pb_field f, layer = {0};
	uint64_t cookie = 0;
	uint32_t pid = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			cookie = f.value;
		else if (f.number == 2)
			frame.token = (int64_t)f.value;
		else if (f.number == (display ? 3 : 4))
			pid = (uint32_t)f.value;
		else if (f.number == 5 && !display && f.wire == PB_BYTES)
			layer = f;
		else if (f.number == (display ? 7 : 9) && frame.actual)
			frame.jank = (uint32_t)f.value;
	frame.surface = surface_of(x, pid, &layer);
	VEC_PUSH(a->frames, a->n_frames, a->cap_frames) = frame;
	*map64_put(&a->cookies, cookie) = (uint32_t)a->n_frames;
}

static void end_timeline(struct perfetto *x, struct pb b, int64_t ns)
{
	struct perfetto_android *a = &x->android;
	struct perfetto_timeline_frame *frame;
	uint64_t cookie = 0;
	uint32_t at;
	struct pb_field f;

	while (pb_next(&b, &f))
		cookie = f.number == 1 ? f.value : cookie;
	at = map64_get(&a->cookies, cookie);
	frame = at ? &a->frames[at - 1] : NULL;
	if (!frame || frame->over) {
		a->unmatched++;
		return;
	}
	frame->end = ns < frame->start ? frame->start : ns;
	frame->over = true;
	a->surfaces[frame->surface].frames += frame->actual && a->surfaces[frame->surface].layer;
}

void perfetto_frame_timeline(struct perfetto *x, const struct perfetto_packet *p)
{
	struct pb b = pb_of(&p->data);
	struct perfetto_time at = p->time;
	struct pb_field f;
	int64_t ns;

	if (at.clock)
		at = perfetto_time_at(x, x->clocks.list[at.clock - 1].key, at.raw);
	x->calls = true;
	if (x->pass == PERFETTO_SCAN)
		return;
	if (!perfetto_ns(x, at, &ns)) {
		x->tracks.no_time++;
		return;
	}
	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number >= FRAME_EXPECTED_DISPLAY &&
		    f.number < FRAME_END)
			start_timeline(x, f.number, pb_of(&f), ns);
		else if (f.wire == PB_BYTES && f.number == FRAME_END)
			end_timeline(x, pb_of(&f), ns);
}

static int timeline_order(const void *pa, const void *pb)
{
	const struct perfetto_timeline_frame *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* What was meant, and what came: calls of two tracks of a surface. */
static void keep_timeline(struct perfetto *x, const struct perfetto_timeline_frame *frame)
{
	const struct perfetto_surface *s = &x->android.surfaces[frame->surface];
	static const char expected[] = "expected frame", actual[] = "actual frame";
	const char *word = frame->actual ? actual : expected;
	struct perfetto_call c;
	struct perfetto_track *t = perfetto_track_of(
	    x, key_of(ATRACE_TIMELINE, (uint64_t)frame->surface << 1 | frame->actual, "", 0));

	if (!t->mixed) {
		t->mixed = true;
		t->pid = s->pid;
		t->has_pid = true;
		x->text.len = 0;
		buf_addf(&x->text, "%ss %s", word,
			 s->layer ? intern_text(&x->names.strings, s->layer, NULL)
				  : "of the display");
		t->name = perfetto_name(x, x->text.data, x->text.len);
	}
	c = make_call(x, t, frame->start, frame->end, word, strlen(word),
		      jank_text(x, frame->jank));
	keep_overlapping(x, &c);
}

/* The frames of the surface that has most of them are those of the capture. */
static enum status push_frames(struct perfetto *x, struct err *e)
{
	struct perfetto_android *a = &x->android;
	uint32_t jank = emit_counter_id(x->im, "frame.jank", "");
	uint32_t work = emit_counter_id(x->im, "frame.time", "ns"), best = 0;
	enum status st = ST_OK;

	for (uint32_t i = 1; i < a->n_surfaces; i++)
		if (a->surfaces[i].frames > a->surfaces[best].frames)
			best = i;
	for (size_t i = 0; !st && i < a->n_frames; i++) {
		const struct perfetto_timeline_frame *f = &a->frames[i];

		if (f->over)
			keep_timeline(x, f);
		if (!f->over || !f->actual || f->surface != best || !a->surfaces[best].frames)
			continue;
		st = emit_frame(x->im, KNOWN(f->token), KNOWN(f->start), e);
		if (!st)
			st = emit_counter(x->im, work, KNOWN(f->start), f->end - f->start, e);
		if (!st)
			st = emit_counter(x->im, jank, KNOWN(f->start), f->jank > JANK_NONE, e);
	}
	if (a->surfaces[best].frames)
		trace_note(x->im->t, NOTE_GUESS, 0, "frames are those of the surface with most: %s",
			   intern_text(&x->names.strings, a->surfaces[best].layer, NULL));
	return st;
}

/* ---- calls that overlap ---- */

enum { LANES_MOST = 256 };

static int overlapping_order(const void *pa, const void *pb)
{
	const struct perfetto_call *a = pa, *b = pb;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}

/* The track of a lane, like that of the first. */
static uint32_t lane_track(struct perfetto *x, uint32_t track, unsigned lane)
{
	struct perfetto_track first = x->tracks.list[track], *t;

	if (!lane)
		return track;
	t = perfetto_track_of(x, hash_u64(first.uuid + lane));
	if (!t->mixed) {
		t->mixed = true;
		t->pid = first.pid;
		t->has_pid = first.has_pid;
		t->name = first.name;
	}
	return (uint32_t)(t - x->tracks.list);
}

/* Each to the first lane of its track that is free; where none is, it is cut as other calls are. */
static void split_lanes(struct perfetto *x)
{
	struct perfetto_android *a = &x->android;
	struct perfetto_tracks *t = &x->tracks;
	int64_t ends[LANES_MOST];
	unsigned lanes = 0, lane;

	sort_stable(a->overlapping, a->n_overlapping, sizeof *a->overlapping, overlapping_order);
	for (size_t i = 0; i < a->n_overlapping; i++) {
		struct perfetto_call c = a->overlapping[i];

		if (!i || c.track != a->overlapping[i - 1].track)
			lanes = 0;
		for (lane = 0; lane < lanes && ends[lane] > c.ts; lane++)
			;
		lane = lane < LANES_MOST ? lane : LANES_MOST - 1;
		lanes = lane == lanes ? lanes + 1 : lanes;
		ends[lane] = c.end;
		c.track = lane_track(x, c.track, lane);
		VEC_PUSH(t->calls, t->n_calls, t->cap_calls) = c;
	}
}

enum status perfetto_android_end(struct perfetto *x, struct err *e)
{
	struct perfetto_android *a = &x->android;
	enum status st = ST_OK;

	sort_stable(a->frames, a->n_frames, sizeof *a->frames, timeline_order);
	if (a->n_frames)
		st = push_frames(x, e);
	split_lanes(x);
	for (size_t i = 0; i < a->n_frames; i++)
		a->unended += !a->frames[i].over;
	for (size_t i = 0; i < a->n_begins; i++)
		a->unended += a->begins[i].open;

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, a->unmatched, "ends of asynchronous calls or frames have no begin"),
	    LOSS(NOTE_LOSS, a->unended, "asynchronous calls or frames have no end: left out"),
	    LOSS(NOTE_INFO, a->odd, "prints and events of the kernel's trace have another form"),
	    LOSS(NOTE_INFO, a->instants, "instants of atrace were left out"),
	    LOSS(NOTE_INFO, a->others, "other events of the kernel's trace were not read"),
	};

	TRACE_LOSSES(x->im->t, losses);
	return st;
}

void perfetto_android_release(struct perfetto_android *a)
{
	map64_release(&a->asyncs);
	map64_release(&a->cookies);
	map64_release(&a->surface_ids);
	free(a->begins);
	free(a->overlapping);
	free(a->frames);
	free(a->surfaces);
}

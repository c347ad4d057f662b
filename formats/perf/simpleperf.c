/* SPDX-License-Identifier: MIT
 *
 * Reports of Android's simpleperf as protocol buffers (simpleperf report-sample --protobuf, and the .trace files that
 * Android Studio's CPU profiler exports): "SIMPLEPERF", the version as 16 bits, and records, each behind its size of 32
 * bits, up to a size of 0. A record is a sample, a file with its functions, a thread, what was recorded, what was lost,
 * or a switch of threads.
 *
 * Files and threads stand behind the samples that need them, so the file is read twice. Addresses are those in their
 * files; callers are taken for return addresses, as of perf.data. Facts: AOSP's
 * system/extras/simpleperf/cmd_report_sample.proto, and the two reports in the tests of Firefox's profiler.
 */
#include "formats/emit.h"
#include "formats/perf/perf_events.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/input/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "SIMPLEPERF";

enum { VERSION = 1, STACK_MOST = 1 << 16 };
/* What a record holds. */
enum { RECORD_SAMPLE = 1, RECORD_LOST, RECORD_FILE, RECORD_THREAD, RECORD_META, RECORD_SWITCH };

struct simpleperf_thread {
	uint64_t tid, process;
	uint32_t name;
};

struct simpleperf {
	struct import *im;
	struct perf_events events;
	uint32_t *event_names; /* strings, by the number of an event's type */
	size_t n_events, cap_events;
	struct map64 files;   /* id -> module */
	struct map64 symbols; /* file id and number -> string */
	struct map64 threads; /* tid -> place in rows + 1 */
	struct simpleperf_thread *rows;
	size_t n_rows, cap_rows;
	bool timed, has_start, has_said;
	uint64_t start, said;
	uint32_t *line; /* of the stack that is read, innermost first */
	size_t n_line, cap_line;
	uint64_t samples, lost, deep, bad, unknown, switches, unwinds;
};

static uint32_t field_string(struct simpleperf *x, const struct pb_field *f)
{
	return f->n ? trace_string(x->im->t, (const char *)f->s, f->n) : 0;
}

static uint64_t symbol_key(uint64_t file, uint64_t number)
{
	return file << 32 | (uint32_t)number;
}

/* --- the first reading: what samples refer to --- */

static void read_file(struct simpleperf *x, struct pb b)
{
	struct pb again = b;
	uint64_t id = 0, n = 0;
	struct pb_field f;
	uint32_t name = 0;

	while (pb_next(&again, &f))
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2)
			name = field_string(x, &f);
	while (pb_next(&b, &f))
		if (f.number == 3)
			*map64_put(&x->symbols, symbol_key(id, n++)) = field_string(x, &f);
	x->bad += b.bad;
	*map64_put(&x->files, id) = trace_module(x->im->t, &(struct module){.name = name});
}

static void read_thread(struct simpleperf *x, struct pb b)
{
	struct simpleperf_thread th = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: th.tid = f.value; break;
		case 2: th.process = f.value; break;
		case 3: th.name = field_string(x, &f); break;
		default: break;
		}
	x->bad += b.bad;
	VEC_PUSH(x->rows, x->n_rows, x->cap_rows) = th;
	*map64_put(&x->threads, th.tid) = (uint32_t)x->n_rows;
}

static void read_meta(struct simpleperf *x, struct pb b)
{
	static const char *const keys[] = {[2] = "simpleperf.package",
					   [3] = "simpleperf.app_type",
					   [4] = "simpleperf.android_sdk",
					   [5] = "simpleperf.android_build"};
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1 && x->n_events < PERF_EVENTS_MOST) {
			x->timed |= perf_event_is_clock((const char *)f.s, f.n);
			VEC_PUSH(x->event_names, x->n_events, x->cap_events) = field_string(x, &f);
		} else if (f.number >= 2 && f.number <= 5 && f.n) {
			char *text = mem_strndup((const char *)f.s, f.n);

			trace_set(x->im->t, keys[f.number], text);
			free(text);
		}
	x->bad += b.bad;
}

static void read_lost(struct simpleperf *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1) {
			x->said = f.value;
			x->has_said = true;
		} else if (f.number == 2) {
			x->lost = f.value;
		}
	x->bad += b.bad;
}

static void see_time(struct simpleperf *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1 && (!x->has_start || f.value < x->start)) {
			x->start = f.value;
			x->has_start = true;
		}
}

static void read_reference(struct simpleperf *x, const struct pb_field *f)
{
	switch (f->number) {
	case RECORD_SAMPLE: see_time(x, pb_of(f)); break;
	case RECORD_LOST: read_lost(x, pb_of(f)); break;
	case RECORD_FILE: read_file(x, pb_of(f)); break;
	case RECORD_THREAD: read_thread(x, pb_of(f)); break;
	case RECORD_META: read_meta(x, pb_of(f)); break;
	case RECORD_SWITCH: x->switches++; break;
	default: break;
	}
}

/* --- the second reading: samples --- */

static void read_call(struct simpleperf *x, struct pb b)
{
	struct location at = {.space = SPACE_VADDR,
			      .kind = x->n_line ? LOCATION_RETURN : LOCATION_EXACT};
	uint64_t file = 0, symbol = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: at.raw = f.value; break;
		case 2: file = f.value; break;
		case 3: symbol = f.value; break;
		default: break;
		}
	x->bad += b.bad;
	at.module = map64_get(&x->files, file);
	x->unknown += !at.module;
	if ((int32_t)(uint32_t)symbol >= 0)
		at.name = map64_get(&x->symbols, symbol_key(file, symbol));
	if (!at.module)
		at.space = at.name ? SPACE_NAME : SPACE_UNKNOWN;
	if (x->n_line < STACK_MOST)
		VEC_PUSH(x->line, x->n_line, x->cap_line) = trace_location(x->im->t, &at);
	else
		x->deep++;
}

static uint32_t thread_of(struct simpleperf *x, uint64_t tid)
{
	uint32_t row = map64_get(&x->threads, tid);
	struct thread th = {.tid = tid};

	if (row) {
		th.process = (uint32_t)x->rows[row - 1].process;
		th.name = x->rows[row - 1].name;
	}
	return trace_thread(x->im->t, &th);
}

static enum status push_sample(struct simpleperf *x, struct pb b, struct err *e)
{
	uint64_t time = 0, tid = 0, count = 0, type = 0;
	struct emit_sample sample = {0};
	struct perf_event_kind *kind;
	struct trace *t = x->im->t;
	const char *name = "samples";
	bool has_time = false;
	struct pb_field f;

	x->n_line = 0;
	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: time = f.value, has_time = true; break;
		case 2: tid = f.value; break;
		case 3: read_call(x, pb_of(&f)); break;
		case 4: count = f.value; break;
		case 5: type = f.value; break;
		case 6: x->unwinds++; break;
		default: break;
		}
	x->bad += b.bad;
	if (type < x->n_events && x->event_names[type])
		name = trace_text(t, x->event_names[type]);
	kind = perf_event_kind(&x->events, t, name, strlen(name));
	if (!kind)
		return ST_OK;
	sample.stack = trace_stack_of(t, x->line, x->n_line);
	sample.thread = thread_of(x, tid);
	sample.time = KNOWN_IF(has_time && time - x->start <= INT64_MAX, time - x->start);
	perf_events_sample(&x->events, t, kind, count <= INT64_MAX ? count : 0, &sample);
	x->samples++;
	return emit_sample(x->im, &sample, e);
}

/* --- records --- */

/* The rest of the file from its begin on; push: samples, else what they refer to. */
static enum status read_records(struct simpleperf *x, bool push, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	enum status st = ST_OK;
	uint16_t version;
	uint32_t n;

	cursor_skip(c, sizeof magic - 1, "magic");
	version = cursor_u16(c);
	if (!cursor_failed(c) && version != VERSION)
		return err_set(e, ST_UNSUPPORTED, "simpleperf's report: version %u; %d is read",
			       version, VERSION);
	while (!st && (n = cursor_u32(c))) {
		const uint8_t *p = cursor_bytes(c, n, "record");
		struct pb_field f;
		struct pb b;

		if (!p)
			break;
		b = (struct pb){p, p + n, false};
		while (!st && pb_next(&b, &f))
			if (!push)
				read_reference(x, &f);
			else if (f.number == RECORD_SAMPLE)
				st = push_sample(x, pb_of(&f), e);
		x->bad += !push && b.bad; /* once */
	}
	return st ? st : cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status begin(struct simpleperf *x, struct err *e)
{
	struct trace *t = x->im->t;
	struct buf text = BUF_INIT;

	trace_set(t, "format", "simpleperf");
	if (x->has_start) {
		buf_addf(&text, "%" PRIu64, x->start);
		trace_set(t, "perf.start_ns", buf_str(&text));
	}
	buf_release(&text);
	if (x->timed)
		trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	return import_begin(x->im, e);
}

static void note_losses(struct simpleperf *x, bool whole)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->lost, "samples were lost by the kernel"),
	    LOSS_IF(NOTE_LOSS, whole && x->has_said && x->said != x->samples,
		    "the file states another number of samples than it has"),
	    LOSS(NOTE_LOSS, x->bad, "damaged messages"),
	    LOSS(NOTE_LOSS, x->unknown, "calls are in files that the report does not have"),
	    LOSS_WITH(NOTE_LOSS, x->deep, "calls above the limit of {} in a stack were left out",
		      STACK_MOST),
	    LOSS(NOTE_INFO, x->unwinds, "stacks end where simpleperf could not unwind them"),
	    LOSS(NOTE_INFO, x->switches, "switches of threads are left out"),
	};

	TRACE_LOSSES(x->im->t, losses);
	perf_events_note(&x->events, x->im->t);
}

static enum status simpleperf_read(struct import *im, struct err *e)
{
	struct simpleperf x = {.im = im};
	enum status st = read_records(&x, false, e);

	if (!st || (st == ST_BAD && x.has_start)) /* of a file that is cut, what comes before */
		st = input_rewind(im->in);
	if (!st) {
		st = begin(&x, e);
		if (!st)
			st = read_records(&x, true, e);
		if (im->begun) {
			struct err later = ERR_INIT;
			enum status last = perf_events_push(&x.events, im, st ? &later : e);

			note_losses(&x, !st);
			st = st ? st : last;
		}
	}
	map64_release(&x.files);
	map64_release(&x.symbols);
	map64_release(&x.threads);
	free(x.event_names);
	free(x.rows);
	free(x.line);
	return st;
}

static int simpleperf_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= sizeof magic - 1 && !memcmp(head, magic, sizeof magic - 1)
		   ? 8 * (sizeof magic - 1)
		   : 0;
}

const struct reader reader_simpleperf = {
    .name = "simpleperf",
    .family = "perf",
    .page = "perf",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES | CAPABILITY_COUNTERS,
    .what = "reports of simpleperf as protocol buffers, also Android Studio's .trace",
    .suffixes = "trace,proto",
    .rewinds = true,
    .cut = CUT_NEVER, /* names stand behind the samples */
    .bid = simpleperf_bid,
    .read = simpleperf_read,
};

/* SPDX-License-Identifier: MIT
 *
 * Enter and exit records of programs built with -finstrument-functions, as their hooks write them
 * with one fwrite each: tracemill-instrument(5) has the layout and a hook to copy. Records are of
 * one size, so what makes no sense in one does not reach the next.
 */
#include "formats/emit.h"
#include "formats/reader.h"

#include "lib/base/mem.h"

#include <stdlib.h>

static const char magic[8] = "tmcalls";

enum { HEADER = 32, RECORD = 32, VERSION = 1 };
enum { KIND_ENTER, KIND_EXIT, KIND_FRAME, KIND_LOST, KINDS };

struct calls {
	struct import *im;
	struct cursor *c;
	uint64_t rate, start; /* ticks per second; ticks at time 0 */
	bool has_start;
	unsigned pointer;     /* bytes */
	struct map64 stacks;  /* address -> stack id */
	struct map64 threads; /* tid + 1 -> thread id */
	uint32_t process;
	uint64_t unknown, damaged, lost, early;
};

static int instrument_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= sizeof magic && !memcmp(head, magic, sizeof magic) ? 64 : 0;
}

static enum status instrument_read_header(struct calls *x, struct err *e)
{
	uint16_t version;

	cursor_skip(x->c, sizeof magic, "header");
	version = cursor_u16(x->c);
	x->pointer = cursor_u8(x->c);
	cursor_u8(x->c);
	x->process = cursor_u32(x->c);
	x->rate = cursor_u64(x->c);
	x->start = cursor_u64(x->c);
	x->has_start = x->start;
	if (cursor_failed(x->c))
		return err_failure(e);
	if (version == VERSION << 8)
		return err_set(e, ST_UNSUPPORTED,
			       "files of big-endian programs are not "
			       "supported");
	if (version != VERSION)
		return err_set(e, ST_UNSUPPORTED,
			       "unknown version %u: tracemill reads "
			       "version %d",
			       version, VERSION);
	if (x->pointer != 4 && x->pointer != 8)
		return err_set(e, ST_BAD,
			       "impossible pointer size: %u bytes (4 or 8 are "
			       "possible)",
			       x->pointer);
	if (!x->rate)
		return err_set(e, ST_BAD, "impossible clock rate: 0 ticks per second");
	return ST_OK;
}

static enum status begin(struct calls *x, struct err *e)
{
	struct trace *t = x->im->t;

	trace_set(t, "format", "instrument");
	trace_set(t, "instrument.version", "1");
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	return import_begin(x->im, e);
}

/* Of a function's first byte. */
static uint32_t stack_of(struct calls *x, uint64_t function)
{
	uint32_t *place = map64_put(&x->stacks, function);
	struct location l = {.raw = function, .space = SPACE_RUNTIME, .kind = LOCATION_ENTRY};

	if (!*place)
		*place = trace_stack(x->im->t, 0, trace_location(x->im->t, &l));
	return *place;
}

static uint32_t thread_of(struct calls *x, uint32_t tid)
{
	uint32_t *place = map64_put(&x->threads, (uint64_t)tid + 1);

	if (!*place)
		*place = trace_thread(x->im->t, &(struct thread){.tid = tid});
	return *place;
}

static int64_t time_of(struct calls *x, uint64_t ticks)
{
	__extension__ typedef __int128 wide;
	wide ns;

	if (!x->has_start) {
		x->has_start = true;
		x->start = ticks;
	}
	x->early += ticks < x->start;
	ns = ((wide)ticks - (wide)x->start) * 1000000000 / (wide)x->rate;
	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static enum status instrument_read_record(struct calls *x, struct err *e)
{
	uint64_t function = cursor_u64(x->c), site = cursor_u64(x->c), ticks = cursor_u64(x->c);
	uint32_t tid = cursor_u32(x->c), tail = cursor_u32(x->c);
	unsigned kind = tail & 0xff;
	struct emit_call call;
	struct known_number time;

	if (tail >> 8 || (x->pointer == 4 && (kind == KIND_ENTER || kind == KIND_EXIT) &&
			  (function > UINT32_MAX || site > UINT32_MAX))) {
		x->damaged++;
		return ST_OK;
	}
	if (kind >= KINDS) {
		x->unknown++;
		return ST_OK;
	}
	if (kind == KIND_LOST) {
		x->lost = function > UINT64_MAX - x->lost ? UINT64_MAX : x->lost + function;
		return ST_OK;
	}
	time = KNOWN(time_of(x, ticks));
	if (kind == KIND_FRAME)
		return emit_frame(x->im, KNOWN(function), time, e);
	call = (struct emit_call){
	    .time = time, .stack = stack_of(x, function), .thread = thread_of(x, tid)};
	return kind == KIND_ENTER ? emit_enter(x->im, &call, e) : emit_exit(x->im, &call, e);
}

static void end(struct calls *x)
{
	struct trace *t = x->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->lost, "records were lost during the recording"),
	    LOSS(NOTE_LOSS, x->damaged, "unreadable records were left out"),
	    LOSS(NOTE_LOSS, x->unknown, "records have an unknown kind: left out"),
	    LOSS(NOTE_INFO, x->early, "records have a time before the start of the clock"),
	};

	TRACE_LOSSES(t, losses);
	map64_release(&x->stacks);
	map64_release(&x->threads);
	*x = (struct calls){.im = x->im, .c = x->c};
}

static bool at_header(struct cursor *c)
{
	return cursor_available(c, sizeof magic) >= sizeof magic &&
	       !memcmp(c->pos, magic, sizeof magic);
}

static enum status instrument_read_calls(struct import *im, struct err *e)
{
	struct calls x = {.im = im, .c = &im->in->cur};
	enum status st;

	do {
		st = instrument_read_header(&x, e);
		if (!st && im->begun)
			st = import_next(im, e);
		if (!st)
			st = begin(&x, e);
		while (!st && !cursor_done(x.c) && !at_header(x.c)) {
			size_t left = cursor_available(x.c, RECORD);

			if (left < RECORD)
				st = err_at(e, ST_BAD, cursor_offset(x.c),
					    "a record needs %d bytes, %zu are left", RECORD, left);
			else
				st = instrument_read_record(&x, e);
		}
		if (!st && cursor_failed(x.c))
			st = err_failure(e);
		end(&x);
	} while (!st && !cursor_done(x.c));
	return st;
}

const struct reader reader_instrument = {
    .name = "instrument",
    .family = "Instrumented code",
    .page = "instrument",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_FRAMES |
		    CAPABILITY_ADDRESSES,
    .what = "enter and exit records of -finstrument-functions",
    .suffixes = "tmcalls",
    .bid = instrument_bid,
    .read = instrument_read_calls,
};

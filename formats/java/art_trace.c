/* SPDX-License-Identifier: MIT
 *
 * Method traces of Android's runtime (ART): Debug.startMethodTracing, am profile, Android Studio. Little-endian.
 *
 *	*version\n3\nclock=dual\n...       text: the summary; "*threads", TID \t NAME; "*methods", 0xID \t CLASS \t NAME
 *	*threads\n21\tmain\n*methods\n..   \t SIGNATURE \t FILE; "*end"; then, as binary:
 *	*end\n
 *	"SLOW", version, size of this header (2 bytes each), start (8 bytes, us); from version 3 on the size of a record (2)
 *	records: thread (version 1: 1 byte, else 2), method with what happened in its last 2 bits (4), us (4), us of the other clock
 *
 * With a clock of both kinds, the first time is that of the processor. A streamed trace begins with "SLOW", and has 0xf0 in
 * its version; methods, threads and the summary come between records, behind a thread of 0 and a byte that says which.
 * From art/runtime/trace.cc of AOSP, and files of Firefox Profiler's tests.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, HEADER_LEAST = 16, RECORD_MOST = 64 };
enum { ACTION_ENTER, ACTION_EXIT, ACTION_UNWIND, ACTION_NONE };
enum { SPECIAL_METHOD = 1, SPECIAL_THREAD, SPECIAL_SUMMARY };
enum { STREAMED = 0xf0 };

struct art {
	struct import *im;
	struct cursor *c;
	unsigned version, record; /* record: its size */
	struct map64 methods;     /* id -> stack */
	struct map64 threads;     /* tid -> name + 1 */
	uint64_t odd, nameless, records, stated;
	bool has_stated, overflow, begun;
};

/* The fields of a line, between tabs. */
static size_t split(const char *s, size_t n, const char **f, size_t *len, size_t most)
{
	size_t count = 0;

	while (count < most) {
		const char *tab = memchr(s, '\t', n);

		f[count] = s;
		len[count++] = tab ? (size_t)(tab - s) : n;
		if (!tab)
			break;
		n -= (size_t)(tab + 1 - s);
		s = tab + 1;
	}
	return count;
}

/* "0x3f4 \t android.view.Window \t adjust \t (I)V \t Window.java" */
static void read_method(struct art *a, const char *s, size_t n)
{
	enum { ID, CLASS, NAME, SIGNATURE, PATH, FIELDS };
	const char *f[FIELDS];
	size_t len[FIELDS], count;
	struct trace *t = a->im->t;
	struct buf name = {0};
	uint64_t id;
	uint32_t location;

	if (n && s[n - 1] == '\n')
		n--;
	count = split(s, n, f, len, FIELDS);
	if (count <= NAME || !num_auto(f[ID], len[ID], &id)) {
		a->odd++;
		return;
	}
	buf_add(&name, f[CLASS], len[CLASS]);
	buf_add(&name, ".", 1);
	buf_add(&name, f[NAME], len[NAME]);
	location =
	    emit_named(t, trace_string(t, name.data, name.len),
		       count > PATH && len[PATH] ? trace_string(t, f[PATH], len[PATH]) : 0, 0);
	buf_release(&name);
	*map64_put(&a->methods, id) = trace_stack(t, 0, location);
}

static void read_thread(struct art *a, uint64_t tid, const char *s, size_t n)
{
	*map64_put(&a->threads, tid) = trace_string(a->im->t, s, n);
}

static void read_summary_line(struct art *a, const char *s, size_t n)
{
	static const char calls[] = "num-method-calls=";
	size_t len = sizeof calls - 1;

	if (text_begins(s, n, calls))
		a->has_stated = num_dec(s + len, n - len, &a->stated);
	a->overflow |= text_is(s, n, "data-file-overflow=true");
	if (!a->begun && text_begins(s, n, "clock="))
		trace_set(a->im->t, "art.clock",
			  text_is(s + 6, n - 6, "dual")   ? "wall, and the processor's"
			  : text_is(s + 6, n - 6, "wall") ? "wall"
							  : "the processor's, of each thread");
}

static enum status art_text(struct art *a, struct err *e)
{
	enum { SUMMARY, THREADS, METHODS } part = SUMMARY;
	const char *s;
	size_t n;

	while ((s = cursor_line(a->c, &n, LINE_MOST))) {
		const char *f[2];
		size_t len[2];
		uint64_t tid;

		if (text_is(s, n, "*end"))
			return ST_OK;
		if (text_is(s, n, "*threads"))
			part = THREADS;
		else if (text_is(s, n, "*methods"))
			part = METHODS;
		else if (part == METHODS)
			read_method(a, s, n);
		else if (part == SUMMARY)
			read_summary_line(a, s, n);
		else if (split(s, n, f, len, 2) == 2 && num_dec(f[0], len[0], &tid))
			read_thread(a, tid, f[1], len[1]);
		else
			a->odd++;
	}
	return cursor_failed(a->c)
		   ? err_failure(e)
		   : err_at(e, ST_BAD, cursor_offset(a->c), "the file ends before its records");
}

static enum status art_header(struct art *a, bool *streamed, struct err *e)
{
	const uint8_t *magic = cursor_bytes(a->c, 4, "header");
	unsigned version, size, read = HEADER_LEAST;

	if (!magic || memcmp(magic, "SLOW", 4) != 0)
		return cursor_failed(a->c) ? err_failure(e)
					   : cursor_fail(a->c, ST_BAD, "no header of records");
	version = cursor_u16(a->c);
	size = cursor_u16(a->c);
	cursor_u64(a->c); /* us since the device started */
	*streamed = version & STREAMED;
	a->version = version & ~(unsigned)STREAMED;
	a->record = a->version == 1 ? 9 : 10;
	if (a->version == 3) {
		a->record = cursor_u16(a->c);
		read += 2;
	}
	if (cursor_failed(a->c))
		return err_failure(e);
	if (!a->version || a->version > 3)
		return cursor_fail(a->c, ST_UNSUPPORTED, "version %u: 1 to 3 are known",
				   a->version);
	if (size < read || a->record < (a->version == 1 ? 9 : 10) || a->record > RECORD_MOST)
		return cursor_fail(a->c, ST_BAD, "impossible header: %u bytes, records of %u", size,
				   a->record);
	cursor_skip(a->c, size - read, "header");
	return cursor_failed(a->c) ? err_failure(e) : ST_OK;
}

static enum status push_record(struct art *a, unsigned tid, struct err *e)
{
	uint32_t word = cursor_u32(a->c), us = cursor_u32(a->c);
	unsigned used = (a->version == 1 ? 1 : 2) + 8, action = word & 3;
	struct thread th = {.tid = tid, .name = map64_get(&a->threads, tid)};
	struct emit_call call = {.stack = map64_get(&a->methods, word & ~3U)};

	if (a->record >= used + 4) { /* the first one was the processor's */
		us = cursor_u32(a->c);
		used += 4;
	}
	if (a->record > used)
		cursor_skip(a->c, a->record - used, "record");
	if (cursor_failed(a->c))
		return err_failure(e);
	a->records++;
	if (action == ACTION_NONE) {
		a->odd++;
		return ST_OK;
	}
	a->nameless += !call.stack;
	if (!call.stack)
		call.stack = trace_stack(a->im->t, 0, emit_named(a->im->t, 0, 0, 0));
	call.thread = trace_thread(a->im->t, &th);
	call.time = KNOWN((uint64_t)us * 1000);
	return action == ACTION_ENTER ? emit_enter(a->im, &call, e) : emit_exit(a->im, &call, e);
}

static enum status art_special(struct art *a, bool *end, struct err *e)
{
	unsigned code = cursor_u8(a->c), tid, n;
	const char *s;

	if (code == SPECIAL_METHOD) {
		n = cursor_u16(a->c);
		s = (const char *)cursor_bytes(a->c, n, "method");
		if (s)
			read_method(a, s, n);
	} else if (code == SPECIAL_THREAD) {
		tid = cursor_u16(a->c);
		n = cursor_u16(a->c);
		s = (const char *)cursor_bytes(a->c, n, "thread");
		if (s)
			read_thread(a, tid, s, n);
	} else if (code == SPECIAL_SUMMARY) {
		size_t len;

		cursor_u32(a->c); /* its size: it is the last of the file */
		while ((s = cursor_line(a->c, &len, LINE_MOST)))
			read_summary_line(a, s, len);
		*end = true;
	} else if (!cursor_failed(a->c)) {
		return cursor_fail(a->c, ST_BAD, "unknown record: %u", code);
	}
	return cursor_failed(a->c) ? err_failure(e) : ST_OK;
}

static enum status art_records(struct art *a, bool streamed, struct err *e)
{
	enum status st = ST_OK;
	bool end = false;

	while (!st && !end && !cursor_done(a->c)) {
		unsigned tid = a->version == 1 ? cursor_u8(a->c) : cursor_u16(a->c);

		if (cursor_failed(a->c))
			st = err_failure(e);
		else if (streamed && !tid)
			st = art_special(a, &end, e);
		else
			st = push_record(a, tid, e);
	}
	return st;
}

static enum status art_trace_read(struct import *im, struct err *e)
{
	struct art a = {.im = im, .c = &im->in->cur};
	const uint8_t *head;
	size_t n;
	bool streamed = false;
	enum status st = input_head(im->in, &head, &n);

	if (st)
		return err_failure(e);
	if (n && *head == '*')
		st = art_text(&a, e);
	if (!st)
		st = art_header(&a, &streamed, e);
	if (!st) {
		a.begun = true;
		trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		st = import_begin(im, e);
	}
	if (!st)
		st = art_records(&a, streamed, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, a.odd, "records, or lines of methods and threads, are impossible"),
	    LOSS(NOTE_LOSS, a.nameless, "calls are of methods that the file does not name"),
	    LOSS_IF(NOTE_LOSS, a.overflow,
		    "the buffer of the trace was full: what came later is missing"),
	    LOSS_IF(NOTE_LOSS, !st && a.has_stated && a.stated != a.records,
		    "the file states another number of calls than it has"),
	};

	if (a.begun)
		TRACE_LOSSES(im->t, losses);
	map64_release(&a.methods);
	map64_release(&a.threads);
	return st;
}

static int art_trace_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	if (n >= 11 && !memcmp(head, "*version\n", 9) && head[9] >= '1' && head[9] <= '3' &&
	    (head[10] == '\n' || head[10] == '\r'))
		return 80;
	return n >= HEADER_LEAST && !memcmp(head, "SLOW", 4) && (head[4] & STREAMED) == STREAMED &&
		       !head[5]
		   ? 48
		   : 0;
}

const struct reader reader_art_trace = {
    .name = "art-trace",
    .family = "Java and Android",
    .page = "java",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS,
    .what = "method traces of Android's runtime (ART), also streamed ones",
    .suffixes = "trace",
    .cut = CUT_ANYWHERE,
    .bid = art_trace_bid,
    .read = art_trace_read,
};

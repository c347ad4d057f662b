/* SPDX-License-Identifier: MIT
 *
 * Tombstones of Android as protocol buffers (tombstone_NN.pb, Android 12 on; what getTraceInputStream() of
 * ApplicationExitInfo gives): a sample for each thread, that of the crash first, as the text of the same tombstone has
 * them (crash_log.c). Addresses are those of the calls themselves, in their files. Facts: AOSP's
 * system/core/debuggerd/proto/tombstone.proto, and three tombstones of phones and an emulator that tests of
 * mvt-project/mvt, bugsnag-android and sentry-java have.
 */
#include "formats/emit.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/input/protobuf.h"
#include "lib/input/stack_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_MOST = 1 << 16, THREADS_MOST = 1 << 16, ID_MOST = 64 };

/* Of the message Tombstone. */
enum tombstone_field {
	TOMBSTONE_ARCH = 1,
	TOMBSTONE_FINGERPRINT = 2,
	TOMBSTONE_TIMESTAMP = 4,
	TOMBSTONE_PID = 5,
	TOMBSTONE_TID = 6,
	TOMBSTONE_COMMAND = 9,
	TOMBSTONE_SIGNAL = 10,
	TOMBSTONE_ABORT = 14,
	TOMBSTONE_CAUSE = 15,
	TOMBSTONE_THREAD = 16,
	TOMBSTONE_LOG = 18,
	TOMBSTONE_GUEST_THREAD = 25,
};

struct tombstone_thread {
	uint64_t tid;
	uint32_t name, stack;
};

struct tombstone {
	struct import *im;
	uint64_t pid, tid; /* tid: the one that crashed */
	struct buf signal;
	struct map64 modules; /* hash of name, build-id and offset -> module */
	struct tombstone_thread *threads;
	size_t n, cap;
	uint32_t *line; /* of the stack that is read, innermost first */
	size_t n_line, cap_line;
	uint64_t deep, excess, bad, logs, guests;
};

static uint32_t field_string(const struct tombstone *x, const struct pb_field *f)
{
	return f->n ? trace_string(x->im->t, (const char *)f->s, f->n) : 0;
}

/* --- calls --- */

struct tombstone_call {
	uint64_t offset, address, map_offset;
	struct pb_field name, file, build_id;
};

static uint32_t call_module(struct tombstone *x, const struct tombstone_call *c)
{
	uint64_t key = hash_bytes_seeded(c->file.s, c->file.n,
					 hash_bytes(c->build_id.s, c->build_id.n) + c->map_offset);
	const uint8_t *inner = memrchr(c->file.s, '!', c->file.n);
	uint32_t *id = map64_put(&x->modules, key);
	struct buf name = BUF_INIT;
	uint8_t bytes[ID_MOST];
	struct module m = {0};
	size_t n;

	if (*id)
		return *id;
	if (inner) /* base.apk!libgame.so */
		buf_add(&name, (const char *)inner + 1,
			(size_t)(c->file.s + c->file.n - inner) - 1);
	else
		buf_add(&name, (const char *)c->file.s, c->file.n);
	if (c->map_offset && !inner)
		buf_addf(&name, " (offset 0x%" PRIx64 ")", c->map_offset);
	n = stack_line_build_id(
	    &(struct stack_line){.build_id = {(const char *)c->build_id.s, c->build_id.n}}, bytes,
	    sizeof bytes);
	m.name = trace_string(x->im->t, name.data, name.len);
	m.build_id = n ? trace_string(x->im->t, (const char *)bytes, n) : 0;
	*id = trace_module(x->im->t, &m);
	buf_release(&name);
	return *id;
}

static void read_call(struct tombstone *x, struct pb b)
{
	struct tombstone_call c = {0};
	struct location at = {.space = SPACE_VADDR, .kind = LOCATION_EXACT};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: c.offset = f.value; break;
		case 2: c.address = f.value; break;
		case 4: c.name = f; break;
		case 6: c.file = f; break;
		case 7: c.map_offset = f.value; break;
		case 8: c.build_id = f; break;
		default: break;
		}
	x->bad += b.bad;
	at.raw = c.offset;
	at.name = field_string(x, &c.name);
	if (c.file.n) {
		at.module = call_module(x, &c);
	} else {
		at.raw = c.address;
		at.space = c.address ? SPACE_RUNTIME : SPACE_UNKNOWN;
	}
	if (x->n_line < STACK_MOST)
		VEC_PUSH(x->line, x->n_line, x->cap_line) = trace_location(x->im->t, &at);
	else
		x->deep++;
}

/* --- the message --- */

static void read_thread(struct tombstone *x, struct pb b)
{
	struct tombstone_thread th = {0};
	struct pb_field f;

	x->n_line = 0;
	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: th.tid = f.value; break;
		case 2: th.name = field_string(x, &f); break;
		case 4: read_call(x, pb_of(&f)); break;
		default: break;
		}
	x->bad += b.bad;
	th.stack = trace_stack_of(x->im->t, x->line, x->n_line);
	if (x->n < THREADS_MOST)
		VEC_PUSH(x->threads, x->n, x->cap) = th;
	else
		x->excess++;
}

/* As the text has it: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr ...". */
static void read_signal(struct tombstone *x, struct pb b)
{
	struct pb_field f, name = {0}, code_name = {0};
	uint64_t number = 0, code = 0, has_address = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: number = f.value; break;
		case 2: name = f; break;
		case 3: code = f.value; break;
		case 4: code_name = f; break;
		case 8: has_address = f.value; break;
		default: break;
		}
	x->bad += b.bad;
	x->signal.len = 0;
	buf_addf(&x->signal, "signal %d (", (int)(uint32_t)number);
	buf_add(&x->signal, (const char *)name.s, name.n);
	buf_addf(&x->signal, "), code %d (", (int)(uint32_t)code);
	buf_add(&x->signal, (const char *)code_name.s, code_name.n);
	buf_addf(&x->signal, "), fault addr %s", has_address ? "..." : "--------");
}

static void set_attribute(struct tombstone *x, const char *key, const struct pb_field *f)
{
	char *text;

	if (!f->n)
		return;
	text = mem_strndup((const char *)f->s, f->n);
	trace_set(x->im->t, key, text);
	free(text);
}

/* A map's entry: the number, which the thread has too, and the thread. */
static void read_entry(struct tombstone *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 2)
			read_thread(x, pb_of(&f));
	x->bad += b.bad;
}

static void read_cause(struct tombstone *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1)
			set_attribute(x, "tombstone.cause", &f);
	x->bad += b.bad;
}

static void count_logs(struct tombstone *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		x->logs += f.number == 2;
	x->bad += b.bad;
}

static void read_field(struct tombstone *x, const struct pb_field *f)
{
	switch (f->number) {
	case TOMBSTONE_FINGERPRINT: set_attribute(x, "tombstone.fingerprint", f); break;
	case TOMBSTONE_TIMESTAMP: set_attribute(x, "tombstone.timestamp", f); break;
	case TOMBSTONE_PID: x->pid = f->value; break;
	case TOMBSTONE_TID: x->tid = f->value; break;
	case TOMBSTONE_COMMAND: set_attribute(x, "tombstone.command", f); break;
	case TOMBSTONE_SIGNAL: read_signal(x, pb_of(f)); break;
	case TOMBSTONE_ABORT: set_attribute(x, "tombstone.abort-message", f); break;
	case TOMBSTONE_CAUSE: read_cause(x, pb_of(f)); break;
	case TOMBSTONE_THREAD: read_entry(x, pb_of(f)); break;
	case TOMBSTONE_GUEST_THREAD: x->guests++; break;
	case TOMBSTONE_LOG: count_logs(x, pb_of(f)); break;
	default: break;
	}
}

static enum status push_thread(struct tombstone *x, const struct tombstone_thread *th,
			       const char *marker, struct err *e)
{
	struct trace *t = x->im->t;
	struct emit_sample sample = {.stack = th->stack, .calls = KNOWN(1)};

	sample.thread = trace_thread(
	    t, &(struct thread){.tid = th->tid, .process = (uint32_t)x->pid, .name = th->name});
	sample.marker = trace_marker(t, &(struct marker){trace_strz(t, marker), 0});
	return emit_sample(x->im, &sample, e);
}

static enum status push_threads(struct tombstone *x, struct err *e)
{
	enum status st;

	trace_set(x->im->t, "format", "tombstone");
	st = import_begin(x->im, e);
	for (size_t i = 0; i < x->n && !st; i++)
		if (x->threads[i].tid == x->tid)
			st = push_thread(x, &x->threads[i],
					 x->signal.len ? buf_str(&x->signal) : "crash", e);
	for (size_t i = 0; i < x->n && !st; i++)
		if (x->threads[i].tid != x->tid)
			st = push_thread(x, &x->threads[i], "other thread", e);
	return st;
}

static enum status tombstone_read(struct import *im, struct err *e)
{
	struct tombstone x = {.im = im};
	enum status st, read;
	struct err later = ERR_INIT;
	struct pb_field f;

	while (!(read = pb_next_of(&im->in->cur, &f, "tombstone")))
		read_field(&x, &f);
	if (read != ST_NONE)
		later = *e;
	if (!x.n)
		st = read == ST_NONE ? err_set(e, ST_BAD, "a tombstone without threads") : read;
	else
		st = push_threads(&x, e);
	if (!st && read != ST_NONE) {
		*e = later;
		st = read;
	}

	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, x.deep, "calls above the limit of {} in a stack were left out",
		      STACK_MOST),
	    LOSS_WITH(NOTE_LOSS, x.excess, "threads above the limit of {} were left out",
		      THREADS_MOST),
	    LOSS(NOTE_LOSS, x.bad, "damaged messages"),
	    LOSS(NOTE_INFO, x.guests, "threads of an emulated processor are left out"),
	    LOSS(NOTE_INFO, x.logs, "lines of the device's log are left out"),
	};

	if (im->begun)
		TRACE_LOSSES(im->t, losses);
	map64_release(&x.modules);
	buf_release(&x.signal);
	free(x.threads);
	free(x.line);
	return st;
}

/* "google/bluejay/bluejay:16/BP3A.250905.014/13873947:user/release-keys" */
static bool is_fingerprint(const struct pb_field *f)
{
	size_t slashes = 0, colons = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->s[i] < ' ' || f->s[i] > '~')
			return false;
		slashes += f->s[i] == '/';
		colons += f->s[i] == ':';
	}
	return slashes == 5 && colons == 2;
}

/* The first fields in their order: those that are not 0 or empty are there, of the right kind. */
static int tombstone_bid(const uint8_t *head, size_t n, bool whole)
{
	struct pb b = {head, head + n, false};
	uint32_t last = 0;
	unsigned found = 0;
	struct pb_field f;

	(void)whole;
	while (pb_next(&b, &f) && f.number <= TOMBSTONE_COMMAND) {
		bool text = f.number != TOMBSTONE_ARCH && (f.number < 5 || f.number > 7);

		if (f.number < last || f.wire != (text ? PB_BYTES : PB_VARINT) ||
		    (f.number == TOMBSTONE_ARCH && f.value > 5) ||
		    (f.number == TOMBSTONE_FINGERPRINT && !is_fingerprint(&f)) ||
		    (!text && f.value > UINT32_MAX))
			return 0;
		last = f.number;
		found |= 1u << f.number;
	}
	return found >> TOMBSTONE_FINGERPRINT & 1 && found >> TOMBSTONE_PID & 1 &&
		       found >> TOMBSTONE_TID & 1
		   ? 120
		   : 0;
}

const struct reader reader_tombstone = {
    .name = "tombstone",
    .family = "Logs",
    .page = "crash",
    .capabilities =
	CAPABILITY_STACKS | CAPABILITY_THREADS | CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "tombstones of Android as protocol buffers (.pb): threads of a crash",
    .suffixes = "pb",
    .cut = CUT_NEVER, /* the thread that crashed, which may stand last, comes first */
    .bid = tombstone_bid,
    .read = tombstone_read,
};

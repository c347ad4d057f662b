/* SPDX-License-Identifier: MIT
 *
 * Data directories of `uftrace record`: enter and exit of the functions of each thread. The
 * operand is the directory or the file info in it. What the other files are: uftrace.h.
 *
 * A record is 16 bytes, little-endian: u64 ns of the monotonic clock; then from bit 0 on type (2
 * bits: enter, exit, lost, event), whether arguments follow (1), the number 5 (3), depth (10),
 * address (48). Arguments have no length of their own: behind them, and behind damage, the next
 * record is searched for in steps of 8 bytes.
 */
#include "formats/instrument/uftrace_switches.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char magic[8] = "Ftrace!";

enum { HEADER = 40, VERSION = 4, RECORD = 16, SIGNATURE = 5 };
enum { KIND_ENTER, KIND_EXIT, KIND_LOST, KIND_EVENT };
enum { FEATURE_KERNEL = 1 << 2 };
static const uint64_t day = (uint64_t)86400 * 1000000000;

struct records {
	struct uftrace u;
	struct uftrace_switches switches;
	uint64_t start;      /* ns of the first record of all threads */
	struct map64 stacks; /* address and epoch -> stack id */
	uint64_t missing, lost, events, arguments, skipped, cut;
};

static int uftrace_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= sizeof magic && !memcmp(head, magic, sizeof magic) ? 64 : 0;
}

static enum status uftrace_read_header(struct records *x, struct err *e)
{
	struct cursor *c = &x->u.im->in->cur;
	uint8_t endian, class;
	uint32_t version;

	cursor_skip(c, sizeof magic, "header");
	version = cursor_u32(c);
	cursor_u16(c);
	endian = cursor_u8(c);
	class = cursor_u8(c);
	x->u.features = cursor_u64(c);
	if (cursor_failed(c))
		return err_failure(e);
	if (endian != 1 || class != 2)
		return err_set(e, ST_UNSUPPORTED,
			       "data of 32-bit or big-endian machines is "
			       "not supported");
	if (version != VERSION)
		return err_set(e, ST_UNSUPPORTED,
			       "unknown version %" PRIu32 ": tracemill "
			       "reads version %d",
			       version, VERSION);
	return ST_OK;
}

static enum status find_folder(struct records *x, struct err *e)
{
	const struct import *im = x->u.im;
	const char *slash = strrchr(im->in->name, '/');

	if (!im->in->source || !strcmp(im->in->name, "<stdin>"))
		return err_set(e, ST_UNSUPPORTED,
			       "the other files of the directory are missing: give the "
			       "directory, not a pipe");
	if (im->in->member)
		return err_set(e, ST_UNSUPPORTED,
			       "the other files of the directory are members of the archive: "
			       "unpack the archive and give the directory");
	if (im->in->folder)
		x->u.folder = mem_strdup(im->in->name);
	else
		x->u.folder = slash ? mem_strndup(im->in->name, (size_t)(slash - im->in->name))
				    : mem_strdup(".");
	return ST_OK;
}

static enum status open_task(const struct records *x, const struct uftrace_task *task,
			     struct input *in, char **path, struct err *e)
{
	char name[32];

	snprintf(name, sizeof name, "%" PRIu64 ".dat", task->tid);
	return uftrace_open(&x->u, in, name, path, e);
}

/* The clock begins with the first record, whosever it is. */
static void uftrace_find_start(struct records *x)
{
	x->start = UINT64_MAX;
	for (size_t i = 0; i < x->u.n_tasks; i++) {
		struct err e = ERR_INIT;
		struct input in;
		char *path;
		uint64_t time;

		if (!open_task(x, &x->u.tasks[i], &in, &path, &e) &&
		    cursor_available(&in.cur, RECORD) >= RECORD) {
			time = cursor_u64(&in.cur);
			if (time < x->start)
				x->start = time;
		}
		input_close(&in);
		free(path);
	}
	if (x->start == UINT64_MAX)
		x->start = 0;
}

static uint32_t stack_of(struct records *x, uint32_t epoch, uint64_t address)
{
	struct trace *t = x->u.im->t;
	struct location l = {
	    .raw = address, .space = SPACE_RUNTIME, .kind = LOCATION_ENTRY, .epoch = epoch};
	uint32_t *place = map64_put(&x->stacks, (uint64_t)epoch << 48 ^ address);
	const struct uftrace_symbol *symbol = NULL;
	const struct uftrace_module *m;

	if (*place)
		return *place;
	m = uftrace_module_at(&x->u, epoch, address);
	if (m && m->symbols)
		symbol = uftrace_symbols_at(
		    m->symbols, x->u.features & UFTRACE_SYM_REL_ADDR ? address - m->lo : address);
	if (symbol) {
		l.name = symbol->name;
		l.file = symbol->file;
		l.line = symbol->line;
	}
	return *place = trace_stack(t, 0, trace_location(t, &l));
}

static bool is_record(const uint8_t *p, uint64_t after)
{
	uint64_t time = le64(p);

	return (le64(p + 8) >> 3 & 7) == SIGNATURE && time >= after && time - after < day;
}

/* To the next record; bytes passed. */
static uint64_t search(struct cursor *c, uint64_t after)
{
	uint64_t passed = 0;

	while (cursor_available(c, RECORD) >= RECORD && !is_record(c->pos, after)) {
		cursor_skip(c, 8, "search");
		passed += 8;
	}
	return passed;
}

static enum status on_record(struct records *x, const struct uftrace_task *task, uint32_t thread,
			     uint64_t time, uint64_t bits, struct err *e)
{
	uint64_t address = bits >> 16;
	struct emit_call call = {.thread = thread, .time = KNOWN(time - x->start)};

	switch (bits & 3) {
	case KIND_LOST: x->lost += address; return ST_OK;
	case KIND_EVENT: x->events++; return ST_OK;
	default: break;
	}
	call.stack = stack_of(x, uftrace_epoch(&x->u, task->pid, time), address);
	return (bits & 3) == KIND_ENTER ? emit_enter(x->u.im, &call, e)
					: emit_exit(x->u.im, &call, e);
}

/* A thread that is off the processor: a call of its own in the one that waits. */
struct waiting {
	size_t next; /* of switches */
	bool open;
	uint32_t thread, marker;
};

static enum status wait(struct records *x, struct waiting *w, uint64_t time, bool off,
			struct err *e)
{
	const struct emit_call call = {.marker = w->marker,
				       .thread = w->thread,
				       .time = KNOWN(time - x->start),
				       .value = KNOWN_IF(off, ENTER_WAIT)};

	w->open = off;
	return off ? emit_enter(x->u.im, &call, e) : emit_exit(x->u.im, &call, e);
}

/* What the scheduler did until the thread's next record, at which it runs. */
static enum status uftrace_pass(struct records *x, struct waiting *w, uint64_t tid, uint64_t time,
				struct err *e)
{
	const struct uftrace_switches *all = &x->switches;
	struct trace *t = x->u.im->t;
	enum status st = ST_OK;

	for (; !st && w->next < all->n; w->next++) {
		const struct uftrace_switch *s = &all->all[w->next];

		if (s->tid != tid || s->time >= time)
			break;
		if (s->off == w->open)
			continue;
		if (s->off)
			w->marker = trace_marker(
			    t, &(struct marker){trace_strz(t, s->preempted
								  ? "linux:schedule (pre-empted)"
								  : "linux:schedule"),
						trace_strz(t, "scheduler")});
		st = wait(x, w, s->time, s->off, e);
	}
	return !st && w->open ? wait(x, w, time, false, e) : st;
}

static enum status uftrace_read_task(struct records *x, const struct uftrace_task *task,
				     struct err *e)
{
	struct err own = ERR_INIT;
	enum status st = ST_OK;
	uint64_t last = x->start;
	struct waiting w = {.next = SIZE_MAX};
	struct thread thread = {.tid = task->tid};
	uint64_t next = uftrace_next_start(&x->u, task->tid, 0);
	bool arguments = false;
	struct input in;
	size_t left;
	char *path;

	if (open_task(x, task, &in, &path, &own)) {
		x->missing++;
		free(path);
		return ST_OK;
	}
	w.thread = trace_thread(x->u.im->t, &thread);
	while (!st && cursor_available(&in.cur, RECORD) >= RECORD) {
		uint64_t time, bits;

		if (!is_record(in.cur.pos, last)) {
			x->skipped += search(&in.cur, last);
			continue;
		}
		last = time = cursor_u64(&in.cur);
		bits = cursor_u64(&in.cur);
		for (; time >= next; next = uftrace_next_start(&x->u, task->tid, next)) {
			thread.generation++;
			w = (struct waiting){.next = SIZE_MAX,
					     .thread = trace_thread(x->u.im->t, &thread)};
		}
		if (w.next == SIZE_MAX)
			w.next = uftrace_switches_from(&x->switches, task->tid, time);
		st = uftrace_pass(x, &w, task->tid, time, e);
		if (!st)
			st = on_record(x, task, w.thread, time, bits, e);
		arguments = bits & 4;
		if (!st && arguments) {
			x->arguments++;
			search(&in.cur, last);
		}
	}
	/* Arguments and return values are filled up to 8 bytes, and nothing has to follow them. */
	left = cursor_available(&in.cur, RECORD);
	x->cut += cursor_failed(&in.cur) || (left && !(arguments && left % 8 == 0));
	input_close(&in);
	free(path);
	return st;
}

static void uftrace_add_notes(const struct records *x)
{
	struct trace *t = x->u.im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->missing, "threads have no file of records"),
	    LOSS(NOTE_LOSS, x->lost, "records were lost during the recording"),
	    LOSS(NOTE_LOSS, x->skipped, "unreadable bytes between records were left out"),
	    LOSS(NOTE_LOSS, x->cut, "files of records end within a record"),
	    LOSS(NOTE_LOSS, x->u.refused,
		 "unreadable lines of tasks, maps or symbols were left out"),
	    LOSS(NOTE_GUESS, x->u.guessed_ends,
		 "libraries were loaded later: each is assumed to end with its last symbol"),
	    LOSS(NOTE_LOSS, x->switches.beyond,
		 "scheduler switches are too many: their time belongs to the caller"),
	    LOSS(NOTE_LOSS, x->switches.broken, "files of scheduler records end within a record"),
	    LOSS(NOTE_INFO, x->arguments, "records have arguments, which are not read"),
	    LOSS(NOTE_INFO, x->events, "events of other kinds are left out"),
	};

	TRACE_LOSSES(t, losses);
	if (x->u.features & FEATURE_KERNEL)
		trace_note(t, NOTE_INFO, 0, "records of the kernel are not read");
}

static enum status uftrace_read(struct import *im, struct err *e)
{
	struct records x = {.u.im = im};
	enum status st = uftrace_read_header(&x, e);

	if (!st)
		st = find_folder(&x, e);
	if (!st)
		st = uftrace_tasks(&x.u, e);
	if (!st && !x.u.n_tasks)
		st = err_set(e, ST_BAD, "task.txt has no task");
	if (!st) {
		uftrace_find_start(&x);
		uftrace_switches_read(&x.switches, &x.u);
		trace_set(im->t, "format", "uftrace");
		trace_set(im->t, "clock", "monotonic");
		trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
		st = import_begin(im, e);
	}
	for (size_t i = 0; !st && i < x.u.n_tasks; i++)
		st = uftrace_read_task(&x, &x.u.tasks[i], e);
	if (im->begun)
		uftrace_add_notes(&x);
	map64_release(&x.stacks);
	uftrace_switches_release(&x.switches);
	uftrace_release(&x.u);
	return st;
}

const struct reader reader_uftrace = {
    .name = "uftrace",
    .family = "Instrumented code",
    .page = "instrument",
    .capabilities = CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_ADDRESSES,
    .what = "data directories of uftrace",
    .suffixes = "data",
    .bid = uftrace_bid,
    .read = uftrace_read,
};

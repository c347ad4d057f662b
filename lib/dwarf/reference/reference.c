/* SPDX-License-Identifier: MIT
 *
 * The reference engine's parent side. libdwarf crashes and hangs on some hostile files, so it
 * runs in child processes, and nothing that a child writes is believed unchecked: it may have
 * been overrun in the middle of a record.
 *
 * Addresses are cut into slices of a fixed size, so that the answers do not depend on how many
 * workers run. When a worker dies, the unit that it had announced is blamed, and another worker
 * goes on with the units after it.
 */
#include "lib/dwarf/reference/reference.h"

#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/resource_scope.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SLICE = 32768,
	MAX_WORKERS = 256,
	MAX_TIMEOUTS = 2, /* of one slice: each costs the whole time limit */
	BATCH_TIMES = 4,  /* so often a worker's time limit may all workers of a batch take */
	MAX_COMPLAINTS = 64,
	DEFAULT_SECONDS = 60,
};
#define MOST_MEMORY  (UINT64_C(4) << 30)
#define LEAST_MEMORY (UINT64_C(256) << 20)
#define LIMIT_STREAM (UINT64_C(1) << 30) /* bytes from one worker */

/* A process and what comes from it, for a scope that ends before it. */
struct held_child {
	pid_t pid;
	int fd;
};

struct child {
	pid_t pid; /* 0: free */
	struct held_child *held;
	int fd;
	struct reference_slice *slice;
	struct buf in;
	uint64_t received;
	double deadline;
	bool killed; /* by the watchdog */
};

struct run_state {
	const struct dwarf_options *options;
	struct worker_limits limits;
	struct reference_slice *slices;
	size_t n_slices, next;
	struct child *children;
	size_t n_children, n_active;
	uint64_t total;
	double spent; /* processor time of workers that have ended */
	bool ever_started;
};

static void complain(struct reference_slice *s, const char *text, size_t n)
{
	if (intern_count(&s->complaints) < MAX_COMPLAINTS)
		intern_add(&s->complaints, text, n);
	else
		s->more_complaints = true;
}

static void reference_read_call(struct reference_slice *s, struct cursor *c)
{
	struct dwarf_extra x = {.start = DWARF_NO_START};
	uint64_t v[5], y[5] = {0}, n_strings = intern_count(&s->got.strings) - s->base_strings;
	uint64_t n_calls = s->got.n_calls - 1 - s->base_calls;

	for (size_t i = 0; i < 5; i++)
		v[i] = cursor_uleb(c);
	if (v[0] > n_calls || v[1] > n_strings || v[2] > n_strings || v[3] > UINT32_MAX ||
	    v[4] > UINT32_MAX) {
		cursor_fail(c, ST_BAD, "call out of bounds");
		return;
	}
	if (cursor_u8(c)) {
		for (size_t i = 0; i < 5; i++)
			y[i] = cursor_uleb(c);
		if (y[1] > n_strings || y[2] > n_strings || y[3] > UINT32_MAX ||
		    y[4] > UINT32_MAX) {
			cursor_fail(c, ST_BAD, "extra out of bounds");
			return;
		}
		x = (struct dwarf_extra){
		    .start = y[0] - 1,
		    .name = y[1] ? (uint32_t)y[1] + s->base_strings : 0,
		    .file = y[2] ? (uint32_t)y[2] + s->base_strings : 0,
		    .line = (uint32_t)y[3],
		    .discriminator = (uint32_t)y[4],
		};
	}
	VEC_PUSH(s->got.calls, s->got.n_calls, s->got.cap_calls) = (struct dwarf_call){
	    .outer = v[0] ? (uint32_t)v[0] + s->base_calls : 0,
	    .function = v[1] ? (uint32_t)v[1] + s->base_strings : 0,
	    .file = v[2] ? (uint32_t)v[2] + s->base_strings : 0,
	    .line = (uint32_t)v[3],
	    .column = (uint32_t)v[4],
	    .extra = dwarf_extras_add(&s->got.extras, &s->got.n_extras, &s->got.cap_extras, &x),
	};
}

static void read_answers(struct reference_slice *s, struct cursor *c)
{
	while (!cursor_done(c)) {
		uint64_t index = cursor_uleb(c), call = cursor_uleb(c);
		uint8_t found = cursor_u8(c);

		if (cursor_failed(c))
			return;
		if (index >= s->n || call > s->got.n_calls - 1 - s->base_calls ||
		    found > DWARF_GAVE_UP) {
			cursor_fail(c, ST_BAD, "answer out of bounds");
			return;
		}
		s->got.of[index] = (struct dwarf_answer){
		    .call = call ? (uint32_t)call + s->base_calls : 0, .found = found};
	}
}

static void read_runs(struct reference_slice *s, struct cursor *c)
{
	s->knows_addresses = true;
	while (!cursor_done(c)) {
		uint64_t first = cursor_uleb(c), n = cursor_uleb(c);

		if (cursor_failed(c))
			return;
		if (first > s->n || n > s->n - first || s->n_runs > s->n) {
			cursor_fail(c, ST_BAD, "addresses out of bounds");
			return;
		}
		VEC_PUSH(s->runs, s->n_runs, s->cap_runs) =
		    (struct reference_run){(uint32_t)first, (uint32_t)n};
	}
}

/* False: not what a sound worker writes. */
static bool reference_read_message(struct reference_slice *s, const uint8_t *p, size_t n)
{
	struct err e = ERR_INIT;
	struct cursor c;
	uint64_t number;

	cursor_init(&c, p, n, 0, &e);
	switch (cursor_u8(&c)) {
	case MESSAGE_UNIT:
		number = cursor_uleb(&c);
		s->unit_offset = cursor_uleb(&c);
		if (number >= UINT32_MAX || number < s->first_unit)
			return false;
		s->unit = (uint32_t)number;
		s->n_runs = 0;
		s->knows_addresses = s->unit_done = false;
		break;
	case MESSAGE_DONE: s->unit_done = true; break;
	case MESSAGE_RUNS: read_runs(s, &c); break;
	case MESSAGE_STRING:
		intern_append(&s->got.strings, (const char *)c.pos, cursor_window(&c));
		break;
	case MESSAGE_CALL: reference_read_call(s, &c); break;
	case MESSAGE_ANSWERS: read_answers(s, &c); break;
	case MESSAGE_LOST: s->lost_unit = true; break;
	case MESSAGE_TEXT: complain(s, (const char *)c.pos, cursor_window(&c)); break;
	case MESSAGE_END: s->finished = true; break;
	default: return false;
	}
	return !cursor_failed(&c);
}

/* Takes the complete messages out of what has come in. */
static bool reference_read_messages(struct child *c)
{
	const uint8_t *p = (const uint8_t *)c->in.data;
	size_t at = 0;
	bool sound = true;

	while (sound && c->in.len - at >= 4) {
		uint32_t n = le32(p + at);

		if (n == 0 || n > LIMIT_MESSAGE || c->slice->finished) {
			sound = false;
			break;
		}
		if (c->in.len - at - 4 < n)
			break;
		sound = reference_read_message(c->slice, p + at + 4, n);
		at += 4 + (size_t)n;
	}
	if (at) {
		memmove(c->in.data, c->in.data + at, c->in.len - at);
		c->in.len -= at;
	}
	return sound;
}

static void reference_end_child(void *arg)
{
	const struct held_child *h = arg;

	kill(h->pid, SIGKILL);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(h->fd);
}

static enum status reference_start(struct run_state *run, struct child *c,
				   struct reference_slice *s, struct err *e)
{
	double left = BATCH_TIMES * (double)run->limits.seconds - run->spent;
	struct worker_limits limits = run->limits;
	pid_t parent = getpid();
	int fds[2];

	if (left <= 0)
		return err_set(e, ST_LIMIT, "gave up: all readers of a batch have %u s together",
			       BATCH_TIMES * run->limits.seconds);
	if (left < limits.seconds)
		limits.seconds = (unsigned)left + 1;
	c->held = mem_alloc(sizeof *c->held);
	if (pipe2(fds, O_CLOEXEC)) {
		free(c->held);
		return err_sys(e, "pipe");
	}
	s->base_strings = intern_count(&s->got.strings);
	s->base_calls = (uint32_t)s->got.n_calls - 1;
	s->unit = UINT32_MAX;
	s->unit_done = s->knows_addresses = s->finished = false;
	s->n_runs = 0;
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		err_sys(e, "fork");
		close(fds[0]);
		close(fds[1]);
		free(c->held);
		return err_failure(e);
	}
	if (!c->pid) {
		close(fds[0]);
		worker_main(s, &limits, fds[1], parent);
	}
	close(fds[1]);
	*c->held = (struct held_child){c->pid, fds[0]};
	resource_scope_hold(c->held, reference_end_child);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	c->fd = fds[0];
	c->slice = s;
	c->in.len = 0;
	c->received = 0;
	c->killed = false;
	/* processor time is what is limited; this is for a worker that waits for something */
	c->deadline = clock_seconds() + 4.0 * run->limits.seconds + 10;
	run->n_active++;
	run->ever_started = true;
	return ST_OK;
}

static void mark_open(struct reference_slice *s, size_t first, size_t n, uint8_t found)
{
	for (size_t i = first; i < first + n; i++) {
		if (s->got.of[i].found == DWARF_NOT_FOUND)
			s->got.of[i].found = found;
	}
}

__attribute__((format(printf, 2, 3))) static void complainf(struct reference_slice *s,
							    const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	complain(s, text, strlen(text));
}

/* What killed a worker; *found is what its addresses are then. */
static const char *cause(const struct child *c, int status, char *text, size_t n, uint8_t *found)
{
	*found = DWARF_GAVE_UP;
	if (c->killed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		return "takes longer than its time limit";
	if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_NO_MEMORY)
		return "needs more memory than its limit";
	*found = DWARF_MALFORMED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SANDBOX_STATUS)
		return "makes its reader call the system as no reader does";
	if (WIFSIGNALED(status))
		snprintf(text, n, "crashes libdwarf (signal %d)", WTERMSIG(status));
	else
		snprintf(text, n, "ends its reader (status %d)", WEXITSTATUS(status));
	return text;
}

/* Blames the unit at work when the worker died; true when another worker can go on after it. */
static bool reference_survive(struct reference_slice *s, const struct child *c, int status)
{
	char text[64];
	uint8_t found;
	const char *why = cause(c, status, text, sizeof text, &found);
	bool timeout = !strncmp(why, "takes", 5);

	if (s->unit == UINT32_MAX || s->unit_done) { /* no unit is to blame */
		complainf(s, "the debug information %s", why);
		mark_open(s, 0, s->n, found);
		return false;
	}
	complainf(s, "unit at .debug_info+0x%" PRIx64 ": %s", s->unit_offset, why);
	if (!s->knows_addresses)
		s->lost_unit = true;
	for (size_t i = 0; i < s->n_runs; i++)
		mark_open(s, s->runs[i].first, s->runs[i].n, found);
	s->first_unit = s->unit + 1;
	s->buried[s->n_buried++] = s->unit_offset;
	s->timeouts += timeout;
	if (s->restarts++ < MAX_RESTARTS && s->timeouts < MAX_TIMEOUTS)
		return true;
	complainf(s, "gave up after %u restarts of the reader", s->restarts - 1);
	mark_open(s, 0, s->n, DWARF_GAVE_UP);
	return false;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void finish(struct run_state *run, struct child *c)
{
	struct reference_slice *s = c->slice;
	struct err e = ERR_INIT;
	struct rusage used = {0};
	int status = 0;

	resource_scope_forget(c->held);
	free(c->held);
	close(c->fd);
	while (wait4(c->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	run->spent += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
	c->pid = 0;
	run->n_active--;
	if (s->finished)
		return;
	if (reference_survive(s, c, status) && reference_start(run, c, s, &e)) {
		complain(s, e.msg, strlen(e.msg));
		mark_open(s, 0, s->n, DWARF_GAVE_UP);
	}
}

static void stop(struct child *c)
{
	c->killed = true;
	kill(c->pid, SIGKILL);
}

static void reference_receive(struct run_state *run, struct child *c)
{
	ssize_t n = read(c->fd, buf_reserve(&c->in, 1 << 16), 1 << 16);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		finish(run, c);
		return;
	}
	c->in.len += (size_t)n;
	c->received += (uint64_t)n;
	if (c->received > LIMIT_STREAM) {
		stop(c);
		finish(run, c);
	} else if (!reference_read_messages(c)) {
		kill(c->pid, SIGKILL); /* overrun by what it read: as good as a crash */
		c->slice->finished = false;
		finish(run, c);
	}
}

static void reference_wait_for_children(struct run_state *run, struct pollfd *fds)
{
	double soonest = clock_seconds() + 60;
	size_t n = 0;

	for (size_t i = 0; i < run->n_children; i++) {
		struct child *c = &run->children[i];

		fds[i] = (struct pollfd){.fd = c->pid ? c->fd : -1, .events = POLLIN};
		if (c->pid && c->deadline < soonest)
			soonest = c->deadline;
	}
	soonest -= clock_seconds();
	if (poll(fds, (nfds_t)run->n_children, soonest > 0 ? (int)(soonest * 1000) + 1 : 0) < 0)
		return; /* EINTR: look again */
	for (n = 0; n < run->n_children; n++) {
		struct child *c = &run->children[n];

		if (!c->pid)
			continue;
		if (fds[n].revents)
			reference_receive(run, c);
		else if (clock_seconds() > c->deadline && !c->killed)
			stop(c);
	}
}

static uint64_t answered(const struct run_state *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->n_slices; i++) {
		for (size_t k = 0; k < run->slices[i].n; k++)
			n += run->slices[i].got.of[k].found != DWARF_NOT_FOUND;
	}
	return n;
}

static enum status reference_run_slices(struct run_state *run, struct err *e)
{
	struct pollfd fds[MAX_WORKERS];
	double report = clock_seconds() + 0.2;
	enum status st = ST_OK;

	while (run->next < run->n_slices || run->n_active) {
		if (resource_scope_cancelled())
			resource_scope_leave(RESOURCE_SCOPE_CANCELLED);
		st = ST_OK;
		for (size_t i = 0; i < run->n_children && run->next < run->n_slices; i++) {
			if (run->children[i].pid)
				continue;
			st = reference_start(run, &run->children[i], &run->slices[run->next], e);
			if (st)
				break;
			run->next++;
		}
		if (st && !run->ever_started)
			return err_prefix(e, "debug information reader");
		if (st && !run->n_active) { /* no process to be had any more */
			struct reference_slice *s = &run->slices[run->next++];

			complain(s, e->msg, strlen(e->msg));
			mark_open(s, 0, s->n, DWARF_GAVE_UP);
			continue;
		}
		reference_wait_for_children(run, fds);
		if (run->options->progress && clock_seconds() >= report) {
			report = clock_seconds() + 0.2;
			run->options->progress(run->options->progress_arg, answered(run),
					       run->total);
		}
	}
	return ST_OK;
}

static void reference_merge(struct reference_slice *s)
{
	struct dwarf_answers *out = s->job->out;
	uint32_t *ids = mem_zarray(s->got.n_calls, sizeof *ids);
	uint32_t *path = mem_array(s->got.n_calls, sizeof *path);

	if (s->lost_unit)
		mark_open(s, 0, s->n, DWARF_MALFORMED);
	for (size_t i = 0; i < s->n; i++) {
		struct dwarf_answer a = s->got.of[i];

		a.call = dwarf_answers_adopt(out, &s->got, ids, path, a.call);
		out->of[s->first + i] = a;
	}
	for (uint32_t id = 1; id <= intern_count(&s->complaints); id++) {
		size_t n;
		const char *text = intern_text(&s->complaints, id, &n);

		dwarf_answers_complain(out, text, n);
	}
	if (s->more_complaints)
		dwarf_answers_complain(out, "more complaints like these", 26);
	free(ids);
	free(path);
}

static void reference_cut(struct run_state *run, struct dwarf_job *job)
{
	size_t cap = run->n_slices, pieces = (job->n + SLICE - 1) / SLICE;

	for (size_t i = 0; i < job->n; i++)
		job->out->of[i] = (struct dwarf_answer){.found = DWARF_ABSENT};
	if (!job->n || !object_has_dwarf(job->object))
		return;
	if (pieces > 1)
		sections_preload(job->object, run->options->jobs);
	run->slices = mem_grow(run->slices, &cap, run->n_slices + pieces, sizeof *run->slices);
	for (size_t i = 0; i < pieces; i++) {
		struct reference_slice *s = &run->slices[run->n_slices++];
		size_t first = i * SLICE;

		*s = (struct reference_slice){.job = job,
					      .first = first,
					      .discriminators = run->options->discriminators,
					      .extras = run->options->extras,
					      .relative = run->options->relative};
		s->n = job->n - first < SLICE ? job->n - first : SLICE;
		dwarf_answers_init(&s->got, s->n);
		run->total += s->n;
	}
}

/* What each of n workers may map in addition to what it has from its parent. */
static uint64_t default_memory(size_t n)
{
	uint64_t share = mem_budget_limit() / (n ? n : 1);

	return share > MOST_MEMORY ? MOST_MEMORY : share < LEAST_MEMORY ? LEAST_MEMORY : share;
}

enum status dwarf_reference(struct dwarf_job *jobs, size_t n_jobs,
			    const struct dwarf_options *options, struct err *e)
{
	struct run_state state = {.options = options};
	enum status st;

	state.limits.seconds = options->seconds ? options->seconds : DEFAULT_SECONDS;
	state.n_children = options->jobs < 1             ? 1
			   : options->jobs > MAX_WORKERS ? MAX_WORKERS
							 : options->jobs;
	for (size_t i = 0; i < n_jobs; i++)
		reference_cut(&state, &jobs[i]);
	if (state.n_children > state.n_slices)
		state.n_children = state.n_slices;
	state.limits.memory = options->memory ? options->memory : default_memory(state.n_children);
	state.children = mem_zarray(state.n_children, sizeof *state.children);
	st = reference_run_slices(&state, e);
	for (size_t i = 0; i < state.n_slices; i++) {
		struct reference_slice *s = &state.slices[i];

		if (!st)
			reference_merge(s);
		dwarf_answers_release(&s->got);
		intern_release(&s->complaints);
		free(s->runs);
	}
	for (size_t i = 0; i < n_jobs; i++) {
		if (jobs[i].stats)
			*jobs[i].stats = (struct dwarf_stats){0};
		if (options->once)
			object_drop_sections(jobs[i].object);
	}
	for (size_t i = 0; i < state.n_children; i++)
		buf_release(&state.children[i].in);
	free(state.children);
	free(state.slices);
	return st;
}

/* SPDX-License-Identifier: MIT
 *
 * The writing half of tracemill/trace.h.
 */
#include "lib/base/mem.h"
#include "lib/library/events.h"
#include "lib/library/handle.h"
#include "lib/trace/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tracemill_writer {
	struct library_handle handle;
	enum tracemill_status failed; /* all that follows fails so, too */
	int fd;
	/* in the scope: */
	struct trace *t;
	struct writer *writer;
	FILE *out;
	bool begun, finished;
};

/* A call of the interface. */
struct adding {
	struct tracemill_writer *w;
	void (*fn)(struct adding *a);
	const void *row;
	const char *text, *unit;
	size_t n;
	uint32_t id;
	enum tracemill_status status;
};

static void trace_write_close_stream(void *out)
{
	fclose(out);
}

static void open_stream(struct adding *a)
{
	struct tracemill_writer *w = a->w;
	int own = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);

	w->out = own < 0 ? NULL : fdopen(own, "w");
	if (!w->out) {
		if (own >= 0)
			close(own);
		err_sys(&w->handle.e, "file descriptor %d", w->fd);
		a->status = TRACEMILL_SYSTEM;
		return;
	}
	resource_scope_hold(w->out, trace_write_close_stream);
	w->t = trace_new();
	w->writer = writer_new(w->out);
}

static void trace_write_run_adding(void *arg)
{
	struct adding *a = arg;

	if (!a->w->out)
		open_stream(a);
	if (!a->status)
		a->fn(a);
}

static enum tracemill_status add(struct adding *a)
{
	struct tracemill_writer *w = a->w;
	enum tracemill_status st;

	if (w->failed)
		return w->failed;
	if (w->finished)
		return handle_misuse(&w->handle, "the trace is finished");
	st = handle_run(&w->handle, trace_write_run_adding, a);
	if (!st)
		st = a->status;
	if (st && st != TRACEMILL_MISUSE)
		w->failed = st;
	return st;
}

static uint32_t number(struct adding a)
{
	return add(&a) ? 0 : a.id;
}

enum tracemill_status tracemill_writer_new_of(struct tracemill_writer **to, int fd,
					      uint32_t version)
{
	struct tracemill_writer *w;

	if (version >> 16 != TRACEMILL_LIBRARY_VERSION >> 16)
		return TRACEMILL_VERSIONS;
	w = calloc(1, sizeof *w);
	if (!w)
		return TRACEMILL_MEMORY;
	w->fd = fd;
	*to = w;
	return TRACEMILL_OK;
}

void tracemill_writer_free(struct tracemill_writer *w)
{
	if (w)
		handle_release(&w->handle);
	free(w);
}

const char *tracemill_writer_error(const struct tracemill_writer *w)
{
	return w->handle.e.msg;
}

static void trace_write_add_string(struct adding *a)
{
	a->id = trace_string(a->w->t, a->text, a->n);
}

uint32_t tracemill_writer_string(struct tracemill_writer *w, const char *s, size_t n)
{
	return number((struct adding){.w = w, .fn = trace_write_add_string, .text = s, .n = n});
}

static void trace_write_add_type(struct adding *a)
{
	a->id = trace_type(a->w->t, a->text, a->n);
}

uint32_t tracemill_writer_type(struct tracemill_writer *w, const char *name, size_t n)
{
	return number((struct adding){.w = w, .fn = trace_write_add_type, .text = name, .n = n});
}

static void trace_write_add_marker(struct adding *a)
{
	a->id =
	    trace_marker(a->w->t, &(struct marker){.name = trace_string(a->w->t, a->text, a->n)});
}

uint32_t tracemill_writer_marker(struct tracemill_writer *w, const char *name, size_t n)
{
	return number((struct adding){.w = w, .fn = trace_write_add_marker, .text = name, .n = n});
}

static void trace_write_add_counter(struct adding *a)
{
	a->id = trace_counter(a->w->t, &(struct counter){.name = trace_strz(a->w->t, a->text),
							 .unit = trace_strz(a->w->t, a->unit)});
}

uint32_t tracemill_writer_counter(struct tracemill_writer *w, const char *name, const char *unit)
{
	return number((struct adding){
	    .w = w, .fn = trace_write_add_counter, .text = name, .unit = unit ? unit : ""});
}

/* False: there is no such string, and a's status says so. */
static bool has_string(struct adding *a, uint32_t id)
{
	if (id <= intern_count(&a->w->t->strings))
		return true;
	a->status = handle_misuse(&a->w->handle, "there is no string with this number");
	return false;
}

static void trace_write_add_thread(struct adding *a)
{
	const struct tracemill_thread *th = a->row;

	if (has_string(a, th->name))
		a->id = trace_thread(
		    a->w->t,
		    &(struct thread){.process = th->process, .name = th->name, .tid = th->id});
}

uint32_t tracemill_writer_thread(struct tracemill_writer *w, const struct tracemill_thread *thread)
{
	return number((struct adding){.w = w, .fn = trace_write_add_thread, .row = thread});
}

static void trace_write_add_location(struct adding *a)
{
	const struct tracemill_location *l = a->row;

	if (!has_string(a, l->name) || !has_string(a, l->file))
		return;
	if (l->space >= SPACES || l->kind >= LOCATION_KINDS || l->module >= a->w->t->n_modules ||
	    (!l->module && l->space >= SPACE_FILE_OFFSET && l->space <= SPACE_OFFSET_OR_VADDR)) {
		a->status =
		    handle_misuse(&a->w->handle, "a location's space, kind or module is none");
		return;
	}
	a->id = trace_location(a->w->t, &(struct location){.raw = l->address,
							   .module = l->module,
							   .name = l->name,
							   .file = l->file,
							   .line = l->line,
							   .space = l->space,
							   .kind = l->kind});
}

uint32_t tracemill_writer_location(struct tracemill_writer *w,
				   const struct tracemill_location *location)
{
	return number((struct adding){.w = w, .fn = trace_write_add_location, .row = location});
}

static void trace_write_add_stack(struct adding *a)
{
	const struct stack *s = a->row;

	if (s->parent >= a->w->t->n_stacks || !s->location || s->location >= a->w->t->n_locations)
		a->status =
		    handle_misuse(&a->w->handle, "there is no stack or location with this number");
	else
		a->id = trace_stack(a->w->t, s->parent, s->location);
}

uint32_t tracemill_writer_stack(struct tracemill_writer *w, uint32_t callers, uint32_t location)
{
	const struct stack s = {.parent = callers, .location = location};

	return number((struct adding){.w = w, .fn = trace_write_add_stack, .row = &s});
}

struct mapping {
	const void *id;
	size_t n_id;
	struct map_range range;
};

static void trace_write_add_module(struct adding *a)
{
	const struct mapping *m = a->row;
	struct trace *t = a->w->t;
	struct map_range range = m->range;

	if (range.lo >= range.hi || m->n_id > 64) {
		a->status =
		    handle_misuse(&a->w->handle, "a mapping without bytes, or a build-id of "
						 "more than 64");
		return;
	}
	a->id = trace_module(
	    t, &(struct module){.name = trace_strz(t, a->text),
				.build_id = m->n_id ? trace_string(t, m->id, m->n_id) : 0,
				.ranges = &range,
				.n_ranges = 1});
}

uint32_t tracemill_writer_module(struct tracemill_writer *w, const char *path, const void *build_id,
				 size_t n, uint64_t lo, uint64_t hi, uint64_t offset)
{
	const struct mapping m = {
	    build_id, n, {.lo = lo, .hi = hi, .offset = offset, .executable = true}};

	return number(
	    (struct adding){.w = w, .fn = trace_write_add_module, .row = &m, .text = path});
}

static void trace_write_add_attribute(struct adding *a)
{
	if (a->w->begun)
		a->status = handle_misuse(&a->w->handle, "attributes stand before the first event");
	else
		trace_set(a->w->t, a->text, a->unit);
}

enum tracemill_status tracemill_writer_attribute(struct tracemill_writer *w, const char *key,
						 const char *value)
{
	return add(
	    &(struct adding){.w = w, .fn = trace_write_add_attribute, .text = key, .unit = value});
}

static void trace_write_add_sums(struct adding *a)
{
	static const uint8_t metrics[] = {METRIC_COUNT, METRIC_REQUESTED, METRIC_REAL,
					  METRIC_LIVE,  METRIC_TIME,      METRIC_NET};

	if (a->w->begun || a->n >> sizeof metrics) {
		a->status =
		    handle_misuse(&a->w->handle, "what is known is said before the first event");
		return;
	}
	for (size_t i = 0; i < sizeof metrics; i++)
		if (a->n >> i & 1)
			trace_metric(a->w->t, metrics[i], METRIC_EXACT, METRIC_AT_ALL);
}

enum tracemill_status tracemill_writer_sums(struct tracemill_writer *w, unsigned sums)
{
	return add(&(struct adding){.w = w, .fn = trace_write_add_sums, .n = sums});
}

static void trace_write_add_note(struct adding *a)
{
	const struct tracemill_note *n = a->row;

	if (n->severity > NOTE_LOSS)
		a->status = handle_misuse(&a->w->handle, "a note's severity is 0, 1 or 2");
	else
		trace_note(a->w->t, n->severity, n->count, "%s", n->text);
}

enum tracemill_status tracemill_writer_note(struct tracemill_writer *w,
					    const struct tracemill_note *note)
{
	return add(&(struct adding){.w = w, .fn = trace_write_add_note, .row = note});
}

static void fail(struct adding *a, enum status st)
{
	if (st)
		a->status = handle_status(st);
}

static bool begin(struct adding *a)
{
	struct tracemill_writer *w = a->w;
	struct sink *s = writer_sink(w->writer);

	if (!w->begun) {
		fail(a, s->begin(s, w->t, &w->handle.e));
	}
	w->begun = true;
	return !a->status;
}

static bool refers(const struct trace *t, const struct tracemill_event *ev)
{
	size_t types = ev->kind == TRACEMILL_COUNTER ? t->n_counters
		       : event_has_marker(ev->kind)  ? t->n_markers
						     : t->n_types;

	return ev->kind && ev->kind < EV_KINDS && !(ev->has & ~EV_FIELDS) && ev->domain < DOMAINS &&
	       ev->type < types && ev->stack < t->n_stacks && ev->thread < t->n_threads &&
	       ev->name <= intern_count(&t->strings);
}

static void trace_write_add_event(struct adding *a)
{
	struct tracemill_writer *w = a->w;

	if (!refers(w->t, a->row))
		a->status =
		    handle_misuse(&w->handle, "an event's kind or one of its numbers is none");
	else if (begin(a))
		fail(a, sink_event(writer_sink(w->writer), w->t, a->row, &w->handle.e));
}

enum tracemill_status tracemill_writer_event(struct tracemill_writer *w,
					     const struct tracemill_event *event)
{
	return add(&(struct adding){.w = w, .fn = trace_write_add_event, .row = event});
}

static void trace_write_finish(struct adding *a)
{
	struct tracemill_writer *w = a->w;
	struct sink *s = writer_sink(w->writer);

	if (!begin(a))
		return;
	fail(a, s->end(s, w->t, &w->handle.e));
	if (!a->status && fflush(w->out))
		fail(a, err_sys(&w->handle.e, "write"));
	w->finished = !a->status;
}

enum tracemill_status tracemill_writer_finish(struct tracemill_writer *w)
{
	return add(&(struct adding){.w = w, .fn = trace_write_finish});
}

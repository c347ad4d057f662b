/* SPDX-License-Identifier: MIT
 *
 * The reading half of tracemill/trace.h. A public trace is a struct trace under another name.
 */
#include "lib/input/input.h"
#include "lib/library/events.h"
#include "lib/library/handle.h"
#include "lib/trace/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct sink sink; /* first */
	const char *path;
	struct tracemill_receiver to;
	void *arg;
	bool stopped; /* by the caller */
	struct err e;
};

static const struct trace *inner(const struct tracemill_trace *t)
{
	return (const struct trace *)t;
}

static const struct tracemill_trace *outer(const struct trace *t)
{
	return (const struct tracemill_trace *)t;
}

static enum status stop(struct reading *r, struct err *e)
{
	r->stopped = true;
	return err_set(e, ST_PIPE, "ended by the caller");
}

static enum status trace_read_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				    struct err *e)
{
	struct reading *r = (struct reading *)s;

	if (!r->to.events ||
	    r->to.events(r->arg, outer(t), (const struct tracemill_event *)b->rows, b->n))
		return ST_OK;
	return stop(r, e);
}

/* One capture, from behind its mark to its totals, or to where it is sound. */
static enum status trace_read_capture(struct reading *r, struct trace_stream *s, struct trace *t)
{
	const uint8_t *payload;
	struct trace_chunk c = {0};
	bool begun = false;
	enum status st = ST_OK;

	while (!st && c.kind != CHUNK_TOTALS) {
		st = stream_next(s, &c, &payload, &r->e);
		if (st)
			break;
		if (!begun && c.kind != CHUNK_HEADER) {
			begun = true;
			if (r->to.begin && !r->to.begin(r->arg, outer(t)))
				return stop(r, &r->e);
		}
		st = stream_has_events(s, &c) ? stream_events(s, t, &c, payload, &r->sink, &r->e)
					      : stream_apply(s, t, &c, payload, &r->e);
	}
	if (!r->stopped && s->damaged_chunks)
		trace_note(t, NOTE_LOSS, s->damaged_chunks, "damaged chunks left out");
	if (begun && !r->stopped && r->to.end && !r->to.end(r->arg, outer(t)))
		return stop(r, &r->e);
	return st;
}

static void trace_read_all(void *arg)
{
	struct reading *r = arg;
	struct input in = {.name = NULL};
	struct trace_stream s = {0};

	r->sink = (struct sink){.batch = trace_read_batch};
	if (input_open(&in, r->path, &r->e))
		return;
	if (!stream_mark(&s, &in.cur, &r->e))
		do {
			struct trace *t = trace_new();
			enum status st = trace_read_capture(r, &s, t);

			trace_free(t);
			if (st)
				break;
		} while (!stream_mark(&s, &in.cur, &r->e));
	else if (r->e.code == ST_NONE || r->e.code == ST_OK)
		err_set(&r->e, ST_BAD, "empty");
	stream_release(&s);
	input_close(&in);
}

enum tracemill_status tracemill_trace_read(const char *path,
					   const struct tracemill_receiver *receiver, void *arg,
					   char *error, size_t size)
{
	struct reading r = {.path = path, .arg = arg, .e = ERR_INIT};
	struct library_handle h = {.scope = NULL};
	enum tracemill_status st;

	memcpy(&r.to, receiver, receiver->size < sizeof r.to ? receiver->size : sizeof r.to);
	st = handle_run(&h, trace_read_all, &r);
	if (st)
		r.e = h.e;
	else
		st = r.stopped ? TRACEMILL_CANCELLED
			       : handle_status(r.e.code == ST_NONE ? ST_OK : r.e.code);
	if (error && size && r.e.offset != ERR_NO_OFFSET && st && !r.stopped)
		snprintf(error, size, "byte %llu: %s", (unsigned long long)r.e.offset, r.e.msg);
	else if (error && size)
		snprintf(error, size, "%s", st ? r.e.msg : "");
	handle_release(&h);
	return st;
}

const char *tracemill_trace_string(const struct tracemill_trace *t, uint32_t string, size_t *n)
{
	size_t ignored;

	return intern_text(&inner(t)->strings,
			   string <= intern_count(&inner(t)->strings) ? string : 0,
			   n ? n : &ignored);
}

static const char *text(const struct tracemill_trace *t, uint32_t string)
{
	return tracemill_trace_string(t, string, NULL);
}

const char *tracemill_trace_type(const struct tracemill_trace *t, uint32_t type)
{
	return type && type < inner(t)->n_types ? text(t, inner(t)->types[type]) : "";
}

const char *tracemill_trace_marker(const struct tracemill_trace *t, uint32_t marker)
{
	return marker && marker < inner(t)->n_markers ? text(t, inner(t)->markers[marker].name)
						      : "";
}

const char *tracemill_trace_counter(const struct tracemill_trace *t, uint32_t counter,
				    const char **unit)
{
	bool is = counter && counter < inner(t)->n_counters;

	if (unit)
		*unit = is ? text(t, inner(t)->counters[counter].unit) : "";
	return is ? text(t, inner(t)->counters[counter].name) : "";
}

struct tracemill_thread tracemill_trace_thread(const struct tracemill_trace *t, uint32_t thread)
{
	const struct thread *th = inner(t)->threads + thread;

	if (!thread || thread >= inner(t)->n_threads)
		return (struct tracemill_thread){0};
	return (struct tracemill_thread){.process = th->process, .name = th->name, .id = th->tid};
}

uint32_t tracemill_trace_stack(const struct tracemill_trace *t, uint32_t stack, uint32_t *callers)
{
	bool is = stack && stack < inner(t)->n_stacks;

	*callers = is ? inner(t)->stacks[stack].parent : 0;
	return is ? inner(t)->stacks[stack].location : 0;
}

struct tracemill_location tracemill_trace_location(const struct tracemill_trace *t,
						   uint32_t location)
{
	const struct location *l = inner(t)->locations + location;

	if (!location || location >= inner(t)->n_locations)
		return (struct tracemill_location){.space = TRACEMILL_UNKNOWN_ADDRESS};
	return (struct tracemill_location){.address = l->raw,
					   .module = l->module,
					   .name = l->name,
					   .file = l->file,
					   .line = l->line,
					   .space = l->space,
					   .kind = l->kind};
}

const char *tracemill_trace_module(const struct tracemill_trace *t, uint32_t module)
{
	return module && module < inner(t)->n_modules ? text(t, inner(t)->modules[module].name)
						      : "";
}

static struct tracemill_call show(const struct trace_symbols *s, const struct symbol_call *c,
				  bool shown)
{
	const struct symbol_function *f =
	    c->function && c->function < s->n_functions ? &s->functions[c->function] : NULL;
	struct tracemill_call call = {
	    .line = c->line, .column = c->column, .inlined = c->outer != 0};
	size_t n_function, n_file;

	call.function = intern_text(&s->strings, f ? shown ? f->display : f->raw : 0, &n_function);
	call.file = intern_text(&s->strings, c->file, &n_file);
	call.n_function = (uint32_t)n_function;
	call.n_file = (uint32_t)n_file;
	return call;
}

size_t tracemill_trace_calls(const struct tracemill_trace *t, uint32_t location, bool shown,
			     struct tracemill_call *calls, size_t max)
{
	const struct trace_symbols *s = &inner(t)->symbols;
	uint32_t id = symbols_binding(s, location)->call;
	size_t n = 0;

	for (; id && id < s->n_calls; id = s->calls[id].outer) {
		if (n < max)
			calls[n] = show(s, &s->calls[id], shown);
		n++;
	}
	return n;
}

const char *tracemill_trace_attribute(const struct tracemill_trace *t, const char *key)
{
	return trace_get(inner(t), key);
}

bool tracemill_trace_note(const struct tracemill_trace *t, size_t i, struct tracemill_note *note)
{
	const struct trace_note *n;

	if (i >= inner(t)->n_notes)
		return false;
	n = &inner(t)->notes[i];
	*note =
	    (struct tracemill_note){.text = n->text, .count = n->count, .severity = n->severity};
	return true;
}

uint64_t tracemill_trace_count(const struct tracemill_trace *t, enum tracemill_event_kind kind)
{
	return (unsigned)kind < EV_KINDS ? inner(t)->events[kind] : 0;
}

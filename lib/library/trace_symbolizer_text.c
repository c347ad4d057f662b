/* SPDX-License-Identifier: MIT
 *
 * Logs of tracemill/symbolize_trace.h, on lib/symbolize/stack_text.h.
 */
#include "lib/library/trace_symbolizer.h"

#include <string.h>

struct trace_symbolizer_log {
	const char *text;
	size_t n;
	const char **named;
	size_t *n_named;
};

/* Each line of a text to fn. */
static void each_line(struct stack_text *x, const struct trace_symbolizer_log *g,
		      void (*fn)(struct stack_text *x, const char *s, size_t n))
{
	for (const char *s = g->text, *end = s + g->n, *next; s < end; s = next + 1) {
		next = memchr(s, '\n', (size_t)(end - s));
		if (!next)
			next = end;
		fn(x, s, (size_t)(next - s));
	}
}

static enum tracemill_status trace_symbolizer_scan_lines(struct trace_symbolizer_call *c,
							 struct trace_symbolizer_opened *x)
{
	x->text.maps = trace_symbolizer_maps(c->n, x);
	each_line(&x->text, c->in, stack_text_scan);
	return TRACEMILL_OK;
}

enum tracemill_status trace_symbolizer_scan_text(struct tracemill_trace_symbolizer *n,
						 const char *text, size_t size)
{
	const struct trace_symbolizer_log g = {.text = text, .n = size};

	return trace_symbolizer_run(
	    &(struct trace_symbolizer_call){.n = n, .fn = trace_symbolizer_scan_lines, .in = &g});
}

static enum tracemill_status trace_symbolizer_name_text(struct trace_symbolizer_call *c,
							struct trace_symbolizer_opened *x)
{
	const struct trace_symbolizer_log *g = c->in;
	enum status st;

	x->e = (struct err)ERR_INIT;
	x->text.maps = trace_symbolizer_maps(c->n, x);
	each_line(&x->text, g, stack_text_line);
	x->out.len = 0;
	st = stack_text_flush(&x->text, &x->out, &x->e);
	*g->named = buf_str(&x->out);
	*g->n_named = x->out.len;
	return st ? handle_fail(&c->n->s->handle, &x->e) : TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_text(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char *text, size_t n,
    const char **named, size_t *n_named)
{
	const struct trace_symbolizer_log g = {text, n, named, n_named};

	*named = text;
	*n_named = n;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_name_text, .in = &g});
}

static enum tracemill_status trace_symbolizer_get_note(struct trace_symbolizer_call *c,
						       struct trace_symbolizer_opened *x)
{
	*(const char **)c->to = stack_text_next_note(&x->text);
	return TRACEMILL_OK;
}

const char *trace_symbolizer_next_text_note(struct tracemill_trace_symbolizer *n)
{
	const char *text = NULL;

	return trace_symbolizer_run(&(struct trace_symbolizer_call){
		   .n = n, .fn = trace_symbolizer_get_note, .to = &text})
		   ? NULL
		   : text;
}

static enum tracemill_status trace_symbolizer_get_modules(struct trace_symbolizer_call *c,
							  struct trace_symbolizer_opened *x)
{
	*(bool *)c->to = stack_text_has_modules(&x->text);
	return TRACEMILL_OK;
}

bool trace_symbolizer_text_has_modules(struct tracemill_trace_symbolizer *n)
{
	bool has = false;

	return !trace_symbolizer_run(&(struct trace_symbolizer_call){
		   .n = n, .fn = trace_symbolizer_get_modules, .to = &has}) &&
	       has;
}

static enum tracemill_status trace_symbolizer_end_text(struct trace_symbolizer_call *c,
						       struct trace_symbolizer_opened *x)
{
	struct tracemill_text_sums to = {
	    .n = x->text.calls, .named = x->text.named, .kept = x->text.kept};

	memcpy(to.reasons, x->text.reasons, sizeof x->text.reasons);
	stack_text_release(&x->text);
	x->text.symbolizer = &x->symbolizer;
	if (c->to)
		trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_text_end(
    struct tracemill_trace_symbolizer *trace_symbolizer, struct tracemill_text_sums *sums)
{
	if (sums && !trace_symbolizer_has_size(trace_symbolizer, sums))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_end_text, .to = sums});
}

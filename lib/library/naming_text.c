/* SPDX-License-Identifier: MIT
 *
 * Logs of tracemill/symbolize_trace.h, on lib/symbolize/stack_text.h.
 */
#include "lib/library/naming.h"

#include <string.h>

struct naming_log {
	const char *text;
	size_t n;
	const char **named;
	size_t *n_named;
};

static enum tracemill_status naming_name_text(struct naming_call *c, struct naming_opened *x)
{
	const struct naming_log *g = c->in;
	enum status st;

	x->e = (struct err)ERR_INIT;
	for (const char *s = g->text, *end = s + g->n, *next; s < end; s = next + 1) {
		next = memchr(s, '\n', (size_t)(end - s));
		if (!next)
			next = end;
		stack_text_line(&x->text, s, (size_t)(next - s));
	}
	x->out.len = 0;
	st = stack_text_flush(&x->text, &x->out, &x->e);
	*g->named = buf_str(&x->out);
	*g->n_named = x->out.len;
	return st ? handle_fail(&c->n->s->handle, &x->e) : TRACEMILL_OK;
}

enum tracemill_status tracemill_naming_text(struct tracemill_naming *naming, const char *text,
					    size_t n, const char **named, size_t *n_named)
{
	const struct naming_log g = {text, n, named, n_named};

	*named = text;
	*n_named = n;
	return naming_run(&(struct naming_call){.n = naming, .fn = naming_name_text, .in = &g});
}

static enum tracemill_status naming_end_text(struct naming_call *c, struct naming_opened *x)
{
	struct tracemill_text_sums to = {
	    .n = x->text.calls, .named = x->text.named, .kept = x->text.kept};

	memcpy(to.reasons, x->text.reasons, sizeof x->text.reasons);
	stack_text_release(&x->text);
	x->text.symbolizer = &x->symbolizer;
	if (c->to)
		naming_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_naming_text_end(struct tracemill_naming *naming,
						struct tracemill_text_sums *sums)
{
	if (sums && !naming_has_size(naming, sums))
		return TRACEMILL_MISUSE;
	return naming_run(&(struct naming_call){.n = naming, .fn = naming_end_text, .to = sums});
}

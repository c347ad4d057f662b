/* SPDX-License-Identifier: MIT */
#include "lib/trace/symbols.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

void symbols_release(struct trace_symbols *s)
{
	intern_release(&s->strings);
	free(s->objects);
	free(s->functions);
	free(s->calls);
	free(s->bindings);
	*s = (struct trace_symbols){.n_objects = 0};
}

#define COPY(to, from, rows, n_rows, cap_rows)                                               \
	do {                                                                                 \
		(to).rows = mem_array((from)->n_rows + 1, sizeof *(to).rows);                \
		if ((from)->n_rows)                                                          \
			memcpy((to).rows, (from)->rows, (from)->n_rows * sizeof *(to).rows); \
		(to).n_rows = (from)->n_rows;                                                \
		(to).cap_rows = (from)->n_rows + 1;                                          \
	} while (0)

struct trace_symbols symbols_copy(const struct trace_symbols *s)
{
	struct trace_symbols c = {.n_objects = 0};

	for (uint32_t id = 1; id <= intern_count(&s->strings); id++) {
		size_t n;
		const char *text = intern_text(&s->strings, id, &n);

		intern_append(&c.strings, text, n);
	}
	COPY(c, s, objects, n_objects, cap_objects);
	COPY(c, s, functions, n_functions, cap_functions);
	COPY(c, s, calls, n_calls, cap_calls);
	COPY(c, s, bindings, n_bindings, cap_bindings);
	return c;
}

/* Row 0 is "none" in every table. */
#define APPEND(p, n, cap, row)                                       \
	do {                                                         \
		if (!(n))                                            \
			VEC_PUSH(p, n, cap) = (__typeof__(*(p))){0}; \
		VEC_PUSH(p, n, cap) = (row);                         \
	} while (0)

uint32_t symbols_object(struct trace_symbols *s, const struct symbol_object *o)
{
	APPEND(s->objects, s->n_objects, s->cap_objects, *o);
	return (uint32_t)(s->n_objects - 1);
}

uint32_t symbols_function(struct trace_symbols *s, const struct symbol_function *f)
{
	APPEND(s->functions, s->n_functions, s->cap_functions, *f);
	return (uint32_t)(s->n_functions - 1);
}

uint32_t symbols_call(struct trace_symbols *s, const struct symbol_call *c)
{
	APPEND(s->calls, s->n_calls, s->cap_calls, *c);
	return (uint32_t)(s->n_calls - 1);
}

const struct binding *symbols_binding(const struct trace_symbols *s, uint32_t location)
{
	static const struct binding none = {.reason = REASON_NOT_BOUND};

	return location < s->n_bindings ? &s->bindings[location] : &none;
}

void symbols_bind(struct trace_symbols *s, uint32_t location, const struct binding *b)
{
	while (s->n_bindings <= location)
		VEC_PUSH(s->bindings, s->n_bindings, s->cap_bindings) =
		    (struct binding){.reason = REASON_NOT_BOUND};
	s->bindings[location] = *b;
}

const char *reason_text(unsigned reason)
{
	static const char *const texts[REASONS] = {
	    [REASON_RESOLVED] = "resolved",
	    [REASON_NOT_BOUND] = "not symbolized",
	    [REASON_UNKNOWN_LOCATION] = "the capture does not know the address",
	    [REASON_NO_MODULE] = "no module maps it",
	    [REASON_NO_FILE] = "no file for its module",
	    [REASON_BUILD_ID_DIFFERS] = "build-id differs",
	    [REASON_BAD_FILE] = "its module's file is unreadable",
	    [REASON_AMBIGUOUS] = "file offset or vaddr: nothing decides",
	    [REASON_OUTSIDE] = "in no code of its module",
	    [REASON_NO_SYMBOL] = "no function or symbol covers it",
	    [REASON_NO_DWARF] = "name only: no DWARF for it",
	    [REASON_MALFORMED] = "malformed DWARF",
	    [REASON_REPLACED] = "module was replaced: its file is another one",
	    [REASON_GAVE_UP] = "gave up: limit of time or memory",
	};

	return reason < REASONS ? texts[reason] : "?";
}

const char *tier_name(unsigned tier)
{
	static const char *const names[TIERS] = {"nothing", "module", "name", "line"};

	return tier < TIERS ? names[tier] : "?";
}

/* SPDX-License-Identifier: MIT
 *
 * Answers of tracemill/symbolize.h that are asked again of libdwarf, on lib/symbolize/verify.h.
 */
#include "lib/base/mem.h"
#include "lib/library/symbolizer.h"

#include <string.h>

static enum tracemill_status symbolizer_verify(struct library_call *c)
{
	struct library_opened *x = c->s->opened;
	struct tracemill_verified *to = c->a;
	struct tracemill_verified sums = {.seed = c->s->options.verify_seed};
	const struct verify_case *cases;
	struct err e = ERR_INIT;
	size_t n;

	x->n_verified = 0;
	if (verify_run(x->verify, x->lookup.options.dwarf.jobs, &e))
		return handle_fail(&c->s->handle, &e);
	cases = verify_cases(x->verify, &n);
	sums.asked = n;
	for (size_t i = 0; i < n; i++) {
		sums.equal += cases[i].outcome == VERIFY_EQUAL;
		sums.different += cases[i].outcome == VERIFY_DIFFERENT;
		sums.unknown += cases[i].outcome == VERIFY_UNKNOWN;
	}
	if (to) {
		sums.size = to->size;
		memcpy(to, &sums, to->size < sizeof sums ? to->size : sizeof sums);
	}
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_verify(struct tracemill_symbolizer *s,
				       struct tracemill_verified *verified)
{
	if (!s->options.verify)
		return handle_misuse(&s->handle, "without options.verify");
	if (verified && verified->size < sizeof verified->size)
		return handle_misuse(&s->handle, "verified: size is not filled in");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_verify, .a = verified});
}

/* The i-th of those that are not equal. */
static enum tracemill_status symbolizer_difference(struct library_call *c)
{
	struct tracemill_difference *to = c->a, d = {.size = to->size};
	const struct verify_case *x = verify_unequal(c->s->opened->verify, c->n);

	if (!x)
		return TRACEMILL_NOTHING;
	d.path = x->path;
	d.address = x->addr;
	d.answer = x->ours;
	d.libdwarf = x->theirs;
	d.unknown = x->outcome == VERIFY_UNKNOWN;
	memcpy(to, &d, to->size < sizeof d ? to->size : sizeof d);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_difference(struct tracemill_symbolizer *s, size_t i,
					   struct tracemill_difference *difference)
{
	if (!s->options.verify)
		return handle_misuse(&s->handle, "without options.verify");
	if (difference->size < sizeof difference->size)
		return handle_misuse(&s->handle, "difference: size is not filled in");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_difference, .a = difference, .n = i});
}

/* SPDX-License-Identifier: MIT */
#include "lib/trace/losses.h"

#include <inttypes.h>
#include <string.h>

void trace_losses(struct trace *t, const struct trace_loss *losses, size_t n)
{
	for (const struct trace_loss *l = losses; t && l < losses + n; l++) {
		const char *hole = l->n ? strstr(l->text, "{}") : NULL;
		uint64_t count = l->uncounted ? 0 : l->n;

		if (hole)
			trace_note(t, l->severity, count, "%.*s%" PRId64 "%s",
				   (int)(hole - l->text), l->text, l->with, hole + 2);
		else if (l->n)
			trace_note(t, l->severity, count, "%s", l->text);
	}
}

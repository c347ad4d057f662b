/* SPDX-License-Identifier: MIT
 *
 * Losses, guesses and other remarks of a reader as a table: a counter, how severe it is, and its text. One
 * call makes notes of those that are not 0, in the order of the table.
 *
 *	const struct trace_loss losses[] = {
 *	    LOSS(NOTE_LOSS, x->orphans, "ends of calls have no begin"),
 *	    LOSS_WITH(NOTE_LOSS, x->refused, "lines were left out; the first is line {}", x->first),
 *	    LOSS_WITH(NOTE_LOSS, x->deep, "calls are above the limit of {} in a stack", STACK_MOST),
 *	    LOSS_IF(NOTE_LOSS, x->cut, "the file has no end: it may be cut short"),
 *	};
 *
 *	TRACE_LOSSES(t, losses);
 */
#ifndef TM_TRACE_LOSSES_H
#define TM_TRACE_LOSSES_H

#include "lib/trace/model.h"

struct trace_loss {       /* by the macros below */
	uint64_t n;       /* how many things it is about; 0: no note */
	const char *text; /* without n, which is shown behind it; borrowed for the call */
	int64_t with;     /* stands for "{}" in the text: a place, a limit, an amount */
	enum severity severity;
	bool uncounted; /* n only says whether it is so: the note has no count */
};
#define LOSS(severity, n, text)             \
	{                                   \
		n, text, 0, severity, false \
	}
#define LOSS_WITH(severity, n, text, with)                \
	{                                                 \
		n, text, (int64_t)(with), severity, false \
	}
#define LOSS_IF(severity, is, text)         \
	{                                   \
		is, text, 0, severity, true \
	}

/* t NULL: a capture that could not be begun has no notes. */
void trace_losses(struct trace *t, const struct trace_loss *losses, size_t n);
/* Of an array. */
#define TRACE_LOSSES(t, losses) trace_losses(t, losses, sizeof(losses) / sizeof *(losses))

#endif

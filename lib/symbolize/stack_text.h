/* SPDX-License-Identifier: MIT
 *
 * The symbolizer of text with stacks (lib/input/stack_line.h), which gives the same text with
 * functions, files and lines. Lines are gathered and what they ask for is answered in one batch of
 * the symbolizer; an address that was answered before is not asked again. What has no answer stays
 * as it was, and is counted.
 *
 * How a call is written: sanitizers' as they do it themselves with symbolize=1, inlined calls
 * with numbers of their own; Android's as ndk-stack does it, below the line; else behind the line,
 * and inlined calls in lines of their own.
 */
#ifndef TM_SYMBOLIZE_STACK_TEXT_H
#define TM_SYMBOLIZE_STACK_TEXT_H

#include "lib/base/buf.h"
#include "lib/symbolize/symbolize.h"

struct stack_text {                    /* zeroed, with symbolizer set, is valid */
	struct symbolizer *symbolizer; /* the caller's */
	const struct trace *maps;  /* where modules were; NULL: not known; until the first line */
	uint64_t calls;            /* lines that are one */
	uint64_t named;            /* of them, with a function now */
	uint64_t kept;             /* of them, without an answer but named before */
	uint64_t reasons[REASONS]; /* of the others */
	struct stack_text_gathered *gathered; /* lines and answers; stack_text.c; NULL: none yet */
};

void stack_text_release(struct stack_text *x);
/* A line, before any is given by the function below: what it says of modules counts for the calls before it, too. All lines
 * of the text, or none. */
void stack_text_scan(struct stack_text *x, const char *s, size_t n);
/* A line without its end, copied. */
void stack_text_line(struct stack_text *x, const char *s, size_t n);
/* Answers what has gathered, and appends the text to out. Errors: as symbolizer_run; the text is
 * there all the same, as it was. */
enum status stack_text_flush(struct stack_text *x, struct buf *out, struct err *e);
/* What speaks against names that were given, each once; until stack_text_release. NULL: no more. */
const char *stack_text_next_note(struct stack_text *x);
/* Whether a call names its module; until the same. */
bool stack_text_has_modules(const struct stack_text *x);

#endif

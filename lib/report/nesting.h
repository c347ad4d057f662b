/* SPDX-License-Identifier: MIT
 *
 * Calls that are open, per thread: enters and exits become the time of each call. An exit belongs
 * to the innermost open call of its marker and stack; the calls inside that did not exit end with
 * it. Memory is O(depth), and the depth is bounded: deeper calls are counted and their time is
 * that of the deepest one kept; so is the search for what an exit belongs to. Zeroed is empty and
 * valid.
 */
#ifndef TM_REPORT_NESTING_H
#define TM_REPORT_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NESTING_DEPTH = 1 << 16, NESTING_SEARCH = 4096 };

struct nesting_call {
	uint32_t cell; /* the user's */
	uint32_t type, stack;
	int64_t total; /* ns so far: its own, and of calls that ended in it */
};

struct nesting_thread {
	struct nesting_call *calls;
	size_t n, cap;
	uint64_t deep; /* open calls that are not kept */
	int64_t last;  /* time of its last event */
	bool has_last;
};

struct nesting {
	struct nesting_thread *threads; /* by thread id */
	size_t n, cap;
	uint64_t orphans;  /* exits of what was not open */
	uint64_t unclosed; /* calls that ended with one around them, or with the capture */
	uint64_t too_deep; /* enters that were not kept */
	uint64_t backward; /* times that lie before the one before them in their thread */
};

void nesting_reset(struct nesting *n);
void nesting_release(struct nesting *n);
struct nesting_thread *nesting_thread(struct nesting *n, uint32_t thread);
static inline struct nesting_call *nesting_top(const struct nesting_thread *t)
{
	return t->n ? &t->calls[t->n - 1] : NULL;
}
/* ns since the thread's last event, which is now this one. */
int64_t nesting_elapsed(struct nesting *n, struct nesting_thread *t, int64_t now);
/* False: too deep, it is counted only. */
bool nesting_enter(struct nesting *n, struct nesting_thread *t, const struct nesting_call *c);
/* How many calls end: 0 for none. They are taken off by nesting_pop. type and stack 0: the
 * innermost. */
size_t nesting_exit(struct nesting *n, struct nesting_thread *t, uint32_t type, uint32_t stack);
/* The innermost call; its total joins that of its caller. */
struct nesting_call nesting_pop(struct nesting_thread *t);

#endif

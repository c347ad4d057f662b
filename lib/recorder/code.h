/* SPDX-License-Identifier: MIT
 *
 * The executable mappings of the process as the kernel lists them: code of modules, and code made
 * at run time. A walk that arrives anywhere else has taken some other word for a return address.
 *
 * Any thread asks, without a lock and without a call of the C library, and remembers the pages that
 * were code. The list is read anew (system calls alone) at once when an address is in a module that
 * is not in it, or the program has mapped code since. Other addresses that are not code may have
 * become it: for those the helper reads the list, no more often than LOOK_NS, nor than takes a
 * fiftieth of the time; until then they end walks. Where the list cannot be read, every address is
 * taken for code.
 *
 * Two tables: one is looked at while the other is filled.
 *
 * Facts: proc_pid_maps(5).
 */
#ifndef TM_RECORDER_CODE_H
#define TM_RECORDER_CODE_H

#include "lib/recorder/base/lock.h"

#include <stdint.h>

enum { CAP_CODE_RANGES = 1 << 14, CAP_CODE_PAGES = 256, CAP_CODE_SHIFT = 12 };

/* The pages of code that a thread has seen. Zeroed: none. */
struct cap_code_pages {
	uintptr_t page[CAP_CODE_PAGES]; /* number + 1 */
};

struct cap_code_range {
	_Atomic uintptr_t lo, hi; /* lowest bit of lo: it is code */
};

struct cap_code_table {
	_Atomic uint32_t n;
	struct cap_code_range
	    *ranges; /* in ascending order, which do not touch if they are alike */
};

struct cap_code {
	struct cap_lock lock;   /* of who fills */
	_Atomic uint32_t looks; /* table[looks % 2] is in force; 0: none is */
	_Atomic int64_t due;    /* when the helper may read it anew */
	_Atomic bool wanted;    /* by the helper */
	_Atomic bool changed;   /* the program has mapped code since */
	_Atomic bool failed;    /* the last time */
	struct cap_code_table table[2];
	char text[8192]; /* of the list, while it is read */
};

/* The list is read. False: it cannot be, or another thread is reading it. */
bool cap_code_look(struct cap_code *c);
/* The program has mapped some. */
void cap_code_changed(struct cap_code *c);
/* In the helper: reads the list if a thread wants it. */
void cap_code_tick(struct cap_code *c);
/* In a child after fork. */
void cap_code_fork(struct cap_code *c);

/* For cap_code_is. */
bool cap_code_ask(struct cap_code *c, struct cap_code_pages *seen, uintptr_t pc);

/* Is there code before pc, a return address? */
static inline bool cap_code_is(struct cap_code *c, struct cap_code_pages *seen, uintptr_t pc)
{
	uintptr_t page = ((pc - 1) >> CAP_CODE_SHIFT) + 1;

	return seen->page[page % CAP_CODE_PAGES] == page || cap_code_ask(c, seen, pc);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The trail of a search for a file: the places that were tried, in order, and why each was taken or
 * not; for --explain.
 */
#ifndef TM_OBJECT_TRAIL_H
#define TM_OBJECT_TRAIL_H

#include <stdbool.h>
#include <stddef.h>

struct trail_step {
	char *path; /* or an address on a server */
	char *why;
	bool taken;
};

struct trail { /* zeroed is empty */
	struct trail_step *all;
	size_t n, cap;
};

/* t NULL: not wanted. */
void trail_add(struct trail *t, bool taken, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void trail_release(struct trail *t);

#endif

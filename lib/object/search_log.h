/* SPDX-License-Identifier: MIT
 *
 * The log of a search for a file: the places that were tried, in order, and why each was taken or
 * not; for --explain.
 */
#ifndef TM_OBJECT_SEARCH_LOG_H
#define TM_OBJECT_SEARCH_LOG_H

#include <stdbool.h>
#include <stddef.h>

struct search_log_step {
	char *path; /* or an address on a server */
	char *why;
	bool taken;
};

struct search_log { /* zeroed is empty */
	struct search_log_step *all;
	size_t n, cap;
};

/* t NULL: not wanted. */
void search_log_add(struct search_log *t, bool taken, const char *path, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void search_log_release(struct search_log *t);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The common part of all handles of libtracemill: a scope for the handle's resources, the reason of
 * its last error, and a way to cancel a running call.
 */
#ifndef TM_LIBRARY_HANDLE_H
#define TM_LIBRARY_HANDLE_H

#include "lib/base/err.h"
#include "lib/base/resource_scope.h"
#include "lib/library/tracemill/version.h"

struct library_handle {
	struct resource_scope *scope; /* NULL: nothing is held */
	atomic_bool cancelled;
	struct err e; /* msg: "" */
};

/* Runs fn in the handle's scope. TRACEMILL_OK: fn returned. Else all that the scope held has been
 * given back, and the handle's error is set. */
enum tracemill_status handle_run(struct library_handle *h, void (*fn)(void *arg), void *arg);
/* Any thread, signal handlers. */
void handle_cancel(struct library_handle *h);
void handle_release(struct library_handle *h);

/* Errors that have no struct err; they return what they set. */
enum tracemill_status handle_misuse(struct library_handle *h, const char *what);
enum tracemill_status handle_no_memory(struct library_handle *h);
enum tracemill_status handle_fail(struct library_handle *h, const struct err *e);
/* Ends the scope, after something in it has ended so (not RESOURCE_SCOPE_DONE). */
enum tracemill_status handle_end(struct library_handle *h, enum resource_scope_end end);
/* Puts the place in the file before the text of an error. */
void handle_place(struct err *e);
/* The public status of an enum status. */
enum tracemill_status handle_status(enum status st);

#endif

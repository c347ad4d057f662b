/* SPDX-License-Identifier: MIT
 *
 * A buffer of enter and exit events, kept until they can be written thread by thread. They are in an unlinked
 * temporary file, 16 bytes each, in blocks. Memory holds the block that each thread fills, and a number for each
 * block.
 *
 * What is open, and what an exit ends, is open_calls.h's business; what is kept is balanced and in
 * order of time: a pause ends what is open, which goes on behind it; an exit that ends nothing is dropped; what is open at the capture's end is left at
 * the thread's last time; a time before the thread's last one becomes that. Each of these is
 * counted and becomes a note.
 */
#ifndef TM_EXPORT_EVENTS_H
#define TM_EXPORT_EVENTS_H

#include "lib/tally/open_calls.h"
#include "lib/trace/sink.h"

#include <stdio.h>

enum { EVENTS_BLOCK = 256 };

struct events_entry {
	int64_t at;
	uint32_t what; /* index in whats */
	bool enter;
	bool continued; /* it was left where a pause began */
};

struct events_thread {
	char *name;
	int64_t first, last;
	size_t n_events;
	uint32_t *blocks; /* numbers of its blocks in the file */
	size_t n_blocks, cap_blocks;
	struct events_entry *tail; /* EVENTS_BLOCK of them */
	size_t n_tail;
};

struct events_what {       /* that is entered */
	uint32_t location; /* of the capture */
	uint32_t frame;    /* the user's, from when the capture has ended */
};

struct export_events {
	FILE *file;
	uint32_t n_written;
	struct events_thread *threads;
	size_t n_threads, cap_threads;
	struct events_what *whats;
	size_t n_whats, cap_whats;
	/* of the capture */
	const char *capture;
	uint32_t captures;
	size_t first_what;
	struct map64 index;      /* thread id of the capture + 1 -> ours + 1 */
	struct map64 what_index; /* its locations -> whats + 1 */
	struct open_calls open;
	uint64_t untimed, unclosed;
	bool failed;
	struct err e;
};

void events_begin(struct export_events *x, const struct trace *t, const char *file);
enum status events_add(struct export_events *x, struct trace *t, const struct event *ev,
		       struct err *e);
/* The capture's are whats from first_what on: until the next capture begins. */
void events_end(struct export_events *x, struct trace *t);
void events_release(struct export_events *x); /* accepts a zeroed struct */

/* A thread's events in order. */
enum status events_replay(struct export_events *x, size_t thread,
			  void (*each)(void *arg, size_t number, const struct events_entry *entry,
				       uint32_t frame),
			  void *arg, struct err *e);

/* "main (7)", "thread 7", "process 3 thread 7"; the caller frees it. */
char *thread_title(const struct trace *t, uint32_t thread);

#endif

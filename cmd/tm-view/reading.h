/* SPDX-License-Identifier: MIT
 *
 * A file that grows, read bit by bit by a reader that streams (formats/reader.h): the reader stops where the file
 * ends, and goes on when there is more. What is kept by then has no end: a process of its own settles it, which is
 * then as if the file had been loaded as it is.
 */
#ifndef TM_CMD_VIEW_READING_H
#define TM_CMD_VIEW_READING_H

#include "formats/reader.h"
#include "lib/event_store/event_store.h"

struct reading;

/* Fills k, whose capture that goes on has no trace yet. fd stays the caller's. */
struct reading *reading_new(int fd, const char *path, const struct import_options *o,
			    struct event_store *k);
/* Takes what has come. False: nothing had. */
bool reading_read(struct reading *r);
/* Bytes, so far. */
uint64_t reading_taken(const struct reading *r);
/* The file ends here. In a process that is forked for it; before k is walked. */
void reading_settle(struct reading *r);
void reading_free(struct reading *r); /* before k is released; accepts NULL */

#endif

/* SPDX-License-Identifier: MIT
 *
 * The merge of several captures of one run: their tables joined, their events in one order. Each
 * capture (part) is read wholly into a temporary file first, so memory is that of the tables and 16
 * bytes per frame. Then:
 *
 * Frames are those of all parts together, by number; where several parts have one, it is emitted
 * once, from the first of them, and the events of all parts within it follow. A part without frames
 * is placed by its times. Within a frame events go by time, as far as they have one; else part
 * after part. With MERGE_TIME numbers mean nothing: all go by time, and the frames are those of the
 * first part that has any.
 *
 * Times are made those of the first part: by the offset that the user gives, else by the median
 * difference of the frames that both have. Where there is neither, they stay, with a note.
 */
#ifndef TM_TRACE_MERGE_H
#define TM_TRACE_MERGE_H

#include "lib/trace/sink.h"

#include <stdio.h>

enum merge_align { MERGE_AUTO, MERGE_FRAMES, MERGE_TIME };

struct merge;

struct merge_options {
	enum merge_align align; /* AUTO: frames, where two parts have one number, else time */
	/* A file for a part, opened for update, which the merge closes; NULL: *e says why. */
	FILE *(*spool)(struct err *e);
};

struct merge *merge_new(const struct merge_options *o);
void merge_free(struct merge *m);
/* What is read next: its name in notes, and what is added to its times where given. */
void merge_part(struct merge *m, const char *name, bool has_offset, int64_t offset);
struct sink *merge_sink(struct merge *m);
enum status merge_write(struct merge *m, struct sink *to, struct err *e);

#endif

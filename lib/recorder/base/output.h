/* SPDX-License-Identifier: MIT
 *
 * The output of a recording's chunks from the process: an open file descriptor, and two chunks that are being
 * filled, one of rows and one of events, these in plain columns. Nothing here allocates. One caller at a time.
 *
 * The program does not know of our descriptor and may close it, and open another file under its
 * number: so before each write it is checked whether it is still the same file, and if not, it is
 * opened again by its path. After the first error nothing more is written (the trace is cut there).
 */
#ifndef TM_RECORDER_BASE_OUTPUT_H
#define TM_RECORDER_BASE_OUTPUT_H

#include "lib/trace/column_encoder.h"

enum { CAP_CHUNK = 32 << 10 };

struct cap_output {
	int fd;           /* -1: none, or broken */
	int error;        /* errno of what went wrong; 0: nothing */
	const char *path; /* of the output, absolute; NULL: not known */
	uint64_t device, inode;
	uint32_t kind;   /* of the rows that are gathered; 0: none */
	bool fresh;      /* cap_output_row has begun a chunk */
	uint32_t n_rows; /* bytes */
	uint64_t full;   /* chunks of events that were written since they were full */
	uint64_t events[EV_KINDS];
	uint64_t strings, modules, locations, stacks, threads, counters, types,
	    markers;                     /* rows so far */
	uint32_t severity[3];            /* their rows; 0: not yet */
	uint8_t mark[CHUNK_HEADER_SIZE]; /* from here on a capture does not begin with zeroes */
	struct column_encoder gather;
	uint8_t row[CAP_CHUNK];
};

/* Begins a capture on fd: writes the mark. path is borrowed; NULL: not known. room is
 * COLUMN_ENCODER_ROOM bytes, borrowed; NULL: there is no memory, an error. unit: ns, of which the events' times
 * are multiples. */
void cap_output_begin(struct cap_output *o, int fd, const char *path, uint8_t *room, int64_t unit);
/* Closes the descriptor, if it is still the output's. */
void cap_output_close(struct cap_output *o);
/* As write, without the signals of a pipe without a reader and of a file that is too large. */
long cap_output_write(int fd, const void *p, size_t n);
void cap_output_chunk(struct cap_output *o, uint32_t kind, const void *payload, uint32_t n);
/* Room for n bytes of rows of this kind, of which first is the first; a chunk is written when it
 * is full or the kind changes. The caller writes there, then says how much with cap_output_rows. */
uint8_t *cap_output_row(struct cap_output *o, uint32_t kind, uint64_t first, uint32_t n);
static inline void cap_output_rows(struct cap_output *o, const uint8_t *end)
{
	o->n_rows = (uint32_t)(end - o->row);
}
void cap_output_event(struct cap_output *o, const struct event *ev);
/* The row of a text of at most 4096 bytes; longer ones are cut. */
uint64_t cap_output_string(struct cap_output *o, const void *text, size_t n);
/* The row of the marker of a severity of the program's log: 0 info, 1 warning, 2 error. */
uint32_t cap_output_severity(struct cap_output *o, unsigned severity);
void cap_output_note(struct cap_output *o, unsigned severity, uint64_t count, const char *text);
/* What is gathered is written: the rows, then the events. */
void cap_output_flush(struct cap_output *o);
/* The last chunk. */
void cap_output_totals(struct cap_output *o);

static inline uint8_t *cap_uleb(uint8_t *p, uint64_t v)
{
	return p + uleb_encode(p, v);
}

#endif

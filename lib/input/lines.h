/* SPDX-License-Identifier: MIT
 *
 * Lines of a descriptor as they come: all that are there, without waiting for more. So a program
 * that sends one line and waits for its answer gets it at once, and a file comes in large pieces.
 */
#ifndef TM_INPUT_LINES_H
#define TM_INPUT_LINES_H

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/input/text_mark.h"

#include <stdbool.h>

enum {
	LINES_LONGEST = 16 << 10, /* what a line has beyond that is dropped and counted */
	LINES_MOST = 1 << 20,     /* lines in one piece */
};

struct input_line {
	const char *s; /* NUL-terminated, without its end ("\n"), may hold NULs inside */
	size_t n;
};

struct input_lines { /* zeroed, with fd set, is valid */
	int fd;
	size_t longest; /* 0: LINES_LONGEST */
	bool is_text;   /* UTF-16 and UTF-8 behind their marks become plain UTF-8 (text_mark.h) */
	struct text_mark mark;
	uint8_t *window; /* bytes that the mark has not taken yet */
	size_t cap_window, n_window;
	uint64_t dropped; /* bytes of all lines */
	struct buf text;
	uint32_t *ends; /* of the lines that are whole: where their "\n" is in text */
	size_t n_ends, cap_ends;
	size_t used;    /* bytes at the start of text that were given out */
	size_t in_line; /* length of the last line so far */
	bool at_end;
	struct input_line *items; /* the piece; borrowed from text until the next call */
	size_t n, cap;
};

/* The next piece, at least one line. A last line without an end counts. ST_NONE: the end. */
enum status lines_next(struct input_lines *l, struct err *e);
void lines_release(struct input_lines *l);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Internal to slua.c: the frames in a block of a .sluastat.
 */
#ifndef TM_FORMATS_UNREAL_SLUA_FRAME_H
#define TM_FORMATS_UNREAL_SLUA_FRAME_H

#include "formats/reader.h"
#include "lib/base/buf.h"

struct slua_node {
	uint32_t stack, left;
	int64_t us, children;
	int32_t calls;
};

struct slua_row { /* what a line has in use, or a file without its known lines */
	uint32_t stack;
	uint32_t file;  /* of a line: index of its file's row */
	int64_t bytes;  /* of a file: of all of it */
	int64_t change; /* in this frame; of a file: of its lines */
	int64_t total;  /* of a file: what this frame says */
	uint64_t seen;  /* the frame, + 1, that had it last */
};

struct slua {
	struct import *im;
	struct map64 names;                  /* id -> string id of the trace */
	struct map64 line_index, file_index; /* rows + 1 */
	struct slua_row *lines, *files;
	size_t n_lines, cap_lines, n_files, cap_files;
	uint32_t *touched; /* lines of this frame */
	size_t n_touched, cap_touched;
	struct slua_node *open;
	size_t n_open, cap_open;
	struct buf text;
	uint32_t heap_counter;
	uint64_t frame;
	bool ended;
	bool lost; /* frames are missing: which list is full is not known */
	uint64_t repaired, nameless, numbers, clamped, behind, other_keys, unclosed;
	int64_t clamped_us;
};

/* All frames of a block. ST_OK also when the cursor failed: then what was whole was pushed. */
enum status slua_frames(struct slua *s, struct cursor *c, struct err *e);
void slua_notes(struct slua *s);
void slua_release(struct slua *s);

#endif

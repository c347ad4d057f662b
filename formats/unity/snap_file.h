/* SPDX-License-Identifier: MIT
 *
 * The container of Unity's .snap files, little-endian: u32 0xAEABCDCD at 0; at the end u64 offset
 * of the directory and u32 0xABCDCDAE. Directory: u32 0xCDCDAEAB, u32 0x20170724, u64 offset of the
 * block section, u32 number of chapters, u64 offsets of them (0: absent). Block section: u32
 * 0x20170724, u32 number of blocks, u64 offsets. Block: u64 size of a chunk, u64 bytes in all, u64
 * offsets of its chunks. Chapter: u16 kind, u32 block, then by kind: 1 (a value) u32 size, u64
 * position in the block; 2 (elements of one size) u32 size of an element, u32 count; 3 (elements
 * of any size) u32 count, then u64 positions in the block, one more than elements.
 * Facts read in facebookexperimental/MemorySnapshotAnalyzer@100feb3b (UnityBackend/) and
 * com.unity.memoryprofiler 1.1.12 (Editor/MemorySnapshot/Reader); no real file was at hand.
 */
#ifndef TM_FORMATS_UNITY_SNAP_FILE_H
#define TM_FORMATS_UNITY_SNAP_FILE_H

#include "lib/base/arena.h"
#include "lib/input/input.h"

#include <stdbool.h>

enum snap_kind { SNAP_ABSENT, SNAP_VALUE, SNAP_FIXED, SNAP_VARIED };

struct snap_chapter {
	uint16_t kind;           /* enum snap_kind */
	uint32_t block, element; /* bytes of an element, of SNAP_VARIED 0 */
	uint64_t count;          /* elements */
	uint64_t at; /* of a value: in the block; of SNAP_VARIED: of the positions in the file */
};

struct snap_file {
	struct input *in;
	struct snap_block {
		uint64_t chunk, total, n_chunks;
		uint64_t *chunks; /* in the arena */
	} * blocks;
	uint64_t n_blocks;
	struct snap_chapter *chapters;
	uint64_t n_chapters;
	struct arena arena;
};

/* The directories, checked: all offsets lie in the file, all chapters in their blocks. */
enum status snap_open(struct snap_file *f, struct input *in, struct err *e);
void snap_close(struct snap_file *f); /* accepts a zeroed struct */

/* What chapter i is; an absent one if missing. */
struct snap_chapter snap_chapter(const struct snap_file *f, unsigned i);
/* All elements of a fixed chapter, widened from their size (1, 2, 4 or 8; is_signed extends the
 * sign), in the arena. Absent: *n is 0. what: for messages. */
enum status snap_numbers(struct snap_file *f, unsigned i, bool is_signed, const char *what,
			 uint64_t **v, uint64_t *n, struct err *e);
/* The positions of a varied chapter, n + 1 of them, ascending and in the block. */
enum status snap_positions(struct snap_file *f, unsigned i, const char *what, uint64_t **v,
			   uint64_t *n, struct err *e);
/* Bytes of a chapter's block. */
enum status snap_bytes(struct snap_file *f, unsigned i, uint64_t at, void *p, size_t n,
		       const char *what, struct err *e);

#endif

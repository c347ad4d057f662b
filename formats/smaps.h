/* SPDX-License-Identifier: MIT
 *
 * The memory numbers of a smaps text, by mapped file, as counters of the capture. Mappings of
 * one base name are one, as in LoliProfiler; proc_pid_smaps(5) has the numbers' meaning. They have
 * no time: the text is a single reading, which agents take when they stop.
 *
 * Counters, all in B: smaps.size, smaps.rss, smaps.pss, ... of the whole text, and "smaps.pss NAME"
 * of the SMAPS_LARGEST names with the largest Pss; what the others have is "smaps.pss (others)".
 */
#ifndef TM_FORMATS_SMAPS_H
#define TM_FORMATS_SMAPS_H

#include "lib/trace/sink.h"

struct import;

enum smaps_key {
	SMAPS_SIZE,
	SMAPS_RSS,
	SMAPS_PSS,
	SMAPS_SHARED_CLEAN,
	SMAPS_SHARED_DIRTY,
	SMAPS_PRIVATE_CLEAN,
	SMAPS_PRIVATE_DIRTY,
	SMAPS_SWAP,
	SMAPS_SWAP_PSS,
	SMAPS_KEYS
};

enum { SMAPS_LARGEST = 20 };

/* kB of a mapping; has: a bit for each key that its text has. */
struct smaps_sizes {
	uint64_t kb[SMAPS_KEYS];
	uint32_t has;
};

struct smaps { /* zeroed is empty and valid */
	struct intern names;
	struct smaps_sizes *items; /* by id in names; [0] is the whole text */
	size_t n, cap;
	uint64_t refused; /* numbers that no memory has */
};

/* Takes "Pss:   512 kB". False: not a line of a key that is kept. */
bool smaps_line(struct smaps_sizes *s, const char *line, size_t n);
/* name: a path, of which the base name counts; "": "anonymous". */
void smaps_add(struct smaps *s, const char *name, size_t n, const struct smaps_sizes *sizes);
/* Pushes the counters, if there are any, and notes what they leave out. */
enum status smaps_push(const struct smaps *s, struct import *im, struct err *e);
void smaps_release(struct smaps *s);

#endif

/* SPDX-License-Identifier: MIT
 *
 * MSF, the container of PDB files: streams in blocks of one size. Facts: Microsoft's microsoft-pdb
 * (PDB/msf/msf.cpp), and LLVM's "The MSF File Format":
 *
 *	block 0    magic (32 bytes), u32 size of a block, u32 of the two maps of free blocks the one in
 *	           force, u32 blocks of the file, u32 bytes of the directory, u32 0, u32 first block of
 *	           the list of the directory's blocks
 *	directory  u32 streams, u32 size of each (all bits: none), u32 blocks of each
 *
 * Streams are not put together: who wants n bytes at an offset gets a pointer into the file's mapping where their
 * blocks follow each other, as those that linkers write mostly do, and else a copy. Blocks are checked against the
 * file's size when they are used, so a stream may have one block twice, and be as long as that makes it: what a
 * stream's size promises is bounded by the directory's own bytes, which are there. Any number of threads may read.
 */
#ifndef TM_OBJECT_MSF_H
#define TM_OBJECT_MSF_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object_image;
struct msf;

/* Memory for what does not lie in one piece; zeroed is empty. */
struct msf_room {
	uint8_t *p;
	size_t cap;
};
void msf_room_release(struct msf_room *r);

enum { MSF_NO_STREAM = 0xffff };

bool msf_is(const uint8_t *head, size_t n);
/* The file stays the image's, and must outlive it. */
enum status msf_open(struct msf **out, const struct object_image *f, struct err *e);
void msf_free(struct msf *m); /* accepts NULL */

uint64_t msf_file_size(const struct msf *m);
/* A hash of its directory: the sizes of all streams, and where each block is. */
uint64_t msf_fingerprint(const struct msf *m);
/* 0: it is empty, or not there. */
uint32_t msf_size(const struct msf *m, uint32_t stream);
/* n bytes at an offset of a stream; NULL: they are not all in it, or a block lies outside the file. Valid until the
 * room is used again, and as long as the file where *stays. */
const uint8_t *msf_bytes(const struct msf *m, uint32_t stream, uint64_t at, uint64_t n,
			 struct msf_room *room, bool *stays);
/* The same, always as a copy in the room: what is used once costs less so than by its pages of the mapping. */
const uint8_t *msf_copy(const struct msf *m, uint32_t stream, uint64_t at, uint64_t n,
			struct msf_room *room);
/* What was looked at of the mapping is no longer held in memory; pointers into it stay valid. */
void msf_drop(const struct msf *m);
/* False when a page of the mapping could not be read: the file has become shorter. */
bool msf_intact(const struct msf *m);

#endif

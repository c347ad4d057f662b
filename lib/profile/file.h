/* SPDX-License-Identifier: MIT
 *
 * An aggregate as a stream of records in ascending order of their keys, read and written front to
 * back in memory that does not grow (tracemill-aggregate(5)):
 *
 *	magic    8 bytes "\211TMA\r\n\032\n"; u16 major 2, u16 minor 0, u32 0
 *
 *	blocks   4 bytes "recs"; u32 length; u64 checksum; payload
 *
 *	         checksum: XXH3 of the payload, with the number of the block (from 0) as its seed
 *
 *	records  in a block: uleb how many bytes of its key are those of the one before in it;
 *
 *	         uleb how many follow; these; uleb length; what is known
 *
 *	end      4 bytes "end "; u32 16; u64 checksum; u64 number of records, u64 chain
 *
 *	         chain: from 0, with each block's checksum: hash_u64(chain ^ checksum) + 1
 *
 * Little-endian. A block ends with the first record that makes it AGG_BLOCK bytes or more, and 8 times as long
 * as its first key or 32 MiB, and before one that would make it longer than AGG_RECORD_MAX.
 */
#ifndef TM_PROFILE_FILE_H
#define TM_PROFILE_FILE_H

#include "lib/profile/record.h"

#include <stdio.h>

#define AGG_MAGIC "\211TMA\r\n\032\n"
enum { AGG_MAJOR = 2, AGG_BLOCK = 64 << 10 };

/* Whether what begins at the cursor is one (of any version). */
bool aggregate_is(struct cursor *c);

struct aggregate_reader {
	struct cursor *c;  /* the caller's: over the whole file */
	struct buf key;    /* of the present record, as bytes */
	const char *known; /* its other bytes; until the next */
	size_t n_known;
	uint64_t offset; /* of these bytes in the file */
	uint64_t records, block;

	struct aggregate_unpacking *unpacking; /* file.c */
};

void aggregate_reader_init(struct aggregate_reader *r, struct cursor *c);
void aggregate_reader_release(struct aggregate_reader *r);
/* The next record as bytes: key and known. ST_NONE: the end, which has been checked. A file that is
 * cut or damaged is ST_BAD, one of another version ST_UNSUPPORTED. */
enum status aggregate_reader_next(struct aggregate_reader *r, struct err *e);
/* The same, and it is taken apart into *rec, whose texts are valid until the next. */
enum status aggregate_reader_record(struct aggregate_reader *r, struct aggregate_record *rec,
				    struct err *e);

struct aggregate_writer {
	FILE *f; /* the caller's; NULL: into out */
	struct buf *out;
	uint64_t records, block;

	struct aggregate_packing *packing; /* file.c */
};

void aggregate_writer_init(struct aggregate_writer *w, FILE *f, struct buf *out);
void aggregate_writer_release(struct aggregate_writer *w);
/* Records come in ascending order of their keys. Errors of writing are found with ferror. */
void aggregate_writer_add(struct aggregate_writer *w, const char *key, size_t n_key,
			  const char *known, size_t n_known);
/* The first bytes of the key, so many of them, are known to be those of the record before. */
void aggregate_writer_add_same(struct aggregate_writer *w, size_t same, const char *key,
			       size_t n_key, const char *known, size_t n_known);
void aggregate_writer_record(struct aggregate_writer *w, struct aggregate_record *rec);
void aggregate_writer_end(struct aggregate_writer *w);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The lists in Miku-LuaProfiler's network stream, besides samples: its message about Lua objects
 * held by C# (LuaRefInfo), and the lists of a diff (LuaDiffInfo, 2.3 to 3.1.x).
 *
 * What C# still holds when the stream ends becomes a snapshot in the samples' capture. Each list of
 * a diff that is not empty becomes a capture of its own behind it, with the attribute miku.list.
 */
#ifndef TM_FORMATS_MIKU_LISTS_H
#define TM_FORMATS_MIKU_LISTS_H

#include "formats/miku/tree.h"
#include "formats/reader.h"

struct miku_ref {
	uint32_t name, address; /* ids in names.text */
	uint8_t type;           /* 1 function, 2 table */
	uint8_t added;
	int32_t frame;
};

struct miku_refs { /* zeroed is valid */
	struct miku_ref *rows;
	size_t n, cap;
	struct map64 by_address;                /* id of the address -> row + 1 */
	uint64_t held, added, removed, unknown; /* removed, but never added */
};

enum status miku_ref_read(struct miku_ref *r, struct miku_names *names, struct cursor *c,
			  bool *broken);
void miku_ref_add(struct miku_refs *refs, const struct miku_ref *r);
enum status miku_refs_push(struct miku_refs *refs, const struct miku_names *names,
			   struct import *im, struct err *e);
void miku_refs_release(struct miku_refs *refs);

/* How the tags write a diff. */
enum miku_diff_shape {
	MIKU_DIFF_23, /* tag 2.3: names only in the null list, and no paths of it */
	MIKU_DIFF_30, /* 2.3.4beta1 to 3.0 */
	MIKU_DIFF_31, /* 3.1 to 3.1.4: grouped by type */
	MIKU_DIFF_SHAPES
};

enum { MIKU_DIFF_LISTS = 3 };

struct miku_list {
	struct miku_entry {
		uint32_t key, type;
	} * entries;
	size_t n, cap;
	struct miku_detail { /* paths of a key: [from, from + n) */
		uint32_t key;
		size_t from, n;
	} * details;
	size_t n_details, cap_details;
	uint32_t *paths; /* ids in names.text */
	size_t n_paths, cap_paths;
};

struct miku_diff {
	struct miku_list lists[MIKU_DIFF_LISTS]; /* add, remain, null */
};

enum status miku_diff_read(struct miku_diff *d, struct miku_names *names,
			   enum miku_diff_shape shape, struct cursor *c, bool *broken);
/* number: of the diff in the stream. */
enum status miku_diff_push(struct miku_diff *d, const struct miku_names *names, size_t number,
			   struct import *im, struct err *e);
void miku_diff_release(struct miku_diff *d);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The decoder of Miku-LuaProfiler's trees of samples, as they lie in files and on the wire. It reads one root
 * and all below it into memory, without recursion. Little-endian; the layouts are those of the serializers of
 * the tags named in tracemill-miku(5), formats/miku/miku.c says what the values mean.
 */
#ifndef TM_FORMATS_MIKU_TREE_H
#define TM_FORMATS_MIKU_TREE_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"

enum miku_layout {
	MIKU_A0, /* v2.0beta */
	MIKU_A1, /* v2.1 */
	MIKU_A2, /* v2.2 */
	MIKU_A3, /* v2.3, v2.3.1 */
	MIKU_B0, /* v2.3.2.beta */
	MIKU_B1, /* v2.3.2.beta1 to v2.3.3.beta1 */
	MIKU_C,  /* v2.3.3.beta3 and beta4 */
	MIKU_D,  /* v2.3.3.release to 3.1.4 */
	MIKU_E,  /* 4.x, and what all tags from v2.3.3.release on send */
	MIKU_SAMPLE_LAYOUTS,
	MIKU_E_BETA =
	    MIKU_SAMPLE_LAYOUTS, /* sent by v2.3.3.beta3 and beta4: E without pss, power */
	MIKU_E_TOOL,             /* sent by the WinForm tool: E without fps, pss, power */
	MIKU_LAYOUTS
};

const char *miku_layout_name(enum miku_layout l); /* "A0" */
static inline bool miku_blobs(enum miku_layout l) /* nodes have a length before them */
{
	return l < MIKU_E;
}

/* Names, interned; and the numbers that mstr gives them, in one connection or file. */
struct miku_names {
	struct intern text;
	/* Ids in text, of one connection behind the other: what a message defined can be taken back. */
	uint32_t *numbered; /* from first on: of string 0, 1, ...; 0: its definition was lost */
	size_t first, n, cap;
	struct map64 sparse; /* first << 32 | number -> id, of what is defined behind a gap */
	bool fresh; /* the next one is a message's first: when it defines string 0, it begins
		     * another connection */
	bool lossy; /* definitions may be missing: a gap is no error, a reference to one neither */
	uint64_t lost, repaired, restarts; /* references to lost ones; names of invalid UTF-8 */
	struct buf repair;
};

/* Where the numbers are, before a message that may have to be read again. */
struct miku_names_place {
	size_t first, n;
	bool lossy;
};
static inline struct miku_names_place miku_names_place(const struct miku_names *n)
{
	return (struct miku_names_place){n->first, n->n, n->lossy};
}
static inline void miku_names_back(struct miku_names *n, const struct miku_names_place *to)
{
	n->first = to->first;
	n->n = to->n;
	n->lossy = to->lossy;
}

struct miku_node {
	int64_t lua, mono; /* inclusive bytes */
	int64_t time;      /* inclusive: ticks, or ns in the layouts A; MIKU_NO_TIME: unusable */
	int64_t kids_lua, kids_mono, kids_time; /* sums over the nodes below: miku.c */
	int32_t calls;
	uint32_t name, parent; /* id in names.text; index, the root has its own */
	uint32_t stack;        /* miku.c */
	bool no_self_time, collapsed;
};

#define MIKU_NO_TIME INT64_MIN

struct miku_level; /* a node whose end has not come */

struct miku_tree {               /* zeroed is valid */
	struct miku_node *nodes; /* each before those below it */
	size_t n, cap;
	/* Of the root; what the layout does not have is 0. */
	int32_t frame;
	float fps, power;
	uint32_t pss;
	int64_t current_lua, current_mono;

	bool strict; /* for distinguishing layouts: what a serializer would not write is an error */
	bool broken; /* the failure was a broken rule, not the end of the bytes */
	uint64_t bad_floats, pictures;
	uint64_t picture_names; /* of pictures that are not in the file */

	struct miku_level *open; /* nodes whose end has not come; tree.c */
	size_t n_open, cap_open;
};

/* The next root. end: the offset at which it must end, in a layout with lengths. */
enum status miku_tree_read(struct miku_tree *t, struct miku_names *names, enum miku_layout layout,
			   struct cursor *c, uint64_t end);
void miku_tree_release(struct miku_tree *t);

/* mstr; 0 and a failed cursor when it is invalid. */
uint32_t miku_mstr(struct miku_names *names, struct cursor *c, bool strict, bool *bad);
void miku_names_release(struct miku_names *names);

#endif

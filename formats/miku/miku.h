/* SPDX-License-Identifier: MIT
 *
 * The conversion of Miku-LuaProfiler's trees of samples to events, for the readers of its files and of its
 * network stream.
 *
 * A node is "this function under this path, in this call of Lua from C#", not one call: siblings of
 * one name are merged by the game. It becomes a SAMPLE; its own Lua bytes an ALLOC (allocated,
 * frees not seen) or a DELTA (what the heap grew), its own Mono bytes a DELTA. Own = its total
 * minus those of the nodes below, and 0 when that is negative, as the tool shows it.
 */
#ifndef TM_FORMATS_MIKU_MIKU_H
#define TM_FORMATS_MIKU_MIKU_H

#include "formats/miku/tree.h"
#include "formats/reader.h"

/* What the first roots of a capture say about the versions that share a layout. */
struct miku_evidence {
	uint64_t roots, framed;   /* with a frame's number */
	uint64_t heaps, counters; /* currentLuaMemory is far above costLuaGC, or of its order */
	uint64_t negative;        /* costLuaGC, in any node */
	uint64_t markers, heap_markers;
};

struct miku_sum { /* of clamped nodes */
	uint64_t n, amount;
};

struct miku {
	struct import *im;
	enum miku_layout layout;
	struct miku_names names;
	struct miku_tree tree; /* the root in work */
	uint64_t tick_rate;    /* of a second */

	bool old;       /* of a version whose currentLuaMemory is the heap's size */
	bool allocated; /* costLuaGC is what was allocated, not what the heap grew */
	bool heap_of_roots, heap_of_markers; /* whose currentLuaMemory is the heap's size */

	struct miku_name {                 /* by id in names */
		uint32_t location, marker; /* 0: not looked at yet */
		uint8_t kind;
	} * infos;
	size_t n_infos, cap_infos;

	bool has_frame;
	int32_t frame;
	struct miku_counter {
		int64_t last;
		bool told; /* in this frame */
	} counters[5];

	uint64_t roots, framed, markers, exceptions, collapsed, raised, bad_times, bad_calls,
	    negative_heaps, negative_lua, negative_mono, memories;
	struct miku_sum clamped_time, clamped_lua, clamped_mono;
};

void miku_init(struct miku *m, struct import *im);
void miku_release(struct miku *m);
/* A root of the capture's first part. */
void miku_look(struct miku_evidence *v, const struct miku_tree *t, const struct miku_names *names);
/* Decides what the layout leaves open, and begins the capture. */
enum status miku_begin(struct miku *m, const struct miku_evidence *v, struct err *e);
/* Pushes m->tree. */
enum status miku_root(struct miku *m, struct err *e);
/* Notes about what was pushed. */
void miku_end(struct miku *m);

#endif

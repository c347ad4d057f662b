/* SPDX-License-Identifier: MIT
 *
 * The shortest path from a root to each object. Of several equally short ones that is taken whose
 * names have the least hash, so that snapshots of one program agree; of several references from
 * roots the one with the shortest name, then the first in byte order (some captures give whole
 * paths as roots).
 *
 * Objects that no root reaches have no path. 20 bytes per object, and 4 while they are looked for; 8
 * without what may be forgotten.
 */
#ifndef TM_REPORT_HEAP_PATHS_H
#define TM_REPORT_HEAP_PATHS_H

#include "lib/base/buf.h"
#include "lib/report/heap/heap.h"

struct heap_paths {
	uint32_t *distance; /* references from the root; 0: not reached */
	uint32_t *via;      /* the reference from the object before; heap_source is that */
	uint32_t *root;     /* text of the reference from the root; NULL: forgotten */
	uint64_t *hash;     /* of the path's names, 0: not reached; NULL: forgotten */
	uint32_t n_reached; /* listed ones */
};

void heap_paths_init(struct heap_paths *p, const struct heap_set *s, const struct heap *h);
void heap_paths_release(struct heap_paths *p);
/* Gives back the memory of hashes, which sets alone ask for (report/heap/sets.h), and of roots, which
 * are a key and a filter. */
void heap_paths_forget(struct heap_paths *p, bool hashes, bool roots);

/* The name of a root; one in brackets is a kind of roots, so the object's type follows: "[GC
 * handle] Player". */
void heap_root_text(struct buf *out, const struct heap_set *s, const struct heap *h, uint32_t root,
		    uint32_t object);
/* "registry.players[3].weapon"; nothing for what is not reached. Of long paths the middle is left
 * out: "a.b. ... (120 more) ... .c.d". */
void heap_path_text(struct buf *out, const struct heap_set *s, const struct heap *h,
		    const struct heap_paths *p, uint32_t object);
/* The objects on that path, from the root's on, this one with it, and the steps between them: "Player 0x10 -> .weapons ->
 * Weapon[] 0x20". */
void heap_path_objects(struct buf *out, const struct heap_set *s, const struct heap *h,
		       const struct heap_paths *p, uint32_t object);
/* One step, as it is added to a path. */
void heap_step_text(struct buf *out, const struct heap_set *s, uint32_t name);

#endif

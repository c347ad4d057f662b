/* SPDX-License-Identifier: MIT
 *
 * The path from a root to each object that says most: one from a named root (a variable, a static field, the global
 * object) before one from a kind of roots, and that before one from what is there for a moment (a stack, the handles
 * of a scope, the debugger). Among these the shortest. Of several equally short ones that is taken whose names have the
 * least hash, so that snapshots of one program agree; of several references from roots the one with the shortest name,
 * then the first in byte order (some captures give whole paths as roots).
 *
 * Objects that no root reaches have no path. 21 bytes per object, and 4 while they are looked for; 9
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
	uint8_t *rank;      /* heap_root_rank of the root */
	uint32_t n_reached; /* listed ones */
};

/* Where a root with this name stands: the lowest first. */
enum heap_root_rank { HEAP_ROOT_NAMED, HEAP_ROOT_KIND, HEAP_ROOT_PASSING, HEAP_ROOT_RANKS };
enum heap_root_rank heap_root_rank(const struct heap_set *s, uint32_t root);

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
		    const struct heap_paths *p, uint32_t object, bool fold);
/* The objects on that path, from the root's on, this one with it, and the steps between them: "Player 0x10 -> .weapons ->
 * Weapon[] 0x20". */
void heap_path_objects(struct buf *out, const struct heap_set *s, const struct heap *h,
		       const struct heap_paths *p, uint32_t object, bool fold);
/* One step, as it is added to a path. fold: elements of an array are "[*]", here and in the two above. */
void heap_step_text(struct buf *out, const struct heap_set *s, uint32_t name, bool fold);
/* "[17]", "[1,2]", "[]", and no name: an element of an array. */
bool heap_is_element(const char *s, size_t n);

#endif

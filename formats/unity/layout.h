/* SPDX-License-Identifier: MIT
 *
 * The offsets at which an object of a managed type has references, those in nested structs included. Offsets
 * count from the object's start, its header included, also for structs (which have one when they are boxed;
 * embedded they begin where the header would end).
 *
 * Base types, nesting and the number of slots are bounded, so that types that contain each other
 * end; what is cut off is counted.
 */
#ifndef TM_FORMATS_UNITY_LAYOUT_H
#define TM_FORMATS_UNITY_LAYOUT_H

#include "formats/unity/heap.h"

struct unity_slot {
	uint32_t offset;
	uint32_t name;  /* string of the trace: "field", "struct.field" */
	bool is_native; /* m_CachedPtr of UnityEngine.Object: a native object's address */
};

struct unity_layouts {
	const struct unity_heap *u;
	struct trace *t;
	struct unity_slot *slots;
	size_t n_slots, cap_slots;
	struct unity_layout {
		uint32_t first, n;
		bool made;
	} * types;
	uint64_t cut;
	struct unity_nested *nested; /* structs that are yet to be looked into; layout.c */
	size_t n_nested, cap_nested;
};

void unity_layouts_init(struct unity_layouts *l, const struct unity_heap *u, struct trace *t);
void unity_layouts_release(struct unity_layouts *l);
/* Its slots are l->slots[first, first + n), until the next call. */
struct unity_layout unity_layout(struct unity_layouts *l, uint32_t type);

#endif

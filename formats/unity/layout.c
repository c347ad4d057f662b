/* SPDX-License-Identifier: MIT */
#include "formats/unity/layout.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BASES_MAX = 64, DEPTH_MAX = 16, STEPS_MAX = 1 << 14, SLOTS_MAX = 1 << 24 };

struct unity_nested {
	uint32_t type, prefix, depth;
	int64_t offset; /* of where the type's header is, or would be */
};

void unity_layouts_init(struct unity_layouts *l, const struct unity_heap *u, struct trace *t)
{
	*l = (struct unity_layouts){.u = u, .t = t};
	l->types = mem_zarray(u->n_types + 1, sizeof *l->types);
}

void unity_layouts_release(struct unity_layouts *l)
{
	free(l->slots);
	free(l->types);
	free(l->nested);
	*l = (struct unity_layouts){0};
}

static uint32_t joined(struct unity_layouts *l, uint32_t prefix, uint32_t name)
{
	struct buf b = BUF_INIT;
	uint32_t id;

	if (!prefix)
		return name;
	buf_adds(&b, trace_text(l->t, prefix));
	buf_addc(&b, '.');
	buf_adds(&b, trace_text(l->t, name));
	id = trace_string(l->t, b.data, b.len);
	buf_release(&b);
	return id;
}

static void add_slot(struct unity_layouts *l, int64_t offset, uint32_t name, bool is_native)
{
	if (offset < 0 || offset > INT32_MAX || l->n_slots == SLOTS_MAX) {
		l->cut++;
		return;
	}
	VEC_PUSH(l->slots, l->n_slots, l->cap_slots) =
	    (struct unity_slot){(uint32_t)offset, name, is_native};
}

static void unity_layout_add_field(struct unity_layouts *l, const struct unity_nested *in,
				   uint32_t owner, const struct unity_field *f)
{
	const struct unity_heap *u = l->u;
	const struct unity_type *type = &u->types[f->type];
	int64_t offset = in->offset + f->offset;
	bool is_native = !strcmp(trace_text(l->t, f->name), "m_CachedPtr") &&
			 !strcmp(trace_text(l->t, u->types[owner].name), "UnityEngine.Object");

	if (!(type->flags & UNITY_VALUE_TYPE) || is_native) {
		add_slot(l, offset, joined(l, in->prefix, f->name), is_native);
	} else if ((uint32_t)f->type != owner && type->n_fields) {
		/* int holds an int, so to say: that is where primitive types end. */
		if (in->depth == DEPTH_MAX) {
			l->cut++;
			return;
		}
		VEC_PUSH(l->nested, l->n_nested, l->cap_nested) =
		    (struct unity_nested){(uint32_t)f->type, joined(l, in->prefix, f->name),
					  in->depth + 1, offset - u->vm.header};
	}
}

static void unity_layout_add_type(struct unity_layouts *l, const struct unity_nested *in,
				  uint64_t *steps)
{
	const struct unity_heap *u = l->u;
	int64_t type = in->type;

	for (int bases = 0; type >= 0 && (size_t)type < u->n_types && bases < BASES_MAX; bases++) {
		const struct unity_type *x = &u->types[type];

		if (x->flags & UNITY_ARRAY)
			return;
		for (uint32_t i = 0; i < x->n_fields; i++) {
			const struct unity_field *f =
			    &u->fields[u->field_indices[x->first_field + i]];

			if (++*steps > STEPS_MAX) {
				l->cut++;
				return;
			}
			if (!f->is_static && f->type >= 0 && (size_t)f->type < u->n_types)
				unity_layout_add_field(l, in, (uint32_t)type, f);
		}
		type = x->base == type ? -1 : x->base;
	}
}

struct unity_layout unity_layout(struct unity_layouts *l, uint32_t type)
{
	struct unity_layout *x = &l->types[type];
	uint64_t steps = 0;

	if (x->made)
		return *x;
	x->made = true;
	x->first = (uint32_t)l->n_slots;
	l->n_nested = 0;
	VEC_PUSH(l->nested, l->n_nested, l->cap_nested) = (struct unity_nested){.type = type};
	while (l->n_nested && steps <= STEPS_MAX) {
		struct unity_nested in = l->nested[--l->n_nested];

		unity_layout_add_type(l, &in, &steps);
	}
	x->n = (uint32_t)(l->n_slots - x->first);
	return *x;
}

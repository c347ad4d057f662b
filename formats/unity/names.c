/* SPDX-License-Identifier: MIT */
#include "formats/unity/names.h"

#include "formats/unity/version.h"
#include "lib/base/mem.h"

#include <stdlib.h>
#include <string.h>

void unity_names_init(struct unity_names *u, struct trace *t, uint32_t ordinal)
{
	*u = (struct unity_names){.t = t, .ordinal = ordinal};
	u->low = mem_zarray(UNITY_LOW, sizeof *u->low);
	VEC_PUSH(u->markers, u->n_markers, u->cap_markers) = (struct unity_marker){0};
	VEC_PUSH(u->nodes, u->n_nodes, u->cap_nodes) = (struct unity_node){0};
}

void unity_names_release(struct unity_names *u)
{
	intern_release(&u->texts);
	free(u->markers);
	free(u->low);
	map64_release(&u->high);
	map64_release(&u->categories);
	free(u->nodes);
	map64_release(&u->node_index);
	free(u->path);
	buf_release(&u->text);
	*u = (struct unity_names){0};
}

static uint32_t *slot(struct unity_names *u, uint32_t id)
{
	return id < UNITY_LOW ? &u->low[id] : map64_put(&u->high, id);
}

static uint32_t new_marker(struct unity_names *u, uint32_t id)
{
	VEC_PUSH(u->markers, u->n_markers, u->cap_markers) = (struct unity_marker){.id = id};
	return (uint32_t)(u->n_markers - 1);
}

uint32_t unity_marker_slow(struct unity_names *u, uint32_t id)
{
	uint32_t *s = slot(u, id);

	if (!*s)
		*s = new_marker(u, id);
	return *s;
}

void unity_marker_name(struct unity_names *u, uint32_t id, const char *name, size_t n,
		       uint32_t flags, uint32_t category, uint32_t param)
{
	static const char gc_alloc[] = "GC.Alloc";
	uint32_t *s = slot(u, id), text = intern_add(&u->texts, name, n);
	struct unity_marker *m;

	u->distinct += !*s || !u->markers[*s].name;
	/* What was written under another name, or under none, keeps it. */
	if (!*s || (u->markers[*s].name != text && (u->markers[*s].name || u->markers[*s].row)))
		*s = new_marker(u, id);
	m = &u->markers[*s];
	m->name = text;
	m->flags = (uint16_t)flags;
	m->category = (uint16_t)category;
	m->param = (uint16_t)param;
	m->gc_alloc = n == sizeof gc_alloc - 1 && !memcmp(name, gc_alloc, n);
}

void unity_category_name(struct unity_names *u, uint32_t id, const char *name, size_t n)
{
	*map64_put(&u->categories, (uint64_t)id + 1) = intern_add(&u->texts, name, n);
}

uint32_t unity_node_slow(struct unity_names *u, uint32_t parent, uint32_t marker)
{
	uint32_t *place = map64_put(&u->node_index, (uint64_t)parent << 32 | marker);
	uint32_t id = *place;

	if (!id) {
		id = *place = (uint32_t)u->n_nodes;
		VEC_PUSH(u->nodes, u->n_nodes, u->cap_nodes) =
		    (struct unity_node){.parent = parent, .marker = marker};
	}
	u->nodes[u->nodes[parent].last].next = id;
	return u->nodes[parent].last = id;
}

static uint32_t category_string(struct unity_names *u, uint32_t category)
{
	uint32_t text = map64_get(&u->categories, (uint64_t)category + 1);
	const char *name = unity_category(u->ordinal, category);
	size_t n;

	if (text) {
		name = intern_text(&u->texts, text, &n);
		return trace_string(u->t, name, n);
	}
	if (name)
		return trace_strz(u->t, name);
	u->text.len = 0;
	buf_addf(&u->text, "category %u", category);
	return trace_string(u->t, u->text.data, u->text.len);
}

static void unity_names_use_marker(struct unity_names *u, struct unity_marker *m)
{
	struct location l = {.space = SPACE_NAME};
	struct marker row = {0};
	const char *name;
	size_t n;

	if (m->name) {
		name = intern_text(&u->texts, m->name, &n);
		row.name = trace_string(u->t, name, n);
		row.category = category_string(u, m->category);
	} else {
		u->nameless++;
		u->text.len = 0;
		buf_addf(&u->text, "marker %u", m->id);
		row.name = trace_string(u->t, u->text.data, u->text.len);
	}
	l.name = row.name;
	m->row = trace_marker(u->t, &row);
	m->location = trace_location(u->t, &l);
}

static uint32_t unity_marker_row(struct unity_names *u, uint32_t marker)
{
	if (!u->markers[marker].row)
		unity_names_use_marker(u, &u->markers[marker]);
	return u->markers[marker].row;
}

uint32_t unity_marker_location(struct unity_names *u, uint32_t marker)
{
	unity_marker_row(u, marker);
	return u->markers[marker].location;
}

uint32_t unity_stack_slow(struct unity_names *u, uint32_t node)
{
	uint32_t stack;

	u->n_path = 0;
	for (; node && !u->nodes[node].stack; node = u->nodes[node].parent)
		VEC_PUSH(u->path, u->n_path, u->cap_path) = node;
	stack = u->nodes[node].stack;
	while (u->n_path) {
		struct unity_node *x = &u->nodes[u->path[--u->n_path]];

		x->row = unity_marker_row(u, x->marker);
		stack = x->stack = trace_stack(u->t, stack, unity_marker_location(u, x->marker));
	}
	return stack;
}

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
	id_set_release(&u->node_set);
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

struct node_key {
	uint32_t parent, marker;
};

static uint64_t unity_node_hash(uint32_t parent, uint32_t marker)
{
	return hash_u64((uint64_t)parent << 32 | marker);
}

static uint64_t unity_node_row_hash(const void *table, uint32_t id)
{
	const struct unity_node *x = &((const struct unity_node *)table)[id];

	return unity_node_hash(x->parent, x->marker);
}

static bool unity_node_row_equal(const void *table, uint32_t id, const void *key)
{
	const struct unity_node *x = &((const struct unity_node *)table)[id];
	const struct node_key *k = key;

	return x->parent == k->parent && x->marker == k->marker;
}

static const struct id_rows node_rows = {unity_node_row_hash, unity_node_row_equal};

enum { NODES_WAITING = 16 };

static uint32_t unity_find_node(const struct unity_names *u, const struct node_key *key,
				uint64_t hash)
{
	uint32_t id = id_set_find(&u->node_set, &node_rows, u->nodes, hash, key);

	for (uint32_t i = u->n_in_set + 1; !id && i < u->n_nodes; i++)
		id = unity_node_row_equal(u->nodes, i, key) ? i : 0;
	return id;
}

/* Its place is asked for now, and taken when memory had the time. */
static uint32_t unity_add_node(struct unity_names *u, const struct node_key *key, uint64_t hash)
{
	uint32_t id = (uint32_t)u->n_nodes;

	VEC_PUSH(u->nodes, u->n_nodes, u->cap_nodes) =
	    (struct unity_node){.parent = key->parent, .marker = key->marker};
	id_set_prefetch(&u->node_set, hash);
	if (id - u->n_in_set > NODES_WAITING) {
		uint32_t first = ++u->n_in_set;

		id_set_add(&u->node_set, &node_rows, u->nodes, unity_node_row_hash(u->nodes, first),
			   first);
	}
	return id;
}

/* Most of what gets here is new: the parent, which is near, tells it from what has to be looked for. */
uint32_t unity_node_slow(struct unity_names *u, uint32_t parent, uint32_t marker)
{
	uint64_t hash = unity_node_hash(parent, marker);
	uint32_t bit = UINT32_C(1) << (marker * UINT32_C(0x9e3779b1) >> 27);
	struct node_key key = {parent, marker};
	uint32_t id = 0, last = u->nodes[parent].last;

	if (u->nodes[parent].below & bit)
		id = unity_find_node(u, &key, hash);
	u->nodes[parent].below |= bit;
	if (!id)
		id = unity_add_node(u, &key, hash);
	if (last) {
		u->nodes[last].next = id;
		u->nodes[last].next_marker = marker;
	}
	return unity_node_is(u, parent, marker, id);
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
	size_t n, locations;

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
	locations = u->t->n_locations;
	m->location = trace_location(u->t, &l);
	u->shared |= m->location < locations;
}

uint32_t unity_marker_row(struct unity_names *u, uint32_t marker)
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
		uint32_t location = unity_marker_location(u, x->marker);

		/* while each marker has a location that is nothing else's, so is each node's stack */
		x->stack = u->shared ? trace_stack(u->t, stack, location)
				     : trace_stack_new(u->t, stack, location);
		stack = x->stack;
	}
	return stack;
}

/* SPDX-License-Identifier: MIT
 *
 * Markers and categories of a Unity capture by the ids that it gives them, and the paths of samples as nodes of
 * one tree. Names may come after their first use: nodes are numbers, and become stacks of the trace only when a
 * sample is written. A marker without a name by then is called "marker N".
 */
#ifndef TM_FORMATS_UNITY_NAMES_H
#define TM_FORMATS_UNITY_NAMES_H

#include "lib/base/buf.h"
#include "lib/trace/model.h"

enum unity_marker_flags { UNITY_MARKER_COUNTER = 0x80 };

struct unity_marker {
	uint32_t id;
	uint32_t name; /* in unity_names.texts; 0: not known yet */
	uint16_t flags, category;
	uint16_t param; /* the first one's type, and its unit above */
	bool gc_alloc;
	uint32_t location, row; /* in the trace, 0: not used yet */
};

struct unity_node {
	uint32_t parent, marker;    /* index; parent 0: none */
	uint32_t below;             /* a bit for the markers of its children */
	uint32_t stack;             /* in the trace; 0: not used yet */
	uint32_t last, last_marker; /* child that was looked up last */
	uint32_t soon, soon_marker; /* child that was looked up after it, the time before */
	uint32_t next, next_marker; /* node that was looked up after it under the same parent */
};

struct unity_names {
	struct trace *t;
	uint32_t ordinal; /* of the version, for categories */
	struct intern texts;
	struct unity_marker *markers; /* [0] unused */
	size_t n_markers, cap_markers;
	uint32_t *low;                 /* ids below UNITY_LOW -> index */
	struct map64 high, categories; /* id + 1 -> id in texts */
	struct unity_node *nodes;      /* [0] unused */
	size_t n_nodes, cap_nodes;
	struct id_set node_set;
	uint32_t n_in_set; /* nodes from 1 that are in it; the last few wait for their places */
	bool shared;       /* a node's stack may be there already: not all that is there is ours */
	uint32_t *path;    /* scratch */
	size_t n_path, cap_path;
	struct buf text;
	uint64_t distinct, nameless; /* ids that got a name; markers used without */
};

enum { UNITY_LOW = 1 << 16 };

void unity_names_init(struct unity_names *u, struct trace *t, uint32_t ordinal);
void unity_names_release(struct unity_names *u); /* accepts a zeroed struct */

/* Index of a marker; made when the id is new. */
uint32_t unity_marker_slow(struct unity_names *u, uint32_t id);
static inline uint32_t unity_marker(struct unity_names *u, uint32_t id)
{
	return id < UNITY_LOW && u->low[id] ? u->low[id] : unity_marker_slow(u, id);
}
void unity_marker_name(struct unity_names *u, uint32_t id, const char *name, size_t n,
		       uint32_t flags, uint32_t category, uint32_t param);
void unity_category_name(struct unity_names *u, uint32_t id, const char *name, size_t n);

/* The node of a marker below another node, 0 for none. A frame mostly does what the one before
 * did, so what followed last time is tried first. */
uint32_t unity_node_slow(struct unity_names *u, uint32_t parent, uint32_t marker);
static inline uint32_t unity_node_is(struct unity_names *u, uint32_t parent, uint32_t marker,
				     uint32_t id)
{
	const struct unity_node *x = &u->nodes[id];
	struct unity_node *p = &u->nodes[parent];

	p->last = id;
	p->last_marker = marker;
	p->soon = x->next;
	p->soon_marker = x->next_marker;
	return id;
}
static inline uint32_t unity_node(struct unity_names *u, uint32_t parent, uint32_t marker)
{
	const struct unity_node *p = &u->nodes[parent];

	if (p->soon_marker == marker)
		return unity_node_is(u, parent, marker, p->soon);
	return p->last_marker == marker ? p->last : unity_node_slow(u, parent, marker);
}
static inline void unity_node_prefetch(const struct unity_names *u, uint32_t node)
{
	__builtin_prefetch(&u->nodes[node]);
}

/* Of the trace; they name what has no name yet. */
uint32_t unity_marker_row(struct unity_names *u, uint32_t marker);
uint32_t unity_marker_location(struct unity_names *u, uint32_t marker);
uint32_t unity_stack_slow(struct unity_names *u, uint32_t node);
static inline uint32_t unity_stack(struct unity_names *u, uint32_t node)
{
	return u->nodes[node].stack || !node ? u->nodes[node].stack : unity_stack_slow(u, node);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * massif.out files: snapshots of the heap's size, some with a tree of who has allocated what is in use.
 *
 *	snapshot=3
 *	time=123456
 *	mem_heap_B=8000
 *	heap_tree=peak
 *	n2: 8000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n0: 5000 0x10917E: load (game.c:4)
 *	 n0: 3000 in 2 places, all below massif's threshold (1.00%)
 *
 * The blocks themselves are not in the file. Each snapshot says how many bytes are in use, and a tree of
 * which stacks. What a stack has more than before is a block, what it has less frees blocks, or parts of
 * them. A stack is hidden where its bytes are in a sum of places below the threshold, or where a snapshot
 * has no tree: it then keeps what it had, as far as the sum allows. What a sum has beyond that was
 * allocated by a stack that is not known, and belongs to the one that shows up with it later. So bytes
 * that go into a sum, or come out of it, are neither allocated nor freed.
 *
 * Facts: Valgrind's manual (massif's output), ms_print, and files that massif and heaptrack wrote.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "formats/valgrind/place.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LINE_MOST = 1 << 20, DEPTH_MOST = 4096, POINTS_MOST = 1 << 24 };
/* Each snapshot looks at each place. Massif itself writes at most 1,000 snapshots. */
enum { STEPS_MOST = 1 << 30 };

#define NEVER UINT32_MAX

struct point { /* bytes of a node in a tree */
	uint32_t tree, node;
	bool sum; /* of places below it that the file adds up */
	uint64_t bytes;
	uint32_t next; /* + 1: of its node, no sum, in a later tree */
};

/* Of all trees: a place and what it was called by. A parent comes before its children; the first node are
 * the allocators. */
struct node {
	uint32_t parent, stack;
	uint32_t next; /* point, as above: of a later tree than the one at hand */
	uint32_t own,
	    sum; /* blocks + 1, the youngest: of itself, and of places below it that are not known */
	uint32_t here, sums; /* the last tree, + 1, that has the node, and a sum in it */
	uint32_t hidden_by;  /* node that has the sum with its bytes; NEVER: these are known */
	uint32_t known;      /* the last snapshot, + 1, in which its bytes were known */
	uint64_t own_bytes, sum_bytes;
	uint64_t own_told, sum_told; /* by the tree at hand */
	uint64_t claimed;            /* of its sum, by stacks that are hidden in it */
};

struct snapshot {
	uint64_t number, heap, extra, stacks;
	int64_t time; /* thousandths of the file's unit */
	bool has_heap, tree, peak;
};

struct block { /* in use from one snapshot up to another */
	uint32_t stack, begin, end;
	uint32_t next; /* + 1: an older one of the same node */
	uint64_t bytes;
};

struct change { /* of a snapshot */
	uint32_t snapshot;
	bool ends; /* a block does, or it begins */
	size_t block;
};

struct massif {
	struct import *im;
	struct snapshot *snapshots;
	size_t n_snapshots, cap_snapshots;
	struct point *points;
	size_t n_points, cap_points;
	struct node *nodes;
	size_t n_nodes, cap_nodes;
	struct map64 children; /* node, location -> node */
	struct block *blocks;
	size_t n_blocks, cap_blocks;
	struct change *changes;
	size_t n_changes, cap_changes;
	struct map64 functions; /* hash of a line's text -> location */
	struct map64 modules;   /* string -> module */
	struct {
		uint64_t left; /* bytes that no child has yet */
		uint64_t children;
		uint32_t node;
		bool has_location, sum;
	} open[DEPTH_MOST];
	size_t depth;
	uint32_t line[DEPTH_MOST]; /* locations of the open ones, innermost first */
	size_t n_line;
	uint32_t n_trees;
	uint32_t at;        /* snapshot at hand */
	uint32_t last_tree; /* the snapshot before with a tree, + 1 */
	uint64_t live;      /* bytes */
	bool in_tree, cut, clock, pages;
	uint64_t wanted; /* nodes that the open ones still have */
	uint64_t number, refused, first_refused, below, unfinished, odd_sums, more, late, guessed;
};

/* --- the text --- */

static bool begins(const char *s, const char *end, const char *with, const char **rest)
{
	if (!text_begins(s, (size_t)(end - s), with))
		return false;
	*rest = s + strlen(with);
	return true;
}

static const char *digits_end(const char *s, const char *end)
{
	while (s < end && *s >= '0' && *s <= '9')
		s++;
	return s;
}

static struct snapshot *last(struct massif *x)
{
	return x->n_snapshots ? &x->snapshots[x->n_snapshots - 1] : NULL;
}

static void set_text(struct massif *x, const char *key, const char *s, const char *end)
{
	char *text;

	while (s < end && *s == ' ')
		s++;
	text = mem_strndup(s, (size_t)(end - s));
	trace_set(x->im->t, key, text);
	free(text);
}

/* "12.5" in thousandths. */
static bool thousandths(const char *s, const char *end, int64_t *v)
{
	const char *dot = memchr(s, '.', (size_t)(end - s));
	uint64_t whole, part = 0;
	size_t n = dot ? (size_t)(end - dot) - 1 : 0;

	if (!num_dec(s, (size_t)((dot ? dot : end) - s), &whole) || whole > INT64_MAX / 2000000)
		return false;
	if (n > 3)
		n = 3;
	if (n && !num_dec(dot + 1, n, &part))
		return false;
	for (; n < 3; n++)
		part *= 10;
	*v = (int64_t)(whole * 1000 + part);
	return true;
}

/* --- the tree --- */

static uint32_t module_of(struct massif *x, const char *s, size_t n)
{
	uint32_t name = trace_string(x->im->t, s, n), *id = map64_put(&x->modules, name);

	if (!*id)
		*id = trace_module(x->im->t, &(struct module){.name = name});
	return *id;
}

/* "0x10917E: load (game.c:4)", "(heap allocation functions) ..."; NULL strings are not there. */
static uint32_t massif_location_of(struct massif *x, const char *s, const char *end)
{
	struct trace *t = x->im->t;
	struct location l = {.space = SPACE_NAME};
	const char *colon = memchr(s, ':', (size_t)(end - s)), *open, *line;
	uint64_t v;

	if (colon && end - s > 2 && s[0] == '0' && s[1] == 'x' &&
	    num_hex(s + 2, (size_t)(colon - s) - 2, &l.raw)) {
		l.space = SPACE_RUNTIME;
		l.kind = LOCATION_EXACT; /* valgrind has taken one from return addresses */
		s = colon + 1;
	}
	while (s < end && *s == ' ')
		s++;
	open = end > s && end[-1] == ')' ? memrchr(s, '(', (size_t)(end - s)) : NULL;
	if (open && open > s && open[-1] == ' ') {
		const char *in;

		if (begins(open + 1, end, "in ", &in)) {
			l.module = module_of(x, in, (size_t)(end - in) - 1);
		} else {
			line = memrchr(open, ':', (size_t)(end - open));
			if (line && num_dec(line + 1, (size_t)(end - line) - 2, &v) &&
			    v <= UINT32_MAX) {
				l.file = trace_string(t, open + 1, (size_t)(line - open) - 1);
				l.line = (uint32_t)v;
			}
		}
		end = open - 1;
	}
	if (end > s && !((size_t)(end - s) == 3 && !memcmp(s, "???", 3)))
		l.name = trace_string(t, s, valgrind_name(s, (size_t)(end - s)));
	if (!l.name && l.space == SPACE_NAME)
		l.space = SPACE_UNKNOWN;
	return trace_location(t, &l);
}

static uint32_t known_location(struct massif *x, const char *s, const char *end)
{
	uint64_t hash = hash_bytes(s, (size_t)(end - s));
	uint32_t *known = map64_put(&x->functions, hash), id;

	if (*known)
		return *known;
	*known = UINT32_MAX;
	id = massif_location_of(x, s, end);
	*map64_put(&x->functions, hash) = id;
	return id;
}

static uint32_t node_below(struct massif *x, uint32_t parent, uint32_t location)
{
	uint32_t *known = map64_put(&x->children, (uint64_t)parent << 32 | location);

	if (!*known) {
		*known = (uint32_t)x->n_nodes;
		VEC_PUSH(x->nodes, x->n_nodes, x->cap_nodes) =
		    (struct node){.parent = parent, .hidden_by = NEVER};
	}
	return *known;
}

/* What no child has is the node's own where it lists no children: these are callers. */
static void close_node(struct massif *x)
{
	uint64_t bytes = x->open[--x->depth].left;
	uint32_t node = x->open[x->depth].node;

	if (x->n_points == POINTS_MOST) {
		x->more++;
	} else if (bytes || !x->open[x->depth].sum) {
		VEC_PUSH(x->points, x->n_points, x->cap_points) =
		    (struct point){x->n_trees - 1, node, x->open[x->depth].sum, bytes, 0};
		if (bytes)
			x->nodes[node].stack = trace_stack_of(x->im->t, x->line, x->n_line);
	}
	x->n_line -= x->open[x->depth].has_location;
}

static void end_tree(struct massif *x)
{
	x->unfinished += x->in_tree && x->wanted > 0;
	while (x->depth)
		close_node(x);
	x->in_tree = false;
	x->wanted = 0;
}

/* " n2: 8000 0x10917E: load (game.c:4)": children, bytes, and where. */
static bool massif_parse_node(struct massif *x, const char *s, const char *end)
{
	const char *colon, *stop, *rest;
	uint64_t children, bytes;
	uint32_t node;
	bool has_location;

	while (s < end && *s == ' ')
		s++;
	if (s == end || *s != 'n')
		return false;
	colon = memchr(s, ':', (size_t)(end - s));
	if (!colon || end - colon < 3 || colon[1] != ' ' ||
	    !num_dec(s + 1, (size_t)(colon - s) - 1, &children))
		return false;
	stop = digits_end(colon + 2, end);
	if (!num_dec(colon + 2, (size_t)(stop - colon) - 2, &bytes) || bytes > INT64_MAX ||
	    stop == end || x->depth == DEPTH_MOST)
		return false;
	while (x->depth && !x->open[x->depth - 1].children)
		close_node(x);
	if (!x->depth)
		x->pages |= begins(stop + 1, end, "(page allocation", &rest);
	if (x->depth) {
		x->open[x->depth - 1].children--;
		if (bytes > x->open[x->depth - 1].left) {
			x->odd_sums++;
			bytes = x->open[x->depth - 1].left;
		}
		x->open[x->depth - 1].left -= bytes;
		x->wanted--;
	}
	/* The first belongs to the allocators themselves. */
	has_location = x->depth && !begins(stop + 1, end, "in ", &rest);
	node = x->depth ? x->open[x->depth - 1].node : 0;
	if (has_location) {
		x->line[x->n_line++] = known_location(x, stop + 1, end);
		node = node_below(x, node, x->line[x->n_line - 1]);
	} else if (x->depth) { /* N places, all below massif's threshold */
		x->below++;
		children = 0;
	}
	x->open[x->depth].node = node;
	x->open[x->depth].has_location = has_location;
	x->open[x->depth].sum = children || !has_location;
	x->open[x->depth].left = bytes;
	x->open[x->depth++].children = children;
	x->wanted += children;
	return true;
}

/* --- lines --- */

static bool parse_number(const char *s, const char *end, uint64_t *v)
{
	return num_dec(s, (size_t)(end - s), v);
}

static bool massif_parse_field(struct massif *x, const char *s, const char *end)
{
	struct snapshot *at = last(x);
	const char *v;
	uint64_t number;
	int64_t time;

	if (begins(s, end, "snapshot=", &v)) {
		end_tree(x);
		if (!parse_number(v, end, &number))
			return false;
		VEC_PUSH(x->snapshots, x->n_snapshots, x->cap_snapshots) =
		    (struct snapshot){.number = number};
		return true;
	}
	if (begins(s, end, "desc:", &v)) {
		set_text(x, "massif.options", v, end);
	} else if (begins(s, end, "cmd:", &v)) {
		set_text(x, "massif.command", v, end);
	} else if (begins(s, end, "time_unit:", &v)) {
		set_text(x, "massif.time_unit", v, end);
	} else if (!at) {
		return false;
	} else if (begins(s, end, "time=", &v)) {
		if (!thousandths(v, end, &time))
			return false;
		at->time = time;
	} else if (begins(s, end, "mem_heap_B=", &v)) {
		return at->has_heap = parse_number(v, end, &at->heap);
	} else if (begins(s, end, "mem_heap_extra_B=", &v) ||
		   begins(s, end, "mem_heap_admin_B=", &v)) {
		return parse_number(v, end, &at->extra);
	} else if (begins(s, end, "mem_stacks_B=", &v)) {
		return parse_number(v, end, &at->stacks);
	} else if (begins(s, end, "heap_tree=", &v)) {
		if (at->tree)
			return false;
		x->in_tree = end - v != 5 || memcmp(v, "empty", 5) != 0;
		at->tree = x->in_tree;
		x->n_trees += at->tree;
		at->peak = end - v == 4 && !memcmp(v, "peak", 4);
	} else {
		return false;
	}
	return true;
}

static enum status massif_parse_lines(struct massif *x, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST))) {
		x->number++;
		if ((const char *)c->pos == s + n && n) {
			x->cut = true;
			break;
		}
		if (!n || *s == '#')
			continue;
		if (!(x->in_tree && massif_parse_node(x, s, s + n)) &&
		    !massif_parse_field(x, s, s + n) && !x->refused++)
			x->first_refused = x->number;
	}
	end_tree(x);
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

/* --- blocks --- */

/* Bytes that begin at a snapshot, of a list of blocks: a node's own, or of its sum. */
static void add_block(struct massif *x, uint32_t *list, uint32_t stack, uint32_t begin,
		      uint64_t bytes)
{
	VEC_PUSH(x->blocks, x->n_blocks, x->cap_blocks) =
	    (struct block){stack, begin, NEVER, *list, bytes};
	*list = (uint32_t)x->n_blocks;
}

/* The youngest bytes of a list end here. */
static void end_blocks(struct massif *x, uint32_t *list, uint64_t bytes)
{
	while (bytes && *list) {
		struct block *b = &x->blocks[*list - 1];

		if (b->bytes > bytes) { /* it was two */
			struct block part = *b;

			b->bytes -= bytes;
			part.bytes = bytes;
			part.end = x->at;
			VEC_PUSH(x->blocks, x->n_blocks, x->cap_blocks) = part;
			return;
		}
		b->end = x->at;
		bytes -= b->bytes;
		*list = b->next;
	}
}

static void own_grows(struct massif *x, struct node *n, uint64_t bytes)
{
	add_block(x, &n->own, n->stack, x->at, bytes);
	n->own_bytes += bytes;
	x->live += bytes;
}

static void own_shrinks(struct massif *x, struct node *n, uint64_t bytes)
{
	end_blocks(x, &n->own, bytes);
	n->own_bytes -= bytes;
	x->live -= bytes;
}

static void sum_grows(struct massif *x, struct node *n, uint64_t bytes)
{
	add_block(x, &n->sum, n->stack, x->at, bytes);
	n->sum_bytes += bytes;
	x->live += bytes;
}

/* Not more than the sum has; what is left of them. */
static uint64_t sum_shrinks(struct massif *x, struct node *n, uint64_t bytes)
{
	uint64_t gone = n->sum_bytes < bytes ? n->sum_bytes : bytes;

	end_blocks(x, &n->sum, gone);
	n->sum_bytes -= gone;
	x->live -= gone;
	return bytes - gone;
}

/* Bytes of a sum turn out to be of the stack: those since the snapshot. What is left of them. */
static uint64_t assign_of_sum(struct massif *x, struct node *from, uint32_t since, uint32_t *list,
			      uint32_t stack, uint64_t bytes)
{
	while (bytes && from->sum && x->blocks[from->sum - 1].begin >= since) {
		uint32_t at = from->sum;
		struct block *b = &x->blocks[at - 1];
		uint64_t n = b->bytes < bytes ? b->bytes : bytes;

		if (b->bytes > n) {
			b->bytes -= n;
			add_block(x, list, stack, b->begin, n);
		} else {
			from->sum = b->next;
			b->stack = stack;
			b->next = *list;
			*list = at;
		}
		from->sum_bytes -= n;
		bytes -= n;
	}
	return bytes;
}

/* The node's sum, of the tree at hand, that has what is not known below it; NEVER: none. */
static uint32_t bucket_of(const struct massif *x, uint32_t node)
{
	return x->nodes[node].sums == x->n_trees ? node : x->nodes[node].hidden_by;
}

static uint64_t next_bytes(const struct massif *x, const struct node *n)
{
	return n->next ? x->points[n->next - 1].bytes : 0;
}

/* Stacks that are hidden in a sum, or all (NEVER), have so many bytes less; how many are left. Ones that have
 * less in the next tree first, then those that it does not show. */
static uint64_t hidden_shrink(struct massif *x, uint32_t bucket, uint64_t bytes)
{
	for (int round = 0; round < 3; round++)
		for (size_t i = x->n_nodes; i-- && bytes;) {
			struct node *n = &x->nodes[i];
			uint64_t keeps = round ? 0 : next_bytes(x, n), gone;

			if (n->own_bytes <= keeps || (bucket != NEVER && n->hidden_by != bucket) ||
			    (round == 1 && x->points[n->next - 1].tree == x->n_trees))
				continue;
			gone = n->own_bytes - keeps;
			gone = gone < bytes ? gone : bytes;
			own_shrinks(x, n, gone);
			x->guessed += round > 0;
			bytes -= gone;
		}
	return bytes;
}

/* A snapshot without a tree is one sum. */
static void assign_heap(struct massif *x, uint64_t heap)
{
	uint64_t gone;

	if (heap >= x->live) {
		if (heap > x->live)
			sum_grows(x, &x->nodes[0], heap - x->live);
		return;
	}
	gone = sum_shrinks(x, &x->nodes[0], x->live - heap);
	for (size_t i = x->n_nodes; gone && i--;)
		gone = sum_shrinks(x, &x->nodes[i], gone);
	hidden_shrink(x, NEVER, gone);
}

static size_t emit_points(struct massif *x, size_t i)
{
	uint32_t tree = x->n_trees - 1;

	for (; i < x->n_points && x->points[i].tree == tree; i++) {
		const struct point *p = &x->points[i];
		struct node *n = &x->nodes[p->node];

		if (n->here != x->n_trees)
			n->own_told = 0;
		if (p->sum) {
			n->sum_told = p->bytes + (n->sums == x->n_trees ? n->sum_told : 0);
			n->sums = x->n_trees;
		} else {
			n->own_told += p->bytes;
			n->next = p->next;
		}
		n->here = x->n_trees;
		for (uint32_t up = n->parent; x->nodes[up].here != x->n_trees;
		     up = x->nodes[up].parent) {
			x->nodes[up].own_told = 0;
			x->nodes[up].here = x->n_trees;
		}
	}
	return i;
}

/* What is known: who has less, and of which sum everybody else is. */
static void assign_known(struct massif *x)
{
	for (size_t i = 0; i < x->n_nodes; i++) {
		struct node *n = &x->nodes[i];

		n->claimed = 0;
		if (n->here != x->n_trees) {
			n->own_told = 0;
			n->hidden_by = i ? bucket_of(x, n->parent) : NEVER;
			if (n->hidden_by != NEVER)
				continue;
		}
		n->hidden_by = NEVER;
		if (n->own_bytes > n->own_told)
			own_shrinks(x, n, n->own_bytes - n->own_told);
	}
	for (size_t i = 0; i < x->n_nodes; i++) {
		struct node *n = &x->nodes[i];
		uint64_t more = n->own_told - n->own_bytes;
		uint32_t up = (uint32_t)i;

		if (n->hidden_by != NEVER)
			continue;
		while (more) {
			uint64_t left =
			    assign_of_sum(x, &x->nodes[up], n->known, &n->own, n->stack, more);

			n->own_bytes += more - left;
			more = left;
			if (!up)
				break;
			up = x->nodes[up].parent;
		}
		if (more)
			own_grows(x, n, more);
		n->known = x->at + 1;
	}
}

/* A sum has more bytes than stacks that are hidden in it had. */
static void sum_absorb(struct massif *x, uint32_t node, uint64_t more)
{
	struct node *n = &x->nodes[node];

	for (uint32_t up = node; more && up;) {
		uint32_t bucket;
		uint64_t left;

		up = x->nodes[up].parent;
		bucket = bucket_of(x, up);
		left = assign_of_sum(x, &x->nodes[up], x->last_tree, &n->sum, n->stack, more);
		if (bucket != NEVER)
			x->nodes[bucket].claimed -= more - left;
		n->sum_bytes += more - left;
		more = left;
	}
	if (more)
		sum_grows(x, n, more);
}

static void assign_sums(struct massif *x)
{
	for (uint32_t i = 0; i < x->n_nodes; i++) {
		const struct node *n = &x->nodes[i];
		uint32_t bucket = bucket_of(x, i);

		if (n->hidden_by != NEVER)
			x->nodes[n->hidden_by].claimed += n->own_bytes;
		if (bucket != NEVER)
			x->nodes[bucket].claimed += n->sum_bytes;
	}
	for (uint32_t i = (uint32_t)x->n_nodes; i--;) {
		const struct node *n = &x->nodes[i];

		if (n->sums == x->n_trees && n->sum_told > n->claimed)
			sum_absorb(x, i, n->sum_told - n->claimed);
	}
	for (uint32_t i = (uint32_t)x->n_nodes; i--;) {
		struct node *n = &x->nodes[i], *in;
		uint32_t bucket = bucket_of(x, i);
		uint64_t had = n->sum_bytes;

		if (bucket == NEVER) {
			sum_shrinks(x, n, had);
			continue;
		}
		in = &x->nodes[bucket];
		if (in->claimed > in->sum_told) {
			sum_shrinks(x, n, in->claimed - in->sum_told);
			in->claimed -= had - n->sum_bytes;
		}
	}
	for (uint32_t i = 0; i < x->n_nodes; i++) {
		const struct node *n = &x->nodes[i];

		if (n->sums == x->n_trees && n->claimed > n->sum_told)
			hidden_shrink(x, i, n->claimed - n->sum_told);
	}
}

static void massif_make_blocks(struct massif *x)
{
	size_t point = 0, most = STEPS_MOST / x->n_nodes;

	if (x->n_snapshots > most) {
		x->late = x->n_snapshots - most;
		x->n_snapshots = most;
	}
	for (size_t i = x->n_points; i--;)
		if (!x->points[i].sum) {
			x->points[i].next = x->nodes[x->points[i].node].next;
			x->nodes[x->points[i].node].next = (uint32_t)i + 1;
		}
	x->n_trees = 0;
	for (x->at = 0; x->at < x->n_snapshots; x->at++) {
		const struct snapshot *s = &x->snapshots[x->at];

		if (s->tree) {
			x->n_trees++;
			x->nodes[0].own_told = 0;
			x->nodes[0].here = x->n_trees;
			point = emit_points(x, point);
			assign_known(x);
			assign_sums(x);
			x->last_tree = x->at + 1;
		} else if (s->has_heap) {
			assign_heap(x, s->heap);
		}
	}
	for (size_t i = 0; i < x->n_blocks; i++) {
		const struct block *b = &x->blocks[i];

		VEC_PUSH(x->changes, x->n_changes, x->cap_changes) =
		    (struct change){b->begin, false, i};
		if (b->end != NEVER)
			VEC_PUSH(x->changes, x->n_changes, x->cap_changes) =
			    (struct change){b->end, true, i};
	}
}

/* What ends comes first, so that the largest size in use is that of a snapshot. */
static int massif_by_snapshot(const void *a, const void *b)
{
	const struct change *p = a, *q = b;

	return p->snapshot != q->snapshot ? (p->snapshot < q->snapshot ? -1 : 1)
	       : p->ends != q->ends       ? (p->ends ? -1 : 1)
	       : p->block != q->block     ? (p->block < q->block ? -1 : 1)
					  : 0;
}

/* --- events --- */

static struct known_number massif_time(const struct massif *x, const struct snapshot *at)
{
	return KNOWN_IF(x->clock, at->time * 1000); /* thousandths of ms */
}

static enum status push_counter(struct massif *x, const struct snapshot *at, const char *name,
				const char *unit, uint64_t v, struct err *e)
{
	return emit_counter(x->im, emit_counter_id(x->im, name, unit), massif_time(x, at),
			    v > INT64_MAX ? INT64_MAX : (int64_t)v, e);
}

static enum status massif_push_snapshot(struct massif *x, const struct snapshot *at, struct err *e)
{
	const char *unit = trace_get(x->im->t, "massif.time_unit");
	enum status st;

	st = emit_frame_labeled(x->im, KNOWN(at->number > INT64_MAX ? INT64_MAX : at->number),
				at->peak ? trace_strz(x->im->t, "peak") : 0, massif_time(x, at), e);
	if (!st && !x->clock)
		st = push_counter(x, at, "massif.time", unit && *unit == 'B' ? "B" : "",
				  (uint64_t)at->time / 1000, e);
	if (!st)
		st = push_counter(x, at, "massif.heap", "B", at->heap, e);
	if (!st)
		st = push_counter(x, at, "massif.heap_extra", "B", at->extra, e);
	if (!st)
		st = push_counter(x, at, "massif.stacks", "B", at->stacks, e);
	return st;
}

static enum status massif_push_change(struct massif *x, const struct snapshot *at,
				      const struct change *c, struct err *e)
{
	const struct block *b = &x->blocks[c->block];
	struct known_number domain = KNOWN(x->pages ? DOMAIN_MMAP : DOMAIN_MALLOC);
	const struct emit_alloc alloc = {.address = KNOWN(c->block + 1),
					 .domain = domain,
					 .requested = KNOWN(b->bytes),
					 .stack = b->stack,
					 .time = massif_time(x, at)};
	const struct emit_free end = {
	    .address = c->block + 1, .domain = domain, .time = massif_time(x, at)};

	return c->ends ? emit_free(x->im, &end, e) : emit_alloc(x->im, &alloc, e);
}

static enum status massif_push_all(struct massif *x, struct err *e)
{
	const char *unit = trace_get(x->im->t, "massif.time_unit");
	struct trace *t = x->im->t;
	size_t next = 0;
	enum status st;

	x->clock = unit && (!strcmp(unit, "ms") || !strcmp(unit, "s"));
	if (x->clock && *unit == 's')
		for (size_t i = 0; i < x->n_snapshots; i++)
			if (x->snapshots[i].time < INT64_MAX / 1000)
				x->snapshots[i].time *= 1000;
	massif_make_blocks(x);
	sort_array(x->changes, x->n_changes, sizeof *x->changes, massif_by_snapshot);
	if (x->n_trees || x->n_blocks) {
		trace_metric(t, METRIC_REQUESTED, METRIC_LOWER_BOUND, METRIC_AT_ALL);
		trace_metric(t, METRIC_LIVE, METRIC_ESTIMATED, METRIC_AT_ALL);
		trace_set_blocks(t, TRACE_BLOCKS_SUMMED);
	}
	st = import_begin(x->im, e);
	for (size_t i = 0; i < x->n_snapshots && !st; i++) {
		const struct snapshot *at = &x->snapshots[i];

		st = massif_push_snapshot(x, at, e);
		for (; next < x->n_changes && x->changes[next].snapshot == i && !st; next++)
			st = massif_push_change(x, at, &x->changes[next], e);
	}
	return st;
}

/* The last snapshot need not say who allocated. */
static void note_end(const struct massif *x)
{
	size_t i = x->n_snapshots;
	uint64_t heap = x->snapshots[i - 1].heap;

	while (i && !x->snapshots[i - 1].tree)
		i--;
	if (i && heap && x->snapshots[i - 1].heap != heap)
		trace_note(x->im->t, NOTE_GUESS, 0,
			   "the last snapshot has %" PRIu64 " B but no stacks: the stacks are "
			   "derived from snapshot %" PRIu64,
			   heap, x->snapshots[i - 1].number);
}

static void massif_add_notes(const struct massif *x)
{
	struct trace *t = x->im->t;

	if (x->n_trees)
		trace_note(
		    t, NOTE_INFO, x->n_trees,
		    "snapshots have stacks: bytes in use are exact, but blocks freed between "
		    "snapshots and the number of blocks are unknown");
	note_end(x);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, x->below,
		 "times massif added up places below its threshold: their bytes go to the stacks "
		 "that have them in another snapshot, else to their common function"),
	    LOSS(NOTE_GUESS, x->guessed,
		 "times stacks freed bytes and allocated them again, which the file does not show: "
		 "requested bytes of these stacks may belong to other stacks"),
	    LOSS_WITH(NOTE_LOSS, x->refused, "unreadable lines were left out; the first is line {}",
		      x->first_refused),
	    LOSS(NOTE_LOSS, x->unfinished, "trees have fewer places than they state"),
	    LOSS(NOTE_LOSS, x->odd_sums, "places have more bytes than the place above them: cut"),
	    LOSS_IF(NOTE_LOSS, x->cut, "the last line has no newline: the file may be cut short"),
	    LOSS_WITH(NOTE_LOSS, x->more, "places are above the limit of {}", POINTS_MOST),
	};

	TRACE_LOSSES(t, losses);
	if (x->late)
		trace_note(t, NOTE_LOSS, x->late,
			   "snapshots were left out: with %zu places, the limit is %d "
			   "snapshots",
			   x->n_nodes, (int)(STEPS_MOST / x->n_nodes));
}

static enum status massif_read(struct import *im, struct err *e)
{
	struct massif *x = mem_zalloc(sizeof *x);
	enum status st;

	x->im = im;
	VEC_PUSH(x->nodes, x->n_nodes, x->cap_nodes) = (struct node){.hidden_by = NEVER};
	st = massif_parse_lines(x, e);
	if (!st && !x->n_snapshots)
		st = err_at(e, ST_BAD, 0, "the file has no snapshot");
	if (x->n_snapshots) {
		struct err own = ERR_INIT;
		enum status pushed = massif_push_all(x, st ? &own : e);

		st = st ? st : pushed;
		massif_add_notes(x);
	}
	map64_release(&x->functions);
	map64_release(&x->modules);
	map64_release(&x->children);
	free(x->snapshots);
	free(x->points);
	free(x->blocks);
	free(x->nodes);
	free(x->changes);
	free(x);
	return st;
}

static int massif_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n, *p, *rest;

	(void)whole;
	for (; s < end && (p = memchr(s, '\n', (size_t)(end - s))); s = p + 1) {
		if (begins(s, p, "snapshot=", &rest))
			return rest < p ? 48 : 0;
		if (s != p && *s != '#' && !begins(s, p, "desc:", &rest) &&
		    !begins(s, p, "cmd:", &rest) && !begins(s, p, "time_unit:", &rest))
			return 0;
	}
	return 0;
}

const struct reader reader_massif = {
    .name = "massif",
    .family = "Valgrind",
    .page = "valgrind",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_TIME |
		    CAPABILITY_FRAMES | CAPABILITY_COUNTERS | CAPABILITY_ADDRESSES,
    .what = "Valgrind's massif.out: bytes in use by stack at snapshots",
    .suffixes = "out",
    .cut = CUT_NEVER, /* trees add up over all of the file */
    .bid = massif_bid,
    .read = massif_read,
};

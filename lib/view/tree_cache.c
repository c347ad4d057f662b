/* SPDX-License-Identifier: MIT */
#include "lib/view/tree_cache.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/render/json.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct tree_cache_tree *t)
{
	arena_release(&t->arena);
	t->items = NULL;
	t->n = 0;
}

void tree_cache_release(struct tree_cache *m)
{
	for (size_t i = 0; i < m->n; i++) {
		forget(m->trees[i]);
		free(m->trees[i]->question);
		free(m->trees[i]);
	}
	free(m->trees);
	*m = (struct tree_cache){.n = 0};
}

/* A tree on its way from the thread of its query: this, the nodes, and behind them the texts, of the metric first. */
struct passed {
	size_t n;
	enum column_type type;
	uint32_t metric; /* bytes; NONE: there is none */
};
struct passed_node {
	uint64_t self;
	uint32_t parent, name, at; /* the last two as metric */
};
#define NONE UINT32_MAX

static void tree_cache_write(const struct query_form *form, const struct table_document *d,
			     struct buf *to)
{
	const struct flame *f = NULL;
	struct passed head = {.n = 0};

	(void)form;
	for (size_t i = 0; i < d->n_sections && !f; i++)
		f = d->sections[i].kind == SECTION_FLAME ? d->sections[i].flame : NULL;
	if (f)
		head = (struct passed){f->n_nodes, f->type,
				       f->measure ? (uint32_t)strlen(f->measure) : NONE};
	buf_add(to, &head, sizeof head);
	for (size_t i = 0; i < head.n; i++) {
		const struct flame_node *v = &f->nodes[i];
		const struct passed_node node = {v->self, v->parent, (uint32_t)v->len,
						 v->at ? (uint32_t)v->at_len : NONE};

		buf_add(to, &node, sizeof node);
	}
	buf_add(to, f ? f->measure : NULL, f && f->measure ? strlen(f->measure) : 0);
	for (size_t i = 0; i < head.n; i++) {
		buf_add(to, f->nodes[i].name, f->nodes[i].len);
		buf_add(to, f->nodes[i].at, f->nodes[i].at ? f->nodes[i].at_len : 0);
	}
}

static const char *take_text(struct tree_cache_tree *t, const char **texts, uint32_t n)
{
	const char *s = *texts;

	if (n == NONE)
		return NULL;
	*texts += n;
	return arena_strndup(&t->arena, s, n);
}

static enum status tree_cache_fill(struct tree_cache_tree *t, const char *text, struct err *e)
{
	const char *nodes = text + sizeof(struct passed), *texts;
	struct passed head;

	memcpy(&head, text, sizeof head);
	if (!head.n)
		return err_set(e, ST_UNSUPPORTED, "no stack is left to make a tree of");
	texts = nodes + head.n * sizeof(struct passed_node);
	t->type = json_types[head.type];
	t->metric = take_text(t, &texts, head.metric);
	t->items = arena_zalloc(&t->arena, head.n * sizeof *t->items);
	for (size_t i = 0; i < head.n; i++) {
		struct tree_cache_node *to = &t->items[i];
		struct passed_node node;

		memcpy(&node, nodes + i * sizeof node, sizeof node);
		*to = (struct tree_cache_node){
		    .parent = node.parent, .self = node.self, .total = node.self};
		to->name = take_text(t, &texts, node.name);
		to->at = take_text(t, &texts, node.at);
	}
	for (size_t i = head.n; --i > 0;) {
		t->items[t->items[i].parent].total += t->items[i].total;
		t->items[t->items[i].parent].children++;
	}
	t->n = head.n;
	return ST_OK;
}

static enum status tree_cache_ask(struct tree_cache_tree *t, const struct view *v, struct err *e)
{
	const struct query_form form = {.write = tree_cache_write};
	struct query_result a;
	const char *text = NULL;
	size_t n = 0;
	enum status st = query_ask(&a, &v->runner, t->question, &form, &text, &n, e);

	if (!st)
		st = tree_cache_fill(t, text, e);
	t->version = v->version;
	query_result_release(&a);
	if (st)
		forget(t);
	return st;
}

/* The one that was not looked at for longest makes room. */
static void make_room(struct tree_cache *m)
{
	struct tree_cache_tree *oldest = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct tree_cache_tree *t = m->trees[i];

		if (!t->n)
			continue;
		kept++;
		if (!oldest || t->used < oldest->used)
			oldest = t;
	}
	if (kept >= TREE_CACHE_KEPT)
		forget(oldest);
}

/* Its answer made room, and the files have changed since: which node was which is not known any more. */
static bool is_lost(const struct tree_cache_tree *t, const struct view *v)
{
	return !t->n && t->version && t->version != v->version;
}

static uint64_t key_of(uint32_t parent, const struct tree_cache_node *n)
{
	uint64_t h = hash_bytes_seeded(n->name, strlen(n->name), parent);

	return n->at ? hash_bytes_seeded(n->at, strlen(n->at), h) : h;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The number that a node had: of old ones with its key, which none has yet, the one that is it; 0:
 * none. */
static uint32_t tree_cache_number(const struct tree_cache_tree *old,
				  const struct tree_cache_node *items, const uint32_t *next,
				  uint32_t first, uint32_t parent, const struct tree_cache_node *n)
{
	for (uint32_t at = first; at; at = next[at])
		if (old->items[at].parent == parent && items[at].parent == TREE_CACHE_GONE &&
		    same_text(old->items[at].name, n->name) && same_text(old->items[at].at, n->at))
			return at;
	return 0;
}

/* The nodes of t get the numbers that they had in the old tree. */
static void tree_cache_renumber(struct tree_cache_tree *t, const struct tree_cache_tree *old)
{
	uint32_t *next = mem_zarray(old->n, sizeof *next), *to = mem_zarray(t->n, sizeof *to);
	struct map64 firsts = {0};
	struct tree_cache_node *items = arena_zalloc(&t->arena, (old->n + t->n) * sizeof *items);
	size_t n = old->n;

	for (uint32_t i = 0; i < old->n; i++)
		items[i] = (struct tree_cache_node){.parent = TREE_CACHE_GONE, .name = ""};
	for (uint32_t i = (uint32_t)old->n; --i > 0;) {
		uint32_t *first;

		if (old->items[i].parent == TREE_CACHE_GONE)
			continue;
		first = map64_put(&firsts, key_of(old->items[i].parent, &old->items[i]));
		next[i] = *first;
		*first = i;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t parent = i ? to[t->items[i].parent] : 0, first;

		if (i) {
			first = map64_get(&firsts, key_of(parent, &t->items[i]));
			to[i] = tree_cache_number(old, items, next, first, parent, &t->items[i]);
			to[i] = to[i] ? to[i] : (uint32_t)n++;
		}
		items[to[i]] = t->items[i];
		items[to[i]].parent = parent;
	}
	t->items = items;
	t->n = n;
	map64_release(&firsts);
	free(next);
	free(to);
}

static struct tree_cache_tree *ready(struct tree_cache *m, const struct view *v, size_t i,
				     struct err *e)
{
	struct tree_cache_tree *t = m->trees[i], old = *t;

	t->used = ++m->clock;
	if (t->n && t->version == v->version)
		return t;
	t->arena = (struct arena)ARENA_INIT;
	forget(t);
	if (!old.n)
		make_room(m);
	if (tree_cache_ask(t, v, e)) {
		*t = old; /* what it was still tells which node is which */
		return NULL;
	}
	if (old.n)
		tree_cache_renumber(t, &old);
	arena_release(&old.arena);
	return t;
}

struct tree_cache_tree *tree_cache_of(struct tree_cache *m, const struct view *v,
				      const char *question, size_t *number, struct err *e)
{
	struct tree_cache_tree *t;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->trees[i]->question, question) && !is_lost(m->trees[i], v)) {
			*number = i + 1;
			return ready(m, v, i, e);
		}
	if (m->n == TREE_CACHE_TREES) {
		err_set(e, ST_LIMIT, "more than %d different trees", TREE_CACHE_TREES);
		return NULL;
	}
	t = mem_zalloc(sizeof *t);
	t->question = mem_strdup(question);
	VEC_PUSH(m->trees, m->n, m->cap) = t;
	*number = m->n;
	return ready(m, v, m->n - 1, e);
}

struct tree_cache_tree *tree_cache_find(struct tree_cache *m, const struct view *v, const char *id,
					size_t *number, size_t *node, struct err *e)
{
	char *end;
	unsigned long tree = strtoul(id, &end, 10),
		      at = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
	struct tree_cache_tree *t;

	if (*end || !tree || tree > m->n) {
		err_set(e, ST_BAD, "no node is called '%.40s': such a name comes with an answer",
			id);
		return NULL;
	}
	if (is_lost(m->trees[tree - 1], v)) {
		err_set(e, ST_BAD,
			"node %.40s was put aside, and the file has grown since: ask for its tree "
			"again, without a node",
			id);
		return NULL;
	}
	t = ready(m, v, tree - 1, e);
	if (t && (at >= t->n || t->items[at].parent == TREE_CACHE_GONE)) {
		err_set(e, ST_BAD, "node %.40s is not in its tree any more: the file has changed",
			id);
		return NULL;
	}
	*number = tree;
	*node = at;
	return t;
}

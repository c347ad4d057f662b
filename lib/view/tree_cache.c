/* SPDX-License-Identifier: MIT */
#include "lib/view/tree_cache.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/render/json.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct tree_cache_tree *t)
{
	free(t->flame);
	free(t->numbered);
	t->flame = NULL;
	t->items = t->numbered = NULL;
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

static char *put_text(char **to, const char *s, size_t n)
{
	char *at = s ? *to : NULL;

	if (s) {
		memcpy(at, s, n);
		*to += n + 1;
	}
	return at;
}

/* The flame graph of a document, for the server. */
static void *tree_cache_copy(const struct query_form *form, const struct table_document *d,
			     size_t *n)
{
	static const struct flame none = FLAME_INIT;
	const struct flame *f = &none;
	size_t n_measure, size;
	struct tree_cache_flame *to;
	char *texts;

	(void)form;
	for (size_t i = 0; i < d->n_sections && f == &none; i++)
		f = d->sections[i].kind == SECTION_FLAME ? d->sections[i].flame : &none;
	n_measure = f->measure ? strlen(f->measure) : 0;
	size = sizeof *to + f->n_nodes * sizeof *to->nodes + n_measure + 1;
	for (size_t i = 0; i < f->n_nodes; i++)
		size += f->nodes[i].len + f->nodes[i].at_len + 2;
	*n = size;
	to = resource_scope_outside(size);
	to->n = f->n_nodes;
	texts = (char *)(to->nodes + to->n);
	to->type = json_types[f->type];
	to->metric = put_text(&texts, f->measure, n_measure);
	for (size_t i = to->n; i-- > 0;) { /* callees before their callers */
		const struct flame_node *v = &f->nodes[i];
		struct tree_cache_node *node = &to->nodes[i];

		node->parent = v->parent;
		node->self = v->self;
		node->total += v->self;
		node->name = put_text(&texts, v->name ? v->name : "", v->len);
		node->at = put_text(&texts, v->at, v->at_len);
		if (i) {
			to->nodes[v->parent].total += node->total;
			to->nodes[v->parent].children++;
		}
	}
	return to;
}

static enum status tree_cache_ask(struct tree_cache_tree *t, const struct view *v, struct err *e)
{
	const struct query_form form = {.make = tree_cache_copy};
	struct query_result a;

	t->flame = query_ask(&a, &v->runner, t->question, &form, e);
	t->version = v->version;
	query_result_release(&a);
	if (t->flame && t->flame->n) {
		t->n = t->flame->n;
		t->items = t->flame->nodes;
		return ST_OK;
	}
	if (t->flame)
		err_set(e, ST_UNSUPPORTED, "no stack is left to make a tree of");
	forget(t);
	return err_failure(e);
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
	struct tree_cache_node *items = mem_zarray(old->n + t->n, sizeof *items);
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
	t->items = t->numbered = items;
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
	t->flame = NULL;
	t->numbered = NULL;
	forget(t);
	if (!old.n)
		make_room(m);
	if (tree_cache_ask(t, v, e)) {
		*t = old; /* what it was still tells which node is which */
		return NULL;
	}
	if (old.n)
		tree_cache_renumber(t, &old);
	forget(&old);
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

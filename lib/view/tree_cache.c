/* SPDX-License-Identifier: MIT */
#include "lib/view/tree_cache.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

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

static const struct view_value *stacks_of(const struct view_value *doc)
{
	const struct view_value *sections = value_get(doc, "sections");

	for (const struct view_value *s = sections ? sections->first : NULL; s; s = s->next) {
		const char *kind = value_string(s, "kind");

		if (kind && !strcmp(kind, "flame"))
			return s;
	}
	return NULL;
}

static double number_of(const struct view_value *v, const char *key)
{
	const struct view_value *m = value_get(v, key);

	return m && m->kind == VALUE_NUMBER ? strtod(m->text, NULL) : 0;
}

/* Exact: a double has 53 bits. */
static unsigned __int128 weight_of(const struct view_value *v)
{
	const struct view_value *m = value_get(v, "self");
	uint64_t self = 0;

	if (m && m->kind == VALUE_NUMBER && !num_dec(m->text, strspn(m->text, "0123456789"), &self))
		self = 0;
	return self;
}

static enum status tree_cache_fill(struct tree_cache_tree *t, const struct view_value *section,
				   struct err *e)
{
	const struct view_value *list = value_get(section, "nodes");
	size_t n = 0, i = 0;

	for (const struct view_value *v = list ? list->first : NULL; v; v = v->next)
		n++;
	if (!n)
		return err_set(e, ST_UNSUPPORTED, "no stack is left to make a tree of");
	t->items = arena_zalloc(&t->arena, n * sizeof *t->items);
	for (const struct view_value *v = list->first; v; v = v->next, i++) {
		struct tree_cache_node *node = &t->items[i];

		node->parent = (uint32_t)number_of(v, "parent");
		node->name = value_string(v, "name");
		node->at = value_string(v, "at");
		node->self = node->total = weight_of(v);
		if (i && node->parent >= i)
			return err_set(e, ST_BAD, "a node stands before its parent");
	}
	for (i = n; --i > 0;) {
		t->items[t->items[i].parent].total += t->items[i].total;
		t->items[t->items[i].parent].children++;
	}
	t->type = value_string(section, "type");
	t->metric = value_string(section, "metric");
	t->n = n;
	return ST_OK;
}

static enum status tree_cache_ask(struct tree_cache_tree *t, const struct view *v, struct err *e)
{
	struct query_args q;
	struct query_result a;
	const struct view_value *section = NULL;
	enum status st = query_args_make(&q, &v->runner, t->question, strlen(t->question), e);

	if (st)
		return st;
	if (!query_result_start(&a, &v->runner, &q, e)) {
		query_args_release(&q);
		return err_failure(e);
	}
	query_result_wait(&a);
	if (a.ended)
		st = err_set(e, ST_LIMIT, "%s", a.ended);
	else if (a.status)
		st = err_set(e, ST_BAD, "%.*s", (int)(a.messages.len < 300 ? a.messages.len : 300),
			     buf_at(&a.messages, 0));
	else
		section = stacks_of(value_parse(&t->arena, buf_at(&a.text, 0), a.text.len, e));
	if (!st)
		st = section ? tree_cache_fill(t, section, e)
			     : err_set(e, ST_UNSUPPORTED, "the answer has no stacks");
	t->version = v->version;
	query_result_release(&a);
	query_args_release(&q);
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

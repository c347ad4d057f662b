/* SPDX-License-Identifier: MIT */
#include "lib/aggregate/things.h"

#include "lib/aggregate/matching.h"
#include "lib/base/mem.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

void things_init(struct aggregate_things *t, struct intern *strings)
{
	*t = (struct aggregate_things){.n_nodes = 0};
	t->strings = strings ? strings : &t->own;
	VEC_PUSH(t->nodes, t->n_nodes, t->cap_nodes) = (struct things_node){0, 0};
	for (size_t k = 0; k < KEYS; k++)
		t->keys[k].key = (enum key)k;
	/* What every aggregate has. */
	for (size_t i = 0; key_words[i]; i++)
		things_string(t, key_words[i], strlen(key_words[i]));
	for (size_t i = 0; i < SUMS; i++)
		things_string(t, metric_table[i].key, strlen(metric_table[i].key));
}

void things_release(struct aggregate_things *t)
{
	intern_release(&t->own);
	for (size_t k = 0; k < KEYS; k++) {
		free(t->keys[k].items);
		free(t->keys[k].matches);
		id_set_release(&t->keys[k].set);
	}
	free(t->nodes);
	id_set_release(&t->node_set);
	*t = (struct aggregate_things){.n_nodes = 0};
}

void things_take_strings(struct aggregate_things *t)
{
	if (t->strings == &t->own)
		return;
	t->own = *t->strings;
	*t->strings = (struct intern)INTERN_INIT;
	t->strings = &t->own;
}

uint32_t things_string(struct aggregate_things *t, const char *s, size_t n)
{
	return n ? intern_add(t->strings, s, n) : 0;
}

struct identity { /* without holes: it is hashed as bytes */
	uint64_t a, address;
	uint32_t raw, module, file, line;
	uint32_t inside, has_address;
};

static struct identity things_identity(enum key key, const struct aggregate_thing *t)
{
	struct identity id = {.a = 0};

	switch (key) {
	case KEY_STACK: id.a = t->hash; break;
	case KEY_LOCATION:
		id.address = t->address;
		id.has_address = t->has_address;
		/* fall through */
	case KEY_SITE:
		id.file = t->file;
		id.line = t->line;
		id.inside = t->inside;
		/* fall through */
	case KEY_FUNCTION:
		id.raw = t->raw;
		id.module = t->module;
		break;
	default: id.raw = t->name; break;
	}
	return id;
}

static uint64_t name_hash(const struct buf *name)
{
	uint64_t hash = hash_bytes(name->data, name->len);

	return hash ? hash : 1;
}

/* Nothing for what has no name. */
static struct thing_match things_match_of(const struct aggregate_things *t, enum key key,
					  const struct aggregate_thing *of)
{
	struct thing_match m = {.known = true};
	struct buf name = BUF_INIT, bare = BUF_INIT;
	size_t n;
	const char *s = things_text(t, of->name, &n);

	if (!n || key == KEY_THREAD || key == KEY_OWNER || key == KEY_MODULE || key == KEY_STACK ||
	    (key != KEY_TYPE && key != KEY_FILE && name_is_address(s, n)))
		return m;
	if (key != KEY_FILE) /* whose name is compared as a path */
		canonical_name(&name, s, n);
	if (key != KEY_FILE && key != KEY_TYPE) {
		m.is_bare = bare_name(&bare, buf_str(&name), name.len);
		m.bare = name_hash(&bare);
	}
	m.canonical = name_hash(&name);
	buf_release(&name);
	buf_release(&bare);
	return m;
}

struct thing_match things_match(const struct aggregate_things *t, enum key key, uint32_t thing)
{
	const struct things_key *k = &t->keys[key];

	if (thing < k->cap_matches && k->matches[thing].known)
		return k->matches[thing];
	return things_match_of(t, key, &k->items[thing]);
}

static struct thing_match *match_row(struct things_key *k, uint32_t thing)
{
	k->matches =
	    mem_grow_zero(k->matches, &k->cap_matches, (size_t)thing + 1, sizeof *k->matches);
	return &k->matches[thing];
}

static struct thing_match remember_match(struct aggregate_things *t, enum key key, uint32_t thing)
{
	struct thing_match *m = match_row(&t->keys[key], thing);

	if (!m->known)
		*m = things_match_of(t, key, &t->keys[key].items[thing]);
	return *m;
}

void things_rename(struct aggregate_things *t, enum key key, uint32_t thing, uint32_t name)
{
	remember_match(t, key, thing);
	t->keys[key].items[thing].name = name;
}

static uint64_t thing_hash(enum key key, const struct aggregate_thing *thing)
{
	struct identity id = things_identity(key, thing);

	return hash_bytes(&id, sizeof id);
}

static uint64_t things_row_hash(const void *table, uint32_t id)
{
	const struct things_key *k = table;

	return thing_hash(k->key, &k->items[id - 1]);
}

static bool things_equal(const void *table, uint32_t id, const void *key)
{
	const struct things_key *k = table;
	struct identity a = things_identity(k->key, &k->items[id - 1]),
			b = things_identity(k->key, key);

	return !memcmp(&a, &b, sizeof a);
}

uint32_t things_add(struct aggregate_things *t, enum key key, const struct aggregate_thing *thing)
{
	static const struct id_rows rows = {things_row_hash, things_equal};
	struct things_key *k = &t->keys[key];
	uint64_t hash = thing_hash(key, thing);
	uint32_t id = id_set_find(&k->set, &rows, k, hash, thing);

	if (!id) {
		VEC_PUSH(k->items, k->n, k->cap) = *thing;
		id = (uint32_t)k->n;
		id_set_add(&k->set, &rows, k, hash, id);
	} else if (thing->folded) {
		k->items[id - 1].folded = true;
	}
	return id - 1;
}

static uint64_t node_hash(const struct things_node *n)
{
	return hash_u64((uint64_t)n->parent << 32 | n->function);
}

static uint64_t things_node_row_hash(const void *table, uint32_t id)
{
	return node_hash(&((const struct things_node *)table)[id]);
}

static bool things_node_equal(const void *table, uint32_t id, const void *key)
{
	const struct things_node *a = &((const struct things_node *)table)[id], *b = key;

	return a->parent == b->parent && a->function == b->function;
}

uint32_t things_node(struct aggregate_things *t, uint32_t parent, uint32_t function)
{
	static const struct id_rows rows = {things_node_row_hash, things_node_equal};
	struct things_node n = {parent, function};
	uint64_t hash = node_hash(&n);
	uint32_t id = id_set_find(&t->node_set, &rows, t->nodes, hash, &n);

	if (!id) {
		id = (uint32_t)t->n_nodes;
		VEC_PUSH(t->nodes, t->n_nodes, t->cap_nodes) = n;
		id_set_add(&t->node_set, &rows, t->nodes, hash, id);
	}
	return id;
}

uint64_t things_deeper(const struct aggregate_things *t, uint64_t hash, uint32_t function)
{
	const struct aggregate_thing *f = &t->keys[KEY_FUNCTION].items[function];
	size_t n;
	const char *s = things_text(t, f->raw, &n);

	hash = hash_bytes_seeded(s, n, hash + 1);
	s = things_text(t, f->module, &n);
	hash = hash_bytes_seeded(s, n, hash);
	return hash ? hash : 1;
}

static int text_order(const struct aggregate_things *t, uint32_t a, uint32_t b)
{
	size_t na, nb;
	const char *x, *y;
	int r;

	if (a == b)
		return 0;
	x = things_text(t, a, &na);
	y = things_text(t, b, &nb);
	r = memcmp(x, y, na < nb ? na : nb);
	return r ? r : na < nb ? -1 : na > nb;
}

static int number_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int things_order(const struct aggregate_things *t, enum key key, const struct aggregate_thing *a,
		 const struct aggregate_thing *b)
{
	struct identity x = things_identity(key, a), y = things_identity(key, b);
	int r = number_order(x.a, y.a);

	if (!r)
		r = text_order(t, x.raw, y.raw);
	if (!r)
		r = text_order(t, x.module, y.module);
	if (!r)
		r = text_order(t, x.file, y.file);
	if (!r)
		r = number_order(x.line, y.line);
	if (!r)
		r = number_order(x.address, y.address);
	if (!r)
		r = number_order(x.has_address, y.has_address);
	return r ? r : number_order(x.inside, y.inside);
}

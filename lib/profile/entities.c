/* SPDX-License-Identifier: MIT */
#include "lib/profile/entities.h"

#include "lib/base/mem.h"
#include "lib/profile/matching.h"
#include "lib/tally/sums.h"

#include <stdlib.h>
#include <string.h>

void entities_init(struct profile_entities *t, struct intern *strings)
{
	*t = (struct profile_entities){.strings = NULL};
	t->strings = strings ? strings : &t->own;
	stacks_init(&t->stacks);
	for (size_t k = 0; k < KEYS; k++)
		t->keys[k].key = (enum key)k;
	/* What every aggregate has. */
	for (size_t i = 0; key_words[i]; i++)
		entities_string(t, key_words[i], strlen(key_words[i]));
	for (size_t i = 0; i < SUMS; i++)
		entities_string(t, metric_table[i].key, strlen(metric_table[i].key));
}

void entities_release(struct profile_entities *t)
{
	intern_release(&t->own);
	for (size_t k = 0; k < KEYS; k++) {
		free(t->keys[k].items);
		free(t->keys[k].matches);
		id_set_release(&t->keys[k].set);
	}
	stacks_release(&t->stacks);
	*t = (struct profile_entities){.strings = NULL};
}

void entities_own_strings(struct profile_entities *t)
{
	if (t->strings == &t->own)
		return;
	t->own = *t->strings;
	*t->strings = (struct intern)INTERN_INIT;
	t->strings = &t->own;
}

uint32_t entities_string(struct profile_entities *t, const char *s, size_t n)
{
	return n ? intern_add(t->strings, s, n) : 0;
}

struct identity { /* without holes: it is hashed as bytes */
	uint64_t a, address;
	uint32_t raw, module, file, line;
	uint32_t inside, has_address;
};

static struct identity entities_identity(enum key key, const struct profile_entity *t)
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
static struct entity_match entities_match_of(const struct profile_entities *t, enum key key,
					     const struct profile_entity *of)
{
	struct entity_match m = {.known = true};
	struct buf name = BUF_INIT, bare = BUF_INIT;
	size_t n;
	const char *s = entities_text(t, of->name, &n);

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

struct entity_match entities_match(const struct profile_entities *t, enum key key, uint32_t entity)
{
	const struct entities_key *k = &t->keys[key];

	if (entity < k->cap_matches && k->matches[entity].known)
		return k->matches[entity];
	return entities_match_of(t, key, &k->items[entity]);
}

static struct entity_match *match_row(struct entities_key *k, uint32_t entity)
{
	k->matches =
	    mem_grow_zero(k->matches, &k->cap_matches, (size_t)entity + 1, sizeof *k->matches);
	return &k->matches[entity];
}

static struct entity_match remember_match(struct profile_entities *t, enum key key, uint32_t entity)
{
	struct entity_match *m = match_row(&t->keys[key], entity);

	if (!m->known)
		*m = entities_match_of(t, key, &t->keys[key].items[entity]);
	return *m;
}

void entities_rename(struct profile_entities *t, enum key key, uint32_t entity, uint32_t name)
{
	remember_match(t, key, entity);
	t->keys[key].items[entity].name = name;
}

static uint64_t entity_hash(enum key key, const struct profile_entity *entity)
{
	struct identity id = entities_identity(key, entity);

	return hash_bytes(&id, sizeof id);
}

static uint64_t entities_row_hash(const void *table, uint32_t id)
{
	const struct entities_key *k = table;

	return entity_hash(k->key, &k->items[id - 1]);
}

static bool entities_equal(const void *table, uint32_t id, const void *key)
{
	const struct entities_key *k = table;
	struct identity a = entities_identity(k->key, &k->items[id - 1]),
			b = entities_identity(k->key, key);

	return !memcmp(&a, &b, sizeof a);
}

uint32_t entities_add(struct profile_entities *t, enum key key, const struct profile_entity *entity)
{
	static const struct id_rows rows = {entities_row_hash, entities_equal};
	struct entities_key *k = &t->keys[key];
	uint64_t hash = entity_hash(key, entity);
	uint32_t id = id_set_find(&k->set, &rows, k, hash, entity);

	if (!id) {
		VEC_PUSH(k->items, k->n, k->cap) = *entity;
		id = (uint32_t)k->n;
		id_set_add(&k->set, &rows, k, hash, id);
	} else if (entity->folded) {
		k->items[id - 1].folded = true;
	}
	return id - 1;
}

uint64_t entity_push_call(const struct profile_entities *t, uint64_t hash, uint32_t function)
{
	const struct profile_entity *f = &t->keys[KEY_FUNCTION].items[function];
	size_t n;
	const char *s = entities_text(t, f->raw, &n);

	hash = hash_bytes_seeded(s, n, hash + 1);
	s = entities_text(t, f->module, &n);
	hash = hash_bytes_seeded(s, n, hash);
	return hash ? hash : 1;
}

static int text_order(const struct profile_entities *t, uint32_t a, uint32_t b)
{
	size_t na, nb;
	const char *x, *y;
	int r;

	if (a == b)
		return 0;
	x = entities_text(t, a, &na);
	y = entities_text(t, b, &nb);
	r = memcmp(x, y, na < nb ? na : nb);
	return r ? r : na < nb ? -1 : na > nb;
}

static int number_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int entities_order(const struct profile_entities *t, enum key key, const struct profile_entity *a,
		   const struct profile_entity *b)
{
	struct identity x = entities_identity(key, a), y = entities_identity(key, b);
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

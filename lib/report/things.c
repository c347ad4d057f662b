/* SPDX-License-Identifier: MIT */
#include "lib/report/things.h"

#include "lib/base/mem.h"
#include "lib/report/matching.h"
#include "lib/report/sums.h"

#include <stdlib.h>
#include <string.h>

void things_init(struct things *t)
{
	*t = (struct things){.n_nodes = 0};
	VEC_PUSH(t->nodes, t->n_nodes, t->cap_nodes) = (struct things_node){0, 0};
	/* What every aggregate has. */
	for (size_t i = 0; key_words[i]; i++)
		things_string(t, key_words[i], strlen(key_words[i]));
	for (size_t i = 0; i < SUMS; i++)
		things_string(t, sum_names[i].key, strlen(sum_names[i].key));
}

void things_release(struct things *t)
{
	intern_release(&t->strings);
	for (size_t k = 0; k < KEYS; k++) {
		free(t->keys[k].items);
		intern_release(&t->keys[k].ids);
	}
	free(t->nodes);
	map64_release(&t->node_index);
	*t = (struct things){.n_nodes = 0};
}

uint32_t things_string(struct things *t, const char *s, size_t n)
{
	return n ? intern_add(&t->strings, s, n) : 0;
}

struct identity { /* without holes: it is hashed as bytes */
	uint64_t a, address;
	uint32_t raw, module, file, line;
	uint32_t inside, has_address;
};

static struct identity identity(enum key key, const struct thing *t)
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

static void add_text(const struct things *t, struct buf *b, uint32_t string)
{
	size_t n;
	const char *s = things_text(t, string, &n);

	buf_add(b, s, n);
	buf_addc(b, '\0');
}

/* Its last folder and its name: build folders differ. */
static void add_file(const struct things *t, struct buf *b, uint32_t string)
{
	size_t n, at;
	const char *s = things_text(t, string, &n);
	int slashes = 0;

	for (at = n; at; at--)
		if (s[at - 1] == '/' && ++slashes == 2)
			break;
	buf_add(b, s + at, n - at);
	buf_addc(b, '\0');
}

/* Without line and address; 0 for what has no name. */
static uint64_t canonical(const struct things *t, enum key key, const struct thing *thing)
{
	struct buf b = BUF_INIT;
	uint64_t hash;
	size_t n;
	const char *s = things_text(t, thing->name, &n);

	if (!n || key == KEY_THREAD || key == KEY_OWNER || key == KEY_MODULE || key == KEY_STACK ||
	    (key != KEY_TYPE && key != KEY_FILE && name_is_address(s, n)))
		return 0;
	if (key == KEY_FILE) {
		add_file(t, &b, thing->name);
	} else {
		canonical_name(&b, s, n);
		buf_addc(&b, '\0');
		add_text(t, &b, thing->module);
	}
	if (key == KEY_SITE || key == KEY_LOCATION)
		add_file(t, &b, thing->file);
	hash = hash_bytes(b.data, b.len);
	buf_release(&b);
	return hash ? hash : 1;
}

uint32_t things_add(struct things *t, enum key key, const struct thing *thing)
{
	struct things_key *k = &t->keys[key];
	struct identity id = identity(key, thing);
	uint32_t i = intern_add(&k->ids, (const char *)&id, sizeof id) - 1;

	if (i == k->n) {
		VEC_PUSH(k->items, k->n, k->cap) = *thing;
		if (key != KEY_STACK)
			k->items[i].canonical = canonical(t, key, thing);
	} else if (key == KEY_STACK && !k->items[i].node) {
		k->items[i] = *thing; /* this one knows its calls */
	}
	return i;
}

uint32_t things_node(struct things *t, uint32_t parent, uint32_t function)
{
	uint32_t *n = map64_put(&t->node_index, (uint64_t)parent << 32 | function);
	uint32_t id = *n;

	if (id)
		return id;
	*n = id = (uint32_t)t->n_nodes;
	VEC_PUSH(t->nodes, t->n_nodes, t->cap_nodes) = (struct things_node){parent, function};
	return id;
}

struct things_hash things_deeper(const struct things *t, struct things_hash h, uint32_t function)
{
	const struct thing *f = &t->keys[KEY_FUNCTION].items[function];
	size_t n;
	const char *s = things_text(t, f->raw, &n);

	h.exact = hash_bytes_seeded(s, n, h.exact + 1);
	s = things_text(t, f->module, &n);
	h.exact = hash_bytes_seeded(s, n, h.exact);
	h.exact += !h.exact;
	/* A call without a name is what it is exactly, and so are its callers. */
	h.canonical = hash_u64(h.canonical ^ (f->canonical ? f->canonical : h.exact));
	h.canonical += !h.canonical;
	return h;
}

static int text_order(const struct things *t, uint32_t a, uint32_t b)
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

int things_order(const struct things *t, enum key key, const struct thing *a, const struct thing *b)
{
	struct identity x = identity(key, a), y = identity(key, b);
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

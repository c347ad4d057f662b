/* SPDX-License-Identifier: MIT */
#include "lib/export/captured.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

struct captured_key { /* without holes: hashed as bytes */
	uint64_t address, library;
};

static uint32_t library_id(struct captured *c, const char *s, size_t n)
{
	return n ? intern_add(&c->libraries, s, n) : 0;
}

static void put(struct captured *c, uint32_t library, uint64_t address, uint32_t location)
{
	struct captured_key key = {address, library};
	uint32_t id = intern_add(&c->keys, (const char *)&key, sizeof key);

	if (!c->n_ids)
		VEC_PUSH(c->ids, c->n_ids, c->cap_ids) = 0;
	if (id == c->n_ids)
		VEC_PUSH(c->ids, c->n_ids, c->cap_ids) = location;
	else if (c->ids[id] != location)
		c->ids[id] = CAPTURED_SEVERAL;
}

static enum status captured_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct captured *c = (struct captured *)s;
	const char *format = trace_get(t, "format");

	if (!format || strcmp(format, c->format) != 0)
		return err_set(e, ST_UNSUPPORTED,
			       "a capture of format '%s': its names do not fit into '%s'",
			       format ? format : "unknown", c->format);
	if (c->captures++)
		return err_set(e, ST_UNSUPPORTED,
			       "a second capture: names go into the file of one");
	return ST_OK;
}

static enum status captured_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				  struct err *e)
{
	(void)s, (void)t, (void)b, (void)e;
	return ST_OK;
}

static enum status captured_end(struct sink *s, struct trace *t, struct err *e)
{
	struct captured *c = (struct captured *)s;

	(void)e;
	names_capture(&c->names, t);
	for (uint32_t i = 1; i < t->n_locations; i++) {
		const struct location *l = &t->locations[i];
		uint32_t id, module = l->module < t->n_modules ? l->module : 0;
		const char *library = "", *base;
		size_t n = 0;

		if (l->space >= SPACE_NAME)
			continue;
		id = names_location(&c->names, t, i);
		if (l->space != SPACE_RUNTIME && module)
			library = intern_text(&t->strings, t->modules[module].name, &n);
		put(c, library_id(c, library, n), l->raw, id);
		base = path_name_n(library, &n);
		if (base != library)
			put(c, library_id(c, base, n), l->raw, id);
	}
	return ST_OK;
}

void captured_init(struct captured *c, const char *format)
{
	*c = (struct captured){
	    .sink = {.begin = captured_begin, .batch = captured_batch, .end = captured_end},
	    .format = format};
	names_init(&c->names);
}

void captured_release(struct captured *c)
{
	names_release(&c->names);
	intern_release(&c->libraries);
	intern_release(&c->keys);
	free(c->ids);
	*c = (struct captured){.captures = 0};
}

bool captured_find(const struct captured *c, const char *library, size_t n, uint64_t address,
		   const struct names_location **l)
{
	const char *base;
	uint32_t id = 0;

	*l = NULL;
	for (int i = 0; i < 2 && !id; i++) {
		struct captured_key key = {address, n ? intern_find(&c->libraries, library, n) : 0};

		if (!n || key.library)
			id = intern_find(&c->keys, (const char *)&key, sizeof key);
		base = path_name_n(library, &n);
		if (base == library)
			break;
		library = base;
	}
	if (!id)
		return false;
	if (c->ids[id] != CAPTURED_SEVERAL && c->names.locations[c->ids[id]].tier >= TIER_NAME)
		*l = &c->names.locations[c->ids[id]];
	return true;
}

/* SPDX-License-Identifier: MIT
 *
 * lib/input/json over windows of a size that the first byte chooses: what comes out must not
 * depend on it.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/input/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct stream {
	const uint8_t *data;
	size_t n, at, step;
	uint8_t *window; /* exactly as large as what is in it */
};

static bool refill(struct cursor *c, size_t need)
{
	struct stream *s = c->owner;
	uint64_t offset = cursor_offset(c);
	size_t have = cursor_window(c), more = s->n - s->at;
	uint8_t *w;

	if (need < have + s->step)
		need = have + s->step;
	if (more > need - have)
		more = need - have;
	w = mem_alloc(have + more);
	if (have)
		memcpy(w, c->pos, have);
	if (more)
		memcpy(w + have, s->data + s->at, more);
	s->at += more;
	free(s->window);
	s->window = w;
	c->base = c->pos = w;
	c->base_offset = offset;
	c->end = w + have + more;
	c->at_end = s->at == s->n;
	return true;
}

static enum status mix(void *arg, char c, struct err *e)
{
	uint64_t *h = arg;

	(void)e;
	*h = hash_u64(*h ^ (uint8_t)c);
	return ST_OK;
}

static enum status on_null(void *arg, struct err *e)
{
	return mix(arg, 'z', e);
}

static enum status on_boolean(void *arg, bool v, struct err *e)
{
	return mix(arg, v ? 't' : 'f', e);
}

static enum status on_text(void *arg, const char *s, size_t n, struct err *e)
{
	uint64_t *h = arg;

	*h = hash_u64(*h ^ hash_bytes(s, n));
	return mix(arg, '"', e);
}

static uint64_t parse(const uint8_t *data, size_t n, size_t step, struct err *e)
{
	static const struct json_handler handler = {on_null, on_boolean, on_text, on_text,
						    on_text, mix,        mix};
	static const uint8_t nothing[1];
	struct json_options o = {.repair_utf8 = n & 1};
	struct stream s = {.data = data, .n = n, .step = step};
	struct cursor c = {
	    .pos = nothing, .end = nothing, .base = nothing, .refill = refill, .owner = &s, .e = e};
	struct json_result r;
	uint64_t h = 1;
	enum status st = json_parse(&c, &handler, &h, &o, &r, e);

	if (st && (!e->msg[0] || strchr(e->msg, '\n')))
		abort();
	free(s.window);
	return h ^ (uint64_t)st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err whole = ERR_INIT, parts = ERR_INIT;
	size_t step;

	if (!n)
		return 0;
	step = data[0] % 16 + 1u;
	if (parse(data + 1, n - 1, n, &whole) != parse(data + 1, n - 1, step, &parts))
		abort();
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Keys of profile/record.h as bytes. A text ends with a NUL; NUL and 1 inside it are 1 1 and 1 2, so
 * that keys are in the order of their texts. Numbers are big-endian, for the same reason.
 */
#include "lib/base/mem.h"
#include "lib/profile/record.h"

#include <string.h>

static void add_text(struct buf *b, struct aggregate_text t)
{
	for (size_t i = 0; i < t.n; i++)
		if (t.s[i] == 0 || t.s[i] == 1) {
			buf_addc(b, 1);
			buf_addc(b, (char)(t.s[i] + 1));
		} else {
			buf_addc(b, t.s[i]);
		}
	buf_addc(b, '\0');
}

static void add_number(struct buf *b, uint64_t v, unsigned bytes)
{
	while (bytes--)
		buf_addc(b, (char)(v >> (8 * bytes)));
}

static struct aggregate_text word(enum key by)
{
	return (struct aggregate_text){key_words[by], strlen(key_words[by])};
}

void aggregate_key_add_call(struct buf *out, const struct aggregate_call *call)
{
	add_text(out, call->raw);
	add_text(out, call->module);
}

static void aggregate_key_write_row(const struct aggregate_key *k, struct buf *out)
{
	add_text(out, word(k->by));
	switch (k->by) {
	case KEY_FUNCTION:
		add_text(out, k->raw);
		add_text(out, k->module);
		break;
	case KEY_SITE:
		add_text(out, k->raw);
		add_text(out, k->module);
		add_text(out, k->file);
		add_number(out, k->line, 4);
		add_number(out, k->inside, 1);
		break;
	case KEY_STACK:
		for (size_t i = 0; i < k->n_calls; i++)
			aggregate_key_add_call(out, &k->calls[i]);
		break;
	default: add_text(out, k->name); break;
	}
}

void aggregate_key_write(const struct aggregate_key *k, struct buf *out)
{
	add_number(out, k->kind, 1);
	switch (k->kind) {
	case AGG_INPUT:
		add_number(out, k->hash, 8);
		add_number(out, k->bytes, 8);
		break;
	case AGG_MODULE:
	case AGG_COUNTER:
		add_text(out, k->name);
		add_text(out, k->second);
		break;
	case AGG_FORMAT: add_text(out, k->name); break;
	case AGG_NOTE:
		add_number(out, k->which, 1);
		add_text(out, k->name);
		break;
	case AGG_WHOLE: add_number(out, k->which, 1); break;
	case AGG_FRAME:
		add_number(out, k->which != 0, 1);
		add_number(out, (uint64_t)k->frame ^ (uint64_t)1 << 63, 8);
		break;
	case AGG_KEY: add_text(out, word(k->by)); break;
	case AGG_ROW: aggregate_key_write_row(k, out); break;
	default: break;
	}
}

static struct aggregate_text aggregate_key_read_text(struct aggregate_record *r, struct cursor *c)
{
	struct aggregate_text t = {(const char *)c->pos, 0};
	const uint8_t *end = cursor_failed(c) ? NULL : memchr(c->pos, 0, cursor_window(c));
	size_t n = end ? (size_t)(end - c->pos) : 0;

	if (!end) {
		cursor_fail(c, ST_BAD, "a key's text has no end");
		return (struct aggregate_text){"", 0};
	}
	cursor_skip(c, n + 1, "key");
	if (!n || !memchr(t.s, 1, n)) {
		t.n = n;
		return t;
	}
	/* There is room for the whole key. */
	for (size_t i = 0; i < n; i++) {
		char byte = t.s[i];

		if (byte == 1) {
			if (++i == n || (t.s[i] != 1 && t.s[i] != 2)) {
				cursor_fail(c, ST_BAD, "a key's text is not well formed");
				return (struct aggregate_text){"", 0};
			}
			byte = (char)(t.s[i] - 1);
		}
		buf_addc(&r->text, byte);
		t.n++;
	}
	t.s = r->text.data + r->text.len - t.n;
	return t;
}

static uint64_t read_number(struct cursor *c, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | cursor_u8(c);
	return v;
}

static enum key read_by(struct aggregate_record *r, struct cursor *c)
{
	struct aggregate_text t = aggregate_key_read_text(r, c);

	for (enum key k = 0; k < KEYS; k++)
		if (strlen(key_words[k]) == t.n && !memcmp(key_words[k], t.s, t.n))
			return k;
	cursor_fail(c, ST_BAD, "a key that there is not");
	return 0;
}

/* Calls of the last key that lie in the bytes that are the same are not looked for again. */
static void aggregate_key_read_calls(struct aggregate_record *r, struct cursor *c, size_t same)
{
	const uint8_t *start = c->base;
	size_t from = (size_t)(c->pos - start), n = 0;
	bool plain = true; /* all of its texts are in its bytes */
	bool moved = r->n_ends && r->calls[0].raw.s != (const char *)start + from;

	while (r->n_ends && r->ends[r->n_ends - 1] > same)
		r->n_ends--;
	for (; n < r->n_ends && moved; n++) {
		struct aggregate_call *call = &r->calls[n];

		call->raw.s = (const char *)start + (n ? r->ends[n - 1] : from);
		call->module.s = call->raw.s + call->raw.n + 1;
	}
	n = r->key.n_same = r->n_ends;
	cursor_skip(c, n ? r->ends[n - 1] - from : 0, "key");
	while (!cursor_failed(c) && c->pos != c->end) {
		struct aggregate_call call = {.raw = aggregate_key_read_text(r, c)};

		call.module = aggregate_key_read_text(r, c);
		plain &= !r->text.len;
		VEC_PUSH(r->calls, n, r->cap_calls) = call;
		if (plain && !cursor_failed(c))
			VEC_PUSH(r->ends, r->n_ends, r->cap_ends) = (size_t)(c->pos - start);
	}
	r->key.calls = r->calls;
	r->key.n_calls = n;
}

static void aggregate_key_read_row(struct aggregate_record *r, struct cursor *c, size_t same)
{
	struct aggregate_key *k = &r->key;

	k->by = read_by(r, c);
	if (k->by != KEY_STACK)
		r->n_ends = 0;
	switch (k->by) {
	case KEY_FUNCTION:
	case KEY_SITE:
		k->raw = aggregate_key_read_text(r, c);
		k->module = aggregate_key_read_text(r, c);
		if (k->by == KEY_FUNCTION)
			break;
		k->file = aggregate_key_read_text(r, c);
		k->line = (uint32_t)read_number(c, 4);
		k->inside = read_number(c, 1);
		break;
	case KEY_STACK: aggregate_key_read_calls(r, c, same); break;
	default: k->name = aggregate_key_read_text(r, c); break;
	}
}

enum status aggregate_key_read(struct aggregate_record *r, const char *p, size_t n, struct err *e)
{
	return aggregate_key_read_same(r, 0, p, n, e);
}

enum status aggregate_key_read_same(struct aggregate_record *r, size_t same, const char *p,
				    size_t n, struct err *e)
{
	struct aggregate_key *k = &r->key;
	struct cursor c;

	cursor_init(&c, p, n, 0, e);
	r->text.len = 0;
	buf_reserve(&r->text, n + 1);
	*k = (struct aggregate_key){.kind = cursor_u8(&c)};
	if (k->kind != AGG_ROW)
		r->n_ends = 0;
	switch (k->kind) {
	case AGG_HEAD:
	case AGG_FRAMES: break;
	case AGG_INPUT:
		k->hash = read_number(&c, 8);
		k->bytes = read_number(&c, 8);
		break;
	case AGG_MODULE:
	case AGG_COUNTER:
		k->name = aggregate_key_read_text(r, &c);
		k->second = aggregate_key_read_text(r, &c);
		break;
	case AGG_FORMAT: k->name = aggregate_key_read_text(r, &c); break;
	case AGG_NOTE:
		k->which = (unsigned)read_number(&c, 1);
		k->name = aggregate_key_read_text(r, &c);
		break;
	case AGG_WHOLE: k->which = (unsigned)read_number(&c, 1); break;
	case AGG_FRAME:
		k->which = read_number(&c, 1) != 0;
		k->frame = (int64_t)(read_number(&c, 8) ^ (uint64_t)1 << 63);
		break;
	case AGG_KEY: k->by = read_by(r, &c); break;
	case AGG_ROW: aggregate_key_read_row(r, &c, same); break;
	default: cursor_fail(&c, ST_BAD, "a record of kind %u", (unsigned)k->kind); break;
	}
	if (!cursor_failed(&c) && c.pos != c.end)
		cursor_fail(&c, ST_BAD, "a key has bytes left over");
	if (!cursor_failed(&c))
		return ST_OK;
	*k = (struct aggregate_key){.kind = 0};
	e->offset = ERR_NO_OFFSET;
	return err_failure(e);
}

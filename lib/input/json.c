/* SPDX-License-Identifier: MIT */
#include "lib/input/json.h"

#include "lib/base/buf.h"
#include "lib/base/utf.h"

#include "lib/base/mem.h"

#include <stdlib.h>
#include <yajl/yajl_parse.h>

/* The longest string, number or stretch of white space; yajl goes over one again for every
 * window it is spread over. */
enum { LIMIT_TOKEN = 64 << 20 };

/* yajl reads any number of values after each other, but only white space between them. So it
 * runs until it stumbles; when what follows the last whole value is a separator, a new yajl
 * goes on behind it. Files without separators cost nothing. */
struct parser {
	const struct json_handler *h;
	void *arg;
	const struct json_options *o;
	struct json_result *r;
	struct err *e;
	enum status status; /* of the first callback that failed */
	yajl_handle yajl;
	const uint8_t *text; /* what yajl reads now: n bytes from offset on */
	size_t n;
	uint64_t offset;
	size_t between; /* everything in text before it belongs to finished top-level values */
	unsigned depth, max_depth;
	uint64_t last_event; /* offset, within a window */
	bool partial;        /* text begins inside a top-level number, string or word */
	struct buf repaired;
};

static uint64_t place(const struct parser *p)
{
	return p->offset + yajl_get_bytes_consumed(p->yajl);
}

static int result(struct parser *p, enum status st)
{
	p->status = st;
	p->last_event = p->offset;
	p->partial = false;
	if (!p->depth)
		p->between = yajl_get_bytes_consumed(p->yajl);
	return st == ST_OK;
}

static bool is_ascii(const unsigned char *s, size_t n)
{
	uint64_t seen = 0, word;

	for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
		memcpy(&word, s, sizeof word);
		seen |= word;
	}
	while (n--)
		seen |= *s++;
	return !(seen & 0x8080808080808080u);
}

/* Where in the input the invalid byte is: exact when yajl points into the text itself, which it
 * does for strings without escapes that lie within one window. */
static uint64_t invalid_at(const struct parser *p, const char *s, size_t n)
{
	const uint8_t *u = (const uint8_t *)s;

	if (u < p->text || u + n > p->text + p->n)
		return place(p);
	for (size_t k; n && (k = utf8_next(s, n, NULL)); n -= k)
		s += k;
	return p->offset + (uint64_t)((const uint8_t *)s - p->text);
}

static int text_event(struct parser *p,
		      enum status (*fn)(void *arg, const char *s, size_t n, struct err *e),
		      const unsigned char *u, size_t n)
{
	const char *s = (const char *)u;

	if (!fn)
		return result(p, ST_OK);
	if (!is_ascii(u, n) && !utf8_valid(s, n)) {
		if (!p->o->repair_utf8)
			return result(p, err_at(p->e, ST_BAD, invalid_at(p, s, n),
						"string is not valid UTF-8"));
		p->repaired.len = 0;
		p->r->repaired += utf8_add_repaired(&p->repaired, s, n);
		s = p->repaired.data;
		n = p->repaired.len;
	}
	return result(p, fn(p->arg, s, n, p->e));
}

static int json_on_null(void *ctx)
{
	struct parser *p = ctx;

	return result(p, p->h->null ? p->h->null(p->arg, p->e) : ST_OK);
}

static int json_on_boolean(void *ctx, int v)
{
	struct parser *p = ctx;

	return result(p, p->h->boolean ? p->h->boolean(p->arg, v != 0, p->e) : ST_OK);
}

static int json_on_number(void *ctx, const char *s, size_t n)
{
	struct parser *p = ctx;

	return result(p, p->h->number ? p->h->number(p->arg, s, n, p->e) : ST_OK);
}

static int json_on_string(void *ctx, const unsigned char *s, size_t n)
{
	struct parser *p = ctx;

	return text_event(p, p->h->string, s, n);
}

static int json_on_key(void *ctx, const unsigned char *s, size_t n)
{
	struct parser *p = ctx;

	return text_event(p, p->h->key, s, n);
}

static int begin(struct parser *p, char bracket)
{
	p->r->offset = place(p);
	if (p->depth++ == p->max_depth)
		return result(p, err_at(p->e, ST_LIMIT, p->r->offset - 1,
					"nested more than %u deep", p->max_depth));
	return result(p, p->h->begin ? p->h->begin(p->arg, bracket, p->e) : ST_OK);
}

static int end(struct parser *p, char bracket)
{
	p->r->offset = place(p);
	p->depth--;
	return result(p, p->h->end ? p->h->end(p->arg, bracket, p->e) : ST_OK);
}

static int json_on_start_map(void *ctx)
{
	return begin(ctx, '{');
}

static int json_on_end_map(void *ctx)
{
	return end(ctx, '}');
}

static int json_on_start_array(void *ctx)
{
	return begin(ctx, '[');
}

static int json_on_end_array(void *ctx)
{
	return end(ctx, ']');
}

static void *json_allocate(void *ctx, size_t n)
{
	(void)ctx;
	return mem_alloc(n);
}

static void *json_reallocate(void *ctx, void *old, size_t n)
{
	(void)ctx;
	return mem_realloc(old, n, 1);
}

static void json_release(void *ctx, void *old)
{
	(void)ctx;
	free(old);
}

static void json_renew(struct parser *p)
{
	static const yajl_callbacks callbacks = {
	    .yajl_null = json_on_null,
	    .yajl_boolean = json_on_boolean,
	    .yajl_number = json_on_number,
	    .yajl_string = json_on_string,
	    .yajl_start_map = json_on_start_map,
	    .yajl_map_key = json_on_key,
	    .yajl_end_map = json_on_end_map,
	    .yajl_start_array = json_on_start_array,
	    .yajl_end_array = json_on_end_array,
	};

	yajl_alloc_funcs memory = {json_allocate, json_reallocate, json_release,
				   NULL}; /* yajl copies it */

	if (p->yajl)
		yajl_free(p->yajl);
	p->yajl = yajl_alloc(&callbacks, &memory, p);
	yajl_config(p->yajl, yajl_allow_multiple_values, 1);
	yajl_config(p->yajl, yajl_allow_partial_values, 1); /* the end is judged here */
	yajl_config(p->yajl, yajl_dont_validate_strings, 1);
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Skips white space and separators from text[at] on; true when a separator was among them. */
static bool skip_between(const struct parser *p, size_t *at)
{
	bool separated = false;

	for (; *at < p->n; ++*at) {
		uint8_t c = p->text[*at];

		if (c == ';' || c == ',')
			separated = true;
		else if (!is_space(c))
			break;
	}
	return separated;
}

static enum status json_syntax(struct parser *p)
{
	unsigned char *u = yajl_get_error(p->yajl, 0, NULL, 0);
	const char *text = u ? (const char *)u : "syntax error";
	size_t n = strcspn(text, "\n");
	uint64_t at = place(p);

	/* Errors of words, numbers and strings leave yajl before the offending byte, all others
	 * behind it. */
	if (at > p->offset && (!strncmp(text, "parse", 5) || strstr(text, "invalid char in")))
		at--;
	if (n && text[n - 1] == '.')
		n--;
	err_at(p->e, ST_BAD, at, "JSON: %.*s", (int)n, text);
	if (u)
		yajl_free_error(p->yajl, u);
	p->r->offset = at;
	return ST_BAD;
}

/* Parses the whole of text. */
static enum status json_parse_input(struct parser *p)
{
	while (p->n) {
		yajl_status st;
		size_t at;

		p->between = 0;
		st = yajl_parse(p->yajl, p->text, p->n);
		at = p->between;
		if (st == yajl_status_client_canceled) {
			p->r->offset = place(p);
			return p->status;
		}
		if (st == yajl_status_ok) {
			if (!p->depth && !p->partial) {
				skip_between(p, &at);
				p->partial = at < p->n;
			}
			return ST_OK;
		}
		if (p->depth || p->partial || !skip_between(p, &at))
			return json_syntax(p);
		json_renew(p);
		p->text += at;
		p->n -= at;
		p->offset += at;
	}
	return ST_OK;
}

static enum status finish(struct parser *p)
{
	p->text = (const uint8_t *)" ";
	p->n = 1;
	if (!p->depth && p->partial) {
		yajl_status st = yajl_complete_parse(p->yajl); /* a number ends here only */

		if (st == yajl_status_client_canceled)
			return p->status;
	}
	p->r->offset = p->offset;
	if (p->depth || p->partial)
		return err_at(p->e, ST_BAD, p->offset, "JSON: the input ends inside a value");
	return ST_OK;
}

enum status json_parse(struct cursor *in, const struct json_handler *h, void *arg,
		       const struct json_options *o, struct json_result *r, struct err *e)
{
	struct parser p = {.h = h, .arg = arg, .o = o, .r = r, .e = e};
	enum status st = ST_OK;

	*r = (struct json_result){.offset = cursor_offset(in)};
	p.max_depth = o->max_depth ? o->max_depth : 64;
	p.last_event = cursor_offset(in);
	json_renew(&p);
	if (!cursor_offset(in) && cursor_available(in, 3) >= 3 &&
	    !memcmp(in->pos, "\xef\xbb\xbf", 3))
		in->pos += 3;
	while (st == ST_OK && !cursor_done(in)) {
		const uint8_t *end = in->end;

		p.text = in->pos;
		p.n = cursor_window(in);
		p.offset = cursor_offset(in);
		st = json_parse_input(&p);
		in->pos = end;
		if (st == ST_OK && cursor_offset(in) - p.last_event > LIMIT_TOKEN)
			st = err_at(e, ST_LIMIT, p.last_event,
				    "JSON: a string or gap is longer than %d MiB",
				    LIMIT_TOKEN >> 20);
	}
	if (st == ST_OK && in->failed) {
		st = in->e->code;
		if (e != in->e)
			*e = *in->e;
		r->offset = cursor_offset(in);
	} else if (st == ST_OK) {
		p.offset = cursor_offset(in);
		st = finish(&p);
	}
	yajl_free(p.yajl);
	buf_release(&p.repaired);
	return st;
}

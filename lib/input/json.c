/* SPDX-License-Identifier: MIT */
#include "lib/input/json.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/input/json_token.h"

#include <stdlib.h>
#include <yajl/yajl_parse.h>

/* The longest string, number or stretch of white space; yajl goes over one again for every
 * window it is spread over. */
enum { LIMIT_TOKEN = 64 << 20, LONG_TOKEN = 1 << 20 };

/* What may come next, within the innermost bracket that is open. */
enum next { NEXT_TOP, NEXT_FIRST, NEXT_VALUE, NEXT_KEY, NEXT_BEHIND };

/* Tokens that lie whole in a window are taken here (json_token.h). The first that does not, and the
 * first that is rare or wrong, and all behind it are yajl's, which starts within as many brackets:
 * so there is one judge of what is wrong, and one who words it.
 *
 * yajl reads any number of values after each other, but only white space between them. So it
 * runs until it stumbles; when what follows the last whole value is a separator, a new yajl
 * goes on behind it. Files without separators cost nothing. */
struct parser {
	const struct json_handler *h;
	void *arg;
	const struct json_options *o;
	struct json_result *r;
	struct err *e;
	enum status status; /* of the first callback that failed */
	yajl_handle yajl;   /* NULL: it was not needed yet */
	yajl_callbacks callbacks;
	struct buf brackets; /* that are open, before yajl */
	enum next next;      /* also */
	const uint8_t *at;   /* behind the token that was taken, also */
	const uint8_t *text; /* what is read now: n bytes from offset on */
	size_t n;
	uint64_t offset;
	size_t between; /* everything in text before it belongs to finished top-level values */
	unsigned depth, max_depth;
	uint64_t last_event; /* offset, within a window */
	uint64_t behind;     /* offset, of its end */
	bool partial;        /* text begins inside a top-level number, string or word */
	struct buf repaired, scratch;
};

static uint64_t place(const struct parser *p)
{
	return p->offset + (p->yajl ? yajl_get_bytes_consumed(p->yajl) : (size_t)(p->at - p->text));
}

static int result(struct parser *p, enum status st)
{
	p->status = st;
	p->last_event = p->offset;
	p->partial = false;
	p->behind = place(p);
	if (!p->depth)
		p->between = (size_t)(p->behind - p->offset);
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
		      const unsigned char *u, size_t n, bool ascii)
{
	const char *s = (const char *)u;

	if (!fn)
		return result(p, ST_OK);
	if (!ascii && !utf8_valid(s, n)) {
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

	return text_event(p, p->h->string, s, n, is_ascii(s, n));
}

static int json_on_key(void *ctx, const unsigned char *s, size_t n)
{
	struct parser *p = ctx;

	return text_event(p, p->h->key, s, n, is_ascii(s, n));
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
	yajl_alloc_funcs memory = {json_allocate, json_reallocate, json_release,
				   NULL}; /* yajl copies it */

	if (p->yajl)
		yajl_free(p->yajl);
	p->yajl = yajl_alloc(&p->callbacks, &memory, p);
	yajl_config(p->yajl, yajl_allow_multiple_values, 1);
	yajl_config(p->yajl, yajl_allow_partial_values, 1); /* the end is judged here */
	yajl_config(p->yajl, yajl_dont_validate_strings, 1);
}

/* From here on yajl reads: it is shown, without a callback, such brackets as are open. */
static void json_hand_over(struct parser *p)
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
	static const char *const inside[][5] = {
	    {[NEXT_FIRST] = "[", [NEXT_VALUE] = "[0,", [NEXT_BEHIND] = "[null"},
	    {[NEXT_FIRST] = "{",
	     [NEXT_VALUE] = "{\"\":",
	     [NEXT_KEY] = "{\"\":0,",
	     [NEXT_BEHIND] = "{\"\":null"},
	};
	struct buf *b = &p->scratch;

	b->len = 0;
	for (size_t i = 0; i < p->brackets.len; i++) {
		bool is_map = p->brackets.data[i] == '{';
		enum next next = i + 1 == p->brackets.len ? p->next
				 : is_map                 ? NEXT_VALUE
							  : NEXT_FIRST;

		buf_adds(b, inside[is_map][next]);
	}
	p->callbacks = (yajl_callbacks){.yajl_null = NULL};
	json_renew(p);
	if (b->len)
		yajl_parse(p->yajl, (const unsigned char *)b->data, b->len);
	p->callbacks = callbacks;
}

/* Skips white space and separators from text[at] on; true when a separator was among them. */
static bool skip_between(const struct parser *p, size_t *at)
{
	bool separated = false;

	for (; *at < p->n; ++*at) {
		uint8_t c = p->text[*at];

		if (c == ';' || c == ',')
			separated = true;
		else if (!json_is_space(c))
			break;
	}
	return separated;
}

/* The first token in text that no callback was called for. */
static uint64_t first_behind(const struct parser *p)
{
	size_t at = p->behind > p->offset ? (size_t)(p->behind - p->offset) : 0;

	while (at < p->n && json_is_space(p->text[at]))
		at++;
	return p->offset + at;
}

static enum status json_syntax(struct parser *p)
{
	unsigned char *u = yajl_get_error(p->yajl, 0, NULL, 0);
	const char *text = u ? (const char *)u : "syntax error";
	size_t n = strcspn(text, "\n");
	uint64_t at = place(p);

	if (strstr(text, "I expect")) /* yajl went back by the length of some token before */
		at = first_behind(p);
	/* Errors of words, numbers and strings leave yajl before the offending byte, all others
	 * behind it. */
	else if (at > p->offset && (!strncmp(text, "parse", 5) || strstr(text, "invalid char in")))
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

/* --- before yajl --- */

static int json_open_bracket(struct parser *p, char bracket)
{
	buf_addc(&p->brackets, bracket);
	p->next = NEXT_FIRST;
	p->at++;
	return begin(p, bracket);
}

static int json_close_bracket(struct parser *p, char bracket)
{
	p->brackets.len--;
	p->next = p->brackets.len ? NEXT_BEHIND : NEXT_TOP;
	p->at++;
	return end(p, bracket);
}

/* A key, and the colon behind it. */
static enum json_whole json_parse_key(struct parser *p, const uint8_t *end, int *go_on)
{
	enum json_whole whole;
	struct json_token t;

	if (*p->at != '"')
		return JSON_ODD;
	whole = json_token_string(p->at + 1, end, &p->scratch, &t);
	if (whole != JSON_WHOLE)
		return whole;
	while (t.end < end && json_is_space(*t.end))
		t.end++;
	if (t.end == end)
		return JSON_CUT;
	if (*t.end != ':')
		return JSON_ODD;
	p->at = t.end + 1;
	p->next = NEXT_VALUE;
	*go_on = text_event(p, p->h->key, t.s, t.n, t.ascii);
	return JSON_WHOLE;
}

static enum json_whole json_parse_value(struct parser *p, const uint8_t *end, int *go_on)
{
	enum json_whole whole;
	struct json_token t;
	uint8_t c = *p->at;

	switch (c) {
	case '{':
	case '[': *go_on = json_open_bracket(p, (char)c); return JSON_WHOLE;
	case '"': whole = json_token_string(p->at + 1, end, &p->scratch, &t); break;
	case 't':
	case 'f':
	case 'n': whole = json_token_word(p->at, end, &t); break;
	default: whole = json_token_number(p->at, end, &t);
	}
	if (whole != JSON_WHOLE)
		return whole;
	p->at = t.end;
	p->next = NEXT_BEHIND;
	switch (c) {
	case '"': *go_on = text_event(p, p->h->string, t.s, t.n, t.ascii); break;
	case 't':
	case 'f': *go_on = json_on_boolean(p, c == 't'); break;
	case 'n': *go_on = json_on_null(p); break;
	default: *go_on = json_on_number(p, (const char *)t.s, t.n);
	}
	return JSON_WHOLE;
}

/* The token at p->at. *go_on: what the callback says. */
static enum json_whole json_parse_token(struct parser *p, const uint8_t *end, int *go_on)
{
	uint8_t c = *p->at,
		last = p->brackets.len ? (uint8_t)p->brackets.data[p->brackets.len - 1] : 0;

	switch (p->next) {
	case NEXT_TOP:
		if (c == ',' || c == ';') {
			p->at++;
			return JSON_WHOLE;
		}
		return c == '{' || c == '[' ? json_parse_value(p, end, go_on) : JSON_ODD;
	case NEXT_FIRST:
		if (c == last + 2) { /* in ASCII a bracket's other one is two behind it */
			*go_on = json_close_bracket(p, (char)c);
			return JSON_WHOLE;
		}
		return last == '{' ? json_parse_key(p, end, go_on)
				   : json_parse_value(p, end, go_on);
	case NEXT_BEHIND:
		if (c == ',') {
			p->at++;
			p->next = last == '{' ? NEXT_KEY : NEXT_VALUE;
			return JSON_WHOLE;
		}
		if (c != last + 2)
			return JSON_ODD;
		*go_on = json_close_bracket(p, (char)c);
		return JSON_WHOLE;
	case NEXT_KEY: return json_parse_key(p, end, go_on);
	default: return json_parse_value(p, end, go_on);
	}
}

/* Takes what is whole of the window, and hands over what is not for here. */
static enum status json_scan(struct parser *p, struct cursor *in)
{
	enum json_whole whole = JSON_WHOLE;
	int go_on = 1;

	p->text = p->at = in->pos;
	p->n = cursor_window(in);
	p->offset = cursor_offset(in);
	while (go_on && whole == JSON_WHOLE && p->at < in->end) {
		if (json_is_space(*p->at))
			p->at++;
		else
			whole = json_parse_token(p, in->end, &go_on);
	}
	in->pos = p->at;
	if (!go_on) {
		p->r->offset = place(p);
		return p->status;
	}
	if (whole == JSON_CUT && !in->at_end && cursor_window(in) < LONG_TOKEN)
		cursor_available(in, cursor_window(in) * 2 + 1);
	else if (whole != JSON_WHOLE)
		json_hand_over(p);
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
	if (!cursor_offset(in) && cursor_available(in, 3) >= 3 &&
	    !memcmp(in->pos, "\xef\xbb\xbf", 3))
		in->pos += 3;
	while (st == ST_OK && !cursor_done(in)) {
		const uint8_t *end = in->end;

		if (!p.yajl) {
			st = json_scan(&p, in);
		} else {
			p.text = in->pos;
			p.n = cursor_window(in);
			p.offset = cursor_offset(in);
			st = json_parse_input(&p);
			in->pos = end;
		}
		if (st == ST_OK && cursor_offset(in) - p.last_event > LIMIT_TOKEN)
			st = err_at(e, ST_LIMIT, p.last_event,
				    "JSON: a string or gap is longer than %d MiB",
				    LIMIT_TOKEN >> 20);
	}
	if (st == ST_OK && in->failed) {
		st = err_failure(in->e);
		if (e != in->e)
			*e = *in->e;
		r->offset = cursor_offset(in);
	} else if (st == ST_OK) {
		p.offset = cursor_offset(in);
		st = finish(&p);
	}
	if (p.yajl)
		yajl_free(p.yajl);
	buf_release(&p.brackets);
	buf_release(&p.scratch);
	buf_release(&p.repaired);
	return st;
}

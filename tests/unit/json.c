/* SPDX-License-Identifier: MIT
 *
 * The JSON reader (lib/input/json.h).
 */
#include "tests/unit/test.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/input/json.h"

#include <stdlib.h>

/* Events as text: {k"key"n12s"string"tfz[]} */
static enum status on_null(void *arg, struct err *e)
{
	(void)e;
	buf_addc(arg, 'z');
	return ST_OK;
}

static enum status on_boolean(void *arg, bool v, struct err *e)
{
	(void)e;
	buf_addc(arg, v ? 't' : 'f');
	return ST_OK;
}

static enum status on_number(void *arg, const char *s, size_t n, struct err *e)
{
	if (n == 3 && !memcmp(s, "666", 3))
		return err_set(e, ST_UNSUPPORTED, "stop");
	buf_addc(arg, 'n');
	buf_add(arg, s, n);
	return ST_OK;
}

static enum status on_string(void *arg, const char *s, size_t n, struct err *e)
{
	(void)e;
	buf_addf(arg, "s\"%.*s\"", (int)n, s);
	return ST_OK;
}

static enum status on_key(void *arg, const char *s, size_t n, struct err *e)
{
	(void)e;
	buf_addf(arg, "k\"%.*s\"", (int)n, s);
	return ST_OK;
}

static enum status on_bracket(void *arg, char c, struct err *e)
{
	(void)e;
	buf_addc(arg, c);
	return ST_OK;
}

static const struct json_handler handler = {on_null, on_boolean, on_number, on_string,
					    on_key,  on_bracket, on_bracket};

/* A stream that gives the text in windows of a fixed size, each in memory of its own, so that
 * a byte too far is noticed. */
struct drip {
	const char *s;
	size_t n, at, step;
	uint8_t *window;
};

static bool drip_refill(struct cursor *c, size_t need)
{
	struct drip *d = c->owner;
	uint64_t offset = cursor_offset(c);
	size_t have = cursor_window(c);
	size_t more = d->n - d->at;
	uint8_t *w;

	if (need < have + d->step)
		need = have + d->step;
	if (more > need - have)
		more = need - have;
	w = mem_alloc(have + more);
	if (have)
		memcpy(w, c->pos, have);
	memcpy(w + have, d->s + d->at, more);
	d->at += more;
	free(d->window);
	d->window = w;
	c->base = c->pos = w;
	c->base_offset = offset;
	c->end = w + have + more;
	c->at_end = d->at == d->n;
	return true;
}

static enum status parse(const char *s, size_t n, size_t step, const struct json_options *o,
			 struct buf *out, struct json_result *r, struct err *e)
{
	static const uint8_t nothing[1];
	struct drip d = {.s = s, .n = n, .step = step};
	struct cursor c = {.pos = nothing, .end = nothing, .base = nothing};
	enum status st;

	*e = (struct err)ERR_INIT;
	c.e = e;
	c.refill = drip_refill;
	c.owner = &d;
	out->len = 0;
	st = json_parse(&c, &handler, out, o, r, e);
	free(d.window);
	return st;
}

/* The same whole and in pieces of every size. */
static void check_n(const char *s, size_t n, const struct json_options *o, enum status want,
		    const char *events, uint64_t offset)
{
	struct buf out = BUF_INIT;
	struct json_result r;
	struct err e;

	for (size_t step = 1; step <= n + 1; step++) {
		bool ok = CHECK_EQ(parse(s, n, step, o, &out, &r, &e), want);

		ok &= CHECK_STR(buf_str(&out), events);
		if (want != ST_OK) {
			ok &= CHECK_EQ(e.offset, offset);
			ok &= CHECK(e.msg[0] && !strchr(e.msg, '\n'));
		} else {
			ok &= CHECK_EQ(r.offset, n);
		}
		if (!ok) {
			printf("  text %s, %zu at a time: %s\n", s, step, e.msg);
			break;
		}
	}
	buf_release(&out);
}

static void check(const char *s, enum status want, const char *events, uint64_t offset)
{
	static const struct json_options o;

	check_n(s, strlen(s), &o, want, events, offset);
}

TEST(values)
{
	check("", ST_OK, "", 0);
	check(" \n", ST_OK, "", 0);
	check("{}", ST_OK, "{}", 0);
	check("{\"a\":[1,-2.5e3,\"x\",true,false,null,{}]}", ST_OK,
	      "{k\"a\"[n1n-2.5e3s\"x\"tfz{}]}", 0);
	check("18446744073709551615", ST_OK, "n18446744073709551615", 0);
	check("\"a\\n\\u00e9\\/\"", ST_OK, "s\"a\n\xc3\xa9/\"", 0);
	check("\xef\xbb\xbf{}", ST_OK, "{}", 0);
}

TEST(several_values)
{
	check("{}\n{}\r\n[] 1 2\n", ST_OK, "{}{}[]n1n2", 0);
	check("{};{}", ST_OK, "{}{}", 0);
	check("{}, {} ;\n;[1];", ST_OK, "{}{}[n1]", 0);
	check("1,2;3", ST_OK, "n1n2n3", 0);
	check("\"a;b\";\"c\"", ST_OK, "s\"a;b\"s\"c\"", 0);
	check(";{}", ST_OK, "{}", 0);
	check("{}{}", ST_OK, "{}{}", 0);
}

TEST(syntax_errors)
{
	check("{]", ST_BAD, "{", 1);
	check("{\"a\":1;\"b\":2}", ST_BAD, "{k\"a\"n1", 6);
	check("[1,,2]", ST_BAD, "[n1", 3);
	check("{} ]", ST_BAD, "{}", 3);
	check("{};]", ST_BAD, "{}", 3);
	check("[@]", ST_BAD, "[", 1);
	check("[trux]", ST_BAD, "[", 4);
	check("[\"a\x01\"]", ST_BAD, "[", 3);
	check("[\"\\q\"]", ST_BAD, "[", 3);
	check("[1.x]", ST_BAD, "[", 3);
	check("\"abc\x02;1", ST_BAD, "", 4);
	check("PK\x03\x04", ST_BAD, "", 0);
}

/* What is rare or wrong is read by yajl, and so is what follows it: from any place of a text. */
TEST(rare_tokens)
{
	check("[1,{\"a\":[\"\\ud83d\",2],\"b\":{}},[]]", ST_OK, "[n1{k\"a\"[s\"?\"n2]k\"b\"{}}[]]",
	      0);
	check("{\"\\ud83d\":1,\"b\":[2]}", ST_OK, "{k\"?\"n1k\"b\"[n2]}", 0);
	check("{\"a\":{},\"\\ud83d\":1}", ST_OK, "{k\"a\"{}k\"?\"n1}", 0);
	check("[[],\"\\ud83d\",[3]]", ST_OK, "[[]s\"?\"[n3]]", 0);
	check("[\"\\ud83d\\ude00\\ud83d\\ude00 \\\"\\\\\\b\\f\\n\\r\\t\"]", ST_OK,
	      "[s\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80 \"\\\b\f\n\r\t\"]", 0);
	check("[true,false,nulL]", ST_BAD, "[tf", 15);
	check("{\"a\"]", ST_BAD, "{k\"a\"", 4);
	check("[[1,[0.5]}", ST_BAD, "[[n1[n0.5]", 9);
	check("{\"a\":10]", ST_BAD, "{k\"a\"n10", 7);
	check("[12 ]", ST_OK, "[n12]", 0);
	check("[0{}]", ST_BAD, "[n0", 2);
	check("[-]", ST_BAD, "[", 2);
	check("[1e]", ST_BAD, "[", 3);
}

TEST(truncated)
{
	static const char text[] = "{\"a\":[1,true,\"x\\u0041\"],\"b\":null}";
	struct json_options o = {0};
	struct buf out = BUF_INIT;
	struct json_result r;
	struct err e;

	for (size_t n = 1; n < sizeof text - 1; n++) {
		for (size_t step = 1; step < 9; step += 7) {
			CHECK_EQ(parse(text, n, step, &o, &out, &r, &e), ST_BAD);
			CHECK_EQ(e.offset, n);
		}
	}
	check("{} tru", ST_BAD, "{}", 6);
	check("\"abc", ST_BAD, "", 4);
	check("-", ST_BAD, "", 1);
	buf_release(&out);
}

TEST(callback_stops)
{
	check("[1,666,2]", ST_UNSUPPORTED, "[n1", ERR_NO_OFFSET);
	check("1;666", ST_UNSUPPORTED, "n1", ERR_NO_OFFSET);
}

TEST(depth)
{
	struct json_options o = {.max_depth = 3};
	char deep[200];

	check_n("[[[]]]", 6, &o, ST_OK, "[[[]]]", 0);
	check_n("[[[[]]]]", 8, &o, ST_LIMIT, "[[[", 3);
	memset(deep, '[', sizeof deep);
	deep[sizeof deep - 1] = '\0';
	check(deep, ST_LIMIT, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	      64);
}

TEST(utf8)
{
	struct json_options repair = {.repair_utf8 = true};
	struct buf out = BUF_INIT;
	struct json_options o = {0};
	struct json_result r;
	struct err e;

	check("[\"\xe5\xa0\x86\"]", ST_OK, "[s\"\xe5\xa0\x86\"]", 0);
	CHECK_EQ(parse("[\"a\xff z\"]", 8, 100, &o, &out, &r, &e), ST_BAD);
	CHECK_EQ(e.offset, 3);
	CHECK_EQ(parse("[\"\\n\xc0\xaf\"]", 8, 100, &o, &out, &r, &e), ST_BAD);
	for (size_t step = 1; step < 9; step++) {
		CHECK_EQ(parse("[\"a\xff\xed\xa0z\"]", 9, step, &repair, &out, &r, &e), ST_OK);
		CHECK_STR(buf_str(&out), "[s\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"]");
		CHECK_EQ(r.repaired, 3);
	}
	buf_release(&out);
}

TEST(message)
{
	struct json_options o = {0};
	struct buf out = BUF_INIT;
	struct json_result r;
	struct err e;

	CHECK_EQ(parse("{]", 2, 10, &o, &out, &r, &e), ST_BAD);
	CHECK(!strncmp(e.msg, "JSON: ", 6));
	CHECK_EQ(parse("{", 1, 10, &o, &out, &r, &e), ST_BAD);
	CHECK_STR(e.msg, "JSON: the input ends inside a value");
	buf_release(&out);
}

/* No memory for a token without end. */
TEST(endless_string)
{
	size_t n = (size_t)70 << 20;
	char *s = mem_alloc(n);
	struct json_options o = {0};
	struct buf out = BUF_INIT;
	struct json_result r;
	struct err e;

	memset(s, 'a', n);
	s[0] = '"';
	CHECK_EQ(parse(s, n, 4 << 20, &o, &out, &r, &e), ST_LIMIT);
	CHECK_EQ(e.offset, 0);
	free(s);
	buf_release(&out);
}

TEST_MAIN()

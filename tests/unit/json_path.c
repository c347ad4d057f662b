/* SPDX-License-Identifier: MIT */
#include "lib/input/json_path.h"

#include "lib/base/buf.h"
#include "tests/unit/test.h"

#include <string.h>

enum { LIST = JSON_PLACES, ITEM, NAME, ARGS, ARG, LENGTH, DATA, TREE };

static const struct json_row rows[] = {
    {JSON_TOP, "[", LIST}, {JSON_TOP, "{", ITEM}, {LIST, "{", ITEM},     {LIST, "", NAME},
    {ITEM, "name", NAME},  {ITEM, "args{", ARGS}, {ARGS, "data{", DATA}, {0},
};
static const struct json_row more[] = {
    {ARGS, "*", ARG},  {ARGS, "length", LENGTH}, {DATA, "tree[", TREE},
    {TREE, "[", TREE}, {TREE, "", ARG},          {0},
};

static enum status test_begin(void *arg, unsigned place, struct err *e)
{
	(void)e;
	buf_addf(arg, "(%u", place - JSON_PLACES);
	return ST_OK;
}

static enum status test_end(void *arg, unsigned place, struct err *e)
{
	(void)e;
	buf_addf(arg, "%u)", place - JSON_PLACES);
	return ST_OK;
}

static enum status test_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	if (v.n == 4 && !memcmp(v.s, "stop", 4))
		return err_set(e, ST_LIMIT, "stopped");
	buf_addf(arg, " %u%c%.*s", place - JSON_PLACES, "snb0"[v.kind], (int)v.n, v.s);
	return ST_OK;
}

static enum status test_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	(void)e;
	buf_addf(arg, " %u.%.*s:", in - JSON_PLACES, (int)n, s);
	return ST_OK;
}

/* "(" begins and ")" ends a place, "s", "n", "b" and "0" are kinds of values. */
static const char *walked(struct buf *b, const char *text, enum status *st, unsigned *depth)
{
	static const struct json_walker walker = {.rows = rows,
						  .more = more,
						  .begin = test_begin,
						  .end = test_end,
						  .value = test_value,
						  .key = test_key};
	static const struct json_options options = {0};
	struct err e = ERR_INIT;
	struct json_result r = {0};
	struct cursor c;

	cursor_init(&c, text, strlen(text), 0, &e);
	b->len = 0;
	*st = json_walk(&c, &walker, b, &options, &r, depth, &e);
	return buf_str(b);
}

TEST(places)
{
	static const char *const cases[][2] = {
	    {"{\"name\":\"a\"}", "(1 2sa1)"},
	    {"[{\"name\":1},\"x\",true,null,[2],{\"names\":3}]",
	     "(0(1 2n11) 2sx 2btrue 20null(11)0)"},
	    /* Not of their shape, in brackets that lead nowhere, or below such. */
	    {"{\"name\":[1,{\"name\":2}],\"args\":4,\"other\":{\"name\":5,\"args\":{\"b\":6}}}",
	     "(11)"},
	    /* A key of its own may have another shape; "*" has the rest. */
	    {"{\"args\":{\"b\":1,\"length\":2,\"data\":3,\"c\":{\"d\":4},\"e\":[5],\"f\":6}}",
	     "(1(3 3.b: 4n1 3.length: 5n2 3.data: 4n3 3.c: 3.e: 3.f: 4n63)1)"},
	    /* A place within itself, as deep as it goes. */
	    {"{\"args\":{\"data\":{\"tree\":[1,[2,[3],4],5]}}}",
	     "(1(3 3.data:(6(7 4n1(7 4n2(7 4n37) 4n47) 4n57)6)3)1)"},
	    {"{\"name\":1}\n{\"name\":2}", "(1 2n11)(1 2n21)"},
	    {"7", ""},
	};
	struct buf b = BUF_INIT;
	enum status st;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK_STR(walked(&b, cases[i][0], &st, NULL), cases[i][1]);
		CHECK(!st);
	}
	buf_release(&b);
}

TEST(deep)
{
	struct buf text = BUF_INIT, b = BUF_INIT;
	unsigned depth;
	enum status st;

	for (int i = 0; i < 60; i++)
		buf_adds(&text, "[");
	walked(&b, buf_str(&text), &st, &depth);
	CHECK(st == ST_BAD && depth == 60);
	buf_release(&text);
	buf_release(&b);
}

TEST(stops)
{
	struct buf b = BUF_INIT;
	unsigned depth;
	enum status st;

	CHECK_STR(walked(&b, "[{\"name\":\"stop\"},{\"name\":1}]", &st, &depth), "(0(1");
	CHECK(st == ST_LIMIT && depth == 2);
	CHECK_STR(walked(&b, "[{\"name\":1},", &st, &depth), "(0(1 2n11)");
	CHECK(st == ST_BAD && depth == 1);
	buf_release(&b);
}

TEST_MAIN()

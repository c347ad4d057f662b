/* SPDX-License-Identifier: MIT
 *
 * Miku-LuaProfiler's Diff/add.txt, remain.txt and null.txt: UTF-8, lines of the platform.
 *
 *	type:LUA_TFUNCTION
 *	 └─object
 *	   ├─ref1 url:function:@game/main.lua&line:14
 *	   └─ref2 url:[_G]->[UI]->[cb(function:@game/main.lua&line:14)]
 *
 * Before 2025-12 there are no object lines: each object begins with a type line, and its items are
 * indented by one blank. Keys are not escaped: a line without such a beginning goes on with the
 * item above it.
 */
#include "formats/emit.h"
#include "formats/miku/objects.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 64 << 20 };
enum line_kind { LINE_TYPE, LINE_OBJECT, LINE_ITEM, LINE_OTHER };

struct diff {
	struct import *im;
	struct buf type, text; /* text: the items of the object, one behind the other */
	size_t *ends;          /* of the items in text */
	size_t n_items, cap_items;
	struct miku_item *items;
	size_t cap_out;
	bool open;
	uint64_t objects, blank, stray, continued;
};

/* What the line is; *s and *n become what follows its beginning. */
static enum line_kind miku_diff_kind_of(const char **s, size_t *n)
{
	static const char type[] = "type:LUA_T", last[] = "\xe2\x94\x94\xe2\x94\x80",
			  more[] = "\xe2\x94\x9c\xe2\x94\x80";
	const char *p = *s, *end = *s + *n;
	size_t digits = 0;

	if (*n >= sizeof type - 1 && !memcmp(p, type, sizeof type - 1)) {
		*s += 5;
		*n -= 5;
		return LINE_TYPE;
	}
	while (p < end && *p == ' ')
		p++;
	if (p == *s || end - p < 6 || (memcmp(p, last, 6) != 0 && memcmp(p, more, 6) != 0))
		return LINE_OTHER;
	p += 6;
	if (end - p == 6 && !memcmp(p, "object", 6))
		return LINE_OBJECT;
	if (end - p < 3 || memcmp(p, "ref", 3) != 0)
		return LINE_OTHER;
	for (p += 3; p < end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (!digits || end - p < 5 || memcmp(p, " url:", 5) != 0)
		return LINE_OTHER;
	*s = p + 5;
	*n = (size_t)(end - p) - 5;
	return LINE_ITEM;
}

static enum status miku_diff_begin(struct diff *d, struct err *e)
{
	static const char *const lists[][2] = {
	    {"add", "new objects"},
	    {"remain", "objects made between the two snapshots and still live: suspected leaks"},
	    {"null", "userdata whose object is destroyed"}};
	const char *base = path_base(d->im->in->name), *grammar = NULL;
	struct trace *t = d->im->t;
	size_t from = 0;

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		size_t n = strlen(lists[i][0]);

		if (strncmp(base, lists[i][0], n) != 0 || base[n] != '.')
			continue;
		trace_set(t, "miku.list", lists[i][0]);
		trace_note(t, NOTE_GUESS, 0, "the file name states which list the file is: %s",
			   lists[i][1]);
	}
	for (size_t i = 0; i < d->n_items && !grammar; from = d->ends[i++])
		grammar = miku_grammar(buf_at(&d->text, from), d->ends[i] - from);
	if (grammar)
		trace_set(t, "miku.paths", grammar);
	return import_begin(d->im, e);
}

static enum status miku_diff_end_object(struct diff *d, struct err *e)
{
	struct miku_object o = {.type = d->type.data, .n_type = d->type.len};
	enum status st = ST_OK;
	size_t from = 0;

	if (!d->open)
		return ST_OK;
	d->open = false;
	o.id = ++d->objects;
	if (d->cap_out < d->n_items)
		d->items = mem_grow(d->items, &d->cap_out, d->n_items, sizeof *d->items);
	for (size_t i = 0; i < d->n_items; from = d->ends[i++])
		d->items[i] = (struct miku_item){buf_at(&d->text, from), d->ends[i] - from};
	o.items = d->items;
	o.n_items = d->n_items;
	if (!d->im->begun)
		st = miku_diff_begin(d, e);
	return st ? st : miku_push_object(d->im, &o, e);
}

static void start_object(struct diff *d)
{
	d->open = true;
	d->n_items = 0;
	d->text.len = 0;
}

static void add_item(struct diff *d, const char *s, size_t n)
{
	buf_add(&d->text, s, n);
	VEC_PUSH(d->ends, d->n_items, d->cap_items) = d->text.len;
}

/* A line end within a key; the blank lines behind a group are no part of a key. */
static void go_on(struct diff *d, const char *s, size_t n)
{
	if (!n) {
		d->blank++;
		return;
	}
	if (!d->open || !d->n_items) {
		d->stray++;
		d->blank = 0;
		return;
	}
	for (; d->blank; d->blank--)
		buf_addc(&d->text, '\n');
	buf_addc(&d->text, '\n');
	buf_add(&d->text, s, n);
	d->ends[d->n_items - 1] = d->text.len;
	d->continued++;
}

static enum status miku_diff_one_line(struct diff *d, const char *s, size_t n, struct err *e)
{
	enum line_kind kind = miku_diff_kind_of(&s, &n);
	enum status st = ST_OK;

	if (kind == LINE_OTHER) {
		go_on(d, s, n);
		return ST_OK;
	}
	d->blank = 0;
	if (kind == LINE_TYPE || kind == LINE_OBJECT)
		st = miku_diff_end_object(d, e);
	if (kind == LINE_TYPE)
		miku_type_of_name(&d->type, s, n);
	if (kind == LINE_OBJECT || (kind == LINE_ITEM && !d->open))
		start_object(d);
	if (kind == LINE_ITEM)
		add_item(d, s, n);
	return st;
}

/* Texts that end within brackets are cut; of paths with dots it cannot be known. */
static bool is_whole(const char *s, size_t n)
{
	long square = 0, round = 0;

	for (size_t i = 0; i < n; i++) {
		square += (s[i] == '[') - (s[i] == ']');
		round += (s[i] == '(') - (s[i] == ')');
	}
	return !square && !round;
}

static enum status miku_diff_read_file(struct import *im, struct err *e)
{
	struct cursor *c = &im->in->cur;
	struct diff d = {.im = im};
	struct err later = ERR_INIT;
	enum status st = ST_OK, out;
	bool cut = false, whole = true;
	const char *s;
	size_t n;

	if (cursor_available(c, 3) >= 3 && !memcmp(c->pos, "\xef\xbb\xbf", 3))
		c->pos += 3;
	while (!st && (s = cursor_line(c, &n, LINE_LIMIT))) {
		cut = (const char *)c->pos == s + n && n;
		whole = is_whole(s, n);
		st = miku_diff_one_line(&d, s, n, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	out = miku_diff_end_object(&d, &later);
	if (out) {
		*e = later;
		st = out;
	}
	if (!st && !d.objects)
		st = err_at(e, ST_BAD, 0, "the file has no object");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, im->t && d.stray ? d.stray : 0, "lines belong to no object"),
	    LOSS(NOTE_GUESS, im->t && d.continued ? d.continued : 0,
		 "lines have no beginning: the key above them contains newlines"),
	    LOSS_IF(NOTE_LOSS, im->t && cut && !whole, "the last line has no newline: it is cut"),
	    LOSS_IF(NOTE_GUESS, im->t && cut && whole,
		    "the last line has no newline: it is read as it is"),
	};

	TRACE_LOSSES(im->t, losses);
	buf_release(&d.type);
	buf_release(&d.text);
	free(d.ends);
	free(d.items);
	return st;
}

static int miku_diff_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char mark[] = "type:LUA_T";

	(void)whole;
	if (n > 3 && !memcmp(head, "\xef\xbb\xbf", 3)) {
		head += 3;
		n -= 3;
	}
	return n > sizeof mark && !memcmp(head, mark, sizeof mark - 1) ? 60 : 0;
}

const struct reader reader_miku_diff = {
    .name = "miku-diff",
    .family = "Miku-LuaProfiler",
    .page = "miku",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS,
    .what = "Miku-LuaProfiler: Diff/add.txt, remain.txt, null.txt (2.3.4 to 4.x)",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* the next line may go on with a key */
    .bid = miku_diff_bid,
    .read = miku_diff_read_file,
};

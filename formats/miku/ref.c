/* SPDX-License-Identifier: MIT
 *
 * Miku-LuaProfiler's Ref/function.txt and table.txt, the Lua objects that C# holds: "name count:n"
 * lines, the largest count first. Keys are not escaped, so a name may have line ends.
 */
#include "formats/emit.h"
#include "formats/miku/objects.h"
#include "lib/base/num.h"
#include "lib/base/path.h"

#include <string.h>

enum { LINE_LIMIT = 64 << 20, BID_LINES = 64 };
static const char mark[] = " count:";

struct refs {
	struct import *im;
	struct buf name; /* with the lines that had no count yet */
	const char *type;
	uint64_t rows, continued;
};

/* The length of the name on a line that ends in a count. */
static bool split(const char *s, size_t n, size_t *name, uint64_t *count)
{
	size_t digits = 0, len = sizeof mark - 1;

	while (digits < n && s[n - 1 - digits] >= '0' && s[n - 1 - digits] <= '9')
		digits++;
	if (!digits || n < digits + len || memcmp(s + n - digits - len, mark, len) != 0)
		return false;
	*name = n - digits - len;
	return num_dec(s + n - digits, digits, count);
}

static enum status begin(struct refs *r, struct err *e)
{
	const char *base = path_base(r->im->in->name);

	if (!strcmp(base, "function.txt") || !strcmp(base, "table.txt")) {
		r->type = *base == 'f' ? "function" : "table";
		trace_note(r->im->t, NOTE_GUESS, 0, "the file name states the type: %s", r->type);
	}
	return import_begin(r->im, e);
}

static enum status one_row(struct refs *r, uint64_t count, struct err *e)
{
	/* what C# holds is a root */
	struct miku_item items[] = {{r->name.data, r->name.len}, {"(C#)", 4}};
	struct miku_object o = {.id = ++r->rows, .items = items, .n_items = 2, .count = count};
	enum status st = r->im->begun ? ST_OK : begin(r, e);

	if (r->type) {
		o.type = r->type;
		o.n_type = strlen(r->type);
	}
	return st ? st : miku_push_object(r->im, &o, e);
}

static enum status one_line(struct refs *r, const char *s, size_t n, struct err *e)
{
	size_t len = n;
	uint64_t count = 0;
	bool whole = split(s, n, &len, &count);
	enum status st = ST_OK;

	if (r->name.len) {
		buf_addc(&r->name, '\n');
		r->continued++;
	}
	buf_add(&r->name, s, len);
	if (!whole)
		return ST_OK;
	st = one_row(r, count, e);
	r->name.len = 0;
	return st;
}

static enum status miku_ref_read_file(struct import *im, struct err *e)
{
	struct cursor *c = &im->in->cur;
	struct refs r = {.im = im};
	enum status st = ST_OK;
	bool cut = false;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_LIMIT))) {
		cut = (const char *)c->pos == s + n && n;
		st = one_line(&r, s, n, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !r.rows)
		st = err_at(e, ST_BAD, 0, "no line ends in a count");

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_LOSS, r.name.len, "the last lines have no count: left out"),
	    LOSS_IF(NOTE_GUESS, cut && !r.name.len,
		    "the last line has no newline: it is read as it is"),
	    LOSS(NOTE_GUESS, r.continued, "lines have no count: their name contains newlines"),
	};

	TRACE_LOSSES(im->t, losses);
	buf_release(&r.name);
	return st;
}

/* All lines are rows, and no count is larger than the one above. */
static int miku_ref_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n;
	uint64_t last = UINT64_MAX, count;
	size_t rows = 0, name;

	while (s < end && rows < BID_LINES) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t len;

		if (!stop && !whole)
			break;
		len = (size_t)((stop ? stop : end) - s);
		len -= len && s[len - 1] == '\r';
		if (!split(s, len, &name, &count) || !name || count > last)
			return 0;
		last = count;
		rows++;
		s = stop ? stop + 1 : end;
	}
	return rows ? 10 : 0;
}

const struct reader reader_miku_ref = {
    .name = "miku-ref",
    .family = "Miku-LuaProfiler",
    .page = "miku",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS,
    .what = "Miku-LuaProfiler: Ref/function.txt, table.txt",
    .suffixes = "txt",
    .guesses = true,
    .cut = CUT_AT_LINE,
    .bid = miku_ref_bid,
    .read = miku_ref_read_file,
};

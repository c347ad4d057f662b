/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's "Callstacks To Text": all records, no frees. A record is one line, its stack the
 * next, "library,value," repeated. In the small form values are addresses and their names
 * follow the records, under [stackAddrMap]. In the full form values are names, which hold commas:
 * it is read where every line has one reading.
 */
#include "formats/loli/loli.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>

static const char header[] = "[seq,time,size,addr,library,funcaddr]";
static const char map_header[] = "[stackAddrMap]";

enum { LINE_LIMIT = 64 << 20 };

struct text_record {
	uint64_t seq, size, addr;
	int64_t ms;
};

struct text {
	struct loli l;
	struct cursor *c;
	struct map64 names; /* library and address -> string id of the trace */
	struct buf library; /* of the record, or whose names follow */
	struct loli_diff diff;
	bool small; /* there is a [stackAddrMap] */
	bool cut;   /* the last line has no end */
	uint64_t line, ambiguous, refused;
};

/* The next line; cut lines are not given. */
static const char *next_line(struct text *t, size_t *n)
{
	const char *s = cursor_line(t->c, n, LINE_LIMIT);

	t->line++;
	if (!s || (const char *)t->c->pos != s + *n)
		return s;
	t->cut = *n > 0;
	return NULL;
}

/* The text up to the next comma, which is passed over; false: none. */
static bool field(const char **s, const char *end, const char **p, size_t *n)
{
	const char *comma = memchr(*s, ',', (size_t)(end - *s));

	if (!comma)
		return false;
	*p = *s;
	*n = (size_t)(comma - *s);
	*s = comma + 1;
	return true;
}

/* seq,time,size,addr,library,funcaddr */
static bool parse_record(struct text *t, const char *s, size_t n, struct text_record *r)
{
	const char *end = s + n, *p, *last = memrchr(s, ',', n);
	uint64_t function;
	int64_t size;
	size_t len;

	if (!n || *s < '0' || *s > '9' || !field(&s, end, &p, &len) || !num_dec(p, len, &r->seq) ||
	    r->seq > UINT32_MAX || !field(&s, end, &p, &len) || !num_i64(p, len, &r->ms) ||
	    !field(&s, end, &p, &len) || !num_i64(p, len, &size) || size < INT32_MIN ||
	    size > UINT32_MAX || !field(&s, end, &p, &len) || !num_dec(p, len, &r->addr) ||
	    last < s || !num_dec(last + 1, (size_t)(end - last - 1), &function))
		return false;
	r->size = (uint32_t)size;
	t->library.len = 0;
	buf_add(&t->library, s, (size_t)(last - s));
	return true;
}

static bool hex_value(const char *p, size_t n, uint64_t *v)
{
	return n > 2 && p[0] == '0' && p[1] == 'x' && num_hex(p + 2, n - 2, v);
}

struct text_frame {
	const char *library, *name; /* name: NULL for an address */
	size_t n_library, n_name;
	uint64_t addr;
};

/* What follows a comma inside a function's name: parameters and template arguments. */
static bool goes_on(const char *s, const char *end)
{
	return s < end && (*s == ' ' || *s == '(');
}

/* False at the end, or with *s not at the end: there is more than one reading. */
static bool loli_text_next_frame(struct text *t, const char **s, const char *end,
				 struct text_frame *f)
{
	const char *at = *s, *p;
	size_t n;

	if (at == end || !field(&at, end, &f->library, &f->n_library) || !field(&at, end, &p, &n))
		return false;
	f->name = NULL;
	while (t->small && !hex_value(p, n, &f->addr)) { /* a comma in the library's name */
		if (!field(&at, end, &p, &n))
			return false;
		f->n_library = (size_t)(p - 1 - f->library);
	}
	if (!hex_value(p, n, &f->addr)) {
		f->name = p;
		while (goes_on(at, end) && field(&at, end, &p, &n))
			;
		f->n_name = (size_t)(p + n - f->name);
		if (!f->n_name)
			return false;
		for (size_t i = 0; i < f->n_library; i++)
			if (strchr(" ()<>{}&*", f->library[i]))
				return false;
	}
	*s = at;
	return true;
}

static struct loli_key name_key(const char *library, size_t n, uint64_t addr)
{
	uint64_t h = hash_bytes(library, n);

	return (struct loli_key){hash_u64(addr ^ h), (uint32_t)(addr + (h >> 32))};
}

static uint32_t frame_location(struct text *t, const struct text_frame *f)
{
	struct trace *tr = t->l.im->t;
	struct location at = {.space = SPACE_NAME};

	if (!f->name)
		return loli_location(
		    &t->l, f->library, f->n_library, f->addr,
		    loli_keys_get(&t->names, name_key(f->library, f->n_library, f->addr)));
	at.name = trace_string(tr, f->name, f->n_name);
	if (loli_library_known(f->library, f->n_library))
		at.module = loli_module(&t->l, f->library, f->n_library);
	return trace_location(tr, &at);
}

/* A line of frames -> stack; 0 if the line has no frames. */
static uint32_t stack_of(struct text *t, const char *s, size_t n)
{
	struct loli_key key = loli_key_bytes(s, n);
	uint32_t stack = loli_keys_get(&t->l.stacks, key);
	const char *end = s + n;
	struct text_frame f;

	if (stack)
		return stack;
	t->l.n_ids = 0;
	while (loli_text_next_frame(t, &s, end, &f))
		VEC_PUSH(t->l.ids, t->l.n_ids, t->l.cap_ids) = frame_location(t, &f);
	if (s != end || !t->l.n_ids)
		return 0;
	stack = trace_stack_of(t->l.im->t, t->l.ids, t->l.n_ids);
	*loli_keys_put(&t->l.stacks, key) = stack;
	return stack;
}

/* "library:", then lines of "0xhex, name". */
static void loli_text_read_names(struct text *t)
{
	const char *s;
	size_t n;

	t->small = true;
	t->library.len = 0;
	while ((s = next_line(t, &n))) {
		const char *comma = memchr(s, ',', n);
		size_t skip = comma ? (size_t)(comma - s) : n;
		uint64_t addr;

		if (comma && hex_value(s, skip, &addr)) {
			struct loli_key key = name_key(t->library.data, t->library.len, addr);

			skip += 1 + (skip + 1 < n && s[skip + 1] == ' ');
			if (skip < n)
				*loli_keys_put(&t->names, key) =
				    trace_string(t->l.im->t, s + skip, n - skip);
		} else if (n && s[n - 1] == ':') {
			t->library.len = 0;
			buf_add(&t->library, s, n - 1);
		} else {
			t->refused += n > 0;
		}
	}
}

/* Finds the names, which come last, and whether every stack has one reading. */
static enum status loli_text_first_pass(struct text *t, struct err *e)
{
	struct text_record r;
	struct text_frame f;
	const char *s;
	size_t n;

	buf_reserve(&t->library, 1);
	s = next_line(t, &n);
	if (cursor_failed(t->c))
		return err_failure(e);
	if (!s || !text_is(s, n, header))
		return err_at(e, ST_BAD, 0, "the first line is not %s", header);
	while ((s = next_line(t, &n))) {
		const char *at = s;

		if (text_is(s, n, map_header)) {
			loli_text_read_names(t);
			break;
		}
		if (parse_record(t, s, n, &r)) {
			loli_diff_see(&t->diff, (uint32_t)r.seq, r.ms, (uint32_t)r.size, r.addr);
			continue;
		}
		while (!t->ambiguous && loli_text_next_frame(t, &at, s + n, &f))
			;
		if (!t->ambiguous && at != s + n)
			t->ambiguous = t->line;
	}
	if (!t->small && t->ambiguous)
		return err_set(e, ST_UNSUPPORTED,
			       "line %llu is ambiguous because names have commas: export the "
			       "small form",
			       (unsigned long long)t->ambiguous);
	if (loli_diff_is(&t->diff))
		return err_set(e, ST_UNSUPPORTED,
			       "the file is a comparison of two captures, "
			       "not a capture");
	return cursor_failed(t->c) ? err_failure(e) : ST_OK;
}

static enum status push_record(struct text *t, const struct text_record *r, uint32_t stack,
			       struct err *e)
{
	if (!stack)
		stack = loli_library_stack(&t->l, t->library.data, t->library.len);
	if (!loli_seqs_add(&t->l.seqs, r->seq))
		t->l.repeated++;
	return loli_alloc(&t->l, r->seq, r->ms, (uint32_t)r->size, r->addr, stack, e);
}

static enum status loli_text_push_records(struct text *t, struct err *e)
{
	struct text_record r = {0}, next;
	enum status st = ST_OK;
	bool pending = false;
	const char *s;
	size_t n;

	t->line = 0;
	next_line(t, &n);
	while (!st && (s = next_line(t, &n)) && !text_is(s, n, map_header)) {
		uint32_t stack = pending && n ? stack_of(t, s, n) : 0;

		if (pending)
			st = push_record(t, &r, stack, e);
		pending = false;
		if (st || stack || !n)
			continue;
		pending = parse_record(t, s, n, &next);
		r = next;
		t->refused += !pending;
	}
	if (!st && pending)
		st = push_record(t, &r, 0, e);
	return st;
}

static enum status loli_text_read(struct import *im, struct err *e)
{
	struct text t = {.c = &im->in->cur};
	enum status st = loli_init(&t.l, im, "loli-text", LOLI_FREES_UNKNOWN, e);
	struct err cut = ERR_INIT;

	if (!st)
		st = loli_text_first_pass(&t, e);
	if (!st && t.cut)
		st = err_at(e, ST_BAD, cursor_offset(t.c), "the last line is cut short");
	if ((st == ST_BAD || st == ST_LIMIT) && t.diff.records) {
		cut = *e;
		st = ST_OK;
		*e = (struct err)ERR_INIT;
	}
	if (!st)
		st = input_rewind(im->in);
	if (!st)
		st = loli_begin(&t.l, e);
	if (!st)
		st = loli_text_push_records(&t, e);
	if (t.refused)
		trace_note(im->t, NOTE_LOSS, t.refused, "unreadable lines");
	loli_end(&t.l);
	if (!st && cut.code) {
		*e = cut;
		st = cut.code;
	}
	map64_release(&t.names);
	buf_release(&t.library);
	loli_release(&t.l);
	return st;
}

static int loli_text_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= sizeof header - 1 && !memcmp(head, header, sizeof header - 1) ? 64 : 0;
}

const struct reader reader_loli_text = {
    .name = "loli-text",
    .family = "LoliProfiler",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_TIME | CAPABILITY_ADDRESSES,
    .what = "LoliProfiler: callstacks as text",
    .suffixes = "txt",
    .rewinds = true,
    .bid = loli_text_bid,
    .read = loli_text_read,
};

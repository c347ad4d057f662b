/* SPDX-License-Identifier: MIT
 *
 * Text of memleak, of bcc and of its libbpf-tools: blocks that were not freed, by stack, again and again.
 *
 *	[11:16:33] Top 2 stacks with outstanding allocations:
 *		addr = 948cd0 size = 16
 *		80 bytes in 5 allocations from stack
 *			 main+0x6d [allocs]
 *			 __libc_start_main+0xf0 [libc-2.21.so]
 *
 * Stacks are innermost first; the list of single blocks is that of -a. An address may stand before a name, as
 * 0x55d0c0a0106d, or as "0 [<000055d0c0a0106d>]" in libbpf-tools. From both tools' sources, and bcc's
 * tools/memleak_example.txt.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16 };

struct memleak_row {
	int64_t blocks, bytes;
	uint32_t stack;
};

struct memleak {
	struct import *im;
	struct memleak_row *rows; /* of the last list */
	size_t n, cap;
	uint32_t *locations; /* of the row that is open */
	size_t n_locations, cap_locations;
	bool open;
	uint64_t lists, older, odd, huge;
};

/* "80 bytes in 5 allocations from stack" */
static bool parse_row(const char *s, size_t n, int64_t *bytes, int64_t *blocks)
{
	static const char in[] = " bytes in ", from[] = " allocations from stack";
	const char *at = memmem(s, n, in, sizeof in - 1), *end = s + n;
	uint64_t v[2];

	if (!at || !text_ends(s, n, from))
		return false;
	end -= sizeof from - 1;
	if (end < at + sizeof in - 1 || !num_dec(s, (size_t)(at - s), &v[0]) ||
	    !num_dec(at + sizeof in - 1, (size_t)(end - at) - (sizeof in - 1), &v[1]) ||
	    v[0] > INT64_MAX || v[1] > INT64_MAX)
		return false;
	*bytes = (int64_t)v[0];
	*blocks = (int64_t)v[1];
	return true;
}

/* "0x55d0c0a0106d", "0 [<000055d0c0a0106d>]": the address, and where the name begins. */
static const char *parse_address(const char *s, const char *end, uint64_t *address)
{
	const char *to, *open = memmem(s, (size_t)(end - s), " [<", 3);

	*address = 0;
	if (open && (to = memmem(open, (size_t)(end - open), ">]", 2)) &&
	    num_hex(open + 3, (size_t)(to - open - 3), address))
		return to + 2;
	to = s;
	while (to < end && !text_is_blank(*to))
		to++;
	if (text_begins(s, (size_t)(to - s), "0x") && num_hex(s + 2, (size_t)(to - s - 2), address))
		return to;
	return s;
}

/* "main+0x6d [allocs]": without the offset. "[unknown] [app]": an address at best. */
static uint32_t memleak_location(struct trace *t, const char *s, const char *end)
{
	const char *open, *plus, *name_end;
	uint64_t address, offset;

	s = parse_address(s, end, &address);
	text_trim(&s, &end);
	open = end > s && end[-1] == ']' ? memrchr(s, '[', (size_t)(end - s)) : NULL;
	if (open == s) /* a name alone, such as [unknown] */
		open = NULL;
	name_end = open ? open : end;
	while (name_end > s && text_is_blank(name_end[-1]))
		name_end--;
	if (name_end == s || text_is(s, (size_t)(name_end - s), "[unknown]")) {
		struct location l = {.raw = address, .space = SPACE_RUNTIME};
		struct buf b = {0};
		uint32_t name;

		if (address)
			return trace_location(t, &l);
		if (!open)
			return emit_named(t, 0, 0, 0);
		buf_addf(&b, "??? (in %.*s)", (int)(end - open - 2), open + 1);
		name = trace_string(t, b.data, b.len);
		buf_release(&b);
		return emit_named(t, name, 0, 0);
	}
	plus = memrchr(s, '+', (size_t)(name_end - s));
	if (plus > s && text_begins(plus, (size_t)(name_end - plus), "+0x") &&
	    num_hex(plus + 3, (size_t)(name_end - plus - 3), &offset))
		name_end = plus;
	return emit_named(t, trace_string(t, s, (size_t)(name_end - s)), 0, 0);
}

static void close_row(struct memleak *m)
{
	if (m->open)
		m->rows[m->n - 1].stack = trace_stack_of(m->im->t, m->locations, m->n_locations);
	m->open = false;
	m->n_locations = 0;
}

static void begin_list(struct memleak *m)
{
	close_row(m);
	m->older += m->lists > 0;
	m->lists++;
	m->n = 0;
}

static void read_line(struct memleak *m, const char *s, size_t n)
{
	static const char title[] = " stacks with outstanding allocations:";
	const char *end = s + n;
	bool head = n && *s == '[', indented = n && text_is_blank(*s);
	struct memleak_row row = {0};

	text_trim(&s, &end);
	n = (size_t)(end - s);
	if (head && text_ends(s, n, title)) {
		begin_list(m);
	} else if (parse_row(s, n, &row.bytes, &row.blocks)) {
		close_row(m);
		if (!m->lists)
			m->lists = 1; /* a list without its title */
		VEC_PUSH(m->rows, m->n, m->cap) = row;
		m->open = true;
	} else if (!n || text_begins(s, n, "addr = ") || text_begins(s, n, "Attaching to ") ||
		   text_begins(s, n, "using ")) {
		close_row(m);
	} else if (m->open && indented) {
		uint32_t location = memleak_location(m->im->t, s, end);

		VEC_PUSH(m->locations, m->n_locations, m->cap_locations) = location;
	} else {
		close_row(m);
		m->odd++;
	}
}

static enum status push_rows(struct memleak *m, struct err *e)
{
	struct emit_blocks blocks = {.im = m->im};
	enum status st;

	emit_blocks_live(&blocks, METRIC_LOWER_BOUND);
	st = import_begin(m->im, e);

	for (size_t i = 0; i < m->n && !st; i++) {
		const struct memleak_row *r = &m->rows[i];
		const struct emit_profile row = {
		    .stack = r->stack, .domain = KNOWN(DOMAIN_MALLOC), .known = BLOCKS_SIZED};
		const int64_t v[BLOCKS_AMOUNTS] = {
		    [BLOCKS_COUNT] = r->blocks, [BLOCKS_REQUESTED] = r->bytes};

		if (emit_blocks_huge(&blocks, v)) {
			m->huge++;
			continue;
		}
		st = emit_blocks(&blocks, &row, v, PROFILE_LIVE, e);
	}
	return st;
}

static enum status memleak_read(struct import *im, struct err *e)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REQUESTED};
	struct memleak m = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST)))
		read_line(&m, s, n);
	close_row(&m);
	if (cursor_failed(c) && !m.n)
		st = err_failure(e);
	else if (!m.lists)
		st = err_at(e, ST_BAD, 0, "no list of stacks with outstanding allocations");
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics && !st; i++)
		trace_metric(im->t, metrics[i], METRIC_LOWER_BOUND, METRIC_AT_ALL);
	if (!st)
		st = push_rows(&m, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m.odd, "lines belong to no stack: left out"),
	    LOSS(NOTE_LOSS, m.huge, "numbers of a heap profile are impossible"),
	    LOSS(NOTE_INFO, m.older,
		 "older lists of the same program are left out: the last one counts"),
	};

	if (im->begun)
		TRACE_LOSSES(im->t, losses);
	free(m.rows);
	free(m.locations);
	return st;
}

static int memleak_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char title[] = " stacks with outstanding allocations:\n",
			  row[] = " allocations from stack\n";
	const uint8_t *at = memmem(head, n, title, sizeof title - 1);
	const uint8_t *line = at ? memrchr(head, '\n', (size_t)(at - head)) : NULL;

	(void)whole;
	if (!at)
		return 0;
	line = line ? line + 1 : head;
	return *line == '[' && memmem(line, (size_t)(at - line), "] Top ", 6) &&
		       memmem(at, n - (size_t)(at - head), row, sizeof row - 1)
		   ? 200
		   : 0;
}

const struct reader reader_memleak = {
    .name = "memleak",
    .family = "Heap profiles",
    .page = "bpf",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS,
    .what = "memleak of bcc: blocks that were not freed, by stack",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* the last list counts */
    .bid = memleak_bid,
    .read = memleak_read,
};

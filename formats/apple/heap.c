/* SPDX-License-Identifier: MIT
 *
 * What macOS's heap prints: live blocks by class.
 *
 *	All zones: 202503 nodes (47995927 bytes)
 *
 *	   COUNT      BYTES       AVG   CLASS_NAME                        TYPE    BINARY
 *	   =====      =====       ===   ==========                        ====    ======
 *	   73126   25846913     353.5   non-object
 *	    6014     316480      52.6   CFString                          ObjC    CoreFoundation
 *
 * Two blanks or more are between columns, of which the last two may be missing. Without -s, numbers are whole; some
 * options print "5K". From heap(1), and outputs of macOS 13 to 15 and the iOS simulator in public repositories.
 */
#include "formats/apple/head.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };

struct heap_row {
	uint32_t type;
	int64_t blocks, bytes;
};

struct heap {
	struct import *im;
	struct heap_row *rows;
	size_t n, cap;
	bool in_table, rounded, has_stated;
	uint64_t stated, stated_bytes, blocks, bytes;
	uint64_t odd;
	struct buf footprint; /* the lines of it, which come before the metrics are known */
};

static bool next_word(const char **s, const char *end, const char **word, size_t *n)
{
	while (*s < end && text_is_blank(**s))
		++*s;
	*word = *s;
	while (*s < end && !text_is_blank(**s))
		++*s;
	*n = (size_t)(*s - *word);
	return *n > 0;
}

/* "CFString (Storage)      C       CoreFoundation": the length of the name, before two blanks and two words, or all. */
static size_t name_length(const char *s, size_t n)
{
	const char *end = s + n;

	for (int i = 0; i < 2; i++) {
		const char *at = end;

		while (at > s + 2 && !(text_is_blank(at[-1]) && text_is_blank(at[-2])))
			at--;
		if (at <= s + 2)
			return n;
		while (at > s && text_is_blank(at[-1]))
			at--;
		end = at;
	}
	return (size_t)(end - s);
}

static void add_row(struct heap *h, const char *s, const char *end)
{
	const char *word[3];
	size_t len[3];
	uint64_t blocks, bytes;
	struct heap_row row;

	for (int i = 0; i < 3; i++)
		if (!next_word(&s, end, &word[i], &len[i])) {
			h->odd++;
			return;
		}
	text_trim(&s, &end);
	if (s == end || !num_dec(word[0], len[0], &blocks) ||
	    !apple_size(word[1], len[1], &bytes) || blocks > BLOCKS_MOST ||
	    bytes > (uint64_t)1 << 56) {
		h->odd++;
		return;
	}
	h->rounded |= word[1][len[1] - 1] < '0' || word[1][len[1] - 1] > '9';
	row = (struct heap_row){trace_type(h->im->t, s, name_length(s, (size_t)(end - s))),
				(int64_t)blocks, (int64_t)bytes};
	VEC_PUSH(h->rows, h->n, h->cap) = row;
	h->blocks += blocks;
	h->bytes += bytes;
}

/* "All zones: 202503 nodes (47995927 bytes)" */
static void read_total(struct heap *h, const char *s, size_t n)
{
	static const char word[] = "All zones: ", nodes[] = " nodes (";
	const char *at = memmem(s, n, nodes, sizeof nodes - 1), *end = s + n;
	uint64_t blocks, bytes;

	s += sizeof word - 1;
	if (at && num_dec(s, (size_t)(at - s), &blocks) && end[-1] == ')' &&
	    apple_size(at + sizeof nodes - 1, (size_t)(end - 1 - at) - (sizeof nodes - 1),
		       &bytes)) {
		h->has_stated = true;
		h->stated = blocks;
		h->stated_bytes = bytes;
	}
}

static void read_line(struct heap *h, const char *s, size_t n)
{
	const char *at = s, *end = s + n, *word;
	size_t len;

	text_trim(&at, &end);
	if (text_begins(at, (size_t)(end - at), "All zones: ")) {
		h->in_table = false;
		read_total(h, at, (size_t)(end - at));
	} else if (text_begins(at, (size_t)(end - at), "Physical footprint")) {
		buf_add(&h->footprint, at, (size_t)(end - at));
		buf_addc(&h->footprint, '\n');
	} else if (h->in_table && at == end) {
		h->in_table = false;
	} else if (h->in_table && *at != '=') {
		add_row(h, at, end);
	} else if (next_word(&at, end, &word, &len) && text_is(word, len, "COUNT") &&
		   memmem(at, (size_t)(end - at), "CLASS_NAME", 10) && !h->n) {
		h->in_table = true;
	}
}

static enum status push_all(struct heap *h, struct err *e)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REAL};
	struct emit_blocks blocks = {.im = h->im};
	struct trace *t = h->im->t;
	const char *s = h->footprint.data, *end = s ? s + h->footprint.len : NULL;
	enum status st;

	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		trace_metric(t, metrics[i],
			     h->rounded && metrics[i] != METRIC_COUNT ? METRIC_ESTIMATED
								      : METRIC_EXACT,
			     METRIC_AT_ALL);
	emit_blocks_live(&blocks, h->rounded ? METRIC_ESTIMATED : METRIC_EXACT);
	st = import_begin(h->im, e);
	while (!st && s < end) {
		const char *to = memchr(s, '\n', (size_t)(end - s));
		bool taken;

		st = apple_footprint(h->im, s, (size_t)(to - s), &taken, e);
		s = to + 1;
	}
	for (size_t i = 0; i < h->n && !st; i++) {
		const struct emit_profile row = {.type = h->rows[i].type,
						 .domain = KNOWN(DOMAIN_MALLOC),
						 .known = 1 << BLOCKS_COUNT | 1 << BLOCKS_REAL};
		const int64_t v[BLOCKS_AMOUNTS] = {
		    [BLOCKS_COUNT] = h->rows[i].blocks, [BLOCKS_REAL] = h->rows[i].bytes};

		st = emit_blocks(&blocks, &row, v, PROFILE_LIVE, e);
	}
	return st;
}

static enum status macos_heap_read(struct import *im, struct err *e)
{
	struct heap h = {.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st = ST_OK;

	while ((s = cursor_line(c, &n, LINE_MOST)))
		read_line(&h, s, n);
	if (!h.n)
		st = cursor_failed(c)
			 ? err_failure(e)
			 : err_at(e, ST_BAD, 0, "no table of classes follows the head");
	if (!st)
		st = push_all(&h, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, h.odd, "lines are not rows of the table and were left out"),
	    LOSS_IF(NOTE_LOSS,
		    !st && h.has_stated && !h.rounded &&
			(h.stated != h.blocks || h.stated_bytes != h.bytes),
		    "the report states other numbers of blocks and bytes than its table has"),
	};

	if (im->begun)
		TRACE_LOSSES(im->t, losses);
	buf_release(&h.footprint);
	free(h.rows);
	return st;
}

static int macos_heap_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	if (apple_tool_is(head, n, "heap"))
		return 200;
	return memmem(head, n, "\nAll zones: ", 12) && memmem(head, n, "   CLASS_NAME  ", 15) ? 160
											      : 0;
}

const struct reader reader_macos_heap = {
    .name = "macos-heap",
    .family = "macOS and iOS",
    .page = "macos",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_COUNTERS,
    .what = "live blocks by class, of macOS's heap",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* whether numbers are rounded is known at the end */
    .bid = macos_heap_bid,
    .read = macos_heap_read,
};

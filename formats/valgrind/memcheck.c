/* SPDX-License-Identifier: MIT
 *
 * Leaks that valgrind's memcheck found (--leak-check=full), as its log has them, and as XML (--xml=yes):
 *
 *	==77== 444 (144 direct, 300 indirect) bytes in 3 blocks are definitely lost in loss record 3 of 3
 *	==77==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
 *	==77==    by 0x10917C: main (lk.c:3)
 *
 *	<xwhat><text>444 (144 direct, ...</text>...</xwhat>
 *	<stack><frame><ip>0x10917C</ip><fn>main</fn><dir>/src</dir><file>lk.c</file><line>3</line></frame>...</stack>
 *
 * valgrind writes each element of XML on a line. A record is the direct bytes: indirect ones have records of their
 * own if they are shown. Facts: valgrind's manual (4.2, "Memory leak detection"), its docs/internals/xml-output.txt
 * and xml-output-protocol4.txt, and logs of 3.19.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "formats/valgrind/place.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20, DEPTH_MOST = 4096 };

struct memcheck {
	struct import *im;
	struct emit_blocks blocks;
	uint64_t bytes, count; /* of the record at hand */
	uint32_t type;
	uint32_t line[DEPTH_MOST]; /* innermost first */
	size_t n_line;
	bool open, begun;
	uint64_t pid; /* of the record */
	uint64_t records, refused;
	uint64_t listed;                    /* bytes of all records */
	bool brief;                         /* it has the sums of leaks alone */
	bool searched;                      /* the log says how the search for leaks ended */
	uint64_t in_use;                    /* bytes at exit, of all processes */
	uint64_t deep;                      /* frames beyond DEPTH_MOST */
	struct buf name, dir, file, object; /* of the frame */
	uint64_t at_line;
};

/* "1,444": how many bytes it has; 0: no number. */
static size_t memcheck_number(const char *s, size_t n, uint64_t *v)
{
	char digits[24];
	size_t k = 0, i = 0;

	for (; i < n && ((s[i] >= '0' && s[i] <= '9') || (s[i] == ',' && k)); i++) {
		if (s[i] == ',')
			continue;
		if (k == sizeof digits)
			return 0;
		digits[k++] = s[i];
	}
	while (i && s[i - 1] == ',')
		i--;
	return k && num_dec(digits, k, v) ? i : 0;
}

static bool memcheck_skip(const char **s, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *s) < n || memcmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

/* "444 (144 direct, 300 indirect) bytes in 3 blocks are definitely lost", which ends at end. */
static bool memcheck_sizes(struct memcheck *x, const char *s, const char *end)
{
	const char *close;
	size_t n = memcheck_number(s, (size_t)(end - s), &x->bytes);

	s += n;
	if (n && memcheck_skip(&s, end, " (")) {
		n = memcheck_number(s, (size_t)(end - s), &x->bytes);
		close = memchr(s, ')', (size_t)(end - s));
		s = close ? close + 1 : end;
	}
	if (!n || !memcheck_skip(&s, end, " bytes in "))
		return false;
	n = memcheck_number(s, (size_t)(end - s), &x->count);
	s += n;
	if (!n || !memcheck_skip(&s, end, " blocks are "))
		return false;
	x->type = trace_type(x->im->t, s, (size_t)(end - s));
	return true;
}

/* A record begins: "... in loss record 3 of 3". */
static bool memcheck_record(struct memcheck *x, const char *s, const char *end)
{
	const char *to = memmem(s, (size_t)(end - s), " in loss record ", 16);
	bool is = to && memcheck_sizes(x, s, to);

	x->refused += to && !is;
	return is;
}

static enum status memcheck_begin(struct memcheck *x, struct err *e)
{
	struct trace *t = x->im->t;

	if (x->begun)
		return ST_OK;
	/* What was freed is not in it, nor kinds that valgrind was not asked to show. */
	trace_metric(t, METRIC_COUNT, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	t->unordered = true;
	x->begun = true;
	return import_begin(x->im, e);
}

static enum status memcheck_push(struct memcheck *x, struct err *e)
{
	const int64_t v[BLOCKS_AMOUNTS] = {(int64_t)(x->count & INT64_MAX),
					   (int64_t)(x->bytes & INT64_MAX), 0};
	struct emit_profile row = {
	    .type = x->type, .domain = KNOWN(DOMAIN_MALLOC), .known = BLOCKS_SIZED};
	struct trace *t = x->im->t;
	enum status st = ST_OK;

	if (!x->open)
		return ST_OK;
	x->open = false;
	st = memcheck_begin(x, e);
	row.stack = trace_stack_of(t, x->line, x->n_line);
	x->n_line = 0;
	x->records++;
	x->listed += x->bytes;
	if (emit_blocks_huge(&x->blocks, v))
		return st ? st : err_set(e, ST_BAD, "a record has %" PRIu64 " blocks", x->count);
	return st ? st : emit_blocks(&x->blocks, &row, v, PROFILE_LIVE, e);
}

static void memcheck_frame(struct memcheck *x, uint32_t location)
{
	if (x->n_line < DEPTH_MOST)
		x->line[x->n_line++] = location;
	else
		x->deep++;
}

/* --- the log --- */

static enum status memcheck_text_line(struct memcheck *x, const char *s, size_t n, struct err *e)
{
	const char *end = s + n, *head = s;
	uint64_t pid, v;
	size_t digits = 0;
	bool stack;
	enum status st;

	/* What the program itself prints has no such head. */
	if (!memcheck_skip(&s, end, "=="))
		return ST_OK;
	while (s + digits < end && s[digits] >= '0' && s[digits] <= '9')
		digits++;
	if (!num_dec(s, digits, &pid))
		return ST_OK;
	s += digits;
	if (!memcheck_skip(&s, end, "== "))
		return x->open && x->pid == pid && s + 2 >= end ? memcheck_push(x, e) : ST_OK;
	head = s;
	while (s < end && *s == ' ')
		s++;
	stack = s > head && (text_begins(s, (size_t)(end - s), "at 0x") ||
			     text_begins(s, (size_t)(end - s), "by 0x"));
	if (stack && x->open && x->pid == pid) {
		memcheck_frame(x, valgrind_place(x->im->t, s + 3, (size_t)(end - s - 3)));
		return ST_OK;
	}
	if (stack) {
		return ST_OK;
	}
	st = x->open && x->pid == pid ? memcheck_push(x, e) : ST_OK;
	if (!st && memcheck_record(x, s, end)) {
		st = memcheck_push(x, e); /* another process's */
		x->open = true;
		x->pid = pid;
		x->n_line = 0;
	} else if (text_begins(s, (size_t)(end - s), "LEAK SUMMARY:") ||
		   memmem(s, (size_t)(end - s), "no leaks are possible", 21)) {
		x->searched = true;
	} else if (memmem(s, (size_t)(end - s), "Rerun with --leak-check=full", 28)) {
		x->brief = true;
	} else if (memcheck_skip(&s, end, "in use at exit: ") &&
		   memcheck_number(s, (size_t)(end - s), &v)) {
		x->in_use += v;
	}
	return st;
}

/* --- XML --- */

/* &lt; &gt; &amp; &quot; &apos; in a text. */
static void memcheck_unescape(struct buf *b, const char *s, size_t n)
{
	static const struct {
		const char *word;
		char c;
	} named[] = {
	    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

	b->len = 0;
	for (size_t i = 0, k; i < n; i++) {
		for (k = 0; k < sizeof named / sizeof *named; k++)
			if (s[i] == '&' && text_begins(s + i, n - i, named[k].word))
				break;
		if (k < sizeof named / sizeof *named) {
			buf_addc(b, named[k].c);
			i += strlen(named[k].word) - 1;
		} else {
			buf_addc(b, s[i]);
		}
	}
}

/* <tag>text</tag>: its text. */
static bool memcheck_element(const char *s, size_t n, const char *tag, const char **text,
			     size_t *n_text)
{
	size_t k = strlen(tag);

	if (n < 2 * k + 5 || s[0] != '<' || memcmp(s + 1, tag, k) != 0 || s[k + 1] != '>' ||
	    memcmp(s + n - k - 3, "</", 2) != 0 || memcmp(s + n - k - 1, tag, k) != 0)
		return false;
	*text = s + k + 2;
	*n_text = n - 2 * k - 5;
	return true;
}

static void memcheck_xml_frame(struct memcheck *x)
{
	struct trace *t = x->im->t;
	uint32_t name, file = 0;

	if (!x->name.len)
		buf_addf(&x->name, "??? (in %s)", buf_str(&x->object));
	name = trace_string(t, buf_str(&x->name), x->name.len);
	if (x->file.len) {
		if (x->dir.len) {
			buf_addc(&x->dir, '/');
			buf_add(&x->dir, x->file.data, x->file.len);
		}
		file = x->dir.len ? trace_string(t, buf_str(&x->dir), x->dir.len)
				  : trace_string(t, buf_str(&x->file), x->file.len);
	}
	memcheck_frame(
	    x, emit_named(t, name, file, x->at_line < UINT32_MAX ? (uint32_t)x->at_line : 0));
}

static enum status memcheck_xml_line(struct memcheck *x, const char *s, size_t n, struct err *e)
{
	const char *text;
	size_t n_text;

	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	if (text_is(s, n, "</error>"))
		return memcheck_push(x, e);
	if (memcheck_element(s, n, "text", &text, &n_text) && !x->open) {
		x->open = memcheck_record(x, text, text + n_text);
		x->n_line = 0;
	} else if (!x->open) {
		return ST_OK;
	} else if (text_is(s, n, "<frame>")) {
		x->name.len = x->dir.len = x->file.len = x->object.len = 0;
		x->at_line = 0;
	} else if (text_is(s, n, "</frame>")) {
		memcheck_xml_frame(x);
	} else if (memcheck_element(s, n, "obj", &text, &n_text)) {
		memcheck_unescape(&x->object, text, n_text);
	} else if (memcheck_element(s, n, "fn", &text, &n_text)) {
		memcheck_unescape(&x->name, text, n_text);
	} else if (memcheck_element(s, n, "dir", &text, &n_text)) {
		memcheck_unescape(&x->dir, text, n_text);
	} else if (memcheck_element(s, n, "file", &text, &n_text)) {
		memcheck_unescape(&x->file, text, n_text);
	} else if (memcheck_element(s, n, "line", &text, &n_text)) {
		if (!num_dec(text, n_text, &x->at_line))
			x->at_line = 0;
	}
	return ST_OK;
}

/* --- both --- */

static enum status memcheck_read(struct import *im, struct err *e)
{
	struct memcheck *x = mem_zalloc(sizeof *x);
	struct cursor *c = &im->in->cur;
	bool xml = false, first = true, cut = false;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	x->im = im;
	x->blocks = (struct emit_blocks){.im = im, .live = true};
	while (!st && (s = cursor_line(c, &n, LINE_MOST))) {
		cut = n && (const char *)c->pos == s + n;
		if (cut)
			continue;
		while (n && s[n - 1] == '\r')
			n--;
		xml |= first && n && *s == '<';
		first &= !n;
		st = xml ? memcheck_xml_line(x, s, n, e) : memcheck_text_line(x, s, n, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st)
		st = memcheck_push(x, e);
	if (!st && x->searched && !x->brief)
		st = memcheck_begin(x, e); /* there may be none */
	if (!st && !x->begun)
		st = err_at(e, ST_BAD, 0,
			    "the log has no records of leaks: run valgrind --leak-check=full");
	if (x->begun) {
		const struct trace_loss losses[] = {
		    LOSS(NOTE_LOSS, x->in_use > x->listed ? x->in_use - x->listed : 0,
			 "bytes in use at exit are in no record (valgrind --show-leak-kinds=all)"),
		    LOSS(NOTE_LOSS, x->refused, "numbers of records are impossible"),
		    LOSS(NOTE_LOSS, x->deep, "frames of very deep stacks were left out"),
		    LOSS_IF(NOTE_LOSS, cut,
			    "the last line has no newline: the file may be cut short"),
		};

		TRACE_LOSSES(im->t, losses);
	}
	buf_release(&x->name);
	buf_release(&x->dir);
	buf_release(&x->file);
	buf_release(&x->object);
	free(x);
	return st;
}

static int memcheck_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char xml[] = "<tool>memcheck</tool>",
			  mark[] = "== Memcheck, a memory error detector",
			  record[] = " in loss record ";

	(void)whole;
	if (n > 5 && !memcmp(head, "<?xml", 5))
		return memmem(head, n, xml, sizeof xml - 1) ? 8 * (int)(sizeof xml - 1) : 0;
	if (memmem(head, n, mark, sizeof mark - 1))
		return 8 * (int)(sizeof mark - 1);
	return n > 2 && !memcmp(head, "==", 2) && memmem(head, n, record, sizeof record - 1)
		   ? 8 * (int)(sizeof record - 1)
		   : 0;
}

const struct reader reader_memcheck = {
    .name = "memcheck",
    .family = "Valgrind",
    .page = "valgrind",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES | CAPABILITY_STACKS,
    .what = "leaks that valgrind's memcheck found: its log, or XML",
    .suffixes = "log,xml",
    .cut = CUT_NEVER, /* a stack may go on */
    .bid = memcheck_bid,
    .read = memcheck_read,
};

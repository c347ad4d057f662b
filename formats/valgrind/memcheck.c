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
#include "lib/input/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20, DEPTH_MOST = 4096, PROCESSES_MOST = 1024 };

struct memcheck_record {
	uint64_t bytes, count;
	uint32_t type, stack, process;
	uint32_t check; /* of its process */
};

struct memcheck_process {
	uint64_t pid;
	bool open; /* a record, whose stack goes on */
	struct memcheck_record record;
	uint64_t number; /* "in loss record 3 of 4" */
	uint32_t check;  /* searches for leaks: each lists all records again */
	uint64_t in_use; /* bytes at exit */
	uint32_t *line;  /* innermost first */
	size_t n_line, cap_line;
};

struct memcheck {
	struct import *im;
	struct memcheck_process *processes;
	size_t n_processes, cap_processes;
	struct memcheck_record *records;
	size_t n_records, cap_records;
	bool brief;    /* it has the sums of leaks alone */
	bool searched; /* the log says how the search for leaks ended */
	uint64_t refused, changed, deep, crowded;
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
static bool memcheck_sizes(struct memcheck *x, struct memcheck_record *r, const char *s,
			   const char *end)
{
	const char *close;
	size_t n = memcheck_number(s, (size_t)(end - s), &r->bytes);

	s += n;
	if (n && memcheck_skip(&s, end, " (")) {
		n = memcheck_number(s, (size_t)(end - s), &r->bytes);
		close = memchr(s, ')', (size_t)(end - s));
		s = close ? close + 1 : end;
	}
	if (!n || !memcheck_skip(&s, end, " bytes in "))
		return false;
	n = memcheck_number(s, (size_t)(end - s), &r->count);
	s += n;
	if (!n || !memcheck_skip(&s, end, " blocks are "))
		return false;
	r->type = trace_type(x->im->t, s, (size_t)(end - s));
	return true;
}

static void memcheck_close(struct memcheck *x, struct memcheck_process *p)
{
	if (!p->open)
		return;
	p->open = false;
	p->record.stack = trace_stack_of(x->im->t, p->line, p->n_line);
	VEC_PUSH(x->records, x->n_records, x->cap_records) = p->record;
}

/* A record begins: "... in loss record 3 of 3". */
static bool memcheck_record(struct memcheck *x, struct memcheck_process *p, const char *s,
			    const char *end)
{
	static const char mark[] = " in loss record ";
	const char *to = memmem(s, (size_t)(end - s), mark, sizeof mark - 1), *at;
	struct memcheck_record r = {.process = (uint32_t)(p - x->processes)};
	uint64_t number = 0;

	if (!to)
		return false;
	at = to + sizeof mark - 1;
	memcheck_close(x, p);
	if (memmem(s, (size_t)(to - s), "(+", 2) || memmem(s, (size_t)(to - s), "(-", 2)) {
		x->changed++;
		return false;
	}
	if (!memcheck_sizes(x, &r, s, to) || !memcheck_number(at, (size_t)(end - at), &number)) {
		x->refused++;
		return false;
	}
	p->check += number <= p->number;
	p->number = number;
	r.check = p->check;
	p->record = r;
	p->open = true;
	p->n_line = 0;
	return true;
}

/* NULL: there are too many. */
static struct memcheck_process *memcheck_process(struct memcheck *x, uint64_t pid)
{
	for (size_t i = x->n_processes; i-- > 0;)
		if (x->processes[i].pid == pid)
			return &x->processes[i];
	if (x->n_processes == PROCESSES_MOST) {
		x->crowded++;
		return NULL;
	}
	VEC_PUSH(x->processes, x->n_processes, x->cap_processes) =
	    (struct memcheck_process){.pid = pid};
	return &x->processes[x->n_processes - 1];
}

static enum status memcheck_begin(struct memcheck *x, struct emit_blocks *blocks, struct err *e)
{
	struct trace *t = x->im->t;

	/* What was freed is not in it, nor kinds that valgrind was not asked to show. */
	trace_metric(t, METRIC_COUNT, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	emit_blocks_live(blocks, METRIC_LOWER_BOUND);
	return import_begin(x->im, e);
}

/* The records of the last search for leaks of each process. *listed: their bytes. */
static enum status memcheck_push(struct memcheck *x, uint64_t *listed, struct err *e)
{
	struct emit_blocks blocks = {.im = x->im};
	enum status st = memcheck_begin(x, &blocks, e);

	for (size_t i = 0; i < x->n_records && !st; i++) {
		const struct memcheck_record *r = &x->records[i];
		const int64_t v[BLOCKS_AMOUNTS] = {(int64_t)(r->count & INT64_MAX),
						   (int64_t)(r->bytes & INT64_MAX), 0};
		const struct emit_profile row = {.type = r->type,
						 .stack = r->stack,
						 .domain = KNOWN(DOMAIN_MALLOC),
						 .known = BLOCKS_SIZED};

		if (r->check != x->processes[r->process].check)
			continue;
		if (emit_blocks_huge(&blocks, v)) {
			x->refused++;
			continue;
		}
		*listed += r->bytes;
		st = emit_blocks(&blocks, &row, v, PROFILE_LIVE, e);
	}
	return st;
}

static void memcheck_frame(struct memcheck *x, struct memcheck_process *p, uint32_t location)
{
	if (p->n_line < DEPTH_MOST)
		VEC_PUSH(p->line, p->n_line, p->cap_line) = location;
	else
		x->deep++;
}

/* --- the log --- */

/* "==77== text", with --time-stamp=yes "==00:00:00:01.234 77== text". What the program itself prints has no such head. */
static struct memcheck_process *memcheck_head(struct memcheck *x, const char **s, const char *end)
{
	const char *at = *s, *close, *digits;
	uint64_t pid;

	if (!memcheck_skip(&at, end, "=="))
		return NULL;
	close = memmem(at, (size_t)(end - at), "==", 2);
	for (digits = close; digits && digits > at && digits[-1] >= '0' && digits[-1] <= '9';)
		digits--;
	if (!close || !num_dec(digits, (size_t)(close - digits), &pid))
		return NULL;
	for (; at < digits; at++) /* the time */
		if ((*at < '0' || *at > '9') && *at != ':' && *at != '.' && *at != ' ')
			return NULL;
	*s = close + 2;
	return memcheck_process(x, pid);
}

static void memcheck_text_line(struct memcheck *x, const char *s, size_t n)
{
	const char *end = s + n, *head;
	struct memcheck_process *p = memcheck_head(x, &s, end);
	uint64_t v;

	if (!p)
		return;
	for (head = s; s < end && *s == ' ';)
		s++;
	if (s > head + 1 && (text_begins(s, (size_t)(end - s), "at 0x") ||
			     text_begins(s, (size_t)(end - s), "by 0x"))) {
		if (p->open)
			memcheck_frame(x, p,
				       valgrind_place(x->im->t, s + 3, (size_t)(end - s - 3)));
		return;
	}
	memcheck_close(x, p);
	if (memcheck_record(x, p, s, end))
		return;
	if (text_begins(s, (size_t)(end - s), "LEAK SUMMARY:") ||
	    memmem(s, (size_t)(end - s), "no leaks are possible", 21))
		x->searched = true;
	else if (memmem(s, (size_t)(end - s), "Rerun with --leak-check=full", 28))
		x->brief = true;
	else if (memcheck_skip(&s, end, "in use at exit: ") &&
		 memcheck_number(s, (size_t)(end - s), &v))
		p->in_use = v;
}

/* --- XML --- */

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

static void memcheck_xml_frame(struct memcheck *x, struct memcheck_process *p)
{
	struct trace *t = x->im->t;
	uint32_t name, file = 0;

	if (!x->name.len)
		buf_addf(&x->name, "??? (in %s)", buf_str(&x->object));
	name = trace_string(t, buf_str(&x->name), valgrind_name(buf_str(&x->name), x->name.len));
	if (x->file.len) {
		if (x->dir.len) {
			buf_addc(&x->dir, '/');
			buf_add(&x->dir, x->file.data, x->file.len);
		}
		file = x->dir.len ? trace_string(t, buf_str(&x->dir), x->dir.len)
				  : trace_string(t, buf_str(&x->file), x->file.len);
	}
	memcheck_frame(
	    x, p, emit_named(t, name, file, x->at_line < UINT32_MAX ? (uint32_t)x->at_line : 0));
}

static void memcheck_xml_line(struct memcheck *x, const char *s, size_t n)
{
	struct memcheck_process *p = memcheck_process(x, 0);
	const char *text;
	size_t n_text;

	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	if (text_is(s, n, "</error>")) {
		memcheck_close(x, p);
	} else if (memcheck_element(s, n, "text", &text, &n_text) && !p->open) {
		memcheck_record(x, p, text, text + n_text);
	} else if (!p->open) {
		return;
	} else if (text_is(s, n, "<frame>")) {
		x->name.len = x->dir.len = x->file.len = x->object.len = 0;
		x->at_line = 0;
	} else if (text_is(s, n, "</frame>")) {
		memcheck_xml_frame(x, p);
	} else if (memcheck_element(s, n, "obj", &text, &n_text)) {
		xml_unescape(&x->object, text, n_text);
	} else if (memcheck_element(s, n, "fn", &text, &n_text)) {
		xml_unescape(&x->name, text, n_text);
	} else if (memcheck_element(s, n, "dir", &text, &n_text)) {
		xml_unescape(&x->dir, text, n_text);
	} else if (memcheck_element(s, n, "file", &text, &n_text)) {
		xml_unescape(&x->file, text, n_text);
	} else if (memcheck_element(s, n, "line", &text, &n_text)) {
		if (!num_dec(text, n_text, &x->at_line))
			x->at_line = 0;
	}
}

/* --- both --- */

static enum status memcheck_end(struct memcheck *x, bool cut, struct err *e)
{
	uint64_t listed = 0, in_use = 0;
	enum status st;

	for (size_t i = 0; i < x->n_processes; i++) {
		memcheck_close(x, &x->processes[i]);
		in_use += x->processes[i].in_use;
	}
	if (!x->n_records && (!x->searched || x->brief) && !x->changed && !x->refused)
		return err_at(e, ST_BAD, 0,
			      "the log has no records of leaks: run valgrind --leak-check=full");
	st = memcheck_push(x, &listed, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, in_use > listed ? in_use - listed : 0,
		 "bytes in use at exit are in no record (valgrind --show-leak-kinds=all)"),
	    LOSS(NOTE_LOSS, x->changed,
		 "records of searches that list changes alone were left out"),
	    LOSS(NOTE_LOSS, x->refused, "numbers of records are impossible"),
	    LOSS(NOTE_LOSS, x->deep, "frames of very deep stacks were left out"),
	    LOSS(NOTE_LOSS, x->crowded, "lines of more than 1024 processes were left out"),
	    LOSS_IF(NOTE_LOSS, cut, "the last line has no newline: the file may be cut short"),
	};

	TRACE_LOSSES(x->im->t, losses);
	return st;
}

static enum status memcheck_read(struct import *im, struct err *e)
{
	struct memcheck x = {.im = im};
	struct cursor *c = &im->in->cur;
	bool xml = false, first = true, cut = false;
	enum status st;
	const char *s;
	size_t n;

	while ((s = cursor_line(c, &n, LINE_MOST))) {
		cut = n && (const char *)c->pos == s + n;
		if (cut)
			continue;
		while (n && s[n - 1] == '\r')
			n--;
		xml |= first && n && *s == '<';
		first &= !n;
		if (xml)
			memcheck_xml_line(&x, s, n);
		else
			memcheck_text_line(&x, s, n);
	}
	st = cursor_failed(c) && !x.n_records ? err_failure(e) : memcheck_end(&x, cut, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	for (size_t i = 0; i < x.n_processes; i++)
		free(x.processes[i].line);
	free(x.processes);
	free(x.records);
	buf_release(&x.name);
	buf_release(&x.dir);
	buf_release(&x.file);
	buf_release(&x.object);
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

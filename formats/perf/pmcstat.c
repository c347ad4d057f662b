/* SPDX-License-Identifier: MIT
 *
 * Call graphs of FreeBSD's pmcstat -G:
 *
 *	@ inst_retired.any [35705 samples]
 *
 *	20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko
 *	 100.0%  [7447]      zio_compress_data
 *
 * A function that was sampled, and below it, a blank deeper each, its callers, of all samples of the row above. A file
 * holds until the next one. From pmcstat(8) and cmd_pmc's pmcpl_callgraph.c of FreeBSD, and the files of speedscope.
 */
#include "formats/call_tree.h"
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

enum { LINE_MOST = 1 << 16 };

struct pmcstat {
	struct import *im;
	struct call_tree tree;
	uint32_t event, file;
	uint64_t odd, stated, rows;
};

struct pmcstat_row {
	size_t depth;
	uint64_t samples;
	const char *name, *file; /* file: NULL: that of the row above */
	size_t name_n, file_n;
};

static bool parse_row(const char *s, size_t n, struct pmcstat_row *r)
{
	const char *end = s + n, *at = s, *open, *close, *file;

	while (at < end && *at == ' ')
		at++;
	r->depth = (size_t)(at - s);
	open = memchr(at, '[', (size_t)(end - at));
	close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	if (!close || !memchr(at, '%', (size_t)(open - at)) || at == end || *at < '0' ||
	    *at > '9' || !num_dec(open + 1, (size_t)(close - open - 1), &r->samples) ||
	    r->samples > INT64_MAX)
		return false;
	at = close + 1;
	text_trim(&at, &end);
	file = memmem(at, (size_t)(end - at), " @ ", 3);
	r->name = at;
	r->name_n = (size_t)((file ? file : end) - at);
	r->file = file ? file + 3 : NULL;
	r->file_n = file ? (size_t)(end - file - 3) : 0;
	return r->name_n > 0;
}

/* "@ inst_retired.any [35705 samples]" */
static bool parse_head(const char *s, size_t n, const char **event, size_t *event_n,
		       uint64_t *samples)
{
	const char *open = memchr(s, '[', n);
	const char *word = open ? memmem(open, n - (size_t)(open - s), " samples]", 9) : NULL;

	if (!word || !text_begins(s, n, "@ ") || open < s + 3 ||
	    !num_dec(open + 1, (size_t)(word - open - 1), samples))
		return false;
	*event = s + 2;
	*event_n = (size_t)(open - 1 - *event);
	return true;
}

static enum status pmcstat_push_row(void *arg, uint32_t stack, const int64_t own[CALL_TREE_AMOUNTS],
				    struct err *e)
{
	struct pmcstat *p = arg;

	return own[0] ? emit_samples(p->im, stack, p->event, (uint64_t)own[0], e) : ST_OK;
}

static enum status add_row(struct pmcstat *p, const struct pmcstat_row *r, struct err *e)
{
	struct trace *t = p->im->t;
	struct call_tree_row row = {.depth = r->depth, .total = {(int64_t)r->samples}};

	if (r->file)
		p->file = trace_string(t, r->file, r->file_n);
	row.location = emit_named(t, trace_string(t, r->name, r->name_n), p->file, 0);
	p->rows++;
	return call_tree_add(&p->tree, &row, e);
}

static enum status read_line(struct pmcstat *p, const char *s, size_t n, struct err *e)
{
	struct pmcstat_row r;
	const char *event;
	size_t event_n;
	uint64_t samples;
	enum status st;

	if (parse_head(s, n, &event, &event_n, &samples)) {
		struct marker m = {.name = trace_string(p->im->t, event, event_n)};

		st = call_tree_end(&p->tree, e);
		p->event = trace_marker(p->im->t, &m);
		p->stated += samples;
		return st;
	}
	if (!n || *s == '#' || text_begins(s, n, "//"))
		return ST_OK;
	if (!parse_row(s, n, &r) || !call_tree_fits(&p->tree, r.depth)) {
		p->odd++;
		return ST_OK;
	}
	return add_row(p, &r, e);
}

static enum status pmcstat_read(struct import *im, struct err *e)
{
	struct pmcstat p = {.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st = import_begin(im, e);

	p.tree =
	    (struct call_tree){.t = im->t, .push = pmcstat_push_row, .arg = &p, .callers = true};
	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&p, s, n, e);
	if (!st)
		st = call_tree_end(&p.tree, e);
	call_tree_release(&p.tree);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !p.rows)
		st = err_at(e, ST_BAD, 0, "no line is a row of a call graph");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p.odd, "lines are not rows of the graph, or too deep: left out"),
	    LOSS(NOTE_GUESS, p.tree.above, "rows have fewer samples than their callers"),
	};

	TRACE_LOSSES(im->t, losses);
	return st;
}

static int pmcstat_bid(const uint8_t *head, size_t n, bool whole)
{
	const uint8_t *end = memchr(head, '\n', n);
	const char *event;
	size_t event_n;
	uint64_t samples;

	(void)whole;
	return end && parse_head((const char *)head, (size_t)(end - head), &event, &event_n,
				 &samples)
		   ? 96
		   : 0;
}

const struct reader reader_pmcstat = {
    .name = "pmcstat",
    .family = "perf",
    .page = "perf",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES,
    .what = "call graphs of FreeBSD's pmcstat -G, as text",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what callers below have is taken from a row */
    .bid = pmcstat_bid,
    .read = pmcstat_read,
};

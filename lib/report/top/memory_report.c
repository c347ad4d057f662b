/* SPDX-License-Identifier: MIT */
#include "lib/report/top/memory_report.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_COLUMNS = 7, LIFELESS = 5, PAGE_COLUMNS = 5, HEADS = 6, PAGE_ROWS = 2 };

struct memory_report {
	const struct tally_memory *m;
	const struct memory_domain *d;
	unsigned domain;
	struct table_column size_columns[SIZE_COLUMNS], page_columns[PAGE_COLUMNS];
	struct table sizes, pages;
	struct table_cell totals[SIZE_COLUMNS];
	unsigned classes[MEMORY_CLASSES]; /* that have something */
	struct table_series live;
	struct series_line line;
	struct series_limit limit;
	int64_t x[MEMORY_POINTS];
	decimal y[MEMORY_POINTS];
	char heads[HEADS][200], limit_title[80], live_title[80];
	size_t n_heads, growth; /* growth: behind which of the heads it is, or 0 */
	bool has_sizes, has_pages;
	const char *left_out;
	const struct table *modules; /* NULL: not asked for */
};

/* As metric_mark: of a number that two of a capture's facts make. */
static const char *known(unsigned state, unsigned other)
{
	state = state > other ? state : other;
	return state == METRIC_ESTIMATED ? "~" : state == METRIC_LOWER_BOUND ? ">=" : "";
}

/* --- sizes --- */

static uint64_t class_from(unsigned k)
{
	return k ? (uint64_t)1 << (k - 1) : 0;
}

static void size_cells(const struct memory_report *r, const struct memory_class *c,
		       struct table_cell *cells)
{
	cells[1] = cell_number(c->count);
	cells[2] = cell_share(c->count, r->d->count);
	cells[3] = cell_number(memory_shown(c->bytes));
	cells[4] = cell_ratio(false, c->bytes, r->d->sized);
	if (!r->m->lives)
		return;
	cells[5] = cell_number(c->live_count);
	cells[6] = cell_number(memory_shown(c->live_bytes));
}

static void memory_report_size_fill(void *arg, size_t i, struct table_row *row)
{
	struct memory_report *r = arg;
	unsigned k = r->classes[i];

	size_cells(r, &r->d->classes[k], row->cells);
	row->cells[0] = cell_number(class_from(k));
}

static void memory_report_make_sizes(struct memory_report *r)
{
	static const struct table_column columns[SIZE_COLUMNS] = {
	    {.key = "size", .title = "size from", .type = COLUMN_BYTES},
	    {.key = "count", .title = "count", .type = COLUMN_INT},
	    {.key = "count_share", .title = "of all", .type = COLUMN_PERCENT, .flags = COLUMN_BAR},
	    {.key = "bytes", .title = "bytes", .type = COLUMN_BYTES},
	    {.key = "bytes_share", .title = "of all", .type = COLUMN_PERCENT, .flags = COLUMN_BAR},
	    {.key = "live_count", .title = "live count", .type = COLUMN_INT, .flags = COLUMN_SPARE},
	    {.key = "live_bytes",
	     .title = "live bytes",
	     .type = COLUMN_BYTES,
	     .flags = COLUMN_SPARE},
	};
	struct memory_class all = {r->d->count, r->d->live_count, r->d->sized, r->d->live_sized};

	memcpy(r->size_columns, columns, sizeof columns);
	r->has_sizes = r->m->blocks != TRACE_BLOCKS_SUMMED;
	r->sizes = (struct table){.name = "sizes",
				  .title = r->m->asked ? "allocations by size: requested bytes"
						       : "allocations by size: real bytes",
				  .columns = r->size_columns,
				  .n_columns = r->m->lives ? SIZE_COLUMNS : LIFELESS,
				  .fill = memory_report_size_fill,
				  .arg = r,
				  .totals = r->totals,
				  .n_totals = r->has_sizes};
	for (unsigned k = 0; k < MEMORY_CLASSES && r->has_sizes; k++)
		if (r->d->classes[k].count)
			r->classes[r->sizes.n_rows++] = k;
	size_cells(r, &all, r->totals);
}

/* --- pages --- */

static void memory_report_page_fill(void *arg, size_t i, struct table_row *row)
{
	static const char *const names[PAGE_ROWS] = {"below 128 KiB", "128 KiB and more"};
	struct memory_report *r = arg;
	const struct memory_pages *p = &r->d->pages[i];

	row->cells[0] = cell_text(names[i], strlen(names[i]));
	row->cells[1] = cell_number(p->blocks);
	row->cells[2] = cell_number(p->bytes);
	row->cells[3] = cell_number(memory_pages_size(p));
	row->cells[4] = cell_share(p->bytes, memory_pages_size(p));
}

static void memory_report_make_pages(struct memory_report *r)
{
	static const struct table_column columns[PAGE_COLUMNS] = {
	    {.key = "blocks_of", .title = "blocks", .type = COLUMN_TEXT, .flags = COLUMN_PROSE},
	    {.key = "live_count", .title = "live count", .type = COLUMN_INT},
	    {.key = "live_bytes", .title = "live bytes", .type = COLUMN_BYTES},
	    {.key = "pages", .title = "on pages of", .type = COLUMN_BYTES},
	    {.key = "use", .title = "in use", .type = COLUMN_PERCENT},
	};
	static const char asked[] = "pages that hold what is live at the end (requested bytes)";

	r->has_pages = r->m->lives && r->d->live_count && r->m->blocks == TRACE_BLOCKS_PLACED;
	memcpy(r->page_columns, columns, sizeof columns);
	r->pages = (struct table){.name = "pages",
				  .title = r->m->asked ? asked
						       : "real bytes that are live at the "
							 "end, and the pages under them",
				  .columns = r->page_columns,
				  .n_columns = PAGE_COLUMNS,
				  .n_rows = PAGE_ROWS,
				  .fill = memory_report_page_fill,
				  .arg = r};
}

/* --- the curve --- */

static void memory_report_make_curve(struct memory_report *r)
{
	struct buf b = BUF_INIT;
	memory_bytes last = 0;
	bool others = false;
	size_t n = 0;

	for (unsigned d = 0; d < DOMAINS; d++)
		others |= d != r->domain && r->m->domains[d].count;

	for (size_t i = 0; i < MEMORY_POINTS; i++)
		if (r->d->points[i].known)
			n = i + 1;
	for (size_t i = 0; i < n; i++) {
		const struct memory_point *p = &r->d->points[i];

		r->x[i] = (int64_t)i * r->m->step;
		r->y[i] = decimal_of_unsigned(memory_shown(p->known ? p->most : last));
		last = p->known ? p->last : last;
	}
	size_text(&b, memory_shown(r->d->peak));
	buf_adds(&b, " at ");
	time_text(&b, r->d->peak_at < 0 ? 0 : (uint64_t)r->d->peak_at);
	snprintf(r->limit_title, sizeof r->limit_title, "peak %s%s",
		 r->d->about ? "~" : known(r->m->size_state, r->m->live_state), buf_str(&b));
	buf_release(&b);
	/* Several domains have a curve each; a report of all of them has that of this one. */
	snprintf(r->live_title, sizeof r->live_title, "live bytes over time%s%s%s",
		 others ? " (domain " : "", others ? domain_name(r->domain) : "",
		 others ? ")" : "");
	r->line = (struct series_line){
	    .key = "live_bytes", .title = "live bytes", .type = COLUMN_BYTES, .y = r->y};
	r->limit =
	    (struct series_limit){0, decimal_of_unsigned(memory_shown(r->d->peak)), r->limit_title};
	r->live = (struct table_series){.name = "live",
					.title = r->live_title,
					.x_title = "time",
					.x_type = COLUMN_TIME,
					.n_points = r->m->lives && r->m->timed ? n : 0,
					.x = r->x,
					.time = r->x,
					.lines = &r->line,
					.n_lines = 1,
					.limits = &r->limit,
					.n_limits = 1};
}

/* --- heads --- */

static void add_head(struct memory_report *r, struct buf *b)
{
	snprintf(r->heads[r->n_heads++], sizeof r->heads[0], "%s", buf_str(b));
	b->len = 0;
}

static void add_rate(struct buf *b, double bytes)
{
	buf_addc(b, bytes < 0 ? '-' : '+');
	bytes = bytes < 0 ? -bytes : bytes;
	size_text(b, bytes < 1e18 ? (uint64_t)(bytes + 0.5) : UINT64_MAX);
}

static void memory_report_make_heads(struct memory_report *r)
{
	static const char *const left_out[] = {
	    [TRACE_BLOCKS_NUMBERED] =
		"pages are left out: the capture has blocks without addresses",
	    [TRACE_BLOCKS_SUMMED] = "sizes and pages are left out: the capture has sums of blocks, "
				    "without sizes and addresses",
	};
	struct buf b = BUF_INIT;
	struct memory_growth g;

	if (!r->m->uncounted)
		buf_addf(&b, "%s%" PRIu64 " allocation%s, ", known(r->m->count_state, 0),
			 r->d->count, plural_s(r->d->count));
	buf_adds(&b, known(r->m->size_state, 0));
	size_text(&b, memory_shown(r->d->bytes));
	buf_adds(&b, r->m->uncounted ? " allocated" : "");
	if (r->domain)
		buf_addf(&b, " (domain %s)", domain_name(r->domain));
	add_head(r, &b);
	if (!r->m->lives)
		buf_adds(&b, "the capture does not record live bytes");
	if (r->m->lives && !r->d->peakless) {
		buf_addf(&b, "peak %s",
			 r->d->about ? "~" : known(r->m->size_state, r->m->live_state));
		size_text(&b, memory_shown(r->d->peak));
		if (r->d->peak_at >= 0) {
			buf_adds(&b, " after ");
			time_text(&b, (uint64_t)r->d->peak_at);
		}
		buf_adds(&b, "; ");
	}
	if (r->m->lives) {
		buf_addf(&b, "live at the end %s", known(r->m->size_state, r->m->live_state));
		size_text(&b, memory_shown(r->d->live));
	}
	if (r->m->lives && !r->m->uncounted)
		buf_addf(&b, " in %s%" PRIu64 " block%s",
			 known(r->m->count_state, r->m->live_state), r->d->live_count,
			 plural_s(r->d->live_count));
	add_head(r, &b);
	if (r->live.n_points && memory_growth(r->m, r->d, &g)) {
		bool noise = fabs(g.slope) <= 2 * g.error;

		buf_adds(&b, "growth ");
		if (!noise && !g.throughout) {
			buf_adds(&b, g.slope < 0 ? "below 0 " : "");
			buf_adds(&b, "at some times only, not through the whole run: no rate");
		} else {
			add_rate(&b, g.slope);
			buf_adds(&b, " a second, standard error ");
			size_text(&b, g.error < 1e18 ? (uint64_t)(g.error + 0.5) : UINT64_MAX);
			buf_adds(&b, noise         ? ": no more than its own noise"
				     : g.slope > 0 ? ": it grows"
						   : ": it shrinks");
		}
		add_head(r, &b);
		r->growth = r->n_heads;
	}
	r->left_out = left_out[r->m->blocks];
	if (r->left_out) {
		buf_adds(&b, r->left_out);
		add_head(r, &b);
	}
	if (r->d->bytes > UINT64_MAX) {
		buf_adds(&b, "bytes: more than 64 bits can hold");
		add_head(r, &b);
	}
	if (r->m->lost) {
		buf_addf(&b, "%" PRIu64 " allocation%s without a size left out", r->m->lost,
			 plural_s(r->m->lost));
		add_head(r, &b);
	}
	buf_release(&b);
}

struct memory_report *memory_report_new(const struct tally_memory *m, int domain)
{
	struct memory_report *r;

	if (domain < 0) {
		uint64_t bytes[DOMAINS], counts[DOMAINS];

		for (unsigned d = 0; d < DOMAINS; d++) {
			bytes[d] = m->domains[d].bytes;
			counts[d] = m->domains[d].count;
		}
		domain = domain_most(bytes, counts);
	}
	if (domain < 0 || domain >= DOMAINS || !m->domains[domain].count)
		return NULL;
	r = mem_zalloc(sizeof *r);
	r->m = m;
	r->domain = (unsigned)domain;
	r->d = &m->domains[domain];
	memory_report_make_sizes(r);
	memory_report_make_pages(r);
	memory_report_make_curve(r);
	memory_report_make_heads(r);
	return r;
}

void memory_report_modules(struct memory_report *r, struct memory_modules *modules)
{
	r->modules = memory_modules_table(modules, r->domain);
}

void memory_report_free(struct memory_report *r)
{
	free(r);
}

const struct table *memory_report_sizes(const struct memory_report *r)
{
	return r->has_sizes ? &r->sizes : NULL;
}

const struct table_series *memory_report_live(const struct memory_report *r)
{
	return r->live.n_points > 1 ? &r->live : NULL;
}

const char *memory_report_growth(const struct memory_report *r)
{
	return r->growth ? r->heads[r->growth - 1] + strlen("growth ") : NULL;
}

static void memory_report_numbers(const struct memory_report *r, struct table_document *d)
{
	const struct memory_domain *m = r->d;
	bool real = r->m->weigh == 2;

	if (!r->m->uncounted)
		document_number(d, "allocations", COLUMN_INT, 0, cell_number(m->count));
	document_number(d, real ? "real" : "requested", COLUMN_BYTES, 0,
			cell_number(memory_shown(m->bytes)));
	document_number(d, "captures", COLUMN_INT, 0, cell_number(r->m->captures));
	if (!r->m->lives)
		return;
	if (!m->peakless) {
		document_number(d, real ? "peak_real" : "peak_requested", COLUMN_BYTES, 0,
				cell_number(memory_shown(m->peak)));
		if (m->peak_at >= 0)
			document_number(d, "peak_at_ns", COLUMN_TIME, 0,
					cell_number((uint64_t)m->peak_at));
	}
	document_number(d, real ? "live_real" : "live_requested", COLUMN_BYTES, 0,
			cell_number(memory_shown(m->live)));
	if (!r->m->uncounted)
		document_number(d, "live_blocks", COLUMN_INT, 0, cell_number(m->live_count));
}

void memory_report_add(const struct memory_report *r, struct table_document *d)
{
	for (size_t i = 0; i < r->n_heads; i++)
		document_head(d, r->heads[i]);
	document_fact(d, "memory", r->heads[1]);
	if (r->left_out)
		document_fact(d, "left_out", r->left_out);
	memory_report_numbers(r, d);
	document_table(d, &r->sizes);
	if (memory_report_live(r))
		document_series(d, memory_report_live(r));
	if (r->has_pages)
		document_table(d, &r->pages);
	if (r->has_pages && r->modules && r->modules->n_rows)
		document_table(d, r->modules);
}

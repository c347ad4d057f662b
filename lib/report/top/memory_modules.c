/* SPDX-License-Identifier: MIT */
#include "lib/report/top/memory_modules.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

struct memory_modules {
	struct grouped_profile project;
	struct memory_pages *pages; /* by group and domain */
	size_t cap;
	bool unknown;   /* of some capture */
	uint32_t *rows; /* groups */
	unsigned domain;
	struct table table;
	struct table_column columns[COLUMNS];
};

static struct memory_pages *memory_modules_of(const struct memory_modules *m, uint32_t group)
{
	return &m->pages[(size_t)group * DOMAINS + m->domain];
}

static uint64_t memory_modules_rest(const struct memory_pages *p)
{
	uint64_t size = memory_pages_size(p);

	return size > p->bytes ? size - p->bytes : 0;
}

static void memory_modules_count(void *arg, struct grouped_profile *p, const struct trace *t)
{
	struct memory_modules *m = arg;
	const struct tally *a = &p->tally;
	struct map64 seen = {0};

	m->unknown |= t->metrics[METRIC_LIVE].state == METRIC_ABSENT ||
		      trace_blocks(t) != TRACE_BLOCKS_PLACED || a->without_address[DOMAINS];
	for (size_t i = 0; i < a->live.n && !m->unknown; i++) {
		const struct live_block *b = &a->live.blocks[i];
		unsigned domain = b->space % DOMAINS;
		bool asked = b->allocated && a->cells[b->cell].has & EV_HAS_REQUESTED >> 1;
		uint32_t g =
		    b->allocated ? grouped_profile_cell_group(p, t, b->cell, 0) : GROUP_NONE;

		if (g == GROUP_NONE)
			continue;
		m->pages =
		    mem_grow_zero(m->pages, &m->cap, ((size_t)g + 1) * DOMAINS, sizeof *m->pages);
		m->domain = domain;
		memory_pages_add(memory_modules_of(m, g), &seen, (uint64_t)g << 32 | b->space,
				 b->address, asked ? b->requested : b->real, b->count);
	}
	map64_release(&seen);
}

static void memory_modules_fill(void *arg, size_t i, struct table_row *row)
{
	const struct memory_modules *m = arg;
	const struct memory_pages *p = memory_modules_of(m, m->rows[i]);
	size_t n;
	const char *name =
	    names_text(&m->project.names, m->project.groupings[0].groups[m->rows[i]].id, &n);

	row->cells[0] = cell_number(p->blocks);
	row->cells[1] = cell_number(p->bytes);
	row->cells[2] = cell_number(memory_pages_size(p));
	row->cells[3] = cell_number(memory_modules_rest(p));
	row->cells[4] = cell_share(p->bytes, memory_pages_size(p));
	row->cells[5] = cell_text(name, n);
}

struct memory_modules *memory_modules_new(const struct grouped_profile_options *of)
{
	struct memory_modules *m = mem_zalloc(sizeof *m);
	struct grouped_profile_options o = *of;

	o.by[0] = (struct grouping_key){.by = KEY_MODULE};
	o.n_by = 1;
	o.domain = DOMAIN_ALL;
	o.selection = NULL;
	o.want = SUMS_LIVE;
	o.totals = false;
	o.captured = NULL;
	o.on_cells_done = memory_modules_count;
	o.arg = m;
	grouped_profile_init(&m->project, &o);
	return m;
}

void memory_modules_free(struct memory_modules *m)
{
	if (!m)
		return;
	grouped_profile_release(&m->project);
	free(m->pages);
	free(m->rows);
	free(m);
}

struct sink *memory_modules_sink(struct memory_modules *m)
{
	return grouped_profile_sink(&m->project);
}

static int memory_modules_order(const void *a, const void *b, void *arg)
{
	const struct memory_modules *m = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t u = memory_modules_rest(memory_modules_of(m, x)),
		 v = memory_modules_rest(memory_modules_of(m, y));

	return u > v ? -1 : u < v ? 1 : x < y ? -1 : x > y;
}

const struct table *memory_modules_table(struct memory_modules *m, unsigned domain)
{
	static const struct table_column columns[COLUMNS] = {
	    {.key = "live_count", .title = "live count", .type = COLUMN_INT},
	    {.key = "live_bytes", .title = "live bytes", .type = COLUMN_BYTES},
	    {.key = "pages", .title = "on pages of", .type = COLUMN_BYTES},
	    {.key = "unfilled", .title = "unfilled", .type = COLUMN_BYTES},
	    {.key = "use", .title = "in use", .type = COLUMN_PERCENT},
	    {.key = "module", .title = "module", .type = COLUMN_TEXT, .flags = COLUMN_SHORTEN},
	};
	size_t n = m->cap / DOMAINS;

	memcpy(m->columns, columns, sizeof columns);
	m->domain = domain;
	m->table = (struct table){
	    .name = "modules",
	    .title = "pages that hold what is live at the end, by module of the site",
	    .columns = m->columns,
	    .n_columns = COLUMNS,
	    .fill = memory_modules_fill,
	    .arg = m};
	free(m->rows);
	m->rows = mem_zarray(n + 1, sizeof *m->rows);
	for (uint32_t g = 0; g < n && g < m->project.groupings[0].n && !m->unknown; g++)
		if (memory_modules_of(m, g)->blocks)
			m->rows[m->table.n_rows++] = g;
	sort_array_by(m->rows, m->table.n_rows, sizeof *m->rows, memory_modules_order, m);
	return &m->table;
}

/* SPDX-License-Identifier: MIT
 *
 * Native allocations of a .snap file, with their sites and call stacks.
 */
#include "formats/unity/snap.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_MAX = 4096 };

void unity_snap_metrics(const struct snap_file *f, struct trace *t)
{
	if (!snap_chapter(f, SNAP_ALLOCATION_SIZE).count)
		return;
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
}

static const char *find_last(const char *s, size_t n, const char *what)
{
	size_t m = strlen(what);

	for (size_t i = n; n >= m && i-- > 0;)
		if (i + m <= n && !memcmp(s + i, what, m))
			return s + i;
	return NULL;
}

/* "path.h:428)" -> file and line. */
static void set_place(struct trace *t, struct location *l, const char *s, const char *end)
{
	const char *colon;
	uint64_t line = 0;

	while (end > s && end[-1] != ')')
		end--;
	end -= end > s;
	colon = find_last(s, (size_t)(end - s), ":");
	if (colon && num_dec(colon + 1, (size_t)(end - colon - 1), &line) && line <= UINT32_MAX)
		end = colon;
	else
		line = 0;
	if (end == s)
		return;
	l->file = trace_string(t, s, (size_t)(end - s));
	l->line = (uint32_t)line;
}

/* The module's name comes in brackets before the function. */
static uint32_t module_of(struct trace *t, const char *s, size_t n)
{
	uint32_t name = trace_string(t, s, n);

	for (size_t i = 1; i < t->n_modules; i++)
		if (t->modules[i].name == name)
			return (uint32_t)i;
	if (t->n_modules > 4096)
		return 0;
	return trace_module(t, &(struct module){.name = name});
}

static uint32_t unity_snap_location(struct trace *t, uint64_t address, const char *text, size_t n)
{
	struct location l = {.raw = address, .space = SPACE_RUNTIME, .kind = LOCATION_RETURN};
	const char *end = text + n, *p, *at;

	if (!n)
		return trace_location(t, &l);
	while (end > text && strchr(" \r\n", end[-1]))
		end--;
	p = memchr(text, '(', (size_t)(end - text));
	if (p && p + 1 < end && p[1] != '(') {
		const char *close = memchr(p, ')', (size_t)(end - p));

		if (close && close + 2 < end && close[1] == ' ') {
			l.module = module_of(t, p + 1, (size_t)(close - p - 1));
			p = close + 2;
			at = find_last(p, (size_t)(end - p), " (at ");
			if (at)
				set_place(t, &l, at + 5, end);
			else
				at = end;
			l.space = SPACE_NAME;
			l.name = trace_string(t, p, (size_t)(at - p));
		}
	}
	return trace_location(t, &l);
}

struct sites {
	struct snap_file *f;
	struct trace *t;
	struct map64 index; /* site id -> place + 1 */
	uint32_t *stacks;   /* by place; made when first asked */
	uint32_t *types;
	bool *made;
	uint64_t *positions, n, n_labels;
	uint64_t *labels, *symbols, n_symbols;
	uint32_t *label_names;
	uint64_t n_label_names;
	struct map64 symbol_index; /* symbol -> place + 1 */
	uint64_t *text_positions, n_texts;
	uint32_t *locations; /* by symbol, 0: not made yet */
	uint64_t unknown, cut;
};

static enum status snap_sites_open_all(struct sites *s, struct err *e)
{
	struct snap_file *f = s->f;
	uint64_t *ids, n_ids = 0, n_text = 0;
	enum status st = snap_numbers(f, SNAP_SITE_ID, false, "allocation sites", &ids, &n_ids, e);

	if (!st)
		st = snap_numbers(f, SNAP_SITE_LABEL, true, "allocation sites", &s->labels,
				  &s->n_labels, e);
	if (!st)
		st = snap_positions(f, SNAP_SITE_STACK, "call stacks of sites", &s->positions,
				    &s->n, e);
	if (!st)
		st = snap_numbers(f, SNAP_SYMBOL, false, "symbols", &s->symbols, &s->n_symbols, e);
	if (!st)
		st = snap_positions(f, SNAP_SYMBOL_TEXT, "texts of symbols", &s->text_positions,
				    &n_text, e);
	if (!st)
		st = snap_strings(f, s->t, SNAP_LABEL_NAME, "memory labels", &s->label_names,
				  &s->n_label_names, e);
	if (st)
		return st;
	s->n_texts = n_text;
	s->n = n_ids < s->n ? n_ids : s->n;
	for (uint64_t i = 0; i < n_ids; i++)
		*map64_put(&s->index, ids[i]) = (uint32_t)i + 1;
	for (uint64_t i = 0; i < s->n_symbols; i++)
		*map64_put(&s->symbol_index, s->symbols[i]) = (uint32_t)i + 1;
	s->locations = mem_zarray((size_t)s->n_symbols + 1, sizeof *s->locations);
	s->stacks = mem_zarray((size_t)n_ids + 1, sizeof *s->stacks);
	s->types = mem_zarray((size_t)n_ids + 1, sizeof *s->types);
	s->made = mem_zarray((size_t)n_ids + 1, sizeof *s->made);
	return ST_OK;
}

static void close_sites(struct sites *s)
{
	map64_release(&s->index);
	map64_release(&s->symbol_index);
	free(s->locations);
	free(s->stacks);
	free(s->types);
	free(s->made);
}

static enum status snap_sites_location(struct sites *s, uint64_t symbol, uint32_t *id,
				       struct err *e)
{
	uint32_t at = map64_get(&s->symbol_index, symbol);
	char text[4096] = "";
	uint64_t n = 0;
	enum status st = ST_OK;

	if (at && s->locations[at - 1]) {
		*id = s->locations[at - 1];
		return ST_OK;
	}
	if (at && at <= s->n_texts) {
		n = s->text_positions[at] - s->text_positions[at - 1];
		if (n > sizeof text) {
			s->cut++;
			n = sizeof text;
		}
		st = snap_bytes(s->f, SNAP_SYMBOL_TEXT, s->text_positions[at - 1], text, (size_t)n,
				"text of a symbol", e);
	}
	*id = unity_snap_location(s->t, symbol, text, (size_t)n);
	if (at)
		s->locations[at - 1] = *id;
	return st;
}

/* The site's stack, innermost first as the file has it, and its memory label. */
static enum status snap_sites_open(struct sites *s, uint32_t at, struct err *e)
{
	uint8_t raw[8];
	uint32_t *ids;
	uint64_t n, label;
	enum status st = ST_OK;

	s->made[at] = true;
	label = at < s->n_labels ? s->labels[at] : UINT64_MAX;
	if (label < s->n_label_names) {
		const char *name = trace_text(s->t, s->label_names[label]);

		s->types[at] = trace_type(s->t, name, strlen(name));
	}
	if (at >= s->n)
		return ST_OK;
	n = (s->positions[at + 1] - s->positions[at]) / 8;
	if (n > STACK_MAX) {
		s->cut++;
		n = STACK_MAX;
	}
	ids = mem_array((size_t)n + 1, sizeof *ids);
	for (uint64_t i = 0; !st && i < n; i++) {
		uint64_t symbol = 0;

		st = snap_bytes(s->f, SNAP_SITE_STACK, s->positions[at] + i * 8, raw, 8,
				"call stack of a site", e);
		for (unsigned k = 0; k < 8; k++)
			symbol |= (uint64_t)raw[k] << k * 8;
		if (!st)
			st = snap_sites_location(s, symbol, &ids[i], e);
	}
	if (!st)
		s->stacks[at] = trace_stack_of(s->t, ids, (size_t)n);
	free(ids);
	return st;
}

struct columns {
	uint64_t *v, n;
};

static uint64_t column(const struct columns *c, uint64_t i)
{
	return i < c->n ? c->v[i] : 0;
}

static enum status snap_sites_allocation(struct sites *s, struct import *im,
					 const struct columns *c, uint64_t i,
					 const struct map64 *roots, const uint32_t *areas,
					 struct err *e)
{
	uint64_t size = column(&c[3], i);
	struct emit_alloc alloc = {.count = KNOWN(1),
				   .address = KNOWN(column(&c[2], i)),
				   .requested = KNOWN(size),
				   .real = KNOWN(size + column(&c[4], i) + column(&c[5], i))};
	uint32_t at = map64_get(&s->index, column(&c[1], i)), root;
	enum status st = ST_OK;

	if (at && !s->made[at - 1])
		st = snap_sites_open(s, at - 1, e);
	if (st)
		return st;
	s->unknown += !at;
	alloc.stack = at ? s->stacks[at - 1] : 0;
	root = map64_get(roots, column(&c[0], i));
	if (at && s->types[at - 1])
		alloc.type = s->types[at - 1];
	else if (root)
		alloc.type = areas[root - 1];
	return emit_alloc(im, &alloc, e);
}

enum status unity_snap_allocations(struct snap_file *f, struct import *im, struct err *e)
{
	static const unsigned chapters[] = {SNAP_ALLOCATION_ROOT,     SNAP_ALLOCATION_SITE,
					    SNAP_ALLOCATION_ADDRESS,  SNAP_ALLOCATION_SIZE,
					    SNAP_ALLOCATION_OVERHEAD, SNAP_ALLOCATION_PADDING};
	struct sites s = {.f = f, .t = im->t};
	struct columns c[6] = {{NULL, 0}};
	struct columns root_ids = {NULL, 0};
	struct map64 roots = MAP64_INIT;
	uint32_t *areas = NULL;
	uint64_t n_areas = 0;
	enum status st = ST_OK;

	for (size_t k = 0; !st && k < 6; k++)
		st = snap_numbers(f, chapters[k], false, "native allocations", &c[k].v, &c[k].n, e);
	if (st || !c[3].n)
		return st;
	st = snap_sites_open_all(&s, e);
	if (!st)
		st = snap_numbers(f, SNAP_ROOT_ID, false, "root references", &root_ids.v,
				  &root_ids.n, e);
	if (!st)
		st = snap_strings(f, im->t, SNAP_ROOT_AREA, "root references", &areas, &n_areas, e);
	for (uint64_t i = 0; !st && i < n_areas && i < root_ids.n; i++) {
		const char *name = trace_text(im->t, areas[i]);

		areas[i] = trace_type(im->t, name, strlen(name));
		*map64_put(&roots, root_ids.v[i]) = (uint32_t)i + 1;
	}
	for (uint64_t i = 0; !st && i < c[3].n; i++)
		st = snap_sites_allocation(&s, im, c, i, &roots, areas, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, !st && s.unknown ? s.unknown : 0, "native allocations have no site"),
	    LOSS(NOTE_LOSS, !st && s.cut ? s.cut : 0, "call stacks and symbols were cut"),
	};

	TRACE_LOSSES(im->t, losses);
	close_sites(&s);
	map64_release(&roots);
	return st;
}

/* SPDX-License-Identifier: MIT */
#include "lib/report/top/source_costs.h"

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/source_file.h"
#include "lib/base/text.h"
#include "lib/report/top/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	AROUND = 5,    /* lines before and after those that cost; pprof's -list has as many */
	BETWEEN = 200, /* more lines without costs than that are left out, but those around */
	TAB = 8,
	LONGEST = 1000, /* bytes of a line that are shown */
};

struct cost { /* of a line, or of a function in a file */
	uint64_t self, total;
	uint32_t stack; /* the last that was added to the total */
};

struct source_part { /* a function in a file */
	struct cost cost;
	uint32_t function, file;
	const char *read; /* where the file was found; NULL: it was not */
	const char *detail;
};

struct source_line { /* that costs */
	struct cost cost;
	uint32_t part, line;
};

struct source_row {
	uint32_t part, line;
	uint32_t cost; /* of lines, + 1; 0: none */
	bool head, has_text;
	size_t at, n; /* in text */
};

struct source_costs {
	struct table table;
	const struct grouped_profile *p;
	enum sum sort;
	uint8_t *asked;                  /* by function: 1 no match, 2 match */
	struct map64 parts_of, lines_of; /* (function, file), (part, line) -> index + 1 */
	struct source_part *parts;
	size_t n_parts, cap_parts;
	struct source_line *lines;
	size_t n_lines, cap_lines;
	struct source_row *rows;
	size_t n_rows, cap_rows;
	struct buf text;
	struct table_column columns[8];
	struct arena arena;
	const char *note;
};

struct source_text { /* a file */
	struct buf bytes, where;
	size_t *starts; /* of its lines */
	size_t n, cap;
	enum status status;
};

static bool matches(struct source_costs *s, const struct source_options *o, uint32_t function)
{
	if (!s->asked[function]) {
		s->asked[function] = names_match(&s->p->names, function, o->match) ? 2 : 1;
	}
	return s->asked[function] == 2;
}

static void add_cost(struct cost *c, uint32_t serial, bool innermost, uint64_t v)
{
	if (innermost)
		c->self = add_saturating(c->self, v);
	if (c->stack != serial)
		c->total = add_saturating(c->total, v);
	c->stack = serial;
}

static void source_add_call(struct source_costs *s, const struct names_call *call, uint32_t serial,
			    bool innermost, uint64_t v)
{
	uint32_t *at = map64_put(&s->parts_of, (uint64_t)call->function << 32 | call->file), part;

	if (!*at) {
		VEC_PUSH(s->parts, s->n_parts, s->cap_parts) =
		    (struct source_part){.function = call->function, .file = call->file};
		*at = (uint32_t)s->n_parts;
	}
	part = *at - 1;
	add_cost(&s->parts[part].cost, serial, innermost, v);
	at = map64_put(&s->lines_of, (uint64_t)part << 32 | call->line);
	if (!*at) {
		VEC_PUSH(s->lines, s->n_lines, s->cap_lines) =
		    (struct source_line){.part = part, .line = call->line};
		*at = (uint32_t)s->n_lines;
	}
	add_cost(&s->lines[*at - 1].cost, serial, innermost, v);
}

static void add_stack(struct source_costs *s, const struct source_options *o, uint32_t serial,
		      uint32_t stack, uint64_t v)
{
	const struct grouped_profile *p = s->p;
	bool innermost = true;

	for (;; stack = p->stacks.rows[stack].parent) {
		const struct names_location *l =
		    &p->names.locations[p->stacks.rows[stack].location];

		for (uint32_t c = l->first; c < l->first + l->n_calls; c++) {
			if (matches(s, o, p->names.calls[c].function))
				source_add_call(s, &p->names.calls[c], serial, innermost, v);
			innermost = false;
		}
		if (!stack || !p->stacks.rows[stack].parent)
			break;
	}
}

static const char *function_of(const struct source_costs *s, uint32_t part, size_t *n)
{
	const struct group_names *names = &s->p->names;

	return names_text(names, names->functions[s->parts[part].function].display, n);
}

static const char *file_of(const struct source_costs *s, uint32_t part, size_t *n)
{
	return names_text(&s->p->names, s->parts[part].file, n);
}

static int source_by_total(const void *a, const void *b, void *arg)
{
	const struct source_costs *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t v = s->parts[x].cost.total, w = s->parts[y].cost.total;
	int r;

	if (v != w)
		return v > w ? -1 : 1;
	r = strcmp(function_of(s, x, NULL), function_of(s, y, NULL));
	if (!r)
		r = strcmp(file_of(s, x, NULL), file_of(s, y, NULL));
	return r ? r : x < y ? -1 : x > y;
}

static int source_by_file(const void *a, const void *b, void *arg)
{
	const struct source_part *parts = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (parts[x].file != parts[y].file)
		return parts[x].file < parts[y].file ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int source_by_line(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int source_by_place(const void *a, const void *b, void *arg)
{
	const uint32_t *ranks = arg;
	const struct source_row *x = a, *y = b;

	if (x->part != y->part)
		return ranks[x->part] < ranks[y->part] ? -1 : 1;
	if (x->head != y->head)
		return x->head ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Blanks for tabs, which render would escape. */
static void source_copy_line(struct source_costs *s, const struct source_text *f, uint32_t line,
			     struct source_row *r)
{
	size_t from = f->starts[line - 1], column = 0;
	size_t to = line < f->n ? f->starts[line] - 1 : f->bytes.len;

	r->has_text = true;
	r->at = s->text.len;
	while (to > from && (f->bytes.data[to - 1] == '\n' || f->bytes.data[to - 1] == '\r'))
		to--;
	for (size_t i = from; i < to; i++) {
		char c = f->bytes.data[i];

		if (s->text.len - r->at >= LONGEST && (c & 0xc0) != 0x80) {
			buf_adds(&s->text, " ...");
			break;
		}
		if (c != '\t') {
			buf_addc(&s->text, c);
			column += (c & 0xc0) != 0x80;
			continue;
		}
		do
			buf_addc(&s->text, ' ');
		while (++column % TAB);
	}
	r->n = s->text.len - r->at;
}

/* Up to the last line before `to`. */
static void add_plain(struct source_costs *s, const struct source_text *f, uint32_t part,
		      uint64_t from, uint64_t to)
{
	for (uint64_t line = from < 1 ? 1 : from; line < to && line <= f->n; line++) {
		VEC_PUSH(s->rows, s->n_rows, s->cap_rows) =
		    (struct source_row){.part = part, .line = (uint32_t)line};
		source_copy_line(s, f, (uint32_t)line, &s->rows[s->n_rows - 1]);
	}
}

/* What there is of a part: its lines that cost, from on and n of them, and others of the file. */
static void source_add_part(struct source_costs *s, const struct source_text *f, uint32_t part,
			    size_t from, size_t n)
{
	uint64_t next = 0; /* line that was not looked at yet; 0: any */

	VEC_PUSH(s->rows, s->n_rows, s->cap_rows) = (struct source_row){.part = part, .head = true};
	for (size_t i = from; i < from + n; i++) {
		uint32_t line = s->lines[i].line;

		if (line && next && line - next <= BETWEEN) {
			add_plain(s, f, part, next, line);
		} else if (line) {
			if (next)
				add_plain(s, f, part, next, next + AROUND);
			add_plain(s, f, part, line > AROUND ? line - AROUND : 1, line);
		}
		VEC_PUSH(s->rows, s->n_rows, s->cap_rows) =
		    (struct source_row){.part = part, .line = line, .cost = (uint32_t)i + 1};
		if (line && line <= f->n)
			source_copy_line(s, f, line, &s->rows[s->n_rows - 1]);
		next = line ? (uint64_t)line + 1 : 0;
	}
	if (next)
		add_plain(s, f, part, next, next + AROUND);
}

static void source_read_text(struct source_text *f, const struct source_options *o,
			     const char *path, struct err *e)
{
	f->bytes.len = f->where.len = f->n = 0;
	*e = (struct err)ERR_INIT;
	f->status =
	    *path ? source_read(o->dirs, o->n_dirs, path, &f->bytes, &f->where, e) : ST_NONE;
	if (f->status)
		f->bytes.len = 0;
	for (size_t at = 0; at < f->bytes.len;) {
		const char *end = memchr(f->bytes.data + at, '\n', f->bytes.len - at);

		VEC_PUSH(f->starts, f->n, f->cap) = at;
		at = end ? (size_t)(end - f->bytes.data) + 1 : f->bytes.len;
	}
}

/* Which source it is, or why it is not shown. */
static void source_describe_where(struct source_costs *s, const struct source_options *o,
				  struct source_text *f, uint32_t part, uint32_t last,
				  const struct err *e)
{
	struct buf b = BUF_INIT;
	const char *file = s->parts[part].file ? file_of(s, part, NULL) : "";

	if (!*file) {
		buf_adds(&b, "its file is not known");
	} else if (f->status == ST_OK) {
		s->parts[part].read = arena_strndup(&s->arena, buf_str(&f->where), f->where.len);
		buf_addf(&b, "%s, read from %s", file, s->parts[part].read);
		if (last > f->n)
			buf_addf(&b, ", which ends at line %zu: not the source of this build",
				 f->n);
	} else if (f->status != ST_NONE) {
		buf_addf(&b, "%s: %s", file, e->msg);
	} else if (!o->n_dirs) {
		buf_addf(&b, "%s; its text is shown with --source-dir", file);
	} else {
		buf_addf(&b, "%s, which is not below", file);
		for (size_t i = 0; i < o->n_dirs; i++)
			buf_addf(&b, "%s %s", i ? "," : "", o->dirs[i]);
	}
	s->parts[part].detail = arena_strndup(&s->arena, buf_str(&b), b.len);
	buf_release(&b);
}

/* Each file is read once, whatever the order of the functions in it. */
static void source_read_parts(struct source_costs *s, const struct source_options *o,
			      uint32_t *shown, size_t n)
{
	struct source_text f = {.n = 0};
	struct err e = ERR_INIT;

	if (n)
		sort_array_by(shown, n, sizeof *shown, source_by_file, s->parts);
	for (size_t i = 0; i < n; i++) {
		uint32_t part = shown[i];
		size_t from, to, all = s->n_lines;

		if (!i || s->parts[part].file != s->parts[shown[i - 1]].file)
			source_read_text(&f, o, s->parts[part].file ? file_of(s, part, NULL) : "",
					 &e);
		from = BISECT(j, 0, all, s->lines[j].part < part);
		for (to = from; to < all && s->lines[to].part == part;)
			to++;
		source_describe_where(s, o, &f, part, s->lines[to - 1].line, &e);
		source_add_part(s, &f, part, from, to - from);
	}
	buf_release(&f.bytes);
	buf_release(&f.where);
	free(f.starts);
}

static void source_make_rows(struct source_costs *s, const struct source_options *o)
{
	uint32_t *order = mem_array(s->n_parts, sizeof *order);
	uint32_t *ranks = mem_array(s->n_parts, sizeof *ranks);
	size_t shown = o->n && o->n < s->n_parts ? (size_t)o->n : s->n_parts;
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < s->n_parts; i++)
		order[i] = i;
	sort_array_by(order, s->n_parts, sizeof *order, source_by_total, s);
	for (uint32_t i = 0; i < s->n_parts; i++)
		ranks[order[i]] = i;
	sort_array(s->lines, s->n_lines, sizeof *s->lines, source_by_line);
	source_read_parts(s, o, order, shown);
	sort_array_by(s->rows, s->n_rows, sizeof *s->rows, source_by_place, ranks);
	s->table.n_rows = s->n_rows;
	if (!s->n_parts)
		buf_adds(&b, "no function that costs matches");
	if (shown < s->n_parts)
		buf_addf(&b, "%zu more function%s (-n)", s->n_parts - shown,
			 plural_s(s->n_parts - shown));
	if (b.len) {
		s->note = arena_strndup(&s->arena, buf_str(&b), b.len);
		s->table.notes = &s->note;
		s->table.n_notes = 1;
	}
	buf_release(&b);
	free(order);
	free(ranks);
}

enum { OF_LINE, OF_SELF, OF_TOTAL, OF_SHARE, OF_TEXT, OF_FUNCTION, OF_FILE, OF_READ };

static void source_fill(void *arg, size_t i, struct table_row *r)
{
	static const char no_line[] = "[no line]";
	struct source_costs *s = arg;
	const struct source_row *x = &s->rows[i];
	struct source_part *part = &s->parts[x->part];
	const struct cost *c = x->head ? &part->cost : x->cost ? &s->lines[x->cost - 1].cost : NULL;
	size_t n;
	const char *text = function_of(s, x->part, &n);

	r->depth = !x->head;
	if (x->line)
		r->cells[OF_LINE] = cell_number(x->line);
	if (c) {
		r->cells[OF_SELF] = cell_number(c->self);
		r->cells[OF_TOTAL] = cell_number(c->total);
		r->cells[OF_SHARE] = cell_share(c->total, s->p->now.all.v[s->sort]);
	}
	r->cells[OF_FUNCTION] = cell_text(text, n);
	if (x->head) {
		r->cells[OF_TEXT] = r->cells[OF_FUNCTION];
		r->cells[OF_TEXT].mark = MARK_STRONG;
		r->details = &part->detail;
		r->n_details = 1;
	} else if (x->has_text) {
		r->cells[OF_TEXT] = cell_text(buf_at(&s->text, x->at), x->n);
	} else if (!x->line) {
		r->cells[OF_TEXT] = cell_text(no_line, sizeof no_line - 1);
	}
	if (part->file) {
		text = file_of(s, x->part, &n);
		r->cells[OF_FILE] = cell_text(text, n);
	}
	if (part->read)
		r->cells[OF_READ] = cell_text(part->read, strlen(part->read));
}

static void source_add_columns(struct source_costs *s, const struct profile_known *k)
{
	enum column_type type = metric_type(s->sort);
	const struct metric_titles titles = metric_titles(&s->arena, s->p, k, s->sort);

	s->columns[OF_LINE] =
	    (struct table_column){.key = "line", .title = "line", .type = COLUMN_INT};
	s->columns[OF_SELF] = (struct table_column){
	    .key = metric_table[s->sort].key, .title = titles.self, .type = type};
	s->columns[OF_TOTAL] =
	    (struct table_column){.key = titles.total_key, .title = titles.total, .type = type};
	s->columns[OF_SHARE] =
	    (struct table_column){.key = "total_share", .title = "total %", .type = COLUMN_PERCENT};
	s->columns[OF_TEXT] = (struct table_column){.key = "text",
						    .title = "source",
						    .type = COLUMN_TEXT,
						    .flags = COLUMN_TREE | COLUMN_SHORTEN};
	s->columns[OF_FUNCTION] =
	    (struct table_column){.key = "function", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	s->columns[OF_FILE] =
	    (struct table_column){.key = "file", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	s->columns[OF_READ] = (struct table_column){
	    .key = "read_from", .type = COLUMN_TEXT, .flags = COLUMN_NOT_TEXT};
	s->table.columns = s->columns;
	s->table.n_columns = sizeof s->columns / sizeof *s->columns;
}

struct source_costs *source_costs_new(const struct grouped_profile *p,
				      const struct source_options *o, struct err *e)
{
	const struct profile_key *sums = &p->now.keys[o->grouping];
	const struct grouping *g = &p->groupings[o->grouping];
	struct source_costs *s;
	enum sum sort;

	if (peek_choose(p, o->grouping, o->sort, &sort, e))
		return NULL;
	s = mem_zalloc(sizeof *s);
	*s = (struct source_costs){.p = p, .sort = sort};
	s->asked = mem_zarray(p->names.n_functions, sizeof *s->asked);
	for (size_t i = 0; i < g->n; i++) {
		uint64_t v = columns_value(&sums->self, i, s->sort);

		if (v)
			add_stack(s, o, (uint32_t)i + 1, g->groups[i].id, v);
	}
	s->table = (struct table){
	    .name = "source",
	    .empty = "none: no source with costs was found, or the filters leave nothing",
	    .title = "source with costs",
	    .flags = TABLE_TREE,
	    .fill = source_fill,
	    .arg = s};
	source_add_columns(s, &sums->known);
	source_make_rows(s, o);
	return s;
}

void source_costs_free(struct source_costs *s)
{
	if (!s)
		return;
	map64_release(&s->parts_of);
	map64_release(&s->lines_of);
	arena_release(&s->arena);
	buf_release(&s->text);
	free(s->asked);
	free(s->parts);
	free(s->lines);
	free(s->rows);
	free(s);
}

const struct table *source_costs_table(const struct source_costs *s)
{
	return &s->table;
}

/* SPDX-License-Identifier: MIT */
#include "lib/render/json.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/render/html_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_VERSION = 1 };

const char *const json_types[] = {
    [COLUMN_TEXT] = "text",       [COLUMN_INT] = "count", [COLUMN_BYTES] = "bytes",
    [COLUMN_PERCENT] = "percent", [COLUMN_TIME] = "ns",   [COLUMN_NUMBER] = "number",
    [COLUMN_DECIMAL] = "number"};
static const char *const json_marks[] = {
    [MARK_NONE] = "none", [MARK_GOOD] = "good",     [MARK_WARN] = "warn",
    [MARK_BAD] = "bad",   [MARK_STRONG] = "strong", [MARK_FAINT] = "faint"};

void json_text(struct buf *b, const char *s, size_t n)
{
	uint32_t cp;

	buf_addc(b, '"');
	for (size_t k; n; s += k, n -= k) {
		cp = 0;
		k = utf8_next(s, n, &cp);
		if (!k) {
			buf_adds(b, "\xef\xbf\xbd");
			k = 1;
		} else if (cp == '"' || cp == '\\') {
			buf_addc(b, '\\');
			buf_addc(b, *s);
		} else if (cp == '<' || utf_hidden(cp)) {
			utf_add_json(b, cp);
		} else {
			buf_add(b, s, k);
		}
	}
	buf_addc(b, '"');
}

void json_string(struct buf *b, const char *s)
{
	if (s)
		json_text(b, s, strlen(s));
	else
		buf_adds(b, "null");
}

void json_key(struct buf *b, const char *key)
{
	if (b->len && b->data[b->len - 1] != '{')
		buf_addc(b, ',');
	json_string(b, key);
	buf_addc(b, ':');
}

static void field(struct buf *b, const char *key, const char *value)
{
	json_key(b, key);
	json_string(b, value);
}

static void number_field(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_add_u64(b, v);
}

void json_strings(struct buf *b, const char *key, const char *const *items, size_t n)
{
	json_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(b, ',');
		json_string(b, items[i]);
	}
	buf_addc(b, ']');
}

static void json_value(struct buf *b, const struct table_column *c, const struct table_cell *v)
{
	if (!v->present)
		buf_adds(b, "null");
	else if (c->type == COLUMN_TEXT)
		json_text(b, v->text, v->len);
	else
		cell_exact(b, c, v);
}

static void render_json_columns(struct buf *b, const struct table *t)
{
	bool first = true;

	json_key(b, "columns");
	buf_addc(b, '[');
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct table_column *c = &t->columns[k];

		if (c->flags & COLUMN_NOT_CSV)
			continue;
		buf_adds(b, first ? "\n{" : ",\n{");
		first = false;
		field(b, "key", c->key);
		field(b, "title", c->title ? c->title : c->key);
		field(b, "type", json_types[c->type]);
		json_key(b, "difference");
		buf_adds(b, c->flags & COLUMN_SIGNED ? "true}" : "false}");
	}
	buf_addc(b, ']');
}

/* Keys of columns begin with a letter: what is said of the row itself begins with '_'. */
void json_row(struct buf *b, const struct table *t, const struct table_row *r, bool absent)
{
	buf_addc(b, '{');
	if (t->flags & TABLE_TREE)
		number_field(b, "_depth", r->depth);
	for (size_t k = 0; k < t->n_columns; k++) {
		if (t->columns[k].flags & COLUMN_NOT_CSV || (!absent && !r->cells[k].present))
			continue;
		json_key(b, t->columns[k].key);
		json_value(b, &t->columns[k], &r->cells[k]);
	}
	if (r->n_details)
		json_strings(b, "_details", r->details, r->n_details);
	if (r->more)
		field(b, "_more", r->more);
	buf_addc(b, '}');
}

static void json_coverage(struct buf *b, const struct table *t)
{
	if (!t->n_coverage)
		return;
	json_key(b, "coverage");
	buf_addc(b, '[');
	for (size_t i = 0; i < t->n_coverage; i++) {
		buf_adds(b, i ? ",{" : "{");
		field(b, "known", t->coverage[i].known);
		number_field(b, "records", t->coverage[i].records);
		number_field(b, "amount", t->coverage[i].amount);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

static void render_json_rows(const struct table *t, struct render_out *o)
{
	struct table_row r = {.cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};

	json_key(&o->text, "rows");
	buf_addc(&o->text, '[');
	for (size_t i = 0; i < t->n_rows && o->status == ST_OK; i++) {
		row_fill(t, i, &r);
		buf_adds(&o->text, i ? ",\n" : "\n");
		json_row(&o->text, t, &r, true);
		out_flush(o, false);
	}
	free(r.cells);
	buf_addc(&o->text, ']');
	json_key(&o->text, "totals");
	buf_addc(&o->text, '[');
	for (size_t i = 0; i < t->n_totals; i++) {
		struct table_row total = {.cells = t->totals + i * t->n_columns};

		buf_adds(&o->text, i ? ",\n" : "\n");
		json_row(&o->text, t, &total, true);
	}
	buf_addc(&o->text, ']');
	json_strings(&o->text, "notes", t->notes, t->n_notes);
	json_coverage(&o->text, t);
}

static void render_json_flame(const struct flame *f, struct render_out *o)
{
	struct buf *b = &o->text;

	field(b, "type", json_types[f->type]);
	if (f->measure)
		field(b, "metric", f->measure);
	json_key(b, "differential");
	buf_adds(b, f->differential ? "true" : "false");
	field(b, "new_label", f->new_label);
	field(b, "base_label", f->base_label);
	json_key(b, "nodes");
	buf_addc(b, '[');
	for (size_t i = 0; i < f->n_nodes && o->status == ST_OK; i++) {
		const struct flame_node *n = &f->nodes[i];

		buf_adds(b, i ? ",\n{" : "\n{");
		number_field(b, "parent", n->parent);
		json_key(b, "name");
		json_text(b, n->name, n->len);
		json_key(b, "at");
		if (n->at)
			json_text(b, n->at, n->at_len);
		else
			buf_adds(b, "null");
		number_field(b, "self", n->self);
		if (f->differential)
			number_field(b, "base", n->base);
		buf_addc(b, '}');
		out_flush(o, false);
	}
	buf_addc(b, ']');
	json_strings(b, "notes", f->notes, f->n_notes);
}

/* A text of a series: as it is in a report, or as a page shows it. */
static void series_text(struct buf *b, const char *s, bool page)
{
	if (s && page)
		html_shown(b, s, html_cut(s, strlen(s)));
	else
		json_string(b, s);
}

static void series_text_field(struct buf *b, const char *key, const char *s, bool page)
{
	json_key(b, key);
	series_text(b, s, page);
}

/* Of x and of times, which are whole numbers and always there: the first of each step. */
static void add_places(struct render_out *o, const char *key, const int64_t *v, size_t n,
		       size_t step, const struct table_column *c)
{
	struct buf *b = &o->text;

	json_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < n && o->status == ST_OK; i += step) {
		struct table_cell cell = cell_signed(v[i]);

		if (i)
			buf_addc(b, ',');
		json_value(b, c, &cell);
		out_flush(o, false);
	}
	buf_addc(b, ']');
}

static decimal largest(const decimal *v, size_t from, size_t to)
{
	decimal most = SERIES_ABSENT;

	for (size_t i = from; i < to; i++)
		most = v[i] > most ? v[i] : most; /* absent is the least there is */
	return most;
}

static void add_points(struct render_out *o, const char *key, const decimal *v, size_t n,
		       size_t step, const struct table_column *c)
{
	struct buf *b = &o->text;

	json_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < n && o->status == ST_OK; i += step) {
		decimal most = largest(v, i, n - i < step ? n : i + step);
		struct table_cell cell = cell_decimal(most);

		cell.present = most != SERIES_ABSENT;
		if (i)
			buf_addc(b, ',');
		json_value(b, c, &cell);
		out_flush(o, false);
	}
	buf_addc(b, ']');
}

static void add_lines(const struct table_series *s, size_t step, bool page, struct render_out *o)
{
	struct buf *b = &o->text;

	json_key(b, "lines");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_lines; i++) {
		const struct series_line *l = &s->lines[i];
		struct table_column y = {.type = l->type, .decimals = l->decimals};

		buf_adds(b, i ? ",\n{" : "\n{");
		series_text_field(b, "key", l->key, page);
		series_text_field(b, "title", l->title, page);
		field(b, "type", page ? html_type(l->type) : json_types[l->type]);
		if (page)
			number_field(b, "decimals", l->decimals);
		add_points(o, "y", l->y, s->n_points, step, &y);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

static void add_marks(const struct table_series *s, size_t step, bool page, struct buf *b)
{
	json_key(b, "marks");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_marks; i++) {
		buf_adds(b, i ? ",\n{" : "\n{");
		number_field(b, "first", s->marks[i].first / step);
		number_field(b, "last", s->marks[i].last / step);
		field(b, "mark", json_marks[s->marks[i].mark]);
		series_text_field(b, "text", s->marks[i].text, page);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	json_key(b, "limits");
	buf_addc(b, '[');
	for (size_t i = 0; i < s->n_limits; i++) {
		const struct series_limit *l = &s->limits[i];
		struct table_column y = {.type = s->lines[l->line].type,
					 .decimals = s->lines[l->line].decimals};
		struct table_cell v = cell_decimal(l->value);

		buf_adds(b, i ? ",\n{" : "\n{");
		series_text_field(b, "line", s->lines[l->line].key, page);
		json_key(b, "value");
		json_value(b, &y, &v);
		series_text_field(b, "title", l->title, page);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

void json_series(const struct table_series *s, size_t step, bool page, struct render_out *o)
{
	struct table_column x = {.type = s->x_type}, time = {.type = COLUMN_TIME};
	struct buf *b = &o->text;

	series_text_field(b, "x_title", s->x_title, page);
	field(b, "x_type", json_types[s->x_type]);
	if (page && s->cropped) {
		json_key(b, "cropped");
		buf_adds(b, "true");
	}
	add_places(o, "x", s->x, s->n_points, step, &x);
	if (s->labels && step == 1) {
		json_key(b, "labels");
		buf_addc(b, '[');
		for (size_t i = 0; i < s->n_points; i++) {
			buf_adds(b, i ? "," : "");
			series_text(b, s->labels[i], page);
		}
		buf_addc(b, ']');
	}
	if (s->time)
		add_places(o, "time_ns", s->time, s->n_points, step, &time);
	add_lines(s, step, page, o);
	add_marks(s, step, page, b);
}

static void render_json_one_check(struct buf *b, const struct table_check *c)
{
	field(b, "rule", c->name);
	field(b, "verdict", verdict_words[c->verdict]);
	field(b, "category", c->category);
	field(b, "message", c->message);
	field(b, "measured", c->measured);
	field(b, "limit", c->limit);
	field(b, "waiver", c->waiver);
	json_key(b, "more_runs");
	buf_adds(b, c->more_runs ? "true" : "false");
	number_field(b, "policy_line", c->policy_line);
	json_key(b, "breaches");
	buf_addc(b, '[');
	for (size_t i = 0; i < c->n_breaches; i++) {
		const struct breach *x = &c->breaches[i];

		buf_adds(b, i ? ",\n{" : "\n{");
		field(b, "subject", x->subject);
		field(b, "verdict", verdict_words[x->verdict]);
		field(b, "fact", x->fact);
		field(b, "callers", x->callers);
		field(b, "look", x->look);
		field(b, "accept", x->accept);
		field(b, "message", x->message);
		field(b, "measured", x->measured);
		field(b, "limit", x->limit);
		field(b, "told", x->detectable);
		field(b, "waiver", x->waiver);
		field(b, "file", x->file);
		number_field(b, "line", x->line);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

static void render_json_checks(const struct table_checks *c, struct render_out *o)
{
	struct buf *b = &o->text;

	field(b, "policy", c->policy);
	json_key(b, "counts");
	buf_addc(b, '{');
	for (size_t v = 0; v < VERDICTS; v++)
		number_field(b, verdict_words[v], checks_count(c, (enum verdict)v));
	buf_addc(b, '}');
	json_strings(b, "notes", c->notes, c->n_notes);
	json_key(b, "rules");
	buf_addc(b, '[');
	for (size_t i = 0; i < c->n_items && o->status == ST_OK; i++) {
		buf_adds(b, i ? ",\n{" : "\n{");
		render_json_one_check(b, &c->items[i]);
		buf_addc(b, '}');
		out_flush(o, false);
	}
	buf_addc(b, ']');
}

static void render_json_section(const struct table_section *s, struct render_out *o)
{
	struct buf *b = &o->text;
	static const char *const kinds[] = {[SECTION_TABLE] = "table",
					    [SECTION_FLAME] = "flame",
					    [SECTION_SERIES] = "series",
					    [SECTION_CHECKS] = "checks"};

	field(b, "kind", kinds[s->kind]);
	field(b, "name", section_name(s));
	switch (s->kind) {
	case SECTION_TABLE:
		field(b, "title", s->table->title);
		json_key(b, "tree");
		buf_adds(b, s->table->flags & TABLE_TREE ? "true" : "false");
		if (s->table->flags & TABLE_AHEAD) {
			json_key(b, "ahead");
			buf_adds(b, "true");
		}
		render_json_columns(b, s->table);
		render_json_rows(s->table, o);
		break;
	case SECTION_FLAME:
		field(b, "title", s->flame->title);
		render_json_flame(s->flame, o);
		break;
	case SECTION_SERIES:
		field(b, "title", s->series->title);
		json_series(s->series, 1, false, o);
		break;
	case SECTION_CHECKS:
		field(b, "title", s->checks->title);
		render_json_checks(s->checks, o);
		break;
	}
}

void json_facts(struct buf *b, const struct table_document *d)
{
	json_key(b, "facts");
	buf_addc(b, '{');
	for (size_t i = 0; i < d->n_facts; i++)
		field(b, d->facts[i].key, d->facts[i].value);
	buf_addc(b, '}');
	if (!d->n_numbers)
		return;
	json_key(b, "numbers");
	buf_addc(b, '{');
	for (size_t i = 0; i < d->n_numbers; i++) {
		json_key(b, d->numbers[i].key);
		json_value(b, &d->numbers[i].as, &d->numbers[i].value);
	}
	buf_addc(b, '}');
}

enum status json_document(const struct table_document *d, struct render_out *o)
{
	struct buf *b = &o->text;

	buf_addc(b, '{');
	field(b, "schema", "tracemill-report");
	number_field(b, "version", REPORT_VERSION);
	field(b, "program", d->program);
	field(b, "program_version", document_version(d));
	field(b, "title", document_title(d));
	json_key(b, "inputs");
	buf_addc(b, '[');
	for (size_t i = 0; i < d->n_inputs; i++) {
		buf_adds(b, i ? ",{" : "{");
		field(b, "name", d->inputs[i].name);
		field(b, "what", d->inputs[i].what);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	json_facts(b, d);
	json_key(b, "sections");
	buf_addc(b, '[');
	for (size_t i = 0; i < d->n_sections && o->status == ST_OK; i++) {
		buf_adds(b, i ? ",\n{" : "\n{");
		render_json_section(&d->sections[i], o);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
	json_strings(b, "notes", d->notes, d->n_notes);
	buf_adds(b, "}\n");
	return out_flush(o, false);
}

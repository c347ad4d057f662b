/* SPDX-License-Identifier: MIT */
#include "lib/render/render.h"

#include "lib/render/delimited.h"
#include "lib/render/gate.h"
#include "lib/render/html.h"
#include "lib/render/json.h"
#include "lib/render/markdown.h"
#include "lib/table/views.h"

#include <string.h>
#include <strings.h>

enum { FLUSH_AT = 64 << 10 };

const char *const render_format_words[RENDER_FORMATS + 1] = {
    "text", "csv", "tsv", "json", "markdown", "junit", "sarif", "html", "code-quality", NULL};

/* NULL: there is none. Behind the last point of a file's name are letters and digits; more than ENDING_MOST are none, as
 * those of mktemp's tmp.kN3qXw7Zc1, nor are digits alone. */
enum { ENDING_MOST = 8 };

static const char *ending_of(const char *path)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
	size_t n = dot ? strlen(dot + 1) : 0;

	if (!n || n > ENDING_MOST || strspn(dot + 1, "0123456789") == n)
		return NULL;
	return dot + 1;
}

bool render_format_of(const char *path, enum render_format *format)
{
	static const struct {
		const char *ending;
		enum render_format format;
	} known[] = {{"txt", RENDER_TEXT},    {"text", RENDER_TEXT}, {"log", RENDER_TEXT},
		     {"out", RENDER_TEXT},    {"ini", RENDER_TEXT},  {"rules", RENDER_TEXT},
		     {"csv", RENDER_CSV},     {"tsv", RENDER_TSV},   {"json", RENDER_JSON},
		     {"md", RENDER_MARKDOWN}, {"xml", RENDER_JUNIT}, {"sarif", RENDER_SARIF},
		     {"html", RENDER_HTML}};
	const char *ending = ending_of(path);

	*format = RENDER_TEXT;
	if (!ending)
		return true;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcasecmp(ending, known[i].ending)) {
			*format = known[i].format;
			return true;
		}
	return false;
}

enum status out_flush(struct render_out *o, bool now)
{
	size_t n = o->text.len;

	if (o->status != ST_OK || !n || (n < FLUSH_AT && !now))
		return o->status;
	o->text.len = 0;
	if (fwrite(o->text.data, 1, n, o->file) != n)
		o->status = err_sys(o->e, "write");
	return o->status;
}

void row_fill(const struct table *t, size_t i, struct table_row *r)
{
	struct table_cell *cells = r->cells;

	memset(cells, 0, t->n_columns * sizeof *cells);
	*r = (struct table_row){.cells = cells};
	t->fill(t->arg, i, r);
}

const char *section_name(const struct table_section *s)
{
	switch (s->kind) {
	case SECTION_TABLE: return s->table->name ? s->table->name : "table";
	case SECTION_FLAME: return s->flame->name ? s->flame->name : "flame";
	case SECTION_SERIES: return s->series->name ? s->series->name : "series";
	case SECTION_CHECKS: return s->checks->name ? s->checks->name : "checks";
	}
	return "";
}

const char *document_version(const struct table_document *d)
{
	return d->version ? d->version : TM_VERSION;
}

const char *document_title(const struct table_document *d)
{
	const char *title = d->title;

	for (size_t i = 0; i < d->n_sections && !title; i++) {
		const struct table_section *s = &d->sections[i];

		title = s->kind == SECTION_TABLE    ? s->table->title
			: s->kind == SECTION_FLAME  ? s->flame->title
			: s->kind == SECTION_SERIES ? s->series->title
						    : s->checks->title;
	}
	return title ? title : d->program;
}

static enum status need_checks(const struct table_document *d, struct err *e)
{
	for (size_t i = 0; i < d->n_sections; i++)
		if (d->sections[i].kind == SECTION_CHECKS)
			return ST_OK;
	return err_set(e, ST_UNSUPPORTED, "the report has no rules of a policy");
}

/* The source of a single table: a flame graph has no table, and is chosen only for JSON. NULL: *e says
 * what there is. */
static const struct table_section *render_choose(const struct table_document *d, const char *name,
						 bool flames, struct err *e)
{
	const struct table_section *chosen = NULL;
	char names[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < d->n_sections; i++) {
		const struct table_section *s = &d->sections[i];
		int n;

		if (s->kind == SECTION_FLAME && !flames)
			continue;
		if (name ? !strcmp(name, section_name(s))
			 : !chosen || (chosen->kind != SECTION_TABLE && s->kind == SECTION_TABLE))
			chosen = s;
		n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
			     section_name(s));
		used += n > 0 && (size_t)n < sizeof names - used ? (size_t)n : 0;
	}
	if (chosen)
		return chosen;
	if (!name)
		err_set(e, ST_UNSUPPORTED, "the report has no table");
	else
		err_set(e, ST_UNSUPPORTED, "the report has no table '%s'; it has %s", name,
			*names ? names : "none");
	return NULL;
}

static enum status render_delimited_document(const struct table_document *d, bool tabs,
					     const struct render_options *o, struct render_out *out)
{
	struct delimited how = delimited_of(tabs ? RENDER_TSV : RENDER_CSV, o);
	const struct table_section *s;
	struct table_view v = {.own = NULL};
	const struct table *t;

	s = render_choose(d, o->table, false, out->e);
	if (!s)
		return out->status = err_failure(out->e);
	if (s->kind == SECTION_SERIES)
		v = view_series(s->series);
	else if (s->kind == SECTION_CHECKS)
		v = view_checks(s->checks, true);
	t = s->kind == SECTION_TABLE ? s->table : &v.table;
	delimited_table(&how, t, out);
	view_release(&v);
	return out->status;
}

static enum status text_of(const struct table_document *d, const struct render_options *o,
			   struct render_out *out)
{
	const struct table_section *s;
	struct table_document one;

	if (!o->table)
		return text_document(d, o, out);
	s = render_choose(d, o->table, false, out->e);
	if (!s)
		return out->status = err_failure(out->e);
	one = *d;
	one.sections = (struct table_section[]){*s};
	one.n_sections = 1;
	return text_document(&one, o, out);
}

enum status render_chosen(const struct table_document *d, const struct render_options *o,
			  struct table_section *one, struct table_document *to, struct err *e)
{
	const struct table_section *s = o->table ? render_choose(d, o->table, true, e) : NULL;

	*to = *d;
	if (!s)
		return o->table ? err_failure(e) : ST_OK;
	*one = *s;
	to->sections = one;
	to->n_sections = 1;
	return ST_OK;
}

static enum status json_of(const struct table_document *d, const struct render_options *o,
			   struct render_out *out)
{
	struct table_section one;
	struct table_document chosen;

	out->status = render_chosen(d, o, &one, &chosen, out->e);
	return out->status ? out->status : json_document(&chosen, out);
}

enum status render(const struct table_document *d, enum render_format f,
		   const struct render_options *o, FILE *file, struct err *e)
{
	struct render_out out = {.file = file, .e = e};

	switch (f) {
	case RENDER_TEXT: text_of(d, o, &out); break;
	case RENDER_CSV: render_delimited_document(d, false, o, &out); break;
	case RENDER_TSV: render_delimited_document(d, true, o, &out); break;
	case RENDER_JSON: json_of(d, o, &out); break;
	case RENDER_HTML: html_document(d, o, &out); break;
	case RENDER_MARKDOWN: markdown_document(d, o, &out); break;
	case RENDER_JUNIT:
	case RENDER_SARIF:
	case RENDER_CODE_QUALITY:
		out.status = need_checks(d, e);
		if (out.status == ST_OK)
			(f == RENDER_JUNIT   ? junit_document
			 : f == RENDER_SARIF ? sarif_document
					     : code_quality_document)(d, &out);
		break;
	case RENDER_FORMATS: break;
	}
	out_flush(&out, true);
	buf_release(&out.text);
	return out.status;
}

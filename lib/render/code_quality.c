/* SPDX-License-Identifier: MIT
 *
 * GitLab's code quality report: an array of issues in the form of Code Climate, of which GitLab's manual
 * ("Code quality report format") asks for description, check_name, fingerprint, severity and a location with
 * a path relative to the repository and a line.
 */
#include "lib/render/gate.h"
#include "lib/render/json.h"
#include "lib/table/views.h"

#include <inttypes.h>
#include <string.h>

static void code_quality_field(struct buf *b, const char *key, const char *value)
{
	json_key(b, key);
	json_string(b, value);
}

/* Without "./", and never absolute. */
static const char *code_quality_path(const char *path)
{
	for (;;)
		if (path[0] == '.' && path[1] == '/')
			path += 2;
		else if (path[0] == '/')
			path++;
		else
			return path;
}

static const char *code_quality_severity(enum verdict v)
{
	return v == VERDICT_FAIL ? "major" : v == VERDICT_INCONCLUSIVE ? "minor" : "info";
}

static void code_quality_issue(struct buf *b, const struct table_checks *checks,
			       const struct table_check *c, const struct breach *x)
{
	const char *file = x && x->file ? x->file : checks->policy;
	uint32_t line = x && x->file ? x->line : c->policy_line;
	struct buf text = BUF_INIT;

	if (x && x->fact)
		buf_adds(&text, x->fact);
	else if (x)
		breach_text(&text, x);
	else
		buf_adds(&text, c->message ? c->message : verdict_words[c->verdict]);
	if (x && x->callers)
		buf_addf(&text, " Called by %s.", x->callers);
	buf_addc(b, '{');
	json_key(b, "description");
	json_text(b, text.data, text.len);
	code_quality_field(b, "check_name", c->name);
	json_key(b, "fingerprint");
	buf_addf(b, "\"%016" PRIx64 "\"", breach_hash(c, x));
	code_quality_field(b, "severity", code_quality_severity(x ? x->verdict : c->verdict));
	json_key(b, "location");
	buf_addc(b, '{');
	code_quality_field(b, "path", code_quality_path(file ? file : "policy"));
	json_key(b, "lines");
	buf_addf(b, "{\"begin\":%" PRIu32 "}}}", line ? line : 1);
	buf_release(&text);
}

enum status code_quality_document(const struct table_document *d, struct render_out *o)
{
	struct buf *b = &o->text;
	bool first = true;

	buf_addc(b, '[');
	for (size_t i = 0; i < d->n_sections; i++) {
		const struct table_checks *c = d->sections[i].checks;

		for (size_t k = 0; d->sections[i].kind == SECTION_CHECKS && k < c->n_items; k++) {
			const struct table_check *of = &c->items[k];

			if (verdict_holds(of->verdict))
				continue;
			for (size_t n = 0; n < (of->n_breaches ? of->n_breaches : 1); n++) {
				buf_adds(b, first ? "\n" : ",\n");
				first = false;
				code_quality_issue(b, c, of,
						   of->n_breaches ? &of->breaches[n] : NULL);
			}
			out_flush(o, false);
		}
	}
	buf_adds(b, "]\n");
	return out_flush(o, false);
}

/* SPDX-License-Identifier: MIT
 *
 * SARIF 2.1.0 (OASIS standard of 27 March 2020): a rule per check, a result per breach. Section
 * numbers in the comments are that document's.
 */
#include "lib/render/gate.h"
#include "lib/render/json.h"

#include "lib/table/views.h"

#include <inttypes.h>
#include <string.h>

static void field(struct buf *b, const char *key, const char *value)
{
	json_key(b, key);
	json_string(b, value);
}

static void text_object(struct buf *b, const char *key, const char *s, size_t n)
{
	json_key(b, key);
	buf_adds(b, "{\"text\":");
	json_text(b, s, n);
	buf_addc(b, '}');
}

/* A path as a URI reference (3.4.3, RFC 3986): relative ones stay so, and a Windows drive or a
 * root becomes file:. */
static void sarif_add_uri(struct buf *b, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~/!$&()*+,;=@";
	struct buf uri = BUF_INIT;
	bool drive =
	    ((*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z')) && path[1] == ':';

	if (drive)
		buf_adds(&uri, "file:///");
	else if (*path == '/')
		buf_adds(&uri, "file://");
	for (const char *s = path; *s; s++) {
		if (*s == '\\')
			buf_addc(&uri, '/');
		else if (strchr(plain, *s) || (drive && s == path + 1))
			buf_addc(&uri, *s);
		else
			buf_addf(&uri, "%%%02X", (unsigned char)*s);
	}
	json_text(b, uri.data, uri.len);
	buf_release(&uri);
}

/* A breach without a source is placed at its rule in the policy: viewers want a place. */
static void sarif_locations(struct buf *b, const struct table_checks *checks,
			    const struct table_check *c, const struct breach *x)
{
	const char *file = x && x->file ? x->file : checks->policy;
	uint32_t line = x && x->file ? x->line : c->policy_line;

	json_key(b, "locations");
	buf_adds(b, "[{");
	if (file) {
		buf_adds(b, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
		sarif_add_uri(b, file);
		buf_addc(b, '}');
		if (line)
			buf_addf(b, ",\"region\":{\"startLine\":%" PRIu32 "}", line);
		buf_addc(b, '}');
	}
	if (x) {
		json_key(b, "logicalLocations");
		buf_adds(b, "[{\"fullyQualifiedName\":");
		json_string(b, x->subject);
		buf_adds(b, "}]");
	}
	buf_adds(b, "}]");
}

/* The next run's result is known for the same one (3.27.17). */
static void fingerprint(struct buf *b, const struct table_check *c, const struct breach *x)
{
	json_key(b, "partialFingerprints");
	buf_addf(b, "{\"tracemill/v1\":\"%016" PRIx64 "\"}", breach_hash(c, x));
}

static void sarif_result(struct buf *b, const struct table_checks *checks, size_t index,
			 const struct breach *x)
{
	const struct table_check *c = &checks->items[index];
	enum verdict verdict = x ? x->verdict : c->verdict;
	const char *waiver = x ? x->waiver : c->waiver;
	struct buf text = BUF_INIT;

	if (x)
		breach_text(&text, x);
	else
		buf_adds(&text, c->message ? c->message : verdict_words[c->verdict]);
	buf_addc(b, '{');
	field(b, "ruleId", c->name);
	json_key(b, "ruleIndex");
	buf_add_u64(b, index);
	/* 3.27.9, 3.27.10: what cannot be decided is open, and only a failure has a level. */
	field(b, "kind", verdict == VERDICT_INCONCLUSIVE ? "open" : "fail");
	field(b, "level", verdict == VERDICT_INCONCLUSIVE ? "none" : "error");
	text_object(b, "message", text.data, text.len);
	sarif_locations(b, checks, c, x);
	fingerprint(b, c, x);
	if (verdict == VERDICT_WAIVED) {
		buf_adds(b, ",\"suppressions\":[{\"kind\":\"external\"");
		field(b, "justification", waiver ? waiver : "waived by the policy");
		buf_adds(b, "}]");
	}
	buf_addc(b, '}');
	buf_release(&text);
}

/* What a viewer shows beside a result: the limit, and what can be done (3.49.12, 3.49.13). */
static void sarif_help(struct buf *b, const struct table_checks *checks,
		       const struct table_check *c)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "Rule '%s'", c->name);
	if (checks->policy)
		buf_addf(&text, " of %s", checks->policy);
	if (c->policy_line)
		buf_addf(&text, ", line %" PRIu32, c->policy_line);
	if (c->limit)
		buf_addf(&text, ": the limit is %s", c->limit);
	buf_adds(
	    &text,
	    ". Look into the runs that are named with each result, repair what grew, or accept "
	    "it for some time with a waiver in the policy: tracemill-policy(5).");
	text_object(b, "fullDescription", text.data, text.len);
	text_object(b, "help", text.data, text.len);
	json_key(b, "defaultConfiguration");
	buf_adds(b, "{\"level\":\"error\"}");
	buf_release(&text);
}

/* What of the policy had no effect (3.20.21). */
static void sarif_invocation(struct buf *b, const struct table_checks *c)
{
	json_key(b, "invocations");
	buf_adds(b, "[{\"executionSuccessful\":true");
	if (c->n_notes) {
		json_key(b, "toolConfigurationNotifications");
		buf_addc(b, '[');
		for (size_t i = 0; i < c->n_notes; i++) {
			buf_adds(b, i ? ",{" : "{");
			field(b, "level", "warning");
			text_object(b, "message", c->notes[i], strlen(c->notes[i]));
			buf_addc(b, '}');
		}
		buf_addc(b, ']');
	}
	buf_adds(b, "}]");
}

static void sarif_rules(struct buf *b, const struct table_checks *c)
{
	json_key(b, "rules");
	buf_addc(b, '[');
	for (size_t i = 0; i < c->n_items; i++) {
		const char *text = c->items[i].message ? c->items[i].message : c->items[i].name;

		buf_adds(b, i ? ",\n{" : "\n{");
		field(b, "id", c->items[i].name);
		text_object(b, "shortDescription", text, strlen(text));
		sarif_help(b, c, &c->items[i]);
		json_key(b, "properties");
		buf_addc(b, '{');
		field(b, "verdict", verdict_words[c->items[i].verdict]);
		if (c->items[i].category)
			field(b, "category", c->items[i].category);
		buf_adds(b, "}}");
	}
	buf_addc(b, ']');
}

static void sarif_results(const struct table_checks *c, struct render_out *o)
{
	struct buf *b = &o->text;
	bool first = true;

	json_key(b, "results");
	buf_addc(b, '[');
	for (size_t i = 0; i < c->n_items && o->status == ST_OK; i++) {
		size_t n = c->items[i].n_breaches;

		if (verdict_holds(c->items[i].verdict))
			continue;
		for (size_t k = 0; k < (n ? n : 1); k++) {
			buf_adds(b, first ? "\n" : ",\n");
			first = false;
			sarif_result(b, c, i, n ? &c->items[i].breaches[k] : NULL);
		}
		out_flush(o, false);
	}
	buf_addc(b, ']');
}

/* A run per set of checks (3.14): rule indexes are the run's. */
enum status sarif_document(const struct table_document *d, struct render_out *o)
{
	struct buf *b = &o->text;
	bool first = true;

	buf_adds(b, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
		    "\"version\":\"2.1.0\",\"runs\":[");
	for (size_t i = 0; i < d->n_sections; i++) {
		const struct table_checks *c = d->sections[i].checks;

		if (d->sections[i].kind != SECTION_CHECKS)
			continue;
		buf_adds(b, first ? "\n{" : ",\n{");
		first = false;
		buf_adds(b, "\"tool\":{\"driver\":{");
		field(b, "name", d->program);
		field(b, "version", document_version(d));
		sarif_rules(b, c);
		buf_adds(b, "}}");
		json_key(b, "automationDetails");
		buf_addc(b, '{');
		field(b, "id", section_name(&d->sections[i]));
		buf_addc(b, '}');
		sarif_invocation(b, c);
		sarif_results(c, o);
		buf_addc(b, '}');
	}
	buf_adds(b, "]}\n");
	return out_flush(o, false);
}

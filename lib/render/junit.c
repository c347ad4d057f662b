/* SPDX-License-Identifier: MIT
 *
 * JUnit XML as CI servers read it: there is no standard, so only what all of them share, the
 * elements and attributes of the schema in tests/schema/junit.xsd.
 */
#include "lib/render/gate.h"
#include "lib/render/xml.h"
#include "lib/table/views.h"

#include <string.h>

static void attribute(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, " %s=\"", name);
	xml_string(b, value);
	buf_addc(b, '"');
}

/* What a rule says of itself on one line. */
static void junit_message(struct buf *b, const struct table_check *c)
{
	const char *between = "";

	if (c->n_breaches && c->breaches[0].fact) {
		xml_string(b, c->breaches[0].fact);
		between = " ";
	}
	if (c->message) {
		buf_adds(b, between);
		xml_string(b, c->message);
		between = "; ";
	}
	if (c->measured) {
		buf_adds(b, between);
		buf_adds(b, "measured ");
		xml_string(b, c->measured);
		between = ", ";
	}
	if (c->limit) {
		buf_adds(b, between);
		buf_adds(b, "limit ");
		xml_string(b, c->limit);
		between = "; ";
	}
	if (c->waiver) {
		buf_adds(b, *between == ',' ? "; " : between);
		buf_adds(b, "waived: ");
		xml_string(b, c->waiver);
	}
}

static void breaches(struct buf *b, const struct table_check *c)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < c->n_breaches; i++) {
		breach_text(&text, &c->breaches[i]);
		buf_addc(&text, '\n');
	}
	for (size_t i = 0; i < text.len;) {
		const char *end = memchr(text.data + i, '\n', text.len - i);
		size_t n = (size_t)(end - text.data) - i;

		xml_text(b, text.data + i, n);
		buf_addc(b, '\n');
		i += n + 1;
	}
	buf_release(&text);
}

static void outcome(struct buf *b, const char *element, const char *type,
		    const struct table_check *c)
{
	buf_addf(b, "<%s message=\"", element);
	junit_message(b, c);
	buf_addc(b, '"');
	if (type)
		attribute(b, "type", type);
	buf_addc(b, '>');
	breaches(b, c);
	buf_addf(b, "</%s>", element);
}

static void junit_test_case(struct buf *b, const struct table_document *d,
			    const struct table_check *c)
{
	buf_adds(b, "    <testcase");
	buf_addf(b, " classname=\"");
	xml_string(b, d->program);
	if (c->category) {
		buf_addc(b, '.');
		xml_string(b, c->category);
	}
	buf_addc(b, '"');
	attribute(b, "name", c->name);
	buf_addc(b, '>');
	switch (c->verdict) {
	case VERDICT_FAIL: outcome(b, "failure", c->category ? c->category : "rule", c); break;
	case VERDICT_INCONCLUSIVE: outcome(b, "error", "inconclusive", c); break;
	case VERDICT_SKIPPED:
	case VERDICT_WAIVED: outcome(b, "skipped", NULL, c); break;
	case VERDICT_PASS:
	case VERDICT_IMPROVED:
	case VERDICTS:
		buf_adds(b, "<system-out>");
		buf_adds(b, verdict_words[c->verdict]);
		buf_adds(b, ": ");
		junit_message(b, c);
		buf_adds(b, "</system-out>");
		break;
	}
	buf_adds(b, "</testcase>\n");
}

static void counts(struct buf *b, const struct table_checks *c)
{
	buf_addf(b, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", c->n_items,
		 checks_count(c, VERDICT_FAIL), checks_count(c, VERDICT_INCONCLUSIVE),
		 checks_count(c, VERDICT_WAIVED) + checks_count(c, VERDICT_SKIPPED));
}

enum status junit_document(const struct table_document *d, struct render_out *o)
{
	struct buf *b = &o->text;

	buf_adds(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	attribute(b, "name", document_title(d));
	buf_adds(b, ">\n");
	for (size_t i = 0; i < d->n_sections; i++) {
		const struct table_checks *c = d->sections[i].checks;

		if (d->sections[i].kind != SECTION_CHECKS)
			continue;
		buf_adds(b, "  <testsuite");
		attribute(b, "name", c->title ? c->title : section_name(&d->sections[i]));
		counts(b, c);
		buf_adds(b, ">\n");
		for (size_t k = 0; k < c->n_items && o->status == ST_OK; k++) {
			junit_test_case(b, d, &c->items[k]);
			out_flush(o, false);
		}
		if (c->n_notes) {
			buf_adds(b, "    <system-out>");
			for (size_t k = 0; k < c->n_notes; k++) {
				xml_string(b, c->notes[k]);
				buf_addc(b, '\n');
			}
			buf_adds(b, "</system-out>\n");
		}
		buf_adds(b, "  </testsuite>\n");
	}
	buf_adds(b, "</testsuites>\n");
	return out_flush(o, false);
}

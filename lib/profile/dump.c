/* SPDX-License-Identifier: MIT */
#include "lib/profile/dump.h"

#include "lib/base/id_text.h"
#include "lib/base/path.h"
#include "lib/profile/read.h"

#include <inttypes.h>
#include <string.h>

static void add_text(struct buf *b, struct aggregate_text t)
{
	buf_addc(b, '"');
	buf_add_escaped(b, t.s ? t.s : "", t.n);
	buf_addc(b, '"');
}

static void add_named(struct buf *b, const char *name, struct aggregate_text t)
{
	if (!t.n)
		return;
	buf_addf(b, " %s=", name);
	add_text(b, t);
}

static void add_count(struct buf *b, const char *name, uint64_t n)
{
	buf_addf(b, " %s=%" PRIu64, name, n);
}

static void add_number(struct buf *b, const struct aggregate_value *of, __int128 v)
{
	char digits[64];
	size_t n = sizeof digits, decimals = of->decimals;
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

	for (; decimals && u % 10 == 0; decimals--)
		u /= 10;
	do {
		if (decimals && n == sizeof digits - decimals)
			digits[--n] = '.';
		digits[--n] = (char)('0' + (int)(u % 10));
		u /= 10;
	} while (u || (decimals && n > sizeof digits - decimals - 2));
	if (v < 0)
		buf_addc(b, '-');
	buf_add(b, digits + n, sizeof digits - n);
}

static void add_place(struct buf *b, const struct aggregate_place *p)
{
	buf_addf(b, "@%016" PRIx64, p->input);
	if (p->has_frame)
		buf_addf(b, "/%" PRId64, p->frame);
}

static void aggregate_dump_add_value(struct buf *b, unsigned metric,
				     const struct aggregate_value *v)
{
	static const unsigned percents[] = {50, 95, 99};
	const char *total = metric >= AGG_TOTAL && metric < AGG_DURATION ? "total_" : "";
	const char *name = metric == AGG_DURATION  ? "duration_ns"
			   : metric == AGG_READING ? "reading"
			   : metric == AGG_LAST    ? "last"
						   : metric_table[metric % SUMS].key;

	buf_addf(b, "\n\t%s%s ", total, name);
	add_number(b, v, v->sum);
	if (v->n == 1) {
		add_place(b, &v->min_at);
		return;
	}
	add_count(b, "n", v->n);
	buf_adds(b, " min=");
	add_number(b, v, v->min);
	add_place(b, &v->min_at);
	for (size_t i = 0; i < 3; i++) {
		__int128 q;

		if (!v->spread || !aggregate_value_quantile(v, percents[i], &q))
			continue;
		buf_addf(b, " p%u=", percents[i]);
		add_number(b, v, q);
	}
	buf_adds(b, " max=");
	add_number(b, v, v->max);
	add_place(b, &v->max_at);
}

static void aggregate_dump_add_entity(struct buf *b, const struct aggregate_record *r)
{
	const struct aggregate_key *k = &r->key;
	struct aggregate_site site;

	buf_addf(b, " %s", key_words[k->by]);
	if (k->by == KEY_STACK) {
		for (size_t i = 0; i < k->n_calls; i++) {
			buf_addc(b, i ? ';' : ' ');
			add_text(b, k->calls[i].raw);
			if (k->calls[i].module.n) {
				buf_adds(b, " in ");
				add_text(b, k->calls[i].module);
			}
		}
		if (aggregate_site_of(r, &site)) {
			add_named(b, "site", r->texts[0]);
			add_named(b, "file", site.file);
			if (site.line)
				add_count(b, "line", site.line);
		}
		return;
	}
	buf_addc(b, ' ');
	add_text(b, k->by == KEY_FUNCTION || k->by == KEY_SITE ? k->raw : k->name);
	add_named(b, "module", k->module);
	add_named(b, "file", k->file);
	if (k->line)
		add_count(b, "line", k->line);
	if (k->inside)
		buf_adds(b, " inside");
	add_named(b, "display", r->texts[0]);
}

static void add_states(struct buf *b, const struct aggregate_record *r)
{
	static const char *const words[] = {"", "", ">=", "~"};
	const char *comma = " known=";

	for (unsigned i = 0; i < SUMS; i++)
		if (r->marks[i] && r->marks[i] <= METRIC_ESTIMATED) {
			buf_addf(b, "%s%s%s", comma, words[r->marks[i]], metric_table[i].key);
			comma = ",";
		}
}

static void aggregate_dump_add_about(struct buf *b, const struct aggregate_record *r)
{
	static const char *const severities[] = {"info", "guess", "loss"};
	static const char *const wholes[] = {"all", "unfiltered"};
	const struct aggregate_key *k = &r->key;

	switch (k->kind) {
	case AGG_HEAD:
		buf_adds(b, "aggregate");
		add_count(b, "captures", r->counts[0]);
		add_count(b, "frames", r->counts[1]);
		add_count(b, "duration_ns", r->counts[2]);
		add_named(b, "options", r->texts[0]);
		add_named(b, "sampling", r->texts[1]);
		add_named(b, "metrics", r->texts[2]);
		add_named(b, "periods", r->texts[3]);
		add_named(b, "clock", r->texts[4]);
		break;
	case AGG_INPUT:
		buf_addf(b, "input %016" PRIx64, k->hash);
		add_count(b, "bytes", k->bytes);
		add_named(b, "name", r->texts[0]);
		add_named(b, "version", r->texts[1]);
		add_named(b, "format", r->texts[2]);
		add_named(b, "program", r->texts[3]);
		add_named(b, "arguments", r->texts[4]);
		add_named(b, "run", r->texts[5]);
		add_count(b, "times", r->counts[0]);
		add_count(b, "captures", r->counts[1]);
		add_count(b, "frames", r->counts[2]);
		add_count(b, "records", r->counts[3]);
		break;
	case AGG_FORMAT:
		buf_adds(b, "format ");
		add_text(b, k->name);
		add_count(b, "captures", r->counts[0]);
		break;
	case AGG_MODULE:
		buf_adds(b, "module ");
		add_text(b, k->name);
		buf_adds(b, k->second.n ? " build_id=" : "");
		id_text_add(b, path_is_of_windows(k->name.s, k->name.n), k->second.s, k->second.n);
		add_count(b, "inputs", r->counts[0]);
		break;
	case AGG_NOTE:
		buf_addf(b, "note %s ", k->which <= 2 ? severities[k->which] : "?");
		add_text(b, k->name);
		add_count(b, "count", r->counts[0]);
		add_count(b, "inputs", r->counts[1]);
		break;
	case AGG_WHOLE:
		if (k->which < AGG_COVERAGE)
			buf_addf(b, "whole %s", wholes[k->which]);
		else
			buf_addf(b, "coverage %u", k->which - AGG_COVERAGE);
		add_states(b, r);
		break;
	case AGG_FRAMES: buf_adds(b, "frames"); break;
	case AGG_FRAME:
		if (k->which)
			buf_addf(b, "frame %" PRId64, k->frame);
		else
			buf_adds(b, "before the first frame");
		add_named(b, "name", r->texts[0]);
		break;
	case AGG_COUNTER:
		buf_adds(b, "counter ");
		add_text(b, k->name);
		add_named(b, "unit", k->second);
		break;
	case AGG_ROW:
		buf_adds(b, "row");
		aggregate_dump_add_entity(b, r);
		break;
	default:
		buf_addf(b, "key %s", key_words[k->by]);
		add_count(b, "captures", r->counts[0]);
		add_count(b, "pruned", r->counts[1]);
		add_states(b, r);
		break;
	}
}

enum status aggregate_dump(struct cursor *c, FILE *out, struct err *e)
{
	struct aggregate_record rec = {.has = 0};
	struct buf line = BUF_INIT;
	struct aggregate_reader r;
	enum status st;

	aggregate_reader_init(&r, c);
	while (!(st = aggregate_reader_record(&r, &rec, e))) {
		line.len = 0;
		aggregate_dump_add_about(&line, &rec);
		for (uint64_t has = rec.has; has; has &= has - 1)
			aggregate_dump_add_value(&line, (unsigned)__builtin_ctzll(has),
						 &rec.values[__builtin_ctzll(has)]);
		buf_addc(&line, '\n');
		fwrite(line.data, 1, line.len, out);
	}
	aggregate_record_release(&rec);
	aggregate_reader_release(&r);
	buf_release(&line);
	return st == ST_NONE ? ST_OK : st;
}

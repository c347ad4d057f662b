/* SPDX-License-Identifier: MIT
 *
 * The processed format of the Firefox Profiler, version 60: tables that threads share (stacks, frames, functions,
 * texts), and a "thread" of the value that ranks, of which each sample is a stack with its sum; of periods one for each event.
 *
 * Times of samples are where they would lie if they followed each other: ms, bytes or numbers, as the weights.
 * Described by CHANGELOG-formats.md and src/types/profile.ts of firefox-devtools/profiler.
 */
#include "lib/export/profile.h"
#include "lib/export/text.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct firefox {
	struct export export; /* first */
	struct export_profile profile;
	FILE *out;
	struct intern strings, functions,
	    sources;       /* functions: (name, source), of strings and sources */
	uint32_t *by_call; /* frame + 1 */
	uint32_t *calls;   /* by frame */
	size_t n_frames, cap_frames;
	struct firefox_row {
		uint32_t frame, prefix; /* prefix: + 1, 0: none */
	} * rows;
	size_t n_rows, cap_rows;
	uint32_t *row_of; /* by stack: + 1 */
	struct buf json;
};

static void flush(struct firefox *f)
{
	fwrite(f->json.data, 1, f->json.len, f->out);
	f->json.len = 0;
}

static uint32_t string(struct firefox *f, const char *s, size_t n)
{
	return intern_add(&f->strings, s, n) - 1;
}

static uint32_t named(struct firefox *f, uint32_t name)
{
	size_t n;
	const char *s = names_text(&f->profile.groups.names, name, &n);

	return string(f, s, n);
}

static uint32_t frame_of(struct firefox *f, uint32_t call)
{
	if (!f->by_call[call]) {
		VEC_PUSH(f->calls, f->n_frames, f->cap_frames) = call;
		f->by_call[call] = (uint32_t)f->n_frames;
	}
	return f->by_call[call] - 1;
}

/* Its calls, outermost first; the row of the innermost and 1. */
static uint32_t add_location(struct firefox *f, uint32_t location, uint32_t prefix)
{
	const struct names_location *l = &f->profile.groups.names.locations[location];

	for (uint32_t k = l->first + l->n_calls; k-- > l->first;) {
		uint32_t frame = frame_of(f, k);

		VEC_PUSH(f->rows, f->n_rows, f->cap_rows) = (struct firefox_row){frame, prefix};
		prefix = (uint32_t)f->n_rows;
	}
	return prefix;
}

static void build_rows(struct firefox *f)
{
	const struct export_profile *p = &f->profile;

	f->by_call =
	    mem_zarray(p->groups.names.n_calls ? p->groups.names.n_calls : 1, sizeof *f->by_call);
	f->row_of = mem_zarray(p->groups.stacks.n ? p->groups.stacks.n : 1, sizeof *f->row_of);
	f->row_of[0] = add_location(f, 0, 0); /* of samples without a stack */
	for (size_t k = 1; k < p->groups.stacks.n; k++) {
		uint32_t parent = p->groups.stacks.rows[k].parent;

		f->row_of[k] = add_location(f, p->groups.stacks.rows[k].location,
					    parent ? f->row_of[parent] : 0);
	}
}

/* --- tables --- */

static void put_u32(struct firefox *f, size_t i, int64_t v)
{
	if (v < 0)
		buf_addf(&f->json, "%snull", i ? "," : "");
	else
		buf_addf(&f->json, "%s%" PRId64, i ? "," : "", v);
	if (f->json.len > 1 << 16)
		flush(f);
}

/* n times the same. */
static void put_column(struct firefox *f, const char *name, const char *value, size_t n)
{
	buf_addf(&f->json, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		buf_addf(&f->json, "%s%s", i ? "," : "", value);
		if (f->json.len > 1 << 16)
			flush(f);
	}
	buf_addc(&f->json, ']');
}

static void put_stacks(struct firefox *f)
{
	buf_addf(&f->json, "\"stackTable\":{\"length\":%zu,\"frame\":[", f->n_rows);
	for (size_t i = 0; i < f->n_rows; i++)
		put_u32(f, i, f->rows[i].frame);
	buf_adds(&f->json, "],\"prefix\":[");
	for (size_t i = 0; i < f->n_rows; i++)
		put_u32(f, i, (int64_t)f->rows[i].prefix - 1);
	buf_adds(&f->json, "]},\n");
}

static uint32_t function_of(struct firefox *f, const struct names_call *c)
{
	const struct group_names *names = &f->profile.groups.names;
	uint32_t key[2] = {named(f, names->functions[c->function].display), 0};

	if (c->file) {
		uint32_t file = named(f, c->file);

		key[1] = intern_add(&f->sources, (const char *)&file, sizeof file);
	}
	return intern_add(&f->functions, (const char *)key, sizeof key) - 1;
}

static void put_frames(struct firefox *f)
{
	const struct group_names *names = &f->profile.groups.names;
	size_t n = f->n_frames;

	buf_addf(&f->json, "\"frameTable\":{\"length\":%zu,\"func\":[", n);
	for (size_t i = 0; i < n; i++)
		put_u32(f, i, function_of(f, &names->calls[f->calls[i]]));
	buf_adds(&f->json, "],\"line\":[");
	for (size_t i = 0; i < n; i++) {
		uint32_t line = names->calls[f->calls[i]].line;

		put_u32(f, i, line ? (int64_t)line : -1);
	}
	buf_addc(&f->json, ']');
	put_column(f, "address", "-1", n);
	put_column(f, "inlineDepth", "0", n);
	put_column(f, "category", "0", n);
	put_column(f, "subcategory", "0", n);
	put_column(f, "nativeSymbol", "null", n);
	put_column(f, "innerWindowID", "0", n);
	put_column(f, "column", "null", n);
	buf_adds(&f->json, "},\n");
}

static void put_functions(struct firefox *f)
{
	size_t n = intern_count(&f->functions);
	uint32_t key[2];

	buf_addf(&f->json, "\"funcTable\":{\"length\":%zu,\"name\":[", n);
	for (uint32_t i = 1; i <= n; i++) {
		memcpy(key, intern_text(&f->functions, i, NULL), sizeof key);
		put_u32(f, i - 1, key[0]);
	}
	buf_adds(&f->json, "],\"source\":[");
	for (uint32_t i = 1; i <= n; i++) {
		memcpy(key, intern_text(&f->functions, i, NULL), sizeof key);
		put_u32(f, i - 1, (int64_t)key[1] - 1);
	}
	buf_addc(&f->json, ']');
	put_column(f, "isJS", "false", n);
	put_column(f, "relevantForJS", "false", n);
	put_column(f, "resource", "-1", n);
	put_column(f, "lineNumber", "null", n);
	put_column(f, "columnNumber", "null", n);
	buf_adds(&f->json, "},\n");
}

static void put_sources(struct firefox *f)
{
	size_t n = intern_count(&f->sources);

	buf_addf(&f->json, "\"sources\":{\"length\":%zu,\"filename\":[", n);
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t file;

		memcpy(&file, intern_text(&f->sources, i, NULL), sizeof file);
		put_u32(f, i - 1, file);
	}
	buf_addc(&f->json, ']');
	put_column(f, "uuid", "null", n);
	buf_adds(&f->json, "},\n");
}

static void put_strings(struct firefox *f)
{
	buf_adds(&f->json, "\"stringArray\":[");
	for (uint32_t i = 1; i <= intern_count(&f->strings); i++) {
		size_t n;
		const char *s = intern_text(&f->strings, i, &n);

		if (i > 1)
			buf_adds(&f->json, ",\n");
		text_add_json(&f->json, s, n);
		flush(f);
	}
	buf_addc(&f->json, ']');
}

/* --- samples --- */

static bool is_time(const struct export_profile_column *c)
{
	return metric_table[c->metric->sum].unit == SUM_NS;
}

/* Nanoseconds as milliseconds, or a number as it is. */
static void put_weight(struct firefox *f, size_t i, const struct export_profile_column *c,
		       uint64_t v)
{
	const char *comma = i ? "," : "";

	if (is_time(c))
		buf_addf(&f->json, "%s%" PRIu64 ".%06" PRIu64, comma, v / 1000000, v % 1000000);
	else
		buf_addf(&f->json, "%s%" PRIu64, comma, v);
	if (f->json.len > 1 << 16)
		flush(f);
}

static void put_thread(struct firefox *f, const struct export_profile_column *c, unsigned number)
{
	const struct export_profile *p = &f->profile;
	const char *name =
	    c->event ? intern_text(&p->types, c->event, NULL) : export_metric_name(c->metric->sum);
	uint64_t at = 0;
	size_t n = 0;

	buf_adds(&f->json, "{\"name\":");
	text_add_json(&f->json, name, strlen(name));
	buf_addf(
	    &f->json,
	    ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":\"tracemill\","
	    "\"pid\":\"0\","
	    "\"tid\":%u,\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	    "\"unregisterTime\":null,\"pausedRanges\":[],\n\"markers\":{\"length\":0,\"data\":[],"
	    "\"name\":[],"
	    "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]},\n\"samples\":{"
	    "\"weightType\":\"%s\","
	    "\"stack\":[",
	    number ? "false" : "true", number,
	    is_time(c)                                       ? "tracing-ms"
	    : metric_table[c->metric->sum].unit == SUM_BYTES ? "bytes"
							     : "samples");
	for (size_t i = 0; i < p->rows.n; i++)
		if (export_profile_column_sum(p, i, c))
			put_u32(f, n++, (int64_t)f->row_of[export_profile_stack(p, i)] - 1);
	buf_addf(&f->json, "],\"length\":%zu,\"weight\":[", n);
	n = 0;
	for (size_t i = 0; i < p->rows.n; i++)
		if (export_profile_column_sum(p, i, c))
			put_weight(f, n++, c, export_profile_column_sum(p, i, c));
	buf_adds(&f->json, "],\"time\":[");
	n = 0;
	for (size_t i = 0; i < p->rows.n; i++)
		if (export_profile_column_sum(p, i, c)) {
			put_weight(f, n++, c, at);
			at = add_saturating(at, export_profile_column_sum(p, i, c));
		}
	buf_adds(&f->json, "]}}");
	flush(f);
}

static enum status export_firefox_finish(struct export *x, struct err *e)
{
	struct firefox *f = (struct firefox *)x;
	const struct export_profile *p = &f->profile;
	struct export_profile_column columns[PROFILE_COLUMNS];
	enum sum first = SUMS;
	size_t n;

	if (export_profile_sort(&f->profile, true, &first, e))
		return err_failure(e);
	export_profile_close(&f->profile);
	build_rows(f);
	buf_addf(&f->json,
		 "{\"meta\":{\"preprocessedProfileVersion\":60,\"version\":31,\"interval\":1,"
		 "\"startTime\":0,"
		 "\"processType\":0,\"product\":\"tm-export "
		 "%s\",\"importedFrom\":\"tracemill\",\"stackwalk\":1,"
		 "\"symbolicated\":true,\"markerSchema\":[],\"categories\":[{\"name\":\"Other\","
		 "\"color\":\"grey\","
		 "\"subcategories\":[\"Other\"]}]},\n\"libs\":[],\n\"shared\":{\n",
		 TM_VERSION);
	put_stacks(f);
	put_frames(f);
	put_functions(f);
	put_sources(f);
	buf_adds(
	    &f->json,
	    "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n"
	    "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	    "\"functionSize\":[]},\n");
	put_strings(f);
	buf_adds(&f->json, "},\n\"threads\":[");
	n = export_profile_columns(p, SUM_BIT(first), columns);
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_adds(&f->json, ",\n");
		put_thread(f, &columns[i], (unsigned)i);
	}
	buf_adds(&f->json, "]}\n");
	flush(f);
	return export_written(f->out, e);
}

static void export_firefox_release(struct export *x)
{
	struct firefox *f = (struct firefox *)x;

	export_profile_release(&f->profile);
	intern_release(&f->strings);
	intern_release(&f->functions);
	intern_release(&f->sources);
	free(f->by_call);
	free(f->calls);
	free(f->rows);
	free(f->row_of);
	buf_release(&f->json);
	free(f);
}

static struct export *export_firefox_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct firefox *f = mem_zalloc(sizeof *f);

	(void)e;
	export_profile_init(&f->profile, o);
	f->export = (struct export){.sink = &f->profile.tally.sink,
				    .finish = export_firefox_finish,
				    .free = export_firefox_release};
	f->out = out;
	return &f->export;
}

const struct exporter exporter_firefox = {
    .name = "firefox",
    .what = "the Firefox Profiler's JSON: stacks, with the value that ranks",
    .endings = {".firefox.json"},
    .flags = EXPORT_FILTERED | EXPORT_VIEW,
    .open = export_firefox_open,
};

/* SPDX-License-Identifier: MIT
 *
 * Exports of arbitrary bytes. A LoliProfiler or MemTracer capture is also the original that names
 * are written back into, with a name for each of its locations; anything else goes into one of
 * the formats of stacks, chosen by its length.
 */
#include "lib/export/export.h"
#include "lib/group/metric.h"
#include "tests/fuzz/reading.h"

#include <string.h>

struct naming {
	struct sink sink, *to;
};

static enum status begin(struct sink *s, struct trace *t, struct err *e)
{
	struct naming *x = (struct naming *)s;

	return x->to->begin(x->to, t, e);
}

static enum status batch(struct sink *s, struct trace *t, const struct sink_batch *b, struct err *e)
{
	struct naming *x = (struct naming *)s;

	return x->to->batch(x->to, t, b, e);
}

static enum status end(struct sink *s, struct trace *t, struct err *e)
{
	struct naming *x = (struct naming *)s;
	struct trace_symbols *y = &t->symbols;
	uint32_t name = trace_symbol_string(t, "na;me \"\n\xff\xf0\x9f\x98\x80", 14);
	uint32_t object = symbols_object(y, &(struct symbol_object){.name = name});
	uint32_t function = symbols_function(y, &(struct symbol_function){name, name});
	uint32_t call = symbols_call(y, &(struct symbol_call){.function = function, .line = 7});

	for (uint32_t i = 1; i < t->n_locations; i++)
		if (t->locations[i].space < SPACE_NAME)
			symbols_bind(y, i,
				     &(struct binding){.vaddr = i,
						       .object = object,
						       .call = call,
						       .reason = REASON_RESOLVED,
						       .tier = TIER_NAME});
	return x->to->end(x->to, t, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const formats[] = {"pprof",  "folded",      "speedscope", "chrome",
					      "sqlite", "loli-stream", "memtracer",  "maps"};
	struct err e = ERR_INIT;
	struct input in = {0}, original = {0};
	const char *file = "fuzz";
	struct export_options o = {
	    .file = &file, .path = ":memory:", .sort = SORT_AUTO, .domain = EXPORT_DOMAIN_ALL};
	struct reading_sink checked;
	struct naming naming = {.sink = {.begin = begin, .batch = batch, .end = end}};
	struct import_options io = {0};
	const struct reader *reader;
	const char *format;
	FILE *out = fopen("/dev/null", "w");
	struct export *x;
	bool lossy;
	int bid;

	if (!out)
		return 0;
	reader = reader_by_bid(data, n, true, &bid);
	format = formats[n % (sizeof formats / sizeof *formats)];
	if (reader && !strcmp(reader->name, "loli"))
		format = "loli";
	else if (reader && !strcmp(reader->name, "memtracer"))
		format = "mem";
	o.events = o.types = n & 1;
	input_memory(&in, "fuzz", data, n, &e);
	input_memory(&original, "original", data, n, &e);
	o.original = &original.cur;
	x = exporter_by_name(format)->open(&o, out, &e);
	if (!x)
		abort();
	naming.to = x->sink;
	reading_sink_init(&checked, NULL,
			  *format == 'l' || *format == 'm' ? &naming.sink : x->sink);
	checked.trace = true; /* or anything else */
	if (!capture_read(&in, &io, &checked.sink, &lossy, &e)) {
		e = (struct err)ERR_INIT;
		if (x->finish(x, &e) && !e.msg[0])
			abort();
	}
	x->free(x);
	input_close(&in);
	input_close(&original);
	fclose(out);
	return 0;
}

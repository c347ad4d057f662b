/* SPDX-License-Identifier: MIT
 *
 * The functions of tracemill/deprecated.h, by their new names.
 */
#include "lib/library/tracemill/symbolize_trace.h"

void tracemill_symbolizer_abandon(struct tracemill_symbolizer *s)
{
	tracemill_symbolizer_exit(s);
}

enum tracemill_status tracemill_expect(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary)
{
	return tracemill_prefetch(s, binary);
}

enum tracemill_status tracemill_intact(struct tracemill_symbolizer *s)
{
	return tracemill_check_files(s);
}

const char *tracemill_complaint(struct tracemill_symbolizer *s)
{
	return tracemill_next_warning(s);
}

const char *tracemill_told(struct tracemill_symbolizer *s, enum tracemill_topic topic,
			   enum tracemill_severity *severity)
{
	return tracemill_next_message(s, topic, severity);
}

enum tracemill_status tracemill_naming_new(struct tracemill_symbolizer *s,
					   const struct tracemill_trace_symbolizer_options *options,
					   struct tracemill_trace_symbolizer **t)
{
	return tracemill_trace_symbolizer_new(s, options, t);
}

enum tracemill_status tracemill_naming_maps(struct tracemill_trace_symbolizer *t, const char *text,
					    size_t n)
{
	return tracemill_trace_symbolizer_maps(t, text, n);
}

enum tracemill_status tracemill_naming_scan(struct tracemill_trace_symbolizer *t,
					    const struct tracemill_stream *from,
					    struct tracemill_scanned *scanned)
{
	return tracemill_trace_symbolizer_scan(t, from, scanned);
}

enum tracemill_status tracemill_naming_copy(struct tracemill_trace_symbolizer *t, int fd)
{
	return tracemill_trace_symbolizer_copy(t, fd);
}

enum tracemill_status tracemill_naming_capture(struct tracemill_trace_symbolizer *t, size_t i,
					       struct tracemill_capture *capture)
{
	return tracemill_trace_symbolizer_capture(t, i, capture);
}

enum tracemill_status tracemill_naming_coverage(struct tracemill_trace_symbolizer *t,
						size_t capture, size_t binary,
						struct tracemill_coverage *coverage)
{
	return tracemill_trace_symbolizer_coverage(t, capture, binary, coverage);
}

enum tracemill_status tracemill_naming_file(struct tracemill_trace_symbolizer *t, size_t i,
					    struct tracemill_file *file)
{
	return tracemill_trace_symbolizer_file(t, i, file);
}

enum tracemill_status tracemill_naming_module(struct tracemill_trace_symbolizer *t, size_t i,
					      struct tracemill_module *module)
{
	return tracemill_trace_symbolizer_module(t, i, module);
}

enum tracemill_status tracemill_naming_explain_modules(struct tracemill_trace_symbolizer *t,
						       const char **text, size_t *n)
{
	return tracemill_trace_symbolizer_explain_modules(t, text, n);
}

enum tracemill_status tracemill_naming_explain(struct tracemill_trace_symbolizer *t, size_t capture,
					       uint32_t location, const char **text, size_t *n)
{
	return tracemill_trace_symbolizer_explain(t, capture, location, text, n);
}

enum tracemill_status tracemill_naming_times(struct tracemill_trace_symbolizer *t,
					     struct tracemill_times *times)
{
	return tracemill_trace_symbolizer_times(t, times);
}

enum tracemill_status tracemill_naming_binary_times(struct tracemill_trace_symbolizer *t, size_t i,
						    struct tracemill_binary_times *times)
{
	return tracemill_trace_symbolizer_binary_times(t, i, times);
}

enum tracemill_status tracemill_naming_text(struct tracemill_trace_symbolizer *t, const char *text,
					    size_t n, const char **named, size_t *n_named)
{
	return tracemill_trace_symbolizer_text(t, text, n, named, n_named);
}

enum tracemill_status tracemill_naming_text_end(struct tracemill_trace_symbolizer *t,
						struct tracemill_text_sums *sums)
{
	return tracemill_trace_symbolizer_text_end(t, sums);
}

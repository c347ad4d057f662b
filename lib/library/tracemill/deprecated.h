/* SPDX-License-Identifier: MIT
 *
 * The old names of libtracemill's interface, which stay for one version: programs that use them compile, with
 * warnings, and programs that were linked with them run. The next minor version removes this header. Included by
 * symbolize.h and symbolize_trace.h.
 */
#ifndef TRACEMILL_DEPRECATED_H
#define TRACEMILL_DEPRECATED_H

#include "symbolize.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Types and constants. */
#define tracemill_about          tracemill_topic
#define tracemill_weight         tracemill_severity
#define tracemill_why            tracemill_outcome
#define tracemill_naming         tracemill_trace_symbolizer
#define tracemill_naming_flags   tracemill_trace_symbolizer_flags
#define tracemill_naming_options tracemill_trace_symbolizer_options
#define TRACEMILL_ABOUT_CACHE    TRACEMILL_TOPIC_CACHE
#define TRACEMILL_ABOUT_SEARCH   TRACEMILL_TOPIC_SEARCH
#define TRACEMILL_ABOUT_MANAGED  TRACEMILL_TOPIC_MANAGED
#define TRACEMILL_ABOUT_MET      TRACEMILL_TOPIC_ARCHIVES
#define TRACEMILL_ABOUT_VERIFY   TRACEMILL_TOPIC_VERIFY

#define TRACEMILL_RENAMED(name) __attribute__((deprecated("the new name is " #name)))

struct tracemill_binary_times;
struct tracemill_capture;
struct tracemill_coverage;
struct tracemill_file;
struct tracemill_module;
struct tracemill_trace_symbolizer;
struct tracemill_trace_symbolizer_options;
struct tracemill_scanned;
struct tracemill_stream;
struct tracemill_text_sums;
struct tracemill_times;

TRACEMILL_RENAMED(tracemill_symbolizer_exit)
void tracemill_symbolizer_abandon(struct tracemill_symbolizer *s);
TRACEMILL_RENAMED(tracemill_prefetch)
enum tracemill_status tracemill_expect(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary);
TRACEMILL_RENAMED(tracemill_check_files)
enum tracemill_status tracemill_intact(struct tracemill_symbolizer *s);
TRACEMILL_RENAMED(tracemill_next_warning)
const char *tracemill_complaint(struct tracemill_symbolizer *s);
TRACEMILL_RENAMED(tracemill_next_message)
const char *tracemill_told(struct tracemill_symbolizer *s, enum tracemill_topic topic,
			   enum tracemill_severity *severity);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_new)
enum tracemill_status tracemill_naming_new(struct tracemill_symbolizer *s,
					   const struct tracemill_trace_symbolizer_options *options,
					   struct tracemill_trace_symbolizer **t);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_maps)
enum tracemill_status tracemill_naming_maps(struct tracemill_trace_symbolizer *t, const char *text,
					    size_t n);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_scan)
enum tracemill_status tracemill_naming_scan(struct tracemill_trace_symbolizer *t,
					    const struct tracemill_stream *from,
					    struct tracemill_scanned *scanned);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_copy)
enum tracemill_status tracemill_naming_copy(struct tracemill_trace_symbolizer *t, int fd);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_capture)
enum tracemill_status tracemill_naming_capture(struct tracemill_trace_symbolizer *t, size_t i,
					       struct tracemill_capture *capture);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_coverage)
enum tracemill_status tracemill_naming_coverage(struct tracemill_trace_symbolizer *t,
						size_t capture, size_t binary,
						struct tracemill_coverage *coverage);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_file)
enum tracemill_status tracemill_naming_file(struct tracemill_trace_symbolizer *t, size_t i,
					    struct tracemill_file *file);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_module)
enum tracemill_status tracemill_naming_module(struct tracemill_trace_symbolizer *t, size_t i,
					      struct tracemill_module *module);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_explain_modules)
enum tracemill_status tracemill_naming_explain_modules(struct tracemill_trace_symbolizer *t,
						       const char **text, size_t *n);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_explain)
enum tracemill_status tracemill_naming_explain(struct tracemill_trace_symbolizer *t, size_t capture,
					       uint32_t location, const char **text, size_t *n);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_times)
enum tracemill_status tracemill_naming_times(struct tracemill_trace_symbolizer *t,
					     struct tracemill_times *times);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_binary_times)
enum tracemill_status tracemill_naming_binary_times(struct tracemill_trace_symbolizer *t, size_t i,
						    struct tracemill_binary_times *times);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_text)
enum tracemill_status tracemill_naming_text(struct tracemill_trace_symbolizer *t, const char *text,
					    size_t n, const char **named, size_t *n_named);
TRACEMILL_RENAMED(tracemill_trace_symbolizer_text_end)
enum tracemill_status tracemill_naming_text_end(struct tracemill_trace_symbolizer *t,
						struct tracemill_text_sums *sums);

#undef TRACEMILL_RENAMED
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 *
 * libtracemill, through its public interface: the input is a binary, in which its first addresses
 * are looked up, and a trace, which is read, and named by the binary, and the text of a process's maps,
 * and a log.
 */
#include "lib/library/tracemill/symbolize_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { QUERIES = 64 };

static size_t read_all(struct tracemill_symbolizer *s, struct tracemill_query *q, size_t n)
{
	struct tracemill_views v = {0};
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (tracemill_view(s, &q[i], 1, &v))
			abort();
		for (uint32_t k = 0; k < v.first[1]; k++) {
			const struct tracemill_call *c = &v.calls[k];
			char shown[256];

			sum += tracemill_demangle(c->function, c->n_function, shown, sizeof shown);
			for (size_t at = 0; at < c->n_file; at++)
				sum += (unsigned char)c->file[at];
		}
	}
	tracemill_views_release(&v);
	return sum;
}

/* All that is not a batch, at one address. */
static size_t ask_besides(struct tracemill_symbolizer *s, const struct tracemill_query *q)
{
	struct tracemill_symbol symbol = {.size = sizeof symbol};
	struct tracemill_views v = {0};
	const struct tracemill_local *locals = NULL;
	struct tracemill_binary *b = NULL;
	const char *text = NULL;
	uint64_t at = 0;
	size_t n = 0, sum = 0;

	if (tracemill_resolved(s, q, &b, &at) || !b)
		return 0;
	for (int table = TRACEMILL_CODE; table <= TRACEMILL_DATA; table++)
		if (!tracemill_symbol_at(s, b, (enum tracemill_table)table, at, &symbol))
			sum += strlen(symbol.name) + strlen(symbol.file) +
			       strlen(symbol.declared_file) + symbol.bytes;
	if (!tracemill_symbol_named(s, b, symbol.name ? symbol.name : "main",
				    symbol.name ? strlen(symbol.name) : 4, 0, &symbol))
		sum += symbol.address;
	if (!tracemill_locals(s, b, at, &locals, &n))
		for (size_t i = 0; i < n; i++)
			sum += (locals[i].name ? strlen(locals[i].name) : 0) +
			       (locals[i].file ? strlen(locals[i].file) : 0);
	if (!tracemill_explain_binary(s, b, &text, &n))
		sum += strlen(text) == n;
	if (!tracemill_explain(s, q, &text, &n))
		sum += strlen(text) == n;
	if (tracemill_view(s, q, 1, &v))
		abort();
	for (uint32_t k = 0; k < v.first[1]; k++) {
		struct tracemill_details d = {.size = sizeof d};

		if (tracemill_call_details(s, &v.calls[k], &d))
			abort();
		sum += strlen(d.function) + strlen(d.linkage) + strlen(d.name) + strlen(d.file);
	}
	tracemill_views_release(&v);
	return sum;
}

/* What is made of answers, and what is asked besides them. */
static void ask_more(const char *path, const uint8_t *data, size_t n)
{
	const struct tracemill_options o = {
	    .size = sizeof o,
	    .flags = TRACEMILL_NO_SYSTEM_DIRS | TRACEMILL_EXPLAIN | TRACEMILL_DEMANGLE |
		     TRACEMILL_DETAILS | TRACEMILL_DECLARED |
		     (n % 2 ? TRACEMILL_LLVM_SPELLING | TRACEMILL_RELATIVE : 0),
	    .threads = 1};
	struct tracemill_binary_facts facts = {.size = sizeof facts};
	struct tracemill_query q[QUERIES / 8];
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;
	volatile size_t sum = 0;

	if (tracemill_symbolizer_new(&s, &o))
		abort();
	if (!tracemill_binary_open(s, path, &b) && !tracemill_prefetch(s, b) &&
	    !tracemill_binary_facts(s, b, &facts)) {
		for (size_t i = 0; i < QUERIES / 8; i++)
			q[i] = (struct tracemill_query){.binary = b,
							.address = facts.code_base + i * 128 +
								   (n ? data[i % n] : 0)};
		if (!tracemill_symbolize(s, q, QUERIES / 8))
			for (size_t i = 0; i < QUERIES / 8; i++)
				sum += ask_besides(s, &q[i]);
	}
	for (int about = TRACEMILL_TOPIC_CACHE; about <= TRACEMILL_TOPIC_ARCHIVES; about++)
		while (tracemill_next_message(s, (enum tracemill_topic)about, NULL))
			;
	tracemill_symbolizer_free(s);
}

static void ask(const char *path, const uint8_t *data, size_t n)
{
	const struct tracemill_options o = {
	    .size = sizeof o, .flags = TRACEMILL_NO_SYSTEM_DIRS, .threads = 2};
	struct tracemill_query q[QUERIES];
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;
	struct tracemill_process *p;
	volatile size_t sum = 0;
	uint64_t at[QUERIES];

	if (tracemill_symbolizer_new(&s, &o))
		abort();
	for (size_t i = 0; i < QUERIES; i++)
		at[i] = i * 16 + (n ? data[i % n] : 0);
	if (!tracemill_binary_open(s, path, &b)) {
		struct tracemill_binary_facts facts = {.size = sizeof facts};

		if (tracemill_binary_facts(s, b, &facts))
			abort();
		for (size_t i = 0; i < QUERIES; i++)
			q[i] = (struct tracemill_query){.binary = b, .address = facts.base + at[i]};
		if (!tracemill_symbolize(s, q, QUERIES))
			sum += read_all(s, q, QUERIES);
		while (tracemill_next_warning(s))
			;
	}
	if (!tracemill_process_new(s, &p)) {
		tracemill_process_maps(p, (const char *)data, n);
		if (!tracemill_bind(p, at, QUERIES, TRACEMILL_RETURN, q) &&
		    !tracemill_symbolize(s, q, QUERIES))
			sum += read_all(s, q, QUERIES);
	}
	tracemill_symbolizer_free(s);
}

/* What came of a stream, text of it all. */
static size_t read_named(struct tracemill_trace_symbolizer *m)
{
	struct tracemill_capture t = {.size = sizeof t};
	struct tracemill_coverage c = {.size = sizeof c};
	struct tracemill_file f = {.size = sizeof f};
	struct tracemill_module of = {.size = sizeof of};
	struct tracemill_note note;
	const char *text;
	size_t sum = 0, length;

	for (size_t i = 0; !tracemill_trace_symbolizer_capture(m, i, &t); i++) {
		for (size_t k = 0; tracemill_trace_note(t.trace, k, &note); k++)
			sum += strlen(note.text);
		for (size_t k = 0; !tracemill_trace_symbolizer_coverage(m, i, k, &c); k++)
			if (c.lines + c.names + c.modules + c.nothing != c.n)
				abort();
		for (uint32_t k = 1; k <= t.n_locations && k <= QUERIES; k++)
			if (tracemill_trace_symbolizer_explain(m, i, k, &text, &length) ||
			    strlen(text) != length)
				abort();
	}
	for (size_t i = 0; !tracemill_trace_symbolizer_file(m, i, &f); i++)
		sum += strlen(f.path) + strlen(f.why) + strlen(f.debug_path);
	for (size_t i = 0; !tracemill_trace_symbolizer_module(m, i, &of); i++)
		sum += strlen(of.name) + of.reason;
	return sum;
}

static void name(const char *path, int fd, const uint8_t *data, size_t n)
{
	const struct tracemill_options o = {
	    .size = sizeof o, .flags = TRACEMILL_NO_SYSTEM_DIRS | TRACEMILL_EXPLAIN, .threads = 1};
	const struct tracemill_trace_symbolizer_options naming = {
	    .size = sizeof naming,
	    .flags = TRACEMILL_NO_CAPTURED_PATHS | (n % 2 ? TRACEMILL_FIND_SLIDES : 0),
	    .files = &path,
	    .n_files = 1};
	const struct tracemill_stream from = {.size = sizeof from, .fd = fd};
	struct tracemill_symbolizer *s;
	struct tracemill_trace_symbolizer *m;
	int out = memfd_create("named", MFD_CLOEXEC);
	const char *text;
	size_t length;
	volatile size_t sum = 0;

	if (out < 0 || tracemill_symbolizer_new(&s, &o) ||
	    tracemill_trace_symbolizer_new(s, &naming, &m))
		abort();
	tracemill_trace_symbolizer_maps(m, (const char *)data, n);
	lseek(fd, 0, SEEK_SET);
	if (!tracemill_trace_symbolizer_scan(m, &from, NULL)) {
		sum += read_named(m);
		if (tracemill_trace_symbolizer_copy(m, out))
			sum += strlen(tracemill_error(s));
	}
	if (!tracemill_trace_symbolizer_text(m, (const char *)data, n, &text, &length))
		sum += strlen(text) <= length;
	tracemill_trace_symbolizer_text_end(m, NULL);
	close(out);
	tracemill_symbolizer_free(s);
}

static bool take(void *arg, const struct tracemill_trace *t, const struct tracemill_event *events,
		 size_t n)
{
	size_t *sum = arg;

	for (size_t i = 0; i < n; i++) {
		uint32_t stack = events[i].stack, location;
		const char *unit;

		*sum += strlen(tracemill_trace_type(t, events[i].type)) +
			strlen(tracemill_trace_marker(t, events[i].type)) +
			strlen(tracemill_trace_counter(t, events[i].type, &unit)) +
			tracemill_trace_thread(t, events[i].thread).id;
		while (stack && (location = tracemill_trace_stack(t, stack, &stack))) {
			struct tracemill_location l = tracemill_trace_location(t, location);
			struct tracemill_call calls[8];
			size_t k = tracemill_trace_calls(t, location, true, calls, 8);

			*sum += strlen(tracemill_trace_module(t, l.module));
			while (k-- > 0)
				*sum += k < 8 ? calls[k].n_function + calls[k].line : 0;
		}
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct tracemill_receiver receiver = {.size = sizeof receiver, .events = take};
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[64], error[200];
	size_t sum = 0;

	if (fd < 0 || (n && write(fd, data, n) != (ssize_t)n))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ask(path, data, n);
	ask_more(path, data, n);
	name(path, fd, data, n);
	tracemill_trace_read(path, &receiver, &sum, error, sizeof error);
	close(fd);
	return 0;
}

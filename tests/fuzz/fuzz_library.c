/* SPDX-License-Identifier: MIT
 *
 * libtracemill, through its public interface: the input is a binary, in which its first addresses
 * are looked up, and a trace, and the text of a process's maps.
 */
#include "lib/library/tracemill/trace.h"

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
		while (tracemill_complaint(s))
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
	tracemill_trace_read(path, &receiver, &sum, error, sizeof error);
	close(fd);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A crash pipeline's step: a trace on standard input -> the same with names on standard output, and how
 * much of it has some on standard error. Debug files are below the folders that are given.
 *
 *     cc -o names names.c $(pkg-config --cflags --libs tracemill)
 */
#include <tracemill/symbolize_trace.h>

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct tracemill_options options = {.size = sizeof options,
						  .debug_dirs = (const char *const *)argv + 1,
						  .n_debug_dirs = argc > 1 ? (size_t)argc - 1 : 0};
	const struct tracemill_stream from = {.size = sizeof from, .fd = STDIN_FILENO};
	struct tracemill_coverage c = {.size = sizeof c};
	struct tracemill_symbolizer *s;
	struct tracemill_trace_symbolizer *n;
	int status;

	if (tracemill_symbolizer_new(&s, &options))
		return 2;
	status = tracemill_trace_symbolizer_new(s, NULL, &n);
	if (!status)
		status = tracemill_trace_symbolizer_scan(n, &from, NULL);
	if (!status && !tracemill_trace_symbolizer_coverage(n, 0, 0, &c))
		fprintf(stderr, "names: %llu of %llu locations have a name\n",
			(unsigned long long)(c.lines + c.names), (unsigned long long)c.n);
	if (!status)
		status = tracemill_trace_symbolizer_copy(n, STDOUT_FILENO);
	if (status)
		fprintf(stderr, "names: %s\n", tracemill_error(s));
	tracemill_symbolizer_free(s);
	return status != 0;
}

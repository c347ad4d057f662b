/* SPDX-License-Identifier: MIT
 *
 * Addresses of a binary, in hexadecimal on standard input -> functions, files and lines, as
 * addr2line -fi prints them:
 *
 *     cc -o symbolize symbolize.c $(pkg-config --cflags --libs tracemill)
 */
#include <tracemill/symbolize.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;
	struct tracemill_query *q = NULL;
	struct tracemill_views v = {0};
	size_t n = 0, room = 0;
	char line[64];

	if (argc != 2 || tracemill_symbolizer_new(&s, NULL))
		return 2;
	if (tracemill_binary_open(s, argv[1], &b)) {
		fprintf(stderr, "%s: %s\n", argv[1], tracemill_error(s));
		return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		if (n == room)
			q = realloc(q, (room = room * 2 + 1024) * sizeof *q);
		q[n++] = (struct tracemill_query){.binary = b, .address = strtoull(line, NULL, 16)};
	}
	if (tracemill_symbolize(s, q, n)) {
		fprintf(stderr, "%s: %s\n", argv[1], tracemill_error(s));
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (tracemill_view(s, &q[i], 1, &v))
			return 1;
		if (!v.first[1])
			puts("??\n??:0");
		for (uint32_t k = 0; k < v.first[1]; k++) {
			const struct tracemill_call *c = &v.calls[k];

			printf("%.*s\n%.*s:%u\n", c->n_function ? (int)c->n_function : 2,
			       c->n_function ? c->function : "??", c->n_file ? (int)c->n_file : 2,
			       c->n_file ? c->file : "??", c->line);
		}
	}
	tracemill_views_release(&v);
	free(q);
	tracemill_symbolizer_free(s);
	return 0;
}

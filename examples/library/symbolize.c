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

static struct tracemill_query *read_queries(struct tracemill_binary *b, size_t *n)
{
	struct tracemill_query *q = NULL;
	size_t room = 0;
	char line[64];

	for (*n = 0; fgets(line, sizeof line, stdin); ++*n) {
		if (*n == room)
			q = realloc(q, (room = room * 2 + 1024) * sizeof *q);
		q[*n] = (struct tracemill_query){.binary = b, .address = strtoull(line, NULL, 16)};
	}
	return q;
}

static int print(struct tracemill_symbolizer *s, const struct tracemill_query *q, size_t n)
{
	struct tracemill_views v = {0};
	int status = 0;

	for (size_t i = 0; !status && i < n; i++) {
		status = tracemill_view(s, &q[i], 1, &v);
		if (!status && !v.first[1])
			puts("??\n??:0");
		for (uint32_t k = 0; !status && k < v.first[1]; k++) {
			const struct tracemill_call *c = &v.calls[k];

			printf("%.*s\n%.*s:%u\n", c->n_function ? (int)c->n_function : 2,
			       c->n_function ? c->function : "??", c->n_file ? (int)c->n_file : 2,
			       c->n_file ? c->file : "??", c->line);
		}
	}
	tracemill_views_release(&v);
	return status;
}

int main(int argc, char **argv)
{
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;
	struct tracemill_query *q = NULL;
	size_t n;
	int status;

	if (argc != 2 || tracemill_symbolizer_new(&s, NULL))
		return 2;
	status = tracemill_binary_open(s, argv[1], &b);
	if (!status) {
		q = read_queries(b, &n);
		status = tracemill_symbolize(s, q, n);
	}
	if (!status)
		status = print(s, q, n);
	if (status)
		fprintf(stderr, "%s: %s\n", argv[1], tracemill_error(s));
	free(q);
	tracemill_symbolizer_free(s);
	return status != 0;
}

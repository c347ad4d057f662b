/* SPDX-License-Identifier: MIT
 *
 * A pool's allocations as a trace, and back: `trace write >x.tmt`, then `tm-top x.tmt` or
 * `trace read x.tmt`.
 *
 *     cc -o trace trace.c $(pkg-config --cflags --libs tracemill)
 */
#include <tracemill/trace.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint32_t named(struct tracemill_writer *w, const char *function)
{
	struct tracemill_location l = {.space = TRACEMILL_NAME};

	l.name = tracemill_writer_string(w, function, strlen(function));
	return tracemill_writer_location(w, &l);
}

/* 1000 meshes of 48 bytes, of which every second one is freed. */
static int write_trace(void)
{
	struct tracemill_writer *w;
	struct tracemill_event e = {.domain = TRACEMILL_POOL, .requested = 48};
	int status = 0;

	if (tracemill_writer_new(&w, STDOUT_FILENO))
		return 1;
	tracemill_writer_sums(w,
			      TRACEMILL_SUM_COUNT | TRACEMILL_SUM_REQUESTED | TRACEMILL_SUM_LIVE);
	e.type = tracemill_writer_type(w, "Mesh", 4);
	e.stack = tracemill_writer_stack(w, 0, named(w, "main"));
	e.stack = tracemill_writer_stack(w, e.stack, named(w, "load_meshes"));
	for (int i = 0; i < 1000; i++) {
		e.kind = TRACEMILL_ALLOC;
		e.has = TRACEMILL_HAS_ADDRESS | TRACEMILL_HAS_REQUESTED | TRACEMILL_HAS_TYPE |
			TRACEMILL_HAS_STACK | TRACEMILL_HAS_DOMAIN;
		e.address = 0x10000 + 64 * (uint64_t)i;
		tracemill_writer_event(w, &e);
		e.kind = TRACEMILL_FREE;
		e.has = TRACEMILL_HAS_ADDRESS | TRACEMILL_HAS_DOMAIN;
		if (i % 2)
			tracemill_writer_event(w, &e);
	}
	/* errors stick: the last call knows of all */
	if (tracemill_writer_finish(w)) {
		fprintf(stderr, "trace: %s\n", tracemill_writer_error(w));
		status = 1;
	}
	tracemill_writer_free(w);
	return status;
}

struct sums {
	uint64_t blocks, bytes;
};

static bool add(void *arg, const struct tracemill_trace *t, const struct tracemill_event *e,
		size_t n)
{
	struct sums *s = arg;

	(void)t;
	for (size_t i = 0; i < n; i++)
		if (e[i].kind == TRACEMILL_ALLOC) {
			s->blocks += e[i].count;
			s->bytes += e[i].requested;
		}
	return true;
}

static int read_trace(const char *path)
{
	const struct tracemill_receiver receiver = {.size = sizeof receiver, .events = add};
	struct sums sums = {0, 0};
	char error[400];
	int status = 0;

	if (tracemill_trace_read(path, &receiver, &sums, error, sizeof error)) {
		fprintf(stderr, "%s: %s\n", path, error);
		status = 1;
	}
	printf("%llu blocks, %llu bytes\n", (unsigned long long)sums.blocks,
	       (unsigned long long)sums.bytes);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "write"))
		return write_trace();
	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_trace(argv[2]);
	fputs("usage: trace write | trace read FILE\n", stderr);
	return 2;
}

/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out at each allocation of a batch in turn: the call says so, the same handle
 * then gives the same answers as without, and nothing stays behind (descriptors here; memory by who
 * runs it).
 *
 *     failures BINARY ADDRESSES STEP
 *
 * Prints what is wrong, and in the last line how many allocations there were and how many failed.
 */
#include "lib/base/zone.h"
#include "lib/library/tracemill/symbolize.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
	uint64_t *addresses;
	struct tracemill_query *queries;
	size_t n;
	const char *path;
	char maps[1 << 20];
	size_t n_maps;
};

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void read_addresses(struct batch *b, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[64];

	b->addresses = calloc(100000, sizeof *b->addresses);
	b->queries = calloc(100000, sizeof *b->queries);
	while (f && b->addresses && b->n < 100000 && fgets(line, sizeof line, f))
		b->addresses[b->n++] = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	f = fopen("/proc/self/maps", "r");
	b->n_maps = f ? fread(b->maps, 1, sizeof b->maps, f) : 0;
	if (f)
		fclose(f);
}

static enum tracemill_status ask(struct tracemill_symbolizer *s, struct batch *b)
{
	struct tracemill_binary *binary;
	enum tracemill_status st = tracemill_binary_open(s, b->path, &binary);

	for (size_t i = 0; !st && i < b->n; i++)
		b->queries[i] =
		    (struct tracemill_query){.binary = binary, .address = b->addresses[i]};
	return st ? st : tracemill_symbolize(s, b->queries, b->n);
}

static enum tracemill_status ask_process(struct tracemill_symbolizer *s, const struct batch *b)
{
	const uint64_t here[2] = {(uintptr_t)descriptors, (uintptr_t)ask};
	struct tracemill_query two[2];
	struct tracemill_process *p;
	enum tracemill_status st = tracemill_process_new(s, &p);

	if (!st)
		st = tracemill_process_maps(p, b->maps, b->n_maps);
	if (!st)
		st = tracemill_bind(p, here, 2, TRACEMILL_EXACT, two);
	return st ? st : tracemill_symbolize(s, two, 2);
}

static uint64_t hash_of(struct tracemill_symbolizer *s, const struct batch *b)
{
	struct tracemill_views v = {0};
	uint64_t h = 5381;

	for (size_t i = 0; i < b->n; i++) {
		if (tracemill_view(s, &b->queries[i], 1, &v))
			return 0;
		for (uint32_t k = 0; k < v.first[1]; k++) {
			for (size_t c = 0; c < v.calls[k].n_function; c++)
				h = h * 33 + (unsigned char)v.calls[k].function[c];
			h = h * 33 + v.calls[k].line;
		}
	}
	tracemill_views_release(&v);
	return h;
}

int main(int argc, char **argv)
{
	static struct batch b;
	size_t step = argc > 3 ? strtoul(argv[3], NULL, 10) : 1, total = 0, failed = 0;
	uint64_t want = 0;
	int wrong = 0;

	b.path = argv[1];
	read_addresses(&b, argv[2]);
	for (size_t k = 0; k <= total; k += k ? step : 1) {
		struct tracemill_symbolizer *s;
		enum tracemill_status st;
		int before = descriptors();

		if (tracemill_symbolizer_new(&s, NULL))
			return 1;
		zone_fail_at(k);
		st = ask(s, &b);
		if (!st)
			st = ask_process(s, &b);
		/* threads do not take the same turns each time: the last ones may not be reached */
		if (!k)
			total = zone_allocations();
		else if (st != TRACEMILL_MEMORY && zone_allocations() >= k)
			wrong += printf("%zu: status %d, %s\n", k, (int)st, tracemill_error(s));
		zone_fail_at(0);
		failed += st == TRACEMILL_MEMORY;
		if (ask(s, &b))
			wrong += printf("%zu, again: %s\n", k, tracemill_error(s));
		if (!k)
			want = hash_of(s, &b);
		else if (hash_of(s, &b) != want)
			wrong += printf("%zu, again: other answers\n", k);
		tracemill_symbolizer_free(s);
		if (descriptors() != before)
			wrong += printf("%zu: %d descriptors, were %d\n", k, descriptors(), before);
	}
	free(b.addresses);
	free(b.queries);
	printf("%zu allocations, %zu failed\n", total, failed);
	return wrong != 0;
}

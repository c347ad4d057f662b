/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out at each allocation of a batch in turn: the call says so, the same handle
 * then gives the same answers as without, and nothing stays behind (descriptors here; memory by who
 * runs it).
 *
 *     failures BINARY ADDRESSES STEP [more]
 *
 * Prints what is wrong, and in the last line how many allocations there were and how many failed.
 */
#include "lib/base/resource_scope.h"
#include "lib/library/tracemill/symbolize.h"
#include "tests/library/descriptors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
	bool more; /* all functions, and options that make something of the answers */
	uint64_t *addresses;
	struct tracemill_query *queries;
	size_t n;
	const char *path;
	char maps[1 << 20];
	size_t n_maps;
};

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

/* That nothing is there is an answer. */
static enum tracemill_status answered(enum tracemill_status st)
{
	return st == TRACEMILL_NOTHING ? TRACEMILL_OK : st;
}

/* What is asked besides answers: each may fail as a batch may. */
static enum tracemill_status ask_more(struct tracemill_symbolizer *s, struct batch *b)
{
	struct tracemill_symbol symbol = {.size = sizeof symbol, .name = "main"};
	const struct tracemill_local *locals;
	struct tracemill_binary *binary;
	enum tracemill_status st = tracemill_binary_open(s, b->path, &binary);
	const char *text;
	uint64_t at;
	size_t n;

	if (!st)
		st = tracemill_prefetch(s, binary);
	if (!st)
		st = ask(s, b);
	/* one at a time, so often that what is decoded is kept; and nothing of it any more */
	for (size_t i = 0; !st && i < 8; i++)
		st = tracemill_symbolize(s, b->queries, 1);
	if (!st)
		st = tracemill_binary_close(s, binary);
	if (!st)
		st = ask(s, b);
	if (!st)
		st = tracemill_resolved(s, &b->queries[0], &binary, &at);
	for (int table = TRACEMILL_CODE; !st && table <= TRACEMILL_DATA; table++)
		st = answered(
		    tracemill_symbol_at(s, binary, (enum tracemill_table)table, at, &symbol));
	if (!st)
		st = answered(tracemill_symbol_named(s, binary, symbol.name, strlen(symbol.name), 0,
						     &symbol));
	if (!st)
		st = tracemill_locals(s, binary, at, &locals, &n);
	if (!st)
		st = tracemill_explain_binary(s, binary, &text, &n);
	if (!st)
		st = tracemill_explain(s, &b->queries[0], &text, &n);
	for (int about = TRACEMILL_TOPIC_CACHE; !st && about <= TRACEMILL_TOPIC_ARCHIVES; about++)
		while (tracemill_next_message(s, (enum tracemill_topic)about, NULL))
			;
	return st || !*tracemill_error(s) ? st : TRACEMILL_MEMORY;
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
			struct tracemill_details d = {.size = sizeof d};

			if (b->more && tracemill_call_details(s, &v.calls[k], &d))
				return 0;
			for (const char *c = b->more ? d.linkage : ""; *c; c++)
				h = h * 33 + (unsigned char)*c;
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
	const struct tracemill_options all = {
	    .size = sizeof all,
	    .flags = TRACEMILL_EXPLAIN | TRACEMILL_DEMANGLE | TRACEMILL_DETAILS |
		     TRACEMILL_DECLARED | TRACEMILL_LLVM_SPELLING | TRACEMILL_REFERENCE_ENGINE};
	static struct batch b;
	size_t step = argc > 3 ? strtoul(argv[3], NULL, 10) : 1, total = 0, failed = 0;
	uint64_t want = 0;
	int wrong = 0;

	b.path = argv[1];
	b.more = argc > 4;
	read_addresses(&b, argv[2]);
	for (size_t k = 0; k <= total; k += k ? step : 1) {
		struct tracemill_symbolizer *s;
		enum tracemill_status st;
		int before = descriptors();

		if (tracemill_symbolizer_new(&s, b.more ? &all : NULL))
			return 1;
		resource_scope_fail_at(k);
		st = b.more ? ask_more(s, &b) : ask(s, &b);
		if (!st)
			st = ask_process(s, &b);
		/* threads do not take the same turns each time: the last ones may not be reached */
		if (!k)
			total = resource_scope_allocations();
		else if (st != TRACEMILL_MEMORY && resource_scope_allocations() >= k)
			wrong += printf("%zu: status %d, %s\n", k, (int)st, tracemill_error(s));
		resource_scope_fail_at(0);
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

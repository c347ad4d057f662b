/* SPDX-License-Identifier: MIT
 *
 * Addresses to ask about, one 0x... per line, for benchmarks and differential tests.
 *
 *	addresses [-n COUNT] [-s SEED] [-a] FILE
 *
 * COUNT (1000) different addresses inside functions of FILE that have a size, every byte of code
 * as likely as any other, in random order; the same ones for the same SEED and symbols. Fewer
 * when there is less code than twice that. -a: before them every function's first address, in
 * ascending order.
 */
#include "lib/base/mem.h"
#include "lib/object/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t state;

static uint64_t random_below(uint64_t n) /* splitmix64; the bias of % does not matter here */
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % n;
}

struct piece {
	uint64_t lo, before; /* bytes of code in the pieces before this one */
};

/* Code of the symbols, no byte twice. */
static uint64_t code(const struct object_symbol *symbols, size_t n, struct piece *pieces,
		     size_t *n_pieces)
{
	uint64_t end = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t lo = symbols[i].lo > end ? symbols[i].lo : end;

		if (!symbols[i].sized || symbols[i].hi <= lo)
			continue;
		pieces[(*n_pieces)++] = (struct piece){lo, total};
		total += symbols[i].hi - lo;
		end = symbols[i].hi;
	}
	return total;
}

static uint64_t at(const struct piece *pieces, size_t n, uint64_t offset)
{
	size_t lo = 0;

	for (size_t hi = n; hi - lo > 1;) {
		size_t mid = lo + (hi - lo) / 2;

		if (pieces[mid].before <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return pieces[lo].lo + (offset - pieces[lo].before);
}

int main(int argc, char **argv)
{
	uint64_t count = 1000, total;
	bool starts = false;
	struct object *object;
	struct err e = ERR_INIT;
	size_t n, n_pieces = 0;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:a")) != -1) {
		if (opt == 'n')
			count = strtoull(optarg, NULL, 10);
		else if (opt == 's')
			state = strtoull(optarg, NULL, 10);
		else if (opt == 'a')
			starts = true;
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: addresses [-n COUNT] [-s SEED] [-a] FILE\n");
		return 2;
	}
	if (object_open(&object, argv[optind], &e)) {
		fprintf(stderr, "addresses: %s: %s\n", argv[optind], e.msg);
		return 3;
	}

	const struct object_symbol *symbols = object_symbols(object, &n);
	struct piece *pieces = mem_array(n, sizeof *pieces);

	total = code(symbols, n, pieces, &n_pieces);
	for (size_t i = 0; starts && i < n; i++) {
		if (symbols[i].sized && (!i || symbols[i - 1].lo != symbols[i].lo))
			printf("0x%" PRIx64 "\n", symbols[i].lo);
	}
	if (count > total / 2)
		count = total / 2;

	uint8_t *taken = mem_zarray(total / 8 + 1, 1);

	while (count) {
		uint64_t offset = random_below(total);

		if (taken[offset / 8] & 1 << offset % 8)
			continue;
		taken[offset / 8] |= (uint8_t)(1 << offset % 8);
		printf("0x%" PRIx64 "\n", at(pieces, n_pieces, offset));
		count--;
	}
	free(taken);
	free(pieces);
	object_free(object);
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}

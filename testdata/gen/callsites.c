/* SPDX-License-Identifier: MIT
 *
 * The call sites of a file by lib/disasm, to be compared with a disassembler's.
 *
 *	callsites FILE           all addresses that follow a call, one per line
 *	callsites FILE -         those addresses of standard input (hexadecimal) that follow one
 *	callsites FILE time N    seconds that N random addresses take, on standard output
 *	callsites FILE lost N    N of them, spread by a generator of the number N, in hexadecimal
 *	callsites FILE find      the slide of the addresses on standard input, each once, ascending
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/find/call_check.h"
#include "lib/find/slide.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void filter(const struct disasm_code *c)
{
	char line[64];

	while (fgets(line, sizeof line, stdin)) {
		uint64_t addr;

		line[strcspn(line, "\n")] = '\0';
		if (num_hex(line, strlen(line), &addr) && code_call_before(c, addr))
			printf("%" PRIx64 "\n", addr);
	}
}

static void clock_it(const struct disasm_code *c, uint64_t n)
{
	struct timespec from, to;
	uint64_t hits;

	clock_gettime(CLOCK_MONOTONIC, &from);
	hits = code_chance(c, n);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.3f s, %" PRIu64 " of %" PRIu64 "\n",
	       (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9, hits,
	       n);
}

/* Each of them once, moved by a slide made of N, with the other low bits a slide has. */
static void lose(const struct disasm_code *c, uint64_t n)
{
	uint64_t *sites, n_sites = code_sites(c, &sites), state = n, left = n_sites;
	uint64_t slide = 0x7f0000000000 + (n * 0x9e3779b97f4a7c15 >> 36 << 12);

	for (uint64_t i = 0; i < n_sites && n; i++, left--) {
		if (lcg_below(&state, left) >= n)
			continue;
		printf("%" PRIx64 "\n", sites[i] + slide);
		n--;
	}
	fprintf(stderr, "%" PRIx64 "\n", slide);
	free(sites);
}

static void find(const struct disasm_code *c)
{
	struct slide_guess g;
	uint64_t *addrs = NULL;
	size_t n = 0, cap = 0;
	char line[64];

	while (fgets(line, sizeof line, stdin)) {
		uint64_t addr;

		line[strcspn(line, "\n")] = '\0';
		if (num_hex(line, strlen(line), &addr))
			VEC_PUSH(addrs, n, cap) = addr;
	}
	slide_find(c, addrs, n, &g);
	printf("%s %" PRIx64 " %" PRIu64 "/%" PRIu64 " next %" PRIu64 "/%" PRIu64 "\n",
	       g.sure ? "found" : "unsure", g.best.slide, g.best.pass, g.best.inside, g.next.pass,
	       g.next.inside);
	free(addrs);
}

int main(int argc, char **argv)
{
	struct find_file f = {.path = argc > 1 ? argv[1] : ""};
	const struct disasm_code *c;
	struct err e = ERR_INIT;
	uint64_t *sites, n;

	if (argc < 2 || object_open(&f.object, f.path, &e)) {
		fprintf(stderr, "callsites: %s\n", argc < 2 ? "which file?" : e.msg);
		return 3;
	}
	c = file_code(&f);
	if (argc > 3 && !strcmp(argv[2], "lost") && num_dec(argv[3], strlen(argv[3]), &n)) {
		lose(c, n);
	} else if (argc > 2 && !strcmp(argv[2], "find")) {
		find(c);
	} else if (argc > 3 && num_dec(argv[3], strlen(argv[3]), &n)) {
		clock_it(c, n);
	} else if (argc > 2) {
		filter(c);
	} else {
		n = code_sites(c, &sites);
		for (uint64_t i = 0; i < n; i++)
			printf("%" PRIx64 "\n", sites[i]);
		free(sites);
	}
	file_code_release(&f);
	object_free(f.object);
	return 0;
}

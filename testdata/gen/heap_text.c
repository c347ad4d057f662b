/* SPDX-License-Identifier: MIT
 *
 *	heap_text [--rows N] KIND >FILE 2>TRUTH
 *
 * A heap profile as text. KIND:
 *
 *	gperftools  all counted: what is in use, and all
 *	sampled     "heap_v2" with a period of 4096 bytes
 *	kind        of a kind that no tool writes
 *	go          with names and places behind "#", one address being two calls
 *	jemalloc    two threads, Main and one without a name; not all that was allocated is known
 *	accum       the same, and it is known
 *	uneven      the threads of every second row have a block too few
 *	short       the first line has a block more than the rows
 *	huge        a row of 2^62 blocks
 *	nomap       without a map
 *
 * The truth: "live BLOCKS BYTES", "all BLOCKS BYTES" as the rows have them, multiplied by nothing;
 * of sampled ones each row's blocks are of 100 bytes, so that all have one factor.
 */
#include "lib/base/buf.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct sums {
	uint64_t live, live_bytes, all, all_bytes;
};

static const char map[] =
    "\nMAPPED_LIBRARIES:\n"
    "55d000000000-55d000001000 r--p 00000000 08:01 100 /usr/bin/game\n"
    "55d000001000-55d000041000 r-xp 00001000 08:01 100 /usr/bin/game\n"
    "7f0000000000-7f0000100000 r-xp 00000000 08:01 200 /usr/lib/libengine.so\n"
    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";

static struct sums row_of(uint64_t i)
{
	struct sums s = {.live = i % 5, .all = i % 5 + i % 3 + 1};

	s.live_bytes = s.live * 100;
	s.all_bytes = s.all * 100;
	return s;
}

static void add_sums(struct sums *to, const struct sums *s)
{
	to->live += s->live;
	to->live_bytes += s->live_bytes;
	to->all += s->all;
	to->all_bytes += s->all_bytes;
}

static void add_stack(struct buf *b, uint64_t i)
{
	buf_addc(b, '@');
	for (uint64_t k = 0; k <= i % 6; k++)
		buf_addf(b, " 0x%" PRIx64,
			 k % 2 ? UINT64_C(0x7f0000000010) + (i * 7 + k) % 1000 * 16
			       : UINT64_C(0x55d000001010) + (i + k) % 1000 * 16);
	buf_addc(b, '\n');
}

static void add_numbers(struct buf *b, const struct sums *s, bool all)
{
	buf_addf(b, "%" PRIu64 ": %" PRIu64 " [%" PRIu64 ": %" PRIu64 "]", s->live, s->live_bytes,
		 all ? s->all : 0, all ? s->all_bytes : 0);
}

static void add_thread(struct buf *b, const char *name, const struct sums *s, bool all)
{
	buf_addf(b, "  %s: ", name);
	add_numbers(b, s, all);
	buf_addc(b, '\n');
}

/* The first thread has one block of each row, the other the rest. */
static void add_threads(struct buf *b, struct sums s, bool all, bool uneven)
{
	struct sums one = {s.live > 0, s.live > 0 ? 100 : 0, s.all > 0, s.all > 0 ? 100 : 0};

	add_thread(b, "t*", &s, all);
	add_thread(b, "t0", &one, all);
	s.live -= one.live + (uneven && s.live > 1);
	s.live_bytes -= one.live_bytes;
	s.all -= one.all;
	s.all_bytes -= one.all_bytes;
	add_thread(b, "t7", &s, all);
}

static void add_jemalloc(struct buf *b, const char *kind, uint64_t rows, const struct sums *sum)
{
	bool all = !strcmp(kind, "accum");
	struct sums first = *sum;

	first.live += !strcmp(kind, "short");
	buf_adds(b, "heap_v2/524288\n");
	add_thread(b, "t*", &first, all);
	buf_adds(b, "  t0: 1: 100 [0: 0] Main\n  t7: 1: 100 [0: 0]\n");
	for (uint64_t i = 0; i < rows; i++) {
		add_stack(b, i);
		add_threads(b, row_of(i), all, !strcmp(kind, "uneven") && i % 2);
	}
}

static void add_symbols(struct buf *b, uint64_t i)
{
	buf_addf(b, "#\t0x%" PRIx64 "\tmain.(*World).spawn+0x24\t\t/src/world.go:%" PRIu64 "\n",
		 UINT64_C(0x55d000001010) + i % 1000 * 16, i % 90 + 1);
	if (i % 1000 % 3 == 0)
		buf_addf(b, "#\t0x%" PRIx64 "\tmain.main+0x30\t\t/src/main.go:8\n",
			 UINT64_C(0x55d000001010) + i % 1000 * 16);
}

static void add_gperftools(struct buf *b, const char *kind, uint64_t rows, const struct sums *sum)
{
	const char *what = !strcmp(kind, "sampled") ? "heap_v2/4096"
			   : !strcmp(kind, "kind")  ? "dust"
			   : !strcmp(kind, "go")    ? "heap/2"
						    : "heapprofile";

	buf_adds(b, "heap profile: ");
	add_numbers(b, sum, true);
	buf_addf(b, " @ %s\n", what);
	for (uint64_t i = 0; i < rows; i++) {
		struct sums s = row_of(i);

		if (!strcmp(kind, "huge") && i == 1)
			buf_adds(b, "4611686018427387904: 100 [4611686018427387904: 100] ");
		else
			add_numbers(b, &s, true);
		buf_addc(b, ' ');
		add_stack(b, i);
		if (!strcmp(kind, "go"))
			add_symbols(b, i);
	}
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"gperftools", "sampled", "kind",  "go",   "jemalloc",
					    "accum",      "uneven",  "short", "huge", "nomap"};
	uint64_t rows = 40;
	bool known = false;
	const char *kind = argv[argc - 1];
	struct sums sum = {0};
	struct buf b = BUF_INIT;

	if (argc == 4 && !strcmp(argv[1], "--rows"))
		known = num_dec(argv[2], strlen(argv[2]), &rows);
	if (argc != 2 && !known)
		kind = "";
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		known = (i && known) || !strcmp(kind, kinds[i]);
	if (!known) {
		fprintf(stderr, "usage: see testdata/gen/heap_text.c\n");
		return 2;
	}
	for (uint64_t i = 0; i < rows; i++) {
		struct sums s = row_of(i);

		add_sums(&sum, &s);
	}
	if (!strcmp(kind, "jemalloc") || !strcmp(kind, "accum") || !strcmp(kind, "uneven") ||
	    !strcmp(kind, "short"))
		add_jemalloc(&b, kind, rows, &sum);
	else
		add_gperftools(&b, kind, rows, &sum);
	if (strcmp(kind, "nomap") != 0)
		buf_adds(&b, map);
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	fprintf(stderr, "live %" PRIu64 " %" PRIu64 "\nall %" PRIu64 " %" PRIu64 "\n", sum.live,
		sum.live_bytes, sum.all, sum.all_bytes);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

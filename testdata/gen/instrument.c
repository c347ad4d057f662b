/* SPDX-License-Identifier: MIT
 *
 * One run of an instrumented program, in the form that is asked for, to standard output: the same
 * bytes for the same seed.
 *
 *	instrument FORM [SEED [EVENTS]]
 *
 *	truth        a line per event: enter|exit TIME TID ADDRESS, frame TIME N; times from the
 *	             first event on, in ns, in the order of writing
 *	calls        records of tracemill-instrument(5)
 *	calls-32     the same with pointers of 4 bytes
 *	calls-odd    with a lost, a damaged, an unknown and an early record
 *	e-x          e 0xFUNCTION 0xCALLER NS
 *	enter-exit   [TID] enter 0xFUNCTION NS
 *	uftrace DIR  a data directory of uftrace, made in DIR
 *	uftrace-sized DIR   the same as 0.14 and later write it: symbols have sizes. Functions from 10 on are in
 *	             a library that is called as the program is
 *
 * e-x and uftrace have one thread after the other and no frames; the others mix three. The clock of
 * records has 10 MHz, so times are multiples of 100 ns. With EVENTS, to standard
 * error: enters N, exits N, frames N.
 */
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, DEPTH = 12, FUNCTIONS = 20 };
static const uint64_t base = 0x10000, start = 69021347000; /* ticks */

enum kind { ENTER, EXIT, FRAME };

struct event {
	enum kind kind;
	uint64_t ticks, address, caller;
	uint32_t tid;
	unsigned depth;
};

static struct event *all;
static size_t n, events = 400;

static uint64_t address_of(uint32_t function)
{
	return base + function * 0x140u;
}

static void make(uint64_t seed)
{
	uint32_t open[THREADS][DEPTH];
	unsigned depth[THREADS] = {0};
	uint64_t ticks = start, frame = 100;

	random_state = seed;
	all = calloc(events + THREADS * DEPTH, sizeof *all);
	if (!all)
		exit(3);
	while (n < events || depth[0] || depth[1] || depth[2]) {
		unsigned t = draw(THREADS);
		struct event *ev = &all[n];

		if (n >= events && !depth[t])
			continue;
		*ev = (struct event){.ticks = ticks, .tid = 700 + t};
		ticks += draw(5000);
		if (n < events && draw(20) == 0) {
			ev->kind = FRAME;
			ev->address = frame++;
		} else if (n < events && depth[t] < DEPTH && (!depth[t] || draw(2))) {
			open[t][depth[t]] = draw(FUNCTIONS);
			ev->depth = depth[t];
			ev->address = address_of(open[t][depth[t]]);
			ev->caller = depth[t] ? address_of(open[t][depth[t] - 1]) + 0x20 : 0x999;
			depth[t]++;
		} else if (depth[t]) {
			ev->kind = EXIT;
			ev->depth = --depth[t];
			ev->address = address_of(open[t][depth[t]]);
			ev->caller = 0x999;
		} else {
			continue;
		}
		n++;
	}
}

static uint64_t ns(const struct event *ev)
{
	return (ev->ticks - all[0].ticks) * 100;
}

static void truth(void)
{
	static const char *const words[] = {"enter", "exit"};

	for (const struct event *ev = all; ev < all + n; ev++)
		if (ev->kind == FRAME)
			printf("frame %" PRIu64 " %" PRIu64 "\n", ns(ev), ev->address);
		else
			printf("%s %" PRIu64 " %" PRIu32 " 0x%" PRIx64 "\n", words[ev->kind],
			       ns(ev), ev->tid, ev->address);
}

static void put_out(FILE *f, uint64_t v, int bytes)
{
	for (; bytes--; v >>= 8)
		putc((int)(v & 0xff), f);
}

static void record(const struct event *ev, unsigned kind)
{
	put_out(stdout, ev->address, 8);
	put_out(stdout, ev->caller, 8);
	put_out(stdout, ev->ticks, 8);
	put_out(stdout, ev->tid, 4);
	put_out(stdout, kind, 4);
}

static void calls(int pointer, int odd)
{
	fwrite("tmcalls", 1, 8, stdout);
	put_out(stdout, 1, 2);
	put_out(stdout, (uint64_t)pointer, 2);
	put_out(stdout, 42, 4);
	put_out(stdout, 10000000, 8);
	put_out(stdout, all[0].ticks, 8);
	for (const struct event *ev = all; ev < all + n; ev++)
		record(ev, ev->kind);
	if (odd) {
		struct event ev = all[n - 1];

		ev.address = 17;
		record(&ev, 3);      /* 17 records were lost */
		record(&ev, 0x1000); /* bytes that are 0 are not */
		record(&ev, 4);      /* no such kind */
		ev.kind = FRAME;
		ev.ticks = all[0].ticks - 10;
		record(&ev, 2);
	}
}

static void lines(int e_x)
{
	for (uint32_t t = 0; t < (e_x ? THREADS : 1); t++)
		for (const struct event *ev = all; ev < all + n; ev++) {
			if (ev->kind != FRAME && e_x && ev->tid != 700 + t)
				continue;
			if (ev->kind == FRAME && !e_x)
				printf("frame %" PRIu64 " %" PRIu64 "\n", ev->address,
				       ev->ticks * 100);
			else if (ev->kind != FRAME && e_x)
				printf("%c 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 "\n",
				       ev->kind == ENTER ? 'e' : 'x', ev->address, ev->caller,
				       ev->ticks * 100);
			else if (ev->kind != FRAME)
				printf("[%" PRIu32 "] %s 0x%" PRIx64 " %" PRIu64 "\n", ev->tid,
				       ev->kind == ENTER ? "enter" : "Exit:", ev->address,
				       ev->ticks * 100);
		}
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static void symbols(const char *dir, const char *name, const char *path, const char *id,
		    uint64_t from, uint32_t first, uint32_t end, int sized)
{
	FILE *f = create(dir, name);

	fprintf(f, "# symbols: %" PRIu32 "\n# path name: %s\n", end - first, path);
	if (sized)
		fprintf(f, "# build-id: %s\n", id);
	for (uint32_t i = first; i < end; i++) {
		fprintf(f, "%016" PRIx64, address_of(i) - from);
		if (sized)
			fprintf(f, " %08x", 0x10);
		fprintf(f, " T function%" PRIu32 "\n", i);
	}
	fclose(f);
}

static void uftrace(const char *dir, int sized)
{
	static const char id[] = "0123456789abcdef0123456789abcdef01234567",
			  mod[] = "89abcdef0123456789abcdef0123456789abcdef";
	uint64_t split = sized ? address_of(10) & ~UINT64_C(15) : base + 0x10000;
	FILE *f = create(dir, "info");

	fwrite("Ftrace!", 1, 8, f);
	put_out(f, 4, 4);
	put_out(f, 40, 2);
	put_out(f, 1, 1);
	put_out(f, 2, 1);
	put_out(f, sized ? 0x1022 : 0x22,
		8); /* sessions; symbols relative to their module; with sizes */
	put_out(f, 0, 8);
	put_out(f, 1024, 8);
	fputs("exename:/game/bin/game\n", f);
	fclose(f);
	f = create(dir, "task.txt");
	fputs("SESS timestamp=1.000000000 pid=700 sid=00c0ffee exename=\"/game/bin/game\"\n", f);
	for (uint32_t t = 0; t < THREADS; t++)
		fprintf(f, "TASK timestamp=2.000000000 tid=%" PRIu32 " pid=700\n", 700 + t);
	fclose(f);
	f = create(dir, "sid-00c0ffee.map");
	fprintf(f,
		"%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0          /game/bin/game "
		"build-id:%s\n"
		"7ff000000000-7ff000001000 rw-p 00000000 00:00 0  [stack]\n",
		base - 0x1000, split, id);
	if (sized)
		fprintf(f,
			"%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0          /mods/game "
			"build-id:%s\n",
			split, base + 0x10000, mod);
	fclose(f);
	symbols(dir, "game.sym", "/game/bin/game", id, base - 0x1000, 0, sized ? 10 : FUNCTIONS,
		sized);
	if (sized)
		symbols(dir, "game-89ab.sym", "/mods/game", mod, split, 10, FUNCTIONS, 1);
	for (uint32_t t = 0; t < THREADS; t++) {
		char name[16];

		snprintf(name, sizeof name, "%" PRIu32 ".dat", 700 + t);
		f = create(dir, name);
		for (const struct event *ev = all; ev < all + n; ev++) {
			if (ev->kind == FRAME || ev->tid != 700 + t)
				continue;
			put_out(f, ev->ticks * 100, 8);
			put_out(f,
				(uint64_t)ev->kind | 5 << 3 | (uint64_t)ev->depth << 6 |
				    ev->address << 16,
				8);
		}
		fclose(f);
	}
}

static void totals(void)
{
	static const char *const words[] = {"enters", "exits", "frames"};
	size_t counts[3] = {0};

	for (const struct event *ev = all; ev < all + n; ev++)
		counts[ev->kind]++;
	for (int i = 0; i < 3; i++)
		fprintf(stderr, "%s %zu\n", words[i], counts[i]);
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "";
	int to_dir = !strncmp(form, "uftrace", 7), seed = 2 + to_dir;

	if (to_dir && argc < 3)
		form = "";
	if (argc > seed + 1)
		events = strtoull(argv[seed + 1], NULL, 10);
	make(argc > seed ? strtoull(argv[seed], NULL, 10) : 1);
	if (!strcmp(form, "truth"))
		truth();
	else if (!strcmp(form, "calls"))
		calls(8, 0);
	else if (!strcmp(form, "calls-32"))
		calls(4, 0);
	else if (!strcmp(form, "calls-odd"))
		calls(8, 1);
	else if (!strcmp(form, "e-x"))
		lines(1);
	else if (!strcmp(form, "enter-exit"))
		lines(0);
	else if (to_dir && *form)
		uftrace(argv[2], !strcmp(form, "uftrace-sized"));
	else
		return fprintf(stderr, "instrument: see the comment at the top of its source\n"), 2;
	if (argc > seed + 1)
		totals();
	free(all);
	return 0;
}

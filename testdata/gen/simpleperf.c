/* SPDX-License-Identifier: MIT
 *
 *	simpleperf [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A report of simpleperf as protocol buffers, with N samples (default 6) of cpu-clock, 1 ms each, i ms after the first; every third
 * is one of sched:sched_switch in place of it. Sample i is of thread 1 + i % 2, and has the calls leaf, f(i % 3) in
 * libgame.so and main in app_process64, and below it one in no function of libc.so. VARIANT:
 *
 *	plain   files and threads behind the samples, as simpleperf writes them
 *	bad     a sample with a damaged call, one of a file that is not there, one of an event that is not there, another number
 *	        of samples stated, some lost
 *	old     plain, of version 9
 *
 * The truth: "samples N", "ns N".
 */
#include "testdata/gen/gen.h"
#include "testdata/gen/protobuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MS = 1000000, START = 50020 };

static void put_word(uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		putchar((int)(v >> 8 * i & 255));
}

/* Writes a record that is the message m as a field, and empties m. */
static void put_record(unsigned field, struct message *m)
{
	struct message record = {0};

	close_part(&record, field, m);
	put_word(record.n, 4);
	fwrite(record.p, 1, record.n, stdout);
	free(record.p);
}

static void text_field(struct message *m, unsigned field, const char *s)
{
	bytes(m, field, s, strlen(s));
}

static void put_call(struct message *sample, uint64_t address, uint64_t file, uint64_t symbol)
{
	struct message call = {0};

	number(&call, 1, address);
	number(&call, 2, file);
	number(&call, 3, symbol);
	close_part(sample, 3, &call);
	free(call.p);
}

static void put_sample(uint64_t i, uint64_t type, uint64_t file)
{
	struct message m = {0};

	number(&m, 1, (START + i) * MS);
	number(&m, 2, 1 + i % 2);
	put_call(&m, 0x1000, file, 0);
	put_call(&m, 0x2000 + i % 3, 0, 1 + i % 3);
	put_call(&m, 0x3000, 1, 0);
	put_call(&m, 0x4000, 2, UINT64_MAX);
	if (file == 9)
		bytes(&m, 3, "\10\200", 2);
	number(&m, 4, type ? 1 : MS);
	number(&m, 5, type);
	put_record(1, &m);
	free(m.p);
}

static void put_file(uint64_t id, const char *path, const char *const *symbols)
{
	struct message m = {0};

	number(&m, 1, id);
	text_field(&m, 2, path);
	for (; *symbols; symbols++)
		text_field(&m, 3, *symbols);
	put_record(3, &m);
	free(m.p);
}

int main(int argc, char **argv)
{
	static const char *const game[] = {"leaf", "f(0)", "f(1)", "f(2)", NULL};
	static const char *const app[] = {"main", NULL};
	bool sized = argc > 3 && !strcmp(argv[1], "--samples");
	uint64_t n = sized ? strtoull(argv[2], NULL, 10) : 6, ns = 0;
	struct message m = {0};

	variant = sized ? argv[3] : argc > 1 ? argv[1] : "";
	if (!is("plain") && !is("bad") && !is("old"))
		return fprintf(stderr, "simpleperf: unknown variant\n"), 2;
	fputs("SIMPLEPERF", stdout);
	put_word(is("old") ? 9 : 1, 2);
	text_field(&m, 1, "cpu-clock");
	text_field(&m, 1, "sched:sched_switch");
	text_field(&m, 2, "com.example.game");
	text_field(&m, 4, "31");
	put_record(5, &m);
	for (uint64_t i = 0; i < n; i++) {
		put_sample(i, i % 3 == 2, 0);
		ns += i % 3 == 2 ? 0 : MS;
	}
	if (is("bad")) {
		put_sample(n, 0, 9);
		put_sample(n, 7, 0);
	}
	number(&m, 1, 0);
	number(&m, 2, (START + UINT64_C(1)) * MS);
	number(&m, 3, 1);
	put_record(6, &m);
	number(&m, 1, n);
	number(&m, 2, is("bad") ? 3 : 0);
	put_record(2, &m);
	put_file(0, "/data/app/libgame.so", game);
	put_file(1, "/system/bin/app_process64", app);
	put_file(2, "/apex/libc.so", app + 1);
	for (uint64_t i = 1; i < 3; i++) {
		number(&m, 1, i);
		number(&m, 2, 1);
		text_field(&m, 3, i == 1 ? "main" : "RenderThread");
		put_record(4, &m);
	}
	put_word(0, 4);
	fprintf(stderr, "samples %" PRIu64 "\nns %" PRIu64 "\n", n, ns);
	free(m.p);
	return 0;
}

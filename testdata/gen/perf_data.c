/* SPDX-License-Identifier: MIT
 *
 *	perf_data [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A perf.data as perf record writes it, field by field, without perf's headers. Sample i is of function
 * i % 7, called by those with smaller numbers, at most four deep; of thread 100 + i % 3 of process 100,
 * every fourth of process 200, which was forked from it; its time is 5 s + i ms, its period 1000000 + i.
 * Function 6 is in a library, the others in the program. Two processors' buffers are written one
 * after the other, so records are out of order within a round of 20. VARIANT:
 *
 *	plain     a file with build-ids and names of events
 *	big       the same of a big-endian machine
 *	pipe      to a pipe: attributes and features are records
 *	packed    records in COMPRESSED ones, of a zstd stream (of raw blocks)
 *	two       cycles and instructions in turn, distinguished by their ids
 *	kernel    chains that begin in the kernel, of which only the address of _text is known
 *	lost      the kernel lost 7 events and 3 samples
 *	unended   the sizes in the header were never written
 *	simple    simpleperf's: names of functions in the file, a record in parts
 *	exec      process 200 becomes another program in the middle
 *	named     thread 101 calls itself something else in the middle, and back at three quarters
 *	nosize    a record of size 0 in the middle
 *
 * The truth: "samples N", "periods SUM", "leaf N MODULE OFFSET" by function, "comm N NAME" by the name that
 * a sample's thread had at its time.
 */
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 7, ROUND = 20 };
enum {
	MMAP2 = 10,
	COMM = 3,
	LOST = 2,
	LOST_SAMPLES = 13,
	FORK = 7,
	SAMPLE = 9,
	ATTR = 64,
	BUILD_ID = 67,
	FINISHED_ROUND = 68,
	FEATURE = 80,
	COMPRESSED = 81,
	SPLIT = 32772,
	SPLIT_END = 32773,
	KERNEL_SYMBOL = 32769
};
enum { IP = 1, TID = 2, TIME = 4, CALLCHAIN = 32, ID = 64, PERIOD = 256 };
#define PROGRAM "/usr/bin/game"
#define LIBRARY "/usr/lib/libengine.so"

static const uint64_t program_at = 0x55d000001000, library_at = 0x7f0000002000,
		      program_offset = 0x1000, library_offset = 0x2000,
		      kernel_at = 0xffffffff9a000000;
static int big;

struct bytes {
	unsigned char *p;
	size_t n, cap;
};

static void add(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			exit(1);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void number(struct bytes *b, uint64_t v, unsigned n)
{
	unsigned char p[8];

	for (unsigned i = 0; i < n; i++)
		p[big ? n - 1 - i : i] = (unsigned char)(v >> 8 * i);
	add(b, p, n);
}

/* Padded with zeros, at least one. */
static void text(struct bytes *b, const char *s)
{
	static const char zeros[8];
	size_t n = strlen(s);

	add(b, s, n);
	add(b, zeros, 8 - n % 8);
}

static void sized_text(struct bytes *b, const char *s)
{
	number(b, (strlen(s) + 8) & ~7ul, 4);
	text(b, s);
}

static struct bytes out, part; /* the records, and one that is made */

static void close_record(unsigned type, unsigned misc)
{
	uint64_t size = part.n + 8;

	number(&out, type, 4);
	number(&out, type > 32768 ? size >> 16 : misc, 2);
	number(&out, size & 65535, 2);
	add(&out, part.p, part.n);
	part.n = 0;
}

/* --- what it is made of --- */

static uint64_t sample_type(void)
{
	return IP | TID | TIME | CALLCHAIN | PERIOD | (is("two") ? ID : 0);
}

/* What follows in records that are no samples. */
static void sample_id(int pid, int tid, uint64_t time)
{
	number(&part, (uint64_t)pid, 4);
	number(&part, (uint64_t)tid, 4);
	number(&part, time, 8);
	if (is("two"))
		number(&part, 11, 8);
}

static void attribute(struct bytes *b, unsigned type, uint64_t config)
{
	uint64_t flags = 1ul << 18 | 1ul << 10; /* sample_id_all, freq */
	uint64_t turned = 0;

	for (int i = 0; i < 64; i++)
		turned |= (flags >> i & 1) << (63 - i);
	number(b, type, 4);
	number(b, 112, 4);
	number(b, config, 8);
	number(b, 4000, 8);
	number(b, sample_type(), 8);
	number(b, 4, 8);
	number(b, big ? turned : flags, 8);
	for (int i = 48; i < 112; i++)
		number(b, 0, 1);
}

static unsigned events(void)
{
	return is("two") ? 2 : 1;
}

static void event(struct bytes *b, unsigned i)
{
	if (is("two"))
		attribute(b, 0, i);
	else
		attribute(b, 1, 0);
}

static void mapping(int pid, uint64_t at, uint64_t size, uint64_t offset, const char *name,
		    int kernel, uint64_t time)
{
	number(&part, (uint64_t)pid & UINT32_MAX, 4);
	number(&part, (uint64_t)pid & UINT32_MAX, 4);
	number(&part, at, 8);
	number(&part, size, 8);
	number(&part, offset, 8);
	number(&part, 0, 8);
	number(&part, 0, 8);
	number(&part, 0, 8);
	number(&part, 5, 4);
	number(&part, 2, 4);
	text(&part, name);
	sample_id(pid, pid, time);
	close_record(MMAP2, kernel ? 1 : 2);
}

static void command(int pid, int tid, const char *name, int exec, uint64_t time)
{
	number(&part, (uint64_t)pid, 4);
	number(&part, (uint64_t)tid, 4);
	text(&part, name);
	sample_id(pid, tid, time);
	close_record(COMM, exec ? 1 << 13 : 0);
}

static const char *const names[3] = {"game", "Render Thread 2", "worker/3"};
enum { NAMES = 5 };
static const char *const all_names[NAMES] = {"game", "Render Thread 2", "worker/3", "other",
					     "Late"};

/* Of a sample's thread: which of the names. Process 200 begins as a copy of thread 100. */
static int name_at(long i, long n)
{
	int thread = i % 4 == 3 ? 0 : (int)(i % 3);

	if (is("exec") && i % 4 == 3 && i >= 2 * ROUND)
		return 3;
	return is("named") && thread == 1 && i >= n / 2 && i < n * 3 / 4 ? 4 : thread;
}

static void start(void)
{

	for (int i = 0; i < 3; i++)
		command(100, 100 + i, names[i], 0, 0);
	mapping(-1, kernel_at, 0x1000000, kernel_at, "[kernel.kallsyms]_text", 1, 0);
	mapping(100, program_at, 0x10000, program_offset, PROGRAM, 0, 0);
	mapping(100, library_at, 0x10000, library_offset, LIBRARY, 0, 0);
	for (int i = 0; i < 4; i++)
		number(&part, i & 1 ? 100 : 200, 4); /* pid, ppid, tid, ptid */
	number(&part, 4999999999, 8);
	sample_id(100, 100, 4999999999);
	close_record(FORK, 0);
}

static uint64_t address(long function, int innermost)
{
	return (function == 6 ? library_at : program_at) + (uint64_t)function * 0x100 +
	       (innermost ? 0x10 : 0x20);
}

static void sample(long i)
{
	long f = i % FUNCTIONS, depth = f < 3 ? f + 1 : 4, kernel = is("kernel") && i % 2;
	int pid = i % 4 == 3 ? 200 : 100, tid = pid == 200 ? 200 : 100 + (int)(i % 3);

	number(&part, kernel ? kernel_at + 0x123 : address(f, 1), 8);
	number(&part, (uint64_t)pid, 4);
	number(&part, (uint64_t)tid, 4);
	number(&part, 5000000000 + (uint64_t)i * 1000000, 8);
	if (is("two"))
		number(&part, 11 + (uint64_t)(i % 2), 8);
	number(&part, 1000000 + (uint64_t)i, 8);
	number(&part, (uint64_t)(depth + 1 + (kernel ? 3 : 0)), 8);
	if (kernel) {
		number(&part, (uint64_t)-128, 8);
		number(&part, kernel_at + 0x123, 8);
		number(&part, kernel_at + 0x456, 8);
	}
	number(&part, (uint64_t)-512, 8);
	for (long d = 0; d < depth; d++)
		number(&part, address(f - d, d == 0), 8);
	close_record(SAMPLE, kernel ? 1 : 2);
}

static void records(long n)
{
	start();
	for (long at = 0; at < n; at += ROUND) {
		long end = at + ROUND < n ? at + ROUND : n;

		for (int processor = 1; processor >= 0; processor--)
			for (long i = at; i < end; i++)
				if (i % 2 == processor)
					sample(i);
		close_record(FINISHED_ROUND, 0);
		if (is("exec") && at == ROUND) {
			uint64_t time = 5000000000 + (uint64_t)end * 1000000 - 1;

			command(200, 200, "other", 1, time);
			mapping(200, program_at, 0x10000, program_offset, PROGRAM, 0, time);
		}
		/* Behind the samples in the file, before or between them in time. */
		if (is("named") && at <= n / 2 && n / 2 < end)
			command(100, 101, all_names[4], 0,
				5000000000 + (uint64_t)(n / 2) * 1000000 - 1);
		if (is("named") && at <= n * 3 / 4 && n * 3 / 4 < end)
			command(100, 101, names[1], 0,
				5000000000 + (uint64_t)(n * 3 / 4) * 1000000 - 1);
		if (is("nosize") && at == ROUND)
			number(&out, 0, 8);
	}
	if (is("lost")) {
		number(&part, 1, 8);
		number(&part, 7, 8);
		sample_id(100, 100, 5000000000 + (uint64_t)n * 1000000);
		close_record(LOST, 0);
		number(&part, 3, 8);
		sample_id(100, 100, 5000000000 + (uint64_t)n * 1000000);
		close_record(LOST_SAMPLES, 0);
	}
}

/* --- features --- */

static void build_id(struct bytes *b, int pid, const char *name, unsigned char first)
{
	unsigned char id[24] = {0};
	size_t n = strlen(name);

	for (int i = 0; i < 20; i++)
		id[i] = (unsigned char)(first + i);
	number(b, BUILD_ID, 4);
	number(b, 1, 2);
	number(b, 8 + 4 + 24 + n + 8 - n % 8, 2);
	number(b, (uint64_t)pid & UINT32_MAX, 4);
	add(b, id, 24);
	text(b, name);
}

static void all_build_ids(struct bytes *b)
{
	build_id(b, -1, "[kernel.kallsyms]", 0x10);
	build_id(b, -1, PROGRAM, 0x30);
	build_id(b, -1, LIBRARY, 0x50);
}

static void event_names(struct bytes *b)
{
	number(b, events(), 4);
	number(b, 112, 4);
	for (unsigned i = 0; i < events(); i++) {
		event(b, i);
		number(b, 1, 4);
		sized_text(b, is("two") ? (i ? "instructions:u" : "cycles:u") : "cpu-clock:ppp");
		number(b, 11 + i, 8);
	}
}

static void command_line(struct bytes *b)
{
	number(b, 3, 4);
	sized_text(b, "/usr/bin/perf");
	sized_text(b, "record");
	sized_text(b, "./game");
}

/* A length and bytes of a protobuf field. */
static void field(struct bytes *b, unsigned tag, const void *p, size_t n)
{
	unsigned char head[2] = {(unsigned char)tag, (unsigned char)n};

	if (n > 127)
		exit(1);
	add(b, head, 2);
	add(b, p, n);
}

static void varint(struct bytes *b, unsigned tag, uint64_t v)
{
	unsigned char c = (unsigned char)tag;

	add(b, &c, 1);
	for (; v > 127; v >>= 7) {
		c = (unsigned char)((v & 127) | 128);
		add(b, &c, 1);
	}
	c = (unsigned char)v;
	add(b, &c, 1);
}

static void named_file(struct bytes *b, const char *path, uint64_t offset, long first, long end)
{
	struct bytes file = {0}, symbol = {0};
	char name[40];

	field(&file, 0x0a, path, strlen(path));
	varint(&file, 0x10, 2);
	varint(&file, 0x18, offset + 0x400000);
	for (long f = first; f < end; f++) {
		symbol.n = 0;
		varint(&symbol, 0x08, offset + 0x400000 + (uint64_t)f * 0x100);
		varint(&symbol, 0x10, 0x100);
		snprintf(name, sizeof name, "Game::step%ld", f);
		field(&symbol, 0x1a, name, strlen(name));
		field(&file, 0x22, symbol.p, symbol.n);
	}
	symbol.n = 0;
	varint(&symbol, 0x08, offset);
	field(&file, 0x32, symbol.p, symbol.n);
	number(b, file.n, 4);
	add(b, file.p, file.n);
	free(file.p);
	free(symbol.p);
}

static void named_files(struct bytes *b)
{
	named_file(b, PROGRAM, program_offset, 0, 6);
	named_file(b, LIBRARY, library_offset, 6, 7);
}

static void meta(struct bytes *b)
{
	static const char pairs[] =
	    "simpleperf_version\0001.build.1\0event_type_info\0cpu-clock,1,0\n";

	add(b, pairs, sizeof pairs);
}

static void words(struct bytes *b)
{
	sized_text(b, "x86_64");
}

static const struct feature {
	unsigned bit;
	void (*make)(struct bytes *b);
	int simple; /* of simpleperf alone (1), of perf alone (-1) */
} features[] = {{2, all_build_ids, 0}, {6, words, 0},  {11, command_line, 0}, {12, event_names, -1},
		{13, words, 0},        {129, meta, 1}, {132, named_files, 1}};
enum { FEATURES = sizeof features / sizeof *features };

static int has(const struct feature *f)
{
	return is("simple") ? f->simple >= 0 : f->simple <= 0;
}

/* --- the file --- */

/* A record of simpleperf's kernel symbols, in three parts. */
static void split_symbols(void)
{
	static const char text[] = "ffffffff9a000000 T _text\nffffffff9a000100 T do_it\n";
	struct bytes before = out, whole;
	size_t at = 0;

	out = (struct bytes){0};
	number(&part, sizeof text - 1, 4);
	add(&part, text, sizeof text - 1);
	number(&part, 0, 5);
	close_record(KERNEL_SYMBOL, 0);
	whole = out;
	out = before;
	for (int i = 0; i < 3; i++) {
		size_t n = i < 2 ? 24 : whole.n - at;

		add(&part, whole.p + at, n);
		close_record(SPLIT, 0);
		at += n;
	}
	close_record(SPLIT_END, 0);
	free(whole.p);
}

/* Raw blocks of a zstd frame, in COMPRESSED records that end anywhere. */
static void pack(void)
{
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58};
	struct bytes plain = out, stream = {0};
	size_t piece = 700;

	add(&stream, frame, sizeof frame);
	for (size_t at = 0; at < plain.n; at += piece) {
		size_t n = at + piece < plain.n ? piece : plain.n - at;
		unsigned char head[3] = {(unsigned char)(n << 3 | (at + n == plain.n)),
					 (unsigned char)(n >> 5), (unsigned char)(n >> 13)};

		add(&stream, head, 3);
		add(&stream, plain.p + at, n);
	}
	out = (struct bytes){0};
	for (size_t at = 0; at < stream.n; at += 999) {
		add(&part, stream.p + at, at + 999 < stream.n ? 999 : stream.n - at);
		close_record(COMPRESSED, 0);
	}
	free(plain.p);
	free(stream.p);
}

static void write_all(const struct bytes *b)
{
	if (b->n && fwrite(b->p, 1, b->n, stdout) != b->n)
		exit(1);
}

static void write_pipe(long n)
{
	struct bytes head = {0};

	add(&head, big ? "2ELIFREP" : "PERFILE2", 8);
	number(&head, 16, 8);
	for (unsigned i = 0; i < events(); i++) {
		event(&part, i);
		number(&part, 11 + i, 8);
		close_record(ATTR, 0);
	}
	for (size_t i = 0; i < FEATURES; i++)
		if (has(&features[i]) && features[i].bit != 2) {
			number(&part, features[i].bit, 8);
			features[i].make(&part);
			close_record(FEATURE, 0);
		}
	all_build_ids(&out);
	records(n);
	write_all(&head);
	write_all(&out);
	free(head.p);
}

static void write_file(long n)
{
	struct bytes head = {0}, behind = {0}, data = {0};
	uint64_t bits[4] = {0}, attrs = 104 + 8 * events(), at;
	unsigned count = 0;

	if (is("simple"))
		split_symbols();
	records(n);
	if (is("packed"))
		pack();
	at = attrs + 128 * events();
	for (size_t i = 0; i < FEATURES; i++)
		if (has(&features[i])) {
			bits[features[i].bit / 64] |= 1ul << features[i].bit % 64;
			count++;
		}
	add(&head, big ? "2ELIFREP" : "PERFILE2", 8);
	number(&head, 104, 8);
	number(&head, 128, 8);
	number(&head, attrs, 8);
	number(&head, 128 * events(), 8);
	number(&head, at, 8);
	number(&head, is("unended") ? 0 : out.n, 8);
	number(&head, 0, 8);
	number(&head, 0, 8);
	for (int i = 0; i < 4; i++)
		number(&head, is("unended") ? 0 : bits[i], 8);
	for (unsigned i = 0; i < events(); i++)
		number(&head, 11 + i, 8);
	for (unsigned i = 0; i < events(); i++) {
		event(&head, i);
		number(&head, 104 + 8 * i, 8);
		number(&head, 8, 8);
	}
	for (size_t i = 0; i < FEATURES; i++)
		if (has(&features[i])) {
			size_t before = data.n;

			features[i].make(&data);
			number(&behind, at + out.n + 16 * count + before, 8);
			number(&behind, data.n - before, 8);
		}
	write_all(&head);
	write_all(&out);
	if (!is("unended")) {
		write_all(&behind);
		write_all(&data);
	}
	free(head.p);
	free(behind.p);
	free(data.p);
}

int main(int argc, char **argv)
{
	long n = 50, leaves[FUNCTIONS] = {0}, named[NAMES] = {0};
	uint64_t periods = 0;
	int i = 1;

	for (; i + 1 < argc && !strcmp(argv[i], "--samples"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc) {
		fprintf(stderr, "usage: see testdata/gen/perf_data.c\n");
		return 2;
	}
	variant = argv[i];
	big = is("big");
	if (is("pipe"))
		write_pipe(n);
	else
		write_file(n);
	for (long k = 0; k < n; k++) {
		leaves[k % FUNCTIONS]++;
		named[name_at(k, n)]++;
		periods += 1000000 + (uint64_t)k;
	}
	fprintf(stderr, "samples %ld\nperiods %" PRIu64 "\n", n, periods);
	for (long f = 0; f < FUNCTIONS; f++)
		fprintf(stderr, "leaf %ld %s 0x%" PRIx64 "\n", leaves[f],
			f == 6 ? LIBRARY : PROGRAM,
			(f == 6 ? library_offset : program_offset) + (uint64_t)f * 0x100 + 0x10);
	for (i = 0; i < NAMES; i++)
		if (named[i])
			fprintf(stderr, "comm %ld %s\n", named[i], all_names[i]);
	free(out.p);
	free(part.p);
	return fflush(stdout) ? 1 : 0;
}

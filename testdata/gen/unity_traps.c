/* SPDX-License-Identifier: MIT
 *
 *	unity_traps DIR
 *
 * Writes small Unity profiler streams into DIR, each with one thing in it that is worth a test; the
 * comment at each says what. Ticks are ns. Samples are of markers A (1), B (2), GC.Alloc (3).
 */
#include "testdata/gen/unity_bytes.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAIN = 100, WORKER = 200, LOADER = 300 };
enum { STATE = 0, MARKER = 1, CALLSTACK = 3, STATS = 4, JIT = 8, THREAD = 33, FRAME = 34 };
enum { BEGIN = 36, END = 37, INSTANT = 38, BEGIN_META = 42, INSTANT_META = 44, GC_ALLOC = 52 };
#define GLOBAL UINT64_MAX

static struct buf out, body;
static const char *folder;

static void header(uint32_t version, unsigned little, uint64_t numerator, uint64_t denominator)
{
	out.len = body.len = 0;
	put(&out, 0x55334450, 4);
	put(&out, little, 1);
	put(&out, 0, 3);
	put(&out, version, 4);
	put(&out, numerator, 8);
	put(&out, denominator, 8);
	put(&out, MAIN, 8);
}

static void block(uint64_t thread, uint32_t id)
{
	put(&out, 0xB10C7EAD, 4);
	put(&out, id, 4);
	put(&out, thread, 8);
	put(&out, body.len, 4);
	buf_add(&out, body.data, body.len);
	put(&out, id + 1, 4);
	put(&out, 0xB10CF007, 4);
	body.len = 0;
}

static void save(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s.raw", folder, name);
	f = fopen(path, "wb");
	if (!f || fwrite(out.data, 1, out.len, f) != out.len || fclose(f)) {
		perror(path);
		exit(3);
	}
}

static void marker(uint32_t id, const char *name)
{
	put(&body, MARKER, 2);
	put(&body, id, 4);
	put(&body, 2, 2);
	put(&body, 1, 2);
	put_text(&body, name, false);
	put(&body, 0, 1);
}

static void thread(uint64_t id, uint64_t start, uint32_t flags, const char *name)
{
	put(&body, THREAD, 2);
	put(&body, id, 8);
	put(&body, start, 8);
	put(&body, flags, 4);
	put_text(&body, "", false);
	put_text(&body, name, false);
}

static void state(uint32_t flags, uint64_t time, uint32_t frame)
{
	put(&body, STATE, 2);
	put(&body, flags, 4);
	put(&body, time, 8);
	put(&body, frame, 4);
}

static void frame(uint32_t number, uint64_t time)
{
	put(&body, FRAME, 2);
	put(&body, number, 4);
	put(&body, time, 8);
}

static void sample(unsigned type, uint32_t id, uint64_t time)
{
	put(&body, type, 2);
	put(&body, 0, 1);
	put(&body, id, 4);
	put(&body, time, 8);
}

static void bytes(uint32_t n)
{
	put(&body, 1, 1);
	put(&body, 3, 1);
	put(&body, n, 4);
}

static void start(void)
{
	header(0x20191122, 1, 1000000000, 1000000000);
	thread(MAIN, 5, 0, "Main");
	marker(1, "A");
	marker(2, "B");
	marker(3, "GC.Alloc");
	state(1, 1000, 7);
	block(GLOBAL, 0);
}

/* A calls B, which ends at 1020; A ends at 1030. */
static void a_and_b(uint64_t at)
{
	sample(BEGIN, 1, at);
	sample(BEGIN, 2, at + 10);
	sample(END, 2, at + 20);
	sample(END, 1, at + 30);
}

static void nesting(void)
{
	/* A total 30, self 20; B 10 */
	start();
	a_and_b(1000);
	block(MAIN, 50);
	save("good-a-b");

	/* an end without a begin; B ends within A by A's end; A never ends */
	start();
	sample(END, 2, 1001);
	sample(BEGIN, 1, 1002);
	sample(BEGIN, 2, 1003);
	sample(END, 1, 1010);
	sample(BEGIN, 1, 1020);
	block(MAIN, 50);
	save("bad-nesting");

	/* A ends before it begins; B is longer than the A around it */
	start();
	sample(BEGIN, 1, 1010);
	sample(END, 1, 1005);
	sample(BEGIN, 1, 1020);
	sample(BEGIN, 2, 1020);
	sample(END, 2, 1100);
	sample(END, 1, 1030);
	block(MAIN, 50);
	save("bad-times");

	/* ticks whose product with the numerator has more than 64 bits; and a time out of range */
	start();
	out.len = 0;
	header(0x20191122, 1, UINT64_C(1) << 40, UINT64_C(1) << 30 | 1);
	thread(MAIN, 5, 0, "Main");
	marker(1, "A");
	state(1, UINT64_C(1) << 50, 7);
	block(GLOBAL, 0);
	sample(BEGIN, 1, (UINT64_C(1) << 50) + 10);
	sample(END, 1, (UINT64_C(1) << 50) + 10 + ((UINT64_C(1) << 30 | 1) << 15));
	sample(BEGIN, 1, 0);
	sample(END, 1, UINT64_MAX);
	block(MAIN, 50);
	save("bad-ticks");
}

static void allocations(void)
{
	/* of Sample, of Begin, of the old message; a callstack with a method that is named later */
	start();
	sample(BEGIN, 1, 1000);
	sample(INSTANT_META, 3, 1001);
	bytes(10);
	put(&body, CALLSTACK, 2);
	put(&body, 9, 4);
	put(&body, 2, 1);
	put(&body, 0x5010, 8);
	put(&body, 0x9999, 8);
	sample(INSTANT, 2, 1002);
	sample(BEGIN_META, 3, 1003);
	bytes(20);
	sample(END, 3, 1004);
	put(&body, GC_ALLOC, 2);
	put(&body, 40, 4);
	sample(END, 1, 1010);
	block(MAIN, 50);
	put(&body, JIT, 2);
	put(&body, 1, 8);
	put(&body, 0x5000, 8);
	put(&body, 0x10, 4);
	put_text(&body, "Game:Run ()", false);
	put_text(&body, "Game.cs", false);
	put(&body, 12, 4);
	block(GLOBAL, 1);
	save("good-allocations");

	/* names that come after their use: of a marker, of GC.Alloc, of the thread; and one never
	 */
	header(0x20191122, 1, 1, 1);
	state(1, 1000, 7);
	block(GLOBAL, 0);
	a_and_b(1000);
	sample(BEGIN_META, 3, 1040);
	bytes(20);
	sample(END, 3, 1041);
	sample(BEGIN, 70000, 1050);
	sample(END, 70000, 1060);
	block(MAIN, 50);
	sample(BEGIN, 1, 1000);
	sample(END, 1, 1001);
	block(WORKER, 1);
	thread(MAIN, 5, 0, "Main");
	marker(1, "A");
	marker(2, "B");
	marker(3, "GC.Alloc");
	block(GLOBAL, 1);
	save("good-late-names");
}

static void statistics(void)
{
	enum { WORDS = 316, DRAW_CALLS = 33 + 1 + 1 + 16 + 2 };

	/* statistics as .data has them, 9 draw calls; and two words */
	start();
	put(&body, STATS, 2);
	put(&body, 0, 4);
	put(&body, WORDS, 4);
	for (unsigned i = 0; i < WORDS; i++)
		put(&body, i == 34 ? UINT32_MAX : i == DRAW_CALLS ? 9 : 0, 4);
	put(&body, STATS, 2);
	put(&body, 0, 4);
	put(&body, 2, 4);
	put(&body, 0, 8);
	a_and_b(1000);
	block(MAIN, 50);
	save("good-stats");
}

static void frames(void)
{
	/* The worker is in frame 8 before the main thread is, and comes with frame 7 behind it; the
	 * loader has no frames: its samples end at 1090 (frame 7), 1100 (8), 1250 (9). */
	start();
	thread(WORKER, 6, 0, "Worker");
	thread(LOADER, 7, 1, "Loader");
	block(GLOBAL, 1);
	frame(8, 1100);
	sample(BEGIN, 1, 1101);
	sample(END, 1, 1102);
	block(WORKER, 20);
	sample(BEGIN, 2, 1080);
	sample(END, 2, 1090);
	sample(BEGIN, 2, 1090);
	sample(END, 2, 1100);
	sample(BEGIN, 2, 1200);
	sample(END, 2, 1250);
	block(LOADER, 30);
	a_and_b(1000);
	frame(8, 1100);
	a_and_b(1100);
	frame(9, 1200);
	sample(BEGIN, 1, 1200);
	sample(END, 1, 1210);
	block(MAIN, 50);
	frame(9, 1200);
	sample(BEGIN, 1, 1220);
	sample(END, 1, 1225);
	block(WORKER, 21);
	save("good-frames");

	/* frame numbers that go back, and a thread id that is given to another thread */
	start();
	frame(9, 1100);
	a_and_b(1100);
	frame(8, 1200);
	a_and_b(1200);
	block(MAIN, 50);
	sample(BEGIN, 1, 1000);
	sample(END, 1, 1001);
	block(WORKER, 1);
	thread(WORKER, 2000, 0, "Second");
	block(GLOBAL, 1);
	sample(BEGIN, 1, 2000);
	sample(END, 1, 2001);
	block(WORKER, 2);
	thread(WORKER, 3000, 0, "Third");
	block(GLOBAL, 2);
	sample(BEGIN, 1, 3000);
	sample(END, 1, 3001);
	block(WORKER, 3);
	save("good-back");
}

static void damage(void)
{
	/* two blocks are missing while A is open; samples count again from the next frame on */
	start();
	frame(7, 1000);
	sample(BEGIN, 1, 1001);
	block(MAIN, 50);
	sample(BEGIN, 2, 1020);
	sample(END, 2, 1030);
	block(MAIN, 53);
	frame(8, 1100);
	a_and_b(1100);
	block(MAIN, 54);
	save("bad-gap");

	/* a message of unknown type 45, and a value of type 99 */
	start();
	a_and_b(1000);
	put(&body, 45, 2);
	put(&body, 0, 8);
	block(MAIN, 50);
	sample(BEGIN_META, 1, 1100);
	put(&body, 1, 1);
	put(&body, 99, 1);
	put(&body, 0, 4);
	block(MAIN, 51);
	a_and_b(1200);
	block(MAIN, 52);
	save("bad-unknown");

	/* bytes between blocks, and a footer that is damaged */
	start();
	buf_adds(&out, "junk");
	a_and_b(1000);
	block(MAIN, 50);
	a_and_b(1100);
	block(MAIN, 51);
	out.data[out.len - 1] = 0;
	a_and_b(1200);
	block(MAIN, 52);
	save("bad-bytes");

	/* ends within its last block */
	start();
	a_and_b(1000);
	a_and_b(1100);
	block(MAIN, 50);
	out.len -= 40;
	save("bad-cut");

	/* a text that claims 2 GB */
	start();
	put(&body, MARKER, 2);
	put(&body, 5, 4);
	put(&body, 0, 4);
	put(&body, 0x7fffffff, 4);
	block(GLOBAL, 1);
	a_and_b(1000);
	block(MAIN, 50);
	save("bad-length");

	header(0x20191122, 0, 1, 1);
	save("unsupported-big-endian");
	header(0x7, 1, 1, 1);
	save("unsupported-version");
	out.len = 0;
	put(&out, UINT64_C(2014011020150810), 8);
	put(&out, 1, 4);
	save("unsupported-upr");
	start();
	out.len = 0;
	a_and_b(1000);
	block(MAIN, 50);
	save("bad-no-session");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: unity_traps DIR\n");
		return 2;
	}
	folder = argv[1];
	nesting();
	allocations();
	statistics();
	frames();
	damage();
	buf_release(&out);
	buf_release(&body);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 *	perfetto [--n N] [--pack zlib|zstd] [--variant NAME] KIND... >FILE
 *
 * A trace of Perfetto, written field by field; the numbers of fields are those of google/perfetto's
 * protos. KIND, of N rows (30), of which row i (from 1) has:
 *
 *	heap       one dump in three packets: callstack i with 1000 i bytes in 2 i blocks, of which rows of odd
 *	           numbers have freed 400 i bytes in i blocks. Process 100, sampled every 4096 bytes
 *	old        the same, with tables of its own that stand behind the rows, and no name of the heap
 *	dumps      three dumps, k = 1 to 3, of 1000 i k bytes in i k blocks; rows that 3 divides have freed
 *	           all in the second and are left out of the third
 *	heaps      malloc, a heap "textures" (10 i bytes, 1 block) and com.android.art (i bytes, 2 blocks)
 *	most       what was in use when most was: 7 i bytes in 2 i blocks
 *	graph      a list of N objects of 24 bytes, of which each refers to the next by a field of its class and
 *	           to the first by one of the class above; and one of 64 bytes that nothing refers to.
 *	           Process 100; objects stand before their types
 *	calls      two threads, each its own sequence: N frames of 10 ms, each with a call of 4 ms in it and
 *	           one in that of 1 ms; an asynchronous call of 2 ms that begins on one thread and ends on the
 *	           other, whose packets come first
 *	counters   bytes (1000 i), times as differences (i ms a step), and decimals (i + 0.25)
 *	samples    perf's: a sample each ms of thread 100 + i % 3; every fifth has an inlined call
 *	java       a sample of each of seven frames of the obfuscated method a.a (N is not used): at lines 1, 2 and 3
 *	           by a symbol, at 13 by the frame itself, at 20 and at none by the frame, and a.z
 *	chrome     N samples of Chrome's own, 1 ms apart, in packets of 10
 *	sampler    N samples of any profiler that stand for 5 ms each, inline
 *	stats      resident memory of process 100: 100 i KiB
 *	atrace     marks of the kernel's trace, by two processors, the second one first: N frames of 16 ms of thread 100,
 *	           each with a call of 14 ms, one of 4 ms in it and a counter (i + 0.5); an asynchronous call of 20 ms a
 *	           frame, so that two overlap; a mark of an instant, and an event that is no mark
 *	sched      the scheduler's events by two processors, one of them as a list: N frames of 16 ms; put_sched has its
 *	           times. Clocks of processor 3, and temperatures
 *	system     memory, clocks, the battery, a counter of a GPU and one that it does not describe; and two lines of the
 *	           log, the second with values in place of a text
 *	timeline   the frame timeline: N frames of a layer, each expected for 16 ms; it takes 10 ms, or, each fifth,
 *	           30 ms, since the app misses its deadline; one frame of another layer, and one of the display
 *	others     2 packets of ftrace without a mark, and one of GPU render stages, which is not read
 *
 * variants: lost (what a sequence needs was lost in the second half of calls), lying (a count, a length and
 * an index that say more than there is), unended (no end of the last call), late (names behind all that they
 * name), clock (calls by MONOTONIC, which is 7 s behind), nameless (no snapshot of clocks)
 */
#include "lib/pack/deflate.h"
#include "lib/pack/zstd.h"
#include "testdata/gen/protobuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text(struct message *m, unsigned field, const char *s)
{
	bytes(m, field, s, strlen(s));
}

static void real(struct message *m, unsigned field, double d)
{
	uint64_t v;

	memcpy(&v, &d, sizeof v);
	varint(m, field << 3 | 1);
	for (int i = 0; i < 8; i++)
		byte(m, v >> 8 * i & 255);
}

static struct {
	unsigned n;
	const char *pack, *variant;
} opt = {.n = 30, .variant = ""};

static int is(const char *variant)
{
	return !strcmp(opt.variant, variant);
}

static struct message out, packet, part, inner, leaf, late;
static const char build_id[] = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24";
#define SECOND     UINT64_C(1000000000)
#define START      (20 * SECOND)
#define REAL_START (UINT64_C(1780000000) * SECOND)
enum { MS = 1000000 };

/* Ends the packet: its sequence and flags (1: cleared, 2: needs the state before). */
static void end_packet(struct message *to, unsigned seq, unsigned flags)
{
	if (seq)
		number(&packet, 10, seq);
	if (flags)
		number(&packet, 13, flags);
	close_part(to, 1, &packet);
}

static void at(uint64_t ns)
{
	number(&packet, 8, START + ns);
}

static void interned(struct message *m, unsigned field, uint64_t id, const char *s)
{
	number(&leaf, 1, id);
	text(&leaf, 2, s);
	close_part(m, field, &leaf);
}

static void clock_of(unsigned id, uint64_t ns)
{
	number(&leaf, 1, id);
	number(&leaf, 2, ns);
	close_part(&part, 1, &leaf);
}

/* BOOTTIME, and what is behind it: MONOTONIC 7 s, MONOTONIC_COARSE 1 s; and the date. */
static void put_clocks(void)
{
	if (is("nameless"))
		return;
	for (uint64_t s = 0; s < 30; s += 10) {
		clock_of(6, START + s * SECOND);
		clock_of(3, START + s * SECOND - 7 * SECOND);
		clock_of(4, START + s * SECOND - SECOND);
		clock_of(1, REAL_START + s * SECOND);
		close_part(&packet, 6, &part);
		end_packet(&out, 0, 0);
	}
}

static void put_processes(struct message *to)
{
	number(&leaf, 1, 100);
	text(&leaf, 3, "game");
	text(&leaf, 3, "--level");
	close_part(&part, 1, &leaf);
	for (unsigned tid = 100; tid < 103; tid++) {
		char name[16];

		snprintf(name, sizeof name, "thread%u", tid - 100);
		number(&leaf, 1, tid);
		text(&leaf, 2, name);
		number(&leaf, 3, 100);
		close_part(&part, 2, &leaf);
	}
	close_part(&packet, 2, &part);
	end_packet(to, 0, 0);
}

/* --- interned callstacks: i is main, step (i % 5), leaf i --- */

static void put_frame(struct message *m, unsigned field, uint64_t id, uint64_t function,
		      uint64_t pc)
{
	number(&leaf, 1, id);
	number(&leaf, 2, function);
	number(&leaf, 3, 1);
	number(&leaf, 4, pc);
	close_part(m, field, &leaf);
}

static void put_name(struct message *m, unsigned field, uint64_t id)
{
	char name[48];

	if (id == 1)
		snprintf(name, sizeof name, "main");
	else if (id < 7)
		snprintf(name, sizeof name, "Game::step%u()", (unsigned)id - 2);
	else
		snprintf(name, sizeof name, "Game::leaf%u(int)", (unsigned)id - 6);
	interned(m, field, id, name);
}

static void put_stacks(struct message *m, int own)
{
	const unsigned names = own ? 1 : 5, frames = own ? 2 : 6, stacks = own ? 3 : 7;
	const unsigned mappings = own ? 4 : 19;

	number(&leaf, 1, 1);
	number(&leaf, 2, 1000000);
	number(&leaf, 4, 0x70000000);
	number(&leaf, 5, 0x70100000);
	number(&leaf, 7, 1000001);
	number(&leaf, 7, 1000002);
	close_part(m, mappings, &leaf); /* before its strings */
	number(&leaf, 1, 1000000);
	bytes(&leaf, 2, build_id, 20);
	close_part(m, own ? 1 : 16, &leaf);
	interned(m, own ? 1 : 17, 1000001, "system");
	interned(m, own ? 1 : 17, 1000002, "libgame.so");
	for (unsigned id = 1; id <= 6 + opt.n; id++) {
		put_name(m, names, id);
		put_frame(m, frames, id, id, 0x1000 + 16 * id);
	}
	for (unsigned i = 1; i <= opt.n; i++) {
		struct message ids = {0};

		number(&leaf, 1, i);
		if (i % 2) { /* one by one, and packed */
			number(&leaf, 2, 1);
			number(&leaf, 2, 2 + i % 5);
			number(&leaf, 2, 6 + i);
		} else {
			varint(&ids, 1);
			varint(&ids, 2 + i % 5);
			varint(&ids, 6 + i);
			bytes(&leaf, 2, ids.p, ids.n);
			free(ids.p);
		}
		close_part(m, stacks, &leaf);
	}
}

static void put_row(unsigned stack, uint64_t allocated, uint64_t freed, uint64_t count,
		    uint64_t free_count)
{
	number(&leaf, 1, stack);
	number(&leaf, 2, allocated);
	number(&leaf, 3, freed);
	number(&leaf, 5, count);
	number(&leaf, 6, free_count);
	close_part(&inner, 2, &leaf);
}

static void end_dump(const char *heap, uint64_t ns)
{
	number(&inner, 1, 100);
	if (heap)
		text(&inner, 11, heap);
	number(&inner, 12, 4096);
	number(&inner, 13, 4096);
	number(&inner, 9, START - SECOND + ns); /* of MONOTONIC_COARSE */
	close_part(&part, 5, &inner);
}

static uint64_t profiles;

static void end_profile(unsigned seq, unsigned flags, int goes_on, uint64_t ns)
{
	if (goes_on)
		number(&part, 6, 1);
	number(&part, 7, is("lying") && profiles == 2 ? profiles + 3 : profiles);
	profiles++;
	close_part(&packet, 37, &part);
	at(ns);
	end_packet(&out, seq, flags);
}

static void put_heap(int own)
{
	profiles = 0;
	if (!own) {
		put_stacks(&part, 0);
		close_part(&packet, 12, &part);
		end_packet(&out, 1, 1);
	}
	for (unsigned i = 1; i <= opt.n; i++) {
		put_row(i, 1000 * i, i % 2 ? 400 * i : 0, 2 * i, i % 2 ? i : 0);
		if (i % (opt.n / 3 + 1) && i < opt.n)
			continue;
		end_dump(own ? NULL : "libc.malloc", SECOND);
		if (own && i == opt.n)
			put_stacks(&part, 1);
		end_profile(1, own ? 0 : 2, i < opt.n, SECOND);
	}
}

static void put_dumps(void)
{
	profiles = 0;
	for (unsigned k = 1; k <= 3; k++) {
		put_stacks(&part, 0);
		close_part(&packet, 12, &part);
		end_packet(&out, 2, 1); /* each dump tells all again */
		for (unsigned i = 1; i <= opt.n; i++) {
			uint64_t all = i % 3 || k < 2 ? 0 : 1;

			if (i % 3 == 0 && k == 3)
				continue;
			put_row(i, 1000 * i * k, all * 1000 * i * k, i * k, all * i * k);
		}
		end_dump("libc.malloc", k * SECOND);
		end_profile(2, 2, 0, k * SECOND);
	}
}

static void put_heaps(void)
{
	profiles = 0;
	put_stacks(&part, 0);
	close_part(&packet, 12, &part);
	for (unsigned i = 1; i <= opt.n; i++)
		put_row(i, 1000 * i, 0, i, 0);
	end_dump("libc.malloc", SECOND);
	for (unsigned i = 1; i <= opt.n; i++)
		put_row(i, 10 * i, 0, 1, 0);
	end_dump("textures", SECOND);
	for (unsigned i = 1; i <= opt.n; i++)
		put_row(i, i, 0, 2, 1);
	end_dump("com.android.art", SECOND);
	end_profile(3, 3, 0, SECOND);
}

static void put_most(void)
{
	profiles = 0;
	put_stacks(&part, 0);
	close_part(&packet, 12, &part);
	for (unsigned i = 1; i <= opt.n; i++) {
		number(&leaf, 1, i);
		number(&leaf, 8, 7 * i);
		number(&leaf, 9, 2 * i);
		close_part(&inner, 2, &leaf);
	}
	end_dump("libc.malloc", SECOND);
	end_profile(4, 3, 0, SECOND);
}

/* --- a graph --- */

static void put_type(uint64_t id, const char *name, uint64_t size, uint64_t super, unsigned kind,
		     uint64_t field)
{
	number(&leaf, 1, id);
	text(&leaf, 3, name);
	number(&leaf, 2, 1);
	if (size)
		number(&leaf, 4, size);
	if (super)
		number(&leaf, 5, super);
	if (field)
		number(&leaf, 6, field);
	number(&leaf, 7, kind);
	close_part(&part, 9, &leaf);
}

static void end_graph(unsigned seq, int goes_on, uint64_t index, uint64_t ns)
{
	number(&part, 1, 100);
	if (goes_on)
		number(&part, 5, 1);
	number(&part, 6, index);
	close_part(&packet, 56, &part);
	at(ns);
	end_packet(&out, seq, 0);
}

/* Objects have the numbers 0x1000 + 8 i. */
static void put_graph(unsigned seq, uint64_t ns)
{
	const uint64_t first = 0x1008;

	for (unsigned i = 1; i <= opt.n; i++) {
		struct message refs = {0};

		if (i == 1)
			number(&leaf, 1, first);
		else
			number(&leaf, 7, 8);
		number(&leaf, 2, 1); /* its size is its type's */
		number(&leaf, 6, 0x1000);
		varint(&refs, i < opt.n ? 8 * (i + 1) : 0);
		varint(&refs, 8);
		bytes(&leaf, 5, refs.p, refs.n);
		free(refs.p);
		close_part(&part, 2, &leaf);
	}
	number(&leaf, 1, 0x9000);
	number(&leaf, 2, 3);
	number(&leaf, 3, 64);
	number(&leaf, 5, first); /* element of an array: without a name */
	close_part(&part, 2, &leaf);
	end_graph(seq, 1, 0, ns);

	number(&leaf, 1, first);
	number(&leaf, 2, 8);
	close_part(&part, 7, &leaf);
	put_type(1, "a.b", 24, 2, 1, 1);
	put_type(2, "app.Base", 16, 0, 1, 2);
	put_type(3, "a.b[]", 0, 0, 4, 0);
	interned(&part, 4, 1, "a.b a.b.c");
	interned(&part, 4, 2, "app.Base app.Base.first");
	interned(&part, 8, 1, "/data/app/~~XYZ==/com.example.game-ABC==/base.apk");
	end_graph(seq, 0, 1, ns);
}

static void put_mapping(void)
{
	text(&inner, 1, "c");
	text(&inner, 2, "next");
	close_part(&leaf, 3, &inner);
	text(&leaf, 1, "a.b");
	text(&leaf, 2, "app.Node");
	text(&part, 1, "com.example.game");
	close_part(&part, 3, &leaf);
	close_part(&packet, 64, &part);
	end_packet(&out, 0, 0);
}

/* --- tracks --- */

enum {
	TRACK_MAIN = 1000,
	TRACK_WORKER,
	TRACK_ASYNC,
	TRACK_BYTES,
	TRACK_TIME,
	TRACK_DECIMALS,
	TRACK_PROCESS
};

static void put_thread_track(struct message *to, uint64_t uuid, unsigned tid, const char *name)
{
	number(&part, 1, uuid);
	number(&leaf, 1, 100);
	number(&leaf, 2, tid);
	text(&leaf, 5, name);
	close_part(&part, 4, &leaf);
	close_part(&packet, 60, &part);
	end_packet(to, 0, 0);
}

static void put_tracks(struct message *to)
{
	put_thread_track(to, TRACK_MAIN, 100, "Main Thread");
	put_thread_track(to, TRACK_WORKER, 101, "Worker");
	number(&part, 1, TRACK_PROCESS);
	number(&leaf, 1, 100);
	text(&leaf, 6, "game");
	close_part(&part, 3, &leaf);
	close_part(&packet, 60, &part);
	end_packet(to, 0, 0);
	number(&part, 1, TRACK_ASYNC);
	number(&part, 5, TRACK_PROCESS);
	text(&part, 2, "Loading");
	close_part(&packet, 60, &part);
	end_packet(to, 0, 0);
}

static void put_names(unsigned seq, uint64_t track)
{
	interned(&part, 1, 1, "game");
	interned(&part, 2, 1, "Frame");
	interned(&part, 2, 2, "Update");
	interned(&part, 2, 3, "Physics");
	close_part(&packet, 12, &part);
	number(&leaf, 11, track);
	close_part(&part, 11, &leaf);
	if (is("clock"))
		number(&part, 58, 3);
	close_part(&packet, 59, &part);
	end_packet(&out, seq, 1);
}

static void put_call(unsigned seq, unsigned type, unsigned name, uint64_t track, uint64_t ns)
{
	number(&part, 9, type);
	if (name) {
		number(&part, 10, name);
		number(&part, 3, 1);
	}
	if (track)
		number(&part, 11, track);
	close_part(&packet, 11, &part);
	at(is("clock") ? ns - 7 * SECOND : ns);
	end_packet(&out, seq, 2);
}

static void put_thread_calls(unsigned seq, uint64_t track)
{
	put_names(seq, track);
	for (unsigned i = 0; i < opt.n; i++) {
		uint64_t t = 10ull * MS * i;

		if (is("lost") && i == opt.n / 2) { /* from here on, until all is sent again */
			number(&packet, 42, 1);
			end_packet(&out, seq, 0);
		}
		put_call(seq, 1, 1, 0, t);
		put_call(seq, 1, 2, 0, t + MS);
		put_call(seq, 1, 3, 0, t + 2 * MS);
		put_call(seq, 2, 3, 0, t + 3 * MS);
		put_call(seq, 2, 0, 0, t + 5 * MS);
		if (!is("unended") || i + 1 < opt.n)
			put_call(seq, 2, 0, 0, t + 10 * MS);
		if (i == 1 && seq == 10)
			put_call(seq, 2, 0, TRACK_ASYNC, 8 * MS);
		if (i == 1 && seq == 11)
			put_call(seq, 1, 3, TRACK_ASYNC, 6 * MS);
	}
}

static void put_calls(void)
{
	if (!is("late"))
		put_tracks(&out);
	put_thread_calls(10, TRACK_MAIN);
	put_thread_calls(11, TRACK_WORKER);
	if (is("late"))
		put_tracks(&late);
}

static void put_counter_track(uint64_t uuid, const char *name, unsigned unit, int64_t factor,
			      int steps)
{
	number(&part, 1, uuid);
	text(&part, 2, name);
	number(&leaf, 3, unit);
	if (factor != 1)
		number(&leaf, 4, (uint64_t)factor);
	if (steps)
		number(&leaf, 5, 1);
	close_part(&part, 8, &leaf);
	close_part(&packet, 60, &part);
	end_packet(&out, 0, 0);
}

static void put_counters(void)
{
	put_counter_track(TRACK_BYTES, "textures", 3, 1, 0);
	put_counter_track(TRACK_TIME, "busy", 1, MS, 1);
	put_counter_track(TRACK_DECIMALS, "fps", 2, 1, 0);
	end_packet(&out, 12, 1);
	for (unsigned i = 1; i <= opt.n; i++) {
		number(&part, 9, 4);
		number(&part, 11, TRACK_BYTES);
		number(&part, 30, 1000 * i);
		number(&part, 31, TRACK_TIME); /* beside it */
		number(&part, 12, i);
		varint(&part, 45 << 3);
		varint(&part, TRACK_DECIMALS);
		real(&part, 46, i + 0.25);
		close_part(&packet, 11, &part);
		at(10ull * MS * i);
		end_packet(&out, 12, 2);
	}
}

/* --- samples --- */

static void put_symbols(struct message *to)
{
	for (unsigned i = 5; i <= opt.n; i += 5) {
		char name[48];

		text(&inner, 1, "std::vector<int>::at()");
		text(&inner, 2, "/usr/include/vector");
		number(&inner, 3, 7);
		close_part(&leaf, 2, &inner);
		snprintf(name, sizeof name, "Game::leaf%u(int)", i);
		text(&inner, 1, name);
		text(&inner, 2, "game.cc");
		number(&inner, 3, i);
		close_part(&leaf, 2, &inner);
		number(&leaf, 1, 0x1000 + 16 * (6 + i));
		close_part(&part, 3, &leaf);
	}
	text(&part, 1, "/system/libgame.so");
	bytes(&part, 2, build_id, 20);
	close_part(&packet, 61, &part);
	end_packet(to, 0, 0);
}

static void put_samples(void)
{
	put_stacks(&part, 0);
	close_part(&packet, 12, &part);
	end_packet(&out, 20, 1);
	for (unsigned i = 1; i <= opt.n; i++) {
		number(&part, 2, 100);
		number(&part, 3, 100 + i % 3);
		number(&part, 4, i);
		close_part(&packet, 66, &part);
		at((uint64_t)MS * i);
		end_packet(&out, 20, 2);
	}
	number(&part, 1, 0);
	number(&part, 17, 9);
	close_part(&packet, 66, &part);
	end_packet(&out, 20, 2);
	put_symbols(&out);
}

static void put_java_frame(unsigned id, unsigned name, unsigned line)
{
	number(&leaf, 1, id);
	number(&leaf, 2, name);
	number(&leaf, 3, 1);
	number(&leaf, 4, 0x1000 * id);
	if (line) {
		number(&leaf, 5, 1);
		number(&leaf, 6, line);
	}
	close_part(&part, 6, &leaf);
	number(&leaf, 1, id);
	number(&leaf, 2, id);
	close_part(&part, 7, &leaf);
}

/* A line of R8's mapping: FROM:TO:void PLAIN():SOURCE[:SOURCE_TO] -> NAME. */
static void put_method(const char *name, const char *plain, unsigned from, unsigned to,
		       unsigned source, unsigned source_to)
{
	text(&inner, 1, name);
	text(&inner, 2, plain);
	if (from) {
		number(&inner, 3, from);
		number(&inner, 4, to);
		number(&inner, 5, source);
	}
	if (source_to)
		number(&inner, 6, source_to);
	close_part(&leaf, 4, &inner);
}

static void put_java(void)
{
	static const char path[] = "/data/app/~~XYZ==/com.example.game-ABC==/base.apk";

	interned(&part, 5, 1, "a.a");
	interned(&part, 5, 2, "a.z");
	interned(&part, 18, 1, "Main.java");
	interned(&part, 17, 1, path);
	number(&leaf, 1, 1);
	number(&leaf, 7, 1);
	close_part(&part, 19, &leaf);
	for (unsigned id = 1; id <= 7; id++)
		put_java_frame(id, id < 7 ? 1 : 2, id == 4 ? 13 : id == 5 ? 20 : 0);
	close_part(&packet, 12, &part);
	end_packet(&out, 23, 1);
	for (unsigned i = 1; i <= 7; i++) {
		number(&part, 2, 100);
		number(&part, 3, 100);
		number(&part, 4, i);
		close_part(&packet, 66, &part);
		at((uint64_t)MS * i);
		end_packet(&out, 23, 2);
	}
	for (unsigned i = 1; i <= 3; i++) {
		text(&inner, 1, "a.a");
		text(&inner, 2, "Main.java");
		number(&inner, 3, i);
		close_part(&leaf, 2, &inner);
		number(&leaf, 1, 0x1000 * i);
		close_part(&part, 3, &leaf);
	}
	text(&part, 1, path);
	close_part(&packet, 61, &part);
	end_packet(&out, 0, 0);
	for (int twice = 0; twice < 2; twice++) {
		text(&leaf, 1, "a");
		text(&leaf, 2, "com.example.Main");
		put_method("a", "foo", 1, 1, 54, 54);
		put_method("a", "test", 1, 1, 50, 0);
		put_method("a", "bar", 2, 2, 59, 59);
		put_method("a", "foo", 2, 2, 55, 0);
		put_method("a", "test", 2, 2, 50, 0);
		put_method("a", "baz", 3, 3, 64, 64);
		put_method("a", "bar", 3, 3, 60, 0);
		put_method("a", "foo", 3, 3, 55, 0);
		put_method("a", "test", 3, 3, 50, 0);
		put_method("a", "run", 10, 15, 100, 105);
		put_method("a", "com.example.Other.step", 20, 24, 7, 11);
		put_method("z", "com.example.B.bar", 0, 0, 0, 0);
		text(&part, 1, "com.example.game");
		close_part(&part, 3, &leaf);
		close_part(&packet, 64, &part);
		end_packet(&out, 0, 0);
	}
}

static void put_chrome(void)
{
	number(&part, 1, 100);
	number(&part, 2, 102);
	number(&part, 6, (START - 7 * SECOND) / 1000); /* of MONOTONIC */
	close_part(&packet, 44, &part);
	put_stacks(&part, 0);
	close_part(&packet, 12, &part);
	end_packet(&out, 21, 1);
	for (unsigned i = 1; i <= opt.n; i++) {
		varint(&inner, i);
		varint(&leaf, 1000);
		if (i % 10 && i < opt.n)
			continue;
		close_part(&part, 1, &inner);
		close_part(&part, 2, &leaf);
		close_part(&packet, 54, &part);
		end_packet(&out, 21, 2);
	}
}

static void put_sampler(void)
{
	for (unsigned i = 1; i <= opt.n; i++) {
		static const char *const names[] = {"main", "run", "eval"};

		number(&leaf, 2, 100);
		number(&leaf, 3, 101);
		close_part(&part, 1, &leaf);
		for (unsigned k = 0; k < 2 + i % 2; k++) {
			text(&leaf, 1, names[k]);
			text(&leaf, 2, "game.py");
			number(&leaf, 3, k + 1);
			close_part(&inner, 1, &leaf);
		}
		close_part(&part, 5, &inner);
		text(&leaf, 2, "wall");
		number(&leaf, 3, 1);
		number(&leaf, 5, 1000);
		close_part(&part, 9, &leaf);
		number(&part, 11, 5000);
		close_part(&packet, 135, &part);
		at(5ull * MS * i);
		end_packet(&out, 22, 0);
	}
}

static void put_stats(void)
{
	for (unsigned i = 1; i <= opt.n; i++) {
		number(&leaf, 1, 100);
		number(&leaf, 3, 100 * i);
		close_part(&part, 1, &leaf);
		close_part(&packet, 9, &part);
		at(10ull * MS * i);
		end_packet(&out, 0, 0);
	}
}

static void put_mark_of(uint64_t ns, unsigned tid, const char *text_of_mark)
{
	number(&inner, 1, START + ns);
	number(&inner, 2, tid);
	number(&leaf, 1, 0);
	text(&leaf, 2, text_of_mark);
	close_part(&inner, 3, &leaf);
	close_part(&part, 2, &inner);
}

static void put_mark(uint64_t ns, const char *text_of_mark)
{
	put_mark_of(ns, 100, text_of_mark);
}

static void end_bundle(unsigned cpu)
{
	number(&part, 1, cpu);
	close_part(&packet, 1, &part);
	end_packet(&out, 30 + cpu, 0);
}

static void put_atrace(void)
{
	char s[64];

	for (uint64_t i = 0; i < opt.n; i++) { /* ends and counters */
		uint64_t at = i * 16 * MS;

		put_mark(at + 6 * MS, "E|100\n");
		put_mark(at + 14 * MS, "E|100");
		snprintf(s, sizeof s, "C|100|score|%u.5", (unsigned)i);
		put_mark(at + MS, s);
		snprintf(s, sizeof s, "S|100|load|%u", (unsigned)i);
		put_mark(at + 3 * MS, s);
	}
	put_mark(0, "I|100|shot");
	put_mark(0, "hello");
	end_bundle(1);
	for (uint64_t i = 0; i < opt.n; i++) {
		uint64_t at = i * 16 * MS;

		put_mark(at, "B|100|Frame");
		put_mark(at + 2 * MS, "B|100|Update | all");
		snprintf(s, sizeof s, "F|100|load|%u", (unsigned)i);
		put_mark(at + 23 * MS, s);
	}
	end_bundle(0);
}

/* An event of the kernel; its own part is in inner. */
static void put_event(uint64_t ns, unsigned tid, unsigned kind)
{
	number(&leaf, 1, START + ns);
	number(&leaf, 2, tid);
	close_part(&leaf, kind, &inner);
	close_part(&part, 2, &leaf);
}

static void put_switch(uint64_t ns, unsigned prev, unsigned state, unsigned next)
{
	number(&inner, 2, prev);
	number(&inner, 4, state);
	text(&inner, 5, next ? "kernel name" : "swapper/1");
	number(&inner, 6, next);
	put_event(ns, prev, 4);
}

/*
 * A frame of 16 ms: thread 101 is in "Frame" from 0 to 12 ms, and in "Wait" from 2 to 9 ms. It runs until 3 ms, sleeps
 * until 7, could run, and does so from 8 to 13, when it sleeps. So "Frame" has 5 ms of its own, "Wait" 2; 4 ms are asleep
 * and 1 runnable, and 1 ms it runs in no call. Another processor tells by its list of switches: thread 102 runs from 0
 * to 3 ms and from 8 to 9; between, thread 900 of an unknown process.
 */
static void put_sched(void)
{
	struct message times = {0}, states = {0}, next = {0}, names = {0}, ready_times = {0},
		       ready = {0};
	uint64_t last = 0, last_ready = 0;

	for (uint64_t i = 0; i < opt.n; i++) {
		uint64_t at = i * 16 * MS;

		put_switch(at, 0, 0, 101);
		number(&inner, 2, 101);
		put_event(at + 7 * MS, 0, 20);
		put_switch(at + 3 * MS, 101, 1, 0);
		put_switch(at + 8 * MS, 0, 0, 101);
		put_switch(at + 13 * MS, 101, 1, 0);
		number(&inner, 1, 1000000 + 1000 * (i % 3));
		number(&inner, 2, 3);
		put_event(at, 0, 11);
		number(&inner, 1, 1);
		number(&inner, 2, 40500 + i);
		text(&inner, 4, "skin");
		put_event(at, 0, 341);
		put_mark_of(at, 101, "B|100|Frame");
		put_mark_of(at + 2 * MS, 101, "B|100|Wait");
		put_mark_of(at + 9 * MS, 101, "E|100");
		put_mark_of(at + 12 * MS, 101, "E|100");
	}
	end_bundle(0);
	text(&leaf, 5, "swapper/2");
	text(&leaf, 5, "worker");
	text(&leaf, 5, "stranger");
	for (uint64_t i = 0; i < opt.n; i++) {
		static const unsigned tids[] = {102, 900, 102, 0};
		static const unsigned of_name[] = {1, 2, 1, 0};
		static const unsigned after[] = {0, 3, 8, 9};

		for (unsigned k = 0; k < 4; k++) {
			uint64_t now = START + i * 16 * MS + after[k] * MS;

			varint(&times, now - last);
			last = now;
			varint(&states, k == 1 || k == 2 ? 0 : 2);
			varint(&next, tids[k]);
			varint(&names, of_name[k]);
		}
		varint(&ready_times, START + i * 16 * MS - last_ready);
		last_ready = START + i * 16 * MS;
		varint(&ready, 102);
	}
	bytes(&leaf, 1, times.p, times.n);
	bytes(&leaf, 2, states.p, states.n);
	bytes(&leaf, 3, next.p, next.n);
	bytes(&leaf, 6, names.p, names.n);
	bytes(&leaf, 7, ready_times.p, ready_times.n);
	bytes(&leaf, 8, ready.p, ready.n);
	close_part(&part, 4, &leaf);
	end_bundle(2);
	free(times.p);
	free(states.p);
	free(next.p);
	free(names.p);
	free(ready_times.p);
	free(ready.p);
}

static void end_system(unsigned kind, uint64_t ns)
{
	close_part(&packet, kind, &part);
	at(ns);
	end_packet(&out, 50, 0);
}

/* Memory, clocks, the battery, a GPU's counters, and lines of the log. */
static void put_system(void)
{
	for (unsigned i = 0; i < opt.n; i++) {
		uint64_t now = (uint64_t)i * 10 * MS;

		number(&leaf, 1, 3);
		number(&leaf, 2, 1000 + i);
		close_part(&part, 1, &leaf);
		number(&part, 11, 1800000);
		number(&part, 11, 2400000 + i);
		end_system(7, now);
		number(&part, 3, (uint64_t)-250000 - i);
		varint(&part, 2 << 3 | 5);
		for (unsigned k = 0; k < 4; k++)
			byte(&part, 0x42a90000 >> 8 * k & 255); /* 84.5 */
		end_system(38, now);
		if (!i) {
			number(&leaf, 1, 7);
			text(&leaf, 2, "Busy");
			number(&leaf, 7, 37);
			close_part(&inner, 1, &leaf);
			close_part(&part, 1, &inner);
		}
		number(&inner, 1, 7);
		real(&inner, 3, 0.25);
		close_part(&part, 2, &inner);
		number(&inner, 1, 8);
		number(&inner, 2, 1);
		close_part(&part, 2, &inner);
		end_system(52, now);
		number(&leaf, 2, 100);
		number(&leaf, 5, REAL_START + now);
		text(&leaf, 6, "Unity");
		number(&leaf, 7, 2 + i % 6);
		text(&leaf, 8, "level loaded\n");
		close_part(&part, 1, &leaf);
		text(&inner, 1, "pss");
		number(&inner, 2, 77);
		close_part(&leaf, 9, &inner);
		number(&leaf, 5, REAL_START + now + MS);
		text(&leaf, 6, "am_pss");
		close_part(&part, 1, &leaf);
		end_system(39, now);
	}
}

static void end_timeline(unsigned field, uint64_t from, uint64_t to, unsigned cookie)
{
	close_part(&part, field, &inner);
	close_part(&packet, 76, &part);
	at(from);
	end_packet(&out, 40, 0);
	number(&inner, 1, cookie);
	close_part(&part, 5, &inner);
	close_part(&packet, 76, &part);
	at(to);
	end_packet(&out, 40, 0);
}

static void put_surface(unsigned field, const char *layer, unsigned token, unsigned jank,
			uint64_t from, uint64_t to)
{
	static unsigned cookie;

	number(&inner, 1, ++cookie);
	number(&inner, 2, token);
	number(&inner, 4, 100);
	text(&inner, 5, layer);
	if (jank)
		number(&inner, 9, jank);
	end_timeline(field, from, to, cookie);
}

static void put_timeline(void)
{
	for (unsigned i = 0; i < opt.n; i++) {
		uint64_t from = (uint64_t)i * 16 * MS;
		bool late_frame = i % 5 == 4;

		put_surface(3, "game", 1000 + i, 0, from, from + 16 * MS);
		put_surface(4, "game", 1000 + i, late_frame ? 64 : 1, from + MS,
			    from + (late_frame ? 31 : 11) * MS);
	}
	put_surface(4, "other", 7, 1, 5 * MS, 9 * MS);
	number(&inner, 1, 99999);
	number(&inner, 2, 8);
	number(&inner, 3, 50);
	number(&inner, 7, 2 | 16);
	end_timeline(2, 3 * MS, 8 * MS, 99999);
}

static void put_others(void)
{
	for (int i = 0; i < 2; i++) {
		number(&part, 1, 0);
		close_part(&packet, 1, &part);
		end_packet(&out, 30, 0);
	}
	number(&part, 1, 0);
	close_part(&packet, 53, &part);
	end_packet(&out, 31, 0);
}

/* What cannot be true: a length beyond its message, and an object before its time. */
static void put_lies(void)
{
	varint(&packet, 37 << 3 | 2);
	varint(&packet, 1u << 30);
	byte(&packet, 1);
	close_part(&out, 1, &packet);
	varint(&part, 5 << 3 | 2);
	varint(&part, 200);
	close_part(&packet, 37, &part);
	end_packet(&out, 1, 0);
}

/* --- the whole --- */

static uint32_t adler(const unsigned char *p, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

/* A zlib stream of stored blocks. */
static void store(struct message *to, const unsigned char *p, size_t n)
{
	uint32_t sum = adler(p, n);

	byte(to, 0x78);
	byte(to, 1);
	for (size_t i = 0; i < n;) {
		size_t now = n - i < 65535 ? n - i : 65535;

		byte(to, i + now == n);
		byte(to, now & 255);
		byte(to, now >> 8);
		byte(to, ~now & 255);
		byte(to, ~now >> 8 & 255);
		for (size_t k = 0; k < now; k++)
			byte(to, p[i++]);
	}
	for (int i = 24; i >= 0; i -= 8)
		byte(to, sum >> i & 255);
}

static void pack(void)
{
	struct message packed = {0};

	if (!strcmp(opt.pack, "zlib")) {
		store(&packed, out.p, out.n);
		bytes(&packet, 50, packed.p, packed.n);
	} else {
		struct zstd *z = zstd_new();
		void *to = malloc(out.n + 1024);

		bytes(&packet, 133, to, zstd_pack(z, to, out.n + 1024, out.p, out.n, 3));
		zstd_free(z);
		free(to);
	}
	out.n = 0;
	close_part(&out, 1, &packet);
	free(packed.p);
}

static int put_kind(const char *kind)
{
	if (!strcmp(kind, "heap") || !strcmp(kind, "old"))
		put_heap(*kind == 'o');
	else if (!strcmp(kind, "dumps"))
		put_dumps();
	else if (!strcmp(kind, "heaps"))
		put_heaps();
	else if (!strcmp(kind, "most"))
		put_most();
	else if (!strcmp(kind, "graph"))
		put_graph(5, SECOND);
	else if (!strcmp(kind, "calls"))
		put_calls();
	else if (!strcmp(kind, "counters"))
		put_counters();
	else if (!strcmp(kind, "samples"))
		put_samples();
	else if (!strcmp(kind, "java"))
		put_java();
	else if (!strcmp(kind, "chrome"))
		put_chrome();
	else if (!strcmp(kind, "sampler"))
		put_sampler();
	else if (!strcmp(kind, "stats"))
		put_stats();
	else if (!strcmp(kind, "atrace"))
		put_atrace();
	else if (!strcmp(kind, "sched"))
		put_sched();
	else if (!strcmp(kind, "system"))
		put_system();
	else if (!strcmp(kind, "timeline"))
		put_timeline();
	else if (!strcmp(kind, "others"))
		put_others();
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
		if (!strcmp(argv[i], "--n"))
			opt.n = (unsigned)atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--pack"))
			opt.pack = argv[i + 1];
		else if (!strcmp(argv[i], "--variant"))
			opt.variant = argv[i + 1];
		else
			return 2;
	if (i == argc || !opt.n)
		return 2;
	put_clocks();
	if (!is("late"))
		put_processes(&out);
	for (; i < argc; i++) {
		if (!put_kind(argv[i]))
			return 2;
		if (!strcmp(argv[i], "graph"))
			put_mapping();
	}
	if (is("lying"))
		put_lies();
	if (is("late"))
		put_processes(&late);
	for (size_t k = 0; k < late.n; k++)
		byte(&out, late.p[k]);
	if (opt.pack)
		pack();
	if (fwrite(out.p, 1, out.n, stdout) != out.n)
		return 1;
	free(out.p);
	free(packet.p);
	free(part.p);
	free(inner.p);
	free(leaf.p);
	free(late.p);
	return fflush(stdout) ? 1 : 0;
}

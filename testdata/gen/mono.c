/* SPDX-License-Identifier: MIT
 *
 * mono KIND: a log of Mono's profiler as log.h of its data version describes it, on standard
 * output; its truth is below. Kinds:
 *
 *	17, 14     data versions
 *	cut        ends within the last buffer
 *	unknown    a buffer with an event of an unknown type in its middle
 *	junk       bytes between two buffers
 *	names      without any names
 *	old, new   data versions 12 and 18
 *	count      a backtrace of more frames than there are bytes
 *	empty      a header only
 *	reused     thread 77, First, is in Play from 1000 to 3000 ns and ends at 4000; the next
 *	           thread, Second, has its number and is in Play from 10000 to 10500 ns
 *	unload     an image's unload, without the id that its load has, between two allocations of 24 bytes
 *	native     samples of native code at near+16 and near+2047, once in far, which begins 2048 bytes
 *	           behind near, and twice where no symbol is near: before near, 2 MiB behind far. Symbols
 *	           have no sizes, as in all logs of Mono 6
 *	many N     N allocations, of 16 to 1039 bytes, 2 in 3 with a stack; the sum of bytes goes to
 *	           standard error
 *
 * Two threads. Main: 3 allocations of Game.Ball, 24 + 24 + 40 = 88 bytes, at Game:Main > Game:Play
 * > Ball:.ctor (twice) and Game:Main > Game:Play; one of System.String, 30 bytes, without a stack.
 * Helper: one Game.Ball of 24. A collection from 5000 to 7000 ns, the heap then 1 MiB. Play is
 * entered at 8000 and left at 9000. A sample hit in Play's code, called by Main. One heap snapshot:
 * ball 1 (24 B) with field +16 to string 2 (30 B) and, in a second record, +24 to ball 3 (40 B);
 * root "static: Game.Ball" holds ball 1. A counter of 5 B, then 12 B; one of 3 ms.
 */
#include "lib/base/buf.h"
#include "testdata/gen/gen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t pointers = 0x7f0000001000, objects = 0x0fe000000000, methods = 0x55550000;

enum { MAIN = 100, PLAY = 200, CTOR = 300 };                          /* methods, from their base */
enum { IMAGE = 8, BALL = 16, STRING = 24, BALLS = 32, STRINGS = 40 }; /* from pointers */

struct log {
	struct buf file, events;
	unsigned version;
	bool names;
	uint64_t method; /* the one before, from its base */
};

static void u32(struct buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

static void u64(struct buf *b, uint64_t v)
{
	u32(b, (uint32_t)v);
	u32(b, (uint32_t)(v >> 32));
}

static void sleb(struct buf *b, int64_t v)
{
	for (;;) {
		unsigned byte = (unsigned)(v & 127);

		v >>= 7;
		if ((!v && !(byte & 64)) || (v == -1 && (byte & 64))) {
			buf_addc(b, (char)byte);
			return;
		}
		buf_addc(b, (char)(byte | 128));
	}
}

static void text(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static void event(struct log *l, unsigned type, unsigned more, uint64_t after)
{
	buf_addc(&l->events, (char)(type | more << 4));
	buf_add_uleb(&l->events, after);
}

static void method(struct log *l, uint64_t m)
{
	sleb(&l->events, (int64_t)(m - l->method));
	l->method = m;
}

static void header(struct log *l)
{
	static const char *const texts[] = {"log:alloc", "x86-64", "linux"};

	u32(&l->file, 0x4D505A01);
	buf_addc(&l->file, l->version >= 15 ? 3 : 2);
	buf_addc(&l->file, 0);
	buf_addc(&l->file, (char)l->version);
	buf_addc(&l->file, 8);
	u64(&l->file, 1600000000000);
	if (l->version >= 15)
		u64(&l->file, 1000000);
	u32(&l->file, 30);
	u32(&l->file, 0);
	u32(&l->file, 4711);
	buf_add(&l->file, "\0\0", 2);
	for (int i = 0; i < 3; i++) {
		u32(&l->file, (uint32_t)strlen(texts[i]) + 1);
		text(&l->file, texts[i]);
	}
}

/* What has gathered becomes a buffer. */
static void buffer(struct log *l, uint64_t time, uint64_t thread)
{
	u32(&l->file, 0x4D504C01);
	u32(&l->file, (uint32_t)l->events.len);
	u64(&l->file, time);
	u64(&l->file, pointers);
	u64(&l->file, objects);
	u64(&l->file, thread);
	u64(&l->file, methods);
	if (l->events.len)
		buf_add(&l->file, l->events.data, l->events.len);
	l->events.len = 0;
	l->method = 0;
}

static void name_class(struct log *l, int class, int vtable, const char *name)
{
	event(l, 2, 2, 0);
	buf_addc(&l->events, 1);
	sleb(&l->events, class);
	sleb(&l->events, IMAGE);
	text(&l->events, name);
	if (l->version < 15)
		return;
	event(l, 2, 2, 0);
	buf_addc(&l->events, 7);
	sleb(&l->events, vtable);
	sleb(&l->events, 0);
	sleb(&l->events, class);
}

static void jit(struct log *l, uint64_t m, int code, const char *name)
{
	event(l, 3, 4, 0);
	method(l, m);
	sleb(&l->events, code);
	buf_add_uleb(&l->events, 64);
	text(&l->events, name);
}

static void thread_name(struct log *l, uint64_t id, const char *name)
{
	event(l, 2, 0, 0);
	buf_addc(&l->events, 5);
	sleb(&l->events, (int64_t)(id - pointers));
	text(&l->events, name);
}

static void names(struct log *l)
{
	event(l, 2, 2, 0); /* image */
	buf_addc(&l->events, 2);
	sleb(&l->events, IMAGE);
	text(&l->events, "game.exe");
	if (l->version >= 16)
		text(&l->events, "00000000-0000-0000-0000-000000000000");
	name_class(l, BALL, BALLS, "Game.Ball");
	name_class(l, STRING, STRINGS, "System.String");
	jit(l, MAIN, 0x1000, "Game:Main ()");
	jit(l, PLAY, 0x2000, "Game:Play (int)");
	jit(l, CTOR, 0x3000, "Game.Ball:.ctor ()");
	thread_name(l, 77, "Main");
}

static void alloc(struct log *l, bool string, int object, unsigned size, unsigned n, uint64_t after)
{
	static const uint64_t stack[] = {MAIN, PLAY, CTOR}; /* outermost first */

	event(l, 0, n ? 1 : 0, after);
	if (l->version < 15)
		sleb(&l->events, string ? STRING : BALL);
	else
		sleb(&l->events, string ? STRINGS : BALLS);
	sleb(&l->events, object);
	buf_add_uleb(&l->events, size);
	if (!n)
		return;
	buf_add_uleb(&l->events, n);
	for (unsigned i = 0; i < n; i++)
		method(l, stack[i]);
}

static void collection(struct log *l, unsigned what, uint64_t after)
{
	event(l, 1, 1, after);
	buf_addc(&l->events, (char)what);
	buf_addc(&l->events, 1);
}

static void hit(struct log *l)
{
	event(l, 7, 0, 100);
	sleb(&l->events, (int64_t)(77 - pointers));
	buf_add_uleb(&l->events, 2);
	sleb(&l->events, 0x900000); /* native, of no function */
	sleb(&l->events, 0x2010);
	buf_add_uleb(&l->events, 2);
	method(l, PLAY); /* innermost first */
	method(l, MAIN);
}

static void object(struct log *l, bool string, int at, unsigned size, unsigned offset, int to)
{
	event(l, 6, 2, 0);
	sleb(&l->events, at);
	if (l->version < 15)
		sleb(&l->events, string ? STRING : BALL);
	else
		sleb(&l->events, string ? STRINGS : BALLS);
	buf_add_uleb(&l->events, size);
	if (l->version >= 16)
		buf_addc(&l->events, 0);
	buf_add_uleb(&l->events, offset ? 1 : 0);
	if (offset) {
		buf_add_uleb(&l->events, offset);
		sleb(&l->events, to);
	}
}

static void snapshot(struct log *l)
{
	if (l->version >= 15) {
		event(l, 6, 4, 0);
		sleb(&l->events, 0x5000);
		buf_add_uleb(&l->events, 64);
		buf_addc(&l->events, 3); /* static */
		sleb(&l->events, BALLS);
		text(&l->events, "fields");
	}
	event(l, 6, 0, 10);
	event(l, 6, 3, 0);
	buf_add_uleb(&l->events, 1);
	if (l->version < 15)
		buf_add_uleb(&l->events, 1);
	else
		sleb(&l->events, 0x5008);
	sleb(&l->events, 1);
	if (l->version < 15) {
		buf_add_uleb(&l->events, 3);
		buf_add_uleb(&l->events, 0);
	}
	object(l, false, 1, 24, 16, 2);
	object(l, true, 2, 30, 0, 0);
	object(l, false, 3, 40, 0, 0);
	object(l, false, 1, 0, 24, 3);
	event(l, 6, 1, 0);
}

static void small(struct log *l, uint32_t v)
{
	if (l->version >= 15)
		buf_add_uleb(&l->events, v);
	else
		buf_addc(&l->events, (char)v);
}

static void counters(struct log *l)
{
	event(l, 7, 3, 0);
	buf_add_uleb(&l->events, 2);
	for (unsigned i = 1; i <= 2; i++) {
		buf_add_uleb(&l->events, 0x100);
		text(&l->events, i == 1 ? "Pool size" : "Pool time");
		small(l, 3);
		small(l, l->version >= 15 ? i << 24 : i); /* bytes, time */
		small(l, 0);
		buf_add_uleb(&l->events, i);
	}
	for (unsigned i = 0; i < 2; i++) {
		event(l, 7, 4, 50);
		buf_add_uleb(&l->events, 1);
		small(l, 3);
		sleb(&l->events, i ? 7 : 5);
		if (!i) {
			buf_add_uleb(&l->events, 2);
			small(l, 3);
			sleb(&l->events, 30000);
		}
		buf_add_uleb(&l->events, 0);
	}
}

static void make(struct log *l, const char *kind)
{
	header(l);
	if (!strcmp(kind, "empty"))
		return;
	alloc(l, false, 1, 24, 3, 1000); /* before their names */
	alloc(l, false, 2, 24, 3, 500);
	buffer(l, 1000000, 77);
	if (!strcmp(kind, "junk"))
		buf_add(&l->file, "\1LPM this is no buffer, however much it looks like one.", 55);
	alloc(l, false, 9, 24, 2, 200);
	if (!strcmp(kind, "unknown"))
		event(l, 12, 0, 0);
	alloc(l, true, 8, 30, 0, 100);
	buffer(l, 1002000, 78);
	if (l->names)
		names(l);
	buffer(l, 1002500, 77);
	alloc(l, false, 3, 40, 2, 500);
	if (!strcmp(kind, "count")) {
		event(l, 0, 1, 0);
		sleb(&l->events, BALLS);
		sleb(&l->events, 5);
		buf_add_uleb(&l->events, 16);
		buf_add_uleb(&l->events, UINT64_C(1) << 62);
	}
	collection(l, 0, 1500);
	collection(l, 5, 2000);
	event(l, 1, 2, 0);
	buf_add_uleb(&l->events, 1 << 20);
	event(l, 3, 2, 1000);
	method(l, PLAY);
	event(l, 3, 1, 1000);
	method(l, PLAY);
	hit(l);
	buffer(l, 1003000, 77);
	counters(l);
	snapshot(l);
	buffer(l, 1010000, 79);
	if (!strcmp(kind, "cut"))
		l->file.len -= 20;
}

/* Buffers of some 60 KB, as the profiler's own are; written as they come. */
static void make_many(struct log *l, uint64_t n)
{
	uint64_t bytes = 0, x = 1;

	header(l);
	names(l);
	buffer(l, 1000000, 77);
	for (uint64_t i = 0; i < n; i++) {
		unsigned size;

		lcg(&x);
		size = 16 + (unsigned)(x >> 40) % 1024;
		bytes += size;
		alloc(l, x >> 60 & 1, (int)(i % 1000000 + 1), size, (unsigned)(x >> 33) % 3 ? 3 : 0,
		      100);
		if (l->events.len > 60000 || i + 1 == n) {
			buffer(l, 1000000 + i * 100, 77);
			fwrite(l->file.data, 1, l->file.len, stdout);
			l->file.len = 0;
		}
	}
	fprintf(stderr, "allocs %llu bytes %llu\n", (unsigned long long)n,
		(unsigned long long)bytes);
}

static void play(struct log *l, uint64_t ns)
{
	event(l, 3, 2, 0);
	method(l, PLAY);
	event(l, 3, 1, ns);
	method(l, PLAY);
}

static void make_reused(struct log *l)
{
	header(l);
	jit(l, PLAY, 0x2000, "Game:Play (int)");
	thread_name(l, 77, "First");
	buffer(l, 1001000, 77);
	play(l, 2000);
	event(l, 2, 4, 1000); /* the thread is unloaded */
	buf_addc(&l->events, 5);
	sleb(&l->events, (int64_t)(77 - pointers));
	buffer(l, 1001000, 77);
	event(l, 2, 2, 0); /* and another loaded */
	buf_addc(&l->events, 5);
	sleb(&l->events, (int64_t)(77 - pointers));
	thread_name(l, 77, "Second");
	play(l, 500);
	buffer(l, 1010000, 77);
}

static void make_unload(struct log *l)
{
	header(l);
	names(l);
	alloc(l, false, 1, 24, 3, 1000);
	event(l, 2, 4, 0);
	buf_addc(&l->events, 2);
	sleb(&l->events, IMAGE);
	text(&l->events, "game.exe");
	alloc(l, false, 2, 24, 3, 1000);
	buffer(l, 1000000, 77);
}

static void make_native(struct log *l)
{
	enum { NEAR = 0x900000, FAR = NEAR + 2048, MIB = 1 << 20 };
	static const int hits[] = {NEAR + 16, NEAR + 2047, FAR + 16, NEAR - 1, FAR + 2 * MIB};

	header(l);
	for (int i = 0; i < 2; i++) {
		event(l, 7, 1, 0);
		sleb(&l->events, i ? NEAR : FAR);
		buf_add_uleb(&l->events, 0);
		text(&l->events, i ? "near" : "far");
	}
	for (int i = 0; i < 5; i++) {
		event(l, 7, 0, 100);
		sleb(&l->events, (int64_t)(77 - pointers));
		buf_add_uleb(&l->events, 1);
		sleb(&l->events, hits[i]);
		buf_add_uleb(&l->events, 0);
	}
	buffer(l, 1000000, 77);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 2 || (argc == 3 && !strcmp(argv[1], "many")) ? argv[1] : "";
	struct log l = {.version = 17, .names = strcmp(kind, "names") != 0};

	if (!*kind) {
		fprintf(stderr, "usage: mono KIND >FILE\n");
		return 2;
	}
	if (!strcmp(kind, "14"))
		l.version = 14;
	if (!strcmp(kind, "old"))
		l.version = 12;
	if (!strcmp(kind, "new"))
		l.version = 18;
	if (!strcmp(kind, "reused"))
		make_reused(&l);
	else if (!strcmp(kind, "unload"))
		make_unload(&l);
	else if (!strcmp(kind, "native"))
		make_native(&l);
	else if (argc == 3)
		make_many(&l, strtoull(argv[2], NULL, 10));
	else
		make(&l, kind);
	if (l.file.len)
		fwrite(l.file.data, 1, l.file.len, stdout);
	buf_release(&l.file);
	buf_release(&l.events);
	return fflush(stdout) ? 1 : 0;
}

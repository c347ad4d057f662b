/* SPDX-License-Identifier: MIT
 *
 *	hprof [--objects N] VARIANT >FILE 2>TRUTH
 *
 * A heap dump of Java: class demo.Game has a static field all, an array of N demo.Texture, of which object i has the
 * fields pixels (a byte[] of i % 7 bytes), id (an int) and, of its superclass demo.Asset, next (the texture before it;
 * null of the first). A weak reference of the root leads to texture 0. Texture 0 is a root of JNI, too.
 * VARIANT:
 *
 *	java      1.0.2, ids of 8 bytes, references of 4 in memory: a texture has 12 + 4 + 4 + 4 = 24 bytes
 *	wide      the same, references of 8: 12 + 8 + 4 + 8 = 32 bytes
 *	android   1.0.3, ids of 4 bytes, segments by heap; the class states 20 bytes of a texture, which are 24
 *	sites     java, with the stack of texture i: demo.Game.load (Game.java:7), below demo.Game.main (Game.java:3)
 *	damaged   java; texture 1 has a class that is not there, and of texture 2 two bytes are missing
 *
 * The truth: "objects N", "textures BYTES".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long objects = 3;
static struct buf out, body;
static unsigned id_size;
static uint64_t next = 0x1000;

enum {
	CLASS_NAME = 1,
	OBJECT,
	ASSET,
	TEXTURE,
	GAME,
	WEAK,
	ALL,
	PIXELS,
	ID,
	NEXT,
	REFERENT,
	LOAD,
	MAIN,
	FILE_NAME,
	APP,
	LIST
};
enum {
	C_CLASS = 0x100,
	C_OBJECT = 0x110,
	C_ASSET = 0x120,
	C_TEXTURE = 0x130,
	C_GAME = 0x140,
	C_WEAK = 0x150,
	C_LIST = 0x160
};
enum { T_REF = 2, T_BYTE = 8, T_INT = 10 };

static void big(struct buf *b, uint64_t v, unsigned n)
{
	for (unsigned i = n; i-- > 0;)
		buf_addc(b, (char)(v >> 8 * i));
}

static void id(struct buf *b, uint64_t v)
{
	big(b, v, id_size);
}

static void record(unsigned tag)
{
	big(&out, tag, 1);
	big(&out, 0, 4);
	big(&out, body.len, 4);
	buf_add(&out, body.data, body.len);
	body.len = 0;
}

static void text(unsigned name, const char *s)
{
	id(&body, name);
	buf_adds(&body, s);
	record(1);
}

static void load(unsigned serial, uint64_t class, unsigned name)
{
	big(&body, serial, 4);
	id(&body, class);
	big(&body, 0, 4);
	id(&body, name);
	record(2);
}

static void class(uint64_t class, uint64_t super, unsigned size)
{
	big(&body, 0x20, 1);
	id(&body, class);
	big(&body, 1, 4);
	id(&body, super);
	for (int i = 0; i < 5; i++)
		id(&body, 0);
	big(&body, size, 4);
	big(&body, 0, 2);
}

static void field(unsigned name, unsigned type)
{
	id(&body, name);
	big(&body, type, 1);
}

static void classes(uint64_t all)
{
	class(C_OBJECT, 0, 8);
	big(&body, 0, 4);
	class(C_CLASS, C_OBJECT, 8);
	big(&body, 0, 4);
	class(C_ASSET, C_OBJECT, 12);
	big(&body, 0, 2);
	big(&body, 1, 2);
	field(NEXT, T_REF);
	class(C_TEXTURE, C_ASSET, 20);
	big(&body, 0, 2);
	big(&body, 2, 2);
	field(PIXELS, T_REF);
	field(ID, T_INT);
	class(C_WEAK, C_OBJECT, 12);
	big(&body, 0, 2);
	big(&body, 1, 2);
	field(REFERENT, T_REF);
	class(C_GAME, C_OBJECT, 8);
	big(&body, 1, 2);
	field(ALL, T_REF);
	id(&body, all);
	big(&body, 0, 2);
}

static uint64_t take(uint64_t bytes)
{
	uint64_t at = next;

	next += (bytes + 7) / 8 * 8;
	return at;
}

static unsigned texture(long i, uint64_t at, uint64_t pixels, uint64_t before)
{
	bool cut = is("damaged") && i == 2;

	big(&body, 0x21, 1);
	id(&body, at);
	big(&body, is("sites") ? 2 : 1, 4);
	id(&body, is("damaged") && i == 1 ? 0x999 : C_TEXTURE);
	big(&body, 2 * id_size + (cut ? 2 : 4), 4);
	id(&body, pixels);
	big(&body, (uint64_t)i, cut ? 2 : 4);
	id(&body, before);
	big(&body, 0x23, 1);
	id(&body, pixels);
	big(&body, 1, 4);
	big(&body, (uint64_t)(i % 7), 4);
	big(&body, T_BYTE, 1);
	for (long k = 0; k < i % 7; k++)
		buf_addc(&body, (char)k);
	return is("damaged") && i == 1 ? 0 : is("wide") ? 32 : 24;
}

static void heap(uint64_t all)
{
	unsigned reference = is("wide") ? 8 : 4, head = is("android") ? 8 : 12;
	unsigned long long bytes = 0;
	uint64_t before = 0, weak;

	classes(all);
	big(&body, 0x22, 1);
	id(&body, all);
	big(&body, 1, 4);
	big(&body, (uint64_t)objects, 4);
	id(&body, C_LIST);
	take(head + 4 + (uint64_t)objects * reference);
	for (long i = 0, at = (long)next; i < objects; i++, at += 64)
		id(&body, (uint64_t)at);
	for (long i = 0; i < objects; i++) {
		uint64_t at = take(32), pixels = take(32);

		bytes += texture(i, at, pixels, before);
		before = at;
	}
	weak = take(24);
	big(&body, 0x21, 1);
	id(&body, weak);
	big(&body, 1, 4);
	id(&body, C_WEAK);
	big(&body, id_size, 4);
	id(&body, all + (head + 4 + (uint64_t)objects * reference + 7) / 8 * 8);
	big(&body, 0x03, 1); /* Java frame */
	id(&body, weak);
	big(&body, 1, 4);
	big(&body, 0, 4);
	record(0x1c);
	fprintf(stderr, "objects %ld\ntextures %llu\n", 6 + 2 + 2 * objects, bytes);
}

static void roots(uint64_t all)
{
	if (is("android")) {
		big(&body, 0xfe, 1);
		big(&body, 'A', 4);
		id(&body, APP);
		big(&body, 0x89, 1);
		id(&body, all);
	}
	big(&body, 0x05, 1);
	id(&body, C_GAME);
	record(0x1c);
}

static void stacks(void)
{
	static const unsigned methods[] = {LOAD, MAIN}, lines[] = {7, 3};

	for (unsigned i = 0; i < 2; i++) {
		id(&body, 0x70 + i);
		id(&body, methods[i]);
		id(&body, 0);
		id(&body, FILE_NAME);
		big(&body, 5, 4);
		big(&body, lines[i], 4);
		record(4);
	}
	for (unsigned n = 0; n <= 2; n += 2) {
		big(&body, n ? 2 : 1, 4);
		big(&body, 0, 4);
		big(&body, n, 4);
		for (unsigned i = 0; i < n; i++)
			id(&body, 0x70 + i);
		record(5);
	}
}

int main(int argc, char **argv)
{
	static const char *const texts[] = {"java/lang/Class",
					    "java/lang/Object",
					    "demo/Asset",
					    "demo/Texture",
					    "demo/Game",
					    "java/lang/ref/WeakReference",
					    "all",
					    "pixels",
					    "id",
					    "next",
					    "referent",
					    "load",
					    "main",
					    "Game.java",
					    "app",
					    "[Ldemo/Texture;"};
	static const struct {
		unsigned class, name;
	} loads[] = {{C_CLASS, CLASS_NAME}, {C_OBJECT, OBJECT}, {C_ASSET, ASSET},
		     {C_TEXTURE, TEXTURE},  {C_GAME, GAME},     {C_WEAK, WEAK},
		     {C_LIST, LIST}};
	uint64_t all = next;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--objects") && i + 1 < argc)
			objects = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	id_size = is("android") ? 4 : 8;
	buf_adds(&out, is("android") ? "JAVA PROFILE 1.0.3" : "JAVA PROFILE 1.0.2");
	big(&out, 0, 1);
	big(&out, id_size, 4);
	big(&out, 0, 8);
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		text(i + 1, texts[i]);
	for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
		load(i + 1, loads[i].class, loads[i].name);
	stacks();
	roots(all);
	heap(all);
	record(0x2c);
	fwrite(out.data, 1, out.len, stdout);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 *	jfr [--samples N] VARIANT >FILE 2>TRUTH
 *
 * A recording of Java's Flight Recorder of two chunks, at 1,000,000 ticks a second; the second one begins 10 s after the
 * first. Sample i (of N, the first half in the first chunk) is of the thread "worker" at 10 ms * (i + 1) of its chunk, in
 * demo.Game.update (line 7) or, each third one, demo.Game.draw (no line), below demo.Game.main (line 3); each fourth is
 * of native code. Each chunk has the heap's size, 1 MiB * its number, the load of the processor, 12.5 %, and a
 * collection with pauses of 1.5 ms. Events lie in the reverse order of their times.
 * VARIANT:
 *
 *	plain         and two allocations by weight a chunk: 1000 bytes of byte[], 24 of demo.Texture
 *	tlab          and two in buffers of 4096 bytes and one outside of 10000, beside those by weight
 *	malloc        and two blocks of 100 and 50 bytes of malloc, the first of which is freed
 *	circle        plain; names are constants that lead to themselves, and a class holds itself
 *	empty         plain; a class of classes without fields, many times over
 *	cut           plain, but the second chunk ends before its metadata
 *	array         plain; a stack has 2^60 frames
 *	size          plain; the last event of the first chunk says that it is longer than the chunk
 *	old           version 0.9
 *	uncompressed  the flag says that numbers are not compressed
 *
 * The truth: "samples N", "bytes N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long samples = 6;
static struct buf out, body, texts, tree;
static unsigned n_texts;

enum {
	BOOLEAN = 10,
	INT,
	LONG,
	FLOAT,
	STRING,
	THREAD,
	CLASS,
	SYMBOL,
	METHOD,
	FRAME,
	STACK,
	SPACE,
	EXECUTION = 30,
	NATIVE,
	WEIGHT,
	TLAB,
	OUTSIDE,
	MALLOC,
	FREE,
	HEAP,
	LOAD,
	COLLECTION,
	OTHER,
	NESTED = 50
};

static void big(struct buf *b, uint64_t v, unsigned n)
{
	for (unsigned i = n; i-- > 0;)
		buf_addc(b, (char)(v >> 8 * i));
}

static void number(struct buf *b, uint64_t v)
{
	unsigned i = 0;

	for (; v >= 0x80 && i < 8; i++, v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

static void utf8(struct buf *b, const char *s)
{
	buf_addc(b, 3);
	number(b, strlen(s));
	buf_adds(b, s);
}

/* --- metadata: each text is put where it is used first --- */

static unsigned text(const char *s)
{
	utf8(&texts, s);
	return n_texts++;
}

static void element(const char *name, unsigned attributes)
{
	number(&tree, text(name));
	number(&tree, attributes);
}

static void attribute(const char *key, const char *value)
{
	number(&tree, text(key));
	number(&tree, text(value));
}

static void id_attribute(const char *key, unsigned id)
{
	char digits[16];

	snprintf(digits, sizeof digits, "%u", id);
	attribute(key, digits);
}

static void class(unsigned id, const char *name, unsigned fields)
{
	bool is_event = id >= EXECUTION && id < NESTED;

	element("class", is_event || id == SYMBOL ? 3 : 2);
	attribute("name", name);
	id_attribute("id", id);
	if (is_event)
		attribute("superType", "jdk.jfr.Event");
	if (id == SYMBOL)
		attribute("simpleType", "true");
	number(&tree, fields);
}

enum { PLAIN, CONSTANT, ARRAY };

static void field(const char *name, unsigned of, int kind)
{
	element("field", 2 + (kind != PLAIN));
	attribute("name", name);
	id_attribute("class", of);
	if (kind == CONSTANT)
		attribute("constantPool", "true");
	else if (kind == ARRAY)
		attribute("dimension", "1");
	number(&tree, 0);
}

static void sample_class(unsigned id, const char *name)
{
	class(id, name, 3);
	field("startTime", LONG, PLAIN);
	field("sampledThread", THREAD, CONSTANT);
	field("stackTrace", STACK, CONSTANT);
}

static void allocation_class(unsigned id, const char *name, const char *size, const char *more)
{
	class(id, name, more ? 6 : 5);
	field("startTime", LONG, PLAIN);
	field("eventThread", THREAD, CONSTANT);
	field("stackTrace", STACK, CONSTANT);
	field(id == MALLOC ? "address" : "objectClass", id == MALLOC ? LONG : CLASS,
	      id == MALLOC ? PLAIN : CONSTANT);
	field(size, LONG, PLAIN);
	if (more)
		field(more, LONG, PLAIN);
}

static void metadata(void)
{
	static const char *const primitives[] = {"boolean", "int", "long", "float",
						 "java.lang.String"};
	unsigned nested = is("empty") ? 12 : 0, circle = is("circle");

	tree.len = texts.len = 0;
	n_texts = 0;
	element("root", 0);
	number(&tree, 2);
	element("metadata", 0);
	number(&tree, 23 + nested + circle);
	for (unsigned i = 0; i < 5; i++)
		class(BOOLEAN + i, primitives[i], 0);
	class(THREAD, "java.lang.Thread", 4);
	field("osName", STRING, PLAIN);
	field("osThreadId", LONG, PLAIN);
	field("javaName", STRING, PLAIN);
	field("javaThreadId", LONG, PLAIN);
	class(CLASS, "java.lang.Class", 1);
	field("name", SYMBOL, CONSTANT);
	class(SYMBOL, "jdk.types.Symbol", 1);
	field("string", STRING, PLAIN);
	class(METHOD, "jdk.types.Method", 2);
	field("type", CLASS, CONSTANT);
	field("name", SYMBOL, CONSTANT);
	class(FRAME, "jdk.types.StackFrame", 2);
	field("method", METHOD, CONSTANT);
	field("lineNumber", INT, PLAIN);
	class(STACK, "jdk.types.StackTrace", 2);
	field("truncated", BOOLEAN, PLAIN);
	field("frames", FRAME, ARRAY);
	class(SPACE, "jdk.types.VirtualSpace", 2);
	field("start", LONG, PLAIN);
	field("committedSize", LONG, PLAIN);
	sample_class(EXECUTION, "jdk.ExecutionSample");
	sample_class(NATIVE, "jdk.NativeMethodSample");
	allocation_class(WEIGHT, "jdk.ObjectAllocationSample", "weight", NULL);
	allocation_class(TLAB, "jdk.ObjectAllocationInNewTLAB", "allocationSize", "tlabSize");
	allocation_class(OUTSIDE, "jdk.ObjectAllocationOutsideTLAB", "allocationSize", NULL);
	allocation_class(MALLOC, "profiler.Malloc", "size", NULL);
	class(FREE, "profiler.Free", 3);
	field("startTime", LONG, PLAIN);
	field("eventThread", THREAD, CONSTANT);
	field("address", LONG, PLAIN);
	class(HEAP, "jdk.GCHeapSummary", 3);
	field("startTime", LONG, PLAIN);
	field("heapSpace", SPACE, PLAIN);
	field("heapUsed", LONG, PLAIN);
	class(LOAD, "jdk.CPULoad", 2);
	field("startTime", LONG, PLAIN);
	field("jvmUser", FLOAT, PLAIN);
	class(COLLECTION, "jdk.GarbageCollection", 2);
	field("startTime", LONG, PLAIN);
	field("sumOfPauses", LONG, PLAIN);
	class(OTHER, "demo.Other", 1);
	field("startTime", LONG, PLAIN);
	for (unsigned i = 0; i < nested; i++) {
		class(NESTED + i, "demo.Nested", i + 1 < nested ? 12 : 0);
		for (unsigned k = 0; i + 1 < nested && k < 12; k++)
			field("part", NESTED + i + 1, PLAIN);
	}
	if (circle) {
		class(NESTED, "demo.Circle", 1);
		field("self", NESTED, PLAIN);
	}
	element("region", 2);
	attribute("locale", "en_US");
	attribute("gmtOffset", "0");
	number(&tree, 0);
}

/* --- events --- */

/* Its size, which counts its own bytes: as HotSpot does, in four of them. */
static void event(unsigned class_id)
{
	struct buf id = BUF_INIT;
	size_t n;

	number(&id, class_id);
	n = 4 + id.len + body.len;
	for (unsigned i = 0; i < 3; i++, n >>= 7)
		buf_addc(&out, (char)(n | 0x80));
	buf_addc(&out, (char)n);
	buf_add(&out, id.data, id.len);
	buf_add(&out, body.data, body.len);
	body.len = 0;
	buf_release(&id);
}

static void constants(void)
{
	static const char *const symbols[] = {"demo/Game", "main", "update",
					      "draw",      "[B",   "demo/Texture"};

	number(&body, 0);
	number(&body, 0);
	number(&body, 0);
	buf_addc(&body, 0);
	number(&body, 6);
	number(&body, STRING);
	number(&body, 1);
	number(&body, 1);
	if (is("circle")) {
		buf_addc(&body, 2);
		number(&body, 1);
	} else {
		utf8(&body, "worker");
	}
	number(&body, THREAD);
	number(&body, 1);
	number(&body, 1);
	buf_addc(&body, 1);
	number(&body, 4711);
	buf_addc(&body, 2); /* a constant */
	number(&body, 1);
	number(&body, 9);
	number(&body, SYMBOL);
	number(&body, 6);
	for (unsigned i = 0; i < 6; i++) {
		/* A key of 64 bits */
		number(&body, 0xf000000000000001 + i);
		if (is("circle") && !i) {
			buf_addc(&body, 2);
			number(&body, 1);
		} else if (i == 2) { /* characters */
			buf_addc(&body, 4);
			number(&body, strlen(symbols[i]));
			for (const char *s = symbols[i]; *s; s++)
				number(&body, (unsigned char)*s);
		} else if (i == 3) { /* Latin-1 */
			buf_addc(&body, 5);
			number(&body, strlen(symbols[i]));
			buf_adds(&body, symbols[i]);
		} else {
			utf8(&body, symbols[i]);
		}
	}
	number(&body, CLASS);
	number(&body, 3);
	for (unsigned i = 0; i < 3; i++) {
		number(&body, i + 1);
		number(&body, 0xf000000000000001 + (i ? 3 + i : 0));
	}
	number(&body, METHOD);
	number(&body, 3);
	for (unsigned i = 0; i < 3; i++) {
		number(&body, i + 1);
		number(&body, 1);
		number(&body, 0xf000000000000002 + i);
	}
	number(&body, STACK);
	number(&body, 2);
	for (unsigned i = 0; i < 2; i++) {
		number(&body, i + 1);
		buf_addc(&body, 0);
		if (is("array") && i) {
			number(&body, (uint64_t)1 << 60);
			continue;
		}
		number(&body, 2);
		number(&body, i + 2);
		number(&body, i ? 0 : 7);
		number(&body, 1);
		number(&body, 3);
	}
	event(1);
}

static void allocation(unsigned kind, uint64_t ticks, uint64_t class_or_address, uint64_t size,
		       uint64_t more)
{
	number(&body, ticks);
	number(&body, 1);
	if (kind != FREE)
		number(&body, 1);
	number(&body, class_or_address);
	if (kind != FREE)
		number(&body, size);
	if (more)
		number(&body, more);
	event(kind);
}

static void chunk(unsigned which)
{
	size_t at = out.len, metadata_at, constants_at;
	uint64_t zero = 5000000, block = 0x7000 + which * 0x1000, end;
	long first = which ? samples / 2 : 0, past = which ? samples : samples / 2;
	unsigned flags = is("uncompressed") ? 0 : 1;

	buf_add(&out, "FLR", 4);
	big(&out, is("old") ? 0 : 2, 2);
	big(&out, is("old") ? 9 : 1, 2);
	for (unsigned i = 0; i < 3; i++)
		big(&out, 0, 8);
	big(&out, 1700000000000000000 + which * 10000000000, 8);
	big(&out, 10000000000, 8);
	big(&out, zero, 8);
	big(&out, 1000000, 8);
	big(&out, flags, 4);
	for (long i = past; i-- > first;) {
		number(&body, zero + 10000 * (uint64_t)(i - first + 1));
		number(&body, 1);
		number(&body, i % 3 ? 1 : 2);
		event(i % 4 ? EXECUTION : NATIVE);
	}
	number(&body, zero + 4000);
	number(&body, 1500);
	event(COLLECTION);
	number(&body, zero + 3000);
	big(&body, 0x3e000000, 4); /* 0.125 */
	event(LOAD);
	number(&body, zero + 2000);
	number(&body, 0x100000);
	number(&body, 0x800000);
	number(&body, 0x100000 * (which + 1));
	event(HEAP);
	if (is("malloc")) {
		allocation(FREE, zero + 1900, block, 0, 0);
		allocation(MALLOC, zero + 1800, block + 0x100, 50, 0);
		allocation(MALLOC, zero + 1700, block, 100, 0);
	} else {
		allocation(WEIGHT, zero + 1900, 3, 24, 0);
		allocation(WEIGHT, zero + 1800, 2, 1000, 0);
	}
	if (is("tlab")) {
		allocation(OUTSIDE, zero + 1700, 2, 10000, 0);
		allocation(TLAB, zero + 1600, 3, 24, 4096);
		allocation(TLAB, zero + 1500, 3, 24, 4096);
	}
	number(&body, zero);
	event(OTHER);
	if (is("cut") && which)
		return;
	constants_at = out.len - at;
	constants();
	metadata_at = out.len - at;
	metadata();
	number(&body, zero);
	number(&body, 0);
	number(&body, 1);
	number(&body, n_texts);
	buf_add(&body, texts.data, texts.len);
	buf_add(&body, tree.data, tree.len);
	event(0);
	if (is("size") && !which) {
		number(&out, 1000000);
		number(&out, OTHER);
	}
	end = out.len - at;
	for (unsigned i = 0; i < 8; i++) {
		out.data[at + 8 + i] = (char)(end >> 8 * (7 - i));
		out.data[at + 16 + i] = (char)((uint64_t)constants_at >> 8 * (7 - i));
		out.data[at + 24 + i] = (char)((uint64_t)metadata_at >> 8 * (7 - i));
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			samples = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	chunk(0);
	chunk(1);
	fwrite(out.data, 1, out.len, stdout);
	fprintf(stderr, "samples %ld\nbytes %d\n", samples,
		is("malloc") ? 300
		: is("tlab") ? 2 * (10000 + 8192)
			     : 2 * 1024);
	buf_release(&out);
	buf_release(&body);
	buf_release(&texts);
	buf_release(&tree);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 *	gcdump [--objects N] VARIANT >FILE 2>TRUTH
 *
 * A heap of .NET: object 0 is "[roots]" of no size, and refers to object 1; object i (from 1 to N) refers to i + 1, if
 * there is one, and each fifth to object 1 as well. Objects of odd numbers are a Game.Node, 24 bytes by their type;
 * others are a Game.Text of 16 + i bytes of their own.
 * VARIANT:
 *
 *	plain	all is as it was said
 *	sampled	the dump says that each object stands for 2.5
 *	far	object 1 refers to one that is not there
 *	type	object 1 has a type that is not there
 *	place	object 1 is behind the bytes
 *	cut	ends in the bytes of the objects
 *	many	says that there are 2^31 - 1 types
 *	new	needs a reader of version 11
 *	unnamed	types have numbers in place of names
 *	sum	the size of all is 1 byte too much
 *
 * The truth: "objects N", "references N", "bytes N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static struct buf out, nodes;

static void put_text(const char *s)
{
	put(&out, strlen(s), 4);
	buf_adds(&out, s);
}

static void begin_object(const char *name, unsigned version, unsigned least)
{
	put(&out, 4, 1);
	put(&out, 4, 1);
	put(&out, 1, 1);
	put(&out, version, 4);
	put(&out, least, 4);
	put_text(name);
	put(&out, 6, 1);
}

/* As few bytes as it takes. */
static void put_number(long v)
{
	unsigned n = 1;

	while (n < 5 && (v < -(1L << (7 * n - 1)) || v >= 1L << (7 * n - 1)))
		n++;
	while (n-- > 0)
		put(&nodes, (v >> 7 * n & 0x7f) | (n ? 0x80 : 0), 1);
}

int main(int argc, char **argv)
{
	unsigned long objects = 10, references = 1, bytes = 0;
	uint32_t *places;

	if (argc > 3 && !strcmp(argv[1], "--objects")) {
		objects = strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 2 || !objects)
		return 2;
	variant = argv[1];
	places = calloc(objects + 1, sizeof *places);
	if (!places)
		return 1;
	put_number(0); /* type 0, whose objects have the type's size; 1 reference, to the next */
	put_number(1);
	put_number(1);
	for (unsigned long i = 1; i <= objects; i++) {
		bool again = i % 5 == 0, last = i == objects;

		places[i] = (uint32_t)nodes.len;
		if (i % 2) {
			put_number(is("type") && i == 1 ? 1000 : 1 * 2);
			bytes += 24;
		} else {
			put_number(2 * 2 + 1);
			put_number(16 + (long)i);
			bytes += 16 + i;
		}
		put_number(again + !last);
		if (!last)
			put_number(is("far") && i == 1 ? 1L << 20 : 1);
		if (again)
			put_number(1 - (long)i);
		references += again + !last;
	}
	if (is("place"))
		places[1] = 0xfffffff0;
	put(&out, 20, 4);
	buf_adds(&out, "!FastSerialization.1");
	begin_object("GCHeapDump", 11, is("new") ? 11 : 8);
	begin_object("Graphs.MemoryGraph", 1, is("unnamed"));
	put(&out, bytes + is("sum"), 8);
	put(&out, 0, 4);
	put(&out, is("many") ? 0x7fffffff : 3, 4);
	put_text("[roots]");
	put(&out, 0, 4);
	put(&out, 0xffffffff, 4);
	put_text("Game.Node");
	put(&out, 24, 4);
	put_text("game.dll");
	put_text("Game.Text");
	put(&out, 0xffffffff, 4);
	put_text("game.dll");
	put(&out, objects + 1, 4);
	for (unsigned long i = 0; i <= objects; i++)
		put(&out, places[i], 4);
	put(&out, nodes.len, 4);
	buf_add(&out, nodes.data, is("cut") ? nodes.len / 2 : nodes.len);
	if (!is("cut")) {
		put(&out, objects + 1, 4);
		for (unsigned long i = 0; i <= objects; i++)
			put(&out, 0x10000 + 32 * i, 8);
		put(&out, 0x108, 2); /* a tagged byte */
		put(&out, 6, 1);
		put(&out, 1, 1);
		put(&out, is("sampled") ? 0x40200000 : 0x3f800000, 4); /* 2.5 or 1 */
		put(&out, 0x3f800000, 4);
		put(&out, 0x0101, 2);
		put(&out, 6, 1);
	}
	fprintf(stderr, "objects %lu\nreferences %lu\nbytes %lu\n", objects + 1, references + 1,
		bytes);
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
	buf_release(&nodes);
	free(places);
	return fflush(stdout) ? 1 : 0;
}

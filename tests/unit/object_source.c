/* SPDX-License-Identifier: MIT
 *
 * Symbol files that are no objects, written here by hand: Breakpad's records and GSYM's tables as
 * their descriptions have them.
 */
#include "lib/base/buf.h"
#include "lib/object/object.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = 8 };

struct answer {
	struct object_call calls[CALLS];
	size_t n;
	enum status st;
};

static struct object *open_text(const char *text, size_t n)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	CHECK_EQ(object_open_memory(&o, text, n, &e), ST_OK);
	return o;
}

static struct answer ask(const struct object *o, uint64_t addr)
{
	struct answer a;

	a.st = object_calls_at(o, addr, a.calls, CALLS, &a.n);
	return a;
}

static void check_call(const struct object_call *c, const char *function, const char *file,
		       uint32_t line)
{
	CHECK_STR(c->function, function);
	CHECK_STR(c->file, file);
	CHECK_EQ(c->line, line);
}

/* outer() at 0x1000 has mid() inlined at its line 12, and that inner() at line 22; of a second
 * stretch only mid(). Lines that are not of the format are left out and counted. */
static const char records[] = "MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F100 libgame.so\n"
			      "FILE 0 /src/outer.cpp\n"
			      "FILE 7 /src/a file with blanks.h\r\n"
			      "INLINE_ORIGIN 0 mid()\n"
			      "INLINE_ORIGIN 3 inner(int, char)\n"
			      "PUBLIC 900 0 start\n"
			      "FUNC 1000 40 0 outer(int)\n"
			      "INLINE 0 12 0 0 1010 10 1030 8\n"
			      "INLINE 1 22 7 3 1014 4\n"
			      "1000 10 10 0\n"
			      "1010 4 21 7\n"
			      "1014 4 31 7\n"
			      "1018 8 23 7\n"
			      "this is no record\n"
			      "1030 8 24 7\n"
			      "FUNC m 2000 10 0 folded\n"
			      "STACK CFI INIT 1000 40 .cfa: $rsp 8 +\n"
			      "2000 10 1 0\n"
			      "PUBLIC 1800 0 stub\n"
			      "FUNC 3000 nonsense\n";

TEST(breakpad_inlined_calls_are_nested)
{
	struct object *o = open_text(records, sizeof records - 1);
	struct answer a;

	if (!o)
		return;
	CHECK_STR(object_kind(o)->name, "Breakpad");
	a = ask(o, 0x1000);
	CHECK_EQ(a.n, 1);
	check_call(&a.calls[0], "outer(int)", "/src/outer.cpp", 10);
	a = ask(o, 0x1016);
	if (CHECK_EQ(a.n, 3)) {
		check_call(&a.calls[0], "inner(int, char)", "/src/a file with blanks.h", 31);
		check_call(&a.calls[1], "mid()", "/src/a file with blanks.h", 22);
		check_call(&a.calls[2], "outer(int)", "/src/outer.cpp", 12);
	}
	a = ask(o, 0x1018);
	CHECK_EQ(a.n, 2);
	a = ask(o, 0x1037);
	if (CHECK_EQ(a.n, 2)) {
		check_call(&a.calls[0], "mid()", "/src/a file with blanks.h", 24);
		check_call(&a.calls[1], "outer(int)", "/src/outer.cpp", 12);
	}
	a = ask(o, 0x1028); /* no line record holds it, nor an inlined call */
	CHECK_EQ(a.n, 1);
	check_call(&a.calls[0], "outer(int)", "", 0);
	object_free(o);
}

TEST(breakpad_what_no_function_holds)
{
	struct object *o = open_text(records, sizeof records - 1);
	const struct object_symbol *s;

	if (!o)
		return;
	CHECK_EQ(ask(o, 0xfff).st, ST_NONE);
	CHECK_EQ(ask(o, 0x1040).st, ST_NONE);
	CHECK_EQ(ask(o, 0x1800).st, ST_NONE); /* a symbol has no lines */
	CHECK_EQ(ask(o, 0x2010).st, ST_NONE);
	s = object_symbol_at(o, 0x1810); /* but a name, up to the next one */
	if (CHECK(s != NULL)) {
		CHECK_STR(s->name, "stub");
		CHECK(!s->sized);
		CHECK_EQ(s->hi, 0x2000);
	}
	s = object_symbol_at(o, 0x2005);
	if (CHECK(s != NULL))
		CHECK_STR(s->name, "folded");
	/* what follows STACK belongs to no function */
	CHECK_STR(object_source_complaint(o),
		  "3 lines are not lines of a Breakpad symbol file, the first is line 14");
	object_free(o);
}

TEST(breakpad_ids)
{
	static const uint8_t want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	static const char mac[] = "MODULE mac arm64 0102030405060708090A0B0C0D0E0F100 Game\n";
	static const char code[] = "MODULE Linux arm64 000000000000000000000000000000000 x\n"
				   "INFO CODE_ID 0102030405060708090A0B0C0D0E0F10AABBCCDD\n";
	struct object *o = open_text(records, sizeof records - 1);

	if (o) {
		CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, want, 16);
		CHECK(object_build_id(o)->partial);
		CHECK_EQ(object_arch(o), ARCH_X86_64);
	}
	object_free(o);
	o = open_text(mac, sizeof mac - 1);
	if (o) {
		CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, want, 16);
		CHECK(!object_build_id(o)->partial);
		CHECK_EQ(object_arch(o), ARCH_ARM64);
	}
	object_free(o);
	o = open_text(code, sizeof code - 1);
	if (o) {
		CHECK_EQ(object_build_id(o)->len, 20);
		CHECK(!object_build_id(o)->partial);
	}
	object_free(o);
}

static void put(struct buf *b, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(i < 8 ? v >> 8 * i : 0));
}

/* Two functions: f at 0x10100, of 0x20 bytes, with lines and a call of g inlined in [8, 16); and
 * one without a size at 0x10200. */
static void make_gsym(struct buf *b)
{
	static const char strings[] = "\0f\0g\0/src\0a.c\0b.h\0late";
	static const uint8_t lines[] = {0x7f, 4, 10, 4 + 1, 1, 2, 2, 8, 1, 1, 3, 5, 2, 8, 0};
	static const uint8_t inlined[] = {
	    1, 0, 0x20, 1, 1, 0, 0, 0, 0, 0,  /* f */
	    1, 8, 8,    0, 3, 0, 0, 0, 1, 12, /* g, called at a.c:12 */
	    0};
	size_t infos;

	put(b, 0x4753594d, 4);
	put(b, 1, 2);
	put(b, 2, 1); /* bytes of an address offset */
	put(b, 4, 1);
	put(b, 0x10000, 8);
	put(b, 2, 4);
	put(b, 48 + 4 + 8 + 4 + 3 * 8, 4);
	put(b, sizeof strings, 4);
	buf_add(b, "ID:4", 4);
	put(b, 0, 16);
	put(b, 0x100, 2);
	put(b, 0x200, 2);
	infos = 48 + 4 + 8 + 4 + 3 * 8 + sizeof strings;
	put(b, infos, 4);
	put(b, infos + 8 + 8 + sizeof lines + 8 + sizeof inlined + 8, 4);
	put(b, 3, 4);
	put(b, 0, 8); /* file 0: none */
	put(b, 5, 4);
	put(b, 10, 4);
	put(b, 5, 4);
	put(b, 14, 4);
	buf_add(b, strings, sizeof strings);
	put(b, 0x20, 4);
	put(b, 1, 4);
	put(b, 1, 4);
	put(b, sizeof lines, 4);
	buf_add(b, lines, sizeof lines);
	put(b, 2, 4);
	put(b, sizeof inlined, 4);
	buf_add(b, inlined, sizeof inlined);
	put(b, 0, 8);
	put(b, 0, 4);
	put(b, 18, 4);
	put(b, 0, 8);
}

TEST(gsym_lines_and_inlined_calls)
{
	struct buf b = BUF_INIT;
	const struct object_symbol *s;
	struct answer a;
	struct object *o;

	make_gsym(&b);
	o = open_text(b.data, b.len);
	if (!o) {
		buf_release(&b);
		return;
	}
	CHECK_STR(object_kind(o)->name, "GSYM");
	CHECK_MEM(object_build_id(o)->bytes, object_build_id(o)->len, "ID:4", 4);
	/* special 5 of range 6 moves the line by 0: 10; then file 2 at +8, file 1, line +5 at +16
	 */
	a = ask(o, 0x10107);
	CHECK_EQ(a.n, 1);
	check_call(&a.calls[0], "f", "a.c", 10);
	CHECK_STR(a.calls[0].folder, "/src");
	a = ask(o, 0x1010f);
	if (CHECK_EQ(a.n, 2)) {
		check_call(&a.calls[0], "g", "b.h", 10);
		check_call(&a.calls[1], "f", "a.c", 12);
	}
	a = ask(o, 0x1011f);
	CHECK_EQ(a.n, 1);
	check_call(&a.calls[0], "f", "a.c", 15);
	CHECK_EQ(ask(o, 0x100ff).st, ST_NONE);
	CHECK_EQ(ask(o, 0x10120).st, ST_NONE);
	CHECK_EQ(ask(o, 0x10200).st, ST_NONE);
	s = object_symbol_at(o, 0x10200);
	if (CHECK(s != NULL))
		CHECK_STR(s->name, "late");
	object_free(o);
	buf_release(&b);
}

TEST(gsym_cut_anywhere_is_no_more_than_an_error)
{
	struct buf b = BUF_INIT;

	make_gsym(&b);
	for (size_t n = 0; n < b.len; n++) {
		char *exact = malloc(n + 1);
		struct err e = ERR_INIT;
		struct object *o = NULL;

		memcpy(exact, b.data, n);
		if (!object_open_memory(&o, exact, n, &e)) {
			struct answer a = ask(o, 0x1010f);

			CHECK(a.st || a.n == 2);
		} else {
			CHECK(e.msg[0] != 0);
		}
		object_free(o);
		free(exact);
	}
	buf_release(&b);
}

TEST_MAIN()

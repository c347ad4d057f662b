/* SPDX-License-Identifier: MIT
 *
 * lib/pdb: answers of a PDB made byte by byte (testdata/gen/pdb_bytes.h), of which each is what the making says; the same
 * with blocks that lie backwards; and files that lie.
 */
#include "lib/pdb/pdb.h"
#include "lib/base/mem.h"
#include "lib/object/object.h"
#include "testdata/gen/pdb_bytes.h"
#include "tests/unit/test.h"

static const struct pdb_how plain = {.age = 1, .machine = 0x8664};

/* The calls at an address, innermost first, each "name file:line:column" of the file's last part. */
static void add_calls(struct buf *to, const struct dwarf_answers *a, uint32_t call)
{
	struct dwarf_call c;

	for (; dwarf_call_at(a, call, &c); call = dwarf_outer(&c, call)) {
		size_t n, n_file;
		const char *name = dwarf_text(a, c.function, &n),
			   *file = dwarf_text(a, c.file, &n_file), *base;

		base = n_file ? memrchr(file, '\\', n_file) : NULL;
		if (to->len)
			buf_adds(to, " < ");
		buf_add(to, name, n);
		if (base)
			buf_addf(to, " %.*s:%u:%u", (int)(n_file - (size_t)(base + 1 - file)),
				 base + 1, c.line, c.column);
	}
}

static struct buf answer_text = BUF_INIT;

/* At an offset in .text. */
static const char *answer(struct object *o, uint32_t offset, uint8_t *found)
{
	static const struct dwarf_options options = {.jobs = 2};
	const uint64_t addr = PDB_TEXT + offset;
	struct dwarf_answers a;
	struct err e = ERR_INIT;

	answer_text.len = 0;
	dwarf_answers_init(&a, 1);
	CHECK_EQ(pdb_answer(&(struct dwarf_job){.object = o, .addrs = &addr, .n = 1, .out = &a}, 1,
			    &options, &e),
		 ST_OK);
	add_calls(&answer_text, &a, a.of[0].call);
	*found = a.of[0].found;
	dwarf_answers_release(&a);
	return buf_str(&answer_text);
}

static const struct {
	uint32_t offset;
	uint8_t found;
	const char *calls;
} expected[] = {
    {0x0ff, DWARF_NOT_FOUND, ""},
    {0x100, DWARF_FUNCTION, "?outer@@YAXXZ main.cpp:20:1"},
    {0x110, DWARF_FUNCTION, "game::ai::think ai.h:12:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x117, DWARF_FUNCTION, "game::ai::think ai.h:12:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x118, DWARF_FUNCTION, "game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x11c, DWARF_FUNCTION,
     "Widget::draw ai.h:40:0 < game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x124, DWARF_FUNCTION,
     "Widget::draw main.cpp:35:0 < game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x128, DWARF_FUNCTION, "game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x12f, DWARF_FUNCTION, "game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1"},
    {0x130, DWARF_FUNCTION, "?outer@@YAXXZ main.cpp:21:2"},
    {0x140, DWARF_FUNCTION, "helper main.cpp:70:0 < ?outer@@YAXXZ main.cpp:21:2"},
    {0x150, DWARF_FUNCTION, "?outer@@YAXXZ main.cpp:22:3"},
    {0x160, DWARF_FUNCTION, "?outer@@YAXXZ ai.h:99:9"},
    {0x17f, DWARF_FUNCTION, "?outer@@YAXXZ ai.h:99:9"},
    {0x180, DWARF_NOT_FOUND, ""},
    {0x200, DWARF_FUNCTION, "local_fn main.cpp:30:0"},
    {0x201, DWARF_FUNCTION, "local_fn main.cpp:31:0"},
    {0x210, DWARF_FUNCTION, "local_fn main.cpp:0:0"},
    {0x218, DWARF_FUNCTION, "local_fn main.cpp:32:0"},
    {0x240, DWARF_FUNCTION, "import_thunk"},
    {0x246, DWARF_NOT_FOUND, ""},
    {0x300, DWARF_FUNCTION, "?outer@@YAXXZ main.cpp:23:0"},
    {0x400, DWARF_NOT_FOUND, ""},
};

enum { AROUND = 0x700 }; /* bytes: .text, and what is behind it */

static const char *calls_of(const struct dwarf_answers *a, uint32_t call)
{
	answer_text.len = 0;
	add_calls(&answer_text, a, call);
	return buf_str(&answer_text);
}

/* What is kept for the whole file says of each byte what the engine says when it is asked for all, but for what is left to
 * the engine: how many bytes. */
static size_t check_whole(struct object *o)
{
	static const struct dwarf_options options = {.jobs = 1};
	uint64_t addrs[AROUND];
	struct dwarf_whole w = {.n = 0};
	struct dwarf_answers a;
	struct err e = ERR_INIT;
	size_t k = 0, asked = 0, wrong = 0;
	enum status st = pdb_whole(&w, o, &options, &e);

	for (size_t i = 0; i < AROUND; i++)
		addrs[i] = PDB_TEXT - 0x40 + i;
	dwarf_answers_init(&a, AROUND);
	CHECK_EQ(
	    pdb_answer(&(struct dwarf_job){.object = o, .addrs = addrs, .n = AROUND, .out = &a}, 1,
		       &options, &e),
	    ST_OK);
	if (st) /* refused: each batch has a complaint */
		CHECK(a.n_complaints);
	for (size_t i = 0; !st && i < AROUND; i++) {
		struct dwarf_stretch none = {.found = DWARF_NOT_FOUND}, *s;
		char *got;

		while (k < w.n && w.all[k].lo <= addrs[i])
			k++;
		s = k ? &w.all[k - 1] : &none;
		asked += s->found == DWARF_ASK;
		if (s->found == DWARF_ASK)
			continue;
		got = mem_strdup(calls_of(&w.answers, s->call));
		wrong += s->found != a.of[i].found || strcmp(got, calls_of(&a, a.of[i].call));
		free(got);
	}
	CHECK_EQ(wrong, 0);
	dwarf_answers_release(&a);
	dwarf_whole_release(&w);
	return st ? AROUND : asked;
}

static void check_all(const struct pdb_how *how)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	uint8_t found;

	pdb_make(&b, how);
	if (!CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK)) {
		printf("  %s\n", e.msg);
		buf_release(&b);
		return;
	}
	CHECK(object_has_pdb(o));
	CHECK_EQ(object_build_id(o)->len, 16);
	CHECK_EQ(object_build_id(o)->bytes[15], 16);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		CHECK_STR(answer(o, expected[i].offset, &found), expected[i].calls);
		CHECK_EQ(found, expected[i].found);
	}
	CHECK_EQ(check_whole(o), 0);
	/* what has no symbols in a module is named by a public symbol, whose end is not known */
	CHECK_STR(object_symbol_at(o, PDB_TEXT + 0x410)->name, "only_public");
	CHECK(!object_symbol_at(o, PDB_TEXT + 0x410)->sized);
	CHECK(!object_symbol_at(o, PDB_TEXT + 0x500)); /* behind the section */
	CHECK(!object_symbol_at(o, PDB_DATA + 0x10));
	CHECK_STR(object_any_symbol_at(o, PDB_DATA + 0x10)->name, "global");
	object_free(o);
	buf_release(&b);
	buf_release(&answer_text);
}

TEST(answers)
{
	check_all(&plain);
}

TEST(blocks_in_any_order)
{
	check_all(&(struct pdb_how){.age = 1, .machine = 0x8664, .scattered = true});
}

TEST(contributions_of_the_second_version)
{
	check_all(&(struct pdb_how){.age = 1, .machine = 0x8664, .wide = true});
}

TEST(classes_of_the_second_form)
{
	check_all(&(struct pdb_how){.age = 1, .machine = 0x8664, .classes = true});
}

/* As compilers of Rust have it: line 3 of a function, and a row of five lines before that. */
TEST(lines_before_the_first)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	size_t n_lines = 0;
	uint8_t found;

	pdb_make(&b, &plain);
	for (uint8_t *at = (uint8_t *)b.data; at + 12 <= (uint8_t *)b.data + b.len; at += 4)
		if (le32(at) == 0x1002 && le32(at + 8) == 40) {
			at[8] = 3;
			n_lines++;
		}
	CHECK_EQ(n_lines, 1);
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK);
	CHECK_STR(
	    answer(o, 0x11c, &found),
	    "Widget::draw ai.h:3:0 < game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1");
	CHECK_STR(
	    answer(o, 0x124, &found),
	    "Widget::draw main.cpp:0:0 < game::ai::think ai.h:15:0 < ?outer@@YAXXZ main.cpp:20:1");
	object_free(o);
	buf_release(&b);
	buf_release(&answer_text);
}

/* A public has no size: where the piece of another module begins, it has ended. */
TEST(publics_end_with_their_piece)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;

	for (int wide = 0; wide < 2; wide++) {
		pdb_make(&b, &(struct pdb_how){
				 .age = 1, .machine = 0x8664, .wide = wide, .foreign = true});
		CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK);
		CHECK_STR(object_symbol_at(o, PDB_TEXT + 0x47f)->name, "only_public");
		CHECK(!object_symbol_at(o, PDB_TEXT + 0x480));
		object_free(o);
		buf_release(&b);
		b = (struct buf)BUF_INIT;
	}
}

/* Names stay in the file, where each lies in one piece; those that do not are the same. */
TEST(names_of_publics_in_pieces)
{
	struct buf bytes[2] = {BUF_INIT, BUF_INIT};
	struct object *o[2] = {NULL, NULL};
	const struct object_symbol *all[2];
	struct err e = ERR_INIT;
	size_t n[2], copied = 0;

	for (int i = 0; i < 2; i++) {
		pdb_make(
		    &bytes[i],
		    &(struct pdb_how){.age = 1, .machine = 0x8664, .scattered = i, .publics = 40});
		CHECK_EQ(object_open_memory(&o[i], bytes[i].data, bytes[i].len, &e), ST_OK);
		all[i] = object_symbols(o[i], &n[i]);
	}
	CHECK(n[0] && n[0] == n[1]);
	for (size_t k = 0; k < n[0]; k++) {
		uintptr_t at = (uintptr_t)all[1][k].name - (uintptr_t)bytes[1].data;

		CHECK_STR(all[1][k].name, all[0][k].name);
		CHECK(all[1][k].lo == all[0][k].lo && all[1][k].hi == all[0][k].hi);
		copied += at >= bytes[1].len;
	}
	CHECK(copied && copied < n[0]);
	for (int i = 0; i < 2; i++) {
		object_free(o[i]);
		buf_release(&bytes[i]);
	}
}

TEST(ids_of_another_module)
{
	check_all(&(struct pdb_how){.age = 1, .machine = 0x8664, .cross = true});
}

/* All addresses at once: neighbours share calls, and are the same as one by one. */
TEST(neighbours)
{
	static const struct dwarf_options options = {.jobs = 1};
	struct buf b = BUF_INIT, text = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	struct dwarf_answers a;
	uint64_t addrs[0x300];
	uint8_t found;

	for (uint32_t i = 0; i < 0x300; i++)
		addrs[i] = PDB_TEXT + 0x80 + i;
	pdb_make(&b, &plain);
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK);
	dwarf_answers_init(&a, 0x300);
	CHECK_EQ(pdb_answer(&(struct dwarf_job){.object = o, .addrs = addrs, .n = 0x300, .out = &a},
			    1, &options, &e),
		 ST_OK);
	for (uint32_t i = 0; i < 0x300; i++) {
		text.len = 0;
		add_calls(&text, &a, a.of[i].call);
		CHECK_STR(buf_str(&text), answer(o, 0x80 + i, &found));
		CHECK_EQ(a.of[i].found, found);
	}
	dwarf_answers_release(&a);
	object_free(o);
	buf_release(&text);
	buf_release(&b);
	buf_release(&answer_text);
}

/* Where the code at an offset in .text was; PDB_NOWHERE: it is new. .text had 0x500 bytes. */
static uint32_t was_at(uint32_t offset)
{
	size_t i = PDB_MOVED - 1;
	uint32_t was;

	while (pdb_moved[i][0] > offset)
		i--;
	was = pdb_moved[i][1] + (offset - pdb_moved[i][0]);
	return pdb_moved[i][1] == PDB_NOWHERE || was >= 0x500 ? PDB_NOWHERE : was;
}

static const char *name_at(struct object *o, uint32_t offset)
{
	const struct object_symbol *s = object_symbol_at(o, PDB_TEXT + offset);

	return s ? s->name : "";
}

/* A program whose code was moved has at each address what the PDB of the other one has where that was. */
static void check_moved(bool headers)
{
	static const struct dwarf_options options = {.jobs = 1};
	struct buf b = BUF_INIT, moved = BUF_INIT, text = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL, *now = NULL;
	struct dwarf_answers a;
	uint64_t addrs[0x640], value;
	uint32_t n_known = 0;
	uint8_t found;

	pdb_make(&b, &plain);
	pdb_make(&moved,
		 &(struct pdb_how){.age = 1, .machine = 0x8664, .omap = true, .headers = headers});
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK);
	CHECK_EQ(object_open_memory(&now, moved.data, moved.len, &e), ST_OK);
	for (uint32_t i = 0; i < 0x640; i++)
		addrs[i] = PDB_TEXT + i;
	dwarf_answers_init(&a, 0x640);
	CHECK_EQ(
	    pdb_answer(&(struct dwarf_job){.object = now, .addrs = addrs, .n = 0x640, .out = &a}, 1,
		       &options, &e),
	    ST_OK);
	for (uint32_t i = 0; i < 0x640; i++) {
		uint32_t was = was_at(i);

		text.len = 0;
		add_calls(&text, &a, a.of[i].call);
		CHECK_STR(buf_str(&text), was == PDB_NOWHERE ? "" : answer(o, was, &found));
		CHECK_EQ(a.of[i].found, was == PDB_NOWHERE ? DWARF_NOT_FOUND : found);
		CHECK_STR(name_at(now, i), was == PDB_NOWHERE ? "" : name_at(o, was));
		CHECK_STR(answer(now, i, &found), buf_str(&text));
		n_known += a.of[i].found == DWARF_FUNCTION;
		CHECK_EQ(object_is_code(now, PDB_TEXT + i), i < 0x368);
	}
	CHECK_EQ(n_known, 0x80 + 0x20 + 6 + 0x10);
	CHECK_EQ(check_whole(now), 0);
	CHECK_EQ(object_image_base(now), 0);
	CHECK(object_symbol_value(now, "?outer@@YAXXZ", 13, &value));
	CHECK_EQ(value, PDB_TEXT + 0x90);
	CHECK(object_is_symbol_start(now, PDB_TEXT + 0x90));
	CHECK(!object_is_symbol_start(now, PDB_TEXT + 0x60));
	CHECK(object_symbol_value(now, "only_public", 11, &value));
	CHECK_EQ(value, PDB_TEXT + 0x268);
	CHECK_STR(object_any_symbol_at(now, PDB_DATA + 0x10)->name, "global");
	dwarf_answers_release(&a);
	object_free(o);
	object_free(now);
	buf_release(&text);
	buf_release(&moved);
	buf_release(&b);
	buf_release(&answer_text);
}

TEST(code_moved_afterwards)
{
	check_moved(false);
}

TEST(code_moved_afterwards_with_both_headers)
{
	check_moved(true);
}

TEST(maps_that_do_not_ascend)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	char *at;

	pdb_make(&b, &(struct pdb_how){.age = 1, .machine = 0x8664, .omap = true});
	at = memmem(b.data, b.len, "\x50\x10\0\0\xff\xff\xff\xff", 8);
	CHECK(at);
	at[1] = 0x0f;
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_BAD);
	CHECK_STR(e.msg, "PDB: stream 12: its OMAP does not ascend at 8");
	buf_release(&b);
}

/* 32-bit x86: "_f" and "_f@8" are f to who wrote it. */
TEST(undecorated_publics)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;
	char *at;

	pdb_make(&b, &(struct pdb_how){.age = 1, .machine = 0x14c});
	at = memmem(b.data, b.len, "only_public", 11);
	CHECK(at);
	memcpy(at, "_stdcall@12", 11);
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_OK);
	CHECK_EQ(object_arch(o), ARCH_X86);
	CHECK_STR(object_symbol_at(o, PDB_TEXT + 0x400)->name, "stdcall");
	CHECK_STR(object_symbol_at(o, PDB_TEXT + 0x100)->name, "?outer@@YAXXZ");
	object_free(o);
	buf_release(&b);
}

TEST(fastlink_is_named)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct object *o = NULL;

	pdb_make(&b, &(struct pdb_how){.age = 1, .machine = 0x8664, .fastlink = true});
	CHECK_EQ(object_open_memory(&o, b.data, b.len, &e), ST_UNSUPPORTED);
	CHECK(strstr(e.msg, "/DEBUG:FASTLINK"));
	buf_release(&b);
}

/* Every number as large as it can be, and as 0: nothing is read that is not there, nothing goes on for ever. */
TEST(lies)
{
	static const uint32_t values[] = {UINT32_MAX, 0, 4};
	struct buf b = BUF_INIT;
	uint8_t found;
	size_t opened = 0, left = 0;

	pdb_make(&b, &(struct pdb_how){.age = 1, .machine = 0x8664, .cross = true});
	for (size_t at = 0; at + 4 <= b.len; at += 2)
		for (size_t k = 0; k < 3; k++) {
			struct err e = ERR_INIT;
			struct object *o = NULL;
			char was[4];

			memcpy(was, b.data + at, 4);
			pdb_set32(&b, at, values[k]);
			if (object_open_memory(&o, b.data, b.len, &e)) {
				CHECK(e.msg[0]);
			} else {
				opened++;
				answer(o, 0x11c, &found);
				answer(o, 0x140, &found);
				answer(o, 0x300, &found);
				left += check_whole(o) > 0;
				(void)object_symbol_at(o, PDB_TEXT + 0x400);
			}
			object_free(o);
			memcpy(b.data + at, was, 4);
		}
	CHECK(opened > b.len / 2); /* else nothing was tried */
	CHECK(left > 100);         /* the same */
	CHECK(left < opened / 2);
	buf_release(&b);
	buf_release(&answer_text);
}

TEST(cut_short)
{
	struct buf b = BUF_INIT;
	uint8_t found;

	pdb_make(&b, &plain);
	for (size_t n = 0; n < b.len; n += 100) {
		struct err e = ERR_INIT;
		struct object *o = NULL;

		if (object_open_memory(&o, b.data, n, &e))
			CHECK(e.msg[0]);
		else
			answer(o, 0x11c, &found);
		object_free(o);
	}
	buf_release(&b);
	buf_release(&answer_text);
}

/* A stream of which all blocks are one, and one that has the block of the directory. */
TEST(blocks_that_meet)
{
	struct buf b = BUF_INIT;
	const size_t lists = 4 * PDB_BLOCK + 4 + 4 * PDB_STREAMS;
	uint8_t found;

	pdb_make(&b, &plain);
	for (size_t at = lists; at + 4 <= lists + 4 * 12; at += 4)
		for (uint32_t block = 0; block < 17; block++) {
			struct err e = ERR_INIT;
			struct object *o = NULL;
			char was[4];

			memcpy(was, b.data + at, 4);
			pdb_set32(&b, at, block);
			if (!object_open_memory(&o, b.data, b.len, &e))
				answer(o, 0x11c, &found);
			object_free(o);
			memcpy(b.data + at, was, 4);
		}
	buf_release(&b);
	buf_release(&answer_text);
}

TEST_MAIN()

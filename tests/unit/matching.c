/* SPDX-License-Identifier: MIT
 *
 * lib/profile/matching.h. The spellings are those of GNU's and LLVM's demanglers, of GCC's, Clang's
 * and rustc's symbol tables, and of IL2CPP's generated code.
 */
#include "lib/profile/matching.h"
#include "lib/base/hash.h"
#include "tests/unit/test.h"

static void same(const char *a, const char *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	canonical_name(&x, a, strlen(a));
	canonical_name(&y, b, strlen(b));
	CHECK_STR(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
}

static void canonical(const char *s, const char *want)
{
	struct buf x = BUF_INIT;

	canonical_name(&x, s, strlen(s));
	CHECK_STR(buf_str(&x), want);
	buf_release(&x);
}

TEST(demanglers_space_differently)
{
	same("std::map<int, std::vector<int> >::find(int const&)",
	     "std::map<int, std::vector<int>>::find(int const&)");
	same("operator new [](unsigned long)", "operator new[](unsigned long)");
	canonical("unsigned long f(char const *, int)", "unsigned long f(char const*,int)");
	same("f( int )", "f(int)");
	same("{anonymous}::load()", "(anonymous namespace)::load()");
}

TEST(clones_are_the_function)
{
	canonical("_Z4loadv.cold", "_Z4loadv");
	canonical("_Z4loadv.part.0", "_Z4loadv");
	canonical("_Z4loadv.isra.0.cold", "_Z4loadv");
	canonical("_Z4loadv.constprop.12", "_Z4loadv");
	canonical("_ZL4loadv.llvm.16423580735891", "_ZL4loadv");
	canonical("_ZL4loadv.__uniq.1234.llvm.99", "_ZL4loadv");
	canonical("load() [clone .part.0] [clone .cold]", "load()");
	/* No suffixes: a dot and a number alone, or a whole name. */
	canonical("table.12", "table.12");
	canonical(".cold", ".cold");
	canonical("a.b", "a.b");
}

TEST(what_has_no_name_is_not_counted)
{
	same("run()::{lambda(int)#1}::operator()(int)", "run()::{lambda(int)#12}::operator()(int)");
	same("run()::'lambda'(int)::operator()", "run()::'lambda3'(int)::operator()");
	same("run::$_0::operator()", "run::$_41::operator()");
	same("run::$_0::operator()(int) const", "run::{lambda(int)#2}::operator()(int) const");
	same("run()::'lambda'(int)::operator()(int)", "run()::<lambda(int)>::operator()(int)");
	same("void call<main::$_2>(main::$_2)",
	     "void call<main::{lambda(a<b>, void (*)())#1}>(main::{lambda(a<b>, void (*)())#1})");
	canonical("run()::{lambda(int)#1}::operator()(int) const",
		  "run()::{lambda}::operator()(int)const");
	canonical("$_x", "$_x");
	canonical("{lambda(", "{lambda(");
	same("{unnamed type#1}::x", "{unnamed type#2}::x");
	same("core::run::{closure#0}", "core::run::{closure#3}");
	/* Numbers of named things stay. */
	canonical("Vec3::at(int)", "Vec3::at(int)");
	canonical("f<3>#4", "f<3>#4");
	canonical("Array<12>", "Array<12>");
}

TEST(hashes_of_generators)
{
	same("core::fmt::write::h0123456789abcdef", "core::fmt::write::hfedcba9876543210");
	canonical("a::hello_world_hash_x", "a::hello_world_hash_x");
	same("Player_Update_m0123456789ABCDEF0123456789ABCDEF01234567",
	     "Player_Update_mFEDCBA98765432100123456789ABCDEF01234567");
	same("Player_Update_m1234567890", "Player_Update_m987654321");
	same("List_1_Add_m0123456789ABCDEF0123456789ABCDEF01234567_gshared",
	     "List_1_Add_m0123456789ABCDEF0123456789ABCDEF01234568_gshared");
	canonical("node_m4", "node_m4");
	canonical("x_t123x", "x_t123x");
}

TEST(places_without_names)
{
	CHECK(name_is_address("libgame.so!0x12ab", 17));
	CHECK(name_is_address("libgame.so+0x1", 14));
	CHECK(name_is_address("0x7f00", 6));
	CHECK(name_is_address("[unknown]", 9));
	CHECK(name_is_address("libgame.so!fn_0x12ab", 20));
	CHECK(name_is_address("libgame.so#2!fn_0x12ab", 22));
	CHECK(!name_is_address("fn_0x12ab", 9)); /* C allows it */
	CHECK(!name_is_address("libgame.so!fn_0x", 16));
	CHECK(!name_is_address("libgame.so!fn_0x12ab::f", 23));
	CHECK(!name_is_address("f0x12", 5));
	CHECK(!name_is_address("0x", 2));
	CHECK(!name_is_address("", 0));
	CHECK(!name_is_address("Vec::at", 7));
}

static void bare(const char *s, const char *want, bool all)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	canonical_name(&x, s, strlen(s));
	CHECK_EQ(bare_name(&y, x.data, x.len), all);
	CHECK_STR(buf_str(&y), want);
	buf_release(&x);
	buf_release(&y);
}

TEST(bare_names_are_what_inlining_leaves)
{
	bare("inl(int)", "inl", false);
	bare("inl", "inl", true);
	bare("a::(anonymous namespace)::inl(int) const", "inl", false);
	bare("int* game::make<int, a::b>(int, void (*)(int))", "make<int,a::b>", false);
	bare("main::{lambda(int)#1}::operator()(int) const", "operator()", false);
	bare("run(int)::{lambda(int)#1}::operator()(int) const", "operator()", false);
	bare("auto run(int) const::$_1::operator()<double>(double) const", "operator()<double>",
	     false);
	bare("run()::L::go()", "go", false);
	bare("operator()", "operator()", true);
	bare("Vec::operator<(Vec const&) const", "operator<", false);
	bare("Vec::operator->() const", "operator->", false);
	bare("Vec::operator bool() const", "operator bool", false);
	bare("Update", "Update", true);
	bare("f(", "f", false);
	bare("<<<", "<<<", true);
}

TEST(numbers_of_compilers)
{
	static const char *const numbered[] = {
	    "f()::{lambda(int)#2}::operator()(int) const", "f()::$_3::operator()()",
	    "f()::'lambda1'()::operator()()", "core::run::{closure#0}", "{unnamed type#1}::x"};
	static const char *const plain[] = {"f(int)", "Vec3::at(int)", "load", "_Z4loadi"};

	for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
		CHECK(name_is_numbered(numbered[i], strlen(numbered[i])));
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		CHECK(!name_is_numbered(plain[i], strlen(plain[i])));
	CHECK_EQ(name_without_clones("_Z4loadv.part.0", 15), 8);
	CHECK_EQ(name_without_clones("load() [clone .part.0] [clone .cold]", 36), 6);
}

/* Things of a build; name / 10 is the bare name. Without is_open, what says the same is the same. */
static struct matching_entity at(uint64_t name, const char *file, uint32_t line)
{
	return (struct matching_entity){.canonical = name,
					.bare = name / 10,
					.name = "",
					.is_open = true,
					.file = file,
					.file_id =
					    *file ? (uint32_t)hash_bytes(file, strlen(file)) : 0,
					.line = line};
}

/* Of each of b the index in a, and the same the other way round. */
static void assigned(const struct matching_entity *a, size_t n_a, const struct matching_entity *b,
		     size_t n_b, const struct matching_lines *lines, const uint32_t *want)
{
	struct matching_lines back = {.n = 0};
	uint32_t to[16];
	bool guess[16];

	matching_assign(a, n_a, b, n_b, lines, to, guess);
	for (size_t i = 0; i < n_b; i++)
		CHECK_EQ((int32_t)to[i], (int32_t)want[i]);
	for (size_t i = 0; i < lines->n; i++)
		matching_lines_add(&back, (struct matching_anchor){
					      lines->items[i].file_b, lines->items[i].file_a,
					      lines->items[i].line_b, lines->items[i].line_a});
	matching_lines_sort(&back);
	matching_assign(b, n_b, a, n_a, &back, to, guess);
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			CHECK_EQ(to[i] == k, want[k] == i);
	matching_lines_release(&back);
}

enum { NO = MATCHING_NONE };
#define ASSIGNED(...)                                                      \
	assigned(a, sizeof a / sizeof *a, b, sizeof b / sizeof *b, &lines, \
		 (const uint32_t[]){__VA_ARGS__})

static const struct matching_lines none;

/* Two builds in two folders, whose files of one name are distinguished by the folder above; the third went from one
 * folder into another; the fourth names no file; the fifth is not what has the same name in another file that both
 * builds have. */
TEST(the_longest_common_end_of_a_path_joins)
{
	const struct matching_lines lines = none;
	const struct matching_entity a[] = {at(10, "/a/ui/panel.c", 5),
					    at(10, "/a/ai/panel.c", 5),
					    at(20, "c:\\a\\one\\io.c", 5),
					    at(30, "", 0),
					    at(40, "x.c", 1),
					    at(50, "y.c", 1)};
	const struct matching_entity b[] = {at(10, "/b/x/ai/panel.c", 5),
					    at(10, "/b/x/ui/panel.c", 5),
					    at(20, "two/io.c", 9),
					    at(30, "z.c", 7),
					    at(40, "y.c", 1),
					    at(60, "x.c", 1)};

	ASSIGNED(1, 0, 2, 3, NO, NO);
}

/* What the file held went to another, so what is known by its file alone did, too. */
TEST(a_renamed_file_is_the_same)
{
	const struct matching_lines lines = none;
	const struct matching_entity a[] = {at(10, "old.c", 5), at(20, "old.c", 9),
					    at(20, "old.c", 12)};
	const struct matching_entity b[] = {at(10, "new.c", 6), at(20, "new.c", 10),
					    at(20, "new.c", 13)};

	ASSIGNED(0, 1, 2);
}

/* Files that took each other's names, as their unique names say: what is known by its file goes along. One name alone that
 * went to a file which is still there moves nothing else. */
TEST(files_that_change_names_are_followed)
{
	const struct matching_entity a[] = {at(10, "ai.c", 5), at(10, "fx.c", 5)};
	const struct matching_entity b[] = {at(10, "fx.c", 5), at(10, "ps.c", 5)};
	struct matching_move moves[] = {{a[0].file_id, b[0].file_id}, {a[1].file_id, b[1].file_id}};
	struct matching_lines lines = {.moves = moves, .n_moves = 2};
	uint32_t to[2];
	bool guess[2];

	matching_assign(a, 2, b, 2, &lines, to, guess);
	CHECK_EQ(to[0], 0);
	CHECK_EQ(to[1], 1);
	lines.n_moves = 1;
	matching_assign(a, 2, b, 2, &lines, to, guess);
	CHECK_EQ(to[0], 1);
}

TEST(a_unique_name_is_the_same_in_any_file)
{
	const struct matching_lines lines = none;
	struct matching_entity a[] = {at(10, "a.c", 5), at(20, "a.c", 7)};
	struct matching_entity b[] = {at(10, "b.c", 5), at(30, "b.c", 6), at(40, "a.c", 8)};

	a[0].is_unique = b[0].is_unique = true;
	ASSIGNED(0, NO, NO);
}

/* Three places of one function that have moved by lines. */
TEST(moved_lines_are_in_their_order)
{
	const struct matching_lines lines = none;
	const struct matching_entity a[] = {at(10, "a.c", 12), at(10, "a.c", 14)};
	const struct matching_entity b[] = {at(10, "a.c", 23), at(10, "a.c", 21)};

	ASSIGNED(1, 0);
}

/* One place more, before, between or behind two others: what is known of the lines around them decides. */
TEST(lines_are_where_their_neighbours_went)
{
	const uint32_t file = at(10, "a.c", 1).file_id;
	struct matching_anchor items[] = {{file, file, 5, 5}, {file, file, 20, 21}};
	const struct matching_lines lines = {.items = items, .n = 2};
	const struct matching_entity a[] = {at(10, "a.c", 21), at(10, "a.c", 22), at(20, "a.c", 2),
					    at(20, "a.c", 4)};
	/* Behind 20 all lines are one further; before 5 none is. */
	struct matching_entity b[] = {at(10, "a.c", 21), at(10, "a.c", 22), at(10, "a.c", 23),
				      at(20, "a.c", 2),  at(20, "a.c", 3),  at(20, "a.c", 4)};

	ASSIGNED(NO, 0, 1, 2, NO, 3);
}

/* The lines say nothing: two that had 100 and 5 blocks are not the one with 1 that came before them. */
TEST(counts_and_sizes_decide_what_lines_leave_open)
{
	const struct matching_lines lines = none;
	struct matching_entity a[] = {at(10, "a.c", 8), at(10, "a.c", 9)};
	struct matching_entity b[] = {at(10, "a.c", 8), at(10, "a.c", 9), at(10, "a.c", 10)};

	a[0].count = b[1].count = 100;
	a[0].bytes = b[1].bytes = 100000;
	a[1].count = b[2].count = 5;
	a[1].bytes = b[2].bytes = 500;
	b[0].count = 1;
	b[0].bytes = 64;
	ASSIGNED(NO, 0, 1);
}

/* What says the same is the same, unless it is a number or a line, which counts in one build only. */
TEST(what_is_open_is_the_same_in_one_build_only)
{
	const struct matching_lines lines = none;
	struct matching_entity a[] = {at(10, "a.c", 1), at(10, "a.c", 2)};
	struct matching_entity b[] = {at(10, "a.c", 1), at(10, "a.c", 2)};

	a[0].same = b[1].same = 1;
	a[1].same = b[0].same = 2;
	ASSIGNED(0, 1);
	a[0].build = a[1].build = b[0].build = b[1].build = 7;
	ASSIGNED(1, 0);
	b[0].build = b[1].build = 8;
	ASSIGNED(0, 1);
	for (size_t i = 0; i < 2; i++)
		a[i].is_open = b[i].is_open = false;
	ASSIGNED(1, 0);
}

TEST(modules_are_apart)
{
	const struct matching_lines lines = none;
	struct matching_entity a[] = {at(10, "a.c", 1), at(10, "a.c", 1)};
	struct matching_entity b[] = {at(10, "a.c", 1), at(10, "a.c", 1)};

	a[0].module = b[1].module = 1;
	a[1].module = b[0].module = 2;
	ASSIGNED(1, 0);
}

/* Bare names join only what one compiler says nothing more of: "inl" with "inl(int)", not
 * "A::init()" with "B::init()". */
TEST(bare_names_join_what_was_inlined)
{
	const struct matching_lines lines = none;
	struct matching_entity a[] = {at(11, "", 0), at(21, "", 0), at(31, "a.c", 4),
				      at(31, "a.c", 5)};
	struct matching_entity b[] = {at(12, "", 0), at(22, "", 0), at(32, "a.c", 5)};

	b[0].is_bare = b[2].is_bare = true;
	ASSIGNED(0, NO, 3);
}

/* A function of up to nine sites at random lines, each with a size of its own, between a line before it and one behind it
 * that are known; then edits of its text, of which each moves the lines behind it. What an edit does not touch is the
 * same site in the new build. */
enum { SITES_MAX = 12, EDITS_MAX = 2 };
enum edit { ADD_LINES, REMOVE_LINES, ADD_SITE, REMOVE_SITE, CHANGE_SIZE, EDITS };

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 11) % n);
}

struct random_site {
	uint32_t line, was; /* was: the base's index, or NO */
	float count, each;
};
struct random_function {
	struct random_site sites[SITES_MAX];
	size_t n;
	uint32_t end; /* the line behind it */
};

static struct random_site random_site(uint32_t line)
{
	return (struct random_site){line, NO, (float)(1 + below(200)),
				    (float)(16u << below(12)) + (float)below(15)};
}

static void move_lines(struct random_function *f, size_t from, uint32_t by)
{
	for (size_t i = from; i < f->n; i++)
		f->sites[i].line += by;
	f->end += by;
}

static void edit_site(struct random_function *f, enum edit e)
{
	size_t i = below((uint32_t)f->n);
	uint32_t line = f->sites[i].line, by = 1 + below(3);

	switch (e) {
	case ADD_LINES: move_lines(f, i, by); break;
	case REMOVE_LINES: /* as far as there are some in front */
		by = line - (i ? f->sites[i - 1].line : 10) - 1;
		move_lines(f, i, 0 - by);
		break;
	case ADD_SITE:
		by = below(2); /* on a line that was empty, or one more */
		if (!by && line - (i ? f->sites[i - 1].line : 10) < 2)
			by = 1;
		line -= !by;
		memmove(&f->sites[i + 1], &f->sites[i], (f->n++ - i) * sizeof *f->sites);
		f->sites[i] = random_site(line);
		move_lines(f, i + 1, by);
		break;
	case REMOVE_SITE:
		memmove(&f->sites[i], &f->sites[i + 1], (--f->n - i) * sizeof *f->sites);
		move_lines(f, i, 0 - below(2));
		break;
	default: f->sites[i].count *= (float)(2 + below(19)); break;
	}
}

/* Whether all are assigned as they were edited. */
static bool random_trial(const enum edit *edits, unsigned n_edits)
{
	const uint32_t file = at(10, "a.c", 1).file_id;
	struct random_function f = {.n = 0}, g;
	struct matching_entity a[SITES_MAX], b[SITES_MAX];
	struct matching_anchor items[2];
	struct matching_lines lines = {.items = items, .n = 2};
	uint32_t to[SITES_MAX], line = 10;
	bool guess[SITES_MAX];

	f.n = 2 + below(8);
	for (size_t i = 0; i < f.n; i++) {
		line += 1 + below(4);
		f.sites[i] = random_site(line);
		f.sites[i].was = (uint32_t)i;
	}
	f.end = line + 1 + below(3);
	g = f;
	for (unsigned i = 0; i < n_edits; i++)
		edit_site(&g, edits[i]);
	items[0] = (struct matching_anchor){file, file, 10, 10};
	items[1] = (struct matching_anchor){file, file, f.end, g.end};
	for (size_t i = 0; i < f.n; i++) {
		a[i] = at(10, "a.c", f.sites[i].line);
		a[i].count = f.sites[i].count;
		a[i].bytes = f.sites[i].count * f.sites[i].each;
	}
	for (size_t i = 0; i < g.n; i++) {
		b[i] = at(10, "a.c", g.sites[i].line);
		b[i].count = g.sites[i].count;
		b[i].bytes = g.sites[i].count * g.sites[i].each;
	}
	matching_assign(a, f.n, b, g.n, &lines, to, guess);
	for (size_t i = 0; i < g.n; i++)
		if (to[i] != g.sites[i].was)
			return false;
	return true;
}

/* One edit leaves no doubt. A site removed and one added may be one that changed; of other two edits the second may
 * undo what the first one showed. */
TEST(sites_of_a_function_follow_its_edits)
{
	enum { TRIALS = 2000 };
	unsigned right = 0, two = 0;

	random_state = 88172645463325252u;
	for (unsigned i = 0; i < TRIALS; i++) {
		const enum edit edits[] = {(enum edit)below(EDITS), (enum edit)below(EDITS)};
		bool replaced = (edits[0] == ADD_SITE && edits[1] == REMOVE_SITE) ||
				(edits[0] == REMOVE_SITE && edits[1] == ADD_SITE);

		CHECK(random_trial(edits, 0));
		CHECK(random_trial(edits, 1));
		two += !replaced;
		right += !replaced && random_trial(edits, 2);
	}
	CHECK(right * 50 > two * 49);
}

TEST_MAIN()

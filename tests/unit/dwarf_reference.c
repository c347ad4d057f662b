/* SPDX-License-Identifier: MIT
 *
 * The reference engine: its pure parts on units written by hand, and the whole of it on this very
 * program, which knows by __LINE__ what must come out.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/path.h"
#include "lib/dwarf/reference/reference.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef __has_feature
#define FEATURE(x) __has_feature(x)
#else
#define FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || FEATURE(address_sanitizer) || \
    FEATURE(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define NOINLINE __attribute__((noinline))

volatile int sink;
int truth_line;

static inline __attribute__((always_inline)) void store(int v)
{
	sink = v;
}

NOINLINE void where_known(int v);
NOINLINE void where_known(int v)
{
	truth_line = __LINE__ + 1;
	store(v);
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static struct object *open_self(void)
{
	struct err e = ERR_INIT;
	struct object *o;

	if (object_open(&o, "/proc/self/exe", &e))
		return NULL;
	if (object_has_dwarf(o))
		return o;
	object_free(o);
	return NULL;
}

static const struct object_symbol *find_symbol(struct object *o, const char *name)
{
	size_t n;
	const struct object_symbol *s = object_symbols(o, &n);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(s[i].name, name))
			return &s[i];
	}
	return NULL;
}

/* Every byte of this program's .text, many times over: enough for several slices. */
static size_t all_of_text(struct object *o, uint64_t **addrs)
{
	struct object_section text;
	struct err e = ERR_INIT;

	if (object_section(o, ".text", &text, &e))
		return 0;
	*addrs = mem_array(text.size, sizeof **addrs);
	for (uint64_t i = 0; i < text.size; i++)
		(*addrs)[i] = text.addr + i;
	return text.size;
}

/* The first test: a worker may use what its parent has freed, and each of the others frees megabytes. */
TEST(memory_limit)
{
	struct object *o;
	struct dwarf_answers a;
	uint64_t *addrs = NULL;
	struct err e = ERR_INIT;
	struct dwarf_job job = {.out = &a};
	size_t others = 0;

	if (SANITIZED)
		TEST_SKIP("a sanitizer's address space cannot be limited");
	o = open_self();
	if (!o)
		TEST_SKIP("built without -g");
	job.object = o;
	job.n = all_of_text(o, &addrs);
	job.addrs = addrs;
	dwarf_answers_init(&a, job.n);
	CHECK_EQ(dwarf_reference(&job, 1, &(struct dwarf_options){.jobs = 2, .memory = 4096}, &e),
		 ST_OK);
	for (size_t i = 0; i < job.n; i++)
		others += a.of[i].found != DWARF_GAVE_UP;
	CHECK(others < job.n / 4);
	CHECK(a.n_complaints && strstr(intern_text(&a.strings, a.complaints[0], NULL), "memory"));
	free(addrs);
	dwarf_answers_release(&a);
	object_free(o);
}

TEST(rows)
{
	static struct unit_row list[] = {
	    {.addr = 100, .line = 1},
	    {.addr = 100, .line = 2},
	    {.addr = 110, .line = 3},
	    {.addr = 110, .line = 4},
	    {.addr = 120, .end = true},
	    /* a second set_address that goes back: the row before it has no end */
	    {.addr = 300, .line = 5},
	    {.addr = 310, .line = 6},
	    {.addr = 200, .line = 7},
	    {.addr = 210, .end = true},
	    /* a dead sequence at 0 that lasts */
	    {.addr = 0, .line = 8},
	    {.addr = 105, .end = true},
	};
	static const uint64_t addrs[] = {50, 100, 109, 110, 119, 120, 200, 305, 310, 400};
	static const uint32_t lines[] = {8, 2, 2, 4, 4, 0, 7, 5, 0, 0};
	struct reference_unit u = {.rows = list, .n_rows = sizeof list / sizeof *list};
	uint32_t row[10];

	unit_match_rows(&u, addrs, in_order, 10, row);
	for (size_t i = 0; i < 10; i++) {
		uint32_t line = row[i] == UNIT_NO_ROW ? 0 : list[row[i]].line;

		if (!CHECK_EQ(line, lines[i]))
			printf("  at %d\n", (int)addrs[i]);
	}
}

TEST(scopes)
{
	static struct unit_range ranges[] = {
	    {100, 200}, {120, 130}, {140, 150}, {122, 124}, {300, 310}};
	static struct unit_scope list[] = {
	    {.first_range = 0, .n_ranges = 1},
	    {.first_range = 1, .n_ranges = 2, .parent = 1, .inlined = true},
	    {.first_range = 3, .n_ranges = 1, .parent = 2, .inlined = true},
	    {.first_range = 0, .n_ranges = 0},
	    {.first_range = 4, .n_ranges = 1},
	};
	static const uint64_t addrs[] = {99, 100, 120, 122, 124, 139, 149, 199, 200, 309};
	static const uint32_t want[] = {0, 1, 2, 3, 2, 1, 2, 1, 0, 5};
	struct reference_unit u = {
	    .scopes = list, .n_scopes = 5, .scope_ranges = ranges, .n_scope_ranges = 5};
	uint32_t scope[10];

	unit_match_scopes(&u, addrs, in_order, 10, scope);
	for (size_t i = 0; i < 10; i++)
		CHECK_EQ(scope[i], want[i]);
}

static const char *join(struct buf *b, uint16_t version, uint64_t dir_index, const char *dir,
			const char *name)
{
	b->len = 0;
	unit_join_path(b, version, "/comp", dir_index, dir, name);
	return buf_str(b);
}

TEST(paths)
{
	struct buf b = BUF_INIT;

	CHECK_STR(join(&b, 4, 0, "", "a.c"), "/comp/a.c");
	CHECK_STR(join(&b, 4, 1, "sub", "a.c"), "/comp/sub/a.c");
	CHECK_STR(join(&b, 4, 1, "/abs", "a.c"), "/abs/a.c");
	CHECK_STR(join(&b, 4, 1, "/abs/", "a.c"), "/abs/a.c");
	CHECK_STR(join(&b, 4, 1, "sub", "/x/a.c"), "/x/a.c");
	CHECK_STR(join(&b, 4, 1, "../up", "./a.c"), "/comp/../up/./a.c");
	CHECK_STR(join(&b, 4, 1, "C:/build", "a.c"), "C:/build/a.c");
	CHECK_STR(join(&b, 5, 0, "/comp", "a.c"), "/comp/a.c");
	CHECK_STR(join(&b, 5, 0, "rel", "a.c"), "rel/a.c");
	CHECK_STR(join(&b, 5, 2, "rel", "a.c"), "/comp/rel/a.c");
	buf_release(&b);
}

/* Rows as libdwarf 20210528 gives them for this program, file 0 where no DW_LNS_set_file came. */
TEST(default_file_of_a_sequence)
{
	static const uint8_t program[] = {
	    34, 0,    0, 0, 5, 0, 8, 0,            /* length, version, address and selector size */
	    16, 0,    0, 0, 1, 1, 1, 0xfb, 14, 10, /* header length, ..., opcode_base */
	    0,  1,    1, 1, 1, 0, 0, 0,    1,  9,  /* operands; one stray byte of tables */
	    1,  0x20,                              /* copy, special: 2 rows of file 1 */
	    4,  0,    1,                           /* set_file 0, copy: 1 row that is really 0 */
	    0,  1,    1,                           /* end_sequence: after set_file, stays 0 */
	    1,  0,                                 /* copy: file 1 again; then cut short */
	};
	struct unit_row rows[5] = {{0}};
	struct reference_unit u = {.rows = rows, .n_rows = 5};

	unit_fix_default_file(&u, program, sizeof program, false);
	CHECK_EQ(rows[0].file, 1);
	CHECK_EQ(rows[1].file, 1);
	CHECK_EQ(rows[2].file, 0);
	CHECK_EQ(rows[3].file, 0);
	CHECK_EQ(rows[4].file, 1);
	for (size_t n = 0; n < sizeof program; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, program, n);
		unit_fix_default_file(&u, cut, n, false);
		unit_fix_default_file(&u, cut, n, true);
		free(cut);
	}
}

TEST(calls_are_stored_once)
{
	struct dwarf_answers a;
	uint32_t first, second;

	dwarf_answers_init(&a, 1);
	first = dwarf_answers_call(&a, &(struct dwarf_call){.function = 1, .line = 5});
	second =
	    dwarf_answers_call(&a, &(struct dwarf_call){.function = 1, .line = 5, .outer = first});
	CHECK_EQ(first, 1);
	CHECK_EQ(second, 2);
	CHECK_EQ(dwarf_answers_call(&a, &(struct dwarf_call){.function = 1, .line = 5}), first);
	CHECK_EQ(a.n_calls, 3);
	dwarf_answers_complain(&a, "x", 1);
	dwarf_answers_complain(&a, "x", 1);
	CHECK_EQ(a.n_complaints, 1);
	dwarf_answers_release(&a);
}

TEST(this_program)
{
	struct object *o = open_self();
	const struct object_symbol *s;
	struct dwarf_options options = {.jobs = 1};
	struct dwarf_answers a;
	struct dwarf_job job = {.object = o, .out = &a};
	struct err e = ERR_INIT;
	uint64_t *addrs;
	bool inlined = false;

	if (!o)
		TEST_SKIP("built without -g");
	where_known(1);
	s = find_symbol(o, "where_known");
	if (!CHECK(s && s->sized))
		return;
	job.n = s->hi - s->lo;
	job.addrs = addrs = mem_array(job.n, sizeof *addrs);
	for (size_t i = 0; i < job.n; i++)
		addrs[i] = s->lo + i;
	dwarf_answers_init(&a, job.n);
	CHECK_EQ(dwarf_reference(&job, 1, &options, &e), ST_OK);
	CHECK_EQ(a.n_complaints, 0);
	for (size_t i = 0; i < job.n; i++) {
		const struct dwarf_call *c = &a.calls[a.of[i].call];

		CHECK_EQ(a.of[i].found, DWARF_FUNCTION);
		if (!strcmp(intern_text(&a.strings, c->function, NULL), "store")) {
			CHECK(strstr(intern_text(&a.strings, c->file, NULL),
				     "tests/unit/dwarf_reference.c"));
			c = &a.calls[c->outer];
			CHECK_EQ(c->line, truth_line);
			inlined = true;
		}
		CHECK_STR(intern_text(&a.strings, c->function, NULL), "where_known");
		CHECK_EQ(c->outer, 0);
	}
	CHECK(inlined);
	free(addrs);
	dwarf_answers_release(&a);
	object_free(o);
}

TEST(same_answers_with_any_number_of_workers)
{
	struct object *o = open_self();
	struct dwarf_answers a[2], b[2];
	uint64_t *addrs = NULL;
	struct err e = ERR_INIT;
	size_t n, differ = 0;

	if (!o)
		TEST_SKIP("built without -g");
	n = all_of_text(o, &addrs);
	for (size_t k = 0; k < 2; k++) {
		struct dwarf_answers *out = k ? b : a;
		struct dwarf_job jobs[2] = {{o, addrs, n, &out[0], NULL},
					    {o, addrs + n / 2, n / 2, &out[1], NULL}};

		dwarf_answers_init(&out[0], n);
		dwarf_answers_init(&out[1], n / 2);
		CHECK_EQ(dwarf_reference(jobs, 2, &(struct dwarf_options){.jobs = k ? 7 : 1}, &e),
			 ST_OK);
	}
	for (size_t k = 0; k < 2; k++) {
		CHECK_MEM(a[k].calls, a[k].n_calls * sizeof *a[k].calls, b[k].calls,
			  b[k].n_calls * sizeof *b[k].calls);
		CHECK_EQ(intern_count(&a[k].strings), intern_count(&b[k].strings));
		for (size_t i = 0; i < a[k].n; i++)
			differ += memcmp(&a[k].of[i], &b[k].of[i], sizeof a[k].of[i]) != 0;
		CHECK_EQ(differ, 0);
	}
	for (size_t k = 0; k < 2; k++) {
		dwarf_answers_release(&a[k]);
		dwarf_answers_release(&b[k]);
	}
	free(addrs);
	object_free(o);
}

TEST(the_parents_output_is_not_written_twice)
{
	struct object *o = open_self();
	struct dwarf_answers a;
	uint64_t addr = 0x1234;
	struct dwarf_job job = {o, &addr, 1, &a, NULL};
	char path[] = "/tmp/tm-reference-XXXXXX", text[64] = "";
	struct err e = ERR_INIT;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w+");

	if (!o)
		TEST_SKIP("built without -g");
	fputs("once", f);
	dwarf_answers_init(&a, 1);
	CHECK_EQ(dwarf_reference(&job, 1, &(struct dwarf_options){.jobs = 1}, &e), ST_OK);
	CHECK_EQ(a.of[0].found, DWARF_NOT_FOUND);
	fflush(f);
	rewind(f);
	CHECK(fgets(text, sizeof text, f) != NULL);
	CHECK_STR(text, "once");
	fclose(f);
	unlink(path);
	dwarf_answers_release(&a);
	object_free(o);
}

static uint32_t length_at(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16;
}

/* This file's unit is broken by an abbreviation code that no unit has; others answer as before.
 * The first large unit is this file's: what lies before it comes from the compiler's start files.
 */
TEST(a_broken_unit_is_left_alone)
{
	struct object *o = open_self(), *broken = NULL;
	const struct object_symbol *mine, *other;
	struct object_section info;
	struct dwarf_answers a;
	struct err e = ERR_INIT;
	struct dwarf_job job = {.n = 1, .out = &a};
	uint64_t at, unit = 0;
	size_t size;
	uint8_t *image;
	FILE *f;

	if (!o || object_section(o, ".debug_info", &info, &e))
		TEST_SKIP("built without -g");
	f = fopen("/proc/self/exe", "rb");
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	rewind(f);
	image = mem_alloc(size);
	CHECK_EQ(fread(image, 1, size, f), size);
	fclose(f);
	for (at = 0; at < size - info.size && memcmp(image + at, info.data, (size_t)info.size);
	     at++)
		;
	mine = find_symbol(o, "where_known");
	other = find_symbol(o, "mem_alloc");
	/* The first unit that has mine's address is this file's. */
	while (
	    mine && unit < info.size - 4 &&
	    !memmem(info.data + unit, 4 + length_at(info.data + unit), &mine->lo, sizeof mine->lo))
		unit += 4 + length_at(info.data + unit);
	if (at < size - info.size && CHECK(mine && other && unit < info.size - 4)) {
		memset(image + at + unit + 12, 0xff, length_at(info.data + unit) - 12);
		CHECK_EQ(object_open_memory(&broken, image, size, &e), ST_OK);
		job.object = broken;
		job.addrs = &mine->lo;
		dwarf_answers_init(&a, 1);
		CHECK_EQ(dwarf_reference(&job, 1, &(struct dwarf_options){.jobs = 1}, &e), ST_OK);
		CHECK_EQ(a.of[0].found, DWARF_MALFORMED);
		CHECK_EQ(a.n_complaints, 1);
		dwarf_answers_release(&a);

		job.addrs = &other->lo;
		dwarf_answers_init(&a, 1);
		CHECK_EQ(dwarf_reference(&job, 1, &(struct dwarf_options){.jobs = 1}, &e), ST_OK);
		CHECK_EQ(a.of[0].found, DWARF_FUNCTION);
		CHECK_STR(intern_text(&a.strings, a.calls[a.of[0].call].function, NULL),
			  "mem_alloc");
		dwarf_answers_release(&a);
		object_free(broken);
	}
	free(image);
	object_free(o);
	if (!broken)
		TEST_SKIP("compressed sections");
}

TEST_MAIN()

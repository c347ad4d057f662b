/* SPDX-License-Identifier: MIT
 *
 * Long lists of ranges that several DIEs refer to: read once, with the same answers as the
 * reference engine's, which reads them each time; and lists made to be read again and again.
 */
#include "tests/unit/dwarf_fast.h"
#include "tests/unit/test.h"

enum { SPREAD = 20, SPREAD_CALL, LIST = 0, HOLES = 100 };

/* HOLES ranges of 4 bytes, each 8 behind the last; the even ones come first, so that the list is
 * not in order, and two of them are there twice. */
static void add_list(struct dwarf_bytes *d)
{
	put(d, &d->in[RANGES], UINT64_MAX, 8); /* the base, whatever the unit's is */
	put(d, &d->in[RANGES], TEXT, 8);
	for (size_t odd = 0; odd < 2; odd++)
		for (size_t i = odd; i < HOLES; i += 2)
			for (size_t twice = 0; twice < (i < 2 ? 2 : 1); twice++) {
				put(d, &d->in[RANGES], 8 * i, 8);
				put(d, &d->in[RANGES], 8 * i + 4, 8);
			}
	put(d, &d->in[RANGES], 0, 16);
}

/* silent: the unit does not say what it owns. */
static void begin(struct dwarf_bytes *d, bool silent)
{
	usual_abbrevs(d);
	abbrev(d, SPREAD, FUNCTION, 1, DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_sec_offset,
	       0);
	abbrev(d, SPREAD_CALL, INLINED, 1, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges,
	       DW_FORM_sec_offset, 0);
	begin_unit(d, 4, UT_COMPILE, 0);
	if (silent) {
		u8(d, UNIT_NOTHING);
		text(d, "/comp");
	} else {
		unit(d, 0, TEXT, TEXT + TEXT_SIZE);
	}
}

static void spread(struct dwarf_bytes *d, const char *name, uint64_t list)
{
	u8(d, SPREAD);
	text(d, name);
	u32(d, list);
}

static void open_file(struct dwarf_bytes *d, struct dwarf_job *job)
{
	struct err e = ERR_INIT;

	make_file(d);
	CHECK_EQ(object_open_memory(&job->object, d->file.data, d->file.len, &e), ST_OK);
	dwarf_answers_init(job->out, job->n);
}

static void close_file(struct dwarf_job *job)
{
	dwarf_answers_release(job->out);
	object_free(job->object);
}

/* The name of the function that the answer is; "" without one. */
static const char *name_of(const struct dwarf_answers *a, size_t i)
{
	struct dwarf_call c;

	return dwarf_call_at(a, a->of[i].call, &c) && c.function ? dwarf_text(a, c.function, NULL)
								 : "";
}

/* The functions that the addresses from TEXT on, as many as there are of them, must have. */
static void check_names(dwarf_answer_fn *engine, struct dwarf_bytes *d)
{
	enum { N = 8 * HOLES + 16 };
	struct dwarf_options options = {.jobs = 1, .seconds = 5};
	struct dwarf_answers a;
	uint64_t addrs[N];
	struct dwarf_job job = {.addrs = addrs, .n = N, .out = &a};
	struct err e = ERR_INIT;
	size_t wrong = 0;

	for (size_t i = 0; i < N; i++)
		addrs[i] = TEXT + i;
	open_file(d, &job);
	CHECK_EQ(engine(&job, 1, &options, &e), ST_OK);
	for (size_t i = 0; i < N; i++) {
		size_t hole = i / 8;
		const char *want = hole >= HOLES ? i < 8 * HOLES + 8 ? "before" : ""
				   : i % 8 >= 4  ? "before"
				   : hole == 50  ? "inlined"
						 : "second";

		wrong += strcmp(name_of(&a, i), want) != 0;
	}
	CHECK_EQ(wrong, 0);
	close_file(&job);
}

/* One list is a function's, a call's in it, and another function's with a call of its own in one
 * of the ranges: the later and inner one wins, and in the holes it is who was there before. */
static void check_one_list(bool silent)
{
	struct dwarf_bytes d = {.big = false};
	uint64_t inlined;

	begin(&d, silent);
	inlined = here(&d);
	u8(&d, ABSTRACT);
	text(&d, "inlined");
	function(&d, PLAIN, "before", TEXT, 8 * HOLES + 8);
	spread(&d, "first", LIST);
	u8(&d, SPREAD_CALL);
	u32(&d, inlined);
	u32(&d, LIST);
	u8(&d, 0);
	u8(&d, 0);
	spread(&d, "second", LIST);
	call(&d, inlined, TEXT + 8 * 50, 4, 1, 7);
	u8(&d, 0);
	u8(&d, 0);
	u8(&d, 0);
	end_unit(&d);
	add_list(&d);
	check_names(dwarf_fast, &d);
	check_names(dwarf_reference, &d);
	release(&d);
}

TEST(one_list_of_many_dies)
{
	check_one_list(false);
	check_one_list(true);
}

/* 100,000 functions whose lists of 200,000 ranges begin so many bytes apart. */
static void many_functions(struct dwarf_bytes *d, uint64_t apart)
{
	begin(d, false);
	for (uint64_t i = 0; i < 100000; i++) {
		spread(d, "f", i * apart);
		u8(d, 0);
	}
	u8(d, 0);
	end_unit(d);
	for (size_t i = 0; i < 200000; i++) {
		put(d, &d->in[RANGES], 0x100, 8);
		put(d, &d->in[RANGES], 0x101, 8);
	}
	put(d, &d->in[RANGES], 0, 16);
}

static const char no_lines[] = "line table";

static uint8_t found_in(struct dwarf_bytes *d, uint64_t addr, const char *complaint)
{
	struct dwarf_options options = {.jobs = 1, .seconds = 3600};
	struct dwarf_answers a;
	struct dwarf_job job = {.addrs = &addr, .n = 1, .out = &a};
	struct err e = ERR_INIT;
	uint8_t found;

	open_file(d, &job);
	CHECK_EQ(dwarf_fast(&job, 1, &options, &e), ST_OK);
	found = a.of[0].found;
	CHECK_EQ(a.n_complaints, 1);
	if (a.n_complaints)
		CHECK(strstr(intern_text(&a.strings, a.complaints[0], NULL), complaint));
	close_file(&job);
	return found;
}

/* Reading it each time would be 20,000,000,000 ranges, and the time limit is an hour. */
TEST(a_list_of_all_functions_is_read_once)
{
	struct dwarf_bytes d = {.big = false};

	many_functions(&d, 0);
	CHECK_EQ(found_in(&d, TEXT + 0x100, no_lines), DWARF_FUNCTION);
	CHECK_EQ(found_in(&d, TEXT + 0x10, no_lines), DWARF_NOT_FOUND);
	release(&d);
}

/* No two lists are the same, and each is nearly all of the section. */
TEST(lists_that_overlap_are_given_up)
{
	struct dwarf_bytes d = {.big = false};

	many_functions(&d, 16);
	CHECK_EQ(found_in(&d, TEXT + 0x10, "too often"), DWARF_GAVE_UP);
	release(&d);
}

/* The reference engine reads the list each time: a worker of one second for each of twelve jobs is 12 s,
 * and four seconds is what all may take. */
TEST(readers_of_a_batch_have_a_limit_together)
{
	enum { JOBS = 12 };
	struct dwarf_options options = {.jobs = 1, .seconds = 1};
	struct dwarf_bytes d = {.big = false};
	struct dwarf_answers a[JOBS];
	struct dwarf_job jobs[JOBS];
	uint64_t addr = TEXT + 0x10;
	struct err e = ERR_INIT;
	size_t gave_up = 0, told = 0;

	many_functions(&d, 0);
	for (size_t i = 0; i < JOBS; i++) {
		jobs[i] = (struct dwarf_job){.addrs = &addr, .n = 1, .out = &a[i]};
		open_file(&d, &jobs[i]);
	}
	CHECK_EQ(dwarf_reference(jobs, JOBS, &options, &e), ST_OK);
	for (size_t i = 0; i < JOBS; i++) {
		gave_up += a[i].of[0].found == DWARF_GAVE_UP;
		for (size_t k = 0; k < a[i].n_complaints; k++)
			told += strstr(intern_text(&a[i].strings, a[i].complaints[k], NULL),
				       "all readers of a batch have 4 s together") != NULL;
		close_file(&jobs[i]);
	}
	CHECK_EQ(gave_up, JOBS);
	CHECK(told >= JOBS - 5);
	release(&d);
}

TEST_MAIN()

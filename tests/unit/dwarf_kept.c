/* SPDX-License-Identifier: MIT
 *
 * What the fast engine keeps from batch to batch (dwarf_kept of lib/dwarf/engine.h): the answers of this
 * program's own addresses do not depend on it, and it holds its limit.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/dwarf/engine.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum {
	STEP = 211,
	RUN = 10,                     /* addresses a step apart: they ask a unit often */
	MOST = MEM_MOVES ? 150 : 700, /* sanitizers take long for each batch */
};

struct own {
	struct object *o;
	uint64_t addrs[MOST];
	char *want[MOST]; /* of one batch that nothing is kept of */
	size_t n;
};

static char *text_of(const struct dwarf_answers *a, size_t i)
{
	struct buf b = BUF_INIT;
	struct dwarf_call c;
	char *text;

	buf_addf(&b, "%u", a->of[i].found);
	for (uint32_t id = a->of[i].call; dwarf_call_at(a, id, &c); id = dwarf_outer(&c, id)) {
		size_t n_function, n_file;
		const char *function = dwarf_text(a, c.function, &n_function);
		const char *file = dwarf_text(a, c.file, &n_file);

		buf_addf(&b, " %.*s %.*s:%u:%u:%u", (int)n_function, function, (int)n_file, file,
			 c.line, c.column, dwarf_extra_of(a, &c).discriminator);
	}
	text = mem_strdup(buf_str(&b));
	buf_release(&b);
	return text;
}

static bool open_own(struct own *x)
{
	struct dwarf_options options = {.jobs = 2, .seconds = 60, .discriminators = true};
	struct dwarf_answers all;
	struct object_section code;
	struct err e = ERR_INIT;

	*x = (struct own){.n = 0};
	if (!CHECK_EQ(object_open(&x->o, "/proc/self/exe", &e), ST_OK) ||
	    !CHECK_EQ(object_section(x->o, ".text", &code, &e), ST_OK))
		return false;
	/* Runs over the whole of the code: the order of the linker does not matter. */
	for (size_t i = 0; i < MOST; i++) {
		uint64_t run = code.size / (MOST / RUN) * (i / RUN);

		x->addrs[x->n++] = code.addr + (run + i % RUN * STEP) % code.size;
	}
	dwarf_answers_init(&all, x->n);
	CHECK_EQ(dwarf_fast(
		     &(struct dwarf_job){.object = x->o, .addrs = x->addrs, .n = x->n, .out = &all},
		     1, &options, &e),
		 ST_OK);
	for (size_t i = 0; i < x->n; i++)
		x->want[i] = text_of(&all, i);
	dwarf_answers_release(&all);
	return true;
}

static void close_own(struct own *x)
{
	object_free(x->o);
	for (size_t i = 0; i < x->n; i++)
		free(x->want[i]);
}

/* Asks n addresses from the i-th on. Returns how many answers differ. */
static size_t ask(const struct own *x, const struct dwarf_options *options, size_t i, size_t n)
{
	struct dwarf_answers got;
	struct err e = ERR_INIT;
	size_t wrong = 0;

	dwarf_answers_init(&got, n);
	CHECK_EQ(
	    dwarf_fast(
		&(struct dwarf_job){.object = x->o, .addrs = x->addrs + i, .n = n, .out = &got}, 1,
		options, &e),
	    ST_OK);
	for (size_t k = 0; k < n; k++) {
		char *text = text_of(&got, k);

		wrong += strcmp(text, x->want[i + k]) != 0;
		free(text);
	}
	dwarf_answers_release(&got);
	return wrong;
}

/* Returns the most bytes that were kept. */
static uint64_t ask_all(const struct own *x, struct dwarf_kept *k, size_t step)
{
	const struct dwarf_options options = {
	    .jobs = 2, .seconds = 60, .discriminators = true, .kept = k};
	uint64_t most = 0;
	size_t wrong = 0;

	for (size_t i = 0; i < x->n; i += step) {
		size_t at = step == 1 ? i * 1009 % x->n : i;

		wrong += ask(x, &options, at, x->n - at < step ? x->n - at : step);
		most = dwarf_kept_bytes(k) > most ? dwarf_kept_bytes(k) : most;
	}
	CHECK_EQ(wrong, 0);
	return most;
}

TEST(answers_do_not_depend_on_what_is_kept)
{
	static const uint64_t limits[] = {0, 64 << 10, 1 << 20, UINT64_C(1) << 40};
	struct own x;

	if (open_own(&x)) {
		for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
			struct dwarf_kept *k = dwarf_kept_new(limits[i]);

			ask_all(&x, k, 1);
			ask_all(&x, k, 1);
			ask_all(&x, k, 40);
			ask_all(&x, k, x.n);
			dwarf_kept_free(k);
		}
	}
	close_own(&x);
}

TEST(what_is_kept_stays_within_its_limit)
{
	struct own x;
	uint64_t file, all;

	if (open_own(&x)) {
		struct dwarf_kept *k = dwarf_kept_new(UINT64_C(1) << 40);
		struct dwarf_options options = {.jobs = 1, .seconds = 60, .kept = k};

		/* of a batch of all that asks no unit often: the file's units alone */
		options.discriminators = true;
		CHECK_EQ(ask(&x, &options, 0, x.n), 0);
		file = dwarf_kept_bytes(k);
		CHECK(file > 0);
		all = ask_all(&x, k, 1);
		CHECK(all > 4 * file); /* many units are kept: a third of them is not one */
		CHECK_EQ(dwarf_kept_bytes(k), all); /* nothing has gone */
		dwarf_kept_limit(k, file + (all - file) / 3);
		/* from the second batch on: the first gives back what is too much */
		CHECK_EQ(ask(&x, &options, 0, 1), 0);
		CHECK(ask_all(&x, k, 1) <= file + (all - file) / 3);
		CHECK(dwarf_kept_bytes(k) > file);
		dwarf_kept_forget(k, x.o);
		CHECK_EQ(dwarf_kept_bytes(k), 0);
		dwarf_kept_forget(k, x.o);
		CHECK_EQ(ask(&x, &options, 0, 1), 0);
		dwarf_kept_free(k);
	}
	close_own(&x);
}

TEST(options_that_answers_depend_on)
{
	struct own x;

	if (open_own(&x)) {
		struct dwarf_kept *k = dwarf_kept_new(UINT64_C(1) << 40);
		struct dwarf_options options = {
		    .jobs = 1, .seconds = 60, .relative = true, .kept = k};
		size_t other = 0;

		for (size_t i = 0; i < 8; i++)
			other += ask(&x, &options, x.n / 2, 1);
		CHECK(other == 8); /* paths without the compilation directory */
		CHECK_EQ(ask_all(&x, k, 1) > 0, true);
		dwarf_kept_free(k);
	}
	close_own(&x);
}

TEST(what_is_kept_answers_as_a_batch_does)
{
	struct dwarf_options options = {.jobs = 1, .seconds = 60, .discriminators = true};
	struct dwarf_kept *k = dwarf_kept_new(UINT64_C(1) << 40);
	struct dwarf_kept_answer a;
	size_t answered = 0, wrong = 0;
	struct own x;

	options.kept = k;
	if (open_own(&x)) {
		dwarf_kept_begin(k);
		CHECK(!dwarf_kept_ask(k, x.o, &options, x.addrs[0], &a)); /* it knows nothing yet */
		ask_all(&x, k, 1);
		for (size_t i = 0; i < x.n; i++) {
			struct dwarf_answers shown = {.n = 1};
			char *text;

			dwarf_kept_begin(k);
			if (!dwarf_kept_ask(k, x.o, &options, x.addrs[i], &a))
				continue;
			if (a.answers)
				shown = *a.answers;
			shown.of = &a.answer;
			text = text_of(&shown, 0);
			wrong += strcmp(text, x.want[i]) != 0;
			answered++;
			free(text);
		}
		CHECK_EQ(wrong, 0);
		CHECK(answered > x.n / 2);
		options.relative = true; /* it was read otherwise */
		CHECK(!dwarf_kept_ask(k, x.o, &options, x.addrs[0], &a));
	}
	dwarf_kept_free(k);
	close_own(&x);
}

TEST_MAIN()

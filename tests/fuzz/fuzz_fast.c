/* SPDX-License-Identifier: MIT
 *
 * The fast engine over an ELF file with any debug sections, in this process: its own decoders must
 * bear anything. What it declines is not handed to libdwarf here; fuzz_dwarf does that.
 *
 * Split units have their parts in the same file, as .dwo sections, with or without a package's
 * index. A supplementary file may follow the ELF file, whose size is then in the last four
 * bytes, little-endian.
 */
#include "lib/dwarf/engine.h"
#include "lib/dwarf/fast/place.h"
#include "lib/dwarf/fast/variable.h"
#include "lib/dwarf/fast/whole.h"
#include "lib/object/companion.h"
#include "tests/fuzz/answers.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(struct dwarf_job *job, unsigned jobs)
{
	struct dwarf_options options = {.jobs = jobs, .seconds = 2, .extras = true};
	struct err e = ERR_INIT;

	dwarf_answers_init(job->out, job->n);
	if (dwarf_fast(job, 1, &options, &e))
		abort();
	answers_check(job->out);
}

static void compare_text(const struct dwarf_answers *a, uint32_t x, const struct dwarf_answers *b,
			 uint32_t y)
{
	size_t n, m;
	const char *s = dwarf_text(a, x, &n), *t = dwarf_text(b, y, &m);

	if (!x != !y || n != m || memcmp(s, t, n) != 0)
		abort();
}

/* The same with any number of workers, but for ids. */
static void compare(const struct dwarf_answers *a, const struct dwarf_answers *b)
{
	for (size_t i = 0; i < a->n; i++) {
		uint32_t x = a->of[i].call, y = b->of[i].call;
		struct dwarf_call c, d;

		if (a->of[i].found != b->of[i].found)
			abort();
		for (; x && y; x = c.outer, y = d.outer) {
			struct dwarf_extra e, f;

			if (!dwarf_call_at(a, x, &c) || !dwarf_call_at(b, y, &d))
				abort();
			e = dwarf_extra_of(a, &c);
			f = dwarf_extra_of(b, &d);
			if (c.line != d.line || c.column != d.column || e.start != f.start ||
			    e.line != f.line || e.discriminator != f.discriminator)
				abort();
			compare_text(a, c.function, b, d.function);
			compare_text(a, c.file, b, d.file);
			compare_text(a, e.name, b, f.name);
			compare_text(a, e.file, b, f.file);
		}
		if (x != y)
			abort();
	}
}

/* Globals lie in front of the code here, or behind it. */
static void ask_variables(struct object *o, const uint64_t *addrs)
{
	struct dwarf_variables *v = dwarf_variables_new(o);
	struct dwarf_declaration d;
	size_t n;

	for (size_t i = 0; v && i < ADDRESSES; i += 8) {
		const struct dwarf_local *all = dwarf_locals_at(v, addrs[i], &n);

		if (n && all[n - 1].name && !all[n - 1].name[0])
			abort();
		if (dwarf_global_at(v, addrs[i] * 2, &d) && !d.line)
			abort();
	}
	dwarf_variables_free(v);
}

static void ask_places(struct object *o, const uint64_t *addrs)
{
	struct err e = ERR_INIT;
	struct dwarf_places *p = dwarf_places_new(o, &e);
	struct dwarf_place place;

	for (size_t i = 0; p && i < ADDRESSES; i += 8)
		dwarf_places_at(p, addrs[i], &place);
	dwarf_places_free(p);
}

static bool same_text(const struct dwarf_answers *a, uint32_t x, const struct dwarf_answers *b,
		      uint32_t y)
{
	return !strcmp(dwarf_text(a, x, NULL), dwarf_text(b, y, NULL));
}

/* What an index says without asking the engine is what the engine says. */
static void compare_whole(struct object *o, const uint64_t *addrs, const struct dwarf_answers *a)
{
	const struct dwarf_options options = {.jobs = 2, .seconds = 2};
	struct dwarf_whole w = {.n = 0};
	struct err e = ERR_INIT;
	bool refused = dwarf_whole(&w, o, &options, &e) != ST_OK;

	for (size_t i = 0, k; !refused && i < ADDRESSES; i++) {
		struct dwarf_call x, y;
		uint32_t c = a->of[i].call, d;
		bool more;

		for (k = 0; k < w.n && w.all[k].lo <= addrs[i]; k++)
			;
		if (k && w.all[k - 1].found == DWARF_ASK)
			continue;
		d = k ? w.all[k - 1].call : 0;
		if ((k ? w.all[k - 1].found : DWARF_NOT_FOUND) != a->of[i].found)
			abort();
		for (; (more = dwarf_call_at(a, c, &x)) && dwarf_call_at(&w.answers, d, &y);
		     c = dwarf_outer(&x, c), d = dwarf_outer(&y, d))
			if (x.line != y.line || x.column != y.column ||
			    !same_text(a, x.function, &w.answers, y.function) ||
			    !same_text(a, x.file, &w.answers, y.file))
				abort();
		if (more || dwarf_call_at(&w.answers, d, &y))
			abort();
	}
	dwarf_whole_release(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_answers answers, others;
	struct dwarf_job job = {.n = ADDRESSES, .out = &answers};
	uint64_t addrs[ADDRESSES], lo = 0x1000, span = 0x1000;
	struct err e = ERR_INIT;
	struct object_section text;
	struct object *other = NULL;

	if (size > 4) {
		const uint8_t *p = data + size - 4;
		uint32_t n =
		    p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

		if (n < size - 4 && !object_open_memory(&other, data + n, size - 4 - n, &e))
			size = n;
	}
	if (object_open_memory(&job.object, data, size, &e)) {
		object_free(other);
		return 0;
	}
	if (other)
		object_set_supplement(job.object, other);
	if (!object_section(job.object, ".text", &text, &e) && text.size &&
	    text.addr < UINT64_MAX - text.size) {
		lo = text.addr;
		span = text.size < ADDRESSES ? ADDRESSES : text.size;
	}
	for (size_t i = 0; i < ADDRESSES; i++)
		addrs[i] = lo + span / ADDRESSES * i;
	job.addrs = addrs;
	run(&job, 1);
	job.out = &others;
	run(&job, 3);
	compare(&answers, &others);
	ask_variables(job.object, addrs);
	ask_places(job.object, addrs);
	compare_whole(job.object, addrs, &answers);
	dwarf_answers_release(&answers);
	dwarf_answers_release(&others);
	object_free(job.object);
	return 0;
}

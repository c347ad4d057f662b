/* SPDX-License-Identifier: MIT
 *
 * A check of indexes against the engine: for each file its index is made, then batches of its
 * addresses are answered by the engine and through the index. Answers and complaints must be the
 * same.
 *
 *	index_check CACHE FILE...
 *
 * Every byte of .text (of a PDB's first section) and its neighbourhood at once, then every eighth and single ones of them.
 * Prints files that differ, then counts; status 1 when some differ.
 */
#include "lib/base/mem.h"
#include "lib/index/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, SINGLES = 8 };

struct counts {
	size_t files, indexed, batches, differ;
};

static const char *text(const struct dwarf_answers *a, uint32_t id)
{
	return dwarf_text(a, id, NULL);
}

static uint32_t discriminator(const struct dwarf_answers *a, const struct dwarf_call *c)
{
	return dwarf_extra_of(a, c).discriminator;
}

static bool same_call(const struct dwarf_answers *a, uint32_t x, const struct dwarf_answers *b,
		      uint32_t y)
{
	struct dwarf_call c, d;

	for (; x && y; x = c.outer, y = d.outer) {
		if (!dwarf_call_at(a, x, &c) || !dwarf_call_at(b, y, &d) ||
		    discriminator(a, &c) != discriminator(b, &d) || c.line != d.line ||
		    c.column != d.column || !c.function != !d.function || !c.file != !d.file ||
		    strcmp(text(a, c.function), text(b, d.function)) ||
		    strcmp(text(a, c.file), text(b, d.file)))
			return false;
	}
	return x == y;
}

/* What differs, or NULL. */
static const char *difference(const struct dwarf_answers *a, const struct dwarf_answers *b)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->of[i].found != b->of[i].found)
			return "kinds of answers";
		if (!same_call(a, a->of[i].call, b, b->of[i].call))
			return "calls";
	}
	if (a->n_complaints != b->n_complaints)
		return "numbers of complaints";
	for (size_t i = 0; i < a->n_complaints; i++)
		if (strcmp(text(a, a->complaints[i]), text(b, b->complaints[i])))
			return "complaints";
	return NULL;
}

static const char *compare(struct index_cache *c, struct object *o, const uint64_t *addrs, size_t n)
{
	struct dwarf_options options = {.jobs = 1, .discriminators = true};
	struct dwarf_answers alone, through;
	struct dwarf_job job = {.object = o, .addrs = addrs, .n = n, .out = &alone};
	struct index_cache off;
	struct err e = ERR_INIT;
	const char *why = NULL;

	dwarf_answers_init(&alone, n);
	dwarf_answers_init(&through, n);
	cache_init(&off, &(struct cache_options){.off = true});
	if (cache_run(&off, &job, 1, &options, &e))
		why = "the engine cannot run";
	job.out = &through;
	if (!why && cache_run(c, &job, 1, &options, &e))
		why = "the cache cannot run";
	if (!why)
		why = difference(&alone, &through);
	dwarf_answers_release(&alone);
	dwarf_answers_release(&through);
	cache_release(&off);
	return why;
}

static const char *check(struct index_cache *c, struct object *o, struct counts *k)
{
	uint64_t addrs[MOST], some[MOST], from = 0xf00;
	const struct object_segment *segments;
	struct dwarf_options options = {.jobs = 1, .discriminators = true};
	struct object_section s;
	struct err e = ERR_INIT;
	size_t n_segments, n = 0;
	uint64_t size;
	const char *why;

	if (!cache_prewarm(c, o, &options, &size, &e))
		k->indexed++;
	segments = object_segments(o, &n_segments);
	if (object_has_pdb(o))
		from = n_segments ? segments[0].vaddr : 0;
	else if (!object_section(o, ".text", &s, &e) && s.addr < UINT64_MAX / 2)
		from = s.addr > 64 ? s.addr - 64 : 0;
	for (size_t i = 0; i < MOST; i++)
		addrs[i] = from + i;
	why = compare(c, o, addrs, MOST);
	for (size_t i = 3; i < MOST; i += 8)
		some[n++] = addrs[i];
	if (!why)
		why = compare(c, o, some, n);
	for (size_t i = 0; !why && i < SINGLES; i++)
		why = compare(c, o, &addrs[64 + i * 37], 1);
	k->batches += 2 + SINGLES;
	return why;
}

int main(int argc, char **argv)
{
	struct cache_options options = {.dir = argc > 1 ? argv[1] : ""};
	struct counts k = {0};

	for (int i = 2; i < argc; i++) {
		struct err e = ERR_INIT;
		struct object *o;
		struct index_cache c;
		const char *why;

		if (object_open(&o, argv[i], &e))
			continue;
		cache_init(&c, &options);
		why = check(&c, o, &k);
		cache_release(&c);
		object_free(o);
		k.files++;
		if (why) {
			printf("%s: %s differ\n", argv[i], why);
			k.differ++;
		}
	}
	printf("%zu files, %zu with an index, %zu batches, %zu files differ\n", k.files, k.indexed,
	       k.batches, k.differ);
	return k.differ > 0;
}

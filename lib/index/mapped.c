/* SPDX-License-Identifier: MIT */
#include "lib/index/mapped.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/object/debug_map.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 }; /* object files that are open */

/* An object file, and what is asked of it. */
struct part {
	struct object *object;
	struct sort_item *items; /* address there, and which one of the job's it is; ascending */
	size_t n;
	uint64_t *addrs; /* each once */
	size_t n_addrs;
	struct dwarf_answers got;
	/* functions that were asked for: where they are there, and here */
	struct place {
		uint64_t there, size, here;
	} * places;
	size_t n_places, cap_places;
};

enum { NOBODYS = UINT32_MAX }; /* an item that the job does not ask for: the start of a function */

struct mapped {
	struct index_cache *cache;
	struct dwarf_job *job;
	const struct dwarf_options *options;
	const struct debug_map *map;
	struct sort_item *of; /* by address that a function holds: file, and which one it is */
	size_t n_of;
	uint32_t *function; /* by address */
	size_t n_complaints;
};

__attribute__((format(printf, 2, 3))) static void mapped_complain(struct mapped *m, const char *fmt,
								  ...)
{
	va_list args;

	va_start(args, fmt);
	dwarf_answers_complain_of(m->job->out, &m->n_complaints, fmt, args);
	va_end(args);
}

static void find_functions(struct mapped *m)
{
	const struct debug_map *map = m->map;
	size_t f = 0;

	m->of = mem_array(m->job->n, sizeof *m->of);
	m->function = mem_array(m->job->n, sizeof *m->function);
	for (size_t i = 0; i < m->job->n; i++) {
		uint64_t at = m->job->addrs[i];

		m->job->out->of[i] = (struct dwarf_answer){.found = DWARF_ABSENT};
		f = BISECT(k, f, map->n, map->functions[k].lo <= at);
		if (f && at < map->functions[f - 1].hi) {
			m->function[i] = (uint32_t)f - 1;
			m->of[m->n_of++] =
			    (struct sort_item){map->functions[f - 1].file, (uint32_t)i};
		}
		f -= f > 0;
	}
	sort_radix(m->of, m->n_of);
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->there > y->there) - (x->there < y->there);
}

/* Translates addresses of one object file. */
static void part_addresses(struct mapped *m, struct part *p, const struct sort_item *of, size_t n)
{
	uint32_t last = UINT32_MAX;
	bool known = false;

	p->items = mem_array(n, 2 * sizeof *p->items);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = of[i].index;
		const struct debug_map_function *f = &m->map->functions[m->function[at]];
		struct place place = {0, f->hi - f->lo, f->lo};

		if (m->function[at] != last)
			known =
			    object_symbol_value(p->object, f->name, strlen(f->name), &place.there);
		if (known && m->function[at] != last) {
			VEC_PUSH(p->places, p->n_places, p->cap_places) = place;
			p->items[p->n++] = (struct sort_item){place.there, NOBODYS};
		}
		last = m->function[at];
		if (known)
			p->items[p->n++] = (struct sort_item){
			    m->job->addrs[at] - f->lo + p->places[p->n_places - 1].there, at};
	}
	sort_radix(p->items, p->n);
	sort_array(p->places, p->n_places, sizeof *p->places, by_place);
	p->addrs = mem_array(p->n, sizeof *p->addrs);
	for (size_t i = 0; i < p->n; i++)
		if (!p->n_addrs || p->addrs[p->n_addrs - 1] != p->items[i].key)
			p->addrs[p->n_addrs++] = p->items[i].key;
	dwarf_answers_init(&p->got, p->n_addrs);
}

/* The function that holds an address. NULL: none that was asked for. */
static const struct place *place_of(const struct part *p, uint64_t there)
{
	size_t i = BISECT(k, 0, p->n_places, p->places[k].there <= there);

	return i && there - p->places[i - 1].there < p->places[i - 1].size ? &p->places[i - 1]
									   : NULL;
}

static uint64_t here(const struct part *p, uint64_t there)
{
	const struct place *f = place_of(p, there);

	return f ? there - f->there + f->here : DWARF_NO_START;
}

/* Linkers count the bytes up to the next function as those of the one before: the line of its last row is not theirs. */
static bool is_padding(const struct part *p, size_t at)
{
	const struct place *f = place_of(p, p->addrs[at]);

	return f && p->got.of[at].found == DWARF_LINE_ONLY &&
	       p->got.of[BISECT(k, 0, p->n_addrs, p->addrs[k] < f->there)].found == DWARF_FUNCTION;
}

static void hand_over(struct mapped *m, struct part *p)
{
	struct dwarf_answers *to = m->job->out, *from = &p->got;
	uint32_t *ids = mem_zarray(dwarf_call_slots(from), sizeof *ids);
	uint32_t *path = mem_array(dwarf_call_slots(from), sizeof *path);

	for (size_t i = 0; i < from->n_extras; i++)
		if (from->extras[i].start != DWARF_NO_START)
			from->extras[i].start = here(p, from->extras[i].start);
	for (size_t i = 0, k = 0; i < p->n; i++) {
		struct dwarf_answer *a;

		k += p->items[i].key != p->addrs[k];
		if (p->items[i].index == NOBODYS || is_padding(p, k))
			continue;
		a = &to->of[p->items[i].index];
		*a = from->of[k];
		a->call = dwarf_answers_adopt(to, from, ids, path, a->call);
	}
	for (size_t i = 0; i < from->n_complaints; i++)
		mapped_complain(m, "%s: %s", object_debug_path(p->object),
				intern_text(&from->strings, from->complaints[i], NULL));
	free(ids);
	free(path);
}

static bool part_open(struct mapped *m, struct part *p, const struct sort_item *of, size_t n)
{
	uint32_t file = (uint32_t)of->key;
	struct err e = ERR_INIT;

	*p = (struct part){.object = NULL};
	if (debug_map_open(&p->object, m->job->object, file, &e)) {
		mapped_complain(m, "object file %s of the debug map: %s", m->map->files[file].path,
				e.msg);
		return false;
	}
	part_addresses(m, p, of, n);
	return true;
}

static void part_release(struct mapped *m, struct part *p)
{
	dwarf_answers_release(&p->got);
	cache_forget(m->cache, p->object);
	object_free(p->object);
	free(p->items);
	free(p->addrs);
	free(p->places);
}

static enum status run_mapped_job(struct mapped *m, struct err *e)
{
	struct dwarf_options options = *m->options;
	enum status st = ST_OK;
	size_t next;

	options.progress = NULL;
	m->job->out->bare = !options.extras;
	find_functions(m);
	for (size_t i = 0; !st && i < m->n_of; i = next) {
		struct part parts[AT_ONCE];
		struct dwarf_job jobs[AT_ONCE];
		size_t n = 0;

		for (next = i; n < AT_ONCE && next < m->n_of;) {
			size_t first = next;

			while (next < m->n_of && m->of[next].key == m->of[first].key)
				next++;
			if (!part_open(m, &parts[n], &m->of[first], next - first))
				continue;
			jobs[n] = (struct dwarf_job){.object = parts[n].object,
						     .addrs = parts[n].addrs,
						     .n = parts[n].n_addrs,
						     .out = &parts[n].got};
			n++;
		}
		st = cache_run(m->cache, jobs, n, &options, e);
		for (size_t k = 0; k < n; k++) {
			if (!st)
				hand_over(m, &parts[k]);
			part_release(m, &parts[k]);
		}
		if (m->options->progress)
			m->options->progress(m->options->progress_arg, next, m->job->n);
	}
	free(m->of);
	free(m->function);
	return st;
}

enum status cache_run_mapped(struct index_cache *c, struct dwarf_job *jobs, size_t n,
			     const struct dwarf_options *options, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < n; i++) {
		struct mapped m = {.cache = c,
				   .job = &jobs[i],
				   .options = options,
				   .map = object_debug_map(jobs[i].object)};

		if (jobs[i].stats)
			*jobs[i].stats = (struct dwarf_stats){.n_units = 0};
		st = run_mapped_job(&m, e);
	}
	return st;
}

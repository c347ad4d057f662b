/* SPDX-License-Identifier: MIT
 *
 * The meaning of a profile's sample types. Their names are no part of the format: Go's runtime,
 * tcmalloc, jemalloc's tools and our tm-export each have their own, all in the table below; what is
 * not in it is recognized by its unit.
 */
#include "formats/pprof/pprof.h"
#include "lib/base/text.h"

#include <string.h>

static const struct {
	const char *type;
	uint8_t role;
} known[] = {
    {"alloc_objects", PPROF_ALLOC + BLOCKS_COUNT},
    {"alloc_space", PPROF_ALLOC + BLOCKS_REQUESTED},
    {"alloc_requested", PPROF_ALLOC + BLOCKS_REQUESTED},
    {"alloc_real", PPROF_ALLOC + BLOCKS_REAL},
    {"inuse_objects", PPROF_LIVE + BLOCKS_COUNT},
    {"inuse_space", PPROF_LIVE + BLOCKS_REQUESTED},
    {"inuse_requested", PPROF_LIVE + BLOCKS_REQUESTED},
    {"inuse_real", PPROF_LIVE + BLOCKS_REAL},
    {"objects", PPROF_LIVE + BLOCKS_COUNT},
    {"space", PPROF_LIVE + BLOCKS_REQUESTED},
    {"allocations", PPROF_ALLOC + BLOCKS_COUNT},
    {"entries", PPROF_NOTHING}, /* records of a capture that tm-export wrote */
};

static const struct {
	const char *unit;
	int64_t ns;
} units[] = {
    {"nanoseconds", 1}, {"microseconds", 1000}, {"milliseconds", 1000000}, {"seconds", 1000000000},
    {"ns", 1},          {"us", 1000},           {"ms", 1000000},           {"s", 1000000000},
    {"nanosecond", 1},  {"microsecond", 1000},  {"millisecond", 1000000},  {"second", 1000000000}};

static bool is(struct pprof_tables *p, uint64_t string, const char *word)
{
	size_t n;
	const char *s = pprof_text(p, string, &n);

	return text_is(s, n, word);
}

static bool is_count(struct pprof_tables *p, uint64_t unit)
{
	return is(p, unit, "count") || is(p, unit, "") || is(p, unit, "1");
}

static void name_role(struct pprof_tables *p, struct pprof_type *t)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (is(p, t->unit, units[i].unit))
			t->ns = units[i].ns;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!t->ns && is(p, t->type, known[i].type))
			t->role = known[i].role;
}

/* Of several times the default one, else the last, as pprof itself does. */
static struct pprof_type *choose_time(struct pprof_tables *p)
{
	struct pprof_type *chosen = NULL;

	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].ns)
			chosen = &p->types[i];
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].ns && p->default_type && p->types[i].type == p->default_type)
			chosen = &p->types[i];
	return chosen;
}

/* The count that comes before the time, else the first without another role. */
static struct pprof_type *choose_samples(struct pprof_tables *p, const struct pprof_type *time)
{
	struct pprof_type *first = NULL;

	for (size_t i = 0; i < p->n_types; i++) {
		struct pprof_type *t = &p->types[i];

		if (t->role != PPROF_OTHER || t->ns || !is_count(p, t->unit))
			continue;
		if (!first || t + 1 == time)
			first = t;
	}
	return first;
}

static bool has_live(const struct pprof_tables *p)
{
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].role >= PPROF_LIVE && p->types[i].role < PPROF_SAMPLES)
			return true;
	return false;
}

/* Of two types of one role ("space" and "inuse_space") the first counts. */
static void leave_doubles(struct pprof_tables *p)
{
	for (size_t i = 0; i < p->n_types; i++)
		for (size_t k = 0; k < i; k++)
			if (p->types[i].role == p->types[k].role && p->types[i].role)
				p->types[i].role = PPROF_OTHER;
}

/* Calls that stand beside samples, as tm-export writes both. */
static void tell_calls(struct pprof_tables *p)
{
	struct pprof_type *calls = NULL;
	bool samples = false;

	for (size_t i = 0; i < p->n_types; i++) {
		samples |= is(p, p->types[i].type, "samples");
		if (is(p, p->types[i].type, "calls") && is_count(p, p->types[i].unit))
			calls = &p->types[i];
	}
	if (calls && samples)
		calls->role = PPROF_CALLS;
}

bool pprof_roles(struct pprof_tables *p)
{
	struct pprof_type *time, *samples;
	bool any = false, space = false;

	for (size_t i = 0; i < p->n_types; i++)
		name_role(p, &p->types[i]);
	leave_doubles(p);
	tell_calls(p);
	time = choose_time(p);
	samples = choose_samples(p, time);
	if (time)
		time->role = PPROF_TIME;
	if (samples)
		samples->role = PPROF_SAMPLES;
	/* Bytes under a name of their own are allocated, where nothing else is. */
	for (size_t i = 0; i < p->n_types; i++)
		space |= p->types[i].role >= PPROF_ALLOC && p->types[i].role < PPROF_SAMPLES;
	for (size_t i = 0; i < p->n_types && !space && !has_live(p); i++)
		if (!p->types[i].role && is(p, p->types[i].unit, "bytes")) {
			p->types[i].role = PPROF_ALLOC + BLOCKS_REQUESTED;
			space = true;
		}
	for (size_t i = 0; i < p->n_types; i++)
		any |= p->types[i].role > PPROF_NOTHING;
	return any;
}

bool pprof_are_samples(struct pprof_tables *p)
{
	const struct pprof_type *samples = pprof_type_of(p, PPROF_SAMPLES);

	return samples && (is(p, samples->type, "samples") || is(p, samples->type, "sample"));
}

const struct pprof_type *pprof_type_of(const struct pprof_tables *p, unsigned role)
{
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].role == role)
			return &p->types[i];
	return NULL;
}

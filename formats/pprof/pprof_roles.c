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

/* As pprof itself knows them: in small letters, without the s of a plural; its kB are 1024 bytes. It has no
 * minutes, and no KiB. */
static const struct {
	const char *unit;
	bool bytes; /* else a time, in ns */
	int64_t scale;
} units[] = {
    {"ns", false, 1},
    {"nanosecond", false, 1},
    {"us", false, 1000},
    {"\xce\xbcs", false, 1000}, /* U+03BC */
    {"\xc2\xb5s", false, 1000}, /* U+00B5 */
    {"microsecond", false, 1000},
    {"ms", false, 1000000},
    {"millisecond", false, 1000000},
    {"s", false, 1000000000},
    {"sec", false, 1000000000},
    {"second", false, 1000000000},
    {"min", false, 60000000000},
    {"minute", false, 60000000000},
    {"hr", false, 3600000000000},
    {"hour", false, 3600000000000},
    {"b", true, 1},
    {"byte", true, 1},
    {"kb", true, 1 << 10},
    {"kib", true, 1 << 10},
    {"kbyte", true, 1 << 10},
    {"kilobyte", true, 1 << 10},
    {"kibibyte", true, 1 << 10},
    {"mb", true, 1 << 20},
    {"mib", true, 1 << 20},
    {"mbyte", true, 1 << 20},
    {"megabyte", true, 1 << 20},
    {"mebibyte", true, 1 << 20},
    {"gb", true, 1 << 30},
    {"gib", true, 1 << 30},
    {"gbyte", true, 1 << 30},
    {"gigabyte", true, 1 << 30},
    {"gibibyte", true, 1 << 30},
    {"tb", true, INT64_C(1) << 40},
    {"tib", true, INT64_C(1) << 40},
    {"tbyte", true, INT64_C(1) << 40},
    {"terabyte", true, INT64_C(1) << 40},
    {"tebibyte", true, INT64_C(1) << 40},
};

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

static void find_unit(struct pprof_tables *p, struct pprof_type *t)
{
	size_t n;
	const char *s = pprof_text(p, t->unit, &n);
	char small[16];

	if (n > 2 && (s[n - 1] | 0x20) == 's' && (uint8_t)s[0] < 0x80)
		n--;
	t->scale = 1;
	if (n > sizeof small)
		return;
	for (size_t i = 0; i < n; i++)
		small[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] | 0x20 : s[i]);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (text_is(small, n, units[i].unit)) {
			t->is_time = !units[i].bytes;
			t->is_bytes = units[i].bytes;
			t->scale = units[i].scale;
		}
}

/* What is called bytes has no place in a unit of something else. */
static bool fits(struct pprof_tables *p, const struct pprof_type *t, unsigned role)
{
	bool count = role == PPROF_ALLOC + BLOCKS_COUNT || role == PPROF_LIVE + BLOCKS_COUNT;

	return !t->is_time &&
	       (count || role == PPROF_NOTHING ? !t->is_bytes : t->is_bytes || is(p, t->unit, ""));
}

static void name_role(struct pprof_tables *p, struct pprof_type *t)
{
	find_unit(p, t);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is(p, t->type, known[i].type) && fits(p, t, known[i].role))
			t->role = known[i].role;
}

/* Of several times the default one, else the last, as pprof itself does. */
static struct pprof_type *choose_time(struct pprof_tables *p)
{
	struct pprof_type *chosen = NULL;

	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].is_time)
			chosen = &p->types[i];
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].is_time && p->default_type && p->types[i].type == p->default_type)
			chosen = &p->types[i];
	return chosen;
}

static bool are_samples(struct pprof_tables *p, const struct pprof_type *t)
{
	return is(p, t->type, "samples") || is(p, t->type, "sample");
}

/* The count that is called samples, else the one that comes before the time, else the first without another role. */
static struct pprof_type *choose_samples(struct pprof_tables *p, const struct pprof_type *time)
{
	struct pprof_type *first = NULL;
	int best = 0;

	for (size_t i = 0; i < p->n_types; i++) {
		struct pprof_type *t = &p->types[i];
		int suits = are_samples(p, t) ? 3 : t + 1 == time ? 2 : 1;

		if (t->role != PPROF_OTHER || t->is_time || !is_count(p, t->unit))
			continue;
		if (suits > best) {
			first = t;
			best = suits;
		}
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
static void mark_calls(struct pprof_tables *p)
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
	mark_calls(p);
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
		if (!p->types[i].role && p->types[i].is_bytes) {
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

	return samples && are_samples(p, samples);
}

const struct pprof_type *pprof_type_of(const struct pprof_tables *p, unsigned role)
{
	for (size_t i = 0; i < p->n_types; i++)
		if (p->types[i].role == role)
			return &p->types[i];
	return NULL;
}

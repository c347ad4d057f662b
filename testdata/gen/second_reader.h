/* SPDX-License-Identifier: MIT
 *
 * The tables of second_reader.c and their fields, from tracemill-trace(5).
 */
#ifndef SECOND_READER_H
#define SECOND_READER_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	const unsigned char *p, *end;
};

struct text {
	const unsigned char *s;
	size_t n;
};

enum table {
	STRINGS = 2,
	MODULES,
	LOCATIONS,
	STACKS,
	TYPES,
	THREADS,
	MARKERS,
	COUNTERS,
	NOTES = 11,
	MODULE_FILES = 14,
	LOCATION_NAMES,
	SYMBOL_STRINGS = 32,
	OBJECTS,
	FUNCTIONS,
	CALLS,
	BINDINGS,
	KINDS
};

/* Every row as numbers, or as a text; what their places mean is in the function that prints. */
struct row {
	struct text text;
	uint64_t v[9];
	struct range {
		uint64_t lo, size, offset, executable;
	} * ranges;
};

static struct rows {
	struct row *rows; /* [0] is not used */
	size_t n, cap;
	size_t shown;
} tables[KINDS];

static struct {
	uint64_t flags, state[5], key[5];
	struct text attributes[64][2];
	size_t n_attributes;
	uint64_t events[12];
	int begun;
} capture;

static unsigned char *start;
static int unpack; /* nothing is printed but bytes */

static uint64_t damage(const unsigned char *at, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "second_reader: byte %td: %s\n", at - start, what);
	exit(1);
}

static uint64_t fixed(struct bytes *b, int n)
{
	uint64_t v = 0;

	if (b->end - b->p < n)
		damage(b->p, "ends within a number");
	for (int i = 0; i < n; i++)
		v |= (uint64_t)*b->p++ << 8 * i;
	return v;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (int i = 0; i < 10; i++) {
		uint64_t byte = fixed(b, 1);

		if (i == 9 && byte > 1)
			break;
		v |= (byte & 127) << 7 * i;
		if (byte < 128)
			return v;
	}
	return damage(b->p, "a number of more than 64 bits");
}

static uint64_t zig(struct bytes *b)
{
	uint64_t v = uleb(b);

	return v % 2 ? ~(v / 2) : v / 2;
}

static struct text text(struct bytes *b)
{
	struct text t = {NULL, (size_t)uleb(b)};

	if (t.n > (size_t)(b->end - b->p))
		damage(b->p, "ends within a text");
	t.s = b->p;
	b->p += t.n;
	return t;
}

static uint64_t small(struct bytes *b)
{
	uint64_t v = uleb(b);

	return v >> 32 ? damage(b->p, "a number of more than 32 bits") : v;
}

static uint64_t id(struct bytes *b, enum table kind)
{
	uint64_t v = uleb(b);

	if (v && v >= tables[kind].n)
		damage(b->p, "refers to a row that has not been there");
	return v;
}

static void refers(uint64_t v, enum table kind)
{
	if (v && v >= tables[kind].n)
		damage(start, "an event refers to a row that has not been there");
}

static struct row *append(enum table kind)
{
	struct rows *t = &tables[kind];

	while (t->n + 1 >= t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->rows = realloc(t->rows, t->cap * sizeof *t->rows);
		if (!t->rows)
			exit(1);
	}
	if (!t->n)
		memset(&t->rows[t->n++], 0, sizeof *t->rows);
	memset(&t->rows[t->n], 0, sizeof *t->rows);
	return &t->rows[t->n++];
}

static void module(struct bytes *b, struct row *r)
{
	r->v[0] = id(b, STRINGS);
	for (int i = 1; i <= 3; i++)
		r->v[i] = small(b);
	r->v[4] = id(b, STRINGS);
	r->v[5] = uleb(b) & 1;
	if (r->v[5])
		r->v[6] = uleb(b);
	r->v[7] = uleb(b);
	if (r->v[7] > 16384)
		damage(b->p, "more than 16384 ranges");
	r->ranges = calloc((size_t)r->v[7] + 1, sizeof *r->ranges);
	for (uint64_t i = 0; r->ranges && i < r->v[7]; i++) {
		struct range *g = &r->ranges[i];

		g->lo = uleb(b);
		g->size = uleb(b);
		g->offset = uleb(b);
		g->executable = uleb(b) & 1;
	}
}

/* v: space, kind, raw, module, process, epoch, name, file, line */
static void location(struct bytes *b, struct row *r, uint64_t *before)
{
	uint64_t bits = fixed(b, 1);

	r->v[0] = bits & 7;
	r->v[1] = bits >> 3 & 7;
	if (r->v[0] > 5 || r->v[1] > 3)
		damage(b->p, "location of another space or kind");
	r->v[2] = *before += zig(b);
	r->v[3] = id(b, MODULES);
	if (bits & 64) {
		r->v[4] = small(b);
		r->v[5] = small(b);
	}
	if (bits & 128) {
		r->v[6] = id(b, STRINGS);
		r->v[7] = id(b, STRINGS);
		r->v[8] = small(b);
	}
}

static uint64_t back(struct bytes *b, uint64_t own)
{
	uint64_t d = uleb(b);

	return d < 1 || d > own ? damage(b->p, "refers forward") : own - d;
}

/* What the numbers of a row are. b: u8, u: uleb, w: uleb of 32 bits, d: delta, t: text,
 * z: zigzag; <: difference to an earlier row; the others are ids, of: s strings, y symbol strings,
 * M modules, L locations, O objects, F functions, C calls. */
static const char *const layouts[KINDS] = {
    [STRINGS] = "t",          [STACKS] = "<L",         [TYPES] = "s",     [THREADS] = "wuws",
    [MARKERS] = "ss",         [COUNTERS] = "ss",       [NOTES] = "but",   [SYMBOL_STRINGS] = "t",
    [OBJECTS] = "yyyy",       [FUNCTIONS] = "yy",      [CALLS] = "<Fyww", [BINDINGS] = "bbuOdC",
    [MODULE_FILES] = "Muuuz", [LOCATION_NAMES] = "Ls",
};

static uint64_t value(struct bytes *b, char type, struct row *r, uint64_t own, uint64_t *before)
{
	static const enum table of[] = {
	    ['s'] = STRINGS, ['y'] = SYMBOL_STRINGS, ['L'] = LOCATIONS, ['M'] = MODULES,
	    ['O'] = OBJECTS, ['F'] = FUNCTIONS,      ['C'] = CALLS};

	switch (type) {
	case 'b': return fixed(b, 1);
	case 'u': return uleb(b);
	case 'w': return small(b);
	case 'd': return *before += zig(b);
	case 'z': return zig(b);
	case 't': r->text = text(b); return 0;
	case '<': return back(b, own);
	default: return id(b, of[(unsigned char)type]);
	}
}

static void table(struct bytes *b, enum table kind)
{
	uint64_t before = 0, first = uleb(b), have = tables[kind].n ? tables[kind].n : 1;

	if (kind != NOTES && kind != MODULE_FILES && kind != LOCATION_NAMES && first != have)
		damage(b->p, "a chunk is missing");
	while (b->p < b->end) {
		struct row *r = append(kind);
		uint64_t own = tables[kind].n - 1;

		if (kind == BINDINGS && own >= tables[LOCATIONS].n)
			damage(b->p, "binding of no location");
		if (kind == MODULES)
			module(b, r);
		else if (kind == LOCATIONS)
			location(b, r, &before);
		for (int i = 0; layouts[kind] && layouts[kind][i]; i++)
			r->v[i] = value(b, layouts[kind][i], r, own, &before);
	}
}

static void header(struct bytes *b)
{
	uint64_t n;

	capture.flags = uleb(b);
	n = uleb(b);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t state = fixed(b, 1), key = fixed(b, 1);

		if (i < 5) {
			capture.state[i] = state;
			capture.key[i] = key;
		}
	}
	n = uleb(b);
	for (uint64_t i = 0; i < n; i++) {
		struct text key = text(b), value = text(b);
		size_t k = 0;

		while (k < capture.n_attributes &&
		       (capture.attributes[k][0].n != key.n ||
			memcmp(capture.attributes[k][0].s, key.s, key.n) != 0))
			k++;
		if (k == 64)
			damage(b->p, "more attributes than this program takes");
		capture.n_attributes += k == capture.n_attributes;
		capture.attributes[k][0] = key;
		capture.attributes[k][1] = value;
	}
}

#endif

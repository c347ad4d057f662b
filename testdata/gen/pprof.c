/* SPDX-License-Identifier: MIT
 *
 *	pprof [--rows N] [--functions N] KIND >FILE 2>TRUTH
 *
 * A profile as pprof reads it, not compressed, written field by field without the schema. KIND:
 *
 *	heap       alloc_objects, alloc_space, inuse_objects, inuse_space, in Go's order of fields
 *	           (samples before all tables, strings last), with labels of sizes
 *	cpu        samples and cpu in ns; locations without names, two mappings with build ids
 *	delay      contentions and delay in microseconds, with threads
 *	inline     cpu, of locations with three lines each
 *	two        cpu and wall: one of two times is the default; and a type of another unit
 *	events     faults, samples, cpu and wall, and faults in another unit
 *	objects    objects and space alone
 *	below      a difference of profiles: every third row is below 0
 *	above      as heap, but that odd rows have one more in use than was allocated
 *	missing    rows refer to a location and a string that are not there
 *	odd        rows have a value too few
 *	unknown    one sample type, of joules
 *	nothing    no sample type
 *
 * The truth: "NAME SUM" per sample type, and "rows N".
 */
#include "testdata/gen/gen.h"
#include "testdata/gen/protobuf.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void flush(struct message *m)
{
	if (fwrite(m->p, 1, m->n, stdout) != m->n)
		exit(1);
	m->n = 0;
}

static struct {
	long rows, functions;
	const char *kind;
} opt = {.rows = 30, .functions = 10};

static struct message out, part, inner;
static char strings[8192][48];
static unsigned n_strings;

static unsigned text(const char *s)
{
	for (unsigned i = 0; i < n_strings; i++)
		if (!strcmp(strings[i], s))
			return i;
	if (n_strings == 8192)
		exit(1);
	strcpy(strings[n_strings], s);
	return n_strings++;
}

static const char *types[5], *units[5];
static uint64_t sums[5];
static unsigned n_types;

static void add_type(const char *type, const char *unit)
{
	types[n_types] = type;
	units[n_types++] = unit;
}

static void choose_types(void)
{
	if (is("heap") || is("below") || is("above")) {
		add_type("alloc_objects", "count");
		add_type("alloc_space", "bytes");
		add_type("inuse_objects", "count");
		add_type("inuse_space", "bytes");
	} else if (is("delay")) {
		add_type("contentions", "count");
		add_type("delay", "microseconds");
	} else if (is("two")) {
		add_type("samples", "count");
		add_type("cpu", "nanoseconds");
		add_type("wall", "nanoseconds");
		add_type("energy", "joules");
	} else if (is("events")) {
		add_type("faults", "count");
		add_type("samples", "count");
		add_type("cpu", "milliseconds");
		add_type("wall", "milliseconds");
		add_type("faults", "pages");
	} else if (is("objects")) {
		add_type("objects", "count");
		add_type("space", "bytes");
	} else if (is("unknown")) {
		add_type("energy", "joules");
	} else if (!is("nothing")) {
		add_type("samples", "count");
		add_type("cpu", "nanoseconds");
	}
}

static void put_types(void)
{
	for (unsigned i = 0; i < n_types; i++) {
		number(&part, 1, text(types[i]));
		number(&part, 2, text(units[i]));
		close_part(&out, 1, &part);
	}
	if (is("heap")) {
		number(&part, 1, text("space"));
		number(&part, 2, text("bytes"));
		close_part(&out, 11, &part);
		number(&out, 12, 524288);
	}
	if (is("cpu")) {
		number(&out, 9, 1700000000000000000);
		number(&out, 10, 30000000000);
		number(&out, 12, 10000000);
	}
	if (is("two") || is("events"))
		number(&out, 14, text("cpu"));
}

static uint64_t value(long row, unsigned type)
{
	uint64_t n = (uint64_t)row % 7 + 2;
	uint64_t live = row % 2 == 0 ? 0 : is("above") ? n + 1 : n - 1;

	if (is("heap") || is("below") || is("above"))
		return (type < 2 ? n : live) * (type % 2 ? 48 : 1);
	return type == 0 ? n : n * 10000000 + type;
}

/* Rows of a chain: function row % N is innermost, its callers have larger numbers. */
static void put_row(long row)
{
	long depth = 1 + row % 5, first = row % opt.functions;
	int64_t sign = is("below") && row % 3 == 0 ? -1 : 1;

	for (long i = 0; i < depth && first + i < opt.functions; i++)
		varint(&inner, is("missing") && row == 3 ? 9999 : (uint64_t)(first + i + 1) * 3);
	close_part(&part, 1, &inner);
	for (unsigned k = 0; k < n_types - (is("odd") && row % 2); k++) {
		uint64_t v = (uint64_t)(sign * (int64_t)value(row, k));

		varint(&inner, v);
		if (sign > 0)
			sums[k] += v;
	}
	close_part(&part, 2, &inner);
	if (is("heap")) {
		number(&inner, 1, text("bytes"));
		number(&inner, 3, 48);
		number(&inner, 4, text("bytes"));
		close_part(&part, 3, &inner);
	}
	if (is("delay")) {
		number(&inner, 1, text("thread"));
		number(&inner, 2, is("missing") ? 99999 : text(row % 2 ? "io" : "main"));
		close_part(&part, 3, &inner);
	}
	close_part(&out, 2, &part);
	if (out.n > 1 << 16)
		flush(&out);
}

static void put_tables(void)
{
	static const char *const files[2] = {"/usr/bin/game", "/usr/lib/libengine.so"};
	static const char *const ids[2] = {"0123456789abcdef0123456789abcdef01234567", "00ff"};
	char name[40];

	for (unsigned i = 0; i < 2; i++) {
		number(&part, 1, i + 1);
		number(&part, 2, 0x400000 + i * 0x7f0000000000);
		number(&part, 3, 0x500000 + i * 0x7f0000000000);
		number(&part, 4, 0x1000);
		number(&part, 5, text(files[i]));
		number(&part, 6, text(ids[i]));
		close_part(&out, 3, &part);
	}
	for (long i = 0; i < opt.functions; i++) {
		number(&part, 1, (uint64_t)(i + 1) * 3);
		number(&part, 2, (uint64_t)(i % 2) + 1);
		number(&part, 3, 0x400010 + (uint64_t)i * 64 + (i % 2 ? 0x7f0000000000 : 0));
		for (long k = 0; k < (is("cpu") ? 0 : is("inline") ? 3 : 1); k++) {
			number(&inner, 1, (uint64_t)((i + k) % opt.functions + 1));
			number(&inner, 2, (uint64_t)(10 * i + k));
			close_part(&part, 4, &inner);
		}
		close_part(&out, 4, &part);
		snprintf(name, sizeof name, "Game::step%ld", i);
		number(&part, 1, (uint64_t)i + 1);
		number(&part, 2, text(name));
		number(&part, 4, text(i % 2 ? "engine.cc" : "game.cc"));
		close_part(&out, 5, &part);
	}
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
		*(strcmp(argv[i], "--rows") ? &opt.functions : &opt.rows) = atol(argv[i + 1]);
	if (i + 1 != argc || opt.rows < 0 || opt.functions < 1 || opt.functions > 8000) {
		fprintf(stderr, "usage: see testdata/gen/pprof.c\n");
		return 2;
	}
	variant = argv[i];
	text("");
	choose_types();
	put_types();
	for (long row = 0; row < opt.rows; row++)
		put_row(row);
	put_tables();
	if (is("missing"))
		number(&out, 14, 5000);
	for (unsigned k = 0; k < n_strings; k++)
		bytes(&out, 6, strings[k], strlen(strings[k]));
	flush(&out);
	for (unsigned k = 0; k < n_types; k++)
		fprintf(stderr, "%s %" PRIu64 "\n", types[k], sums[k]);
	fprintf(stderr, "rows %ld\n", opt.rows);
	return fflush(stdout) ? 1 : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A generator of snapshots of a made-up Lua heap, or of a report of xLua, as text to standard
 * output, the same bytes for the same options, and the contents to standard error.
 *
 *	lua_texts [--seed N] [--objects N] [--newlines 0|1]
 *		memdump | snapshot | print | memref | compared | tables | leaks | times
 *
 * memdump: ELuaProfiler. snapshot, print: cloudwu/lua-snapshot by print_r and by print. memref,
 * compared: LuaMemorySnapshotDump. tables, leaks, times: xLua. --newlines: keys and strings hold
 * line ends. Truth:
 *
 *	object TYPE N           how many
 *	place FILE:LINE N       functions defined there
 *	edge NAME N             references of that name
 *	function NAME FILE:LINE CALLS NS        times
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { TABLE, FUNCTION, CFUNCTION, USERDATA, STRING, THREAD, TYPES };
static const char *const type_names[TYPES] = {"table",    "function", "function",
					      "userdata", "string",   "thread"};
enum { PARENTS = 3 };

struct object {
	enum type type;
	uint64_t address;
	size_t parents[PARENTS], n_parents; /* the first is the one it was found by */
	size_t depth;
	struct buf key, path, place;
	uint64_t slots;
};

static struct object *objects;
static size_t n_objects;
static bool newlines;
static struct {
	uint64_t seed, objects, newlines;
} opt = {1, 60, 0};

/* Counts of texts, printed at the end. */
static struct count {
	char *text;
	uint64_t n;
} * counts;
static size_t n_counts, cap_counts;

static void count(const char *what, const char *text)
{
	struct buf b = BUF_INIT;
	size_t i = 0;

	buf_addf(&b, "%s ", what);
	for (; *text; text++) {
		if (*text == '\n')
			buf_adds(&b, "\\n");
		else
			buf_addc(&b, *text);
	}
	while (i < n_counts && strcmp(counts[i].text, buf_str(&b)) != 0)
		i++;
	if (i == n_counts)
		VEC_PUSH(counts, n_counts, cap_counts) = (struct count){mem_strdup(buf_str(&b)), 0};
	counts[i].n++;
	buf_release(&b);
}

static void make_objects(void)
{
	static const char *const forms[] = {"unit", "bag item", "[1]", "a | b", "x: table", "k"};

	objects = mem_zarray(n_objects, sizeof *objects);
	for (size_t i = 0; i < n_objects; i++) {
		struct object *x = &objects[i];

		x->type = i && draw(2) ? (enum type)draw(TYPES) : TABLE;
		x->address = 0x55d000001000 + i * 64;
		x->slots = draw(5000);
		buf_addf(&x->key, i ? "%s%zu" : "registry", forms[draw(6)], i);
		if (i && newlines && i % 5 == 0)
			buf_addf(&x->key, "\nmore %zu", i);
		if (x->type == FUNCTION)
			buf_addf(&x->place, "src/file%zu.lua:%zu", i % 4, i % 9 + 1);
		if (x->type == CFUNCTION)
			buf_adds(&x->place, "[C]");
		for (uint32_t n = draw(PARENTS * 2); i && n > 0; n--) {
			size_t p = draw((uint32_t)i), k = 0;

			while (k < x->n_parents && x->parents[k] != p)
				k++;
			/* only these hold others */
			if (k == x->n_parents && k < PARENTS && objects[p].type == TABLE)
				x->parents[x->n_parents++] = p;
		}
		if (i && !x->n_parents)
			x->n_parents = 1; /* the root */
		x->depth = i ? objects[x->parents[0]].depth + 1 : 0;
		if (i)
			buf_addf(&x->path, "%s.", buf_str(&objects[x->parents[0]].path));
		buf_adds(&x->path, buf_str(&x->key));
	}
}

/* What ELua shows: for a function where it was defined. */
static void add_memdump(struct buf *b, size_t i)
{
	struct object *x = &objects[i];
	struct buf desc = BUF_INIT;

	if (x->type == CFUNCTION)
		buf_adds(&desc, "cfunction");
	else if (x->type == FUNCTION)
		buf_addf(&desc, "file%zu.lua:%zu~%zu", i % 4, i % 9 + 1, i % 9 + 3);
	else
		buf_adds(&desc, buf_str(&x->key));
	buf_addf(b, "%*s %s %s %016" PRIX64, (int)x->depth, "", buf_str(&desc), type_names[x->type],
		 x->address);
	count("object", type_names[x->type]);
	if (x->type == FUNCTION || x->type == CFUNCTION)
		count("place", buf_str(&desc));
	for (size_t k = 0; k < x->n_parents; k++) {
		buf_addf(b, " | %s %016" PRIX64 " |", buf_str(&desc),
			 objects[x->parents[k]].address);
		count("edge", buf_str(&desc));
	}
	if (!i)
		count("edge", buf_str(&desc));
	buf_addc(b, '\n');
	buf_release(&desc);
	for (size_t k = 1; k < n_objects; k++)
		if (k != i && objects[k].parents[0] == i)
			add_memdump(b, k);
}

static void add_snapshot(struct buf *b, bool by_print)
{
	/* the registry is older: it is not in the difference */
	for (size_t i = 1; i < n_objects; i++) {
		struct object *x = &objects[i];

		if (x->type == STRING)
			continue;
		buf_addf(b, by_print ? "userdata: 0x%" PRIx64 "\t" : "+userdata: 0x%" PRIx64 " [",
			 x->address);
		if (x->type == FUNCTION)
			buf_addf(b, "func: %s", buf_str(&x->place));
		else if (x->type == THREAD)
			buf_addf(b, i % 2 ? "thread: " : "src/co.lua:7 src/main.lua:9 thread: ");
		else
			buf_adds(b, x->type == CFUNCTION ? "cfunction" : type_names[x->type]);
		buf_addc(b, '\n');
		count("object", type_names[x->type]);
		if (x->type == FUNCTION || x->type == CFUNCTION)
			count("place", buf_str(&x->place));
		for (size_t k = 0; k < x->n_parents; k++) {
			buf_addf(b, "0x%" PRIx64 " : %s\n", objects[x->parents[k]].address,
				 buf_str(&x->key));
			count("edge", buf_str(&x->key));
		}
		buf_adds(b, by_print ? "\n" : "]\n");
	}
	count("edge", "(not in the dump)");
	count("object", "");
}

static void add_memref(struct buf *b, bool compared)
{
	static const char rule[] = "--------------------------------------------------------\n";

	buf_adds(b, rule);
	if (compared)
		buf_addf(b, "-- This is compared memory information.\n%s", rule);
	buf_adds(b, "-- Collect memory reference at line:23@file:main.lua\n");
	buf_adds(b, rule);
	buf_adds(b,
		 "-- [Table/Function/String Address/Name]\t[Reference Path]\t[Reference Count]\n");
	buf_adds(b, rule);
	if (!compared)
		buf_adds(b, "-- From Root Object: table: 0x55d872221b50 (registry)\n");
	for (size_t i = 0; i < n_objects; i++) {
		struct object *x = &objects[i];
		struct buf path = BUF_INIT;

		buf_adds(&path, buf_str(&x->path));
		if (x->type == FUNCTION)
			buf_addf(&path, "[line:%zu@file:src/file%zu.lua]", i % 9 + 1, i % 4);
		else if (x->type == CFUNCTION)
			buf_adds(&path, "[line:-1@file:[C]]");
		else if (x->type == STRING)
			buf_adds(&path, "[string]");
		if (x->type == STRING)
			buf_addf(b, compared ? "text\t%zu" : "string: \"text\t%zu\"", i);
		else
			buf_addf(b, "%s: 0x%" PRIx64, type_names[x->type], x->address);
		buf_addf(b, "\t%s\t%zu\n", buf_str(&path), x->n_parents ? x->n_parents : 1);
		count("object", type_names[x->type]);
		if (x->type == FUNCTION || x->type == CFUNCTION)
			count("place", buf_str(&x->place));
		count("edge", buf_str(&path));
		buf_release(&path);
	}
}

static void add_tables(struct buf *b)
{
	static const char *const roots[] = {"GLOBAL", "REGISTRY", "UPVALUE", "LOCAL"};

	buf_addf(b, "%-40s: %-12s: %-12s: %-12s: %s\n", "NAME", "SIZE", "TYPE", "ID", "INFO");
	for (size_t i = 0; i < n_objects; i++) {
		struct object *x = &objects[i];
		uint32_t root = draw(4);
		char name[64];

		snprintf(name, sizeof name, "table%zu: of %zu", i, i % 7);
		buf_addf(b, "%-40.40s: %-12" PRIu64 ": %-12s: %-12zx: %s\n", name, x->slots,
			 roots[root], i, root > 1 ? "main.lua:12" : "");
		count("object", "table");
		count("edge", name);
	}
}

static void add_leaks(struct buf *b)
{
	buf_adds(b, "total memroy: 512\r\n");
	for (size_t i = 0; i < n_objects; i++) {
		buf_addf(b, "potential leak(%" PRIu64 ") in {", objects[i].slots);
		for (size_t k = 0; k < i % 4; k++) {
			char path[64];

			snprintf(path, sizeof path, "_G.cache%zu[%zu]", i, k);
			buf_addf(b, "%s%s", k ? "," : "", path);
			count("edge", path);
		}
		buf_adds(b, "}\r\n");
		count("object", "table");
	}
}

static void add_times(struct buf *b)
{
	buf_addf(b, "|%-40s: %-50s: %-12s: %-12s: %-12s: %-12s|\n", "FUNCTION", "SOURCE",
		 "TOTAL(MS)", "AVERAGE(MS)", "RELATIVE", "CALLED");
	for (size_t i = 0; i < n_objects; i++) {
		uint64_t us = draw(5000000), calls = 1 + draw(999);
		char name[64], source[64], total[32], mean[32], part[32], called[32];

		snprintf(name, sizeof name, i % 8 ? "function%zu" : "[anonymous]", i);
		snprintf(source, sizeof source, "[string \"a: b%zu\"]:%zu", i, i + 1);
		snprintf(total, sizeof total, "%04.3f", (double)us / 1000);
		snprintf(mean, sizeof mean, "%04.3f", (double)us / 1000 / (double)calls);
		snprintf(part, sizeof part, "%03.2f%%", (double)us / 1e6);
		snprintf(called, sizeof called, "%7" PRIu64, calls);
		buf_addf(b, "|%-40.40s: %-50.50s: %-12s: %-12s: %-12s: %-12s|\n", name, source,
			 total, mean, part, called);
		fprintf(stderr, "function %s %s %" PRIu64 " %" PRIu64 "\n", name, source, calls,
			us * 1000);
	}
}

static bool add(struct buf *b, const char *form)
{
	if (!strcmp(form, "memdump"))
		add_memdump(b, 0);
	else if (!strcmp(form, "snapshot") || !strcmp(form, "print"))
		add_snapshot(b, form[0] == 'p');
	else if (!strcmp(form, "memref") || !strcmp(form, "compared"))
		add_memref(b, form[0] == 'c');
	else if (!strcmp(form, "tables"))
		add_tables(b);
	else if (!strcmp(form, "leaks"))
		add_leaks(b);
	else if (!strcmp(form, "times"))
		add_times(b);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
	    {"--seed", &opt.seed}, {"--objects", &opt.objects}, {"--newlines", &opt.newlines}};
	struct buf b = BUF_INIT;
	int i = 1;

	for (; i + 1 < argc; i += 2) {
		bool known = false;

		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			if (!strcmp(argv[i], numbers[k].name))
				known = num_dec(argv[i + 1], strlen(argv[i + 1]), numbers[k].value);
		if (!known)
			break;
	}
	random_state = opt.seed * 2 + 1;
	n_objects = opt.objects;
	newlines = opt.newlines;
	if (i + 1 == argc && n_objects && n_objects < 100000)
		make_objects();
	if (!objects || !add(&b, argv[i])) {
		fprintf(stderr, "usage: see testdata/gen/lua_texts.c\n");
		return 2;
	}
	fwrite(b.data, 1, b.len, stdout);
	for (size_t k = 0; k < n_counts; k++)
		fprintf(stderr, "%s %" PRIu64 "\n", counts[k].text, counts[k].n);
	buf_release(&b);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

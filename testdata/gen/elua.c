/* SPDX-License-Identifier: MIT
 *
 * A generator of ELuaProfiler's .elprof, to standard output (formats/unreal/elua.c has the layout),
 * the same bytes for the same options, and its contents to standard error.
 *
 *	elua [--seed N] [--nodes N] [--frames N] [--variant NAME] v0|v1|v2
 *
 * frames: mode 0 with so many trees (not v0); 0: mode 1 with one. Truth, summed over all nodes of
 * a function, root too:
 *
 *	function NAME FILE:LINE calls self-ns net-bytes gross-bytes
 *	total NS of all roots, nodes N, frames N
 *
 * Own columns are 0, as in files that were saved with the panel closed; inclusive ones are 0 too
 * but for old. Variants: plain; old (bytes as before 2024-11, v0 and v1); closures (v2: each
 * function has five pointers); nameless (v2: the first function is not in the table); negative
 * (callees longer than their callers); nan; deep (one chain); cut (the last 40 bytes are missing).
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 12, CLOSURES = 5, OLD_COUNTER = 50000000 };

static struct function {
	const char *name, *file, *id;
	int line;
	uint64_t calls;
	int64_t self, net, gross;
} functions[FUNCTIONS] = {
    {.name = "Root", .file = "", .id = "Root"},
    {.name = "Tick", .file = "Game/Main.lua", .line = 10, .id = "Game/Main.lua:10~80 Tick"},
    {.name = "Update", .file = "Game/Unit.lua", .line = 5, .id = "Game/Unit.lua:5~9 Update"},
    {.name = "Update", .file = "Game/Bag.lua", .line = 7, .id = "Game/Bag.lua:7~31 Update"},
    {.name = "print", .file = "[C]", .id = "[C]:-1~-1 print"},
    {.name = "yield", .file = "[C]", .id = "[C]:-1~-1 yield"},
    {.name = "\xe5\xa0\x86",
     .file = "UI/\xe6\xa0\x88.lua",
     .line = 3,
     .id = "UI/\xe6\xa0\x88.lua:3~4 \xe5\xa0\x86"},
    {.name = "a:b~c d", .file = "odd.lua", .line = 1, .id = "odd.lua:1~2 a:b~c d"},
    {.name = "Sort", .file = "Lib/List.lua", .line = 120, .id = "Lib/List.lua:120~144 Sort"},
    {.name = "Find", .file = "Lib/List.lua", .line = 20, .id = "Lib/List.lua:20~24 Find"},
    {.name = "Lib/Any.lua:9~9", .file = "Lib/Any.lua", .line = 9, .id = "Lib/Any.lua:9~9 (null)"},
    {.name = "Load", .file = "C:/Game/Load.lua", .line = 2, .id = "C:/Game/Load.lua:2~3 Load"},
};

struct node {
	size_t function;
	uint64_t calls;
	int64_t self, total;
	int64_t gross, freed, all_gross, all_freed;
	size_t first, next, count; /* children; of 0: none */
};

static struct {
	uint64_t seed, nodes, frames;
	int version;
} opt = {1, 60, 0, 2};

static struct node *nodes;
static size_t n_nodes, cap_nodes;
static uint64_t all_nodes;
static int64_t all_total;
static struct buf out;

static void put_double(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, 8);
	put(&out, bits, 8);
}

static void put_float(double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	put(&out, bits, 4);
}

/* ASCII as bytes, else as UTF-16: all characters here have three bytes of UTF-8 or one. */
static void put_string(const char *s)
{
	uint32_t units = 1;
	bool wide = false;

	for (const char *p = s; *p; p++) {
		wide |= *p < 0;
		units += (*p & 0xc0) != 0x80;
	}
	if (!wide) {
		put(&out, *s ? strlen(s) + 1 : 0, 4);
		if (*s)
			buf_add(&out, s, strlen(s) + 1);
		return;
	}
	put(&out, -units, 4);
	for (const uint8_t *p = (const uint8_t *)s; *p; p += *p < 128 ? 1 : 3)
		put(&out, *p < 128 ? *p : (*p & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u), 2);
	put(&out, 0, 2);
}

static uint64_t pointer(size_t function)
{
	size_t closure = is("closures") ? draw(CLOSURES) : 0;

	return function ? 0x7f0000001000 + (function * CLOSURES + closure) * 64 : 0;
}

/* A tree of n nodes: each new one below one that is there, at the end of its children. */
static void make_tree(uint64_t n)
{
	n_nodes = 0;
	for (uint64_t i = 0; i < n; i++) {
		size_t parent = i && is("deep") ? (size_t)i - 1 : draw((uint32_t)(i ? i : 1));
		struct node x = {.function = i ? 1 + draw(FUNCTIONS - 1) : 0,
				 .calls = i ? 1 + draw(20) : 0,
				 .self = 1000 * (int64_t)draw(5000),
				 .gross = i ? draw(90000) : 0};
		size_t *end;

		x.freed = x.gross ? draw((uint32_t)x.gross) : 0;
		if (is("negative") && i % 7 == 3)
			x.self = -x.self;
		if (i) {
			end = &nodes[parent].first;
			while (*end) /* short: parents are spread */
				end = &nodes[*end].next;
			*end = (size_t)i;
			nodes[parent].count++;
		}
		VEC_PUSH(nodes, n_nodes, cap_nodes) = x;
	}
	for (size_t i = n_nodes; i-- > 0;) {
		struct node *x = &nodes[i];

		x->total += x->self;
		x->all_gross += x->gross;
		x->all_freed += x->freed;
		for (size_t k = x->first; k; k = nodes[k].next) {
			x->total += nodes[k].total;
			x->all_gross += nodes[k].all_gross;
			x->all_freed += nodes[k].all_freed;
		}
	}
}

static void add_truth(const struct node *x, bool numbers)
{
	struct function *f = &functions[x->function];

	all_nodes++;
	f->calls += x->calls;
	if (!numbers)
		return;
	f->self += x->self > 0 ? x->self : 0;
	f->net += x->gross - x->freed;
	f->gross += x->gross;
}

static void put_node(const struct node *x, double when)
{
	bool nan_here = is("nan") && all_nodes % 9 == 4 && !x->first;

	if (opt.version == 2)
		put(&out, pointer(x->function), 8);
	else
		put_string(functions[x->function].id);
	put_string("anonymous");
	put_double(when);
	put_double(0);
	put_double(nan_here ? NAN : (double)x->total / 1e6);
	if (is("old")) {
		put_float(OLD_COUNTER + draw(1000000));
		put_float(draw(1000000));
		put_float((double)x->all_gross * 0.001);
		put_float((double)x->all_freed * 0.001);
	} else {
		put_float(nan_here ? NAN : (double)(x->gross - x->freed) * 0.001);
		put_float((double)x->freed * 0.001);
		put_float(0);
		put_float(0);
	}
	put(&out, x->calls, 4);
	put(&out, (uint32_t)-1, 4);
	put(&out, x->count, 4);
	add_truth(x, !nan_here);
}

static void put_tree(double when)
{
	size_t *open = mem_array(n_nodes + 1, sizeof *open), n = 0;

	open[n++] = 0;
	while (n) {
		size_t i = open[--n];

		put_node(&nodes[i], when);
		for (size_t k = nodes[i].first; k; k = nodes[k].next)
			n++;
		for (size_t k = nodes[i].first, last = n; k; k = nodes[k].next)
			open[--last] = k;
	}
	all_total += nodes[0].total;
	free(open);
}

static void put_table(void)
{
	size_t closures = is("closures") ? CLOSURES : 1, first = is("nameless") ? 2 : 1;

	put(&out, 742010247, 4);
	put(&out, (FUNCTIONS - first) * closures, 4);
	for (size_t f = first; f < FUNCTIONS; f++) {
		for (size_t k = 0; k < closures; k++) {
			put(&out, 0x7f0000001000 + (f * CLOSURES + k) * 64, 8);
			put_string(functions[f].id);
		}
	}
}

static void print_truth(void)
{
	if (is("nameless") && opt.version == 2) {
		static char text[32];

		snprintf(text, sizeof text, "0x%" PRIx64, pointer(1));
		functions[1].name = text;
		functions[1].file = "";
		functions[1].line = 0;
	}
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		fprintf(stderr,
			"function %s %s:%d %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
			f->name, f->file, f->line, f->calls, f->self, f->net, f->gross);
	}
	fprintf(stderr, "total %" PRId64 "\nnodes %" PRIu64 "\nframes %" PRIu64 "\n", all_total,
		all_nodes, opt.frames);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {{"--seed", &opt.seed}, {"--nodes", &opt.nodes}, {"--frames", &opt.frames}};
	int i = 1;

	variant = "plain";
	for (; i + 1 < argc; i += 2) {
		bool known = !strcmp(argv[i], "--variant");

		if (known)
			variant = argv[i + 1];
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			if (!strcmp(argv[i], numbers[k].name))
				known = num_dec(argv[i + 1], strlen(argv[i + 1]), numbers[k].value);
		if (!known)
			break;
	}
	if (i + 1 != argc || argv[i][0] != 'v' || argv[i][1] < '0' || argv[i][1] > '2' ||
	    !opt.nodes) {
		fprintf(stderr, "usage: see testdata/gen/elua.c\n");
		return 2;
	}
	opt.version = argv[i][1] - '0';
	random_state = opt.seed * 2 + 1;
	if (opt.version == 2)
		put_table();
	if (opt.version)
		put(&out, opt.frames ? 0 : 1, 4);
	if (opt.frames && opt.version)
		put(&out, opt.frames, 4);
	for (uint64_t f = 0; f < (opt.frames ? opt.frames : 1); f++) {
		make_tree(opt.nodes);
		put_tree(1000000 + (double)f * 16.5);
	}
	if (is("cut"))
		out.len -= 40;
	fwrite(out.data, 1, out.len, stdout);
	print_truth();
	buf_release(&out);
	free(nodes);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A generator of Lua profilers' texts, to standard output, and of their contents, to a file of
 * truth:
 *
 *	lua_profiles [--seed N] [--events N] [--truth FILE] FORMAT
 *
 *	folded        stacks of names, places and C addresses
 *	jp-states     LuaJIT's -jp=fvG: stacks, and the VM's states behind each
 *	jp-raw        LuaJIT's -jp=sr: functions, and callers of which some are missing
 *	luaprofiler   calls in the order of their returns
 *	luatrace      calls, tail calls, errors and coroutines; calls in progress at the end
 *	luau-profile
 *	luau-heap     with keys behind the tables that use them
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "testdata/gen/lua_gen.h"

#include <stdbool.h>

static const char *const files[] = {"game.lua", "ui/menu.lua", "a b.lua", "net.lua"};

static void truth_sample(struct lua_gen *g, const char *marker, uint64_t count, struct buf *stack)
{
	fprintf(g->truth, "sample %s %" PRIu64 " - - %s\n", marker, count, buf_str(stack));
}

/* --- sampled stacks --- */

static void draw_stack(struct lua_gen *g, struct buf *text, struct buf *truth)
{
	uint32_t depth = 2 + lua_draw(g, 8);

	text->len = truth->len = 0;
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t line = lua_draw(g, 40), kind = lua_draw(g, 8);
		const char *file = files[lua_draw(g, 4)];

		if (i) {
			buf_addc(text, ';');
			buf_addc(truth, ';');
		}
		if (kind == 0) {
			buf_addf(text, "@0x55%x0", line + 256);
			buf_addf(truth, "entry:0x55%x0", line + 256);
		} else if (kind < 4) {
			buf_addf(text, "%s:%u", file, line);
			buf_addf(truth, "%s:%u@%s", file, line, file);
			if (line)
				buf_addf(truth, ":%u", line);
		} else {
			buf_addf(text, "func%u", line);
			buf_addf(truth, "func%u", line);
		}
	}
}

static void folded(struct lua_gen *g, bool with_states)
{
	static const char *const states[] = {"Compiled", "C code", "Garbage Collector"};
	struct buf text = BUF_INIT, truth = BUF_INIT;

	for (uint64_t i = 0; i < g->events; i++) {
		uint32_t count = 1 + lua_draw(g, 1000), left = count;

		draw_stack(g, &text, &truth);
		printf("%s %u\n", buf_str(&text), count);
		if (!with_states) {
			truth_sample(g, "-", count, &truth);
			continue;
		}
		for (uint32_t s = 0; left && s < 3; s++) {
			uint32_t part = s == 2 ? left : lua_draw(g, left + 1);
			char marker[64];

			if (!part)
				continue;
			snprintf(marker, sizeof marker, "vm_state/%s", states[s]);
			for (char *c = marker; *c; c++)
				*c = *c == ' ' ? '_' : *c;
			printf("%s %u\n", states[s], part);
			truth_sample(g, marker, part, &truth);
			left -= part;
		}
	}
	buf_release(&text);
	buf_release(&truth);
}

/* What has most samples is first. */
static void jp_raw(struct lua_gen *g)
{
	uint32_t most = 1000;

	for (uint64_t i = 0; i < g->events; i++) {
		uint32_t count = 4 + lua_draw(g, most), left = count, callers = lua_draw(g, 4);

		most = count - 3;
		printf("%5u  func%" PRIu64 "\n", count, i);
		for (uint32_t k = 0; k < callers; k++) {
			uint32_t part = 1 + lua_draw(g, left / 2 + 1);

			if (part > left)
				break;
			printf("  <- %5u  caller%u\n", part, k);
			fprintf(g->truth, "sample - %u - - caller%u;func%" PRIu64 "\n", part, k, i);
			left -= part;
		}
		if (left)
			fprintf(g->truth, "sample - %u - - func%" PRIu64 "\n", left, i);
	}
}

static void luau_profile(struct lua_gen *g)
{
	for (uint64_t i = 0; i < g->events; i++) {
		uint32_t us = lua_draw(g, 100000), depth = 1 + lua_draw(g, 6);
		struct buf truth = BUF_INIT, rest = BUF_INIT;

		printf("%u ", us);
		if (!lua_draw(g, 5)) {
			printf("GC,GC,;");
			buf_adds(&truth, ";GC");
		}
		for (uint32_t k = 0; k < depth; k++) {
			const char *file = lua_draw(g, 2) ? "game.luau" : "a,b.luau";
			uint32_t line = lua_draw(g, 9);
			char name[16] = "";

			if (lua_draw(g, 4))
				snprintf(name, sizeof name, "f%u", lua_draw(g, 20));
			printf("%s%s,%s,", k ? ";" : "", file, name);
			if (line)
				printf("%u", line);
			/* The truth is outermost first, so what comes goes before what is there. */
			rest.len = 0;
			buf_addf(&rest, ";%s@%s", *name ? name : "(anonymous)", file);
			if (line)
				buf_addf(&rest, ":%u", line);
			buf_add(&rest, truth.data, truth.len);
			truth.len = 0;
			buf_add(&truth, rest.data, rest.len);
		}
		printf("\n");
		fprintf(g->truth, "sample - - - %" PRIu64 " %s\n", us * UINT64_C(1000),
			buf_str(&truth) + 1);
		buf_release(&truth);
		buf_release(&rest);
	}
}

/* --- luaprofiler: a tree of calls --- */

/* Writes the call's callees, then the call; returns its total in us. */
static uint32_t profiler_call(struct lua_gen *g, uint32_t level, struct buf *stack)
{
	uint32_t callees = level < 6 ? lua_draw(g, 4) : 0, self = 1 + lua_draw(g, 5000),
		 total = self;
	uint32_t line = 1 + lua_draw(g, 50);
	size_t len = stack->len;
	const char *file = files[lua_draw(g, 4)];
	char name[32];

	snprintf(name, sizeof name, "func%u", line);
	buf_addf(stack, "%s%s@%s:%u", level ? ";" : "", name, file, line);
	for (uint32_t i = 0; i < callees; i++)
		total += profiler_call(g, level + 1, stack);
	printf("%u\t@%s\t%s\t%u\t%d\t%u%s%06u\t%u.%06u\n", level, file, name, line,
	       (int)lua_draw(g, 60) - 1, self / 1000000, lua_draw(g, 2) ? "." : ",", self % 1000000,
	       total / 1000000, total % 1000000);
	fprintf(g->truth, "sample - 1 %u000 %u000 %s\n", total, self, buf_str(stack));
	stack->len = len;
	return total;
}

static void luaprofiler(struct lua_gen *g)
{
	struct buf stack = BUF_INIT;

	for (uint64_t i = 0; i < g->events; i++) {
		if (i % 40 == 0)
			printf("stack_level\tfile_defined\tfunction_name\tline_defined\t"
			       "current_line\tlocal_time\ttotal_time\n");
		profiler_call(g, 0, &stack);
	}
	buf_release(&stack);
}

/* --- luatrace: a program runs --- */

struct running {
	struct buf stack; /* truth of the callers */
	char name[48], file[24];
	uint32_t first, line;
	bool counted, protects;
};

static void trace_sample(struct lua_gen *g, struct running *f, uint64_t ns)
{
	fprintf(g->truth, "sample - %d - %" PRIu64 " %s%s@%s", !f->counted, ns, buf_str(&f->stack),
		f->name, f->file);
	fprintf(g->truth, ":%u\n", f->line);
	f->counted = true;
}

static void trace_leave(struct lua_gen *g, struct running *f)
{
	if (!f->counted) {
		f->line = f->first;
		trace_sample(g, f, 0);
	}
}

static void trace_enter(struct lua_gen *g, struct running *f, struct running *caller,
			const char *prefix, char kind)
{
	f->first = 1 + lua_draw(g, 100);
	f->line = f->first;
	f->counted = f->protects = false;
	snprintf(f->file, sizeof f->file, "%s", files[lua_draw(g, 4)]);
	snprintf(f->name, sizeof f->name, "%s:%u", f->file, f->first);
	f->stack.len = 0;
	buf_adds(&f->stack, prefix);
	if (caller)
		buf_addf(&f->stack, "%s%s@%s:%u;", buf_str(&caller->stack), caller->name,
			 caller->file, caller->line);
	printf("%c %s %u %u\n", kind, f->file, f->first, f->first + 9);
}

enum { DEPTH = 12, COROUTINES = 3 };

static void luatrace(struct lua_gen *g)
{
	static struct running rows[COROUTINES + 1][DEPTH];
	uint32_t n[COROUTINES + 1] = {0}, at = 0;

	trace_enter(g, &rows[0][n[0]++], NULL, "", '>');
	for (uint64_t i = 0; i < g->events; i++) {
		struct running *f = &rows[at][n[at] - 1];
		uint32_t us = lua_draw(g, 1000), what = lua_draw(g, 12),
			 co = 1 + lua_draw(g, COROUTINES);
		struct buf prefix = BUF_INIT;

		if (what < 5) {
			f->line = f->first + lua_draw(g, 9);
			printf("%u %u\n", f->line, us);
			trace_sample(g, f, us * UINT64_C(1000));
		} else if (what < 8 && n[at] < DEPTH) {
			if (!lua_draw(g, 4)) {
				printf("P\n");
				f->protects = true;
			}
			trace_enter(g, &rows[at][n[at]++], f, "", '>');
		} else if (what == 8) {
			trace_leave(g, f);
			buf_adds(&prefix, buf_str(&f->stack));
			trace_enter(g, f, NULL, buf_str(&prefix), 'T');
		} else if (what == 9 && n[at] > 1) {
			printf("<\n");
			trace_leave(g, f);
			rows[at][--n[at] - 1].protects = false;
		} else if (what == 9 && at) {
			printf("<\nY\n");
			trace_leave(g, f);
			n[at] = 0;
			at = 0;
			rows[0][n[0] - 1].protects = false;
		} else if (what == 10 && !at) {
			f->protects = lua_draw(g, 2);
			printf("%sR %u\n", f->protects ? "P\n" : "", co);
			at = co;
			if (!n[at])
				trace_enter(g, &rows[at][n[at]++], f, "", '>');
		} else if (what == 11 && at && lua_draw(g, 2)) {
			printf("Y\n");
			at = 0;
			rows[0][n[0] - 1].protects = false;
		} else if (what == 11) {
			uint32_t to = n[at], where = at;

			while (to && !rows[where][to - 1].protects) {
				to--;
				if (!to && where) {
					where = 0;
					to = n[0];
				}
			}
			if (!to)
				continue;
			printf("E\n");
			while (n[at] > (at == where ? to : 0))
				trace_leave(g, &rows[at][--n[at]]);
			at = where;
			while (n[at] > to)
				trace_leave(g, &rows[at][--n[at]]);
			rows[at][to - 1].protects = false;
		}
		buf_release(&prefix);
	}
	for (at = 0; at <= COROUTINES; at++)
		while (n[at])
			trace_leave(g, &rows[at][--n[at]]);
	for (at = 0; at <= COROUTINES; at++)
		for (uint32_t i = 0; i < DEPTH; i++)
			buf_release(&rows[at][i].stack);
}

/* --- Luau's heap --- */

/* Objects 1..n: the last quarter are strings, which the tables before them have as keys. */
static void heap_table(struct lua_gen *g, uint64_t id, uint64_t strings)
{
	uint32_t pairs = lua_draw(g, 3), entries = lua_draw(g, 3);

	if (pairs)
		printf(",\"pairs\":[");
	for (uint32_t i = 0; i < pairs; i++) {
		uint64_t value = 1 + lua_draw(g, (uint32_t)g->events);
		uint64_t key = strings + lua_draw(g, (uint32_t)(g->events - strings + 1));
		bool number = !lua_draw(g, 3);

		if (number)
			printf("%snull,\"0x%" PRIx64 "\"", i ? "," : "", value * 16);
		else
			printf("%s\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"", i ? "," : "", key * 16,
			       value * 16);
		if (number) {
			fprintf(g->truth, "reference 0x%" PRIx64 " 0x%" PRIx64 " [?]\n", id * 16,
				value * 16);
			continue;
		}
		fprintf(g->truth, "reference 0x%" PRIx64 " 0x%" PRIx64 " (key)\n", id * 16,
			key * 16);
		fprintf(g->truth, "reference 0x%" PRIx64 " 0x%" PRIx64 " text%" PRIu64 "\n",
			id * 16, value * 16, key);
	}
	printf("%s", pairs ? "]" : "");
	if (entries)
		printf(",\"array\":[");
	for (uint32_t i = 0; i < entries; i++) {
		uint64_t value = 1 + lua_draw(g, (uint32_t)g->events);

		printf("%s\"0x%" PRIx64 "\"", i ? "," : "", value * 16);
		fprintf(g->truth, "reference 0x%" PRIx64 " 0x%" PRIx64 " []\n", id * 16,
			value * 16);
	}
	printf("%s", entries ? "]" : "");
}

static void luau_heap(struct lua_gen *g)
{
	uint64_t strings, total = 0;

	g->events = g->events < 4 ? 4 : g->events;
	strings = g->events - g->events / 4;
	printf("{\"objects\":{\n");
	for (uint64_t id = 1; id <= g->events; id++) {
		uint32_t size = 16 + lua_draw(g, 400);
		bool proto = id < strings && id % 5 == 0;

		total += size;
		printf("\"0x%" PRIx64 "\":{\"type\":\"%s\",\"cat\":0,\"size\":%u", id * 16,
		       id >= strings ? "string"
		       : proto       ? "proto"
				     : "table",
		       size);
		if (id >= strings) {
			printf(",\"data\":\"text%" PRIu64 "\"", id);
			fprintf(g->truth, "object 0x%" PRIx64 " string %u text%" PRIu64 "\n",
				id * 16, size, id);
		} else if (proto) {
			printf(",\"source\":\"game.luau\",\"line\":%" PRIu64
			       ",\"constants\":[\"0x%" PRIx64 "\"]",
			       id, g->events * 16);
			fprintf(g->truth, "object 0x%" PRIx64 " proto %u game.luau:%" PRIu64 "\n",
				id * 16, size, id);
			fprintf(g->truth, "reference 0x%" PRIx64 " 0x%" PRIx64 " (constant)\n",
				id * 16, g->events * 16);
		} else {
			fprintf(g->truth, "object 0x%" PRIx64 " table %u -\n", id * 16, size);
			heap_table(g, id, strings);
		}
		printf("},\n");
	}
	printf("\"0\":{\"type\":\"userdata\",\"cat\":0,\"size\":0}\n},\"roots\":{\n"
	       "\"mainthread\":\"0x10\",\"registry\":\"0x20\"},\"stats\":{\n\"size\":%" PRIu64
	       ",\n\"categories\":{\n\"0\":{\"name\":\"all\", \"size\":%" PRIu64
	       "},\n\"none\":{}\n}\n}}\n",
	       total, total);
	fprintf(g->truth, "reference 0x0 0x10 mainthread\nreference 0x0 0x20 registry\n");
	fprintf(g->truth, "counter lua.heap/B %" PRIu64 "\n", total);
}

int main(int argc, char **argv)
{
	struct lua_gen g;

	if (!lua_gen_options(&g, argc, argv))
		g.format = "";
	if (!strcmp(g.format, "folded"))
		folded(&g, false);
	else if (!strcmp(g.format, "jp-states"))
		folded(&g, true);
	else if (!strcmp(g.format, "jp-raw"))
		jp_raw(&g);
	else if (!strcmp(g.format, "luaprofiler"))
		luaprofiler(&g);
	else if (!strcmp(g.format, "luatrace"))
		luatrace(&g);
	else if (!strcmp(g.format, "luau-profile"))
		luau_profile(&g);
	else if (!strcmp(g.format, "luau-heap"))
		luau_heap(&g);
	else {
		fprintf(stderr, "usage: see testdata/gen/lua_profiles.c\n");
		return 2;
	}
	return fclose(g.truth) || fflush(stdout) ? 3 : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A generator of profiles of tarantool's LuaJIT, to standard output, and of their contents, to a
 * file of truth:
 *
 *	tarantool [--seed N] [--events N] [--truth FILE] memprof|sysprof
 *
 * Symbols come in the table and later among the events. A sample of sysprof is made as one stack,
 * in which Lua and C functions call each other, and then taken apart as the profiler does.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "testdata/gen/lua_gen.h"

#include <stdbool.h>

enum { LUA_FUNCTIONS = 6, C_FUNCTIONS = 6, TRACES = 3 };
enum { C_BASE = 0x400000, LUA_BASE = 0x41000000 };

/* Two of the C functions are where C enters the VM. */
static const char *const c_names[C_FUNCTIONS] = {"main",    "lua_pcall", "lua_call",
						 "c_alloc", "c_sort",    "late_function"};

static uint64_t c_address(uint32_t i)
{
	return C_BASE + UINT64_C(0x1000) * i;
}

static uint64_t lua_address(uint32_t i)
{
	return LUA_BASE + UINT64_C(0x70) * i;
}

static void add_string(struct buf *b, const char *s)
{
	buf_add_uleb(b, strlen(s));
	buf_adds(b, s);
}

static void add_lua(struct buf *b, uint32_t i)
{
	char chunk[32];

	snprintf(chunk, sizeof chunk, "@m%u.lua", i);
	buf_add_uleb(b, lua_address(i));
	add_string(b, chunk);
	buf_add_uleb(b, i * 10);
}

static void add_c(struct buf *b, uint32_t i)
{
	buf_add_uleb(b, c_address(i));
	add_string(b, c_names[i]);
}

/* Trace i starts in Lua function i, at line i + 3. */
static void add_trace(struct buf *b, uint32_t i)
{
	buf_add_uleb(b, i + 1);
	buf_add_uleb(b, lua_address(i));
	buf_add_uleb(b, i + 3);
}

/* All but the last of each kind, which come later. */
static void add_table(struct buf *b)
{
	buf_add(b, "ljs\3\0\0\0", 7);
	for (uint32_t i = C_FUNCTIONS - 1; i-- > 0;) {
		buf_addc(b, 1);
		add_c(b, i);
	}
	for (uint32_t i = 0; i + 1 < LUA_FUNCTIONS; i++) {
		buf_addc(b, 0);
		add_lua(b, i);
	}
	for (uint32_t i = 0; i + 1 < TRACES; i++) {
		buf_addc(b, 2);
		add_trace(b, i);
	}
	buf_addc(b, (char)0x80);
}

static void lua_truth(struct buf *truth, uint32_t i, uint32_t line)
{
	buf_addf(truth, "m%u.lua:%u@m%u.lua", i, i * 10, i);
	if (line || i)
		buf_addf(truth, ":%u", line ? line : i * 10);
}

static void trace_truth(struct buf *truth, uint32_t i)
{
	buf_addf(truth, "TRACE_[%u]_started_at_m%u.lua:%u@m%u.lua:%u", i + 1, i, i + 3, i, i + 3);
}

/* A place of memprof: its source's number, its bytes and its truth. */
static unsigned draw_source(struct lua_gen *g, bool late, struct buf *bytes, struct buf *truth)
{
	unsigned source = 1 + lua_draw(g, 4);
	uint32_t i, line;

	bytes->len = truth->len = 0;
	switch (source) {
	case 2:
		i = lua_draw(g, LUA_FUNCTIONS - !late);
		line = lua_draw(g, 30);
		buf_add_uleb(bytes, lua_address(i));
		buf_add_uleb(bytes, line);
		lua_truth(truth, i, line);
		break;
	case 3:
		i = lua_draw(g, C_FUNCTIONS - !late);
		buf_add_uleb(bytes, c_address(i));
		buf_addf(truth, "entry:0x%" PRIx64 ":%s", c_address(i), c_names[i]);
		break;
	case 4:
		i = lua_draw(g, TRACES - !late);
		buf_add_uleb(bytes, i + 1);
		trace_truth(truth, i);
		break;
	default: buf_adds(truth, "INTERNAL"); break;
	}
	return source;
}

struct block {
	uint64_t address, size;
};

static struct block new_block(struct lua_gen *g)
{
	return (struct block){0x41800000 + UINT64_C(16) * lua_draw(g, 1 << 20),
			      1 + lua_draw(g, 5000)};
}

static void memprof(struct lua_gen *g, struct buf *b)
{
	struct buf bytes = BUF_INIT, truth = BUF_INIT;
	struct block *live = NULL;
	size_t n = 0, cap = 0;

	add_table(b);
	buf_add(b, "ljm\3\0\0\0", 7);
	for (uint64_t e = 0; e < g->events; e++) {
		bool late = e >= g->events / 2;
		unsigned kind = n ? 1 + lua_draw(g, 3) : 1, source;
		struct block old = {0}, new = {0};

		if (e == g->events / 2) {
			buf_addc(b, 2 << 2);
			add_lua(b, LUA_FUNCTIONS - 1);
			buf_addc(b, 3 << 2);
			add_c(b, C_FUNCTIONS - 1);
			buf_addc(b, 4 << 2);
			add_trace(b, TRACES - 1);
		}
		source = draw_source(g, late, &bytes, &truth);
		buf_addc(b, (char)(kind | source << 2));
		buf_add(b, bytes.data, bytes.len);
		if (kind & 2) {
			size_t i = lua_draw(g, (uint32_t)n);

			old = live[i];
			live[i] = live[--n];
			buf_add_uleb(b, old.address);
			buf_add_uleb(b, old.size);
			fprintf(g->truth, "free 0x%" PRIx64 " %" PRIu64 " %s\n", old.address,
				old.size, buf_str(&truth));
		}
		if (kind & 1) {
			new = new_block(g);
			VEC_PUSH(live, n, cap) = new;
			buf_add_uleb(b, new.address);
			buf_add_uleb(b, new.size);
			fprintf(g->truth, "alloc 0x%" PRIx64 " %" PRIu64 " %s\n", new.address,
				new.size, buf_str(&truth));
		}
	}
	buf_addc(b, (char)0x80);
	buf_release(&bytes);
	buf_release(&truth);
	free(live);
}

struct sample {
	struct buf truth;             /* outermost first */
	struct buf lua[64], host[64]; /* one frame each, outermost first */
	uint32_t n_lua, n_host;
};

static void push_c(struct lua_gen *g, struct sample *s, uint32_t i, bool innermost)
{
	uint64_t at = c_address(i) + 1 + lua_draw(g, 0xff0);
	struct buf *b = &s->host[s->n_host++];

	b->len = 0;
	buf_add_uleb(b, at);
	buf_addf(&s->truth, ";%s:0x%" PRIx64 ":%s", innermost ? "unstated" : "return", at,
		 c_names[i]);
}

static void push_lua(struct lua_gen *g, struct sample *s)
{
	uint32_t i = lua_draw(g, LUA_FUNCTIONS), line = 1 + lua_draw(g, 90);
	struct buf *b = &s->lua[s->n_lua++];

	b->len = 0;
	if (!lua_draw(g, 5)) {
		buf_addc(b, 3);
		buf_add_uleb(b, line);
		buf_addf(&s->truth, ";[builtin#%u]", line);
		return;
	}
	buf_addc(b, 1);
	buf_add_uleb(b, lua_address(i));
	buf_add_uleb(b, line);
	buf_addc(&s->truth, ';');
	lua_truth(&s->truth, i, line);
}

/* main, then rounds of: C enters the VM, Lua functions, a C function that they call. */
static void draw_sample(struct lua_gen *g, struct sample *s, bool lua)
{
	uint32_t rounds = lua ? 1 + lua_draw(g, 3) : 0;

	s->n_lua = s->n_host = 0;
	s->truth.len = 0;
	push_c(g, s, 0, !rounds);
	for (uint32_t r = 0; r < rounds; r++) {
		uint32_t functions = 1 + lua_draw(g, 4);

		push_c(g, s, 1 + lua_draw(g, 2), false);
		for (uint32_t i = 0; i < functions; i++)
			push_lua(g, s);
		/* The innermost host frame is inside of the VM, or the last C function. */
		if (r + 1 < rounds) {
			s->lua[s->n_lua].len = 0;
			buf_addc(&s->lua[s->n_lua], 2);
			buf_add_uleb(&s->lua[s->n_lua++], c_address(3));
		}
		push_c(g, s, 3 + lua_draw(g, 3), r + 1 == rounds);
	}
}

static void put_sample(struct buf *b, const struct sample *s, bool lua)
{
	for (uint32_t i = s->n_lua; lua && i-- > 0;)
		buf_add(b, s->lua[i].data, s->lua[i].len);
	if (lua)
		buf_addc(b, (char)0x80);
	for (uint32_t i = s->n_host; i-- > 0;)
		buf_add(b, s->host[i].data, s->host[i].len);
	buf_addc(b, 0);
}

static void sysprof(struct lua_gen *g, struct buf *b)
{
	static const char *const states[] = {
	    "interpreter", "Lua_function",   "fast_function", "C_function", "GC",
	    "trace_exit",  "trace_recorder", "optimizer",     "assembler",  "trace"};
	static struct sample s;

	add_table(b);
	buf_add(b, "ljp\2\0\0\0", 7);
	buf_addc(b, 10);
	add_lua(b, LUA_FUNCTIONS - 1);
	buf_addc(b, 11);
	add_c(b, C_FUNCTIONS - 1);
	buf_addc(b, 12);
	add_trace(b, TRACES - 1);
	for (uint64_t e = 0; e < g->events; e++) {
		uint32_t state = lua_draw(g, 10), i = lua_draw(g, TRACES);
		bool lua = state >= 1 && state <= 3;

		buf_addc(b, (char)state);
		if (state == 9) {
			add_trace(b, i);
			s.truth.len = 0;
			buf_addc(&s.truth, ';');
			trace_truth(&s.truth, i);
		} else {
			draw_sample(g, &s, lua);
			put_sample(b, &s, lua);
		}
		fprintf(g->truth, "sample vm_state/%s 1 - - %s\n", states[state],
			buf_str(&s.truth) + 1);
	}
	buf_addc(b, (char)0x80);
	buf_release(&s.truth);
	for (size_t i = 0; i < sizeof s.lua / sizeof *s.lua; i++) {
		buf_release(&s.lua[i]);
		buf_release(&s.host[i]);
	}
}

int main(int argc, char **argv)
{
	struct buf b = BUF_INIT;
	struct lua_gen g;
	bool ok;

	ok = lua_gen_options(&g, argc, argv) != 0;
	if (ok && !strcmp(g.format, "memprof"))
		memprof(&g, &b);
	else if (ok && !strcmp(g.format, "sysprof"))
		sysprof(&g, &b);
	else {
		fprintf(stderr, "usage: see testdata/gen/tarantool.c\n");
		return 2;
	}
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	return fclose(g.truth) || fflush(stdout) ? 3 : 0;
}

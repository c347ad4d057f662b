/* SPDX-License-Identifier: MIT
 *
 * tarantool's LuaJIT: the memory profiler (memprof, "ljm" version 3) and the sampling profiler of
 * VM and host (sysprof, "ljp" version 2). Both begin with a symbol table (formats/lua/symtab.h). From that
 * LuaJIT's lj_memprof.h, lj_sysprof.h and lj_sysprof.c, and a memprof file. Numbers are ULEB128.
 *
 * memprof: an event's header has its kind in bits 0-1 (0 symbol, 1 allocation, 2 free, 3
 * reallocation) and its source in bits 2-4 (1 the VM itself; 2 Lua: address, line; 3 C: address;
 * 4 trace: number); then the old address and size, then the new ones. A reallocation is a FREE and
 * an ALLOC with one number (seq). A symbol event has the entry's body, its kind is the source.
 *
 * sysprof: an event's header is the VM's state: 1-3 have a Lua stack, 0, 4-8 none, both a host
 * stack behind it; 9 is a trace; 10-12 are symbols. Stacks are innermost first. Lua frames: 1
 * address, line; 2 address of a C function; 3 number of a built-in function. A sample is one tick
 * of a timer whose interval (10 ms by default) is not in the file.
 *
 * In both, 0x80 ends the events.
 */
#include "formats/lua/symtab.h"
#include "formats/lua/text.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMPROF_VERSION = 3, SYSPROF_VERSION = 2, END = 0x80 };
enum { SOURCE_INTERNAL = 1, SOURCE_LUA, SOURCE_C, SOURCE_TRACE };
enum { STATE_LUA_FIRST = 1, STATE_LUA_LAST = 3, STATE_TRACE = 9, STATE_SYMBOLS, STATE_END = 13 };
enum { FRAME_LUA = 1, FRAME_C, FRAME_BUILTIN };

static const char *const states[] = {"interpreter", "Lua function", "fast function",  "C function",
				     "GC",          "trace exit",   "trace recorder", "optimizer",
				     "assembler",   "trace"};

struct tarantool {
	struct import *im;
	struct lua_symtab symbols;
	uint64_t seq;
	uint32_t internal; /* its stack */
	uint32_t markers[STATE_SYMBOLS];
	struct frame_row {
		uint32_t location;
		bool c; /* of a Lua stack: a C function; of the host's: one that enters the VM */
	} * lua, *host;
	size_t n_lua, cap_lua, n_host, cap_host;
	uint32_t *path; /* of both, outermost first */
	size_t n_path, cap_path;
	uint64_t unplaced;
};

/* --- memprof --- */

static uint32_t tarantool_source_stack(struct tarantool *m, struct cursor *c, unsigned source)
{
	uint64_t address;

	switch (source) {
	case SOURCE_LUA:
		address = cursor_uleb(c);
		return trace_stack(m->im->t, 0,
				   lua_symtab_lua(&m->symbols, address, cursor_uleb(c)));
	case SOURCE_C:
		return trace_stack(m->im->t, 0,
				   lua_symtab_c(&m->symbols, cursor_uleb(c), LOCATION_ENTRY));
	case SOURCE_TRACE:
		return trace_stack(m->im->t, 0, lua_symtab_trace(&m->symbols, cursor_uleb(c)));
	default:
		if (!m->internal)
			m->internal = trace_stack(
			    m->im->t, 0,
			    lua_named(m->im->t, trace_strz(m->im->t, "INTERNAL"), 0, 0));
		return m->internal;
	}
}

static enum status push_block(struct tarantool *m, unsigned kind, uint32_t stack, uint64_t address,
			      uint64_t size, struct err *e)
{
	struct event ev = {.kind = (uint8_t)kind,
			   .has = EV_HAS_SEQ | EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_STACK |
				  EV_HAS_DOMAIN,
			   .domain = DOMAIN_LUA,
			   .stack = stack,
			   .seq = m->seq,
			   .address = address,
			   .requested = size};

	return import_event(m->im, &ev, e);
}

static enum status tarantool_memprof_event(struct tarantool *m, struct cursor *c, uint8_t header,
					   uint64_t at, struct err *e)
{
	unsigned kind = header & 3, source = header >> 2 & 7;
	uint64_t old = 0, old_size = 0, new = 0, new_size = 0;
	enum status st = ST_OK;
	uint32_t stack;

	if (header & 0x60 || source > SOURCE_TRACE || source < (kind ? 1 : SOURCE_LUA))
		return err_at(e, ST_BAD, at, "event header 0x%02x", header);
	if (!kind) {
		lua_symtab_entry(&m->symbols, c, (enum lua_symbol_kind)(source - SOURCE_LUA));
		return cursor_failed(c) ? e->code : ST_OK;
	}
	stack = tarantool_source_stack(m, c, source);
	if (kind & 2) {
		old = cursor_uleb(c);
		old_size = cursor_uleb(c);
	}
	if (kind & 1) {
		new = cursor_uleb(c);
		new_size = cursor_uleb(c);
	}
	if (cursor_failed(c))
		return e->code;
	m->seq++;
	if (kind & 2)
		st = push_block(m, EV_FREE, stack, old, old_size, e);
	if (!st && kind & 1)
		st = push_block(m, EV_ALLOC, stack, new, new_size, e);
	return st;
}

static void begin_memprof(struct trace *t)
{
	trace_set(t, "tarantool.profiler", "memprof");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_LOWER_BOUND, METRIC_AT_ALL);
}

/* --- sysprof --- */

/* The functions of the C API in which the VM runs. */
static bool enters_vm(const char *name)
{
	static const char *const words[] = {"lua_call", "lua_pcall", "lua_cpcall", "lua_resume"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

static enum status tarantool_read_lua_stack(struct tarantool *m, struct cursor *c, struct err *e)
{
	m->n_lua = 0;
	while (!cursor_failed(c)) {
		uint64_t at = cursor_offset(c), address;
		uint8_t kind = cursor_u8(c);
		struct frame_row r = {.c = kind == FRAME_C};
		char name[40];

		if (kind == END || cursor_failed(c))
			break;
		address = cursor_uleb(c);
		if (kind == FRAME_LUA) {
			r.location = lua_symtab_lua(&m->symbols, address, cursor_uleb(c));
		} else if (kind == FRAME_C) {
			r.location = lua_symtab_c(&m->symbols, address, LOCATION_ENTRY);
		} else if (kind == FRAME_BUILTIN) {
			snprintf(name, sizeof name, "[builtin#%" PRIu64 "]", address);
			r.location = lua_named(m->im->t, trace_strz(m->im->t, name), 0, 0);
		} else {
			return err_at(e, ST_BAD, at, "Lua frame of kind %u", kind);
		}
		VEC_PUSH(m->lua, m->n_lua, m->cap_lua) = r;
	}
	return cursor_failed(c) ? e->code : ST_OK;
}

static enum status read_host_stack(struct tarantool *m, struct cursor *c, struct err *e)
{
	uint64_t address;

	m->n_host = 0;
	while ((address = cursor_uleb(c)) && !cursor_failed(c)) {
		/* What the signal interrupted may be a function's first instruction. */
		enum location_kind kind = m->n_host ? LOCATION_RETURN : LOCATION_UNSTATED;
		struct frame_row r;
		bool exact;

		r.location = lua_symtab_c(&m->symbols, address, kind);
		r.c = enters_vm(
		    trace_text(m->im->t, lua_symtab_c_name(&m->symbols, address, &exact)));
		VEC_PUSH(m->host, m->n_host, m->cap_host) = r;
	}
	return cursor_failed(c) ? e->code : ST_OK;
}

static void tarantool_step(struct tarantool *m, const struct frame_row *r)
{
	VEC_PUSH(m->path, m->n_path, m->cap_path) = r->location;
}

/* One stack of the two. The Lua functions that run between two C functions are put where the host's
 * stack enters the VM; those that have no such place are callers of all. A C function that Lua
 * called is on both stacks: the host's counts. */
static uint32_t tarantool_join(struct tarantool *m)
{
	size_t lua = m->n_lua, entries = 0, chunks = m->n_lua > 0;

	m->n_path = 0;
	for (size_t i = 0; i < m->n_host; i++)
		entries += m->host[i].c;
	for (size_t i = 1; i < m->n_lua; i++)
		chunks += m->lua[i].c && !m->lua[i - 1].c;
	m->unplaced += m->n_lua && m->n_host && !entries;
	/* Without a place for each chunk, the outermost ones go before the host's stack. */
	for (; chunks > entries && lua; chunks--) {
		while (lua && (!m->lua[lua - 1].c || chunks == 1))
			tarantool_step(m, &m->lua[--lua]);
		while (lua && m->lua[lua - 1].c)
			tarantool_step(m, &m->lua[--lua]);
	}
	for (size_t i = m->n_host; i-- > 0;) {
		tarantool_step(m, &m->host[i]);
		if (!m->host[i].c)
			continue;
		if (entries-- > chunks)
			continue;
		while (lua && !m->lua[lua - 1].c)
			tarantool_step(m, &m->lua[--lua]);
		while (lua && m->lua[lua - 1].c)
			lua--;
	}
	while (lua)
		tarantool_step(m, &m->lua[--lua]);
	return trace_stack_down(m->im->t, m->path, m->n_path);
}

static uint32_t state_marker(struct tarantool *m, unsigned state)
{
	if (!m->markers[state]) {
		struct marker row = {.name = trace_strz(m->im->t, states[state]),
				     .category = trace_strz(m->im->t, "vm state")};

		m->markers[state] = trace_marker(m->im->t, &row);
	}
	return m->markers[state];
}

static enum status tarantool_sysprof_event(struct tarantool *m, struct cursor *c, uint8_t state,
					   uint64_t at, struct err *e)
{
	enum status st = ST_OK;
	uint32_t stack;

	if (state >= STATE_END)
		return err_at(e, ST_BAD, at, "event of state %u", state);
	if (state >= STATE_SYMBOLS) {
		lua_symtab_entry(&m->symbols, c, (enum lua_symbol_kind)(state - STATE_SYMBOLS));
		return cursor_failed(c) ? e->code : ST_OK;
	}
	if (state == STATE_TRACE) {
		uint64_t number = cursor_uleb(c), address = cursor_uleb(c), line = cursor_uleb(c);

		if (cursor_failed(c))
			return e->code;
		stack = trace_stack(m->im->t, 0,
				    lua_symtab_trace_at(&m->symbols, number, address, line));
		return lua_push_samples(m->im, stack, state_marker(m, state), 1, e);
	}
	m->n_lua = 0;
	if (state >= STATE_LUA_FIRST && state <= STATE_LUA_LAST)
		st = tarantool_read_lua_stack(m, c, e);
	if (!st)
		st = read_host_stack(m, c, e);
	return st ? st : lua_push_samples(m->im, tarantool_join(m), state_marker(m, state), 1, e);
}

static void begin_sysprof(struct trace *t)
{
	trace_set(t, "tarantool.profiler", "sysprof");
	trace_set(t, "tarantool.unit", "samples, interval not captured");
}

/* --- both --- */

static enum status tarantool_read_events(struct tarantool *m, struct cursor *c, bool memory,
					 struct err *e)
{
	while (!cursor_failed(c)) {
		uint64_t at = cursor_offset(c);
		uint8_t header = cursor_u8(c);
		enum status st;

		if (cursor_failed(c) || header == END)
			break;
		st = memory ? tarantool_memprof_event(m, c, header, at, e)
			    : tarantool_sysprof_event(m, c, header, at, e);
		if (st)
			return st;
	}
	if (!cursor_failed(c) && !cursor_done(c))
		trace_note(m->im->t, NOTE_LOSS, 0,
			   "bytes behind the end of the events, at byte %" PRIu64 ", were not read",
			   cursor_offset(c));
	return cursor_failed(c) ? e->code : ST_OK;
}

static enum status tarantool_read_profile(struct tarantool *m, struct cursor *c, struct err *e)
{
	uint64_t at = cursor_offset(c);
	const uint8_t *magic = cursor_bytes(c, 3, "magic of the profile");
	bool memory = magic && !memcmp(magic, "ljm", 3);
	uint8_t version;
	enum status st;

	if (!magic)
		return e->code;
	if (!memory && memcmp(magic, "ljp", 3) != 0)
		return err_at(e, ST_BAD, at, "neither \"ljm\" nor \"ljp\" behind the symbol table");
	version = cursor_u8(c);
	if (!cursor_failed(c) && version != (memory ? MEMPROF_VERSION : SYSPROF_VERSION))
		return err_at(e, ST_UNSUPPORTED, at, "%s of version %u, not %d",
			      memory ? "memprof" : "sysprof", version,
			      memory ? MEMPROF_VERSION : SYSPROF_VERSION);
	cursor_skip(c, 3, "header of the profile");
	if (cursor_failed(c))
		return e->code;
	if (memory)
		begin_memprof(m->im->t);
	else
		begin_sysprof(m->im->t);
	st = import_begin(m->im, e);
	return st ? st : tarantool_read_events(m, c, memory, e);
}

static enum status tarantool_read(struct import *im, struct err *e)
{
	struct tarantool m = {.im = im, .symbols = {.t = im->t}};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;

	cursor_skip(c, 3, "magic");
	st = lua_symtab_read(&m.symbols, c);
	if (!st)
		st = tarantool_read_profile(&m, c, e);
	lua_symtab_notes(&m.symbols);
	if (m.unplaced)
		trace_note(im->t, NOTE_GUESS, m.unplaced,
			   "Lua stacks were put above the host's, where no function that enters "
			   "the VM is");
	lua_symtab_release(&m.symbols);
	free(m.lua);
	free(m.host);
	free(m.path);
	return st;
}

static int tarantool_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= 4 && !memcmp(head, "ljs", 3) && head[3] < 32 ? 32 : 0;
}

const struct reader reader_tarantool = {
    .name = "tarantool",
    .family = "Lua",
    .carries = CARRIES_ALLOCATIONS | CARRIES_LIVE | CARRIES_STACKS | CARRIES_SAMPLES | CARRIES_TIME,
    .what = "tarantool's LuaJIT: memprof (allocations) and sysprof (samples)",
    .suffixes = "bin",
    .bid = tarantool_bid,
    .read = tarantool_read,
};

/* SPDX-License-Identifier: MIT */
#include "formats/lua/symtab.h"

#include "formats/emit.h"
#include "formats/lua/text.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SYMTAB_VERSION = 3, UNSORTED = 512 };

static const char *read_string(struct cursor *c, size_t *n)
{
	uint64_t len = cursor_uleb(c);
	const uint8_t *p;

	if (len > LIMIT_CURSOR) {
		cursor_fail(c, ST_BAD, "impossible string length: %" PRIu64 " bytes", len);
		len = 0;
	}
	p = cursor_bytes(c, (size_t)len, "string");
	*n = p ? (size_t)len : 0;
	return p ? (const char *)p : "";
}

static uint32_t join(struct trace *t, uint32_t file, uint64_t line)
{
	struct buf b = BUF_INIT;
	uint32_t id;
	size_t n;
	const char *s = intern_text(&t->strings, file, &n);

	buf_add(&b, s, n);
	buf_addc(&b, ':');
	buf_add_u64(&b, line);
	id = trace_string(t, b.data, b.len);
	buf_release(&b);
	return id;
}

static void lua_symtab_add(struct lua_symtab *s, struct cursor *c)
{
	struct lua_symtab_lua row = {0};
	uint64_t address = cursor_uleb(c), line;
	uint32_t *at;
	size_t n;
	const char *chunk = read_string(c, &n);

	/* The text is borrowed: the line may be behind the window. */
	row.file = trace_string(s->t, chunk + (n && *chunk == '@'), n - (n && *chunk == '@'));
	line = cursor_uleb(c);
	if (cursor_failed(c))
		return;
	row.first = lua_symtab_line(line);
	row.name = line > INT32_MAX ? row.file : join(s->t, row.file, line);
	if (line > INT32_MAX)
		row.file = 0; /* a built-in function: its chunk is its name */
	VEC_PUSH(s->lua, s->n_lua, s->cap_lua) = row;
	at = map64_put(&s->lua_index, address);
	*at = (uint32_t)s->n_lua;
}

static int lua_symtab_by_address(const void *a, const void *b)
{
	const struct lua_symtab_c *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Of equal addresses the last one that came stays. */
static void sort_c(struct lua_symtab *s)
{
	size_t n = 0;

	for (size_t i = 1; i < s->n_c; i++)
		if (s->c[i].address < s->c[i - 1].address) {
			sort_array(s->c, s->n_c, sizeof *s->c, lua_symtab_by_address);
			break;
		}
	for (size_t i = 0; i < s->n_c; i++) {
		if (n && s->c[n - 1].address == s->c[i].address)
			n--;
		s->c[n++] = s->c[i];
	}
	s->n_c = s->n_sorted = n;
}

static void add_c(struct lua_symtab *s, struct cursor *c)
{
	struct lua_symtab_c row = {.address = cursor_uleb(c)};
	size_t n;
	const char *name = read_string(c, &n);

	if (cursor_failed(c))
		return;
	row.name = trace_string(s->t, name, n);
	map64_release(&s->c_index); /* it may be nearer */
	VEC_PUSH(s->c, s->n_c, s->cap_c) = row;
}

static void add_trace(struct lua_symtab *s, struct cursor *c)
{
	uint64_t number = cursor_uleb(c);
	struct lua_symtab_trace row = {.address = cursor_uleb(c)};

	row.line = lua_symtab_line(cursor_uleb(c));
	if (cursor_failed(c))
		return;
	VEC_PUSH(s->traces, s->n_traces, s->cap_traces) = row;
	*map64_put(&s->trace_index, number) = (uint32_t)s->n_traces;
}

void lua_symtab_entry(struct lua_symtab *s, struct cursor *c, enum lua_symbol_kind kind)
{
	s->count[kind]++;
	switch (kind) {
	case LUA_SYMBOL_LUA: lua_symtab_add(s, c); break;
	case LUA_SYMBOL_C: add_c(s, c); break;
	default: add_trace(s, c); break;
	}
}

enum status lua_symtab_read(struct lua_symtab *s, struct cursor *c)
{
	uint8_t version = cursor_u8(c);

	if (!cursor_failed(c) && version != SYMTAB_VERSION)
		return cursor_fail(c, ST_UNSUPPORTED,
				   "unknown symbol table version %u: "
				   "tracemill reads version %d",
				   version, SYMTAB_VERSION);
	cursor_skip(c, 3, "symbol table header");
	while (!cursor_failed(c)) {
		uint64_t at = cursor_offset(c);
		uint8_t header = cursor_u8(c);

		if (header & 0x80)
			break;
		if (!cursor_failed(c) && header >= LUA_SYMBOL_KINDS)
			return err_at(c->e, ST_BAD, at, "unknown symbol kind %u", header);
		lua_symtab_entry(s, c, header);
	}
	sort_c(s);
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

uint32_t lua_symtab_lua(struct lua_symtab *s, uint64_t address, uint64_t line)
{
	uint32_t i = map64_get(&s->lua_index, address);
	struct lua_symtab_lua row = {0};

	if (i) {
		row = s->lua[i - 1];
	} else {
		struct buf b = BUF_INIT;

		s->unknown_lua++;
		buf_addf(&b, "[Lua 0x%" PRIx64 "]", address);
		row.name = trace_string(s->t, b.data, b.len);
		buf_release(&b);
	}
	return emit_named(s->t, row.name, row.file,
			  lua_symtab_line(line) ? lua_symtab_line(line) : row.first);
}

/* The nearest one at or below the address. */
static const struct lua_symtab_c *lua_symtab_find_c(const struct lua_symtab *s, uint64_t address)
{
	const struct lua_symtab_c *best = NULL;
	size_t lo = BISECT(i, 0, s->n_sorted, s->c[i].address <= address);

	if (lo)
		best = &s->c[lo - 1];
	for (size_t i = s->n_sorted; i < s->n_c; i++)
		if (s->c[i].address <= address && (!best || s->c[i].address >= best->address))
			best = &s->c[i];
	return best;
}

uint32_t lua_symtab_c_name(const struct lua_symtab *s, uint64_t address, bool *exact)
{
	const struct lua_symtab_c *c = lua_symtab_find_c(s, address);

	*exact = c && c->address == address;
	return c ? c->name : 0;
}

uint32_t lua_symtab_c(struct lua_symtab *s, uint64_t address, enum location_kind kind)
{
	struct location l = {.raw = address, .space = SPACE_RUNTIME, .kind = (uint8_t)kind};
	uint32_t *known = map64_put_checked(&s->c_index, address, kind);
	bool exact;

	if (!*known) {
		if (s->n_c - s->n_sorted > UNSORTED)
			sort_c(s);
		l.name = lua_symtab_c_name(s, address, &exact);
		*known = trace_location(s->t, &l) << 1 | (l.name && !exact);
	}
	s->between += *known & 1;
	return *known >> 1;
}

/* Named as tarantool's own reports do, by where its recording began. */
uint32_t lua_symtab_trace(struct lua_symtab *s, uint64_t number)
{
	uint32_t i = map64_get(&s->trace_index, number);
	struct buf b = BUF_INIT;
	struct lua_symtab_lua f = {0};
	uint32_t location, line = 0;

	if (i && s->traces[i - 1].location)
		return s->traces[i - 1].location;
	buf_addf(&b, "TRACE [%" PRIu64 "]", number);
	if (i) {
		uint32_t k = map64_get(&s->lua_index, s->traces[i - 1].address);

		line = s->traces[i - 1].line;
		if (k) {
			f = s->lua[k - 1];
			buf_addf(&b, " started at %s",
				 trace_text(s->t, f.file ? join(s->t, f.file, line) : f.name));
		}
	} else {
		s->unknown_traces++;
	}
	location = emit_named(s->t, trace_string(s->t, b.data, b.len), f.file, line);
	buf_release(&b);
	if (i)
		s->traces[i - 1].location = location;
	return location;
}

uint32_t lua_symtab_trace_at(struct lua_symtab *s, uint64_t number, uint64_t address, uint64_t line)
{
	uint32_t *i = map64_put(&s->trace_index, number);

	if (!*i || s->traces[*i - 1].address != address ||
	    s->traces[*i - 1].line != lua_symtab_line(line)) {
		VEC_PUSH(s->traces, s->n_traces, s->cap_traces) =
		    (struct lua_symtab_trace){.address = address, .line = lua_symtab_line(line)};
		*i = (uint32_t)s->n_traces;
	}
	return lua_symtab_trace(s, number);
}

void lua_symtab_notes(const struct lua_symtab *s)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->unknown_lua, "uses of Lua functions are not in the symbol table"),
	    LOSS(NOTE_LOSS, s->unknown_traces, "uses of traces are not in the symbol table"),
	    LOSS(NOTE_GUESS, s->between,
		 "C addresses have the name of the nearest function below them: the symbol table "
		 "has no sizes"),
	};

	TRACE_LOSSES(s->t, losses);
}

void lua_symtab_release(struct lua_symtab *s)
{
	map64_release(&s->lua_index);
	map64_release(&s->trace_index);
	map64_release(&s->c_index);
	free(s->lua);
	free(s->traces);
	free(s->c);
}

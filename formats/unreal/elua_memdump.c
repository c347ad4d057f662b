/* SPDX-License-Identifier: MIT
 *
 * ELuaProfiler's MemDump.txt: the tree of what can be reached from the registry, parents first.
 * A line is as many blanks as the object is deep, one more, and
 *
 *	DESC TYPE POINTER | DESC POINTER | | DESC POINTER |
 *
 * with a part between bars for each object that holds it; the DESC there is the object's own
 * again. DESC is the key under which it was first found, which may hold anything, a function's
 * place, or cfunction. So a line counts only when its parts repeat its DESC, and one that does
 * not is joined with the next. The root has no part. Sizes are not in the dump.
 *
 * Facts: ELuaMemSnapshot.cpp (Dump, DumpNode) and ELuaMemAnalyzer.cpp of inkiu0/ELuaProfiler,
 * commit 62bd957. No file of a game was to be had.
 */
#include "formats/lua/objects.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdlib.h>

enum { LINE_LIMIT = 16 << 20, ENTRY_LIMIT = 64 << 10, ENTRY_LINES = 64, DEPTH_MOST = 1 << 16 };

struct line {
	struct lua_text desc, type, parts;
	uint64_t address;
	size_t depth;
};

struct memdump {
	struct lua_objects o;
	struct buf entry;
	unsigned lines;     /* of entry */
	uint32_t *at_depth; /* the last object of each depth */
	size_t n_depths, cap_depths;
	uint64_t refused, long_lines;
	bool cut;
};

static bool starts(const char *s, const char *end, const char *with, size_t n)
{
	return (size_t)(end - s) >= n && !memcmp(s, with, n);
}

static size_t type_at(const char *s, const char *end)
{
	static const char *const types[] = {"table",  "function", "userdata", "string",
					    "thread", "number",   "boolean",  "nil",
					    "proto",  "upvalue",  "no value", "light userdata"};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i]);

		if (starts(s, end, types[i], n) && s + n < end && s[n] == ' ')
			return n;
	}
	return 0;
}

/* The length of an address at s. */
static size_t address_at(const char *s, const char *end, uint64_t *v)
{
	size_t n = 0;

	while (s + n < end && s[n] != ' ')
		n++;
	return lua_address(s, n, 6, v) ? n : 0;
}

/* The next part: " | DESC POINTER |". False: something else is there. */
static bool next_part(struct lua_text *parts, struct lua_text desc, uint64_t *address)
{
	const char *s = parts->s, *end = s + parts->n;
	size_t n;

	if (!starts(s, end, " | ", 3) || !starts(s + 3, end, desc.s, desc.n))
		return false;
	s += 3 + desc.n;
	if (s == end || *s++ != ' ' || !(n = address_at(s, end, address)))
		return false;
	s += n;
	if (!starts(s, end, " |", 2))
		return false;
	parts->n = (size_t)(end - s - 2);
	parts->s = s + 2;
	return true;
}

static bool parts_fit(const struct line *x)
{
	struct lua_text rest = x->parts;
	uint64_t address;

	while (rest.n)
		if (!next_part(&rest, x->desc, &address))
			return false;
	return true;
}

static bool elua_memdump_parse(struct lua_text text, struct line *x)
{
	const char *s = text.s, *end = s + text.n, *desc, *p;

	while (s < end && *s == ' ')
		s++;
	if (s == text.s)
		return false;
	/* blanks belong to the depth, unless the parts say that they begin the name */
	for (p = s; p < end; p++) {
		size_t n = p == s || p[-1] == ' ' ? type_at(p, end) : 0, n_address;

		if (!n)
			continue;
		n_address = address_at(p + n + 1, end, &x->address);
		if (!n_address || !x->address)
			continue;
		x->type = (struct lua_text){p, n};
		p += n + 1 + n_address;
		x->parts = (struct lua_text){p, (size_t)(end - p)};
		p = x->type.s;
		for (desc = p > s ? s : p - 1;; desc--) {
			x->desc = (struct lua_text){desc, (size_t)(p - 1 - desc)};
			if (desc <= p - 1 && parts_fit(x)) {
				x->depth = (size_t)(desc - text.s) - 1;
				return true;
			}
			if (!x->parts.n || desc <= text.s + 1)
				break;
		}
	}
	return false;
}

static enum status elua_memdump_put(struct memdump *m, const struct line *x, struct err *e)
{
	bool function = x->type.n == 8 && !memcmp(x->type.s, "function", 8);
	uint32_t id = lua_objects_id(&m->o, x->address);
	struct lua_text rest = x->parts, name = {.s = NULL}, step = x->desc;
	enum status st;
	uint64_t holder;

	if (function)
		name = x->desc;
	st = lua_objects_define(&m->o, id, x->type, name, NULL, e);
	while (!st && next_part(&rest, x->desc, &holder))
		st = lua_objects_refer(&m->o, lua_objects_id(&m->o, holder), id, step, 0, e);
	if (!st && !x->parts.n) {
		size_t above = x->depth < m->n_depths ? x->depth : m->n_depths;
		uint32_t from = above ? m->at_depth[above - 1] : 0;

		st = lua_objects_refer(&m->o, from, id, step, 0, e);
	}
	while (m->n_depths > x->depth)
		m->n_depths--;
	while (m->n_depths < x->depth && m->n_depths < DEPTH_MOST) {
		uint32_t last = m->n_depths ? m->at_depth[m->n_depths - 1] : 0;

		VEC_PUSH(m->at_depth, m->n_depths, m->cap_depths) = last;
	}
	VEC_PUSH(m->at_depth, m->n_depths, m->cap_depths) = id;
	return st;
}

static void drop(struct memdump *m)
{
	m->refused += m->entry.len > 0;
	m->entry.len = m->lines = 0;
}

static enum status elua_memdump_on_text(struct memdump *m, struct lua_text text, struct err *e)
{
	struct line x;
	enum status st;

	if (m->entry.len && elua_memdump_parse(text, &x))
		drop(m);
	if (m->entry.len)
		buf_addc(&m->entry, '\n');
	else if (!text.n)
		return ST_OK;
	buf_add(&m->entry, text.s, text.n);
	if (++m->lines > ENTRY_LINES || m->entry.len > ENTRY_LIMIT) {
		drop(m);
		return ST_OK;
	}
	if (!elua_memdump_parse((struct lua_text){m->entry.data, m->entry.len}, &x))
		return ST_OK;
	st = elua_memdump_put(m, &x, e);
	m->entry.len = m->lines = 0;
	return st;
}

static enum status elua_memdump_read_lines(struct memdump *m, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st) {
		struct lua_text text;

		text.s = cursor_line(c, &text.n, LINE_LIMIT);
		if (!text.s)
			break;
		if ((const char *)c->pos == text.s + text.n) {
			m->cut = text.n > 0;
			break;
		}
		if (text.n > ENTRY_LIMIT)
			m->long_lines++;
		else
			st = elua_memdump_on_text(m, text, e);
	}
	return !st && cursor_failed(c) ? err_failure(e) : st;
}

static enum status elua_memdump_read(struct import *im, struct err *e)
{
	struct memdump m = {.o.im = im};
	struct err later = ERR_INIT;
	enum status st, out;

	lua_objects_keep(&m.o);
	st = import_begin(im, e);
	if (!st)
		st = elua_memdump_read_lines(&m, &im->in->cur, e);
	drop(&m);
	out = lua_objects_end(&m.o, &later);
	if (out && !st) {
		st = out;
		*e = later;
	}
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m.refused,
		 "lines have no name, type or address, or have a part of another name"),
	    LOSS_WITH(NOTE_LOSS, m.long_lines, "lines are longer than {} bytes", ENTRY_LIMIT),
	    LOSS_IF(NOTE_LOSS, m.cut, "the last line has no newline: it was left out"),
	};

	TRACE_LOSSES(im->t, losses);
	if (!st && !m.o.n)
		st = err_at(e, ST_BAD, 0, "the file has no object");
	buf_release(&m.entry);
	free(m.at_depth);
	lua_objects_release(&m.o);
	return st;
}

/* A root, and below it a line that names the root's address. */
static int elua_memdump_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n;
	struct line first, second;
	struct lua_text text, rest;
	uint64_t holder;

	for (int i = 0; i < 2; i++) {
		const char *newline = n ? memchr(s, '\n', (size_t)(end - s)) : NULL;

		if (!newline || newline - s > 4096)
			return 0;
		text = (struct lua_text){s, (size_t)(newline - s)};
		text.n -= text.n && text.s[text.n - 1] == '\r';
		if (!elua_memdump_parse(text, i ? &second : &first))
			return 0;
		s = newline + 1;
		if (!i && s == end && whole)
			return first.depth == 0 && !first.parts.n ? 12 : 0;
	}
	rest = second.parts;
	return !first.parts.n && next_part(&rest, second.desc, &holder) && holder == first.address
		   ? 60
		   : 0;
}

const struct reader reader_elua_memdump = {
    .name = "elua-memdump",
    .family = "Unreal Engine",
    .page = "elua",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "ELuaProfiler MemDump.txt: the tree of Lua objects",
    .suffixes = "txt",
    .guesses = true,
    .cut = CUT_NEVER, /* what holds others and is not in it is pushed at the end */
    .bid = elua_memdump_bid,
    .read = elua_memdump_read,
};

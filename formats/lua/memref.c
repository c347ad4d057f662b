/* SPDX-License-Identifier: MIT
 *
 * LuaMemorySnapshotDump's LuaMemRefInfo-*.txt: each object that can be reached, on a line of its
 * own, with the first path to it and how many references there are, by tabs:
 *
 *	table: 0x55d0	registry.2[_G].package	7
 *	function: 0x55e0	registry.2[_G].print[line:-1@file:[C]]	1
 *	string: "text"	registry.2[_G].name[string]	2
 *
 * and -- before comments. Only the path is known, no edge and no size: each object is held by a
 * REFERENCE from the root with the whole path for a name and the number of references for its
 * count. Names hold tabs and line ends as they are, so a line is read from its end, and one
 * without that end goes on in the next.
 *
 * Facts: MemoryReferenceInfo.lua of yaukeywang/LuaMemorySnapshotDump, commit 2d0f6aa, lines 60 to
 * 880, and files that it wrote.
 */
#include "formats/lua/objects.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/num.h"

enum { LINE_LIMIT = 16 << 20, ENTRY_LIMIT = 1 << 20, ENTRY_LINES = 64 };

struct memref {
	struct lua_objects o;
	struct buf entry; /* lines up to here; empty: none */
	unsigned lines;   /* of it */
	bool single;      /* a report on one object: lines are paths */
	uint32_t object;  /* of a single report */
	uint64_t refused, cut, nameless, said, paths;
};

struct entry {
	struct lua_text object, path;
	uint64_t count;
};

/* object TAB path TAB count */
static bool split(struct lua_text line, struct entry *x)
{
	const char *second = memrchr(line.s, '\t', line.n), *first;
	const char *end = line.s + line.n;

	if (!second || !num_dec(second + 1, (size_t)(end - second - 1), &x->count))
		return false;
	first = memrchr(line.s, '\t', (size_t)(second - line.s));
	if (!first || first == line.s)
		return false;
	x->object = (struct lua_text){line.s, (size_t)(first - line.s)};
	x->path = (struct lua_text){first + 1, (size_t)(second - first - 1)};
	return true;
}

/* "builtin#29", as LuaJIT prints the functions of its library; the address is not given. */
static bool is_builtin(struct lua_text s)
{
	static const char mark[] = "builtin#";
	uint64_t number;

	return lua_text_begins(s, mark) &&
	       num_dec(s.s + sizeof mark - 1, s.n - (sizeof mark - 1), &number);
}

/* What an entry says of its object. */
struct identity {
	struct lua_text type, builtin;
	uint64_t address; /* 0: not given */
};

/* "table: 0x55d0", also "FILE*: 0x55d0" and "function: builtin#29" */
static bool typed(struct lua_text object, struct identity *x)
{
	*x = (struct identity){.address = 0};
	for (size_t i = object.n; i-- > 1;) {
		struct lua_text rest = {object.s + i + 1, object.n - i - 1};

		if (object.s[i] != ' ')
			continue;
		x->type = (struct lua_text){object.s, i - 1};
		if (is_builtin(rest))
			x->builtin = rest;
		return i > 1 && object.s[i - 1] == ':' &&
		       (x->builtin.s || lua_address(rest.s, rest.n, 6, &x->address));
	}
	return false;
}

static bool begins_entry(struct lua_text line)
{
	const char *tab = memchr(line.s, '\t', line.n);
	struct lua_text object = {line.s, tab ? (size_t)(tab - line.s) : 0};
	struct identity x;

	return lua_text_begins(line, "string: \"") || (tab && typed(object, &x));
}

/* Where a function was defined: "...[line:23@file:main.lua]" -> main.lua:23 */
static void memref_defined(struct lua_text path, struct buf *to)
{
	static const char mark[] = "[line:";
	const char *p = path.n && path.s[path.n - 1] == ']' ? path.s + path.n : path.s;
	const char *at;

	while (p > path.s && ((size_t)(path.s + path.n - p) < sizeof mark - 1 ||
			      memcmp(p, mark, sizeof mark - 1) != 0))
		p--;
	if (p + sizeof mark > path.s + path.n || memcmp(p, mark, sizeof mark - 1) != 0)
		return;
	p += sizeof mark - 1;
	at = memmem(p, (size_t)(path.s + path.n - p), "@file:", 6);
	if (!at)
		return;
	buf_add(to, at + 6, (size_t)(path.s + path.n - 1 - at - 6));
	if (p[0] != '-') {
		buf_addc(to, ':');
		buf_add(to, p, (size_t)(at - p));
	}
}

/* A table's class: "...[class:Player]" */
static struct lua_text class_of(struct lua_text path)
{
	static const char mark[] = "[class:";
	const char *p = path.s, *found = NULL, *end = path.s + path.n;

	while ((p = memmem(p, (size_t)(end - p), mark, sizeof mark - 1)))
		found = p += sizeof mark - 1;
	/* only the last step is this object's */
	if (!found || memchr(found, '.', (size_t)(end - found)) || found == end || end[-1] != ']')
		return (struct lua_text){.s = NULL};
	return (struct lua_text){
	    found, (size_t)((const char *)memchr(found, ']', (size_t)(end - found)) - found)};
}

static uint32_t new_object(struct memref *m, const struct identity *is)
{
	return is->address ? lua_objects_id(&m->o, is->address) : lua_objects_new(&m->o);
}

static enum status memref_put(struct memref *m, const struct entry *x, struct err *e)
{
	struct lua_text name = {.s = NULL};
	struct buf where = BUF_INIT;
	struct identity is;
	enum status st;
	uint32_t id;

	if (lua_text_begins(x->object, "string: \"") || !typed(x->object, &is)) {
		is = (struct identity){.type = {"string", 6}};
		name = x->object;
		if (lua_text_begins(name, "string: \"") && lua_text_ends(name, "\"") && name.n > 9)
			name = (struct lua_text){name.s + 9, name.n - 10};
	} else if (is.builtin.s) {
		name = is.builtin;
	} else if (lua_text_begins(is.type, "function") && is.type.n == 8) {
		memref_defined(x->path, &where);
		if (where.len)
			name = (struct lua_text){where.data, where.len};
	} else {
		name = class_of(x->path);
	}
	id = new_object(m, &is);
	st = lua_objects_define(&m->o, id, is.type, name, NULL, e);
	if (!st)
		st = lua_objects_refer(&m->o, 0, id, x->path, x->count, e);
	buf_release(&where);
	return st;
}

static void drop(struct memref *m)
{
	m->refused += m->entry.len > 0;
	m->entry.len = m->lines = 0;
}

static enum status memref_parse(struct memref *m, struct lua_text line, struct err *e)
{
	struct entry x;
	enum status st;

	if (m->entry.len && begins_entry(line))
		drop(m);
	if (!m->entry.len && !line.n)
		return ST_OK;
	if (m->entry.len)
		buf_addc(&m->entry, '\n');
	buf_add(&m->entry, line.s, line.n);
	m->lines++;
	line = (struct lua_text){m->entry.data, m->entry.len};
	if (!split(line, &x)) {
		if (m->entry.len > ENTRY_LIMIT || m->lines >= ENTRY_LINES)
			drop(m);
		return ST_OK;
	}
	/* in memory compared with memory, strings are printed as they are */
	if (!begins_entry(line) && !lua_text_ends(x.path, "[string]")) {
		drop(m);
		return ST_OK;
	}
	st = memref_put(m, &x, e);
	m->entry.len = m->lines = 0;
	return st;
}

/* -- For Object: table: 0x55d0 (name), have 2 reference in total. */
static enum status memref_parse_single(struct memref *m, struct lua_text s, struct err *e)
{
	static const char have[] = ", have ";
	const char *end = memmem(s.s, s.n, have, sizeof have - 1), *open;
	struct lua_text object = {s.s, s.n}, name = {.s = NULL};
	struct identity is;
	const char *number = end ? end + sizeof have - 1 : NULL, *blank;

	if (end && (blank = memchr(number, ' ', (size_t)(s.s + s.n - number))))
		num_dec(number, (size_t)(blank - number), &m->said);
	if (end) {
		object.n = (size_t)(end - s.s);
		open = memmem(s.s, object.n, " (", 2);
		if (open) {
			name = (struct lua_text){open + 2, (size_t)(end - open - 2)};
			name.n -= name.n && name.s[name.n - 1] == ')';
			object.n = (size_t)(open - s.s);
		}
	}
	if (!typed(object, &is))
		is = (struct identity){.type = {"string", 6}};
	m->object = new_object(m, &is);
	return lua_objects_define(&m->o, m->object, is.type, name, NULL, e);
}

static enum status memref_comment(struct memref *m, struct lua_text line, struct err *e)
{
	static const char root[] = "-- From Root Object: ", object[] = "-- For Object: ";
	struct trace *t = m->o.im->t;
	struct buf text = BUF_INIT;

	if (lua_text_begins(line, root)) {
		buf_add(&text, line.s + sizeof root - 1, line.n - (sizeof root - 1));
		trace_set(t, "memref.root", buf_str(&text));
		buf_release(&text);
	} else if (lua_text_begins(line, object)) {
		line.s += sizeof object - 1;
		line.n -= sizeof object - 1;
		m->single = true;
		return memref_parse_single(m, line, e);
	} else if (lua_text_begins(line, "-- This is compared")) {
		trace_note(t, NOTE_INFO, 0,
			   "the report is a comparison: it has only objects "
			   "that were not in the base");
	}
	return ST_OK;
}

static enum status parse_path(struct memref *m, struct lua_text line, struct err *e)
{
	if (!line.n)
		return ST_OK;
	m->paths++;
	if (line.n == 4 && !memcmp(line.s, "true", 4)) {
		m->nameless++;
		return ST_OK;
	}
	return lua_objects_refer(&m->o, 0, m->object, line, 0, e);
}

static enum status memref_read_lines(struct memref *m, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st) {
		struct lua_text line;

		line.s = cursor_line(c, &line.n, LINE_LIMIT);
		if (!line.s)
			return cursor_failed(c) ? err_failure(e) : ST_OK;
		m->cut = (const char *)c->pos == line.s + line.n && line.n;
		if (!m->entry.len && lua_text_begins(line, "--"))
			st = memref_comment(m, line, e);
		else if (m->single)
			st = parse_path(m, line, e);
		else
			st = memref_parse(m, line, e);
	}
	return st;
}

static enum status memref_read(struct import *im, struct err *e)
{
	struct memref m = {.o.im = im};
	struct err later = ERR_INIT;
	enum status st, out;

	lua_objects_keep(&m.o);
	st = import_begin(im, e);
	if (!st)
		st = memref_read_lines(&m, &im->in->cur, e);
	m.cut &= !m.entry.len; /* what is not whole is refused */
	drop(&m);
	out = im->t ? lua_objects_end(&m.o, &later) : ST_OK;
	if (out && !st) {
		st = out;
		*e = later;
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m.refused, "lines are not an object, a path and a count"),
	    LOSS(NOTE_LOSS, m.nameless, "paths are \"true\", because of a bug in the tool"),
	    LOSS_IF(NOTE_LOSS, m.single && m.said != m.paths,
		    "the report does not have the number of paths that it states"),
	    LOSS_IF(NOTE_GUESS, m.cut, "the last line has no newline: it is read as it is"),
	};

	TRACE_LOSSES(im->t, losses);
	if (!st && !m.o.n)
		st = err_at(e, ST_BAD, 0, "the file has no object");
	buf_release(&m.entry);
	lua_objects_release(&m.o);
	return st;
}

static int memref_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const marks[] = {
	    "-- Collect memory reference at line:", "-- This is compared memory information.",
	    "-- Collect single object memory reference at line:"};
	const uint8_t *line = memchr(head, '\n', n);

	(void)whole;
	if (!line || head[0] != '-' || head[1] != '-')
		return 0;
	/* Windows' text mode may have written blank lines between. */
	while (line < head + n && (*line == '\n' || *line == '\r'))
		line++;
	for (int i = 0; i < 3; i++) {
		size_t len = strlen(marks[i]);

		if (n - (size_t)(line - head) >= len && !memcmp(line, marks[i], len))
			return 100;
	}
	return 0;
}

const struct reader reader_lua_memref = {
    .name = "lua-memref",
    .family = "Lua",
    .page = "elua",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "LuaMemorySnapshotDump: objects, paths and reference counts (LuaMemRefInfo)",
    .suffixes = "txt",
    .cut = CUT_AT_LINE,
    .bid = memref_bid,
    .read = memref_read,
};

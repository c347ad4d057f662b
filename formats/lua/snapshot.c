/* SPDX-License-Identifier: MIT
 *
 * cloudwu/lua-snapshot as its print_r prints it: an object, what it is, and all who hold it. Also
 * as print(key, value) does, with a tab for the " [" and no "]".
 *
 *	+userdata: 0x55d0 [table
 *	0x55c0 : player
 *	(nil) : [registry]
 *	]
 *
 * What it is: table, userdata, cfunction, "func: FILE:LINE", or the present lines of a thread, then
 * "thread: ". No sizes, no strings. Mostly the difference of two snapshots, so that the holders
 * need not be in it. Keys may hold line ends: a line that is no holder goes on with the key before
 * it.
 *
 * Facts: snapshot.c, print_r.lua and dump.lua of cloudwu/lua-snapshot, commit f74f362.
 */
#include "formats/lua/objects.h"

#include "formats/emit.h"
#include "lib/base/buf.h"

enum { LINE_LIMIT = 16 << 20, KEY_LIMIT = 1 << 20 };

struct snapshot {
	struct lua_objects o;
	uint32_t object; /* 0: outside */
	uint32_t holder; /* of key */
	bool has_key, bracket;
	struct buf key;
	uint64_t refused, cut, unknown, forest;
	bool behind_rule; /* dump.lua: the objects again, as a tree */
};

/* "+userdata: 0x55d0 [table": the address, and what follows. */
static bool lua_snapshot_parse_head(struct lua_text line, uint64_t *address, struct lua_text *kind,
				    bool *bracket)
{
	size_t i = 0;

	while (line.n && (*line.s == '+' || *line.s == ' ' || *line.s == '|')) {
		line.s++;
		line.n--;
	}
	if (!lua_text_begins(line, "userdata: "))
		return false;
	line.s += 10;
	line.n -= 10;
	while (i < line.n && line.s[i] != ' ' && line.s[i] != '\t')
		i++;
	*bracket = line.n > i + 1 && line.s[i] == ' ' && line.s[i + 1] == '[';
	if (i >= line.n || !lua_address(line.s, i, 6, address) || !*address)
		return false;
	i += *bracket ? 2 : 1;
	*kind = (struct lua_text){line.s + i, line.n - i};
	return true;
}

static bool lua_snapshot_what(struct lua_text kind, struct lua_text *type, struct lua_text *name)
{
	static const char *const plain[] = {"table", "userdata"};
	struct lua_text thread = {"thread", 6}, function = {"function", 8};

	*name = (struct lua_text){.s = NULL};
	for (int i = 0; i < 2; i++) {
		if (lua_text_is(kind, plain[i])) {
			*type = kind;
			return true;
		}
	}
	if (lua_text_is(kind, "cfunction")) {
		*type = function;
		*name = (struct lua_text){"[C]", 3};
	} else if (lua_text_begins(kind, "func: ")) {
		*type = function;
		*name = (struct lua_text){kind.s + 6, kind.n - 6};
	} else if (lua_text_ends(kind, "thread: ") || lua_text_ends(kind, "thread:") ||
		   lua_text_begins(kind, "thread: ")) {
		*type = thread;
		kind.n -= lua_text_ends(kind, "thread: ")  ? 8
			  : lua_text_ends(kind, "thread:") ? 7
							   : 0;
		while (kind.n && kind.s[kind.n - 1] == ' ')
			kind.n--;
		if (kind.n)
			*name = kind;
	} else {
		return false;
	}
	return true;
}

static enum status end_key(struct snapshot *s, struct err *e)
{
	enum status st = ST_OK;

	if (s->has_key)
		st = lua_objects_refer(&s->o, s->holder, s->object,
				       (struct lua_text){s->key.data, s->key.len}, 0, e);
	s->has_key = false;
	return st;
}

/* "0x55c0 : key" */
static bool parse_holder(struct lua_text line, uint64_t *address, struct lua_text *key)
{
	const char *colon = memmem(line.s, line.n, " : ", 3);

	if (!colon || !lua_address(line.s, (size_t)(colon - line.s), 6, address))
		return false;
	*key = (struct lua_text){colon + 3, (size_t)(line.s + line.n - colon - 3)};
	return true;
}

static enum status begin_object(struct snapshot *s, uint64_t address, struct lua_text kind,
				struct err *e)
{
	struct lua_text type, name;

	s->object = lua_objects_id(&s->o, address);
	if (!lua_snapshot_what(kind, &type, &name)) {
		s->unknown++;
		type = (struct lua_text){.s = NULL};
		name = kind;
	}
	return lua_objects_define(&s->o, s->object, type, name, NULL, e);
}

static enum status lua_snapshot_parse(struct snapshot *s, struct lua_text line, struct err *e)
{
	uint64_t address;
	struct lua_text rest;
	enum status st = ST_OK;

	bool bracket, rule = lua_text_begins(line, "=====");

	if (lua_snapshot_parse_head(line, &address, &rest, &bracket)) {
		st = end_key(s, e);
		s->bracket = bracket;
		return st ? st : begin_object(s, address, rest, e);
	}
	if (s->bracket && s->object ? lua_text_is(line, "]") || rule : !line.n || rule) {
		s->behind_rule |= rule;
		st = end_key(s, e);
		s->object = 0;
		return st;
	}
	if (s->object && parse_holder(line, &address, &rest)) {
		st = end_key(s, e);
		s->holder = lua_objects_id(&s->o, address);
		s->has_key = true;
		s->key.len = 0;
		buf_reserve(&s->key, rest.n + 1);
		buf_add(&s->key, rest.s, rest.n);
	} else if (s->has_key && s->key.len + line.n < KEY_LIMIT) {
		buf_addc(&s->key, '\n');
		buf_add(&s->key, line.s, line.n);
	} else if (s->behind_rule) {
		s->forest++;
	} else {
		s->refused++;
	}
	return st;
}

static enum status lua_snapshot_read_lines(struct snapshot *s, struct cursor *c, struct err *e)
{
	enum status st = ST_OK;

	while (!st) {
		struct lua_text line;

		line.s = cursor_line(c, &line.n, LINE_LIMIT);
		if (!line.s)
			break;
		if ((const char *)c->pos == line.s + line.n && !lua_text_is(line, "]")) {
			s->cut = line.n > 0;
			break;
		}
		st = lua_snapshot_parse(s, line, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	return st;
}

static enum status lua_snapshot_read(struct import *im, struct err *e)
{
	struct snapshot s = {.o.im = im};
	struct err later = ERR_INIT;
	enum status st, out = ST_OK;

	lua_objects_keep(&s.o);
	st = import_begin(im, e);
	if (!st)
		st = lua_snapshot_read_lines(&s, &im->in->cur, e);
	/* a key that the end of the file cut is kept: it has its line end */
	if (im->t)
		out = end_key(&s, &later);
	if (im->t && !out)
		out = lua_objects_end(&s.o, &later);
	if (out && !st) {
		st = out;
		*e = later;
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s.refused, "lines are neither objects nor holders"),
	    LOSS(NOTE_LOSS, s.unknown, "objects have an unknown kind"),
	    LOSS(NOTE_INFO, s.forest, "lines after ===== repeat the objects as a tree"),
	    LOSS_IF(NOTE_LOSS, (s.cut || s.object), "the last object is incomplete"),
	};

	TRACE_LOSSES(im->t, losses);
	if (!st && !s.o.n)
		st = err_at(e, ST_BAD, 0, "the file has no object");
	buf_release(&s.key);
	lua_objects_release(&s.o);
	return st;
}

static int lua_snapshot_bid(const uint8_t *head, size_t n, bool whole)
{
	const uint8_t *end = memchr(head, '\n', n);
	struct lua_text line = {(const char *)head, end ? (size_t)(end - head) : n}, kind, type,
			name;
	uint64_t address;
	bool bracket;

	if (line.n && line.s[line.n - 1] == '\r')
		line.n--;
	if (!n || (!end && !whole) || !lua_snapshot_parse_head(line, &address, &kind, &bracket) ||
	    !lua_snapshot_what(kind, &type, &name))
		return 0;
	return 80;
}

const struct reader reader_lua_snapshot = {
    .name = "lua-snapshot",
    .family = "Lua",
    .page = "elua",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "cloudwu/lua-snapshot as text: objects and who holds them",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* the next line may go on with a key */
    .bid = lua_snapshot_bid,
    .read = lua_snapshot_read,
};

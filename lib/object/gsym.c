/* SPDX-License-Identifier: MIT
 *
 * GSYM (source.h):
 *
 *	header    u32 magic "GSYM", u16 version, u8 bytes of an address offset, u8 bytes of the
 *	          UUID, u64 base address, u32 addresses, u32 offset and u32 size of the strings,
 *	          UUID[20]
 *	then      address offsets, ascending; u32 place of each address's information; u32 files
 *	          and as many pairs (u32 folder, u32 name) of string offsets; each table aligned
 *	function  u32 size, u32 name; then pieces: u32 kind, u32 length, bytes, up to kind 0
 *	lines     (kind 1) SLEB least and most line delta, ULEB first line, operations
 *	inlined   (kind 2) a tree: ULEB count of ranges, (ULEB offset from the parent's start,
 *	          ULEB size)..., u8 has children, u32 name, ULEB file and line of the call; no
 *	          range: the end of siblings
 */
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/object/impl.h"
#include "lib/object/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 48,
	INFO_END = 0,
	INFO_LINES = 1,
	INFO_INLINED = 2,
	OP_END = 0,
	OP_FILE = 1,
	OP_PC = 2,
	OP_LINE = 3,
	OP_SPECIAL = 4,
	DEEPEST = 256,
};

struct gsym {
	bool big_endian;
	uint8_t offset_size;
	uint64_t base;
	uint32_t n;                /* addresses */
	uint64_t addresses, infos; /* tables, offsets in the file */
	uint64_t files, n_files;   /* pairs */
	uint64_t strings, n_strings;
};

static uint64_t number(const struct object_source *s, uint64_t at, size_t n)
{
	return bytes_number(s->bytes + at, n, s->gsym->big_endian);
}

static struct cursor cursor_at(const struct object_source *s, uint64_t at, uint64_t n,
			       struct err *e)
{
	struct cursor c;

	cursor_init(&c, s->bytes + at, (size_t)n, at, e);
	c.big_endian = s->gsym->big_endian;
	return c;
}

static enum status gsym_read_header(struct object_source *s, struct object_image *f, struct err *e)
{
	struct gsym *g = s->gsym;
	unsigned version, id_size;
	const uint8_t *id;
	uint64_t at;
	struct cursor c;

	if (s->size < HEADER)
		return err_at(e, ST_BAD, s->size, "GSYM header: cut short");
	g->big_endian = s->bytes[0] == 'G'; /* the number 0x4753594d */
	c = cursor_at(s, 4, HEADER - 4, e);
	version = cursor_u16(&c);
	if (version != 1)
		return err_at(e, ST_UNSUPPORTED, 4, "unknown GSYM version %u", version);
	g->offset_size = cursor_u8(&c);
	id_size = cursor_u8(&c);
	g->base = cursor_u64(&c);
	g->n = cursor_u32(&c);
	g->strings = cursor_u32(&c);
	g->n_strings = cursor_u32(&c);
	id = cursor_bytes(&c, 20, "UUID");
	if (g->offset_size != 1 && g->offset_size != 2 && g->offset_size != 4 &&
	    g->offset_size != 8)
		return err_at(e, ST_BAD, 6,
			      "GSYM: impossible size of address offsets: %u "
			      "bytes",
			      g->offset_size);
	if (id_size > 20)
		return err_at(e, ST_BAD, 7, "GSYM: impossible UUID length: %u bytes", id_size);
	memcpy(f->build_id.bytes, id, id_size);
	f->build_id.len = (uint8_t)id_size;
	if (g->strings > s->size || g->n_strings > s->size - g->strings || !g->n_strings ||
	    s->bytes[g->strings + g->n_strings - 1])
		return err_at(e, ST_BAD, 20, "GSYM: the strings lie outside the file");
	at = HEADER;
	at = (at + g->offset_size - 1) & -(uint64_t)g->offset_size;
	g->addresses = at;
	at += (uint64_t)g->n * g->offset_size;
	at = (at + 3) & -UINT64_C(4);
	g->infos = at;
	at += (uint64_t)g->n * 4;
	if (at > s->size || s->size - at < 4)
		return err_at(e, ST_BAD, 16, "GSYM: %" PRIu32 " addresses lie outside the file",
			      g->n);
	g->n_files = number(s, at, 4);
	g->files = at + 4;
	if (g->n_files > (s->size - g->files) / 8)
		return err_at(e, ST_BAD, at, "GSYM: %" PRIu64 " files lie outside the file",
			      g->n_files);
	return ST_OK;
}

static uint64_t address(const struct object_source *s, size_t i)
{
	const struct gsym *g = s->gsym;

	return g->base + number(s, g->addresses + i * g->offset_size, g->offset_size);
}

static enum status gsym_open(struct object_source *s, struct object_image *f, struct err *e)
{
	uint64_t before = 0;
	enum status st;

	s->gsym = mem_zalloc(sizeof *s->gsym);
	st = gsym_read_header(s, f, e);
	for (size_t i = 0; !st && i < s->gsym->n; i++) {
		uint64_t a = address(s, i);

		if (a < before || a < s->gsym->base)
			st = err_at(e, ST_BAD, s->gsym->addresses + i * s->gsym->offset_size,
				    "GSYM: address %zu is lower than the one before", i);
		before = a;
	}
	return st;
}

static void gsym_free(struct object_source *s)
{
	free(s->gsym);
}

static size_t gsym_count(const struct object_source *s)
{
	return s->gsym->n;
}

static const char *text(const struct object_source *s, uint64_t at)
{
	return at < s->gsym->n_strings ? (const char *)s->bytes + s->gsym->strings + at : "";
}

/* What there is of a function: its size and name, and where its pieces are. */
static bool open_info(const struct object_source *s, size_t i, struct source_function *f,
		      struct cursor *c, struct err *e)
{
	uint64_t at = number(s, s->gsym->infos + i * 4, 4);

	if (at > s->size)
		return false;
	*c = cursor_at(s, at, s->size - at, e);
	f->lo = address(s, i);
	f->size = cursor_u32(c);
	f->name = text(s, cursor_u32(c));
	f->public = false;
	return !cursor_failed(c);
}

static bool gsym_function(const struct object_source *s, size_t i, struct source_function *f)
{
	struct err ignored = ERR_INIT;
	struct cursor c;

	return open_info(s, i, f, &c, &ignored);
}

static uint64_t gsym_end(const struct object_source *s)
{
	struct source_function f;
	size_t n = s->gsym->n;

	if (!n)
		return 0;
	if (!gsym_function(s, n - 1, &f) || !f.size)
		return address(s, n - 1) + 1;
	return f.size < UINT64_MAX - f.lo ? f.lo + f.size : UINT64_MAX;
}

static void set_file(const struct object_source *s, uint64_t file, struct object_call *call)
{
	if (!file || file >= s->gsym->n_files)
		return;
	call->folder = text(s, number(s, s->gsym->files + file * 8, 4));
	call->file = text(s, number(s, s->gsym->files + file * 8 + 4, 4));
}

/* The row in force at addr. */
static bool gsym_find_line(const struct object_source *s, struct cursor *c, uint64_t lo,
			   uint64_t addr, struct object_call *call)
{
	int64_t least = cursor_sleb(c), most = cursor_sleb(c);
	uint64_t range = (uint64_t)most - (uint64_t)least + 1, line = cursor_uleb(c), pc = lo;
	uint64_t file = 1, found_line = 0, found_file = 0;
	bool found = false;

	if (cursor_failed(c) || most < least || !range)
		return false;
	while (!cursor_done(c)) {
		unsigned op = cursor_u8(c);
		bool row = false;

		if (op == OP_END) {
			break;
		} else if (op == OP_FILE) {
			file = cursor_uleb(c);
		} else if (op == OP_PC) {
			pc += cursor_uleb(c);
			row = true;
		} else if (op == OP_LINE) {
			line += (uint64_t)cursor_sleb(c);
		} else {
			line += (uint64_t)least + (op - OP_SPECIAL) % range;
			pc += (op - OP_SPECIAL) / range;
			row = true;
		}
		if (cursor_failed(c))
			return false;
		if (!row)
			continue;
		if (pc > addr)
			break;
		found = true;
		found_line = line;
		found_file = file;
	}
	if (cursor_failed(c))
		return false;
	if (found && found_line <= UINT32_MAX) {
		call->line = (uint32_t)found_line;
		set_file(s, found_file, call);
	}
	return true;
}

/* One node on the way down the tree. */
struct inlined {
	uint64_t name, file, line, first;
	bool holds, children;
};

/* False: the end of its siblings, or broken (the cursor says which). */
static bool gsym_read_inlined(struct cursor *c, uint64_t base, uint64_t addr, struct inlined *x)
{
	uint64_t n = cursor_uleb(c);

	*x = (struct inlined){.first = base};
	if (n > cursor_window(c) / 2)
		cursor_fail(c, ST_BAD, "%" PRIu64 " ranges", n);
	if (cursor_failed(c) || !n)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t lo = base + cursor_uleb(c), size = cursor_uleb(c);

		if (!i)
			x->first = lo;
		x->holds |= addr >= lo && addr - lo < size;
	}
	x->children = cursor_u8(c);
	x->name = cursor_u32(c);
	x->file = cursor_uleb(c);
	x->line = cursor_uleb(c);
	return !cursor_failed(c);
}

/* The nodes that hold addr, outermost first: those below a node that does are looked at, those
 * below another are stepped over. */
static bool gsym_find_inlined(struct cursor *c, uint64_t lo, uint64_t addr, struct inlined *chain,
			      size_t *n)
{
	uint64_t base[DEEPEST];
	bool in[DEEPEST];
	size_t depth = 0;
	struct inlined x;

	*n = 0;
	base[0] = lo;
	in[0] = true;
	for (;;) {
		bool inside = in[depth];

		if (!gsym_read_inlined(c, base[depth], addr, &x)) {
			if (cursor_failed(c))
				return false;
			if (!depth) /* not even the function itself */
				return true;
			depth--;
		} else {
			inside = inside && x.holds && *n <= depth;
			if (inside)
				chain[(*n)++] = x;
			if (x.children) {
				if (depth + 1 == DEEPEST)
					return false;
				depth++;
				base[depth] = x.first;
				in[depth] = inside;
			}
		}
		if (!depth) /* the function itself has no siblings */
			return true;
	}
}

static enum status gsym_calls_of(const struct object_source *s, const struct source_function *f,
				 struct cursor *c, uint64_t addr, struct object_call *calls,
				 size_t max, size_t *n)
{
	struct inlined chain[DEEPEST];
	struct object_call at = {.function = f->name, .folder = "", .file = ""};
	size_t depth = 0;

	for (;;) {
		uint32_t kind = cursor_u32(c), size = cursor_u32(c);
		struct err e = ERR_INIT;
		struct cursor piece;

		if (cursor_failed(c) || size > cursor_window(c))
			return ST_BAD;
		if (kind == INFO_END)
			break;
		cursor_init(&piece, c->pos, size, cursor_offset(c), &e);
		piece.big_endian = c->big_endian;
		if ((kind == INFO_LINES && !gsym_find_line(s, &piece, f->lo, addr, &at)) ||
		    (kind == INFO_INLINED &&
		     !gsym_find_inlined(&piece, f->lo, addr, chain, &depth)))
			return ST_BAD;
		cursor_skip(c, size, "function");
	}
	/* chain[0] is the function itself; the place of a call is in the node that was called */
	while (depth > 1 && *n + 1 < max) {
		const struct inlined *x = &chain[--depth];

		at.function = text(s, x->name);
		calls[(*n)++] = at;
		at = (struct object_call){.function = f->name, .folder = "", .file = ""};
		at.line = x->line <= UINT32_MAX ? (uint32_t)x->line : 0;
		set_file(s, x->file, &at);
	}
	calls[(*n)++] = at;
	return ST_OK;
}

static enum status gsym_at(const struct object_source *s, uint64_t addr, struct object_call *calls,
			   size_t max, size_t *n)
{
	size_t lo = BISECT(i, 0, s->gsym->n, address(s, i) <= addr);
	struct source_function f;
	struct err e = ERR_INIT;
	struct cursor c;

	if (!lo)
		return ST_NONE;
	if (!open_info(s, lo - 1, &f, &c, &e))
		return ST_BAD;
	if (addr - f.lo >= f.size)
		return ST_NONE;
	return gsym_calls_of(s, &f, &c, addr, calls, max, n);
}

const struct source_kind source_gsym = {gsym_open,     gsym_free, gsym_count,
					gsym_function, gsym_end,  gsym_at};

/* SPDX-License-Identifier: MIT
 *
 * .gcdump: heaps of .NET and JScript, as dotnet-gcdump and PerfView write them.
 *
 *	20, "!FastSerialization.1", an object "GCHeapDump" whose first field is an object "Graphs.MemoryGraph":
 *	i64 size of all; i32 the root; i32 types: name, i32 size (-1: of each object), module; i32 objects: u32 place in the
 *	bytes; i32 bytes; i32 addresses: i64; and tagged fields. A text is its i32 length and UTF-8, -1: none.
 *	In the bytes numbers have 7 bits a byte, the highest first, and are signed by the first byte: type * 2 + 1 and a
 *	size, or type * 2; how many references; for each the other's index less its own.
 *
 * From the classes GCHeapDump, MemoryGraph and Graph of microsoft/perfview, and its test files.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MOST = 1 << 20, OBJECTS_MOST = 1 << 30, PIECE = 1 << 16 };

static const char mark[] = "\24\0\0\0!FastSerialization.1";
enum { MARK = sizeof mark - 1 };

struct gcdump_type {
	uint32_t type; /* of the trace */
	int32_t size;  /* -1: objects have their own */
};

struct gcdump {
	struct import *im;
	struct cursor *c;
	struct gcdump_type *types;
	size_t n_types, cap_types;
	uint32_t *places;
	size_t n_places, cap_places;
	struct buf bytes;
	uint32_t root;
	uint64_t total, sum, odd, references;
};

/* --- what lies in the stream --- */

static bool begin_object(struct gcdump *g, const char *name, uint32_t *least)
{
	struct cursor *c = g->c;
	size_t n = strlen(name);
	const uint8_t *p;
	uint8_t tag = cursor_u8(c);

	if ((tag != 4 && tag != 5) || cursor_u8(c) != tag || cursor_u8(c) != 1) {
		cursor_fail(c, ST_BAD, "this is no object of .NET's serialization");
		return false;
	}
	cursor_u32(c);
	*least = cursor_u32(c);
	if (cursor_u32(c) != n) {
		cursor_fail(c, ST_BAD, "the object is no %s", name);
		return false;
	}
	p = cursor_bytes(c, n, "the name of a type");
	if (p && (memcmp(p, name, n) != 0 || cursor_u8(c) != 6))
		cursor_fail(c, ST_BAD, "the object is no %s", name);
	return !cursor_failed(c);
}

/* Borrowed until the next call; NULL: none, or a failure. */
static const char *take_text(struct gcdump *g, size_t *n)
{
	int32_t len = (int32_t)cursor_u32(g->c);

	*n = 0;
	if (cursor_failed(g->c) || len == -1)
		return NULL;
	if (len < 0 || len > NAME_BYTES_MOST) {
		cursor_fail(g->c, ST_BAD, "a text of %" PRId32 " bytes", len);
		return NULL;
	}
	*n = (size_t)len;
	return (const char *)cursor_bytes(g->c, *n, "a text");
}

static uint32_t take_count(struct gcdump *g, const char *what)
{
	uint32_t n = cursor_u32(g->c);

	if (!cursor_failed(g->c) && n > OBJECTS_MOST)
		cursor_fail(g->c, ST_BAD, "%" PRId32 " %s", (int32_t)n, what);
	return cursor_failed(g->c) ? 0 : n;
}

static void read_types(struct gcdump *g)
{
	uint32_t n = take_count(g, "types");

	for (uint32_t i = 0; i < n && !cursor_failed(g->c); i++) {
		struct gcdump_type row;
		size_t len;
		const char *s = take_text(g, &len);

		row.type = trace_type(g->im->t, s ? s : "(no name)", s ? len : 9);
		row.size = (int32_t)cursor_u32(g->c);
		take_text(g, &len); /* its module */
		VEC_PUSH(g->types, g->n_types, g->cap_types) = row;
	}
}

static void read_nodes(struct gcdump *g)
{
	uint32_t n = take_count(g, "objects"), bytes;

	for (uint32_t i = 0; i < n && !cursor_failed(g->c); i++)
		VEC_PUSH(g->places, g->n_places, g->cap_places) = cursor_u32(g->c);
	bytes = take_count(g, "bytes of objects");
	while (bytes && !cursor_failed(g->c)) {
		uint32_t now = bytes < PIECE ? bytes : PIECE;
		const uint8_t *p = cursor_bytes(g->c, now, "objects");

		if (p)
			buf_add(&g->bytes, p, now);
		bytes -= now;
	}
}

/* --- objects --- */

static int32_t take_number(struct cursor *c)
{
	uint8_t b = cursor_u8(c);
	uint32_t v = b & 0x40 ? b | ~UINT32_C(0x7f) : b & 0x7fu;

	for (unsigned i = 0; i < 4 && b & 0x80; i++) {
		b = cursor_u8(c);
		v = v << 7 | (b & 0x7f);
	}
	return (int32_t)v;
}

static enum status push_references(struct gcdump *g, struct cursor *c, uint32_t index,
				   struct err *e)
{
	int32_t n = take_number(c);
	enum status st = ST_OK;

	for (int32_t i = 0; !st && i < n; i++) {
		int64_t to = (int64_t)index + take_number(c);

		if (cursor_failed(c) || to < 0 || (uint64_t)to >= g->n_places) {
			g->odd++;
			return ST_OK;
		}
		g->references++;
		st = emit_reference(g->im, index + UINT64_C(1), (uint64_t)to + 1, 0, ABSENT, e);
	}
	return st;
}

static enum status push_object(struct gcdump *g, uint32_t index, struct err *e)
{
	struct err own = ERR_INIT;
	struct emit_object o = {.id = index + UINT64_C(1)};
	uint32_t place = g->places[index];
	int32_t type, size;
	struct cursor c;
	enum status st;

	if (place >= g->bytes.len) {
		g->odd++;
		return ST_OK;
	}
	cursor_init(&c, g->bytes.data + place, g->bytes.len - place, place, &own);
	type = take_number(&c);
	size = type & 1 ? take_number(&c) : 0;
	if (cursor_failed(&c) || type < 0 || (size_t)type >> 1 >= g->n_types) {
		g->odd++;
		return ST_OK;
	}
	if (!(type & 1))
		size = g->types[type >> 1].size;
	o.type = g->types[type >> 1].type;
	o.size = KNOWN_IF(size >= 0, size);
	g->sum += size > 0 ? (uint64_t)size : 0;
	st = emit_object(g->im, &o, e);
	return st ? st : push_references(g, &c, index, e);
}

static enum status push_objects(struct gcdump *g, struct err *e)
{
	enum status st = ST_OK;

	for (uint32_t i = 0; !st && i < g->n_places; i++)
		st = push_object(g, i, e);
	if (!st && g->root < g->n_places)
		st = emit_reference(g->im, 0, g->root + UINT64_C(1),
				    trace_strz(g->im->t, "[roots]"), ABSENT, e);
	return st;
}

/* --- the file --- */

/* A dump of many objects may have some of them only, and says how many each stands for. */
static void read_rest(struct gcdump *g)
{
	uint32_t n = take_count(g, "addresses"), bits;
	float of_count;

	cursor_skip(g->c, UINT64_C(8) * n, "addresses");
	while (!cursor_failed(g->c) && cursor_u8(g->c) != 6) /* tagged: a byte */
		;
	cursor_u8(g->c);
	bits = cursor_u32(g->c);
	memcpy(&of_count, &bits, sizeof of_count);
	if (!cursor_failed(g->c) && of_count > 1.0f)
		trace_note(g->im->t, NOTE_GUESS, 0,
			   "the dump is a sample: each object stands for %.2f on average",
			   (double)of_count);
}

static enum status read_graph(struct gcdump *g, struct err *e)
{
	uint32_t least;
	const uint8_t *p = cursor_bytes(g->c, MARK, "the mark");

	if (!p || memcmp(p, mark, MARK) != 0)
		return p ? cursor_fail(g->c, ST_BAD, "the mark of the serialization is not there")
			 : err_failure(e);
	if (!begin_object(g, "GCHeapDump", &least))
		return err_failure(e);
	if (least > 10)
		return cursor_fail(g->c, ST_UNSUPPORTED,
				   "version %" PRIu32 " of a .gcdump; 8 to 10 are read", least);
	if (!begin_object(g, "Graphs.MemoryGraph", &least))
		return err_failure(e);
	if (least)
		return cursor_fail(g->c, ST_UNSUPPORTED,
				   "a .gcdump whose types have numbers in place of names");
	g->total = cursor_u64(g->c);
	g->root = cursor_u32(g->c);
	read_types(g);
	read_nodes(g);
	return cursor_failed(g->c) ? err_failure(e) : ST_OK;
}

static enum status gcdump_read(struct import *im, struct err *e)
{
	struct gcdump g = {.im = im, .c = &im->in->cur};
	enum status st = read_graph(&g, e), begun = ST_OK;

	/* What is known of objects needs the bytes behind all of them. */
	if (!st)
		begun = st = import_begin(im, e);
	if (!st) {
		st = push_objects(&g, e);
		if (!st)
			read_rest(&g);
		if (!st && cursor_failed(g.c))
			st = err_failure(e);
	}
	if (!begun && g.n_places) {
		const struct trace_loss losses[] = {
		    LOSS(NOTE_LOSS, g.odd, "objects or references are not sound: left out"),
		    LOSS(NOTE_GUESS, g.total != g.sum,
			 "the sizes of the objects are not the size that the dump says"),
		};

		TRACE_LOSSES(im->t, losses);
	}
	free(g.types);
	free(g.places);
	buf_release(&g.bytes);
	return st;
}

static int gcdump_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char name[] = "GCHeapDump";

	(void)whole;
	return n > MARK + 15 + sizeof name && !memcmp(head, mark, MARK) &&
		       !memcmp(head + MARK + 15, name, sizeof name - 1)
		   ? 120
		   : 0;
}

const struct reader reader_gcdump = {
    .name = "gcdump",
    .family = ".NET",
    .page = "dotnet",
    .capabilities = CAPABILITY_OBJECTS | CAPABILITY_REFERENCES | CAPABILITY_TYPES,
    .what = "heaps of .NET (dotnet-gcdump, PerfView): objects and references",
    .suffixes = "gcdump",
    .cut = CUT_NEVER, /* objects stand behind their types, all at once */
    .bid = gcdump_bid,
    .read = gcdump_read,
};

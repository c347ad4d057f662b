/* SPDX-License-Identifier: MIT
 *
 * The variables of a PDB with static storage, and how large each is: its record among the global symbols has a type, and
 * the stream of types the size of that.
 *
 *	variable  u16 length (without itself), u16 kind, u32 type, u32 offset, u16 section, name
 *	type      below 0x1000 a simple one: its low byte is the kind, the next 4 bits say which pointer to that it is; else
 *	          a record (pdb/names.c has the stream): LF_MODIFIER (u32 type), LF_POINTER (u32 type, u32 attributes), LF_ARRAY
 *	          (u32 type, u32 type of the index, number of bytes), LF_ENUM (u16, u16 flags, u32 type), classes (flags, types,
 *	          number of bytes, name, unique name)
 *
 * A class that is only declared leads to the one of its name that is defined. What is not known has no size.
 */
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/object/pdb.h"

#include <stdlib.h>
#include <string.h>

enum {
	S_LDATA32 = 0x110c,
	S_GDATA32 = 0x110d,
	VARIABLE = 10, /* before its name, behind its kind */
	TYPES_HEADER = 56,
	SIMPLE = 0x1000,
	NESTING = 32,
	DECLARED = 0x80, /* flags of a class */
	UNIQUE = 0x200,
	LF_MODIFIER = 0x1001,
	LF_POINTER = 0x1002,
	LF_ARRAY = 0x1503,
	LF_CLASS = 0x1504,
	LF_STRUCTURE = 0x1505,
	LF_UNION = 0x1506,
	LF_ENUM = 0x1507,
	LF_INTERFACE = 0x1519,
	LF_CLASS2 = 0x1608,
	LF_STRUCTURE2 = 0x1609,
	LF_UNION2 = 0x160a,
	LF_INTERFACE2 = 0x160b,
};

struct variable {
	uint32_t type;
	struct pdb_head head;
};

struct types {
	const struct pdb_file *p;
	uint32_t begin, end, *at; /* numbers; offset of each record */
	struct map64
	    defined; /* by the hash of its name: 1 + bytes of a class that is declared only */
	struct msf_room room;
	size_t wanted;
};

/* The record at an offset of a stream, from its kind on. NULL: there is none. */
static const uint8_t *record_at(const struct pdb_file *p, uint32_t stream, uint64_t at,
				struct msf_room *room, uint32_t *n)
{
	bool stays;
	const uint8_t *b = msf_bytes(p->msf, stream, at, 2, room, &stays);

	*n = b ? le16(b) : 0;
	return *n < 2 ? NULL : msf_bytes(p->msf, stream, at + 2, *n, room, &stays);
}

static void types_open(struct types *t, const struct pdb_file *p)
{
	const uint32_t size = msf_size(p->msf, PDB_TPI_STREAM);
	bool stays;
	const uint8_t *h = msf_bytes(p->msf, PDB_TPI_STREAM, 0, TYPES_HEADER, &t->room, &stays);
	uint64_t at = h ? le32(h + 4) : 0;
	uint32_t n, number;

	t->p = p;
	t->begin = h ? le32(h + 8) : 0;
	t->end = h ? le32(h + 12) : 0;
	if (!h || at < TYPES_HEADER || t->begin < SIMPLE || t->end < t->begin ||
	    t->end - t->begin > size / 4) {
		t->end = t->begin;
		return;
	}
	t->at = mem_zarray((size_t)t->end - t->begin + 1, sizeof *t->at);
	for (number = t->begin; number < t->end; number++) {
		if (!record_at(p, PDB_TPI_STREAM, at, &t->room, &n))
			break;
		t->at[number - t->begin] = (uint32_t)at;
		at += 2 + (uint64_t)n;
	}
	t->end = number;
}

/* A number of its own form; *at is then behind it. False: it is cut, or none of these. */
static bool read_number(const uint8_t *r, uint32_t n, uint32_t *at, uint64_t *v)
{
	static const uint8_t bytes[] = {1, 2, 2, 4, 4, 0, 0, 0, 0, 8, 8}; /* from 0x8000 on */
	uint32_t form, k;

	if (*at > n || n - *at < 2)
		return false;
	form = le16(r + *at);
	*at += 2;
	*v = form;
	if (form < 0x8000)
		return true;
	k = form - 0x8000 < sizeof bytes ? bytes[form - 0x8000] : 0;
	if (!k || n - *at < k)
		return false;
	*v = 0;
	for (uint32_t i = 0; i < k; i++)
		*v |= (uint64_t)r[*at + i] << 8 * i;
	*at += k;
	return true;
}

struct class_type {
	uint64_t bytes, name; /* a hash */
	bool declared;
};

static bool read_class(const uint8_t *r, uint32_t n, struct class_type *out)
{
	const uint32_t kind = le16(r);
	const bool two = kind >= LF_CLASS2 && kind <= LF_INTERFACE2,
		   is_union = kind == LF_UNION || kind == LF_UNION2;
	uint32_t at = is_union ? 10 : 18, flags;
	uint64_t members;
	const uint8_t *nul;

	switch (kind) {
	case LF_CLASS:
	case LF_STRUCTURE:
	case LF_UNION:
	case LF_INTERFACE:
	case LF_CLASS2:
	case LF_STRUCTURE2:
	case LF_UNION2:
	case LF_INTERFACE2: break;
	default: return false;
	}
	if (n < at)
		return false;
	flags = le16(r + (two ? 2 : 4));
	if ((two && !read_number(r, n, &at, &members)) || !read_number(r, n, &at, &out->bytes))
		return false;
	nul = memchr(r + at, 0, n - at);
	if (nul && flags & UNIQUE) {
		at = (uint32_t)(nul - r) + 1;
		nul = memchr(r + at, 0, n - at);
	}
	if (!nul)
		return false;
	out->declared = flags & DECLARED;
	out->name = hash_bytes(r + at, (size_t)(nul - (r + at)));
	return true;
}

static uint64_t simple_size(uint32_t type)
{
	static const uint8_t by_kind[0x80] = {
	    [0x08] = 4,  [0x10] = 1,  [0x20] = 1,  [0x68] = 1,  [0x69] = 1,  [0x70] = 1,
	    [0x7c] = 1,  [0x30] = 1,  [0x11] = 2,  [0x21] = 2,  [0x71] = 2,  [0x72] = 2,
	    [0x73] = 2,  [0x7a] = 2,  [0x31] = 2,  [0x46] = 2,  [0x12] = 4,  [0x22] = 4,
	    [0x74] = 4,  [0x75] = 4,  [0x7b] = 4,  [0x32] = 4,  [0x40] = 4,  [0x45] = 4,
	    [0x13] = 8,  [0x23] = 8,  [0x76] = 8,  [0x77] = 8,  [0x33] = 8,  [0x41] = 8,
	    [0x50] = 8,  [0x14] = 16, [0x24] = 16, [0x43] = 16, [0x51] = 16, [0x78] = 16,
	    [0x79] = 16,
	};
	static const uint8_t pointers[16] = {[4] = 4, [6] = 8};
	const unsigned mode = type >> 8 & 15;

	return mode ? pointers[mode] : (type & 0xff) < 0x80 ? by_kind[type & 0xff] : 0;
}

static uint64_t pointer_size(uint32_t attributes)
{
	const unsigned kind = attributes & 31, bytes = attributes >> 13 & 63;

	return bytes ? bytes : kind == 10 ? 4 : kind == 12 ? 8 : 0;
}

/* 0: it is not known. */
static uint64_t size_of(struct types *t, uint32_t type)
{
	for (unsigned i = 0; i < NESTING && type >= SIMPLE; i++) {
		struct class_type c;
		const uint8_t *r;
		uint32_t n, at = 10;
		uint64_t bytes;

		if (type < t->begin || type >= t->end)
			return 0;
		r = record_at(t->p, PDB_TPI_STREAM, t->at[type - t->begin], &t->room, &n);
		if (!r || n < 10)
			return 0;
		switch (le16(r)) {
		case LF_MODIFIER: type = le32(r + 2); continue;
		case LF_ENUM: type = le32(r + 6); continue;
		case LF_POINTER: return pointer_size(le32(r + 6));
		case LF_ARRAY: return read_number(r, n, &at, &bytes) ? bytes : 0;
		default: break;
		}
		if (!read_class(r, n, &c))
			return 0;
		if (c.declared) {
			uint32_t *known = map64_put(&t->defined, c.name);

			t->wanted += !*known;
			c.bytes = *known ? *known - 1 : 0;
			*known = *known ? *known : 1;
		}
		return c.bytes;
	}
	return type < SIMPLE ? simple_size(type) : 0;
}

/* Of the classes that were only declared. */
static void find_definitions(struct types *t)
{
	for (uint32_t i = 0; i < t->end - t->begin; i++) {
		struct class_type c;
		uint32_t n;
		const uint8_t *r = record_at(t->p, PDB_TPI_STREAM, t->at[i], &t->room, &n);

		if (!r || n < 10 || !read_class(r, n, &c) || c.declared || c.bytes >= UINT32_MAX)
			continue;
		if (map64_get(&t->defined, c.name))
			*map64_put(&t->defined, c.name) = 1 + (uint32_t)c.bytes;
	}
}

static bool read_variable(const uint8_t *r, uint32_t n, struct variable *v)
{
	const uint8_t *nul;

	if (n < 2 + VARIABLE || (le16(r) != S_LDATA32 && le16(r) != S_GDATA32))
		return false;
	nul = memchr(r + 2 + VARIABLE, 0, n - 2 - VARIABLE);
	if (!nul)
		return false;
	*v = (struct variable){.type = le32(r + 2),
			       .head = {.offset = le32(r + 6),
					.section = le16(r + 10),
					.name = (const char *)r + 2 + VARIABLE,
					.n = (uint32_t)(nul - r) - 2 - VARIABLE}};
	return v->head.n;
}

/* Each variable; to NULL: only its type is looked at. */
static void each_variable(struct types *t, struct pdb_functions *to)
{
	const struct pdb_file *p = t->p;
	const uint32_t size = msf_size(p->msf, p->records);
	struct msf_room room = {.cap = 0};
	struct variable v;
	uint32_t n;

	for (uint64_t at = 0; at + 4 <= size && !(to && to->why); at += 2 + (uint64_t)n) {
		const uint8_t *r = record_at(p, p->records, at, &room, &n);
		uint64_t bytes;

		if (!r)
			break;
		if (!read_variable(r, n, &v))
			continue;
		bytes = size_of(t, v.type);
		if (to && bytes && bytes < UINT32_MAX) {
			v.head.size = (uint32_t)bytes;
			pdb_add_function(p, &v.head, to);
		}
	}
	msf_room_release(&room);
}

void pdb_read_variables(const struct pdb_file *p, struct pdb_functions *out)
{
	struct types t = {.begin = 0};

	types_open(&t, p);
	each_variable(&t, NULL);
	if (t.wanted)
		find_definitions(&t);
	each_variable(&t, out);
	pdb_order_functions(out);
	map64_release(&t.defined);
	msf_room_release(&t.room);
	free(t.at);
}

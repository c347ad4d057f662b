/* SPDX-License-Identifier: MIT
 *
 * The ids of a Lua snapshot's objects. Here objects have dense ids from 1, in the order in which they are first
 * named. In the trace an object of a dump that has addresses (see lua_objects_keep) has its own, and one without
 * has an odd number, which is no object's address: Lua aligns them. Of other dumps ids are the dense ones.
 */
#ifndef TM_FORMATS_LUA_OBJECTS_H
#define TM_FORMATS_LUA_OBJECTS_H

#include "formats/reader.h"
#include "lib/base/text.h"

struct lua_text { /* borrowed; s NULL: absent */
	const char *s;
	size_t n;
};

static inline bool lua_text_is(struct lua_text t, const char *word)
{
	return text_is(t.s, t.n, word);
}

static inline bool lua_text_begins(struct lua_text t, const char *with)
{
	return text_begins(t.s, t.n, with);
}

static inline bool lua_text_ends(struct lua_text t, const char *with)
{
	return text_ends(t.s, t.n, with);
}

struct lua_object {
	uint64_t address;
	bool defined; /* its OBJECT was pushed */
};

struct lua_objects {
	struct import *im;
	struct map64 by_address; /* ids */
	struct lua_object *list; /* by id - 1 */
	size_t n, cap;
	bool addresses;    /* of the dump's objects are kept */
	uint64_t repeated; /* defined again; the first counts */
};

/* Before import_begin: the trace says that its objects' ids are addresses (tracemill-trace(5)). */
void lua_objects_keep(struct lua_objects *o);

/* The id of an address, 0 for address 0. */
uint32_t lua_objects_id(struct lua_objects *o, uint64_t address);
/* An id for what has no address that can be used. */
uint32_t lua_objects_new(struct lua_objects *o);
/* Pushes its OBJECT; nothing when that was done. entries: how many a
 * table has, its event's value; NULL when not known. */
enum status lua_objects_define(struct lua_objects *o, uint32_t id, struct lua_text type,
			       struct lua_text name, const uint64_t *entries, struct err *e);
/* Pushes a REFERENCE; from 0: a root. count 0: 1. */
enum status lua_objects_refer(struct lua_objects *o, uint32_t from, uint32_t to,
			      struct lua_text name, uint64_t count, struct err *e);
/* Objects that are referred to and were never defined get an OBJECT without a type and a
 * root of their own, and a note. */
enum status lua_objects_end(struct lua_objects *o, struct err *e);
void lua_objects_release(struct lua_objects *o);

/* An address as %p prints it: hexadecimal with or without 0x, at least min digits without;
 * (nil), (null) and NULL are 0. */
bool lua_address(const char *s, size_t n, size_t min, uint64_t *v);

#endif

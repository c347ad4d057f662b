/* SPDX-License-Identifier: MIT */
#include "formats/lua/objects.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>

void lua_objects_keep(struct lua_objects *o)
{
	o->addresses = true;
	trace_set(o->im->t, TRACE_OBJECT_IDS, TRACE_OBJECT_ADDRESSES);
}

uint32_t lua_objects_new(struct lua_objects *o)
{
	VEC_PUSH(o->list, o->n, o->cap) = (struct lua_object){.address = 0};
	return (uint32_t)o->n;
}

/* What stands for it in the trace. */
static uint64_t id_in_trace(const struct lua_objects *o, uint32_t id)
{
	uint64_t address = id ? o->list[id - 1].address : 0;

	if (!o->addresses || !id)
		return id;
	return address && !(address & 1) ? address : (uint64_t)id * 2 - 1;
}

uint32_t lua_objects_id(struct lua_objects *o, uint64_t address)
{
	uint32_t *at;

	if (!address)
		return 0;
	at = map64_put(&o->by_address, address);
	if (!*at) {
		*at = lua_objects_new(o);
		o->list[*at - 1].address = address;
	}
	return *at;
}

enum status lua_objects_define(struct lua_objects *o, uint32_t id, struct lua_text type,
			       struct lua_text name, const uint64_t *entries, struct err *e)
{
	struct emit_object object = {.id = id_in_trace(o, id)};

	if (!id || o->list[id - 1].defined) {
		o->repeated++;
		return ST_OK;
	}
	o->list[id - 1].defined = true;
	if (type.s)
		object.type = trace_type(o->im->t, type.s, type.n);
	if (name.s)
		object.name = trace_string(o->im->t, name.s, name.n);
	if (entries)
		object.value = KNOWN(*entries);
	return emit_object(o->im, &object, e);
}

enum status lua_objects_refer(struct lua_objects *o, uint32_t from, uint32_t to,
			      struct lua_text name, uint64_t count, struct err *e)
{
	uint32_t field = name.s ? trace_string(o->im->t, name.s, name.n) : 0;

	return emit_reference(o->im, id_in_trace(o, from), id_in_trace(o, to), field,
			      KNOWN_IF(count, count), e);
}

enum status lua_objects_end(struct lua_objects *o, struct err *e)
{
	static const char outside[] = "(not in the dump)";
	const struct lua_text none = {.s = NULL};
	uint64_t n = 0;
	enum status st = ST_OK;

	for (uint32_t id = 1; !st && id <= o->n; id++) {
		if (o->list[id - 1].defined)
			continue;
		n++;
		st = lua_objects_define(o, id, none, none, NULL, e);
		if (!st)
			st = lua_objects_refer(
			    o, 0, id, (struct lua_text){outside, sizeof outside - 1}, 0, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, n,
		 "objects hold others but are not in the dump: they are older than the dump"),
	    LOSS(NOTE_INFO, o->repeated,
		 "objects are in the dump more than once: the first counts"),
	};

	TRACE_LOSSES(o->im->t, losses);
	return st;
}

void lua_objects_release(struct lua_objects *o)
{
	map64_release(&o->by_address);
	free(o->list);
}

bool lua_address(const char *s, size_t n, size_t min, uint64_t *v)
{
	static const char *const nulls[] = {"(nil)", "(null)", "NULL"};

	for (int i = 0; i < 3; i++) {
		if (n == strlen(nulls[i]) && !memcmp(s, nulls[i], n)) {
			*v = 0;
			return true;
		}
	}
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		return num_hex(s + 2, n - 2, v);
	return n >= min && num_hex(s, n, v);
}

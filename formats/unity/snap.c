/* SPDX-License-Identifier: MIT
 *
 * Unity's .snap files, format versions 8 to 18: native and managed objects, the managed heap,
 * native allocations by call-stack site. Container and chapters: formats/unity/snap_file.h, formats/unity/snap.h;
 * what becomes what: formats/unity/heap.h. Up to version 9 connections go by index (GC handles first, then
 * native objects), from 10 on by instance id, and a native object names its GC handle. The top bit
 * of a heap section's start says that it is the VM's own. Chapters beyond those read are skipped,
 * so that newer versions give what they can.
 */
#include "formats/unity/snap.h"

#include "lib/base/bytes.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BY_INSTANCE = 10, OLDEST = 8, NEWEST = 18 };

static int snap_bid(const uint8_t *head, size_t n, bool whole)
{
	static const uint8_t magic[] = {0xcd, 0xcd, 0xab, 0xae};

	(void)whole;
	return n >= 4 && !memcmp(head, magic, 4) ? 32 : 0;
}

enum status snap_strings(struct snap_file *f, struct trace *t, unsigned i, const char *what,
			 uint32_t **ids, uint64_t *n, struct err *e)
{
	uint64_t *at;
	char *text;
	enum status st = snap_positions(f, i, what, &at, n, e);

	*ids = NULL;
	if (st || !*n)
		return st;
	text = mem_alloc((size_t)(at[*n] - at[0]) + 1);
	st = snap_bytes(f, i, at[0], text, (size_t)(at[*n] - at[0]), what, e);
	*ids = arena_zalloc(&f->arena, (size_t)*n * sizeof **ids);
	for (uint64_t k = 0; !st && k < *n; k++)
		(*ids)[k] = trace_string(t, text + (at[k] - at[0]), (size_t)(at[k + 1] - at[k]));
	free(text);
	return st;
}

struct reading {
	struct snap_file f;
	struct unity_heap u;
	struct import *im;
	uint64_t version;
};

struct column {
	uint64_t *v, n;
};

/* A column that has to be as long as its table, or absent. */
static enum status numbers(struct reading *r, unsigned i, bool is_signed, const char *what,
			   uint64_t rows, struct column *c, struct err *e)
{
	enum status st = snap_numbers(&r->f, i, is_signed, what, &c->v, &c->n, e);

	if (!st && c->n && c->n != rows)
		st = err_set(e, ST_BAD,
			     "%s: chapter %u has %" PRIu64 " rows, but its table has %" PRIu64,
			     what, i, c->n, rows);
	return st;
}

static uint64_t at(const struct column *c, uint64_t i, uint64_t otherwise)
{
	return i < c->n ? c->v[i] : otherwise;
}

static enum status snap_native_objects(struct reading *r, struct err *e)
{
	static const char what[] = "native objects";
	struct unity_heap *u = &r->u;
	struct column type, flags, instance, address, size, root, handle;
	uint32_t *names, *types;
	uint64_t n = snap_chapter(&r->f, SNAP_NATIVE_INSTANCE).count, n_names, n_types;
	enum status st;

	st = snap_strings(&r->f, r->im->t, SNAP_NATIVE_TYPE_NAME, "native types", &types, &n_types,
			  e);
	for (uint64_t i = 0; !st && i < n_types; i++)
		VEC_PUSH(u->native_types, u->n_native_types, u->cap_native_types) = types[i];
	st = st ? st : numbers(r, SNAP_NATIVE_TYPE, true, what, n, &type, e);
	st = st ? st : numbers(r, SNAP_NATIVE_FLAGS, false, what, n, &flags, e);
	st = st ? st : numbers(r, SNAP_NATIVE_INSTANCE, true, what, n, &instance, e);
	st = st ? st : numbers(r, SNAP_NATIVE_ADDRESS, false, what, n, &address, e);
	st = st ? st : numbers(r, SNAP_NATIVE_SIZE, false, what, n, &size, e);
	st = st ? st : numbers(r, SNAP_NATIVE_ROOT, false, what, n, &root, e);
	st = st ? st : numbers(r, SNAP_NATIVE_HANDLE, true, what, n, &handle, e);
	st = st ? st : snap_strings(&r->f, r->im->t, SNAP_NATIVE_NAME, what, &names, &n_names, e);
	for (uint64_t i = 0; !st && i < n; i++)
		VEC_PUSH(u->natives, u->n_natives, u->cap_natives) =
		    (struct unity_native){.name = i < n_names ? names[i] : 0,
					  .flags = (uint32_t)at(&flags, i, 0),
					  .type = (int32_t)at(&type, i, UINT64_MAX),
					  .handle = (int32_t)at(&handle, i, UINT64_MAX),
					  .instance = (int64_t)at(&instance, i, 0),
					  .size = at(&size, i, 0),
					  .address = at(&address, i, 0),
					  .root = at(&root, i, 0)};
	return st;
}

static void connect_instances(struct unity_heap *u, const struct column *from,
			      const struct column *to)
{
	struct map64 index = MAP64_INIT;

	for (size_t i = 0; i < u->n_natives; i++)
		*map64_put(&index, (uint64_t)u->natives[i].instance) = (uint32_t)i + 1;
	for (uint64_t i = 0; i < from->n && i < to->n; i++) {
		uint32_t a = map64_get(&index, from->v[i]), b = map64_get(&index, to->v[i]);

		VEC_PUSH(u->connections, u->n_connections, u->cap_connections) =
		    (struct unity_connection){a ? a - 1 : 0, b ? b - 1 : 0,
					      a ? UNITY_NATIVE : UNITY_OTHER,
					      b ? UNITY_NATIVE : UNITY_OTHER};
	}
	map64_release(&index);
}

static enum status snap_connections(struct reading *r, struct err *e)
{
	struct unity_heap *u = &r->u;
	struct column targets, from, to;
	uint64_t n = snap_chapter(&r->f, SNAP_HANDLES).count;
	enum status st = numbers(r, SNAP_HANDLES, false, "GC handles", n, &targets, e);

	for (uint64_t i = 0; !st && i < targets.n; i++)
		VEC_PUSH(u->handles, u->n_handles, u->cap_handles) = targets.v[i];
	n = snap_chapter(&r->f, SNAP_CONNECTIONS_FROM).count;
	st = st ? st : numbers(r, SNAP_CONNECTIONS_FROM, true, "connections", n, &from, e);
	st = st ? st : numbers(r, SNAP_CONNECTIONS_TO, true, "connections", n, &to, e);
	if (st)
		return st;
	if (r->version >= BY_INSTANCE) {
		connect_instances(u, &from, &to);
	} else {
		for (uint64_t i = 0; i < from.n && i < to.n; i++)
			unity_heap_connect(u, from.v[i], to.v[i]);
	}
	return ST_OK;
}

/* An element of a varied chapter, in the heap's arena. */
static enum status element(struct reading *r, unsigned i, uint64_t from, uint64_t to,
			   const char *what, const uint8_t **p, size_t *n, struct err *e)
{
	uint8_t *bytes;

	*n = (size_t)(to - from);
	*p = NULL;
	if (!*n)
		return ST_OK;
	bytes = arena_alloc(&r->u.arena, *n);
	*p = bytes;
	return snap_bytes(&r->f, i, from, bytes, *n, what, e);
}

static enum status snap_sections(struct reading *r, struct err *e)
{
	struct unity_heap *u = &r->u;
	struct column start;
	uint64_t *positions, n;
	enum status st =
	    snap_positions(&r->f, SNAP_SECTION_BYTES, "managed heap", &positions, &n, e);

	st = st ? st : numbers(r, SNAP_SECTION_START, false, "managed heap", n, &start, e);
	for (uint64_t i = 0; !st && i < start.n; i++) {
		struct unity_section s = {.start = start.v[i] & INT64_MAX};

		st = element(r, SNAP_SECTION_BYTES, positions[i], positions[i + 1], "managed heap",
			     &s.bytes, &s.n, e);
		if (!st && s.n)
			VEC_PUSH(u->sections, u->n_sections, u->cap_sections) = s;
	}
	return st;
}

static enum status snap_fields(struct reading *r, struct err *e)
{
	static const char what[] = "fields";
	struct unity_heap *u = &r->u;
	struct column offset, type, is_static;
	uint64_t n = snap_chapter(&r->f, SNAP_FIELD_OFFSET).count, n_names;
	uint32_t *names;
	enum status st = numbers(r, SNAP_FIELD_OFFSET, true, what, n, &offset, e);

	st = st ? st : numbers(r, SNAP_FIELD_TYPE, true, what, n, &type, e);
	st = st ? st : numbers(r, SNAP_FIELD_STATIC, false, what, n, &is_static, e);
	st = st ? st : snap_strings(&r->f, r->im->t, SNAP_FIELD_NAME, what, &names, &n_names, e);
	for (uint64_t i = 0; !st && i < n; i++)
		VEC_PUSH(u->fields, u->n_fields, u->cap_fields) =
		    (struct unity_field){.offset = (int32_t)at(&offset, i, 0),
					 .type = (int32_t)at(&type, i, UINT64_MAX),
					 .name = i < n_names ? names[i] : 0,
					 .is_static = at(&is_static, i, 0) != 0};
	return st;
}

/* Field indices of a type are i32 behind each other. */
static enum status snap_type_fields(struct reading *r, struct unity_type *type, uint64_t from,
				    uint64_t to, struct err *e)
{
	struct unity_heap *u = &r->u;
	size_t n = (size_t)(to - from) & ~(size_t)3;
	uint8_t *p = mem_alloc(n ? n : 1);
	enum status st =
	    n ? snap_bytes(&r->f, SNAP_TYPE_FIELDS, from, p, n, "fields of a type", e) : ST_OK;

	type->first_field = (uint32_t)u->n_indices;
	for (size_t k = 0; !st && k < n; k += 4) {
		uint32_t i = le32(p + k);

		if (i >= u->n_fields) {
			st = err_set(e, ST_BAD,
				     "type %zu: field %u is above the number of "
				     "fields, %zu",
				     u->n_types, i, u->n_fields);
			break;
		}
		VEC_PUSH(u->field_indices, u->n_indices, u->cap_indices) = i;
		type->n_fields++;
	}
	free(p);
	return st;
}

static enum status snap_types(struct reading *r, struct err *e)
{
	static const char what[] = "managed types";
	struct unity_heap *u = &r->u;
	struct column flags, base, size, info;
	uint64_t n = snap_chapter(&r->f, SNAP_TYPE_FLAGS).count;
	uint64_t n_names, n_assemblies, n_fields, n_statics, *field_at, *static_at;
	uint32_t *names, *assemblies;
	enum status st = numbers(r, SNAP_TYPE_FLAGS, false, what, n, &flags, e);

	st = st ? st : numbers(r, SNAP_TYPE_BASE, true, what, n, &base, e);
	st = st ? st : numbers(r, SNAP_TYPE_SIZE, true, what, n, &size, e);
	st = st ? st : numbers(r, SNAP_TYPE_INFO, false, what, n, &info, e);
	st = st ? st : snap_strings(&r->f, r->im->t, SNAP_TYPE_NAME, what, &names, &n_names, e);
	st = st ? st
		: snap_strings(&r->f, r->im->t, SNAP_TYPE_ASSEMBLY, what, &assemblies,
			       &n_assemblies, e);
	st = st ? st : snap_positions(&r->f, SNAP_TYPE_FIELDS, what, &field_at, &n_fields, e);
	st = st ? st : snap_positions(&r->f, SNAP_TYPE_STATICS, what, &static_at, &n_statics, e);
	for (uint64_t i = 0; !st && i < n; i++) {
		struct unity_type x = {.flags = (uint32_t)at(&flags, i, 0) & 3,
				       .name = i < n_names ? names[i] : 0,
				       .assembly = i < n_assemblies ? assemblies[i] : 0,
				       .base = (int32_t)at(&base, i, UINT64_MAX),
				       .size = (int32_t)at(&size, i, 0),
				       .info = at(&info, i, 0)};

		if (i < n_fields)
			st = snap_type_fields(r, &x, field_at[i], field_at[i + 1], e);
		if (!st && i < n_statics)
			st = element(r, SNAP_TYPE_STATICS, static_at[i], static_at[i + 1],
				     "static fields", &x.statics, &x.n_statics, e);
		if (!st)
			VEC_PUSH(u->types, u->n_types, u->cap_types) = x;
	}
	return st;
}

/* A value chapter of 32-bit numbers; what is not there is 0. */
static enum status value(struct reading *r, unsigned i, uint32_t *v, size_t n, const char *what,
			 struct err *e)
{
	struct snap_chapter c = snap_chapter(&r->f, i);
	uint8_t p[4];
	enum status st = ST_OK;

	memset(v, 0, n * sizeof *v);
	if (c.kind != SNAP_VALUE)
		return ST_OK;
	for (size_t k = 0; !st && k < n && (k + 1) * 4 <= c.element; k++) {
		st = snap_bytes(&r->f, i, c.at + k * 4, p, 4, what, e);
		v[k] = le32(p);
	}
	return st;
}

static enum status snap_machine(struct reading *r, struct err *e)
{
	uint32_t v[6], version[1];
	char text[16];
	enum status st = value(r, SNAP_VERSION, version, 1, "version", e);

	if (st)
		return st;
	r->version = version[0];
	if (r->version < OLDEST)
		return err_set(e, ST_UNSUPPORTED,
			       "unknown .snap version %" PRIu64 ": tracemill reads versions "
			       "%d to %d",
			       r->version, OLDEST, NEWEST);
	if (r->version > NEWEST)
		trace_note(r->im->t, NOTE_GUESS, 0,
			   ".snap version %" PRIu64 " is newer than the newest known version, "
			   "%d",
			   r->version, NEWEST);
	snprintf(text, sizeof text, "%" PRIu64, r->version);
	trace_set(r->im->t, "unity-snap.version", text);
	st = value(r, SNAP_VM, v, 6, "VM information", e);
	r->u.vm = (struct unity_vm){v[0], v[1], v[2], v[3], v[4], v[5]};
	return st;
}

static enum status snap_read(struct import *im, struct err *e)
{
	struct reading r = {.im = im};
	enum status st = snap_open(&r.f, im->in, e);

	st = st ? st : snap_machine(&r, e);
	st = st ? st : snap_native_objects(&r, e);
	st = st ? st : snap_connections(&r, e);
	st = st ? st : snap_fields(&r, e);
	st = st ? st : snap_types(&r, e);
	st = st ? st : snap_sections(&r, e);
	if (!st && !r.u.n_natives && !r.u.n_sections &&
	    !snap_chapter(&r.f, SNAP_ALLOCATION_SIZE).count)
		st = err_set(e, ST_UNSUPPORTED,
			     "the snapshot has no objects, no heap and no "
			     "allocations");
	if (!st) {
		unity_snap_metrics(&r.f, im->t);
		st = unity_heap_push(&r.u, im, e);
	}
	st = st ? st : unity_snap_allocations(&r.f, im, e);
	unity_heap_release(&r.u);
	snap_close(&r.f);
	return st;
}

const struct reader reader_unity_snap = {
    .name = "unity-snap",
    .family = "Unity",
    .page = "snapshot",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "Unity memory snapshot .snap: objects, managed heap, native allocations",
    .suffixes = "snap",
    .bid = snap_bid,
    .read = snap_read,
};

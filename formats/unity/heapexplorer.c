/* SPDX-License-Identifier: MIT
 *
 * UnityHeapExplorer's .heap files, versions 1 and 2: .NET's BinaryWriter, little-endian, sections
 * in a fixed order. Facts read in pschraut/UnityHeapExplorer@e2c2e916
 * (Editor/Scripts/PackedTypes/, its Write and Read functions); no real file was at hand.
 *
 * A file that is cut is read up to there: what has been read is pushed, except that the managed
 * crawl needs the types, which come late.
 */
#include "formats/unity/heap.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t magic[] = {'h', 'e', 'a', 'p'};

static int heapexplorer_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	/* The version behind it; versions above it are refused by name. */
	if (n < 8 || memcmp(head, magic, 4) != 0 || head[5] || head[6] || head[7])
		return 0;
	return 56;
}

struct reading {
	struct unity_heap *u;
	struct import *im;
	struct cursor *c;
};

/* Up to 2^31 bytes, behind their length in 7-bit pieces. */
static uint32_t string(struct reading *r, const char *what)
{
	uint64_t n = cursor_uleb(r->c);
	const uint8_t *p;

	if (n > LIMIT_CURSOR) {
		cursor_fail(r->c, ST_BAD, "%s: impossible name length: %" PRIu64 " bytes", what, n);
		return 0;
	}
	p = cursor_bytes(r->c, (size_t)n, what);
	return p ? trace_string(r->im->t, (const char *)p, (size_t)n) : 0;
}

static int32_t i32(struct reading *r)
{
	return (int32_t)cursor_u32(r->c);
}

/* The count of a section after its version; false: the end, or an error. */
static bool section(struct reading *r, const char *what, uint32_t newest, uint32_t *version,
		    uint32_t *count)
{
	*version = cursor_u32(r->c);
	*count = cursor_u32(r->c);
	if (cursor_failed(r->c))
		return false;
	if (!*version || *version > newest) {
		cursor_fail(r->c, ST_UNSUPPORTED,
			    "%s: version %u is newer than the newest "
			    "known version, %u",
			    what, *version, newest);
		return false;
	}
	if (*count > INT32_MAX) {
		cursor_fail(r->c, ST_BAD, "%s: impossible count: %d", what, (int)*count);
		return false;
	}
	return true;
}

/* Bytes behind their length, copied. */
static const uint8_t *bytes(struct reading *r, const char *what, size_t *n)
{
	uint32_t length = cursor_u32(r->c);
	const uint8_t *p;

	*n = 0;
	if (cursor_failed(r->c))
		return NULL;
	p = cursor_bytes(r->c, length, what);
	if (!p)
		return NULL;
	*n = length;
	return unity_heap_bytes(r->u, p, length);
}

static void heapexplorer_native_types(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "native types", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		uint32_t name = string(r, "native type");

		i32(r); /* its base */
		if (!cursor_failed(r->c))
			VEC_PUSH(u->native_types, u->n_native_types, u->cap_native_types) = name;
	}
}

static void heapexplorer_native_objects(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "native objects", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		struct unity_native x = {.handle = -1};
		int32_t size;

		x.flags |= cursor_u8(r->c) ? UNITY_PERSISTENT : 0;
		x.flags |= cursor_u8(r->c) ? UNITY_DONT_DESTROY : 0;
		x.flags |= cursor_u8(r->c) ? UNITY_MANAGER : 0;
		x.name = string(r, "native object");
		x.instance = i32(r);
		size = i32(r);
		x.size = size > 0 ? (uint64_t)size : 0;
		x.type = i32(r);
		i32(r); /* hide flags */
		x.address = cursor_u64(r->c);
		if (!cursor_failed(r->c))
			VEC_PUSH(u->natives, u->n_natives, u->cap_natives) = x;
	}
}

static void heapexplorer_handles(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "GC handles", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		uint64_t target = cursor_u64(r->c);

		if (!cursor_failed(r->c))
			VEC_PUSH(u->handles, u->n_handles, u->cap_handles) = target;
	}
}

static void set_end(const struct unity_heap *u, uint8_t *kind, uint32_t index)
{
	if ((*kind == 1 && index < u->n_handles) || (*kind == 2 && index < u->n_natives))
		*kind = *kind == 1 ? UNITY_HANDLE : UNITY_NATIVE;
	else
		*kind = UNITY_OTHER;
}

static void heapexplorer_connections(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "connections", 2, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		struct unity_connection x = {0};

		if (version >= 2) {
			x.from_kind = cursor_u8(r->c);
			x.to_kind = cursor_u8(r->c);
		}
		x.from = cursor_u32(r->c);
		x.to = cursor_u32(r->c);
		if (cursor_failed(r->c))
			return;
		if (version < 2) {
			unity_heap_connect(u, x.from, x.to);
			continue;
		}
		set_end(u, &x.from_kind, x.from);
		set_end(u, &x.to_kind, x.to);
		VEC_PUSH(u->connections, u->n_connections, u->cap_connections) = x;
	}
}

static void heapexplorer_memory(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "managed heap", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		struct unity_section x = {0};

		x.bytes = bytes(r, "managed heap", &x.n);
		x.start = cursor_u64(r->c);
		if (!cursor_failed(r->c))
			VEC_PUSH(u->sections, u->n_sections, u->cap_sections) = x;
	}
}

static void heapexplorer_fields(struct reading *r, struct unity_type *type)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	type->first_field = (uint32_t)u->n_indices;
	if (!section(r, "fields", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		struct unity_field f = {.name = string(r, "field")};

		f.offset = i32(r);
		f.type = i32(r);
		f.is_static = cursor_u8(r->c) != 0;
		if (cursor_failed(r->c))
			return;
		VEC_PUSH(u->field_indices, u->n_indices, u->cap_indices) = (uint32_t)u->n_fields;
		VEC_PUSH(u->fields, u->n_fields, u->cap_fields) = f;
		type->n_fields++;
	}
}

static void heapexplorer_types(struct reading *r)
{
	struct unity_heap *u = r->u;
	uint32_t version, n;

	if (!section(r, "managed types", 1, &version, &n))
		return;
	while (n-- && !cursor_failed(r->c)) {
		struct unity_type x = {0};

		x.flags |= cursor_u8(r->c) ? UNITY_VALUE_TYPE : 0;
		x.flags |= cursor_u8(r->c) ? UNITY_ARRAY : 0;
		i32(r); /* rank */
		x.name = string(r, "managed type");
		x.assembly = string(r, "assembly");
		x.statics = bytes(r, "static fields", &x.n_statics);
		x.base = i32(r);
		x.size = i32(r);
		x.info = cursor_u64(r->c);
		i32(r); /* its own index */
		heapexplorer_fields(r, &x);
		if (!cursor_failed(r->c))
			VEC_PUSH(u->types, u->n_types, u->cap_types) = x;
	}
}

static void heapexplorer_machine(struct reading *r)
{
	struct unity_vm *vm = &r->u->vm;
	uint32_t version = cursor_u32(r->c);

	if (!cursor_failed(r->c) && version != 1) {
		cursor_fail(r->c, ST_UNSUPPORTED, "VM information: unknown version %u", version);
		return;
	}
	vm->pointer = cursor_u32(r->c);
	vm->header = cursor_u32(r->c);
	vm->array_header = cursor_u32(r->c);
	vm->array_bounds = cursor_u32(r->c);
	vm->array_size = cursor_u32(r->c);
	vm->granularity = cursor_u32(r->c);
	cursor_u32(r->c); /* the heap format's version */
}

static enum status heapexplorer_header(struct reading *r, struct err *e)
{
	static const char *const keys[] = {"unity.version", "unity.platform", "unity.comment"};
	uint32_t version;
	char text[16];

	cursor_skip(r->c, 4, "magic");
	version = cursor_u32(r->c);
	if (!cursor_failed(r->c) && (!version || version > 2))
		return cursor_fail(r->c, ST_UNSUPPORTED,
				   "unknown .heap version %u: tracemill reads versions 1 and 2",
				   version);
	for (size_t i = 0; i < 3; i++) {
		uint32_t s = string(r, "header");

		if (*trace_text(r->im->t, s))
			trace_set(r->im->t, keys[i], trace_text(r->im->t, s));
	}
	if (version >= 2 && cursor_u8(r->c))
		trace_note(r->im->t, NOTE_INFO, 0,
			   "the snapshot was captured without the connections of native "
			   "objects");
	if (cursor_failed(r->c))
		return err_failure(e);
	snprintf(text, sizeof text, "%u", version);
	trace_set(r->im->t, "heapexplorer.version", text);
	return ST_OK;
}

static enum status heapexplorer_read(struct import *im, struct err *e)
{
	static void (*const parts[])(struct reading * r) = {
	    heapexplorer_native_types, heapexplorer_native_objects, heapexplorer_handles,
	    heapexplorer_connections,  heapexplorer_memory,         heapexplorer_types,
	    heapexplorer_machine};
	struct unity_heap u = {0};
	struct reading r = {&u, im, &im->in->cur};
	struct err later = ERR_INIT;
	enum status st = heapexplorer_header(&r, e), pushed;

	for (size_t i = 0; !st && i < sizeof parts / sizeof *parts; i++) {
		parts[i](&r);
		st = cursor_failed(r.c) ? err_failure(e) : ST_OK;
	}
	if (!st && !cursor_done(r.c))
		trace_note(im->t, NOTE_LOSS, 0, "bytes follow the end of the snapshot");
	if (st && u.n_natives) {
		/* Without the VM's numbers there is no crawl. */
		u.n_sections = 0;
		pushed = unity_heap_push(&u, im, &later);
		if (pushed) {
			*e = later;
			st = pushed;
		}
	} else if (!st) {
		st = unity_heap_push(&u, im, e);
	}
	unity_heap_release(&u);
	return st;
}

const struct reader reader_unity_heapexplorer = {
    .name = "heapexplorer",
    .family = "Unity",
    .page = "snapshot",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "UnityHeapExplorer .heap: native and managed objects of Unity",
    .suffixes = "heap",
    .cut = CUT_NEVER, /* what keeps objects alive is pushed when all was read */
    .bid = heapexplorer_bid,
    .read = heapexplorer_read,
};

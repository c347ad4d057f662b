/* SPDX-License-Identifier: MIT
 *
 * The JSON of Unity's old MemoryProfiler: .memsnap2 (JsonUtility; bytes are arrays of numbers) and
 * .memsnap3 (Newtonsoft; bytes are base64), which is PackedMemorySnapshot as it is serialized. The
 * keys are those of UnityCsReference 2017.4 (Modules/.../PackedMemorySnapshot) and of the old
 * MemoryProfiler's importer; m_GcHandles is also spelled m_GCHandles. No real file was at hand.
 * Numbers are read with all 64 bits. Keys may come in any order, unknown ones are skipped.
 */
#include "formats/unity/heap.h"

#include "formats/emit.h"
#include "lib/base/base64.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/input/json_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum place {
	WHOLE = JSON_PLACES,
	NATIVE_TYPES, /* lists, in the order of their elements */
	NATIVES,
	HANDLES,
	CONNECTIONS,
	SECTIONS,
	TYPES,
	NATIVE_TYPE,
	NATIVE,
	HANDLE,
	CONNECTION,
	SECTION,
	TYPE,
	NATIVE_NAME,
	NATIVE_INSTANCE,
	NATIVE_SIZE,
	NATIVE_TYPE_INDEX,
	NATIVE_FLAGS,
	NATIVE_ADDRESS,
	TARGET,
	FROM,
	TO,
	SECTION_START,
	SECTION_BYTES,
	TYPE_NAME,
	TYPE_ASSEMBLY,
	TYPE_FLAGS,
	TYPE_BASE,
	TYPE_SIZE,
	TYPE_INFO,
	TYPE_BYTES,
	BYTE,
	FIELDS,
	FIELD,
	FIELD_NAME,
	FIELD_OFFSET,
	FIELD_TYPE,
	FIELD_IS_STATIC,
	VM,
	VM_POINTER,
	VM_HEADER,
	VM_ARRAY_HEADER,
	VM_ARRAY_BOUNDS,
	VM_ARRAY_SIZE,
	VM_GRANULARITY
};

static const struct json_row memsnap_rows[] = {
    {JSON_TOP, "{", WHOLE},
    {WHOLE, "m_NativeTypes[", NATIVE_TYPES},
    {NATIVE_TYPES, "{", NATIVE_TYPE},
    {NATIVE_TYPE, "m_Name", NATIVE_NAME},
    {WHOLE, "m_NativeObjects[", NATIVES},
    {NATIVES, "{", NATIVE},
    {NATIVE, "m_Name", NATIVE_NAME},
    {NATIVE, "m_InstanceId", NATIVE_INSTANCE},
    {NATIVE, "m_Size", NATIVE_SIZE},
    {NATIVE, "m_NativeTypeArrayIndex", NATIVE_TYPE_INDEX},
    {NATIVE, "m_Flags", NATIVE_FLAGS},
    {NATIVE, "m_NativeObjectAddress", NATIVE_ADDRESS},
    {WHOLE, "m_GcHandles[", HANDLES},
    {WHOLE, "m_GCHandles[", HANDLES},
    {HANDLES, "{", HANDLE},
    {HANDLE, "m_Target", TARGET},
    {WHOLE, "m_Connections[", CONNECTIONS},
    {CONNECTIONS, "{", CONNECTION},
    {CONNECTION, "m_From", FROM},
    {CONNECTION, "m_To", TO},
    {WHOLE, "m_ManagedHeapSections[", SECTIONS},
    {SECTIONS, "{", SECTION},
    {SECTION, "m_StartAddress", SECTION_START},
    {SECTION, "m_Bytes", SECTION_BYTES},
    {SECTION, "m_Bytes[", SECTION_BYTES},
    {SECTION_BYTES, "", BYTE},
    {WHOLE, "m_TypeDescriptions[", TYPES},
    {TYPES, "{", TYPE},
    {TYPE, "m_Name", TYPE_NAME},
    {TYPE, "m_Assembly", TYPE_ASSEMBLY},
    {TYPE, "m_Flags", TYPE_FLAGS},
    {TYPE, "m_BaseOrElementTypeIndex", TYPE_BASE},
    {TYPE, "m_Size", TYPE_SIZE},
    {TYPE, "m_TypeInfoAddress", TYPE_INFO},
    {TYPE, "m_StaticFieldBytes", TYPE_BYTES},
    {TYPE, "m_StaticFieldBytes[", TYPE_BYTES},
    {TYPE_BYTES, "", BYTE},
    {TYPE, "m_Fields[", FIELDS},
    {FIELDS, "{", FIELD},
    {FIELD, "m_Name", FIELD_NAME},
    {FIELD, "m_Offset", FIELD_OFFSET},
    {FIELD, "m_TypeIndex", FIELD_TYPE},
    {FIELD, "m_IsStatic", FIELD_IS_STATIC},
    {WHOLE, "m_VirtualMachineInformation{", VM},
    {VM, "m_PointerSize", VM_POINTER},
    {VM, "m_ObjectHeaderSize", VM_HEADER},
    {VM, "m_ArrayHeaderSize", VM_ARRAY_HEADER},
    {VM, "m_ArrayBoundsOffsetInHeader", VM_ARRAY_BOUNDS},
    {VM, "m_ArraySizeOffsetInHeader", VM_ARRAY_SIZE},
    {VM, "m_AllocationGranularity", VM_GRANULARITY},
    {0},
};

struct reading {
	struct import *im;
	struct unity_heap u;
	struct unity_native native;
	struct unity_type type;
	struct unity_field field;
	struct unity_section section;
	struct {
		uint64_t *v; /* from, to, from, to ... */
		size_t n, cap;
	} ends;
	uint64_t from, to, target;
	struct buf bytes;
	uint64_t misplaced, bad_bytes;
};

static enum status memsnap_begin(void *arg, unsigned place, struct err *e)
{
	struct reading *r = arg;

	(void)e;
	if (place >= NATIVE_TYPE && place <= TYPE) {
		r->native = (struct unity_native){.handle = -1, .type = -1};
		r->type = (struct unity_type){.base = -1, .first_field = (uint32_t)r->u.n_indices};
		r->section = (struct unity_section){0};
		r->from = r->to = UINT64_MAX;
		r->target = 0;
	} else if (place == FIELD) {
		r->field = (struct unity_field){.type = -1};
	} else {
		r->bytes.len = 0;
	}
	return ST_OK;
}

static void set_bytes(struct reading *r, unsigned place)
{
	const uint8_t *p = unity_heap_bytes(&r->u, (const uint8_t *)r->bytes.data, r->bytes.len);

	if (place == SECTION_BYTES) {
		r->section.bytes = p;
		r->section.n = r->bytes.len;
	} else {
		r->type.statics = p;
		r->type.n_statics = r->bytes.len;
	}
}

static enum status memsnap_end(void *arg, unsigned place, struct err *e)
{
	struct reading *r = arg;
	struct unity_heap *u = &r->u;

	(void)e;
	switch (place) {
	case NATIVE_TYPE:
		VEC_PUSH(u->native_types, u->n_native_types, u->cap_native_types) = r->native.name;
		break;
	case NATIVE: VEC_PUSH(u->natives, u->n_natives, u->cap_natives) = r->native; break;
	case HANDLE: VEC_PUSH(u->handles, u->n_handles, u->cap_handles) = r->target; break;
	case CONNECTION:
		VEC_PUSH(r->ends.v, r->ends.n, r->ends.cap) = r->from;
		VEC_PUSH(r->ends.v, r->ends.n, r->ends.cap) = r->to;
		break;
	case SECTION:
		if (r->section.n)
			VEC_PUSH(u->sections, u->n_sections, u->cap_sections) = r->section;
		break;
	case TYPE: VEC_PUSH(u->types, u->n_types, u->cap_types) = r->type; break;
	case FIELD:
		VEC_PUSH(u->field_indices, u->n_indices, u->cap_indices) = (uint32_t)u->n_fields;
		VEC_PUSH(u->fields, u->n_fields, u->cap_fields) = r->field;
		r->type.n_fields++;
		break;
	case SECTION_BYTES:
	case TYPE_BYTES: set_bytes(r, place); break;
	default: break;
	}
	return ST_OK;
}

static void set_number(struct reading *r, unsigned place, uint64_t v)
{
	struct unity_vm *vm = &r->u.vm;
	uint32_t small = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;

	switch (place) {
	case NATIVE_INSTANCE: r->native.instance = (int64_t)v; break;
	case NATIVE_SIZE: r->native.size = (int64_t)v > 0 ? v : 0; break;
	case NATIVE_TYPE_INDEX: r->native.type = (int32_t)v; break;
	case NATIVE_FLAGS: r->native.flags = (uint32_t)v & 7; break;
	case NATIVE_ADDRESS: r->native.address = v; break;
	case TARGET: r->target = v; break;
	case FROM: r->from = v; break;
	case TO: r->to = v; break;
	case SECTION_START: r->section.start = v; break;
	case TYPE_FLAGS: r->type.flags = (uint32_t)v & (UNITY_VALUE_TYPE | UNITY_ARRAY); break;
	case TYPE_BASE: r->type.base = (int32_t)v; break;
	case TYPE_SIZE: r->type.size = (int32_t)v; break;
	case TYPE_INFO: r->type.info = v; break;
	case FIELD_OFFSET: r->field.offset = (int32_t)v; break;
	case FIELD_TYPE: r->field.type = (int32_t)v; break;
	case FIELD_IS_STATIC: r->field.is_static = v != 0; break;
	case VM_POINTER: vm->pointer = small; break;
	case VM_HEADER: vm->header = small; break;
	case VM_ARRAY_HEADER: vm->array_header = small; break;
	case VM_ARRAY_BOUNDS: vm->array_bounds = small; break;
	case VM_ARRAY_SIZE: vm->array_size = small; break;
	case VM_GRANULARITY: vm->granularity = small; break;
	case BYTE:
		if (v < 256)
			buf_addc(&r->bytes, (char)v);
		else
			r->bad_bytes++;
		break;
	default: break;
	}
}

static void set_text(struct reading *r, unsigned place, struct json_value v)
{
	struct trace *t = r->im->t;

	switch (place) {
	case NATIVE_NAME: r->native.name = trace_string(t, v.s, v.n); break;
	case TYPE_NAME: r->type.name = trace_string(t, v.s, v.n); break;
	case TYPE_ASSEMBLY: r->type.assembly = trace_string(t, v.s, v.n); break;
	case FIELD_NAME: r->field.name = trace_string(t, v.s, v.n); break;
	case SECTION_BYTES:
	case TYPE_BYTES:
		r->bytes.len = 0;
		if (!base64_decode(&r->bytes, v.s, v.n))
			r->bad_bytes++;
		set_bytes(r, place);
		break;
	default: r->misplaced++;
	}
}

static enum status parse_value(struct reading *r, unsigned place, struct json_value v)
{
	int64_t negative;
	uint64_t n;

	if (v.kind == JSON_STRING)
		set_text(r, place, v);
	else if (v.kind == JSON_BOOLEAN)
		set_number(r, place, *v.s == 't');
	else if (v.kind == JSON_NUMBER && num_dec(v.s, v.n, &n))
		set_number(r, place, n);
	else if (v.kind == JSON_NUMBER && num_i64(v.s, v.n, &negative))
		set_number(r, place, (uint64_t)negative);
	else if (v.kind == JSON_NUMBER)
		r->misplaced++;
	return ST_OK;
}

/* 0 to 255; or what is above: not a byte. */
static unsigned to_byte(struct json_value v)
{
	unsigned byte = 0;

	for (size_t i = 0; i < v.n; i++) {
		unsigned digit = (unsigned)(v.s[i] - '0');

		if (digit > 9 || i == 3)
			return UINT_MAX;
		byte = byte * 10 + digit;
	}
	return byte;
}

static enum status memsnap_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct reading *r = arg;
	unsigned byte = place == BYTE && v.kind == JSON_NUMBER ? to_byte(v) : UINT_MAX;

	(void)e;
	if (byte > UINT8_MAX)
		return parse_value(r, place, v);
	buf_addc(&r->bytes, (char)byte); /* most of a large file */
	return ST_OK;
}

static enum status finish(struct reading *r, struct err *e)
{
	struct trace *t = r->im->t;

	for (size_t i = 0; i + 1 < r->ends.n; i += 2)
		unity_heap_connect(&r->u, r->ends.v[i], r->ends.v[i + 1]);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, r->misplaced, "values have a type that does not match their key"),
	    LOSS(NOTE_LOSS, r->bad_bytes, "invalid bytes were left out"),
	};

	TRACE_LOSSES(t, losses);
	return unity_heap_push(&r->u, r->im, e);
}

static enum status memsnap_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = memsnap_rows,
						  .begin = memsnap_begin,
						  .end = memsnap_end,
						  .value = memsnap_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct reading r = {.im = im};
	struct json_result at = {0};
	struct err later = ERR_INIT;
	enum status st = json_walk(&im->in->cur, &walker, &r, &options, &at, NULL, e), pushed;

	if (at.repaired)
		trace_note(im->t, NOTE_LOSS, at.repaired, "bytes of names are not UTF-8");
	if (!st && !r.u.n_natives && !r.u.n_types)
		st = err_at(e, ST_BAD, 0,
			    "not a snapshot: m_NativeObjects and m_TypeDescriptions are both "
			    "empty");
	else if (!st)
		st = finish(&r, e);
	else if (r.u.n_natives || r.u.n_types) {
		if (unity_heap_check(&r.u, &later))
			r.u.n_sections = 0; /* the VM's numbers were behind the cut */
		later = (struct err)ERR_INIT;
		pushed = finish(&r, &later);
		if (pushed) {
			*e = later;
			st = pushed;
		}
	}
	unity_heap_release(&r.u);
	free(r.ends.v);
	buf_release(&r.bytes);
	return st;
}

/* An object with keys of a snapshot. */
static int memsnap_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {"\"m_NativeTypes\"",
					    "\"m_NativeObjects\"",
					    "\"m_NativeBaseTypeArrayIndex\"",
					    "\"m_ManagedHeapSections\"",
					    "\"m_TypeDescriptions\"",
					    "\"m_VirtualMachineInformation\"",
					    "\"m_Connections\"",
					    "\"m_StartAddress\"",
					    "\"m_NativeObjectAddress\""};
	size_t i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	int found = 0;

	(void)whole;
	while (i < n && head[i] && strchr(" \t\r\n", head[i]))
		i++;
	if (i >= n || head[i] != '{')
		return 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		found += memmem(head, n, words[k], strlen(words[k])) != NULL;
	return found >= 2 ? found * 12 : 0;
}

const struct reader reader_unity_memsnap = {
    .name = "memsnap",
    .family = "Unity",
    .page = "snapshot",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "Unity's old MemoryProfiler, JSON: .memsnap2 and .memsnap3",
    .suffixes = "memsnap2,memsnap3",
    .cut = CUT_NEVER, /* what keeps objects alive is pushed when all was read */
    .bid = memsnap_bid,
    .read = memsnap_read,
};

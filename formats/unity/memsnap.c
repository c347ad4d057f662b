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
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/input/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum part { NO_PART, NATIVE_TYPES, NATIVES, HANDLES, CONNECTIONS, SECTIONS, TYPES, VM };
/* The places of a part's values, as depths. */
enum { IN_FILE = 1, IN_PART, IN_ELEMENT, IN_LIST, IN_FIELD };

enum key {
	K_OTHER,
	K_NAME,
	K_INSTANCE,
	K_SIZE,
	K_TYPE,
	K_FLAGS,
	K_ADDRESS,
	K_TARGET,
	K_FROM,
	K_TO,
	K_BYTES,
	K_START,
	K_ASSEMBLY,
	K_FIELDS,
	K_OFFSET,
	K_TYPE_INDEX,
	K_IS_STATIC,
	K_BASE,
	K_INFO,
	K_POINTER,
	K_HEADER,
	K_ARRAY_HEADER,
	K_ARRAY_BOUNDS,
	K_ARRAY_SIZE,
	K_GRANULARITY
};

static const struct {
	const char *word;
	uint8_t id;
} parts[] = {{"m_NativeTypes", NATIVE_TYPES}, {"m_NativeObjects", NATIVES},
	     {"m_GcHandles", HANDLES},        {"m_GCHandles", HANDLES},
	     {"m_Connections", CONNECTIONS},  {"m_ManagedHeapSections", SECTIONS},
	     {"m_TypeDescriptions", TYPES},   {"m_VirtualMachineInformation", VM}},
  keys[] = {{"m_Name", K_NAME},
	    {"m_InstanceId", K_INSTANCE},
	    {"m_Size", K_SIZE},
	    {"m_NativeTypeArrayIndex", K_TYPE},
	    {"m_Flags", K_FLAGS},
	    {"m_NativeObjectAddress", K_ADDRESS},
	    {"m_Target", K_TARGET},
	    {"m_From", K_FROM},
	    {"m_To", K_TO},
	    {"m_Bytes", K_BYTES},
	    {"m_StaticFieldBytes", K_BYTES},
	    {"m_StartAddress", K_START},
	    {"m_Assembly", K_ASSEMBLY},
	    {"m_Fields", K_FIELDS},
	    {"m_Offset", K_OFFSET},
	    {"m_TypeIndex", K_TYPE_INDEX},
	    {"m_IsStatic", K_IS_STATIC},
	    {"m_BaseOrElementTypeIndex", K_BASE},
	    {"m_TypeInfoAddress", K_INFO},
	    {"m_PointerSize", K_POINTER},
	    {"m_ObjectHeaderSize", K_HEADER},
	    {"m_ArrayHeaderSize", K_ARRAY_HEADER},
	    {"m_ArrayBoundsOffsetInHeader", K_ARRAY_BOUNDS},
	    {"m_ArraySizeOffsetInHeader", K_ARRAY_SIZE},
	    {"m_AllocationGranularity", K_GRANULARITY}};

struct reading {
	struct import *im;
	struct unity_heap u;
	unsigned depth;
	enum part part;
	enum key key, list; /* list: what the brackets in an element hold */
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

static uint8_t find(const char *s, size_t n, bool is_part)
{
	size_t count = is_part ? sizeof parts / sizeof *parts : sizeof keys / sizeof *keys;

	for (size_t i = 0; i < count; i++) {
		const char *word = is_part ? parts[i].word : keys[i].word;

		if (strlen(word) == n && !memcmp(word, s, n))
			return is_part ? parts[i].id : keys[i].id;
	}
	return 0;
}

static enum status memsnap_on_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct reading *r = arg;

	(void)e;
	if (r->depth == IN_FILE)
		r->part = (enum part)find(s, n, true);
	else
		r->key = (enum key)find(s, n, false);
	return ST_OK;
}

static enum status memsnap_on_begin(void *arg, char bracket, struct err *e)
{
	struct reading *r = arg;

	(void)e;
	(void)bracket;
	r->depth++;
	if (r->depth == IN_ELEMENT) {
		r->native = (struct unity_native){.handle = -1, .type = -1};
		r->type = (struct unity_type){.base = -1, .first_field = (uint32_t)r->u.n_indices};
		r->section = (struct unity_section){0};
		r->from = r->to = UINT64_MAX;
		r->target = 0;
		r->list = K_OTHER;
	} else if (r->depth == IN_LIST) {
		r->list = r->key;
		r->bytes.len = 0;
	} else if (r->depth == IN_FIELD) {
		r->field = (struct unity_field){.type = -1};
	}
	return ST_OK;
}

static void set_bytes(struct reading *r)
{
	const uint8_t *p = unity_heap_bytes(&r->u, (const uint8_t *)r->bytes.data, r->bytes.len);

	if (r->part == SECTIONS) {
		r->section.bytes = p;
		r->section.n = r->bytes.len;
	} else if (r->part == TYPES) {
		r->type.statics = p;
		r->type.n_statics = r->bytes.len;
	}
}

static void memsnap_end_element(struct reading *r)
{
	struct unity_heap *u = &r->u;

	switch (r->part) {
	case NATIVE_TYPES:
		VEC_PUSH(u->native_types, u->n_native_types, u->cap_native_types) = r->native.name;
		break;
	case NATIVES: VEC_PUSH(u->natives, u->n_natives, u->cap_natives) = r->native; break;
	case HANDLES: VEC_PUSH(u->handles, u->n_handles, u->cap_handles) = r->target; break;
	case CONNECTIONS:
		VEC_PUSH(r->ends.v, r->ends.n, r->ends.cap) = r->from;
		VEC_PUSH(r->ends.v, r->ends.n, r->ends.cap) = r->to;
		break;
	case SECTIONS:
		if (r->section.n)
			VEC_PUSH(u->sections, u->n_sections, u->cap_sections) = r->section;
		break;
	case TYPES: VEC_PUSH(u->types, u->n_types, u->cap_types) = r->type; break;
	default: break;
	}
}

static enum status memsnap_on_end(void *arg, char bracket, struct err *e)
{
	struct reading *r = arg;
	struct unity_heap *u = &r->u;

	(void)e;
	if (r->depth == IN_FIELD && r->part == TYPES && r->list == K_FIELDS) {
		VEC_PUSH(u->field_indices, u->n_indices, u->cap_indices) = (uint32_t)u->n_fields;
		VEC_PUSH(u->fields, u->n_fields, u->cap_fields) = r->field;
		r->type.n_fields++;
	} else if (r->depth == IN_LIST && r->list == K_BYTES) {
		set_bytes(r);
	} else if (r->depth == IN_ELEMENT && bracket == '}') {
		memsnap_end_element(r);
	}
	r->depth--;
	r->key = K_OTHER;
	return ST_OK;
}

static void set_type_number(struct reading *r, uint64_t v)
{
	switch (r->key) {
	case K_FLAGS: r->type.flags = (uint32_t)v & (UNITY_VALUE_TYPE | UNITY_ARRAY); break;
	case K_BASE: r->type.base = (int32_t)v; break;
	case K_SIZE: r->type.size = (int32_t)v; break;
	case K_INFO: r->type.info = v; break;
	default: break;
	}
}

static void memsnap_set_element_number(struct reading *r, uint64_t v)
{
	struct unity_native *x = &r->native;

	if (r->part == TYPES) {
		set_type_number(r, v);
		return;
	}
	switch (r->key) {
	case K_INSTANCE: x->instance = (int64_t)v; break;
	case K_SIZE: x->size = (int64_t)v > 0 ? v : 0; break;
	case K_TYPE: x->type = (int32_t)v; break;
	case K_FLAGS: x->flags = (uint32_t)v & 7; break;
	case K_ADDRESS: x->address = v; break;
	case K_TARGET: r->target = v; break;
	case K_FROM: r->from = v; break;
	case K_TO: r->to = v; break;
	case K_START: r->section.start = v; break;
	default: break;
	}
}

static void set_vm(struct unity_vm *vm, enum key key, uint64_t value)
{
	uint32_t v = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;

	switch (key) {
	case K_POINTER: vm->pointer = v; break;
	case K_HEADER: vm->header = v; break;
	case K_ARRAY_HEADER: vm->array_header = v; break;
	case K_ARRAY_BOUNDS: vm->array_bounds = v; break;
	case K_ARRAY_SIZE: vm->array_size = v; break;
	case K_GRANULARITY: vm->granularity = v; break;
	default: break;
	}
}

static void set_field_number(struct reading *r, uint64_t v)
{
	switch (r->key) {
	case K_OFFSET: r->field.offset = (int32_t)v; break;
	case K_TYPE_INDEX: r->field.type = (int32_t)v; break;
	case K_IS_STATIC: r->field.is_static = v != 0; break;
	default: break;
	}
}

static void set_number(struct reading *r, uint64_t v)
{
	if (r->depth == IN_PART && r->part == VM)
		set_vm(&r->u.vm, r->key, v);
	else if (r->depth == IN_ELEMENT)
		memsnap_set_element_number(r, v);
	else if (r->depth == IN_LIST && r->list == K_BYTES && v < 256)
		buf_addc(&r->bytes, (char)v);
	else if (r->depth == IN_LIST && r->list == K_BYTES)
		r->bad_bytes++;
	else if (r->depth == IN_FIELD && r->list == K_FIELDS)
		set_field_number(r, v);
}

static enum status memsnap_on_number(void *arg, const char *s, size_t n, struct err *e)
{
	struct reading *r = arg;
	uint64_t v;
	int64_t negative;

	(void)e;
	if (r->depth == IN_LIST && r->list == K_BYTES && n == 1) { /* most of a large file */
		buf_addc(&r->bytes, (char)(s[0] - '0'));
		return ST_OK;
	}
	if (num_dec(s, n, &v))
		set_number(r, v);
	else if (num_i64(s, n, &negative))
		set_number(r, (uint64_t)negative);
	else if (r->key != K_OTHER)
		r->misplaced++;
	return ST_OK;
}

static enum status memsnap_on_boolean(void *arg, bool v, struct err *e)
{
	(void)e;
	set_number(arg, v);
	return ST_OK;
}

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* RFC 4648, whole groups; false: invalid. */
static bool memsnap_base64(struct buf *out, const char *s, size_t n)
{
	uint32_t bits = 0;
	unsigned have = 0;

	while (n && s[n - 1] == '=')
		n--;
	for (size_t i = 0; i < n; i++) {
		int d = digit(s[i]);

		if (d < 0)
			return false;
		bits = bits << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8) {
			have -= 8;
			buf_addc(out, (char)(bits >> have));
		}
	}
	return have < 6;
}

static enum status memsnap_on_string(void *arg, const char *s, size_t n, struct err *e)
{
	struct reading *r = arg;
	struct trace *t = r->im->t;

	(void)e;
	if (r->depth == IN_FIELD && r->key == K_NAME) {
		r->field.name = trace_string(t, s, n);
	} else if (r->depth == IN_ELEMENT && r->key == K_NAME) {
		r->native.name = r->type.name = trace_string(t, s, n);
	} else if (r->depth == IN_ELEMENT && r->key == K_ASSEMBLY) {
		r->type.assembly = trace_string(t, s, n);
	} else if (r->depth == IN_ELEMENT && r->key == K_BYTES) {
		r->bytes.len = 0;
		if (!memsnap_base64(&r->bytes, s, n))
			r->bad_bytes++;
		set_bytes(r);
	} else if (r->key != K_OTHER) {
		r->misplaced++;
	}
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
	static const struct json_handler handler = {.boolean = memsnap_on_boolean,
						    .number = memsnap_on_number,
						    .string = memsnap_on_string,
						    .key = memsnap_on_key,
						    .begin = memsnap_on_begin,
						    .end = memsnap_on_end};
	static const struct json_options options = {.repair_utf8 = true};
	struct reading r = {.im = im};
	struct json_result at = {0};
	struct err later = ERR_INIT;
	enum status st = json_parse(&im->in->cur, &handler, &r, &options, &at, e), pushed;

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
    .carries = CARRIES_TYPES | CARRIES_OBJECTS | CARRIES_REFERENCES,
    .what = "Unity's old MemoryProfiler, JSON: .memsnap2 and .memsnap3",
    .suffixes = "memsnap2,memsnap3",
    .cut = CUT_NEVER, /* what keeps objects alive is pushed when all was read */
    .bid = memsnap_bid,
    .read = memsnap_read,
};

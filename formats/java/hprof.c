/* SPDX-License-Identifier: MIT
 *
 * Heap dumps of Java and Android (HPROF, 1.0.1 to 1.0.3), big-endian:
 *
 *	"JAVA PROFILE 1.0.2\0", u4 bytes of an id, u8 milliseconds; then records: u1 tag, u4 microseconds, u4 length
 *	0x01 text: id, bytes
 *	0x02 class: u4 serial, id, u4 trace, id of its name
 *	0x04 frame: id, ids of method, signature and file, u4 serial of the class, i4 line
 *	0x05 trace: u4 serial, u4 thread, u4 n, ids of frames, innermost first
 *	0x0c, 0x1c heap (or a segment of it): sub-records, each a u1 and what heap_record says
 *
 * A class may come behind its objects, so that the file is read twice.
 *
 * Sizes: Android's classes state the whole size of an object. Those of Java state the bytes of the fields as they are
 * in the dump, where a reference has as many bytes as an id; how HotSpot lays objects out is known, not stated.
 *
 * From hprof_b_spec.h and heapDumper.cpp of OpenJDK, and hprof.cc of ART.
 */
#include "formats/emit.h"
#include "formats/java/names.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum top_tag {
	TEXT = 0x01,
	LOAD_CLASS = 0x02,
	FRAME = 0x04,
	TRACE = 0x05,
	HEAP = 0x0c,
	SEGMENT = 0x1c
};
enum heap_tag {
	CLASS_DUMP = 0x20,
	INSTANCE = 0x21,
	OBJECT_ARRAY = 0x22,
	PRIMITIVE_ARRAY = 0x23,
	ARRAY_NO_DATA = 0xc3, /* Android */
	HEAP_INFO = 0xfe
};
enum value_type { REFERENCE = 2, BOOLEAN = 4, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG };
enum { SUPERS_MOST = 256, ALIGN = 8, HEAD = 31, COMPRESSED_SPAN = 35, FRAMES_MOST = 1 << 16 };

struct hprof_field {
	uint64_t name; /* an id; then a string of the trace */
	uint8_t type;
};

struct hprof_class {
	uint64_t id, super, name; /* ids */
	uint32_t size;            /* as stated */
	size_t first, n;          /* of fields */
	uint32_t own;             /* bytes of the fields in an object */
	uint64_t whole;           /* bytes of an object in memory; 0: not known yet */
	uint32_t type;            /* of the trace; 0: not made yet */
	bool weak;                /* its field "referent" holds nothing */
	bool dumped, named;
};

struct hprof {
	struct import *im;
	struct cursor *c;
	unsigned id_size;
	bool android, second, compressed, output_failed;
	struct intern texts;
	struct map64 text_ids, class_ids, serials, frames,
	    traces; /* class_ids: of classes, and 1 */
	struct hprof_class *classes;
	size_t n_classes, cap_classes;
	struct hprof_field *fields;
	size_t n_fields, cap_fields;
	uint32_t types[LONG + 1]; /* of arrays of primitive values */
	uint32_t class_type, element;
	uint64_t object_class; /* java.lang.Class: the place and 1 */
	/* what tells how long a reference is in memory */
	uint64_t lowest, highest, array, array_n, of_4, of_8;
	struct buf text;
	uint32_t *locations;
	size_t cap_locations;
	uint64_t weak, unknown_class, short_data, odd, no_text, unreachable, objects, zero;
};

/* --- ids and texts --- */

static uint64_t read_id(struct hprof *h)
{
	return h->id_size == 4 ? cursor_u32(h->c) : cursor_u64(h->c);
}

static unsigned size_of(const struct hprof *h, unsigned type, unsigned reference)
{
	static const uint8_t sizes[] = {[BOOLEAN] = 1, [CHAR] = 2,  [FLOAT] = 4, [DOUBLE] = 8,
					[BYTE] = 1,    [SHORT] = 2, [INT] = 4,   [LONG] = 8};

	(void)h;
	if (type == REFERENCE)
		return reference;
	return type < sizeof sizes ? sizes[type] : 0;
}

static const char *text_of(struct hprof *h, uint64_t id, size_t *n)
{
	uint32_t row = map64_get(&h->text_ids, id);

	h->no_text += !row;
	return intern_text(&h->texts, row, n);
}

static uint32_t string_of(struct hprof *h, uint64_t id)
{
	size_t n;
	const char *s = text_of(h, id, &n);

	return n ? trace_string(h->im->t, s, n) : 0;
}

static void class_name(struct hprof *h, const struct hprof_class *class)
{
	size_t n;
	const char *s = text_of(h, class ? class->name : 0, &n);

	h->text.len = 0;
	java_class_name(&h->text, s, n);
}

static struct hprof_class *class_put(struct hprof *h, uint64_t id)
{
	uint32_t *at = map64_put(&h->class_ids, id);

	if (!*at) {
		VEC_PUSH(h->classes, h->n_classes, h->cap_classes) = (struct hprof_class){.id = id};
		*at = (uint32_t)h->n_classes;
	}
	return &h->classes[*at - 1];
}

static struct hprof_class *class_get(struct hprof *h, uint64_t id)
{
	uint32_t at = map64_get(&h->class_ids, id);

	return at ? &h->classes[at - 1] : NULL;
}

static uint32_t type_of(struct hprof *h, struct hprof_class *class)
{
	if (!class->type) {
		class_name(h, class);
		class->type = trace_type(h->im->t, buf_str(&h->text), h->text.len);
	}
	return class->type;
}

/* --- records of the file --- */

static void hprof_text(struct hprof *h, uint64_t length)
{
	uint64_t id = read_id(h);
	const uint8_t *s;

	if (length < h->id_size || cursor_failed(h->c))
		return;
	s = cursor_bytes(h->c, length - h->id_size, "a text");
	if (s)
		*map64_put(&h->text_ids, id) =
		    intern_append(&h->texts, (const char *)s, length - h->id_size);
}

static void load_class(struct hprof *h)
{
	uint32_t serial = cursor_u32(h->c);
	uint64_t id = read_id(h), name;
	struct hprof_class *class;

	cursor_u32(h->c);
	name = read_id(h);
	if (cursor_failed(h->c))
		return;
	class = class_put(h, id);
	class->name = name;
	class->named = true;
	*map64_put(&h->serials, serial) = (uint32_t)(class - h->classes) + 1;
}

/* A location of the trace. Its class may have no name yet, but has one in every dump that was seen. */
static void read_frame(struct hprof *h)
{
	uint64_t id = read_id(h), method = read_id(h), file;
	uint32_t class, line, name;

	read_id(h);
	file = read_id(h);
	class = map64_get(&h->serials, cursor_u32(h->c));
	line = cursor_u32(h->c);
	if (cursor_failed(h->c))
		return;
	h->text.len = 0;
	if (class) {
		class_name(h, &h->classes[class - 1]);
		buf_addc(&h->text, '.');
	}
	buf_adds(&h->text, text_of(h, method, NULL));
	name = trace_string(h->im->t, buf_str(&h->text), h->text.len);
	*map64_put(&h->frames, id) =
	    emit_named(h->im->t, name, file ? string_of(h, file) : 0, line <= INT32_MAX ? line : 0);
}

static void read_trace(struct hprof *h, uint64_t length)
{
	uint32_t serial = cursor_u32(h->c), n, stack;

	cursor_u32(h->c);
	n = cursor_u32(h->c);
	if (cursor_failed(h->c) || n > (length - 12) / h->id_size || n > FRAMES_MOST) {
		h->odd += !cursor_failed(h->c);
		return;
	}
	h->locations = mem_grow(h->locations, &h->cap_locations, n + 1, sizeof *h->locations);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t location = map64_get(&h->frames, read_id(h));

		h->locations[n - 1 - i] = location ? location : emit_named(h->im->t, 0, 0, 0);
	}
	if (!n || cursor_failed(h->c))
		return;
	stack = 0;
	for (uint32_t i = 0; i < n; i++)
		stack = trace_stack(h->im->t, stack, h->locations[i]);
	*map64_put(&h->traces, serial) = stack;
}

/* --- the heap, first reading --- */

static uint64_t aligned(uint64_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Whether the next object lies where an array ends, with references of 4 or of 8 bytes. */
static void note_extent(struct hprof *h, uint64_t id, bool array, uint64_t n)
{
	if (!id)
		return;
	h->lowest = h->lowest && h->lowest < id ? h->lowest : id;
	h->highest = h->highest > id ? h->highest : id;
	if (h->array_n > 1) {
		h->of_4 += id == h->array + aligned(16 + 4 * h->array_n);
		h->of_8 += id == h->array + aligned(16 + 8 * h->array_n);
	}
	h->array = id;
	h->array_n = array ? n : 0;
}

static unsigned reference_size(const struct hprof *h)
{
	return h->id_size == 4 || h->compressed ? 4 : 8;
}

static uint64_t header(const struct hprof *h)
{
	return h->id_size == 4 ? 8 : h->android ? 8 : 12;
}

static uint64_t array_size(const struct hprof *h, uint64_t n, unsigned size)
{
	return aligned(header(h) + 4 + n * size);
}

/* Fields of all classes above, too. */
static uint64_t instance_size(struct hprof *h, struct hprof_class *class)
{
	const struct hprof_class *up = class;
	uint64_t sum = header(h);

	if (h->android)
		return aligned(class->size);
	if (class->whole)
		return class->whole;
	for (int i = 0; up && i < SUPERS_MOST; i++) {
		for (size_t k = 0; k < up->n; k++)
			sum += size_of(h, h->fields[up->first + k].type, reference_size(h));
		up = up->super ? class_get(h, up->super) : NULL;
	}
	class->whole = aligned(sum);
	return class->whole;
}

/* --- the heap, second reading --- */

static enum status push_object(struct hprof *h, const struct emit_object *o, struct err *e)
{
	enum status st;

	if (!o->id) {
		h->zero++;
		return ST_OK;
	}
	st = emit_object(h->im, o, e);
	h->output_failed |= st != ST_OK;
	return st;
}

static enum status push_reference(struct hprof *h, uint64_t from, uint64_t to, uint32_t name,
				  struct err *e)
{
	enum status st;

	if (!to || to == from)
		return ST_OK;
	st = emit_reference(h->im, from, to, name, ABSENT, e);
	h->output_failed |= st != ST_OK;
	return st;
}

static uint64_t read_value(struct hprof *h, unsigned type)
{
	switch (size_of(h, type, h->id_size)) {
	case 1: return cursor_u8(h->c);
	case 2: return cursor_u16(h->c);
	case 4: return cursor_u32(h->c);
	case 8: return cursor_u64(h->c);
	default: cursor_fail(h->c, ST_BAD, "a value of type %u", type); return 0;
	}
}

/* Class objects: their static fields lie in them. */
static enum status push_class(struct hprof *h, uint64_t id, uint64_t statics, struct err *e)
{
	const struct hprof_class *class = class_get(h, id);
	struct hprof_class *of_all = h->object_class ? &h->classes[h->object_class - 1] : NULL;
	struct emit_object o = {.id = id, .type = h->class_type};
	uint64_t size = of_all ? instance_size(h, of_all) : header(h);

	h->objects++;
	if (class && class->named) {
		class_name(h, class);
		o.name = trace_string(h->im->t, buf_str(&h->text), h->text.len);
	}
	o.size = KNOWN(aligned(size + statics));
	return push_object(h, &o, e);
}

static enum status read_statics(struct hprof *h, uint64_t id, struct err *e)
{
	unsigned n = cursor_u16(h->c);
	uint64_t bytes = 0;
	enum status st = ST_OK;

	for (unsigned i = 0; i < n && !st && !cursor_failed(h->c); i++) {
		uint64_t name = read_id(h), v;
		unsigned type = cursor_u8(h->c);

		v = read_value(h, type);
		bytes += size_of(h, type, reference_size(h));
		if (h->second && type == REFERENCE && !cursor_failed(h->c))
			st = push_reference(h, id, v, string_of(h, name), e);
	}
	if (h->second && !st && !cursor_failed(h->c))
		st = push_class(h, id, bytes, e);
	return st;
}

static void read_fields(struct hprof *h, uint64_t id, uint64_t super, uint32_t size)
{
	unsigned n = cursor_u16(h->c);
	size_t first = h->n_fields;
	struct hprof_class *class;

	if (h->second) {
		cursor_skip(h->c, (uint64_t)n * (h->id_size + 1), "fields");
		return;
	}
	for (unsigned i = 0; i < n && !cursor_failed(h->c); i++) {
		uint64_t name = read_id(h);
		unsigned type = cursor_u8(h->c);

		if (!size_of(h, type, h->id_size)) {
			cursor_fail(h->c, ST_BAD, "a field of type %u", type);
			break;
		}
		VEC_PUSH(h->fields, h->n_fields, h->cap_fields) =
		    (struct hprof_field){name, (uint8_t)type};
	}
	class = class_put(h, id);
	class->super = super;
	class->size = size;
	class->first = first;
	class->n = h->n_fields - first;
	class->dumped = true;
}

static enum status read_class(struct hprof *h, struct err *e)
{
	static const char *const words[] = {"<super>", "<loader>", "<signers>",
					    "<protection domain>"};
	uint64_t id = read_id(h), refs[4], unused, super;
	enum status st = ST_OK;
	uint32_t size;
	unsigned n;

	cursor_u32(h->c);
	for (unsigned i = 0; i < 4; i++)
		refs[i] = read_id(h);
	super = refs[0];
	unused = read_id(h);
	unused += read_id(h);
	(void)unused;
	size = cursor_u32(h->c);
	n = cursor_u16(h->c);
	for (unsigned i = 0; i < n && !cursor_failed(h->c); i++) {
		cursor_u16(h->c);
		read_value(h, cursor_u8(h->c));
	}
	for (unsigned i = 0; h->second && i < 4 && !st && !cursor_failed(h->c); i++)
		st = push_reference(h, id, refs[i], trace_strz(h->im->t, words[i]), e);
	if (!st)
		st = read_statics(h, id, e);
	if (!st)
		read_fields(h, id, super, size);
	return st;
}

static enum status push_fields(struct hprof *h, uint64_t id, const struct hprof_class *class,
			       const uint8_t *p, size_t left, struct err *e)
{
	enum status st = ST_OK;
	bool weak = class->weak;

	for (int i = 0; class && i < SUPERS_MOST && left; i++) {
		if (class->own > left) {
			h->short_data++;
			return ST_OK;
		}
		for (size_t k = 0; k < class->n && !st; k++) {
			const struct hprof_field *f = &h->fields[class->first + k];
			struct cursor c;
			uint64_t to;
			unsigned n = size_of(h, f->type, h->id_size);

			if (f->type == REFERENCE) {
				cursor_init(&c, p, n, 0, e);
				c.big_endian = true;
				to = n == 4 ? cursor_u32(&c) : cursor_u64(&c);
				if (weak && f->name &&
				    text_is(
					"referent", 8,
					intern_text(&h->im->t->strings, (uint32_t)f->name, NULL)))
					h->weak += to != 0;
				else
					st = push_reference(h, id, to, (uint32_t)f->name, e);
			}
			p += n;
		}
		left -= class->own;
		class = class->super ? class_get(h, class->super) : NULL;
	}
	h->short_data += left && !class;
	return st;
}

static enum status read_instance(struct hprof *h, struct err *e)
{
	uint64_t id = read_id(h), class_id;
	struct emit_object o = {.id = id};
	struct hprof_class *class;
	const uint8_t *p;
	uint32_t trace = cursor_u32(h->c), n;
	enum status st;

	class_id = read_id(h);
	n = cursor_u32(h->c);
	if (!h->second) {
		note_extent(h, id, false, 0);
		h->objects++;
		cursor_skip(h->c, n, "an object");
		return ST_OK;
	}
	p = cursor_bytes(h->c, n, "an object");
	if (!p)
		return ST_OK;
	class = class_get(h, class_id);
	if (!class || !class->dumped) {
		h->unknown_class++;
		class = NULL;
	}
	o.stack = map64_get(&h->traces, trace);
	if (class) {
		o.type = type_of(h, class);
		o.size = KNOWN(instance_size(h, class));
	}
	st = push_object(h, &o, e);
	return st || !class ? st : push_fields(h, id, class, p, n, e);
}

static enum status read_object_array(struct hprof *h, struct err *e)
{
	uint64_t id = read_id(h), class_id;
	uint32_t trace = cursor_u32(h->c), n = cursor_u32(h->c);
	struct emit_object o = {.id = id, .size = KNOWN(array_size(h, n, reference_size(h)))};
	struct hprof_class *class;
	enum status st;

	class_id = read_id(h);
	if (!h->second) {
		note_extent(h, id, true, n);
		h->objects++;
		cursor_skip(h->c, (uint64_t)n * h->id_size, "an array");
		return ST_OK;
	}
	class = class_get(h, class_id);
	h->unknown_class += !class;
	o.type = class ? type_of(h, class) : 0;
	o.stack = map64_get(&h->traces, trace);
	st = push_object(h, &o, e);
	for (uint32_t i = 0; i < n && !st && !cursor_failed(h->c); i++)
		st = push_reference(h, id, read_id(h), h->element, e);
	return st;
}

static enum status read_primitive_array(struct hprof *h, bool data, struct err *e)
{
	static const char *const words[] = {
	    [BOOLEAN] = "boolean[]", [CHAR] = "char[]", [FLOAT] = "float[]",
	    [DOUBLE] = "double[]",   [BYTE] = "byte[]", [SHORT] = "short[]",
	    [INT] = "int[]",         [LONG] = "long[]"};
	uint64_t id = read_id(h);
	uint32_t trace = cursor_u32(h->c), n = cursor_u32(h->c);
	unsigned type = cursor_u8(h->c), size = size_of(h, type, 0);
	struct emit_object o = {.id = id, .size = KNOWN(array_size(h, n, size))};

	if (!size) {
		cursor_fail(h->c, ST_BAD, "an array of type %u", type);
		return ST_OK;
	}
	if (data)
		cursor_skip(h->c, (uint64_t)n * size, "an array");
	if (cursor_failed(h->c))
		return ST_OK;
	if (!h->second) {
		note_extent(h, id, false, 0);
		h->objects++;
		return ST_OK;
	}
	if (!h->types[type])
		h->types[type] = trace_type(h->im->t, words[type], strlen(words[type]));
	o.type = h->types[type];
	o.stack = map64_get(&h->traces, trace);
	return push_object(h, &o, e);
}

/* Roots: the bytes behind the id, beside ids. */
static const struct root_kind {
	uint8_t tag, ids, words;
	const char *name;
} root_kinds[] = {
    {0xff, 0, 0, "[unknown]"},           {0x01, 1, 0, "[JNI global]"},
    {0x02, 0, 2, "[JNI local]"},         {0x03, 0, 2, "[Java frame]"},
    {0x04, 0, 1, "[native stack]"},      {0x05, 0, 0, "[sticky class]"},
    {0x06, 0, 1, "[thread block]"},      {0x07, 0, 0, "[monitor used]"},
    {0x08, 0, 2, "[thread object]"},     {0x89, 0, 0, "[interned string]"},
    {0x8a, 0, 0, "[finalizing]"},        {0x8b, 0, 0, "[debugger]"},
    {0x8c, 0, 0, "[reference cleanup]"}, {0x8d, 0, 0, "[VM internal]"},
    {0x8e, 0, 2, "[JNI monitor]"},       {0x90, 0, 0, NULL}, /* unreachable */
};

static enum status read_root(struct hprof *h, unsigned tag, struct err *e)
{
	const struct root_kind *r = root_kinds, *end = r + sizeof root_kinds / sizeof *root_kinds;
	uint64_t id;

	while (r < end && r->tag != tag)
		r++;
	if (r == end) {
		cursor_fail(h->c, ST_BAD, "a record of the heap of type 0x%02x", tag);
		return ST_OK;
	}
	id = read_id(h);
	cursor_skip(h->c, (uint64_t)r->ids * h->id_size + 4U * r->words, "a root");
	if (cursor_failed(h->c) || !h->second)
		return ST_OK;
	h->unreachable += !r->name;
	return r->name ? push_reference(h, 0, id, trace_strz(h->im->t, r->name), e) : ST_OK;
}

static enum status heap_record(struct hprof *h, struct err *e)
{
	unsigned tag = cursor_u8(h->c);

	switch (tag) {
	case CLASS_DUMP: return read_class(h, e);
	case INSTANCE: return read_instance(h, e);
	case OBJECT_ARRAY: return read_object_array(h, e);
	case PRIMITIVE_ARRAY: return read_primitive_array(h, true, e);
	case ARRAY_NO_DATA: return read_primitive_array(h, false, e);
	case HEAP_INFO: cursor_skip(h->c, 4 + h->id_size, "a heap's name"); return ST_OK;
	default: return read_root(h, tag, e);
	}
}

static enum status read_heap(struct hprof *h, uint64_t length, struct err *e)
{
	uint64_t end = cursor_offset(h->c) + length;
	enum status st = ST_OK;

	/* Before segments, HotSpot wrote 0 where 4 GiB are too much: then the heap is the rest. */
	while (!st && !cursor_failed(h->c) &&
	       (length ? cursor_offset(h->c) < end : !cursor_done(h->c)))
		st = heap_record(h, e);
	if (!st && !cursor_failed(h->c) && length && cursor_offset(h->c) != end)
		cursor_fail(h->c, ST_BAD, "a record of the heap that is longer than its segment");
	return st;
}

/* --- the file --- */

static enum status hprof_record(struct hprof *h, struct err *e)
{
	unsigned tag = cursor_u8(h->c);
	uint64_t begin, length;

	cursor_u32(h->c);
	length = cursor_u32(h->c);
	if (cursor_failed(h->c))
		return ST_OK;
	if (tag == HEAP || tag == SEGMENT)
		return read_heap(h, length, e);
	begin = cursor_offset(h->c);
	if (!h->second && tag == TEXT)
		hprof_text(h, length);
	else if (!h->second && tag == LOAD_CLASS)
		load_class(h);
	else if (!h->second && tag == FRAME)
		read_frame(h);
	else if (!h->second && tag == TRACE && length >= 12)
		read_trace(h, length);
	if (cursor_failed(h->c))
		return ST_OK;
	if (cursor_offset(h->c) > begin + length)
		cursor_fail(h->c, ST_BAD, "a record of %" PRIu64 " bytes is too short", length);
	else
		cursor_skip(h->c, begin + length - cursor_offset(h->c), "a record");
	return ST_OK;
}

static enum status hprof_header(struct hprof *h)
{
	size_t n;
	const char *s;

	h->c->big_endian = true;
	s = cursor_available(h->c, HEAD) ? cursor_cstr(h->c, &n) : NULL;
	if (!s || n < 18 || memcmp(s, "JAVA PROFILE 1.0.", 17) != 0)
		return cursor_fail(h->c, ST_UNSUPPORTED, "not a heap dump of Java (HPROF 1.0)");
	h->android = s[17] == '3';
	h->id_size = cursor_u32(h->c);
	cursor_u64(h->c);
	if (h->id_size != 4 && h->id_size != 8 && !cursor_failed(h->c))
		return cursor_fail(h->c, ST_BAD, "ids of %u bytes", h->id_size);
	return cursor_failed(h->c) ? ST_BAD : ST_OK;
}

static enum status hprof_parse(struct hprof *h, struct err *e)
{
	enum status st = hprof_header(h);

	while (!st && !cursor_done(h->c))
		st = hprof_record(h, e);
	return st ? st : cursor_failed(h->c) ? err_failure(e) : ST_OK;
}

/* What the first reading found becomes what the second one needs. */
static void hprof_prepare(struct hprof *h)
{
	h->compressed = h->of_4 != h->of_8 ? h->of_4 > h->of_8
					   : (h->highest - h->lowest) >> COMPRESSED_SPAN == 0;
	h->class_type = trace_type(h->im->t, "java.lang.Class", 15);
	h->element = trace_strz(h->im->t, "[]");
	for (size_t i = 0; i < h->n_classes; i++) {
		struct hprof_class *class = &h->classes[i];
		size_t n;

		for (size_t k = 0; k < class->n; k++) {
			struct hprof_field *f = &h->fields[class->first + k];

			class->own += size_of(h, f->type, h->id_size);
			f->name = f->type == REFERENCE ? string_of(h, f->name) : 0;
		}
		class_name(h, class);
		n = h->text.len;
		class->weak = text_is(buf_at(&h->text, 0), n, "java.lang.ref.WeakReference") ||
			      text_is(buf_at(&h->text, 0), n, "java.lang.ref.PhantomReference");
		if (text_is(buf_at(&h->text, 0), n, "java.lang.Class"))
			h->object_class = i + 1;
	}
	for (size_t i = 0; h->classes && i < h->n_classes; i++) {
		const struct hprof_class *up = &h->classes[i];

		for (int k = 0; up && !up->weak && k < SUPERS_MOST; k++)
			up = up->super ? class_get(h, up->super) : NULL;
		h->classes[i].weak |= up && up->weak;
	}
	h->objects = h->no_text = 0;
}

static enum status hprof_push(struct hprof *h, struct err *e)
{
	struct trace *t = h->im->t;
	enum status st = input_rewind(h->im->in);

	hprof_prepare(h);
	trace_set(t, TRACE_OBJECT_IDS, TRACE_OBJECT_ADDRESSES);
	trace_set(t, "hprof.references", reference_size(h) == 4 ? "4 bytes" : "8 bytes");
	trace_metric(t, METRIC_REQUESTED, METRIC_ESTIMATED, METRIC_AT_ALL);
	h->second = true;
	if (!st)
		st = import_begin(h->im, e);
	if (!st)
		st = hprof_parse(h, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, h->unknown_class, "objects have a class that is not in the file"),
	    LOSS(NOTE_LOSS, h->short_data,
		 "objects have other bytes than the fields of their class"),
	    LOSS(NOTE_LOSS, h->zero, "objects have no id: left out"),
	    LOSS(NOTE_LOSS, h->odd, "stacks have impossible lengths"),
	    LOSS(NOTE_LOSS, h->no_text, "names are not in the file"),
	    LOSS(NOTE_INFO, h->weak, "weak and phantom references hold nothing: left out"),
	    LOSS(NOTE_INFO, h->unreachable, "objects are listed as unreachable"),
	    LOSS_IF(NOTE_GUESS, !h->android,
		    "sizes of objects are those that HotSpot's rules give: the file does not state "
		    "them"),
	};

	TRACE_LOSSES(t, losses);
	return st;
}

static void hprof_release(struct hprof *h)
{
	intern_release(&h->texts);
	map64_release(&h->text_ids);
	map64_release(&h->class_ids);
	map64_release(&h->serials);
	map64_release(&h->frames);
	map64_release(&h->traces);
	free(h->classes);
	free(h->fields);
	free(h->locations);
	buf_release(&h->text);
}

static enum status hprof_read(struct import *im, struct err *e)
{
	struct hprof h = {.im = im, .c = &im->in->cur};
	struct err first = ERR_INIT, *reasons = im->in->cur.e;
	enum status st;

	im->in->cur.e = &first;
	st = hprof_parse(&h, &first);
	im->in->cur.e = reasons;
	if ((st && st != ST_BAD && st != ST_LIMIT) || (st && !h.objects))
		*e = first;
	else if (!h.objects)
		st = err_at(e, ST_BAD, 0, "the file has no objects");
	else
		st = hprof_push(&h, e);
	hprof_release(&h);
	return st;
}

static int hprof_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n > HEAD && !memcmp(head, "JAVA PROFILE 1.0.", 17) && !head[18] ? 8 * 18 : 0;
}

const struct reader reader_hprof = {
    .name = "hprof",
    .family = "Java and Android",
    .page = "java",
    .capabilities =
	CAPABILITY_TYPES | CAPABILITY_STACKS | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "heap dumps of Java and Android (HPROF): objects, sizes and references",
    .suffixes = "hprof",
    .rewinds = true,
    .bid = hprof_bid,
    .read = hprof_read,
};

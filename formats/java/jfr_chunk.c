/* SPDX-License-Identifier: MIT */
#include "formats/java/jfr_chunk.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { METADATA, CONSTANTS };
enum string_form {
	STRING_NONE,
	STRING_EMPTY,
	STRING_CONSTANT,
	STRING_UTF8,
	STRING_CHARACTERS,
	STRING_LATIN1
};
enum layout_state { LAYOUT_NEW, LAYOUT_DONE, LAYOUT_NONE };
enum {
	DEEP = 16,          /* elements of the metadata, and arrays within arrays */
	CONSTANTS_DEEP = 4, /* a string that is a constant, whose string is one */
	ATTRIBUTES_MOST = 16,
	STEPS_MOST = 4096 /* fields of fields of a class, many of which may hold nothing */
};

static const char *const field_names[JFR_FIELDS] = {
    [JFR_START] = "startTime",
    [JFR_THREAD] = "eventThread",
    [JFR_SAMPLED] = "sampledThread",
    [JFR_STACK] = "stackTrace",
    [JFR_SAMPLES] = "samples",
    [JFR_TRUNCATED] = "truncated",
    [JFR_FRAMES] = "frames",
    [JFR_METHOD] = "method",
    [JFR_LINE] = "lineNumber",
    [JFR_TYPE] = "type",
    [JFR_NAME] = "name",
    [JFR_OS_NAME] = "osName",
    [JFR_OS_ID] = "osThreadId",
    [JFR_JAVA_NAME] = "javaName",
    [JFR_JAVA_ID] = "javaThreadId",
    [JFR_OBJECT_CLASS] = "objectClass",
    [JFR_ALLOCATION_SIZE] = "allocationSize",
    [JFR_TLAB_SIZE] = "tlabSize",
    [JFR_WEIGHT] = "weight",
    [JFR_ADDRESS] = "address",
    [JFR_SIZE] = "size",
    [JFR_HEAP_USED] = "heapUsed",
    [JFR_HEAP_COMMITTED] = "heapSpace.committedSize",
    [JFR_METASPACE_USED] = "metaspace.used",
    [JFR_JVM_USER] = "jvmUser",
    [JFR_JVM_SYSTEM] = "jvmSystem",
    [JFR_MACHINE_TOTAL] = "machineTotal",
    [JFR_USED_SIZE] = "usedSize",
    [JFR_ACTIVE_COUNT] = "activeCount",
    [JFR_LOADED_CLASSES] = "loadedClassCount",
    [JFR_SUM_OF_PAUSES] = "sumOfPauses",
    [JFR_MEMORY_USED] = "memoryUsed",
};

struct field { /* as the metadata have it */
	uint32_t name;
	uint64_t class;
	bool constant, array;
};

struct jfr_metadata {
	struct field *fields;
	size_t n_fields, cap_fields;
	uint32_t *strings; /* of texts */
	size_t n_strings, cap_strings;
	uint32_t string_class; /* a place and 1 */
	unsigned steps;        /* of the layout that is made */
	struct err e;          /* of cursors, whose failures are counted or told otherwise */
	struct buf text;
};

/* --- numbers and strings --- */

static uint64_t number(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint8_t b = cursor_u8(c);

		v |= (uint64_t)(b & 0x7f) << 7 * i;
		if (b < 0x80)
			return v;
	}
	return v | (uint64_t)cursor_u8(c) << 56;
}

static struct cursor cursor_at(struct jfr_chunk *c, size_t at, size_t end)
{
	struct cursor cur;

	cursor_init(&cur, c->p + at, end - at, c->offset + at, &c->metadata->e);
	cur.big_endian = true;
	return cur;
}

static size_t place(const struct jfr_chunk *c, const struct cursor *cur)
{
	return (size_t)(cursor_offset(cur) - c->offset);
}

/* to NULL: passes over it. */
static void string(struct jfr_chunk *c, struct cursor *cur, struct buf *to, unsigned deep);

static void string_constant(struct jfr_chunk *c, uint64_t key, struct buf *to, unsigned deep)
{
	uint32_t class = c->metadata->string_class, at;
	struct cursor cur;

	at = class && deep ? map64_get(&c->classes[class - 1].constants, key) : 0;
	if (!at)
		return;
	cur = cursor_at(c, at, c->n);
	string(c, &cur, to, deep - 1);
}

static void characters(struct cursor *cur, uint64_t n, struct buf *to)
{
	struct buf wide = BUF_INIT;

	for (uint64_t i = 0; i < n && !cursor_failed(cur); i++) {
		uint64_t v = number(cur);

		if (to) {
			buf_addc(&wide, (char)v);
			buf_addc(&wide, (char)(v >> 8));
		}
	}
	if (to && wide.len)
		utf16_to_utf8(to, (const uint8_t *)wide.data, wide.len, false);
	buf_release(&wide);
}

static void string(struct jfr_chunk *c, struct cursor *cur, struct buf *to, unsigned deep)
{
	unsigned form = cursor_u8(cur);
	uint64_t n;
	const uint8_t *s;

	if (form == STRING_NONE || form == STRING_EMPTY)
		return;
	n = number(cur);
	if (form == STRING_CONSTANT) {
		if (to)
			string_constant(c, n, to, deep);
		return;
	}
	if (form > STRING_LATIN1 || n > cursor_window(cur)) {
		cursor_fail(cur, ST_BAD, "a string of %" PRIu64 " characters in form %u", n, form);
		return;
	}
	if (form == STRING_CHARACTERS) {
		characters(cur, n, to);
		return;
	}
	s = cursor_bytes(cur, (size_t)n, "a string");
	for (uint64_t i = 0; s && to && i < n; i++) {
		if (form == STRING_LATIN1 && s[i] >= 0x80) {
			buf_addc(to, (char)(0xc0 | s[i] >> 6));
			buf_addc(to, (char)(0x80 | (s[i] & 0x3f)));
		} else {
			buf_addc(to, (char)s[i]);
		}
	}
}

/* --- metadata --- */

static uint32_t string_row(const struct jfr_metadata *m, uint64_t i)
{
	return i < m->n_strings ? m->strings[i] : 0;
}

struct attributes {
	uint32_t names[ATTRIBUTES_MOST], values[ATTRIBUTES_MOST];
	unsigned n;
};

static uint32_t attribute(struct jfr_chunk *c, const struct attributes *a, const char *name)
{
	for (unsigned i = 0; i < a->n; i++)
		if (!strcmp(intern_text(&c->texts, a->names[i], NULL), name))
			return a->values[i];
	return 0;
}

static uint64_t attribute_number(struct jfr_chunk *c, const struct attributes *a, const char *name)
{
	return strtoull(intern_text(&c->texts, attribute(c, a, name), NULL), NULL, 10);
}

static void element(struct jfr_chunk *c, struct cursor *cur, size_t class, unsigned deep)
{
	struct jfr_metadata *m = c->metadata;
	const char *name = intern_text(&c->texts, string_row(m, number(cur)), NULL);
	struct attributes a = {.n = 0};
	uint64_t n = number(cur);

	for (uint64_t i = 0; i < n && !cursor_failed(cur); i++) {
		uint32_t key = string_row(m, number(cur)), value = string_row(m, number(cur));

		if (a.n < ATTRIBUTES_MOST) {
			a.names[a.n] = key;
			a.values[a.n++] = value;
		}
	}
	if (!strcmp(name, "class") && !cursor_failed(cur)) {
		uint64_t id = attribute_number(c, &a, "id");
		uint32_t text = attribute(c, &a, "name");

		VEC_PUSH(c->classes, c->n_classes, c->cap_classes) =
		    (struct jfr_class){.id = id, .name = text, .first = m->n_fields};
		class = c->n_classes;
		if (!strcmp(intern_text(&c->texts, text, NULL), "java.lang.String"))
			m->string_class = (uint32_t) class;
		*map64_put(&c->ids, id) = (uint32_t) class;
	} else if (!strcmp(name, "field") && class && !cursor_failed(cur)) {
		uint32_t text = attribute(c, &a, "name");
		uint64_t id = attribute_number(c, &a, "class");
		bool constant = attribute(c, &a, "constantPool"), array;

		array = attribute_number(c, &a, "dimension");
		VEC_PUSH(m->fields, m->n_fields, m->cap_fields) =
		    (struct field){text, id, constant, array};
		c->classes[class - 1].n++;
	}
	n = number(cur);
	if (deep == DEEP && n)
		cursor_fail(cur, ST_BAD, "elements of the metadata are nested more than %d times",
			    DEEP);
	for (uint64_t i = 0; i < n && !cursor_failed(cur); i++)
		element(c, cur, class, deep + 1);
}

static enum status read_metadata(struct jfr_chunk *c, size_t at, size_t end, struct err *e)
{
	struct jfr_metadata *m = c->metadata;
	struct cursor cur = cursor_at(c, at, end);
	uint64_t n;

	cur.e = e;
	number(&cur);
	number(&cur);
	number(&cur);
	n = number(&cur);
	for (uint64_t i = 0; i < n && !cursor_failed(&cur); i++) {
		m->text.len = 0;
		string(c, &cur, &m->text, 0);
		VEC_PUSH(m->strings, m->n_strings, m->cap_strings) =
		    intern_add(&c->texts, buf_str(&m->text), m->text.len);
	}
	element(c, &cur, 0, 0);
	return cursor_failed(&cur) ? err_failure(e) : ST_OK;
}

/* --- layouts --- */

static int kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum jfr_kind kind;
	} kinds[] = {
	    {"boolean", JFR_BYTE}, {"byte", JFR_BYTE},     {"char", JFR_NUMBER},
	    {"short", JFR_NUMBER}, {"int", JFR_NUMBER},    {"long", JFR_NUMBER},
	    {"float", JFR_FLOAT},  {"double", JFR_DOUBLE}, {"java.lang.String", JFR_STRING}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return (int)kinds[i].kind;
	return -1;
}

static bool push_op(struct jfr_chunk *c, struct jfr_class *to, const struct jfr_op *op,
		    const char *path)
{
	if (to->n_ops == JFR_VALUES)
		return false;
	VEC_PUSH(c->ops, c->n_ops, c->cap_ops) = *op;
	to->n_ops++;
	for (unsigned f = 1; f < JFR_FIELDS; f++)
		if (!to->at[f] && !strcmp(field_names[f], path))
			to->at[f] = (uint8_t)to->n_ops;
	return true;
}

/* Appends the fields of a class below a path; of a class that has itself as a field there is no end. */
static bool push_fields(struct jfr_chunk *c, struct jfr_class *to, const struct jfr_class *class,
			struct buf *path, unsigned deep)
{
	struct jfr_metadata *m = c->metadata;
	int own = kind_of(intern_text(&c->texts, class->name, NULL));
	size_t stem = path->len;

	if (own >= 0)
		return push_op(c, to, &(struct jfr_op){.kind = (uint8_t)own}, buf_str(path));
	if (deep == DEEP)
		return false;
	for (size_t i = 0; i < class->n; i++) {
		const struct field *f = &m->fields[class->first + i];
		uint32_t at = map64_get(&c->ids, f->class);
		struct jfr_op op = {.kind = f->array ? JFR_ARRAY : JFR_CONSTANT,
				    .constants = f->constant,
				    .class = at ? at - 1 : 0};
		bool fits;

		if (!at || ++m->steps > STEPS_MOST)
			return false;
		path->len = stem;
		if (stem)
			buf_addc(path, '.');
		buf_adds(path, intern_text(&c->texts, f->name, NULL));
		if (f->array || f->constant)
			fits = push_op(c, to, &op, buf_str(path));
		else
			fits = push_fields(c, to, &c->classes[at - 1], path, deep + 1);
		if (!fits)
			return false;
	}
	path->len = stem;
	return true;
}

static bool lay_out(struct jfr_chunk *c, struct jfr_class *class)
{
	struct buf path = BUF_INIT;

	if (class->state == LAYOUT_NEW) {
		class->op = c->n_ops;
		c->metadata->steps = 0;
		class->state = push_fields(c, class, class, &path, 0) ? LAYOUT_DONE : LAYOUT_NONE;
		buf_release(&path);
	}
	return class->state == LAYOUT_DONE;
}

/* --- values --- */

static void skip_array(struct jfr_chunk *c, struct cursor *cur, struct jfr_op array, unsigned deep);

static uint64_t value(struct jfr_chunk *c, struct cursor *cur, const struct jfr_op *op,
		      unsigned deep)
{
	uint64_t at = place(c, cur);

	switch (op->kind) {
	case JFR_BYTE: return cursor_u8(cur);
	case JFR_FLOAT: return cursor_u32(cur);
	case JFR_DOUBLE: return cursor_u64(cur);
	case JFR_STRING: string(c, cur, NULL, 0); return at;
	case JFR_ARRAY: skip_array(c, cur, *op, deep); return at;
	default: return number(cur);
	}
}

static void skip_array(struct jfr_chunk *c, struct cursor *cur, struct jfr_op array, unsigned deep)
{
	uint64_t n = number(cur);
	struct jfr_class *of = &c->classes[array.class];
	bool laid = array.constants || lay_out(c, of);

	if (!laid || n > cursor_window(cur) || deep == DEEP) {
		cursor_fail(cur, ST_BAD, "an array of %" PRIu64 " elements", n);
		return;
	}
	for (uint64_t i = 0; i < n && !cursor_failed(cur); i++) {
		if (array.constants)
			number(cur);
		for (size_t k = 0; !array.constants && k < of->n_ops; k++)
			value(c, cur,
			      &(struct jfr_op){c->ops[of->op + k].kind,
					       c->ops[of->op + k].constants,
					       c->ops[of->op + k].class},
			      deep + 1);
		if (!array.constants && !of->n_ops)
			break;
	}
}

static bool values_at(struct jfr_chunk *c, struct jfr_class *class, struct cursor *cur,
		      struct jfr_values *to)
{
	if (!lay_out(c, class)) {
		cursor_fail(cur, ST_BAD, "a class that is not described");
		return false;
	}
	to->class = class;
	for (size_t i = 0; i < class->n_ops; i++) {
		struct jfr_op op = c->ops[class->op + i]; /* c->ops may move */

		to->v[i] = value(c, cur, &op, 0);
	}
	return !cursor_failed(cur);
}

bool jfr_values(struct jfr_chunk *c, const struct jfr_class *class, size_t at, size_t end,
		struct jfr_values *to)
{
	struct cursor cur = cursor_at(c, at, end);

	return values_at(c, &c->classes[class - c->classes], &cur, to);
}

const struct jfr_op *jfr_op_of(const struct jfr_chunk *c, const struct jfr_values *v,
			       enum jfr_field f)
{
	return jfr_has(v, f) ? &c->ops[v->class->op + v->class->at[f] - 1] : NULL;
}

bool jfr_constant(struct jfr_chunk *c, const struct jfr_values *v, enum jfr_field f,
		  struct jfr_values *to)
{
	const struct jfr_op *op = jfr_op_of(c, v, f);
	uint32_t at = op && op->kind == JFR_CONSTANT
			  ? map64_get(&c->classes[op->class].constants, jfr_value(v, f))
			  : 0;

	to->class = NULL;
	return at && jfr_values(c, &c->classes[op->class], at, c->n, to);
}

static void text(struct jfr_chunk *c, const struct jfr_op *op, uint64_t v, struct buf *to,
		 unsigned deep)
{
	struct jfr_values of;
	uint32_t at;

	if (op->kind == JFR_STRING) {
		struct cursor cur = cursor_at(c, (size_t)v, c->n);

		string(c, &cur, to, CONSTANTS_DEEP);
		return;
	}
	at = op->kind == JFR_CONSTANT && deep ? map64_get(&c->classes[op->class].constants, v) : 0;
	if (!at || !jfr_values(c, &c->classes[op->class], at, c->n, &of))
		return;
	for (size_t i = 0; i < of.class->n_ops; i++) {
		struct jfr_op next = c->ops[of.class->op + i];

		if (next.kind == JFR_STRING) {
			text(c, &next, of.v[i], to, deep - 1);
			return;
		}
	}
}

void jfr_text(struct jfr_chunk *c, const struct jfr_values *v, enum jfr_field f, struct buf *to)
{
	const struct jfr_op *op = jfr_op_of(c, v, f);

	if (op) {
		struct jfr_op own = *op;

		text(c, &own, jfr_value(v, f), to, CONSTANTS_DEEP);
	}
}

bool jfr_element(struct jfr_chunk *c, const struct jfr_op *array, size_t *at, uint64_t *left,
		 struct jfr_values *to)
{
	struct cursor cur = cursor_at(c, *at, c->n);

	if (!*left) {
		uint64_t n = number(&cur);

		if (n > cursor_window(&cur))
			return false;
		*left = n + 1;
	}
	if (--*left == 0 || array->kind != JFR_ARRAY || array->constants ||
	    !values_at(c, &c->classes[array->class], &cur, to))
		return false;
	*at = place(c, &cur);
	return true;
}

/* --- the chunk --- */

static bool next_event(struct jfr_chunk *c, size_t *at, struct jfr_event *ev, uint64_t *id)
{
	size_t from = *at ? *at : JFR_HEADER;
	struct cursor cur = cursor_at(c, from < c->n ? from : c->n, c->n);
	uint64_t size = from < c->n ? number(&cur) : 0;

	*id = number(&cur);
	ev->at = from;
	ev->body = place(c, &cur);
	if (cursor_failed(&cur) || size > c->n - from || size < ev->body - from)
		return false;
	*at = ev->end = from + (size_t)size;
	return true;
}

bool jfr_event_next(struct jfr_chunk *c, size_t *at, struct jfr_event *ev)
{
	uint64_t id;
	uint32_t class;

	if (!next_event(c, at, ev, &id))
		return false;
	class = id == METADATA || id == CONSTANTS ? 0 : map64_get(&c->ids, id);
	ev->class = class ? &c->classes[class - 1] : NULL;
	return true;
}

static void read_constants(struct jfr_chunk *c, const struct jfr_event *ev)
{
	struct cursor cur = cursor_at(c, ev->body, ev->end);
	struct jfr_values unused;
	uint64_t pools;

	number(&cur);
	number(&cur);
	number(&cur);
	cursor_u8(&cur);
	pools = number(&cur);
	for (uint64_t i = 0; i < pools && !cursor_failed(&cur); i++) {
		uint32_t class = map64_get(&c->ids, number(&cur));
		uint64_t n = number(&cur);

		if (!class || n > cursor_window(&cur)) {
			c->lost++;
			return;
		}
		for (uint64_t k = 0; k < n && !cursor_failed(&cur); k++) {
			uint64_t key = number(&cur);
			size_t at = place(c, &cur);

			if (values_at(c, &c->classes[class - 1], &cur, &unused))
				*map64_put(&c->classes[class - 1].constants, key) = (uint32_t)at;
		}
	}
	c->lost += cursor_failed(&cur);
}

enum status jfr_chunk_open(struct jfr_chunk *c, const uint8_t *p, size_t n, uint64_t offset,
			   struct err *e)
{
	struct cursor head;
	struct jfr_event ev, metadata = {.end = 0};
	uint64_t id;
	enum status st;

	*c = (struct jfr_chunk){.p = p, .n = n, .offset = offset};
	c->metadata = mem_zalloc(sizeof *c->metadata);
	head = cursor_at(c, 32, n);
	c->nanos = cursor_u64(&head);
	cursor_u64(&head);
	c->ticks = cursor_u64(&head);
	c->rate = cursor_u64(&head);
	if (!(cursor_u32(&head) & 1))
		return err_at(e, ST_UNSUPPORTED, offset + JFR_HEADER - 4,
			      "the numbers of the recording are not compressed");
	if (!c->rate)
		return err_at(e, ST_BAD, offset + JFR_HEADER - 12, "no ticks a second");
	for (size_t at = 0; next_event(c, &at, &ev, &id);)
		if (id == METADATA)
			metadata = ev;
	if (!metadata.end)
		return err_at(e, ST_BAD, offset,
			      "a chunk without metadata, which say how to read it: it was cut "
			      "short or not finished");
	st = read_metadata(c, metadata.body, metadata.end, e);
	for (size_t at = 0; !st && next_event(c, &at, &ev, &id);)
		if (id == CONSTANTS)
			read_constants(c, &ev);
	return st;
}

void jfr_chunk_release(struct jfr_chunk *c)
{
	for (size_t i = 0; i < c->n_classes; i++)
		map64_release(&c->classes[i].constants);
	free(c->classes);
	free(c->ops);
	map64_release(&c->ids);
	intern_release(&c->texts);
	if (c->metadata) {
		free(c->metadata->fields);
		free(c->metadata->strings);
		buf_release(&c->metadata->text);
		free(c->metadata);
	}
	*c = (struct jfr_chunk){.n = 0};
}

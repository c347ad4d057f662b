/* SPDX-License-Identifier: MIT
 *
 * The crawl through Unity's managed heap: objects, references between them and static fields.
 */
#include "formats/unity/layout.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_SHOWN = 48,          /* characters of a string that are its name */
	NAMED_ELEMENTS = 1 << 16, /* of arrays of references; farther ones have no name */
	NAMED_STRUCTS = 1 << 16,
};
/* Objects of a sound heap do not overlap, so that this bounds the work on a hostile one. */
enum { WORK_PER_BYTE = 2, WORK_MIN = 1 << 20 };

struct unity_crawl {
	struct unity_heap *u;
	struct import *im;
	struct unity_layouts layouts;
	struct map64 types; /* info address -> index + 1 */
	struct map64 seen;  /* addresses of objects, found or waiting */
	uint64_t *queue;
	size_t done, n_queue, cap_queue;
	uint32_t *elements; /* names "[0]", ...; 0: not made yet */
	uint32_t string_type;
	uint64_t work, objects, dangling, dangling_statics, cut_objects, known_type;
	bool gave_up;
	struct buf text;
};

struct view { /* the bytes from an address to the end of its section */
	const uint8_t *p;
	size_t n;
};

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << i * 8;
	return v;
}

static int crawl_section_order(const void *pa, const void *pb)
{
	const struct unity_section *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static struct view view_at(const struct unity_crawl *c, uint64_t address)
{
	const struct unity_section *s = c->u->sections;
	size_t lo = BISECT(i, 0, c->u->n_sections, s[i].start <= address);

	if (!lo || address - s[lo - 1].start >= s[lo - 1].n)
		return (struct view){NULL, 0};
	return (struct view){s[lo - 1].bytes + (address - s[lo - 1].start),
			     s[lo - 1].n - (size_t)(address - s[lo - 1].start)};
}

/* 0 where the bytes are not there. */
static uint64_t pointer_at(const struct unity_crawl *c, struct view v, uint64_t offset)
{
	unsigned n = c->u->vm.pointer;

	return offset > v.n || n > v.n - offset ? 0 : get(v.p + offset, n);
}

/* The index + 1 of the type of the object there; 0: none. */
static uint32_t type_at(const struct unity_crawl *c, uint64_t address)
{
	uint64_t word = pointer_at(c, view_at(c, address), 0);
	uint32_t type = word ? map64_get(&c->types, word) : 0;

	return type || !word ? type : map64_get(&c->types, pointer_at(c, view_at(c, word), 0));
}

static bool is_string(const struct unity_crawl *c, size_t type)
{
	return !strcmp(trace_text(c->im->t, c->u->types[type].name), "System.String");
}

struct unity_crawl *unity_crawl_new(struct unity_heap *u, struct import *im)
{
	struct unity_crawl *c = mem_zalloc(sizeof *c);
	uint64_t bytes = 0;

	c->u = u;
	c->im = im;
	unity_layouts_init(&c->layouts, u, im->t);
	for (size_t i = 0; i < u->n_types; i++) {
		if (u->types[i].info)
			*map64_put(&c->types, u->types[i].info) = (uint32_t)i + 1;
		if (!c->string_type && is_string(c, i))
			c->string_type = (uint32_t)i + 1;
	}
	if (u->n_sections)
		sort_array(u->sections, u->n_sections, sizeof *u->sections, crawl_section_order);
	for (size_t i = 0; i < u->n_sections; i++)
		bytes += u->sections[i].n;
	c->work = bytes * WORK_PER_BYTE + WORK_MIN;
	c->elements = mem_zarray(NAMED_ELEMENTS, sizeof *c->elements);
	return c;
}

void unity_crawl_free(struct unity_crawl *c)
{
	if (!c)
		return;
	unity_layouts_release(&c->layouts);
	map64_release(&c->types);
	map64_release(&c->seen);
	free(c->queue);
	free(c->elements);
	buf_release(&c->text);
	free(c);
}

enum status unity_crawl_reference(struct unity_crawl *c, uint64_t from, uint64_t to, uint32_t name,
				  struct err *e)
{
	if (!to || !c->u->n_sections)
		return ST_OK;
	if (!map64_get(&c->seen, to)) {
		/* Aligned ones only: so there are no more objects than words. */
		if (to & (c->u->vm.pointer - 1) || !type_at(c, to)) {
			c->dangling++;
			return ST_OK;
		}
		*map64_put(&c->seen, to) = 1;
		VEC_PUSH(c->queue, c->n_queue, c->cap_queue) = to;
	}
	return emit_reference(c->im, from, to, name, ABSENT, e);
}

static uint32_t text_id(struct unity_crawl *c)
{
	return trace_string(c->im->t, c->text.data, c->text.len);
}

static enum status crawl_static_field(struct unity_crawl *c, const struct unity_type *type,
				      const struct unity_field *f, struct err *e)
{
	const struct unity_type *of = &c->u->types[f->type];
	struct view v = {type->statics, type->n_statics};
	struct trace *t = c->im->t;
	struct unity_layout l;
	enum status st = ST_OK;

	c->text.len = 0;
	buf_addf(&c->text, "static %s.%s", trace_text(t, type->name), trace_text(t, f->name));
	if (!(of->flags & UNITY_VALUE_TYPE))
		return unity_crawl_reference(c, 0, pointer_at(c, v, (uint64_t)f->offset),
					     text_id(c), e);
	l = unity_layout(&c->layouts, (uint32_t)f->type);
	for (uint32_t i = 0; !st && i < l.n; i++) {
		const struct unity_slot *s = &c->layouts.slots[l.first + i];
		uint64_t at = (uint64_t)f->offset + s->offset - c->u->vm.header;

		c->text.len = 0;
		buf_addf(&c->text, "static %s.%s.%s", trace_text(t, type->name),
			 trace_text(t, f->name), trace_text(t, s->name));
		if (s->offset >= c->u->vm.header && !s->is_native)
			st = unity_crawl_reference(c, 0, pointer_at(c, v, at), text_id(c), e);
	}
	return st;
}

enum status unity_crawl_statics(struct unity_crawl *c, struct err *e)
{
	const struct unity_heap *u = c->u;
	uint64_t before = c->dangling;
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < u->n_types; i++) {
		const struct unity_type *type = &u->types[i];

		for (uint32_t k = 0; !st && type->n_statics && k < type->n_fields; k++) {
			const struct unity_field *f =
			    &u->fields[u->field_indices[type->first_field + k]];

			/* An offset of -1 is a thread's, or a constant. */
			if (f->is_static && f->offset >= 0 && f->type >= 0 &&
			    (size_t)f->type < u->n_types)
				st = crawl_static_field(c, type, f, e);
		}
	}
	c->dangling_statics = c->dangling - before;
	c->dangling = before;
	return st;
}

static bool spend(struct unity_crawl *c, uint64_t work)
{
	if (work > c->work) {
		c->gave_up = true;
		return false;
	}
	c->work -= work;
	return true;
}

static uint64_t rounded(const struct unity_crawl *c, uint64_t size)
{
	uint64_t to = c->u->vm.granularity;

	return to > 1 ? (size + to - 1) / to * to : size;
}

static uint32_t element_name(struct unity_crawl *c, uint64_t i)
{
	char text[16];
	int n;

	if (i >= NAMED_ELEMENTS)
		return 0;
	if (!c->elements[i]) {
		n = snprintf(text, sizeof text, "[%u]", (unsigned)i);
		c->elements[i] = trace_string(c->im->t, text, (size_t)n);
	}
	return c->elements[i];
}

static uint32_t struct_name(struct unity_crawl *c, uint64_t i, uint32_t field)
{
	c->text.len = 0;
	if (i < NAMED_STRUCTS)
		buf_addf(&c->text, "[%u].", (unsigned)i);
	else
		buf_adds(&c->text, "[].");
	buf_adds(&c->text, trace_text(c->im->t, field));
	return text_id(c);
}

struct object {
	uint64_t address;
	struct view v;
	uint32_t type;
	const struct unity_type *of;
	/* of arrays */
	uint64_t length;
	const struct unity_type *element; /* NULL: not known */
	uint64_t stride;
};

static void set_array(const struct unity_crawl *c, struct object *o)
{
	const struct unity_vm *vm = &c->u->vm;

	o->length = vm->array_size + UINT64_C(4) <= o->v.n ? get(o->v.p + vm->array_size, 4) : 0;
	if (o->of->base < 0 || (size_t)o->of->base >= c->u->n_types)
		return;
	o->element = &c->u->types[o->of->base];
	o->stride = vm->pointer;
	if (o->element->flags & UNITY_VALUE_TYPE)
		o->stride = o->element->size > 0 ? (uint64_t)o->element->size : 0;
}

/* The bytes of the object's contents that can be compared; a string's characters are text too. */
static struct view crawl_contents(struct unity_crawl *c, const struct object *o, uint32_t *name)
{
	const struct unity_vm *vm = &c->u->vm;
	struct view v = {NULL, 0};
	uint64_t at, n;

	if (o->type + 1 == c->string_type) {
		at = vm->header + UINT64_C(4);
		if (at > o->v.n)
			return v;
		n = get(o->v.p + vm->header, 4) * 2;
	} else {
		at = vm->array_header;
		n = o->length * o->stride;
	}
	if (at > o->v.n || n > o->v.n - at)
		return v;
	v = (struct view){o->v.p + at, (size_t)n};
	if (o->type + 1 == c->string_type && n) {
		size_t shown = n < TEXT_SHOWN * 2 ? (size_t)n : TEXT_SHOWN * 2;

		c->text.len = 0;
		buf_addc(&c->text, '"');
		utf16_to_utf8(&c->text, v.p, shown, false);
		buf_adds(&c->text, shown < n ? "..." : "\"");
		*name = text_id(c);
	}
	return v;
}

static uint64_t crawl_size_of(struct unity_crawl *c, const struct object *o)
{
	const struct unity_vm *vm = &c->u->vm;
	uint64_t size;

	if (o->of->flags & UNITY_ARRAY)
		size = vm->array_header + o->length * o->stride;
	else if (o->type + 1 == c->string_type && vm->header + UINT64_C(4) <= o->v.n)
		size = vm->header + 4 + (get(o->v.p + vm->header, 4) + 1) * 2;
	else
		size = o->of->size > 0 ? (uint64_t)o->of->size : 0;
	/* A struct that is boxed: its type's size is without the header. */
	if (o->of->flags & UNITY_VALUE_TYPE && !(o->of->flags & UNITY_ARRAY))
		size += vm->header;
	if (size > o->v.n) {
		size = o->v.n;
		c->cut_objects++;
	}
	return rounded(c, size);
}

static enum status crawl_elements(struct unity_crawl *c, const struct object *o, struct err *e)
{
	uint64_t header = c->u->vm.array_header, room = header < o->v.n ? o->v.n - header : 0;
	bool structs = o->element && o->element->flags & UNITY_VALUE_TYPE;
	uint64_t n = o->stride ? room / o->stride : 0;
	struct unity_layout l = {0};
	enum status st = ST_OK;

	if (!o->element)
		return ST_OK;
	if (structs)
		l = unity_layout(&c->layouts, (uint32_t)o->of->base);
	n = n < o->length ? n : o->length;
	if ((structs && !l.n) || !spend(c, n * (structs ? l.n : 1)))
		return ST_OK;
	for (uint64_t i = 0; !st && i < n; i++) {
		uint64_t at = header + i * o->stride;

		if (!structs) {
			uint64_t to = pointer_at(c, o->v, at);

			if (to)
				st =
				    unity_crawl_reference(c, o->address, to, element_name(c, i), e);
			continue;
		}
		for (uint32_t k = 0; !st && k < l.n; k++) {
			const struct unity_slot *s = &c->layouts.slots[l.first + k];
			uint64_t to;

			if (s->is_native || s->offset < c->u->vm.header)
				continue;
			to = pointer_at(c, o->v, at + s->offset - c->u->vm.header);
			if (to)
				st = unity_crawl_reference(c, o->address, to,
							   struct_name(c, i, s->name), e);
		}
	}
	return st;
}

static enum status crawl_object(struct unity_crawl *c, uint64_t address,
				const struct map64 *natives, struct err *e)
{
	struct emit_object object = {.id = address};
	struct object o = {.address = address, .v = view_at(c, address)};
	struct unity_layout l = {0};
	struct view v = {NULL, 0};
	bool array;
	enum status st;

	o.type = type_at(c, address) - 1;
	o.of = &c->u->types[o.type];
	array = o.of->flags & UNITY_ARRAY;
	if (array)
		set_array(c, &o);
	else
		l = unity_layout(&c->layouts, o.type);
	object.type = trace_type(c->im->t, trace_text(c->im->t, o.of->name),
				 strlen(trace_text(c->im->t, o.of->name)));
	object.size = KNOWN(crawl_size_of(c, &o));
	if (o.type + 1 == c->string_type || (o.element && o.element->flags & UNITY_VALUE_TYPE &&
					     !unity_layout(&c->layouts, (uint32_t)o.of->base).n))
		v = crawl_contents(c, &o, &object.name);
	if (v.p && spend(c, v.n / 8))
		object.hash = KNOWN(hash_bytes(v.p, v.n));
	for (uint32_t i = 0; i < l.n; i++)
		if (c->layouts.slots[l.first + i].is_native &&
		    (uint64_t)c->layouts.slots[l.first + i].offset + c->u->vm.pointer <= o.v.n &&
		    !pointer_at(c, o.v, c->layouts.slots[l.first + i].offset))
			object.value = KNOWN(OBJECT_DESTROYED);
	c->objects++;
	st = emit_object(c->im, &object, e);
	if (array)
		return st ? st : crawl_elements(c, &o, e);
	if (!spend(c, l.n))
		return st;
	for (uint32_t i = 0; !st && i < l.n; i++) {
		struct unity_slot s = c->layouts.slots[l.first + i];
		uint64_t to = pointer_at(c, o.v, s.offset);

		if (!to)
			continue;
		if (!s.is_native)
			st = unity_crawl_reference(c, address, to, s.name, e);
		else if (map64_get(natives, to))
			st = emit_reference(c->im, address, to, s.name, ABSENT, e);
		else
			c->known_type++;
	}
	return st;
}

enum status unity_crawl_all(struct unity_crawl *c, const struct map64 *natives, struct err *e)
{
	enum status st = ST_OK;

	while (!st && c->done < c->n_queue)
		st = crawl_object(c, c->queue[c->done++], natives, e);
	return st;
}

void unity_crawl_notes(const struct unity_crawl *c)
{
	struct trace *t = c->im->t;
	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_INFO, !c->u->n_sections,
		    "the snapshot has no managed heap, only native objects"),
	    LOSS(NOTE_INFO, c->dangling, "references go to objects outside the captured heap"),
	    LOSS(NOTE_INFO, c->dangling_statics,
		 "static fields refer to objects outside the captured heap"),
	    LOSS(NOTE_INFO, c->known_type,
		 "objects have an m_CachedPtr to a native object that is not in the snapshot"),
	    LOSS(NOTE_LOSS, c->cut_objects, "objects were captured only in part"),
	    LOSS(NOTE_LOSS, c->layouts.cut, "fields were left out: too many, or nested too deep"),
	    LOSS_IF(NOTE_LOSS, c->gave_up,
		    "objects overlap: fields outside their bytes were left out"),
	};

	TRACE_LOSSES(t, losses);
}

/* SPDX-License-Identifier: MIT */
#include "formats/unity/heap.h"

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Native objects whose address is not known, or is another one's, get ids of their own. */
#define MADE_UP_ID (UINT64_C(0x7ff) << 52)

void unity_heap_release(struct unity_heap *u)
{
	free(u->types);
	free(u->fields);
	free(u->field_indices);
	free(u->natives);
	free(u->native_types);
	free(u->handles);
	free(u->connections);
	free(u->sections);
	arena_release(&u->arena);
	*u = (struct unity_heap){0};
}

const uint8_t *unity_heap_bytes(struct unity_heap *u, const uint8_t *p, size_t n)
{
	uint8_t *copy = arena_alloc(&u->arena, n ? n : 1);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

static void set_end(const struct unity_heap *u, uint64_t number, uint32_t *index, uint8_t *kind)
{
	*kind = UNITY_OTHER;
	*index = 0;
	if (number < u->n_handles) {
		*kind = UNITY_HANDLE;
		*index = (uint32_t)number;
	} else if (number - u->n_handles < u->n_natives) {
		*kind = UNITY_NATIVE;
		*index = (uint32_t)(number - u->n_handles);
	}
}

void unity_heap_connect(struct unity_heap *u, uint64_t from, uint64_t to)
{
	struct unity_connection c = {0};

	set_end(u, from, &c.from, &c.from_kind);
	set_end(u, to, &c.to, &c.to_kind);
	VEC_PUSH(u->connections, u->n_connections, u->cap_connections) = c;
}

static bool has_pointers(const struct unity_vm *vm)
{
	return vm->pointer == 4 || vm->pointer == 8;
}

enum status unity_heap_check(const struct unity_heap *u, struct err *e)
{
	const struct unity_vm *vm = &u->vm;

	if (!u->n_sections)
		return ST_OK; /* then no object is read by them */
	if (!has_pointers(vm))
		return err_set(e, ST_BAD, "impossible pointer size: %u bytes", vm->pointer);
	if (vm->header > 256 || vm->array_header > 256 || vm->array_size > 256 ||
	    vm->granularity > 4096)
		return err_set(e, ST_BAD,
			       "impossible object layout: headers of %u and %u bytes, sizes "
			       "rounded to %u",
			       vm->header, vm->array_header, vm->granularity);
	return ST_OK;
}

struct push {
	struct unity_heap *u;
	struct import *im;
	struct unity_crawl *crawl;
	struct map64 natives; /* address -> index + 1 */
	bool *held;           /* native objects that something refers to */
	bool *owned;          /* handles of native objects */
	uint64_t bad_connections, bad_types, made_up;
};

static void set_ids(struct push *p)
{
	for (size_t i = 0; i < p->u->n_natives; i++) {
		struct unity_native *x = &p->u->natives[i];
		uint32_t *place;

		if (x->address && !map64_get(&p->natives, x->address)) {
			place = map64_put(&p->natives, x->address);
			*place = (uint32_t)i + 1;
		} else {
			x->address = MADE_UP_ID | (uint64_t)i << 1 | 1; /* odd: no address */
			p->made_up++;
		}
	}
}

static enum status unity_heap_native_object(struct push *p, size_t i, struct err *e)
{
	struct unity_native *x = &p->u->natives[i];
	struct trace *t = p->im->t;
	struct emit_object object = {.id = x->address, .size = KNOWN(x->size)};
	struct buf b = BUF_INIT;

	buf_adds(&b, "native ");
	if (x->type >= 0 && (size_t)x->type < p->u->n_native_types) {
		buf_adds(&b, trace_text(t, p->u->native_types[x->type]));
	} else {
		buf_adds(&b, "[no type]");
		p->bad_types++;
	}
	object.type = trace_type(t, b.data, b.len);
	buf_release(&b);
	if (*trace_text(t, x->name))
		object.name = x->name;
	return emit_object(p->im, &object, e);
}

static enum status reference(struct push *p, uint64_t from, uint64_t to, const char *name,
			     struct err *e)
{
	return emit_reference(p->im, from, to, trace_strz(p->im->t, name), ABSENT, e);
}

static enum status handle(struct push *p, uint64_t from, uint32_t index, struct err *e)
{
	if (from)
		p->owned[index] = true;
	return unity_crawl_reference(p->crawl, from, p->u->handles[index],
				     trace_strz(p->im->t, from ? "GC handle" : "[GC handle]"), e);
}

static enum status connection(struct push *p, const struct unity_connection *c, struct err *e)
{
	const struct unity_native *natives = p->u->natives;

	if (c->from_kind == UNITY_NATIVE && c->to_kind == UNITY_NATIVE) {
		p->held[c->to] |= c->from != c->to;
		return reference(p, natives[c->from].address, natives[c->to].address, "connection",
				 e);
	}
	if (c->from_kind == UNITY_NATIVE && c->to_kind == UNITY_HANDLE)
		return handle(p, natives[c->from].address, c->to, e);
	/* From a handle's object to its native half: m_CachedPtr says the same. */
	p->bad_connections += c->from_kind != UNITY_HANDLE || c->to_kind == UNITY_OTHER;
	return ST_OK;
}

static enum status native_root(struct push *p, size_t i, struct err *e)
{
	const struct unity_native *x = &p->u->natives[i];
	const char *name = x->flags & UNITY_MANAGER        ? "[native manager]"
			   : x->flags & UNITY_DONT_DESTROY ? "[native, not to be destroyed]"
			   : x->flags & UNITY_PERSISTENT   ? "[native, persistent]"
			   : !p->held[i]                   ? "[native, nothing refers to it]"
							   : NULL;

	return name ? reference(p, 0, x->address, name, e) : ST_OK;
}

static enum status unity_heap_push_natives(struct push *p, struct err *e)
{
	struct unity_heap *u = p->u;
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < u->n_natives; i++)
		st = unity_heap_native_object(p, i, e);
	for (size_t i = 0; !st && i < u->n_connections; i++)
		st = connection(p, &u->connections[i], e);
	for (size_t i = 0; !st && i < u->n_natives; i++)
		if (u->natives[i].handle >= 0 && (size_t)u->natives[i].handle < u->n_handles)
			st = handle(p, u->natives[i].address, (uint32_t)u->natives[i].handle, e);
	for (size_t i = 0; !st && i < u->n_natives; i++)
		st = native_root(p, i, e);
	for (size_t i = 0; !st && i < u->n_handles; i++)
		if (!p->owned[i])
			st = handle(p, 0, (uint32_t)i, e);
	return st;
}

static void add_notes(const struct push *p)
{
	struct trace *t = p->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p->bad_connections, "connections of unknown objects were left out"),
	    LOSS(NOTE_LOSS, p->bad_types, "native objects have an unknown type"),
	    LOSS(NOTE_INFO, p->made_up,
		 "native objects have no address of their own: an id stands for the address"),
	};

	TRACE_LOSSES(t, losses);
	unity_crawl_notes(p->crawl);
}

enum status unity_heap_push(struct unity_heap *u, struct import *im, struct err *e)
{
	struct push p = {.u = u, .im = im};
	enum status st = unity_heap_check(u, e);

	if (st)
		return st;
	trace_metric(im->t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(im->t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_set(im->t, TRACE_OBJECT_IDS, TRACE_OBJECT_ADDRESSES);
	st = im->begun ? ST_OK : import_begin(im, e);
	p.held = mem_zarray(u->n_natives + 1, sizeof *p.held);
	p.owned = mem_zarray(u->n_handles + 1, sizeof *p.owned);
	p.crawl = unity_crawl_new(u, im);
	set_ids(&p);
	if (!st)
		st = unity_heap_push_natives(&p, e);
	if (!st && has_pointers(&u->vm))
		st = unity_crawl_statics(p.crawl, e);
	if (!st)
		st = unity_crawl_all(p.crawl, &p.natives, e);
	if (!st)
		add_notes(&p);
	unity_crawl_free(p.crawl);
	map64_release(&p.natives);
	free(p.held);
	free(p.owned);
	return st;
}

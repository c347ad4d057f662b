/* SPDX-License-Identifier: MIT */
#include "formats/mono/tables.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdio.h>
#include <stdlib.h>

static void mono_ranges_add(struct mono_ranges *r, uint64_t lo, uint64_t size, uint32_t name)
{
	if (!size || lo + size < lo)
		size = 1;
	VEC_PUSH(r->all, r->n, r->cap) = (struct mono_range){lo, lo + size, name, (uint32_t)r->n};
}

static int mono_tables_by_address(const void *a, const void *b)
{
	const struct mono_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->order < y->order ? 1 : -1;
}

void mono_ranges_sort(struct mono_ranges *r)
{
	size_t n = 0;

	if (r->n)
		sort_array(r->all, r->n, sizeof *r->all, mono_tables_by_address);
	for (size_t i = 0; i < r->n; i++) /* of those at one address the last one */
		if (!n || r->all[n - 1].lo != r->all[i].lo)
			r->all[n++] = r->all[i];
	r->n = n;
}

/* How many begin at or below an address. */
static size_t ranges_before(const struct mono_ranges *r, uint64_t addr)
{
	return BISECT(i, 0, r->n, r->all[i].lo <= addr);
}

uint32_t mono_ranges_at(const struct mono_ranges *r, uint64_t addr)
{
	size_t n = ranges_before(r, addr);

	return n && addr < r->all[n - 1].hi ? r->all[n - 1].name : 0;
}

uint32_t mono_ranges_below(const struct mono_ranges *r, uint64_t addr)
{
	size_t n = ranges_before(r, addr);

	if (!n || r->all[n - 1].hi - r->all[n - 1].lo != 1)
		return 0;
	return addr - r->all[n - 1].lo < MONO_SYMBOL_REACH ? r->all[n - 1].name : 0;
}

static uint32_t add_text(struct mono_tables *m, const struct mono_event *ev)
{
	bool cut;

	return intern_add_cut(&m->texts, ev->text, ev->n_text, TRACE_STRING_MAX, &cut);
}

static uint32_t root_name(struct mono_tables *m, const struct mono_event *ev)
{
	/* enum MonoGCRootSource */
	static const char *const kinds[] = {
	    "external",      "stack",          "finalizer queue", "static",
	    "thread static", "context static", "gc handle",       "jit",
	    "threading",     "domain",         "reflection",      "marshal",
	    "thread pool",   "debugger",       "handle",          "ephemeron"};
	const char *kind = ev->code < sizeof kinds / sizeof *kinds ? kinds[ev->code] : "root";
	uint32_t class = ev->code == 3 || ev->code == 4 ? mono_tables_class(m, ev->other) : 0;
	char text[512];
	int n = snprintf(text, sizeof text, "%s: %s", kind,
			 class ? intern_text(&m->texts, class, NULL) : ev->text);

	n = n < 0 ? 0 : n >= (int)sizeof text ? (int)sizeof text - 1 : n;
	return intern_add(&m->texts, text, (size_t)n);
}

static void put(struct map64 *map, uint64_t key, uint32_t value, uint64_t *renamed)
{
	uint32_t *at = map64_put(map, key);

	if (*at && *at != value && renamed)
		++*renamed;
	*at = value;
}

static void thread_event(struct mono_tables *m, const struct mono_event *ev)
{
	struct mono_thread_event x = {.tid = ev->pointer,
				      .time = ev->time,
				      .order = (uint32_t)m->n_thread_events,
				      .name = ev->code ? 0 : add_text(m, ev)};

	if (m->n_thread_events < UINT32_MAX)
		VEC_PUSH(m->thread_events, m->n_thread_events, m->cap_thread_events) = x;
}

static int mono_tables_by_thread(const void *a, const void *b)
{
	const struct mono_thread_event *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void mono_tables_sort(struct mono_tables *m)
{
	if (m->n_thread_events)
		sort_array(m->thread_events, m->n_thread_events, sizeof *m->thread_events,
			   mono_tables_by_thread);
}

struct mono_thread mono_tables_thread(const struct mono_tables *m, uint64_t tid, uint64_t time)
{
	struct mono_thread th = {.until = UINT64_MAX};
	size_t lo = BISECT(i, 0, m->n_thread_events, m->thread_events[i].tid < tid);

	for (; lo < m->n_thread_events && m->thread_events[lo].tid == tid; lo++) {
		const struct mono_thread_event *x = &m->thread_events[lo];

		if (x->name) {
			th.name = x->name;
		} else if (x->time < time) {
			th.generation++;
			th.after = x->time;
			th.name = 0;
		} else {
			th.until = x->time;
			break;
		}
	}
	return th;
}

void mono_tables_on_event(struct mono_tables *m, const struct mono_event *ev)
{
	uint32_t name;

	m->kinds[ev->kind]++;
	switch (ev->kind) {
	case MONO_CLASS: put(&m->classes, ev->pointer, add_text(m, ev), NULL); break;
	case MONO_VTABLE:
		VEC_PUSH(m->keys, m->n_keys, m->cap_keys) = ev->other;
		put(&m->vtables, ev->pointer, (uint32_t)m->n_keys, NULL);
		break;
	case MONO_THREAD: thread_event(m, ev); break;
	case MONO_JIT:
		name = add_text(m, ev);
		put(&m->methods, ev->method, name, &m->renamed);
		if (ev->pointer && ev->size)
			mono_ranges_add(&m->code, ev->pointer, ev->size, name);
		break;
	case MONO_HELPER:
		if (ev->n_text)
			mono_ranges_add(&m->code, ev->pointer, ev->size, add_text(m, ev));
		break;
	case MONO_SYMBOL:
		mono_ranges_add(&m->symbols, ev->pointer, ev->size, add_text(m, ev));
		break;
	case MONO_ROOT: mono_ranges_add(&m->roots, ev->pointer, ev->size, root_name(m, ev)); break;
	case MONO_SHOT: m->shots += !ev->code; break;
	default: break;
	}
}

uint32_t mono_tables_class(const struct mono_tables *m, uint64_t vtable)
{
	uint32_t key = map64_get(&m->vtables, vtable);

	return map64_get(&m->classes, key ? m->keys[key - 1] : vtable);
}

void mono_tables_release(struct mono_tables *m)
{
	intern_release(&m->texts);
	map64_release(&m->methods);
	map64_release(&m->classes);
	free(m->thread_events);
	map64_release(&m->vtables);
	free(m->keys);
	free(m->code.all);
	free(m->roots.all);
	free(m->symbols.all);
}

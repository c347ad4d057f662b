/* SPDX-License-Identifier: MIT */
#include "lib/report/heap/paths.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_SHOWN = 32 }; /* at each end of a path */

struct search {
	const struct heap_set *s;
	const struct heap *h;
	struct heap_paths *p;
	uint64_t *names; /* hashes of texts, 0: not asked yet */
	uint32_t *queue;
	uint32_t n_queue;
};

enum heap_root_rank heap_root_rank(const struct heap_set *s, uint32_t root)
{
	/* Of Java and Android, Lua, .NET and V8. */
	static const char *const passing[] = {"[JNI local]",         "[Java frame]",
					      "[native stack]",      "[thread block]",
					      "[monitor used]",      "[JNI monitor]",
					      "[finalizing]",        "[debugger]",
					      "[reference cleanup]", "[main]",
					      "[running]",           "[Stack roots]",
					      "[Handle scope]",      "[Relocatable]",
					      "[Debugger]",          "[Compilation cache]",
					      "[Micro tasks]",       "[Weak collections]"};
	size_t n;
	const char *name = heap_text(s, root, &n);

	if (n && (*name != '[' || text_is(name, n, "[global object]")))
		return HEAP_ROOT_NAMED;
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		if (text_is(name, n, passing[i]))
			return HEAP_ROOT_PASSING;
	return HEAP_ROOT_KIND;
}

static uint64_t name_hash(struct search *f, uint32_t name)
{
	size_t n;
	const char *s;

	if (!f->names[name]) {
		s = heap_text(f->s, name, &n);
		f->names[name] = hash_bytes(s, n) | 1;
	}
	return f->names[name];
}

/* Below 0: the first is the better name of a root. */
static int root_order(const struct search *f, uint32_t a, uint32_t b)
{
	size_t na, nb;
	const char *ta = heap_text(f->s, a, &na), *tb = heap_text(f->s, b, &nb);

	return na != nb ? (na < nb ? -1 : 1) : memcmp(ta, tb, na);
}

static void heap_paths_reach(struct search *f, uint32_t from, uint32_t reference, uint8_t rank)
{
	struct heap_paths *p = f->p;
	uint32_t to = f->h->out[reference], name = heap_reference_name(f->h, reference);
	uint32_t distance = p->distance[from] + 1;
	uint64_t hash = hash_u64(p->hash[from] + name_hash(f, name)) | 1;
	bool better;

	if (!p->distance[to]) {
		f->queue[f->n_queue++] = to;
		better = true;
	} else if (p->rank[to] != rank || p->distance[to] != distance) {
		return;
	} else {
		better = from ? hash < p->hash[to] : root_order(f, name, p->root[to]) < 0;
	}
	if (!better)
		return;
	p->distance[to] = distance;
	p->via[to] = reference;
	p->root[to] = from ? p->root[from] : name;
	p->hash[to] = hash;
	p->rank[to] = rank;
}

/* From the roots of a rank to what those of the ranks before do not reach. */
static void heap_paths_search(struct search *f, uint8_t rank)
{
	const struct heap *h = f->h;
	uint32_t at = f->n_queue;

	for (uint32_t r = h->out_start[0]; r < h->out_start[1]; r++)
		if (heap_root_rank(f->s, heap_reference_name(h, r)) == rank)
			heap_paths_reach(f, 0, r, rank);
	/* A level is settled before the next one begins: only shorter paths lead to it. */
	for (; at < f->n_queue; at++) {
		uint32_t from = f->queue[at];

		f->p->n_reached += h->flags[from] & HEAP_LISTED;
		for (uint32_t r = h->out_start[from]; r < h->out_start[from + 1]; r++)
			heap_paths_reach(f, from, r, rank);
	}
}

void heap_paths_init(struct heap_paths *p, const struct heap_set *s, const struct heap *h)
{
	struct search f = {.s = s, .h = h, .p = p};
	size_t n = (size_t)h->n + 1;

	*p = (struct heap_paths){.distance = mem_zarray(n, sizeof *p->distance),
				 .via = mem_zarray(n, sizeof *p->via),
				 .root = mem_zarray(n, sizeof *p->root),
				 .hash = mem_zarray(n, sizeof *p->hash),
				 .rank = mem_zarray(n, sizeof *p->rank)};
	f.names = mem_zarray((size_t)intern_count(&s->texts) + 1, sizeof *f.names);
	f.queue = mem_array(n, sizeof *f.queue);
	for (int rank = 0; rank < HEAP_ROOT_RANKS; rank++)
		heap_paths_search(&f, (uint8_t)rank);
	free(f.names);
	free(f.queue);
}

void heap_paths_forget(struct heap_paths *p, bool hashes, bool roots)
{
	if (hashes) {
		free(p->hash);
		p->hash = NULL;
	}
	if (roots) {
		free(p->root);
		p->root = NULL;
	}
}

void heap_paths_release(struct heap_paths *p)
{
	free(p->distance);
	free(p->via);
	free(p->root);
	free(p->hash);
	free(p->rank);
	*p = (struct heap_paths){0};
}

bool heap_is_element(const char *s, size_t n)
{
	return !n ||
	       (n >= 2 && s[0] == '[' && s[n - 1] == ']' && strspn(s + 1, "0123456789,") == n - 2);
}

void heap_step_text(struct buf *out, const struct heap_set *s, uint32_t name, bool fold)
{
	size_t n;
	const char *p = heap_text(s, name, &n);

	if (!n || (fold && heap_is_element(p, n))) {
		buf_adds(out, fold ? "[*]" : "[]");
		return;
	}
	if (!strchr("[.:(<", *p))
		buf_addc(out, '.');
	buf_add(out, p, n);
}

void heap_root_text(struct buf *out, const struct heap_set *s, const struct heap *h, uint32_t root,
		    uint32_t object)
{
	size_t n;
	const char *p = heap_text(s, root, &n);

	if (n)
		buf_add(out, p, n);
	else
		buf_adds(out, "[root]");
	if (n && *p != '[')
		return;
	p = heap_text(s, heap_type(h, object), &n);
	if (n) {
		buf_addc(out, ' ');
		buf_add(out, p, n);
	}
}

void heap_path_text(struct buf *out, const struct heap_set *s, const struct heap *h,
		    const struct heap_paths *p, uint32_t object, bool fold)
{
	uint32_t steps[2 * STEPS_SHOWN]; /* the last ones, outermost last; then the first ones */
	uint32_t distance = p->distance[object], tail, n = 0, skipped;

	if (!distance)
		return;
	tail = distance - 1 < STEPS_SHOWN ? distance - 1 : STEPS_SHOWN;
	for (; n < tail; n++, object = heap_source(h, p->via[object]))
		steps[n] = heap_reference_name(h, p->via[object]);
	skipped = p->distance[object] - 1;
	skipped = skipped < STEPS_SHOWN ? 0 : skipped - STEPS_SHOWN;
	for (uint32_t i = 0; i < skipped; i++)
		object = heap_source(h, p->via[object]);
	for (; p->distance[object] > 1; object = heap_source(h, p->via[object]))
		steps[n++] = heap_reference_name(h, p->via[object]);
	heap_root_text(out, s, h, heap_reference_name(h, p->via[object]), object);
	while (n > tail)
		heap_step_text(out, s, steps[--n], fold);
	if (skipped)
		buf_addf(out, " ... (%u more) ... ", skipped);
	while (n)
		heap_step_text(out, s, steps[--n], fold);
}

static void add_object(struct buf *out, const struct heap_set *s, const struct heap *h,
		       uint32_t object)
{
	size_t n;
	const char *type = heap_text(s, heap_type(h, object), &n);

	buf_add(out, type, n);
	buf_addf(out, "%s0x%" PRIx64, n ? " " : "", heap_id(h, object));
}

void heap_path_objects(struct buf *out, const struct heap_set *s, const struct heap *h,
		       const struct heap_paths *p, uint32_t object, bool fold)
{
	uint32_t objects[2 * STEPS_SHOWN]; /* as in heap_path_text */
	uint32_t distance = p->distance[object], tail, n = 0, skipped;

	if (!distance)
		return;
	tail = distance < STEPS_SHOWN ? distance : STEPS_SHOWN;
	for (; n < tail; n++, object = heap_source(h, p->via[object]))
		objects[n] = object;
	skipped = distance - tail < STEPS_SHOWN ? 0 : distance - tail - STEPS_SHOWN;
	for (uint32_t i = 0; i < skipped; i++)
		object = heap_source(h, p->via[object]);
	for (; object; object = heap_source(h, p->via[object]))
		objects[n++] = object;
	for (uint32_t left = n; left > 0; left--) {
		if (left < n) {
			buf_adds(out, " -> ");
			heap_step_text(out, s, heap_reference_name(h, p->via[objects[left - 1]]),
				       fold);
			buf_adds(out, " -> ");
		}
		if (left == tail && skipped)
			buf_addf(out, "... (%u more) -> ", skipped);
		add_object(out, s, h, objects[left - 1]);
	}
}

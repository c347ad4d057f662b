/* SPDX-License-Identifier: MIT
 *
 * Heap graphs of Android's runtime. Types and the names of fields stand behind the objects, so that they
 * are read by the scan; objects are pushed as they are read. Each graph is a capture: those that do not
 * begin before the one before is over need no more walks.
 */
#include "formats/perfetto/perfetto.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_NO_REFERENCES = 2, KIND_STRING = 3, KIND_ARRAY = 4 };

/* --- the scan --- */

static void parse_ids(uint64_t **ids, size_t *n, size_t *cap, const struct pb_field *f)
{
	struct pb list = pb_of(f);
	uint64_t v;

	if (f->wire == PB_VARINT)
		VEC_PUSH(*ids, *n, *cap) = f->value;
	while (f->wire == PB_BYTES && pb_packed(&list, &v))
		VEC_PUSH(*ids, *n, *cap) = v;
}

static void perfetto_scan_type(struct perfetto *x, struct perfetto_graph *g, struct pb b)
{
	struct perfetto_type t = {.first = g->n_ids};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: t.location = f.value; break;
		case 3: t.name = f.n ? perfetto_name(x, f.s, f.n) : 0; break;
		case 4: t.size = f.value; break;
		case 5: t.super = f.value; break;
		case 6: parse_ids(&g->ids, &g->n_ids, &g->cap_ids, &f); break;
		case 7: t.kind = f.value < 256 ? (uint8_t)f.value : 0; break;
		}
	t.n = g->n_ids - t.first;
	VEC_PUSH(g->types, g->n_types, g->cap_types) = t;
	*map64_put(&g->type_ids, id) = (uint32_t)g->n_types;
}

static void scan_text(struct perfetto *x, struct map64 *m, struct pb b)
{
	struct pb_field f;
	uint32_t name = 0;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2 && f.wire == PB_BYTES && f.n)
			name = perfetto_name(x, f.s, f.n);
	if (name)
		*map64_put(m, id) = name;
}

static void perfetto_scan_graph(struct perfetto *x, struct perfetto_graph *g, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f)) {
		if (f.number == 1)
			g->pid = (uint32_t)f.value;
		else if (f.number == 6)
			g->lost |= f.value != g->index;
		if (f.wire != PB_BYTES)
			continue;
		if (f.number == 9)
			perfetto_scan_type(x, g, pb_of(&f));
		else if (f.number == 4)
			scan_text(x, &g->fields, pb_of(&f));
		else if (f.number == 8)
			scan_text(x, &g->places, pb_of(&f));
	}
	g->index++;
}

/* --- objects --- */

static const char *perfetto_sample_place_of(const struct perfetto *x,
					    const struct perfetto_graph *g, uint64_t location)
{
	return intern_text(&x->names.strings, map64_get(&g->places, location), NULL);
}

/* The trace's type; 0: it is not there. */
static uint32_t perfetto_type_of(struct perfetto *x, struct perfetto_graph *g, uint64_t id)
{
	uint32_t at = map64_get(&g->type_ids, id), *type;
	const struct perfetto_type *t = at ? &g->types[at - 1] : NULL;
	const char *s;
	size_t n;

	if (!t || !t->name) {
		x->graphs.unknown_types++;
		return 0;
	}
	type = map64_put(&x->graphs.type_of, at);
	if (*type)
		return *type;
	s = intern_text(&x->names.strings, t->name, &n);
	if (perfetto_plain_class(x, s, n, perfetto_sample_place_of(x, g, t->location)))
		*type = trace_type(x->im->t, buf_at(&x->text, 0), x->text.len);
	else
		*type = trace_type(x->im->t, s, n);
	return *type;
}

/* "long java.lang.Object.hash" -> hash. */
static uint32_t perfetto_field_name(struct perfetto *x, struct perfetto_graph *g, uint64_t id,
				    const char *place)
{
	uint32_t name = id ? map64_get(&g->fields, id) : 0;
	const char *s, *p;
	size_t n;

	if (!name)
		return 0;
	s = intern_text(&x->names.strings, name, &n);
	p = memrchr(s, ' ', n);
	if (p) {
		n -= (size_t)(p + 1 - s);
		s = p + 1;
	}
	if (perfetto_plain_field(x, s, n, place)) {
		s = buf_at(&x->text, 0);
		n = x->text.len;
	}
	p = n ? memrchr(s, '.', n) : NULL;
	if (p) {
		n -= (size_t)(p + 1 - s);
		s = p + 1;
	}
	return trace_string(x->im->t, s, n);
}

/* The names of its fields in the order of its references: of its class, then of those above. */
static void perfetto_names_of_class(struct perfetto *x, const struct perfetto_graph *g, uint64_t id)
{
	struct perfetto_graphs *all = &x->graphs;

	for (unsigned i = 0; i < PERFETTO_SUPERS_MOST && all->n_names < all->n_refs; i++) {
		uint32_t at = map64_get(&g->type_ids, id);
		const struct perfetto_type *t = at ? &g->types[at - 1] : NULL;

		if (!t)
			return;
		for (size_t k = 0; k < t->n && all->n_names < all->n_refs; k++)
			VEC_PUSH(all->names, all->n_names, all->cap_names) = g->ids[t->first + k];
		id = t->super;
		if (!id)
			return;
	}
}

static enum status perfetto_push_references(struct perfetto *x, struct perfetto_graph *g,
					    uint64_t from, uint64_t type, uint64_t base,
					    struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	uint32_t at = map64_get(&g->type_ids, type);
	const struct perfetto_type *t = at ? &g->types[at - 1] : NULL;
	const char *place = t ? perfetto_sample_place_of(x, g, t->location) : "";
	bool array =
	    t && (t->kind == KIND_ARRAY || t->kind == KIND_NO_REFERENCES || t->kind == KIND_STRING);
	enum status st = ST_OK;

	if (!all->n_names && !array)
		perfetto_names_of_class(x, g, type);
	all->no_fields += !array && all->n_names != all->n_refs;
	for (size_t i = 0; !st && i < all->n_refs; i++) {
		uint32_t name = 0;

		if (!all->refs[i])
			continue;
		if (i < all->n_names)
			name = perfetto_field_name(x, g, all->names[i], place);
		st = emit_reference(x->im, from, all->refs[i] + base, name, ABSENT, e);
	}
	return st;
}

static enum status perfetto_push_internals(struct perfetto *x, uint64_t from, struct pb b,
					   struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	enum status st = ST_OK;
	struct pb_field f;

	all->n_refs = 0;
	while (pb_next(&b, &f))
		if (f.number == 10)
			parse_ids(&all->refs, &all->n_refs, &all->cap_refs, &f);
	for (size_t i = 0; !st && i < all->n_refs; i++)
		if (all->refs[i])
			st = emit_reference(x->im, from, all->refs[i],
					    trace_strz(x->im->t, "[runtime]"), ABSENT, e);
	return st;
}

static enum status perfetto_push_object(struct perfetto *x, struct perfetto_graph *g, struct pb b,
					struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	uint64_t id = 0, type = 0, size = 0, base = 0, delta = 0;
	struct emit_object object;
	struct pb message = b;
	struct pb_field f;
	uint32_t at;
	enum status st;

	all->n_refs = all->n_names = 0;
	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: type = f.value; break;
		case 3: size = f.value; break;
		case 4: parse_ids(&all->names, &all->n_names, &all->cap_names, &f); break;
		case 5: parse_ids(&all->refs, &all->n_refs, &all->cap_refs, &f); break;
		case 6: base = f.value; break;
		case 7: delta = f.value; break;
		case 8: all->natives++; break;
		}
	if (b.bad) {
		all->odd++;
		return ST_OK;
	}
	id = delta ? all->last_id + delta : id;
	all->last_id = id;
	if (!id) {
		all->zero++;
		return ST_OK;
	}
	at = map64_get(&g->type_ids, type);
	if (!size && at && at <= g->n_types)
		size = g->types[at - 1].size;
	object = (struct emit_object){
	    .id = id, .type = perfetto_type_of(x, g, type), .size = KNOWN(size)};
	st = emit_object(x->im, &object, e);
	if (!st)
		st = perfetto_push_references(x, g, id, type, base, e);
	return st ? st : perfetto_push_internals(x, id, message, e);
}

static enum status perfetto_push_roots(struct perfetto *x, struct pb b, struct err *e)
{
	static const char *const names[] = {
	    "[unknown]",           "[JNI global]",      "[JNI local]",    "[Java frame]",
	    "[native stack]",      "[sticky class]",    "[thread block]", "[monitor used]",
	    "[thread object]",     "[interned string]", "[finalizing]",   "[debugger]",
	    "[reference cleanup]", "[VM internal]",     "[JNI monitor]"};
	struct perfetto_graphs *all = &x->graphs;
	enum status st = ST_OK;
	uint64_t type = 0;
	struct pb_field f;

	all->n_refs = 0;
	while (pb_next(&b, &f))
		if (f.number == 1)
			parse_ids(&all->refs, &all->n_refs, &all->cap_refs, &f);
		else if (f.number == 2)
			type = f.value;
	type = type < sizeof names / sizeof *names ? type : 0;
	for (size_t i = 0; !st && i < all->n_refs; i++)
		if (all->refs[i])
			st = emit_reference(x->im, 0, all->refs[i],
					    trace_strz(x->im->t, names[type]), ABSENT, e);
	return st;
}

static enum status push_graph(struct perfetto *x, struct perfetto_graph *g, struct pb b,
			      struct err *e)
{
	enum status st = ST_OK;
	struct pb_field f;

	while (!st && pb_next(&b, &f))
		if (f.number == 2 && f.wire == PB_BYTES)
			st = perfetto_push_object(x, g, pb_of(&f), e);
		else if (f.number == 7 && f.wire == PB_BYTES)
			st = perfetto_push_roots(x, pb_of(&f), e);
	return st;
}

/* --- graphs, one after the other --- */

enum status perfetto_graph_begin(struct perfetto *x, struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	const struct perfetto_graph *g = &all->list[all->now];
	struct trace *t = x->im->t;
	uint32_t name = map64_get(&x->names.processes, g->pid);
	struct buf b = BUF_INIT;
	int64_t ns;

	buf_addf(&b, "%" PRIu32, g->pid);
	trace_set(t, "perfetto.pid", buf_str(&b));
	if (name)
		trace_set(t, "perfetto.process", intern_text(&x->names.strings, name, NULL));
	if (perfetto_ns(x, g->time, &ns)) {
		b.len = 0;
		buf_addf(&b, "%" PRId64, ns);
		trace_set(t, "perfetto.time_ns", buf_str(&b));
	}
	buf_release(&b);
	all->last_id = 0;
	all->unknown_types = all->no_fields = all->zero = all->natives = all->odd = 0;
	map64_release(&all->type_of);
	return import_begin(x->im, e);
}

void perfetto_graph_end(struct perfetto *x)
{
	const struct perfetto_graphs *all = &x->graphs;
	const struct perfetto_graph *g = &all->list[all->now];
	struct trace *t = x->im->t;
	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_LOSS, g->lost, "packets of the heap graph were lost"),
	    LOSS_IF(NOTE_LOSS, !g->over,
		    "the heap graph is incomplete: its last packet is missing"),
	    LOSS(NOTE_LOSS, all->unknown_types, "objects have a type that is not in the trace"),
	    LOSS(NOTE_LOSS, all->odd, "unreadable objects were left out"),
	    LOSS(NOTE_LOSS, all->zero, "objects have no number: left out"),
	    LOSS(NOTE_INFO, all->no_fields,
		 "objects do not have as many references as their class has fields: some "
		 "references have no name"),
	    LOSS(NOTE_INFO, all->natives,
		 "objects state native memory that belongs to other objects, which was not read"),
	};

	TRACE_LOSSES(t, losses);
	perfetto_notes(x);
}

/* The graph that a packet is of: SIZE_MAX is one beyond the bound. */
static size_t perfetto_graph_of(struct perfetto *x, struct perfetto_seq *s,
				const struct perfetto_packet *p)
{
	struct perfetto_graphs *all = &x->graphs;

	if (s->graph)
		return s->graph - 1;
	if (x->pass != PERFETTO_SCAN) {
		size_t at = all->numbered < all->n ? all->numbered++ : SIZE_MAX;

		s->graph = at == SIZE_MAX ? 0 : (uint32_t)at + 1;
		return at;
	}
	if (all->n >= PERFETTO_GRAPHS_MOST)
		return SIZE_MAX;
	VEC_PUSH(all->list, all->n, all->cap) =
	    (struct perfetto_graph){.first = all->packets, .time = p->time};
	s->graph = (uint32_t)all->n;
	return s->graph - 1;
}

/* What comes behind the last packet of the graph that is being read. */
static enum status perfetto_go_on(struct perfetto *x, struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	uint64_t last = all->list[all->now].last;
	enum status st;

	perfetto_graph_end(x);
	all->now++;
	all->done = true;
	if (all->now >= all->n || all->list[all->now].first <= last)
		return ST_OK;
	st = import_next(x->im, e);
	if (!st)
		st = perfetto_graph_begin(x, e);
	all->done = false;
	return st;
}

enum status perfetto_graph(struct perfetto *x, struct perfetto_seq *s,
			   const struct perfetto_packet *p, struct err *e)
{
	struct perfetto_graphs *all = &x->graphs;
	struct pb b = pb_of(&p->data), again = b;
	bool goes_on = false;
	struct pb_field f;
	enum status st = ST_OK;
	size_t at;

	all->packets++;
	if (!s)
		s = perfetto_seq_of(x, 0);
	if (!s)
		return ST_OK;
	while (pb_next(&again, &f))
		if (f.number == 5)
			goes_on = f.value;
	at = perfetto_graph_of(x, s, p);
	if (at == SIZE_MAX) {
		all->more += x->pass == PERFETTO_SCAN;
		return ST_OK;
	}
	s->graph = goes_on ? s->graph : 0;
	if (x->pass == PERFETTO_SCAN) {
		struct perfetto_graph *g = &all->list[at];

		if (p->time.clock)
			perfetto_time_at(x, x->clocks.list[p->time.clock - 1].key, p->time.raw);
		perfetto_scan_graph(x, g, b);
		g->over |= !goes_on;
		g->last = all->packets;
		return ST_OK;
	}
	if (at == all->now)
		st = push_graph(x, &all->list[at], b, e);
	return !st && at == all->now && all->packets == all->list[at].last ? perfetto_go_on(x, e)
									   : st;
}

void perfetto_graphs_release(struct perfetto_graphs *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->list[i].types);
		free(g->list[i].ids);
		map64_release(&g->list[i].type_ids);
		map64_release(&g->list[i].fields);
		map64_release(&g->list[i].places);
	}
	free(g->list);
	free(g->refs);
	free(g->names);
	map64_release(&g->type_of);
}

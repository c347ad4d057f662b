/* SPDX-License-Identifier: MIT
 *
 * The tables of a pprof profile: strings, mappings, functions and locations.
 */
#include "formats/pprof/pprof.h"

#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

static void add_type(struct pprof_tables *p, struct pb b)
{
	struct pprof_type t = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: t.type = f.value; break;
		case 2: t.unit = f.value; break;
		}
	p->broken += b.bad;
	if (p->n_types == PPROF_TYPES_MOST)
		p->more_types++;
	else
		VEC_PUSH(p->types, p->n_types, p->cap_types) = t;
}

static void add_period_type(struct pprof_tables *p, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: p->period_type = f.value; break;
		case 2: p->period_unit = f.value; break;
		}
	p->broken += b.bad;
}

static void pprof_tables_add_mapping(struct pprof_tables *p, struct pb b)
{
	struct pprof_mapping m = {0};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: m.lo = f.value; break;
		case 3: m.hi = f.value; break;
		case 4: m.offset = f.value; break;
		case 5: m.file = f.value; break;
		case 6: m.build_id = f.value; break;
		}
	p->broken += b.bad;
	VEC_PUSH(p->mappings, p->n_mappings, p->cap_mappings) = m;
	*map64_put(&p->mapping_ids, id) = (uint32_t)p->n_mappings;
}

static void pprof_tables_add_function(struct pprof_tables *p, struct pb b)
{
	struct pprof_function x = {0};
	uint64_t id = 0, raw = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: x.name = f.value; break;
		case 3: raw = f.value; break;
		case 4: x.file = f.value; break;
		}
	if (!x.name)
		x.name = raw;
	p->broken += b.bad;
	VEC_PUSH(p->functions, p->n_functions, p->cap_functions) = x;
	*map64_put(&p->function_ids, id) = (uint32_t)p->n_functions;
}

static void add_place(struct pprof_tables *p, struct pb b)
{
	struct pprof_place x = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: x.function = f.value; break;
		case 2: x.line = f.value; break;
		}
	p->broken += b.bad;
	VEC_PUSH(p->places, p->n_places, p->cap_places) = x;
}

static void pprof_tables_add_location(struct pprof_tables *p, struct pb b)
{
	struct pprof_location l = {.first = p->n_places};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: l.id = f.value; break;
		case 2: l.mapping = f.value; break;
		case 3: l.address = f.value; break;
		case 4:
			if (f.wire == PB_BYTES && p->n_places - l.first == PPROF_PLACES_MOST)
				p->more_calls++;
			else if (f.wire == PB_BYTES)
				add_place(p, pb_of(&f));
			break;
		}
	p->broken += b.bad;
	l.n = (uint32_t)(p->n_places - l.first);
	VEC_PUSH(p->locations, p->n_locations, p->cap_locations) = l;
	*map64_put(&p->location_ids, l.id) = (uint32_t)p->n_locations;
}

static void add_comment(struct pprof_tables *p, uint64_t string)
{
	if (p->n_comments < sizeof p->comments / sizeof *p->comments)
		p->comments[p->n_comments++] = string;
}

static void add_number(struct pprof_tables *p, const struct pb_field *f)
{
	switch (f->number) {
	case 9: p->time = f->value; break;
	case 10: p->duration = f->value; break;
	case 12: p->period = f->value; break;
	case 13: add_comment(p, f->value); break;
	case 14: p->default_type = f->value; break;
	}
}

static void pprof_tables_add_bytes(struct pprof_tables *p, const struct pb_field *f)
{
	struct pb b = pb_of(f);
	uint64_t v;

	switch (f->number) {
	case 1: add_type(p, b); break;
	case 2: p->samples++; break;
	case 3: pprof_tables_add_mapping(p, b); break;
	case 4: pprof_tables_add_location(p, b); break;
	case 5: pprof_tables_add_function(p, b); break;
	case 6: intern_append(&p->strings, (const char *)f->s, f->n); break;
	case 11: add_period_type(p, b); break;
	case 13:
		while (pb_packed(&b, &v))
			add_comment(p, v);
		break;
	}
}

/* Of locations with one id the last one is meant. */
static void pprof_tables_find_small(struct pprof_tables *p)
{
	p->n_by_id = p->n_locations * 4 + 1024;
	p->by_id = mem_zarray(p->n_by_id, sizeof *p->by_id);
	for (size_t i = 0; i < p->n_locations; i++)
		if (p->locations[i].id < p->n_by_id)
			p->by_id[p->locations[i].id].at = (uint32_t)i + 1;
}

enum status pprof_tables_read(struct pprof_tables *p, struct cursor *c)
{
	struct pb_field f;
	enum status st;

	while (!(st = pb_next_of(c, &f, "profile")))
		if (f.wire == PB_BYTES)
			pprof_tables_add_bytes(p, &f);
		else
			add_number(p, &f);
	pprof_tables_find_small(p);
	return st == ST_NONE ? ST_OK : st;
}

void pprof_tables_release(struct pprof_tables *p)
{
	intern_release(&p->strings);
	map64_release(&p->mapping_ids);
	map64_release(&p->function_ids);
	map64_release(&p->location_ids);
	free(p->types);
	free(p->mappings);
	free(p->functions);
	free(p->locations);
	free(p->places);
	free(p->made);
	free(p->by_id);
}

const char *pprof_text(struct pprof_tables *p, uint64_t string, size_t *n)
{
	bool there = string < intern_count(&p->strings);
	size_t len;
	const char *s = intern_text(&p->strings, there ? (uint32_t)string + 1 : 0, &len);

	p->missing += !there && string;
	if (n)
		*n = len;
	return s;
}

static uint32_t text_of(struct pprof_tables *p, struct trace *t, uint64_t string)
{
	size_t n;
	const char *s = pprof_text(p, string, &n);

	return n ? trace_string(t, s, n) : 0;
}

/* The bytes of its text; 0: none, or something else. */
static uint32_t build_id_of(struct pprof_tables *p, struct trace *t, const struct pprof_mapping *m)
{
	uint8_t bytes[64];
	size_t n, n_file;
	const char *s = pprof_text(p, m->build_id, &n), *file = pprof_text(p, m->file, &n_file);

	n = id_text_read(path_is_of_windows(file, n_file), s, n, bytes, sizeof bytes);
	return n ? trace_string(t, (const char *)bytes, n) : 0;
}

/* A mapping that begins at 0 has link-time addresses. */
static bool is_linked(const struct pprof_mapping *m)
{
	return !m->lo && !m->offset;
}

void pprof_modules(struct pprof_tables *p, struct trace *t)
{
	for (size_t i = 0; i < p->n_mappings; i++) {
		struct pprof_mapping *m = &p->mappings[i];
		struct map_range r = {m->lo, m->hi, m->offset, true};
		struct module row = {.name = text_of(p, t, m->file),
				     .build_id = build_id_of(p, t, m),
				     .ranges = &r,
				     .n_ranges = m->lo < m->hi && !is_linked(m)};

		if (row.name || row.build_id || row.n_ranges)
			m->module = trace_module(t, &row);
	}
}

static void pprof_tables_make_location(struct pprof_tables *p, struct trace *t,
				       struct pprof_location *l)
{
	uint32_t at = map64_get(&p->mapping_ids, l->mapping), before = (uint32_t)p->n_made;
	const struct pprof_mapping *m = at ? &p->mappings[at - 1] : NULL;
	uint32_t module = m ? m->module : 0;
	uint8_t space = module && is_linked(m) ? SPACE_VADDR : SPACE_RUNTIME;

	p->missing += !at && l->mapping;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct pprof_place *place = &p->places[l->first + i];
		uint32_t index = map64_get(&p->function_ids, place->function), id;
		struct location row = {.module = module, .space = SPACE_NAME};

		if (!index) {
			p->missing++;
			continue;
		}
		row.name = text_of(p, t, p->functions[index - 1].name);
		row.file = text_of(p, t, p->functions[index - 1].file);
		row.line = place->line <= UINT32_MAX ? (uint32_t)place->line : 0;
		if (l->n == 1 && l->address) {
			size_t n;
			const char *s = intern_text(&t->strings, row.name, &n);

			if (emit_is_place(s, n, l->address)) /* tm-export has no other name */
				row.name = 0;
			row.raw = l->address;
			row.space = space;
			row.kind = LOCATION_EXACT;
		} else if (!row.name) {
			continue;
		}
		id = trace_location(t, &row);
		VEC_PUSH(p->made, p->n_made, p->cap_made) = id;
	}
	if (p->n_made == before) {
		struct location row = {.raw = l->address,
				       .module = module,
				       .space = l->address ? space : SPACE_UNKNOWN,
				       .kind = l->address ? LOCATION_EXACT : LOCATION_UNSTATED};
		uint32_t id = trace_location(t, &row);

		VEC_PUSH(p->made, p->n_made, p->cap_made) = id;
	}
	l->made = before + 1;
	l->n_made = (uint32_t)p->n_made - before;
}

const uint32_t *pprof_location_of(struct pprof_tables *p, struct trace *t, uint64_t id, size_t *n)
{
	struct pprof_small *small = id < p->n_by_id ? &p->by_id[id] : NULL;
	struct pprof_location *l;
	uint32_t at;

	if (small && small->n) {
		*n = small->n;
		return p->made + small->first;
	}
	*n = 0;
	at = small ? small->at : map64_get(&p->location_ids, id);
	if (!at) {
		p->missing++;
		return NULL;
	}
	l = &p->locations[at - 1];
	if (!l->made)
		pprof_tables_make_location(p, t, l);
	if (small) {
		small->first = l->made - 1;
		small->n = l->n_made;
	}
	*n = l->n_made;
	return p->made + l->made - 1;
}

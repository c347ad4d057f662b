/* SPDX-License-Identifier: MIT
 *
 * Interned data of a sequence, and stacks made of it. What an entry refers to may stand behind it, so
 * nothing is looked up before it is needed.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t nothing[1];

static void parse_text(struct perfetto *x, struct map64 *m, struct pb b)
{
	struct pb_field f, text = {.s = nothing};
	uint64_t id = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2 && f.wire == PB_BYTES)
			text = f;
	if (b.bad)
		x->missing++;
	else
		*map64_put(m, id) = trace_string(x->im->t, (const char *)text.s, text.n);
}

/* Numbers of a field, packed or one by one. */
static void parse_ids(struct perfetto_tables *k, const struct pb_field *f)
{
	struct pb list = pb_of(f);
	uint64_t v;

	if (f->wire == PB_VARINT)
		VEC_PUSH(k->ids, k->n_ids, k->cap_ids) = f->value;
	while (f->wire == PB_BYTES && pb_packed(&list, &v))
		VEC_PUSH(k->ids, k->n_ids, k->cap_ids) = v;
}

static void perfetto_parse_mapping(struct perfetto_tables *k, struct pb b)
{
	struct perfetto_mapping m = {.first = k->n_ids};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: m.build_id = f.value; break;
		case 7: parse_ids(k, &f); break;
		}
	m.n = k->n_ids - m.first;
	VEC_PUSH(k->mappings, k->n_mappings, k->cap_mappings) = m;
	*map64_put(&k->mapping_ids, id) = (uint32_t)k->n_mappings;
}

static void perfetto_parse_frame(struct perfetto_tables *k, struct pb b)
{
	struct perfetto_frame m = {0};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: m.function = f.value; break;
		case 3: m.mapping = f.value; break;
		case 4:
			m.pc = f.value;
			m.has_pc = true;
			break;
		case 5: m.source = f.value; break;
		case 6: m.line = (uint32_t)f.value; break;
		}
	VEC_PUSH(k->frames, k->n_frames, k->cap_frames) = m;
	*map64_put(&k->frame_ids, id) = (uint32_t)k->n_frames;
}

/* Who a sample is of; what a weight is. */
static void perfetto_parse_pair(struct perfetto_tables *k, struct map64 *ids, struct pb b,
				uint32_t first, uint32_t second)
{
	struct perfetto_pair_of pair = {0, 0};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			id = f.value;
		else if (f.number == first)
			pair.first = f.value;
		else if (f.number == second)
			pair.second = f.value;
	VEC_PUSH(k->pairs, k->n_pairs, k->cap_pairs) = pair;
	*map64_put(ids, id) = (uint32_t)k->n_pairs;
}

static void parse_callstack(struct perfetto_tables *k, struct pb b)
{
	struct perfetto_callstack c = {.first = k->n_ids};
	struct pb_field f;
	uint64_t id = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2)
			parse_ids(k, &f);
	c.n = k->n_ids - c.first;
	VEC_PUSH(k->callstacks, k->n_callstacks, k->cap_callstacks) = c;
	*map64_put(&k->callstack_ids, id) = (uint32_t)k->n_callstacks;
}

/* One table of strings serves all in a profile of its own. */
static int text_of(uint32_t number, bool of_profile)
{
	switch (number) {
	case 1: return of_profile ? PERFETTO_FUNCTION : PERFETTO_CATEGORY;
	case 2: return of_profile ? -1 : PERFETTO_EVENT_NAME;
	case 5: return of_profile ? -1 : PERFETTO_FUNCTION;
	case 16: return of_profile ? -1 : PERFETTO_BUILD_ID;
	case 17: return of_profile ? -1 : PERFETTO_PATH;
	case 18: return of_profile ? -1 : PERFETTO_SOURCE;
	default: return -1;
	}
}

void perfetto_intern(struct perfetto *x, struct perfetto_tables *k, struct pb b, bool of_profile)
{
	const uint32_t frames = of_profile ? 2 : 6, callstacks = of_profile ? 3 : 7;
	const uint32_t mappings = of_profile ? 4 : 19;
	struct pb_field f;

	while (pb_next(&b, &f)) {
		int text = text_of(f.number, of_profile);

		if (f.wire != PB_BYTES)
			continue;
		if (text >= 0)
			parse_text(x, &k->texts[text], pb_of(&f));
		else if (f.number == frames)
			perfetto_parse_frame(k, pb_of(&f));
		else if (f.number == callstacks)
			parse_callstack(k, pb_of(&f));
		else if (f.number == mappings)
			perfetto_parse_mapping(k, pb_of(&f));
		else if (f.number == 48 && !of_profile)
			perfetto_parse_pair(k, &k->task_ids, pb_of(&f), 2, 3);
		else if (f.number == 50 && !of_profile)
			perfetto_parse_pair(k, &k->weight_ids, pb_of(&f), 3, 5);
	}
}

void perfetto_tables_clear(struct perfetto_tables *k)
{
	for (size_t i = 0; i < PERFETTO_TEXTS; i++)
		map64_release(&k->texts[i]);
	map64_release(&k->mapping_ids);
	map64_release(&k->frame_ids);
	map64_release(&k->callstack_ids);
	map64_release(&k->task_ids);
	map64_release(&k->weight_ids);
	k->n_pairs = k->n_mappings = k->n_frames = k->n_callstacks = k->n_ids = 0;
}

void perfetto_tables_free(struct perfetto_tables *k)
{
	if (!k)
		return;
	perfetto_tables_clear(k);
	free(k->mappings);
	free(k->frames);
	free(k->callstacks);
	free(k->pairs);
	free(k->ids);
	free(k);
}

/* --- places in code --- */

/* A string of a kind; in a profile with tables of its own all are functions. */
static bool text_at(struct perfetto *x, const struct perfetto_tables *k, enum perfetto_text kind,
		    uint64_t id, uint32_t *string)
{
	*string = id ? map64_get(&k->texts[kind], id) : 0;
	if (id && !*string && kind != PERFETTO_FUNCTION)
		*string = map64_get(&k->texts[PERFETTO_FUNCTION], id);
	x->missing += id && !*string;
	return !id || *string;
}

size_t perfetto_plain_build_id(bool windows, const char *s, size_t n, uint8_t *bytes)
{
	enum { LEAST = 32 }; /* a shorter text may be bytes */

	if (n >= LEAST && n % 2 && !windows) /* of Macs, a zero is behind the UUID */
		n--;
	return n >= LEAST || windows ? id_text_read(windows, s, n, bytes, PERFETTO_BUILD_ID_MOST)
				     : 0;
}

static uint32_t plain_build_id(struct trace *t, bool windows, uint32_t string)
{
	uint8_t bytes[PERFETTO_BUILD_ID_MOST];
	size_t n;
	const char *s = intern_text(&t->strings, string, &n);

	n = perfetto_plain_build_id(windows, s, n, bytes);
	return n ? trace_string(t, (const char *)bytes, n) : string;
}

static void perfetto_make_module(struct perfetto *x, struct perfetto_tables *k,
				 struct perfetto_mapping *m)
{
	struct trace *t = x->im->t;
	uint32_t build_id, *at;
	size_t n;
	const char *s;

	m->made = true;
	text_at(x, k, PERFETTO_BUILD_ID, m->build_id, &build_id);
	x->text.len = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t piece;

		if (!text_at(x, k, PERFETTO_PATH, k->ids[m->first + i], &piece))
			break;
		s = intern_text(&t->strings, piece, &n);
		if (n && *s != '/' && *s != '[' && !path_is_windows(s, n) &&
		    x->text.len < TRACE_STRING_MAX)
			buf_addc(&x->text, '/');
		if (x->text.len < TRACE_STRING_MAX)
			buf_add(&x->text, s, n);
	}
	if (!x->text.len && !build_id)
		return;
	m->path = trace_string(t, buf_at(&x->text, 0), x->text.len);
	if (build_id)
		build_id = plain_build_id(t, path_is_of_windows(buf_at(&x->text, 0), x->text.len),
					  build_id);
	at = map64_put(&x->module_ids, (uint64_t)m->path << 32 | build_id);
	if (!*at)
		*at = trace_module(t, &(struct module){.name = m->path, .build_id = build_id});
	m->module = *at;
}

static void push_place(struct perfetto *x, struct perfetto_frame *f, const struct location *l)
{
	uint32_t id = trace_location(x->im->t, l);

	VEC_PUSH(x->places, x->n_places, x->cap_places) = id;
	f->n++;
}

static uint32_t plain_name(struct perfetto *x, uint32_t name, uint32_t path)
{
	struct trace *t = x->im->t;
	size_t n;
	const char *s = intern_text(&t->strings, name, &n);

	if (!perfetto_plain_function(x, s, n, intern_text(&t->strings, path, NULL)))
		return name;
	return trace_string(t, buf_at(&x->text, 0), x->text.len);
}

/* What R8 inlined at a line has an entry each, as inlined calls of symbols have. file: of the obfuscated code.
 * False: no range of lines is known there. */
static bool push_plain(struct perfetto *x, struct perfetto_frame *f, struct location l,
		       uint32_t name, uint32_t path, uint32_t file, uint32_t line)
{
	struct trace *t = x->im->t;
	size_t n;
	const char *s = intern_text(&t->strings, name, &n);
	size_t calls = perfetto_plain_calls(x, s, n, intern_text(&t->strings, path, NULL), line);

	for (size_t i = calls; i-- > 0;) {
		const struct perfetto_plain *call = &x->plain[i];

		l.space = calls > 1 ? SPACE_NAME : l.space;
		l.raw = calls > 1 ? 0 : l.raw;
		l.kind = calls > 1 ? LOCATION_UNSTATED : l.kind;
		l.name = call->name;
		l.file = call->same_class ? file : 0;
		l.line = l.file ? call->line : 0;
		push_place(x, f, &l);
	}
	return calls != 0;
}

/* Inlined calls have an entry each, and then no address. */
static void push_symbol(struct perfetto *x, struct perfetto_frame *f, struct location l,
			const struct perfetto_symbol *symbol, uint32_t path)
{
	const struct perfetto_line *first = &x->names.lines[symbol->first];
	const uint32_t own = l.name;

	/* Of Java, whose symbol is the obfuscated name and line. */
	if (symbol->n == 1 && first->function &&
	    push_plain(x, f, l, perfetto_string(x, first->function), path,
		       first->file ? perfetto_string(x, first->file) : 0, first->line))
		return;
	for (uint32_t i = symbol->n; i-- > 0;) {
		const struct perfetto_line *line = &x->names.lines[symbol->first + i];
		uint32_t name = line->function ? perfetto_string(x, line->function) : own;

		l.space = symbol->n > 1 ? SPACE_NAME : l.space;
		l.raw = symbol->n > 1 ? 0 : l.raw;
		l.kind = symbol->n > 1 ? LOCATION_UNSTATED : l.kind;
		l.name = name ? plain_name(x, name, path) : 0;
		l.file = line->file ? perfetto_string(x, line->file) : 0;
		l.line = l.file ? line->line : 0;
		push_place(x, f, &l);
	}
}

/* False: what it refers to is not there. */
static bool perfetto_make_frame(struct perfetto *x, struct perfetto_tables *k,
				struct perfetto_frame *f, uint8_t kind)
{
	struct location l = {.space = SPACE_NAME};
	uint32_t at = f->mapping ? map64_get(&k->mapping_ids, f->mapping) : 0, build_id = 0,
		 path = 0;
	const struct perfetto_symbol *symbol;
	uint64_t missing = x->missing;

	f->first = (uint32_t)x->n_places;
	f->n = 0;
	f->kind = kind;
	x->missing += f->mapping && !at;
	text_at(x, k, PERFETTO_FUNCTION, f->function, &l.name);
	if (text_at(x, k, PERFETTO_SOURCE, f->source, &l.file) && l.file)
		l.line = f->line;
	if (at && !k->mappings[at - 1].made)
		perfetto_make_module(x, k, &k->mappings[at - 1]);
	if (at) {
		path = k->mappings[at - 1].path;
		l.module = k->mappings[at - 1].module;
		build_id = l.module ? x->im->t->modules[l.module].build_id : 0;
	}
	if (l.module && f->has_pc) {
		l.space = SPACE_VADDR;
		l.raw = f->pc;
		l.kind = kind;
	}
	if (!l.name && l.space == SPACE_NAME)
		l.space = SPACE_UNKNOWN;
	symbol = l.space == SPACE_VADDR ? perfetto_symbol_of(x, path, build_id, f->pc) : NULL;
	if (symbol)
		push_symbol(x, f, l, symbol, path);
	else if (!l.name || !push_plain(x, f, l, l.name, path, l.file, f->line)) {
		l.name = l.name ? plain_name(x, l.name, path) : 0;
		push_place(x, f, &l);
	}
	return x->missing == missing;
}

bool perfetto_stack(struct perfetto *x, struct perfetto_tables *k, uint64_t id, uint8_t kind,
		    uint32_t *stack)
{
	uint32_t at = k ? map64_get(&k->callstack_ids, id) : 0;
	struct perfetto_callstack *c = at ? &k->callstacks[at - 1] : NULL;
	bool whole = true;

	*stack = 0;
	if (!c)
		return false;
	if (c->stack) {
		*stack = c->stack - 1;
		return !c->partial;
	}
	for (size_t i = 0; i < c->n && i < PERFETTO_STACK_MOST; i++) {
		uint32_t of = map64_get(&k->frame_ids, k->ids[c->first + i]);
		struct perfetto_frame *f = of ? &k->frames[of - 1] : NULL;

		if (f && (!f->n || f->kind != kind))
			whole &= perfetto_make_frame(x, k, f, kind);
		x->missing += !f;
		whole &= f != NULL;
		for (uint32_t m = 0; f && m < f->n; m++)
			*stack = trace_stack(x->im->t, *stack, x->places[f->first + m]);
	}
	x->more_calls += c->n > PERFETTO_STACK_MOST ? c->n - PERFETTO_STACK_MOST : 0;
	c->stack = *stack + 1;
	c->partial = !whole;
	return whole;
}

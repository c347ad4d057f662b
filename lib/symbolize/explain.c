/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/explain.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/source_file.h"
#include "lib/base/text_file.h"
#include "lib/dwarf/fast/place.h"
#include "lib/object/debug_map.h"
#include "lib/object/id_text.h"
#include "lib/object/search_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_RANGES = 8 };

static void text(struct buf *b, const char *s)
{
	buf_add_visible(b, s, strlen(s), "\\");
}

static void id(struct buf *b, const struct object_build_id *x, bool windows)
{
	char shown[OBJECT_ID_TEXT];

	object_id_text(x, windows, shown);
	buf_adds(b, *shown ? shown : "none");
}

static void steps(struct buf *b, const struct search_log *t, const char *what)
{
	for (size_t i = 0; i < t->n; i++) {
		buf_addf(b, "  %s %s ", what, t->all[i].taken ? "taken:   " : "not used:");
		text(b, t->all[i].path);
		buf_adds(b, ": ");
		text(b, t->all[i].why);
		buf_addc(b, '\n');
	}
}

static void debug(struct buf *b, const struct object *o)
{
	const char *path = object_debug_path(o);

	steps(b, object_search_log(o), "debug file");
	buf_adds(b, "  debug information: ");
	if (object_is_source(o))
		buf_adds(b, "the file itself");
	else if (object_has_debug_map(o))
		buf_adds(b, "in the object files of its debug map");
	else if (!object_has_dwarf(o) && !object_has_pdb(o))
		buf_adds(b, object_kind(o)->pdata ? "none: exported functions alone have names"
						  : "none, names are from the symbol table");
	else if (object_has_dwarf(o) && object_has_pdb(o)) {
		buf_adds(b, "its own, and where it has none ");
		text(b, path);
	} else if (object_debug_is_separate(o))
		text(b, path);
	else
		buf_adds(b, "its own");
	buf_addc(b, '\n');
}

void explain_object(struct buf *b, const struct object *o, const char *path)
{
	buf_adds(b, "file ");
	text(b, path);
	buf_adds(b, "\n  build-id: ");
	id(b, object_build_id(o), false);
	buf_addc(b, '\n');
	debug(b, o);
}

void explain_found(struct buf *b, const struct file_found *f)
{
	buf_adds(b, "module ");
	text(b, *f->name ? f->name : "(not named)");
	buf_adds(b, "\n  captured build-id: ");
	id(b, &f->id, path_is_of_windows(f->name, strlen(f->name)));
	buf_addc(b, '\n');
	steps(b, &f->log, "file");
	if (f->reason != REASON_RESOLVED) {
		buf_addf(b, "  not used: %s\n", reason_text(f->reason));
		return;
	}
	buf_adds(b, "  build-id: ");
	id(b, object_build_id(f->file->object), false);
	buf_addc(b, '\n');
	debug(b, f->file->object);
}

static struct explain_object *object_of(struct explain *x, struct object *o)
{
	struct err e = ERR_INIT;
	struct explain_object *y;

	for (size_t i = 0; i < x->n; i++)
		if (x->objects[i].object == o)
			return &x->objects[i];
	VEC_PUSH(x->objects, x->n, x->cap) = (struct explain_object){.object = o};
	y = &x->objects[x->n - 1];
	y->places = dwarf_places_new(o, &e);
	if (!y->places && e.msg[0])
		y->why = mem_strdup(e.msg);
	return y;
}

void explain_release(struct explain *x)
{
	for (size_t i = 0; i < x->n; i++) {
		dwarf_places_free(x->objects[i].places);
		free(x->objects[i].why);
	}
	free(x->objects);
	*x = (struct explain){.n = 0};
}

static void section(struct buf *b, const struct object *o, uint64_t addr)
{
	for (size_t i = 0, n = object_section_count(o); i < n; i++) {
		struct object_section_info s = object_section_info(o, i);

		if (!(s.flags & SECTION_LOADED) || addr < s.addr || addr - s.addr >= s.size)
			continue;
		buf_adds(b, "  section: ");
		text(b, s.name);
		buf_addf(b, " + 0x%" PRIx64 "\n", addr - s.addr);
		return;
	}
	buf_adds(b, "  section: none holds it\n");
}

static void scope(struct buf *b, const struct dwarf_scope *s)
{
	buf_addf(b, "  %s: DIE 0x%" PRIx64 ":", s->inlined ? "inlined" : "function", s->die);
	for (size_t i = 0; i < s->n_ranges && i < SHOWN_RANGES; i++)
		buf_addf(b, "%s 0x%" PRIx64 "-0x%" PRIx64, i ? "," : "", s->ranges[i].lo,
			 s->ranges[i].hi);
	if (s->n_ranges > SHOWN_RANGES)
		buf_addf(b, " and %zu more", s->n_ranges - SHOWN_RANGES);
	if (!s->n_ranges)
		buf_adds(b, " no ranges");
	buf_addc(b, '\n');
}

/* Section, unit, ranges of a link-time address. */
static void explain_place(struct explain *x, struct buf *b, struct object *o, uint64_t addr)
{
	const struct explain_object *y = object_of(x, o);
	struct dwarf_place p;
	uint64_t shift;

	if (object_is_source(o)) /* it has neither sections nor units */
		return;
	section(b, o, addr);
	if (!y->places) {
		buf_adds(b, object_has_pdb(o) ? "  unit: in the PDB" : "  unit: no DWARF");
		if (y->why) {
			buf_adds(b, " that can be read: ");
			text(b, y->why);
		}
		buf_addc(b, '\n');
		return;
	}
	shift = object_debug_shift(o);
	dwarf_places_at(y->places, addr - shift, &p);
	if (!p.found) {
		buf_adds(b, "  unit: none claims it\n");
		return;
	}
	buf_addf(b, "  unit: 0x%" PRIx64 " ", p.unit);
	text(b, p.name ? p.name : "(no name)");
	if (p.comp_dir) {
		buf_adds(b, " in ");
		text(b, p.comp_dir);
	}
	buf_addf(b, ", DWARF %u, 0x%" PRIx64 "-0x%" PRIx64, p.version, p.owned.lo, p.owned.hi);
	if (shift)
		buf_addf(b, ", of a debug file 0x%" PRIx64 " below", shift);
	if (p.split)
		buf_adds(b, ", split");
	if (p.n_claims > 1)
		buf_addf(b, ", the first of %zu that claim it", p.n_claims);
	buf_addc(b, '\n');
	if (p.part || p.why_no_part) {
		buf_adds(b, "  part: ");
		text(b, p.part ? p.part : p.why_no_part);
		buf_addc(b, '\n');
	}
	for (size_t i = 0; i < p.n_scopes; i++)
		scope(b, &p.scopes[i]);
}

/* The calls there, innermost first. */
static void explain_calls(struct buf *b, const struct trace_symbols *y, uint32_t call,
			  uint8_t reason, uint8_t flags, bool is_start)
{
	for (; call; call = y->calls[call].outer) {
		const struct symbol_call *c = &y->calls[call];
		const struct symbol_function *f = VEC_AT(y->functions, c->function);
		uint32_t shown = !c->function ? 0 : f->display ? f->display : f->raw;
		const char *name = intern_text(&y->strings, shown, NULL);
		const char *file = intern_text(&y->strings, c->file, NULL);

		buf_adds(b, "  call: ");
		text(b, *name ? name : "??");
		if (*file) {
			buf_adds(b, " at ");
			text(b, file);
			buf_addf(b, ":%u", c->line);
		}
		if (c->column)
			buf_addf(b, ":%u", c->column);
		if (flags & BINDING_FROM_SYMTAB && !c->outer)
			buf_adds(b, flags & BINDING_UNSIZED
					? " (from a symbol without a size: a guess)"
					: " (from the symbol table)");
		else if (is_start)
			buf_adds(b, " (a function's start, without a name)");
		buf_addc(b, '\n');
	}
	if (reason != REASON_RESOLVED)
		buf_addf(b, "  but: %s\n", reason_text(reason));
}

static const struct find_file *file_at(const struct find_files *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i]->object && f->items[i]->wanted && !strcmp(f->items[i]->path, path))
			return f->items[i];
	return NULL;
}

static void bias(struct buf *b, uint64_t from, uint64_t to)
{
	bool down = from < to;

	buf_addf(b, "%s0x%" PRIx64, down ? "-" : "", down ? to - from : from - to);
}

void explain_location(struct explain *x, struct buf *b, const struct find_files *files,
		      const struct trace *t, uint32_t location)
{
	const struct location *l = &t->locations[location];
	const struct trace_symbols *y = &t->symbols;
	const struct binding *bound = symbols_binding(y, location);
	const struct symbol_object *o = bound->object ? &y->objects[bound->object] : NULL;
	const struct find_file *f = NULL;
	uint64_t at = bound->vaddr;

	if (l->space == SPACE_NAME) /* nothing was looked up */
		return;
	buf_addf(b, "address 0x%" PRIx64 " (%s, %s)\n", l->raw, space_name(l->space),
		 location_kind_name(bound->kind));
	if (o) {
		buf_adds(b, "  module: ");
		text(b, intern_text(&y->strings, o->name, NULL));
		buf_addc(b, '\n');
		f = file_at(files, intern_text(&y->strings, o->path, NULL));
	}
	if (f && bound->reason == REASON_OUTSIDE) {
		buf_addf(b, "  file: ");
		text(b, f->path);
		buf_addf(b, "\n  offset in the module: 0x%" PRIx64 "\n", bound->vaddr);
	} else if (f) {
		if (bound->kind == LOCATION_RETURN && at)
			at--;
		buf_adds(b, "  file: ");
		text(b, f->path);
		buf_adds(b, "\n  bias: ");
		bias(b, l->raw, bound->vaddr);
		buf_addf(b, ", so 0x%" PRIx64 " in the file", bound->vaddr);
		if (at != bound->vaddr)
			buf_addf(b, ", looked up as 0x%" PRIx64, at);
		if (bound->flags & BINDING_STRIPPED_BITS)
			buf_adds(b, ", tag, signature or Thumb bits cleared");
		buf_addc(b, '\n');
		explain_place(x, b, f->object, at);
	}
	explain_calls(b, y, bound->call, bound->reason, bound->flags, bound->tier == TIER_MODULE);
}

void explain_query(struct explain *x, struct buf *b, const struct lookup *l,
		   const struct lookup_query *q)
{
	buf_addf(b, "address 0x%" PRIx64 "\n", q->addr);
	if (q->file->object)
		explain_place(x, b, q->file->object, q->addr);
	explain_calls(b, &l->symbols, q->named.call, q->named.reason, q->named.flags, false);
}

bool explain_source(struct explain *x, const struct object_search *search, struct object *o,
		    uint64_t addr, const char *path, struct buf *text)
{
	struct explain_object *y = o ? object_of(x, o) : NULL;
	struct buf below = BUF_INIT;
	struct err e = ERR_INIT;
	const char *embedded = NULL;
	size_t n = 0;
	bool found;

	if (y && y->places)
		embedded = dwarf_places_source(y->places, addr - object_debug_shift(o), path, &n);
	if (embedded) {
		buf_add(text, embedded, n);
		return true;
	}
	found = path_in_sysroot(&below, search->sysroot, path) &&
		!text_file_read(buf_str(&below), SOURCE_MAX, "a source file", text, &e);
	buf_release(&below);
	if (!found) {
		text->len = 0;
		found = !text_file_read(path, SOURCE_MAX, "a source file", text, &e);
	}
	return found;
}

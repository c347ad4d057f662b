/* SPDX-License-Identifier: MIT
 *
 * The fast engine's answers of dwarf/variable.h.
 */
#include "lib/dwarf/fast/variable.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/dwarf/fast/claims.h"
#include "lib/dwarf/fast/die.h"
#include "lib/dwarf/fast/location.h"

#include <stdlib.h>

enum { DEEPEST = 1024 }; /* scopes in each other */

struct global {
	uint64_t lo, hi, die;
	uint32_t unit;
};

struct dwarf_variables {
	struct fast_claims of;
	struct fast_location_lists lists;
	uint64_t shift;         /* what an address has more than the debug file's */
	struct global *globals; /* by lo, then in the order of the units */
	size_t n_globals, cap_globals;
	bool indexed;
	uint32_t lines_of; /* unit + 1 whose line table's header is in worker.lines */
	struct dwarf_local *locals;
	size_t n_locals, cap_locals;
	struct arena arena;
};

struct dwarf_variables *dwarf_variables_new(struct object *o)
{
	struct dwarf_variables *v;
	struct err e = ERR_INIT;

	if (!object_has_dwarf(o))
		return NULL;
	v = mem_zalloc(sizeof *v);
	if (fast_claims_load(&v->of, o, &e)) {
		free(v);
		return NULL;
	}
	v->shift = object_debug_shift(o);
	v->lists = fast_locations_of(o);
	return v;
}

void dwarf_variables_free(struct dwarf_variables *v)
{
	if (!v)
		return;
	fast_claims_release(&v->of);
	arena_release(&v->arena);
	free(v->globals);
	free(v->locals);
	free(v);
}

static struct rd expression(const struct die *d, int fact)
{
	const struct fast_value *v = &d->facts[fact];
	struct fast_bytes b = {(const uint8_t *)v->text, v->class == CLASS_BLOCK ? v->n : 0};

	return rd_at(b, 0, d->f->big_endian);
}

/* DW_OP_addr or DW_OP_addrx, and DW_OP_plus_uconst or nothing behind it. */
static bool static_address(const struct die *d, uint64_t *addr)
{
	struct rd r = expression(d, DIE_LOCATION);
	uint8_t op = r.failed ? 0 : rd_u8(&r);

	if (op == DW_OP_addr)
		*addr = rd_uint(&r, d->u->address_size);
	else if (op != DW_OP_addrx && op != DW_OP_GNU_addr_index)
		return false;
	else if (!fast_unit_address(d->f, d->u, rd_uleb(&r), addr))
		return false;
	if (rd_left(&r)) {
		if (rd_u8(&r) != DW_OP_plus_uconst)
			return false;
		*addr += rd_uleb(&r);
	}
	return !r.failed && !rd_left(&r) && range_lives(d->f, *addr);
}

static void variable_index_unit(struct dwarf_variables *v, uint32_t unit)
{
	const struct fast_unit *u = &v->of.file.units[unit];
	struct die_walk w = {
	    .budget = &v->of.worker.budget, .d = {.f = &v->of.file, .u = u}, .next = u->die};
	uint64_t lo, size;
	struct die type;

	while (die_advance(&w, false)) {
		if (w.d.tag == DW_TAG_variable && static_address(&w.d, &lo)) {
			if (!die_refer(&w.d, DIE_TYPE, &type) ||
			    !die_type_size(&v->of.worker.budget, type, 0, &size))
				size = 1;
			VEC_PUSH(v->globals, v->n_globals, v->cap_globals) = (struct global){
			    lo, size < UINT64_MAX - lo ? lo + size : UINT64_MAX, w.d.at, unit};
		}
		if (w.d.kind == KIND_CLOSED && !die_skip_children(&w))
			break;
	}
}

static bool is_read(const struct fast_unit *u)
{
	return u->state == UNIT_SOUND && !u->split;
}

static void variable_index_globals(struct dwarf_variables *v)
{
	struct sort_item *items;
	struct global *sorted;

	v->indexed = true;
	for (size_t i = 0; i < v->of.file.n_units; i++)
		if (is_read(&v->of.file.units[i]))
			variable_index_unit(v, (uint32_t)i);
	items = mem_array(v->n_globals, sizeof *items);
	sorted = mem_array(v->n_globals, sizeof *sorted);
	for (size_t i = 0; i < v->n_globals; i++)
		items[i] = (struct sort_item){v->globals[i].lo, (uint32_t)i};
	sort_radix(items, v->n_globals);
	for (size_t i = 0; i < v->n_globals; i++)
		sorted[i] = v->globals[items[i].index];
	free(items);
	free(v->globals);
	v->globals = sorted;
}

static const char *text(struct dwarf_variables *v, const struct die *d, int fact)
{
	size_t n;
	const char *s = fast_value_text(d->f, d->u, &d->facts[fact], &n);

	return s && n ? arena_strndup(&v->arena, s, n) : NULL;
}

/* A file by its number in the line table of the DIE's unit. */
static const char *variable_file_of(struct dwarf_variables *v, const struct die *d)
{
	const struct fast_value *number = &d->facts[DIE_DECL_FILE];
	struct fast_row none;
	struct buf path = BUF_INIT;
	const char *copy = NULL;
	uint32_t unit;

	if (number->class != CLASS_CONSTANT || number->v > UINT32_MAX || d->f != &v->of.file)
		return NULL;
	unit = (uint32_t)(d->u - v->of.file.units) + 1;
	if (v->lines_of != unit)
		fast_lines_run(d->f, d->u, NULL, 0, &v->of.worker.budget, &v->of.worker.lines,
			       &none);
	v->lines_of = unit;
	if (fast_lines_path(&v->of.worker.lines, d->u, (uint32_t)number->v, &path))
		copy = arena_strndup(&v->arena, path.data, path.len);
	buf_release(&path);
	return copy;
}

/* Along origins and specifications. */
static struct dwarf_declaration declaration(struct dwarf_variables *v, struct die d)
{
	struct dwarf_declaration x = {.file = NULL};

	for (unsigned hops = 0; hops < DIE_HOPS; hops++) {
		uint64_t line;

		if (!x.file && d.facts[DIE_DECL_FILE].form)
			x.file = variable_file_of(v, &d);
		if (!x.line && die_constant(&d.facts[DIE_DECL_LINE], &line) && line <= UINT32_MAX)
			x.line = (uint32_t)line;
		if ((x.file && x.line) ||
		    (!die_refer(&d, DIE_ORIGIN, &d) && !die_refer(&d, DIE_SPECIFICATION, &d)))
			break;
	}
	return x;
}

bool dwarf_global_at(struct dwarf_variables *v, uint64_t vaddr, struct dwarf_declaration *out)
{
	const uint64_t addr = vaddr - v->shift;
	size_t lo;

	if (!v->indexed)
		variable_index_globals(v);
	lo = BISECT(i, 0, v->n_globals, v->globals[i].lo <= addr);
	/* of several at one address the first unit's */
	while (lo > 1 && v->globals[lo - 2].lo == v->globals[lo - 1].lo)
		lo--;
	for (size_t i = lo ? lo - 1 : v->n_globals;
	     i < v->n_globals && v->globals[i].lo == v->globals[lo - 1].lo; i++) {
		struct die d = {.f = &v->of.file,
				.u = &v->of.file.units[v->globals[i].unit],
				.at = v->globals[i].die};

		if (addr >= v->globals[i].hi || !die_read(&d, true))
			continue;
		*out = declaration(v, d);
		return out->line;
	}
	return false;
}

/* Short: DW_AT_name of a function, along its origins. */
static const char *function_name(struct dwarf_variables *v, struct die d)
{
	const char *name = text(v, &d, DIE_NAME);

	for (unsigned hops = 0; !name && hops < DIE_HOPS; hops++) {
		if (!die_refer(&d, DIE_ORIGIN, &d) && !die_refer(&d, DIE_SPECIFICATION, &d))
			break;
		name = text(v, &d, DIE_NAME);
	}
	return name;
}

/* "DW_OP_fbreg N", or the same by the register that is the frame's base; DW_OP_deref may follow. */
static bool offset_of(struct rd r, int base_register, int64_t *offset)
{
	uint8_t op = r.failed ? 0 : rd_u8(&r);

	if (op != DW_OP_fbreg && (base_register < 0 || op != DW_OP_breg0 + base_register))
		return false;
	*offset = rd_sleb(&r);
	return !r.failed && (!rd_left(&r) || (rd_left(&r) == 1 && rd_u8(&r) == DW_OP_deref));
}

/* Of a list the first that is one. */
static bool frame_offset(struct dwarf_variables *v, const struct die *d, int base_register,
			 int64_t *offset)
{
	struct fast_location list;
	struct rd r;

	if (d->facts[DIE_LOCATION].class == CLASS_BLOCK)
		return offset_of(expression(d, DIE_LOCATION), base_register, offset);
	if (!fast_location_begin(&list, &v->lists, d, &v->of.worker.budget))
		return false;
	while (fast_location_next(&list, &r))
		if (offset_of(r, base_register, offset))
			return true;
	return false;
}

struct scope {
	const char *name;
	int base_register; /* -1: none */
};

static struct scope scope_of(struct dwarf_variables *v, const struct die *function)
{
	struct rd r = expression(function, DIE_BASE);
	uint8_t op = r.failed ? 0 : rd_u8(&r);

	return (struct scope){function_name(v, *function),
			      op >= DW_OP_reg0 && op <= DW_OP_reg0 + 31 ? op - DW_OP_reg0 : -1};
}

static void add_local(struct dwarf_variables *v, const struct die *d, const struct scope *in)
{
	struct dwarf_local x = {.function = in->name};
	struct die of = *d, type;
	uint64_t line;

	x.has_offset = frame_offset(v, d, in->base_register, &x.offset);
	x.has_tag = die_constant(&d->facts[DIE_TAG], &x.tag);
	if (d->facts[DIE_ORIGIN].form && !die_refer(d, DIE_ORIGIN, &of))
		of = *d;
	x.name = text(v, &of, DIE_NAME);
	x.has_size = die_refer(&of, DIE_TYPE, &type) &&
		     die_type_size(&v->of.worker.budget, type, 0, &x.size);
	x.declared.file = of.facts[DIE_DECL_FILE].form ? variable_file_of(v, &of) : NULL;
	if (die_constant(&of.facts[DIE_DECL_LINE], &line) && line <= UINT32_MAX)
		x.declared.line = (uint32_t)line;
	VEC_PUSH(v->locals, v->n_locals, v->cap_locals) = x;
}

static void variable_add_locals(struct dwarf_variables *v, const struct die *function)
{
	struct die_walk w = {
	    .budget = &v->of.worker.budget, .d = *function, .next = function->behind, .inside = 1};
	struct scope *in = mem_array(DEEPEST, sizeof *in); /* by depth: of what is there */

	in[1] = scope_of(v, function);
	while (function->children && die_advance(&w, true)) {
		struct die origin;

		if (w.depth + 1 >= DEEPEST)
			break;
		in[w.depth + 1] = in[w.depth];
		if (w.d.tag == DW_TAG_variable || w.d.tag == DW_TAG_formal_parameter)
			add_local(v, &w.d, &in[w.depth]);
		else if (w.d.tag == DW_TAG_inlined_subroutine &&
			 die_refer(&w.d, DIE_ORIGIN, &origin))
			in[w.depth + 1] = scope_of(v, &origin);
		if ((w.d.tag == DW_TAG_variable || w.d.tag == DW_TAG_formal_parameter) &&
		    !die_skip_children(&w))
			break;
	}
	free(in);
}

static bool holds(struct dwarf_variables *v, const struct die *d, uint64_t addr)
{
	bool there;

	if (!d->facts[DIE_LOW].form && !d->facts[DIE_RANGES].form)
		return false;
	if (fast_ranges_read(d->f, d->u, &d->facts[DIE_RANGES], &d->facts[DIE_LOW],
			     &d->facts[DIE_HIGH], &v->of.worker.budget, &v->of.worker.ranges,
			     &there))
		return false;
	for (size_t i = 0; i < v->of.worker.ranges.n; i++)
		if (addr - v->of.worker.ranges.all[i].lo <
		    v->of.worker.ranges.all[i].hi - v->of.worker.ranges.all[i].lo)
			return true;
	return false;
}

/* The innermost function of a unit that holds the address; it may be in a type. */
static bool find_function(struct dwarf_variables *v, uint32_t unit, uint64_t addr, struct die *out)
{
	const struct fast_unit *u = &v->of.file.units[unit];
	struct die_walk w = {
	    .budget = &v->of.worker.budget, .d = {.f = &v->of.file, .u = u}, .next = u->die};
	bool found = false;

	while (die_advance(&w, true)) {
		if ((w.d.tag == DW_TAG_subprogram || w.d.tag == DW_TAG_inlined_subroutine) &&
		    holds(v, &w.d, addr)) {
			*out = w.d;
			found = true;
		}
	}
	return found;
}

const struct dwarf_local *dwarf_locals_at(struct dwarf_variables *v, uint64_t vaddr, size_t *n)
{
	const uint64_t addr = vaddr - v->shift;
	struct die function;

	v->n_locals = 0;
	for (size_t i = 0; i < v->of.n; i++) {
		const struct fast_claim *c = &v->of.items[i];

		if (addr < c->lo || addr >= c->hi || !is_read(&v->of.file.units[c->unit]) ||
		    !find_function(v, c->unit, addr, &function))
			continue;
		variable_add_locals(v, &function);
		break;
	}
	*n = v->n_locals;
	return v->locals;
}

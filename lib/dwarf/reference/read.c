/* SPDX-License-Identifier: MIT
 *
 * Units turned into plain data: what they own, their functions, their lines.
 */
#include "lib/base/mem.h"
#include "lib/dwarf/path.h"
#include "lib/dwarf/reference/split.h"
#include "lib/object/companion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The supplementary file. */
struct alt {
	struct sections sections;
	struct handle *handle; /* NULL: cannot be read */
};

enum { LIMIT_HOPS = 16 }; /* along abstract origins and specifications */

struct reader {
	struct object *object;
	struct intern *strings;
	struct sections sections;
	struct handle *handle;
	struct Dwarf_Die_s *root; /* of the present unit */
	uint64_t next_offset;
	uint32_t next_number, walked; /* walked: of this handle, which may be a second one */
	/* of the present unit: itself, or the part of a skeleton */
	struct handle *at;
	struct Dwarf_Die_s *at_root;
	uint64_t at_offset, at_end;
	struct reference_splits *splits; /* NULL: no unit was split yet */
	struct alt *alt;                 /* NULL: none */
	bool relative;
	uint64_t first;     /* address of code */
	struct map64 names; /* DIE -> string id + 1 */
	struct buf path;
};

static enum status open_alt(struct reader *r, struct object *o, struct err *e)
{
	struct alt *alt = r->alt = mem_zalloc(sizeof *alt);
	enum status st = sections_load(&alt->sections, o, e);

	if (!st)
		st = handle_open(&alt->handle, &alt->sections, e);
	if (st) {
		alt->handle = NULL;
		return st;
	}
	r->sections.alt_str = alt->sections.all[SECTION_STR];
	return ST_OK;
}

enum status reader_new(struct reader **out, struct object *o, struct intern *strings,
		       const uint64_t *buried, size_t n_buried, bool relative, struct err *e)
{
	struct reader *r = mem_zalloc(sizeof *r);
	enum status st;

	*out = r;
	r->object = o;
	r->strings = strings;
	r->relative = relative;
	r->first = sections_first_code(o);
	st = sections_load(&r->sections, o, e);
	if (st)
		return st;
	for (size_t i = 0; i < n_buried; i++)
		sections_bury(&r->sections, buried[i]);
	if (object_supplement(o))
		st = open_alt(r, object_supplement(o), e);
	if (st)
		return st;
	return handle_open(&r->handle, &r->sections, e);
}

const char *reader_complaint(struct reader *r)
{
	return buf_str(&r->sections.complaint);
}

uint32_t reader_peek(const struct reader *r, uint64_t *offset)
{
	*offset = r->next_offset;
	return r->next_number;
}

enum status reader_next(struct reader *r, struct reference_unit *u, struct err *e)
{
	uint64_t next = 0;
	enum status st = ST_OK;

	die_free(r->root);
	r->root = NULL;
	u->number = r->next_number;
	u->offset = r->next_offset;
	if (r->next_offset >= r->sections.all[SECTION_INFO].size)
		return ST_NONE;
	for (; !st && r->walked <= r->next_number; r->walked++)
		st = handle_next_unit(r->handle, u, &next, e);
	if (st)
		return st;
	if (next <= r->next_offset)
		return err_set(e, ST_BAD, "unit header: the next unit is not behind it");
	r->next_offset = next;
	r->next_number++;
	return ST_OK;
}

bool reader_bury(struct reader *r)
{
	struct err e = ERR_INIT;

	if (!sections_bury(&r->sections, r->next_offset))
		return false;
	handle_close(r->handle);
	r->handle = NULL;
	r->walked = 0;
	return handle_open(&r->handle, &r->sections, &e) == ST_OK;
}

bool reader_is_living(const struct reader *r, uint64_t lo)
{
	uint64_t last = r->sections.address_size == 8 ? UINT64_MAX : UINT32_MAX;

	return lo < last - 1 && lo >= r->first;
}

/* Removes what linkers have discarded; from the n-th range on. */
static size_t living(const struct reader *r, struct unit_range *ranges, size_t first, size_t n)
{
	size_t kept = first;

	for (size_t i = first; i < n; i++) {
		if (reader_is_living(r, ranges[i].lo))
			ranges[kept++] = ranges[i];
	}
	return kept;
}

enum status reader_ranges(struct reader *r, struct reference_unit *u, struct err *e)
{
	uint64_t base;
	enum status st;

	u->n_ranges = 0;
	st = handle_root(r->handle, &r->root, e);
	if (st) {
		r->root = NULL;
		return st;
	}
	map64_release(&r->names);
	r->at = r->handle;
	r->at_root = r->root;
	r->at_offset = u->offset;
	r->at_end = r->next_offset;
	u->split = die_has(r->handle, r->root, DW_AT_dwo_name) ||
		   die_has(r->handle, r->root, DW_AT_GNU_dwo_name);
	u->silent =
	    !die_low_pc(r->handle, r->root, &base) && !die_has(r->handle, r->root, DW_AT_ranges);
	st = die_ranges(r->handle, u->version, r->root, base, &u->ranges, &u->n_ranges,
			&u->cap_ranges, &u->ranged, e);
	u->n_ranges = living(r, u->ranges, 0, u->n_ranges);
	/* DWARF 2 has no DW_AT_ranges: functions in other sections lie outside low_pc, high_pc */
	if (u->version < 3 && !die_has(r->handle, r->root, DW_AT_ranges))
		u->ranged = false;
	return st;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	reference_splits_free(r->splits);
	die_free(r->root);
	if (r->handle)
		handle_close(r->handle);
	if (r->alt) {
		if (r->alt->handle)
			handle_close(r->alt->handle);
		buf_release(&r->alt->sections.complaint);
		free(r->alt->sections.abbrev);
	}
	free(r->alt);
	buf_release(&r->sections.complaint);
	free(r->sections.abbrev);
	map64_release(&r->names);
	buf_release(&r->path);
	free(r);
}

/* An offset that the unit's DIE has; UINT64_MAX: it has none. */
static uint64_t base_of(struct reader *r, uint16_t name)
{
	uint64_t at;

	return die_reference(r->handle, r->root, name, &at) ? at : UINT64_MAX;
}

enum status reader_part(struct reader *r, struct reference_unit *u, const char **why, struct err *e)
{
	const char *name = die_text(r->handle, r->root, DW_AT_dwo_name);
	const char *dir = die_text(r->handle, r->root, DW_AT_comp_dir);
	struct reference_skeleton skeleton = {.version = u->version, .dwo_id = u->dwo_id};
	struct reference_part found;
	enum status st;

	if (!name)
		name = die_text(r->handle, r->root, DW_AT_GNU_dwo_name);
	skeleton.name = name ? name : "";
	skeleton.dir = dir ? dir : "";
	if (u->version < 5)
		die_id(r->handle, r->root, DW_AT_GNU_dwo_id, &skeleton.dwo_id);
	skeleton.addr_base = base_of(r, u->version < 5 ? DW_AT_GNU_addr_base : DW_AT_addr_base);
	skeleton.ranges_base = base_of(r, DW_AT_GNU_ranges_base);
	skeleton.rnglists_base = base_of(r, DW_AT_rnglists_base);
	if (!r->splits)
		r->splits = reference_splits_new(r->object, &r->sections);
	st = reference_split_find(r->splits, &skeleton, &found, e);
	*why = found.why;
	if (st || !found.handle)
		return st;
	map64_release(&r->names);
	r->at = found.handle;
	r->at_root = found.root;
	r->at_offset = found.offset;
	r->at_end = found.end;
	return ST_OK;
}

/* Adds the scope that die is, if it is one. *scope: the enclosing one, replaced by the new. */
static enum status reference_read_visit(struct reader *r, struct reference_unit *u,
					struct Dwarf_Die_s *die, uint64_t base, uint32_t *scope,
					bool *dead, struct err *e)
{
	uint16_t tag;
	struct unit_scope s = {.first_range = (uint32_t)u->n_scope_ranges};
	enum status st;
	bool there;

	st = die_tag(r->at, die, &tag, &s.die, e);
	if (st)
		return st;
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return ST_OK;
	s.inlined = tag == DW_TAG_inlined_subroutine;
	s.parent = s.inlined ? *scope : 0;
	if (u->n_scopes >= UINT32_MAX - 1 || u->n_scope_ranges >= UINT32_MAX / 2)
		return err_set(e, ST_LIMIT, "too many functions");
	/* A list is read again for each DIE that refers to it: compilers write one for each, and
	 * where they are shared on purpose the worker's limit of processor time ends it, which is
	 * reported as given up. The fast engine, which answers unless this one is chosen, reads
	 * each list once. */
	st = die_ranges(r->at, u->version, die, base, &u->scope_ranges, &u->n_scope_ranges,
			&u->cap_scope_ranges, &there, e);
	u->n_scope_ranges = living(r, u->scope_ranges, s.first_range, u->n_scope_ranges);
	if (st)
		return st;
	/* what is inlined into a discarded function is dead whatever its addresses say */
	if (s.inlined && *dead)
		u->n_scope_ranges = s.first_range;
	s.n_ranges = (uint32_t)(u->n_scope_ranges - s.first_range);
	if (!s.inlined)
		*dead = there && !s.n_ranges;
	if (s.inlined && !*dead) {
		s.has_file = die_number(r->at, die, DW_AT_call_file, &s.file);
		die_number(r->at, die, DW_AT_call_line, &s.line);
		die_number(r->at, die, DW_AT_call_column, &s.column);
		die_number(r->at, die, DW_AT_GNU_discriminator, &s.discriminator);
	}
	VEC_PUSH(u->scopes, u->n_scopes, u->cap_scopes) = s;
	*scope = (uint32_t)u->n_scopes;
	return ST_OK;
}

struct level {
	struct Dwarf_Die_s *die;
	uint32_t scope; /* of its children */
	bool dead;
};

/* What is wrong is said with the DIE at which libdwarf met it, when it still reports that. */
static void at_die(struct reader *r, struct Dwarf_Die_s *die, struct err *e)
{
	struct err none = ERR_INIT;
	uint64_t offset;
	uint16_t tag;

	if (!die_tag(r->at, die, &tag, &offset, &none))
		err_prefix(e, ".debug_info%s+0x%" PRIx64, r->at == r->handle ? "" : ".dwo", offset);
}

enum status reader_scopes(struct reader *r, struct reference_unit *u, struct err *e)
{
	struct level *stack = NULL;
	size_t depth = 0, cap = 0;
	uint64_t base;
	struct Dwarf_Die_s *die, *next;
	enum status st;

	u->n_scopes = u->n_scope_ranges = 0;
	die_low_pc(r->handle, r->root, &base); /* a part has its skeleton's */
	st = die_step(r->at, r->at_root, true, &die, e);
	if (st == ST_NONE)
		return ST_OK;
	while (!st) {
		struct level at = {.die = die};

		if (depth) {
			at.scope = stack[depth - 1].scope;
			at.dead = stack[depth - 1].dead;
		}
		st = reference_read_visit(r, u, die, base, &at.scope, &at.dead, e);
		if (!st)
			st = die_step(r->at, die, true, &next, e);
		if (st > ST_NONE) {
			at_die(r, die, e);
			break;
		}
		if (st == ST_OK && depth == LIMIT_DEPTH)
			st = err_set(e, ST_LIMIT, "DIEs nested deeper than %d", LIMIT_DEPTH);
		if (st == ST_OK) {
			VEC_PUSH(stack, depth, cap) = at;
			die = next;
			continue;
		}
		while (st == ST_NONE) {
			st = die_step(r->at, die, false, &next, e);
			if (st > ST_NONE)
				at_die(r, die, e);
			die_free(die);
			if (st == ST_OK)
				die = next;
			else if (st == ST_NONE && depth)
				die = stack[--depth].die;
			else
				break;
		}
		if (st == ST_NONE)
			break;
	}
	free(stack);
	return st == ST_NONE ? ST_OK : st;
}

struct files {
	struct reader *reader;
	struct reference_unit *unit;
	const char *comp_dir;
};

static void reference_read_add_file(void *arg, uint32_t number, uint16_t version,
				    uint64_t dir_index, const char *dir, const char *name)
{
	struct files *f = arg;
	struct reference_unit *u = f->unit;
	struct buf *path = &f->reader->path;

	path->len = 0;
	if (f->reader->relative)
		unit_join_path(path, version, "", dir_index, version < 5 || dir_index ? dir : "",
			       name);
	else
		unit_join_path(path, version, f->comp_dir, dir_index, dir, name);
	while (u->n_files <= number)
		VEC_PUSH(u->files, u->n_files, u->cap_files) = 0;
	u->files[number] = intern_add(f->reader->strings, buf_str(path), path->len);
}

enum status reader_rows(struct reader *r, struct reference_unit *u, struct err *e)
{
	const struct object_section *s = &r->sections.all[SECTION_LINE];
	struct files f = {r, u, die_text(r->handle, r->root, DW_AT_comp_dir)};
	uint16_t version = 0;
	enum status st;
	uint64_t at;

	if (!f.comp_dir)
		f.comp_dir = "";
	u->n_rows = u->n_files = 0;
	st = die_lines(r->handle, r->root, u, &version, reference_read_add_file, &f, e);
	if (st)
		u->n_rows = 0;
	else if (version == 5 && die_reference(r->handle, r->root, DW_AT_stmt_list, &at) &&
		 at < s->size)
		unit_fix_default_file(u, s->data + at, (size_t)(s->size - at),
				      r->sections.big_endian);
	return st;
}

/* The file of a DIE that a reference has led to; NULL: it is not there. */
static struct handle *of_file(const struct reader *r, uint64_t die)
{
	return !(die & DIE_ALT) ? r->at : r->alt ? r->alt->handle : NULL;
}

/* Adds the DIEs that die, which is one of h, goes on in; how many there are then. */
static size_t follow(const struct reader *r, struct handle *h, struct Dwarf_Die_s *die,
		     uint64_t *todo, size_t n)
{
	static const uint16_t names[] = {DW_AT_abstract_origin, DW_AT_specification};

	for (size_t i = 0; i < 2; i++) {
		if (!die_reference(h, die, names[i], &todo[n]))
			continue;
		if (r->alt && h == r->alt->handle)
			todo[n] |= DIE_ALT;
		n++;
	}
	return n;
}

static uint32_t name_of(struct reader *r, struct handle *h, struct Dwarf_Die_s *die, uint16_t name)
{
	const char *text = die_text(h, die, name);

	return text && *text ? intern_add(r->strings, text, strlen(text)) : 0;
}

uint32_t reader_function(struct reader *r, uint64_t start)
{
	uint64_t todo[2 * LIMIT_HOPS + 2] = {start};
	uint32_t name = 0, linkage = 0, *kept, known = map64_get(&r->names, start);
	size_t n = 1;

	if (known)
		return known - 1;
	/* LIMIT_HOPS ends a cycle of references */
	for (size_t hops = 0; n && hops < LIMIT_HOPS && !linkage; hops++) {
		struct handle *h = of_file(r, todo[--n]);
		struct Dwarf_Die_s *die;

		if (!h || !handle_die(h, todo[n] & ~DIE_ALT, &die))
			continue;
		linkage = name_of(r, h, die, DW_AT_linkage_name);
		if (!linkage)
			linkage = name_of(r, h, die, DW_AT_MIPS_linkage_name);
		if (!name)
			name = name_of(r, h, die, DW_AT_name);
		n = follow(r, h, die, todo, n);
		die_free(die);
	}
	kept = map64_put(&r->names, start);
	*kept = (linkage ? linkage : name) + 1;
	return *kept - 1;
}

void reader_extra(struct reader *r, const struct reference_unit *u, uint64_t die_at,
		  struct dwarf_extra *x)
{
	uint64_t todo[2 * LIMIT_HOPS + 2] = {die_at};
	bool declared = false;
	uint32_t file;
	size_t n = 1;

	for (size_t hops = 0; n && hops < LIMIT_HOPS; hops++) {
		uint64_t at = todo[--n];
		struct handle *h = of_file(r, at);
		struct Dwarf_Die_s *die;

		if (!h || !handle_die(h, at & ~DIE_ALT, &die))
			continue;
		if (!hops && !die_low_pc(h, die, &x->start))
			x->start = DWARF_NO_START;
		if (!x->name)
			x->name = name_of(r, h, die, DW_AT_name);
		if (!x->line)
			die_number(h, die, DW_AT_decl_line, &x->line);
		if (!declared && die_number(h, die, DW_AT_decl_file, &file)) {
			declared = true; /* files are numbered by the present unit's table */
			if (at >= r->at_offset && at < r->at_end && file < u->n_files)
				x->file = u->files[file];
		}
		n = follow(r, h, die, todo, n);
		die_free(die);
	}
}

/* SPDX-License-Identifier: MIT
 *
 * Code symbols of .symtab (the object's, else its debug file's), else of .gnu_debugdata and
 * .dynsym: sorted, with ends, and flattened so that the innermost symbol at an address is one
 * binary search.
 */
#include "lib/base/allowance.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"
#include "lib/object/descriptors.h"
#include "lib/object/impl.h"
#include "lib/object/mach.h"
#include "lib/object/source.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t info;
};

static struct raw_symbol next_symbol(struct cursor *c, bool is_64) /* Elf64_Sym, Elf32_Sym */
{
	struct raw_symbol s = {.name = cursor_u32(c)};

	if (!is_64) {
		s.value = cursor_u32(c);
		s.size = cursor_u32(c);
	}
	s.info = cursor_u8(c);
	cursor_u8(c); /* st_other */
	s.section = cursor_u16(c);
	if (is_64) {
		s.value = cursor_u64(c);
		s.size = cursor_u64(c);
	}
	return s;
}

/* Mapping symbols, which say what follows: $x, $d.12; on RISC-V $x may name the instructions, $xrv64i2p1_m2p0
 * (its ELF psABI, "Mapping Symbol"; ELF for the Arm Architecture and for AArch64, the same). */
static bool is_mapping(const char *name, uint16_t machine)
{
	const char *kinds = machine == EM_ARM       ? "atd"
			    : machine == EM_AARCH64 ? "xd"
			    : machine == EM_RISCV   ? "xd"
			    : machine == EM_CSKY    ? "td"
						    : "";

	if (name[0] != '$' || !name[1] || !strchr(kinds, name[1]))
		return false;
	return !name[2] || name[2] == '.' || (machine == EM_RISCV && !strncmp(name, "$xrv", 4));
}

/* And the marks that compilers leave in the code: GCC 2's, and those of the annobin plugin. */
static bool is_mark(const char *name, uint16_t machine)
{
	return is_mapping(name, machine) || !strncmp(name, ".annobin_", 9) ||
	       !strcmp(name, "gcc2_compiled.");
}

/* Lower is better among symbols of one address. */
static unsigned rank(uint8_t info)
{
	unsigned binding = ELF64_ST_BIND(info), type = ELF64_ST_TYPE(info);
	unsigned kind = type == STT_NOTYPE ? 2 : type == STT_OBJECT;

	return kind * 4 + (binding == STB_LOCAL ? 2 : binding == STB_WEAK ? 1 : 0);
}

/* The section with these flags that holds s, which f has shift bytes lower; *end is where it ends.
 */
static bool section_end(const struct object_image *f, const struct object *o,
			const struct raw_symbol *s, uint64_t flags, uint64_t shift, uint64_t *end)
{
	const struct elf_section *t;
	uint64_t addr;

	*end = UINT64_MAX;
	if (s->section == SHN_UNDEF)
		return false;
	if (s->section >= SHN_LORESERVE || s->section >= f->n_sections)
		return s->section == SHN_XINDEX && object_is_code(o, s->value);
	t = &f->sections[s->section];
	addr = t->addr + shift;
	if (!(t->flags & flags) || s->value < addr || s->value - addr >= t->size)
		return false;
	if (t->size <= UINT64_MAX - addr)
		*end = addr + t->size;
	return true;
}

static const struct elf_section *find_table(const struct object_image *f, uint32_t type)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		if (f->sections[i].type == type && f->sections[i].size)
			return &f->sections[i];
	}
	return NULL;
}

/* A symbol without a size that starts in one with a size is a label of it, and ends with it. */
static void bound_guesses(struct object_symbol *all, size_t n)
{
	uint64_t reach = 0;

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && all[end].lo == all[first].lo; end++)
			if (all[end].sized && all[end].hi > reach)
				reach = all[end].hi;
		for (size_t i = first; i < end; i++)
			if (!all[i].sized && reach > all[i].lo && reach < all[i].hi)
				all[i].hi = reach;
	}
}

static void symtab_order(struct symtab *s, const uint8_t *ranks, const uint64_t *ends)
{
	struct sort_item *items = pages_array(s->n, sizeof *items);
	struct object_symbol *sorted = pages_array(s->n, sizeof *sorted);
	uint64_t next = UINT64_MAX;
	size_t n = 0;

	/* By rank first and stably by address after it: the order in which all of them are kept. */
	for (unsigned r = 0; r < 12; r++) {
		for (size_t i = 0; i < s->n; i++) {
			if (ranks[i] == r)
				items[n++] = (struct sort_item){s->all[i].lo, (uint32_t)i};
		}
	}
	sort_radix(items, n);
	for (size_t i = n; i-- > 0;) {
		struct object_symbol *t = &sorted[i];

		*t = s->all[items[i].index];
		if (i + 1 < n && sorted[i + 1].lo != t->lo)
			next = sorted[i + 1].lo;
		if (!t->sized)
			t->hi = next < ends[items[i].index] ? next : ends[items[i].index];
	}
	bound_guesses(sorted, n);
	free(items);
	free(s->all);
	s->all = sorted;
}

static void emit(struct symtab *s, size_t *cap, uint64_t lo, uint32_t symbol)
{
	if (s->n_at && s->at[s->n_at - 1].lo == lo)
		s->n_at--;
	if (s->n_at && s->at[s->n_at - 1].symbol == symbol)
		return;
	VEC_PUSH(s->at, s->n_at, *cap) = (struct symbol_span){lo, symbol};
}

/* Closes the symbols of the stack that end at or before limit. */
static void close_until(struct symtab *s, size_t *cap, const uint32_t *stack, size_t *depth,
			uint64_t limit)
{
	while (*depth && s->all[stack[*depth - 1]].hi <= limit) {
		uint64_t hi = s->all[stack[*depth - 1]].hi;

		/* those below that ended earlier were hidden by this one */
		while (*depth && s->all[stack[*depth - 1]].hi <= hi)
			--*depth;
		emit(s, cap, hi, *depth ? stack[*depth - 1] : SYMBOL_NONE);
	}
}

static void index_spans(struct symtab *s)
{
	uint64_t reach = s->n_at ? s->at[s->n_at - 1].lo - s->at[0].lo : 0;

	if (!s->n_at)
		return;
	s->base = s->at[0].lo;
	while (reach >> s->shift > 2 * s->n_at)
		s->shift++;
	s->n_coarse = (size_t)(reach >> s->shift) + 2;
	s->coarse = mem_array(s->n_coarse, sizeof *s->coarse);
	for (size_t i = 0, at = 0; i < s->n_coarse; i++) {
		while (at < s->n_at && (s->at[at].lo - s->base) >> s->shift < i)
			at++;
		s->coarse[i] = (uint32_t)at;
	}
}

static void symtab_flatten(struct symtab *s)
{
	uint32_t *stack = mem_array(s->n, sizeof *stack);
	size_t depth = 0, cap = 0, cap_guesses = 0, first, end;

	for (first = 0; first < s->n; first = end) {
		for (end = first + 1; end < s->n && s->all[end].lo == s->all[first].lo;)
			end++;
		for (size_t i = first; i < end; i++) {
			if (!s->all[i].sized)
				VEC_PUSH(s->guesses, s->n_guesses, cap_guesses) = (uint32_t)i;
		}
		close_until(s, &cap, stack, &depth, s->all[first].lo);
		for (size_t i = end; i-- > first;) { /* the best of one address ends on top */
			if (!s->all[i].sized)
				continue;
			stack[depth++] = (uint32_t)i;
			emit(s, &cap, s->all[i].lo, (uint32_t)i);
		}
	}
	close_until(s, &cap, stack, &depth, UINT64_MAX);
	free(stack);
	index_spans(s);
}

/* Of the symbols read so far, parallel to symtab.all. */
struct loading {
	size_t cap, cap_ranks, cap_ends, n_ranks, n_ends;
	uint8_t *ranks;
	uint64_t *ends;
	size_t n_names;
	bool data; /* what is no code, too */
};

static void symtab_add(struct symtab *s, struct loading *l, const struct object *o,
		       const struct object_image *f, struct cursor *c, const char *names,
		       uint64_t n_names)
{
	const uint64_t shift = f == &o->debug ? object_debug_shift(o) : 0;
	const char *file = NULL;
	uint32_t index = 0;
	struct descriptors d;

	descriptors_find(&d, &o->file);
	for (; !cursor_done(c) && s->n < SYMBOL_NONE - 1; index++) {
		struct raw_symbol r = next_symbol(c, f->is_64);
		unsigned type = ELF64_ST_TYPE(r.info);
		const char *name = r.name < n_names ? names + r.name : "";
		uint64_t hi, end;

		if (type == STT_FILE)
			file = *name ? name : NULL;
		if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE &&
		    (type != STT_OBJECT || (!r.size && !l->data) || r.section >= SHN_LORESERVE))
			continue;
		if (!*name || is_mark(name, f->machine))
			continue;
		if (f->flat && r.section < f->n_sections)
			r.value += f->sections[r.section].addr;
		if (f->machine == EM_ARM && type != STT_NOTYPE)
			r.value &= ~UINT64_C(1);
		r.value += shift;
		if (descriptors_follow(&d, &r.value))
			r.section = SHN_XINDEX; /* the code's: none is wanted */
		if (!section_end(f, o, &r, l->data ? SHF_ALLOC : SHF_EXECINSTR, shift, &end))
			continue;
		hi = r.size < end - r.value ? r.value + r.size : end;
		VEC_PUSH(s->all, s->n, l->cap) =
		    (struct object_symbol){r.value,
					   hi,
					   name,
					   r.size > 0,
					   !ELF64_ST_BIND(r.info),
					   index,
					   ELF64_ST_BIND(r.info) ? NULL : file};
		VEC_PUSH(l->ranks, l->n_ranks, l->cap_ranks) = (uint8_t)rank(r.info);
		VEC_PUSH(l->ends, l->n_ends, l->cap_ends) = end;
	}
	descriptors_release(&d);
}

/* A table that cannot be read, be it for want of memory, is missed by who looks for a name. */
static void leave_out(struct symtab *s, const struct object_image *f, const struct err *e)
{
	if (s->left_out++)
		return;
	s->why = *e;
	if (f)
		err_prefix(&s->why, "%s", f->path);
}

/* f NULL, or without such a table: nothing is added. */
static void symtab_add_table(struct symtab *s, struct loading *l, const struct object *o,
			     const struct object_image *f, uint32_t type)
{
	const struct elf_section *table = f && f->path ? find_table(f, type) : NULL;
	const uint64_t each = f && f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct err e = ERR_INIT;
	uint8_t *bytes, *names;
	uint64_t size, n_names;
	struct cursor c;

	if (!table || table->link >= f->n_sections)
		return;
	if (section_read(f, table, &bytes, &size, &e)) {
		leave_out(s, f, &e);
		return;
	}
	if (section_read(f, &f->sections[table->link], &names, &n_names, &e)) {
		leave_out(s, f, &e);
		allowance_free(bytes);
		return;
	}
	cursor_init(&c, bytes, (size_t)(size - size % each), table->offset, &e);
	c.big_endian = f->big_endian;
	if (!s->all) { /* most of them are code */
		s->all = pages_array(size / each + 1, sizeof *s->all);
		l->cap = (size_t)(size / each) + 1;
	}
	symtab_add(s, l, o, f, &c, (char *)names, n_names);
	s->names[l->n_names++] = (char *)names;
	allowance_free(bytes);
}

static void forget_names(struct symtab *s, struct loading *l)
{
	allowance_free(s->names[0]);
	s->names[0] = NULL;
	l->n_names = 0;
}

static void finish(struct symtab *s, struct loading *l)
{
	if (l->ranks && l->ends) {
		symtab_order(s, l->ranks, l->ends);
		symtab_flatten(s);
	}
	free(l->ranks);
	free(l->ends);
}

static void symtab_load_elf(struct symtab *s, struct object *o)
{
	struct loading l = {.cap = 0};
	struct err e = ERR_INIT;

	symtab_add_table(s, &l, o, &o->file, SHT_SYMTAB);
	s->own = s->n;
	if (!s->n) {
		forget_names(s, &l);
		symtab_add_table(s, &l, o, &o->debug, SHT_SYMTAB);
	}
	if (!s->n) {
		forget_names(s, &l);
		/* it has only what the dynamic symbols do not */
		symtab_add_table(s, &l, o, minidebug_file(o, &e), SHT_SYMTAB);
		if (e.code)
			leave_out(s, NULL, &e);
		s->own = !s->n;
		symtab_add_table(s, &l, o, &o->file, SHT_DYNSYM);
	}
	finish(s, &l);
}

void symtab_load_own(struct symtab *s, struct object *o)
{
	struct loading l = {.cap = 0};

	if (o->file.kind == OBJECT_ELF) /* .symtab is not there, or it would be the other one */
		symtab_add_table(s, &l, o, &o->file, SHT_DYNSYM);
	finish(s, &l);
}

void symtab_load_any(struct symtab *s, struct object *o)
{
	struct loading l = {.data = true};

	if (o->file.kind != OBJECT_ELF) {
		symtab_load(s, o);
		return;
	}
	symtab_add_table(s, &l, o, &o->file, SHT_SYMTAB);
	if (!s->n) {
		forget_names(s, &l);
		symtab_add_table(s, &l, o, &o->file, SHT_DYNSYM);
	}
	finish(s, &l);
}

/* Mach-O: one table, names with an underscore, no sizes. */
static void symtab_load_mach(struct symtab *s, const struct object_image *f)
{
	const uint64_t each = f->is_64 ? MACH_NLIST_64 : MACH_NLIST_32;
	const struct elf_section table = {.name = "symbols",
					  .type = SHT_SYMTAB,
					  .offset = f->mach.offset,
					  .size = f->mach.n * each};
	const struct elf_section strings = {
	    .name = "names", .type = SHT_STRTAB, .offset = f->mach.names, .size = f->mach.n_names};
	struct err e = ERR_INIT;
	uint8_t *bytes = NULL, *names = NULL, *ranks = NULL;
	uint64_t size, n_names = 0, *ends = NULL;
	size_t cap = 0, cap_ranks = 0, cap_ends = 0, n_ranks = 0, n_ends = 0;
	struct cursor c;

	if (section_read(f, &table, &bytes, &size, &e)) {
		leave_out(s, f, &e);
		return;
	}
	if (section_read(f, &strings, &names, &n_names, &e)) {
		leave_out(s, f, &e);
		allowance_free(bytes);
		return;
	}
	cursor_init(&c, bytes, (size_t)size, table.offset, &e);
	c.big_endian = f->big_endian;
	while (!cursor_done(&c) && s->n < SYMBOL_NONE - 1) {
		struct mach_symbol m = mach_next_symbol(&c, f);
		const struct elf_section *t = m.code ? &f->sections[m.section] : NULL;
		const char *name = m.name < n_names ? (const char *)names + m.name : "";

		name += *name == '_';
		if (!t || !*name || m.value < t->addr || m.value - t->addr >= t->size ||
		    t->size > UINT64_MAX - t->addr)
			continue;
		VEC_PUSH(s->all, s->n, cap) = (struct object_symbol){
		    m.value, t->addr + t->size, name, false, false, (uint32_t)s->n, NULL};
		VEC_PUSH(ranks, n_ranks, cap_ranks) = !m.external ? 2 : m.weak;
		VEC_PUSH(ends, n_ends, cap_ends) = t->addr + t->size;
	}
	s->names[0] = (char *)names;
	if (ranks && ends) {
		symtab_order(s, ranks, ends);
		symtab_flatten(s);
	}
	free(ranks);
	free(ends);
	allowance_free(bytes);
}

/* What a symbol file calls a function is a symbol, too. */
static void symtab_load_source(struct symtab *s, const struct object_source *source)
{
	size_t n = source_count(source), cap = 0, cap_ranks = 0, cap_ends = 0, n_ranks = 0,
	       n_ends = 0;
	uint64_t *ends = NULL;
	uint8_t *ranks = NULL;

	for (size_t i = 0; i < n && s->n < SYMBOL_NONE - 1; i++) {
		struct source_function f;

		if (!source_function(source, i, &f) || !*f.name)
			continue;
		VEC_PUSH(s->all, s->n, cap) = (struct object_symbol){
		    f.lo,   f.size < UINT64_MAX - f.lo ? f.lo + f.size : UINT64_MAX,
		    f.name, f.size > 0,
		    false,  (uint32_t)i,
		    NULL};
		VEC_PUSH(ranks, n_ranks, cap_ranks) = f.public;
		VEC_PUSH(ends, n_ends, cap_ends) = source_end(source);
	}
	if (ranks && ends) {
		symtab_order(s, ranks, ends);
		symtab_flatten(s);
	}
	free(ranks);
	free(ends);
}

void symtab_load(struct symtab *s, struct object *o)
{
	s->own = true;
	if (o->file.source)
		symtab_load_source(s, o->file.source);
	if (o->file.kind == OBJECT_MACH) {
		symtab_load_mach(s, &o->file);
		if (!s->n && o->debug.path) {
			symtab_release(s);
			symtab_load_mach(s, &o->debug);
		}
	}
	if (o->file.kind == OBJECT_ELF)
		symtab_load_elf(s, o);
}

void symtab_release(struct symtab *s)
{
	free(s->all);
	allowance_free(s->names[0]);
	allowance_free(s->names[1]);
	free(s->at);
	free(s->coarse);
	free(s->guesses);
	*s = (struct symtab){0};
}

/* SPDX-License-Identifier: MIT
 *
 * The functions of a binary, how they begin, and which of them are instrumented.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

static int inspect_functions_by_address(const void *a, const void *b)
{
	const struct inspect_function *x = a, *y = b;

	if (x->lo != y->lo)
		return (x->lo > y->lo) - (x->lo < y->lo);
	return (x->hi > y->hi) - (x->hi < y->hi);
}

enum { PLTS = 8 }; /* .plt, .plt.got, .plt.sec ... */

struct plts {
	struct object_section_info items[PLTS];
	size_t n;
};

static void find_plts(const struct inspect *x, struct plts *plts)
{
	const struct object *o = x->file.object;

	plts->n = 0;
	for (size_t i = 1; i < object_section_count(o) && plts->n < PLTS; i++) {
		struct object_section_info s = object_section_info(o, i);

		if (!strncmp(s.name, ".plt", 4))
			plts->items[plts->n++] = s;
	}
}

static bool in_plt(const struct plts *plts, uint64_t addr)
{
	for (size_t i = 0; i < plts->n; i++)
		if (addr >= plts->items[i].addr && addr - plts->items[i].addr < plts->items[i].size)
			return true;
	return false;
}

/* What is jumped to with the caller's frame in place is no function of its own. */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.');
}

static void from_symbols(struct inspect *x)
{
	size_t n;
	const struct object_symbol *all = object_symbols(x->file.object, &n);
	const bool guess = object_kind(x->file.object)->unsized;

	for (size_t i = 0; i < n; i++)
		if ((all[i].sized || guess) && !is_part(all[i].name) &&
		    code_holds(x->file.code, all[i].lo))
			VEC_PUSH(x->functions, x->n_functions, x->cap_functions) =
			    (struct inspect_function){.lo = all[i].lo, .hi = all[i].hi};
}

static int by_lo(const void *a, const void *b)
{
	const struct eh_frame_entry *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void inspect_add_entry(void *arg, const struct eh_frame_entry *entry)
{
	struct inspect *x = arg;

	if (code_holds(x->file.code, entry->lo))
		VEC_PUSH(x->entries, x->n_entries, x->cap_entries) = *entry;
}

static void inspect_add_bounded(void *arg, uint64_t lo, uint64_t hi)
{
	inspect_add_entry(arg, &(struct eh_frame_entry){.lo = lo, .hi = hi});
}

static void read_entries(struct inspect *x)
{
	size_t section = inspect_section(x, ".eh_frame");
	struct err e = ERR_INIT;
	uint64_t size = 0;
	uint8_t *data = NULL;

	if (object_kind(x->file.object)->pdata) {
		object_each_bounded(x->file.object, inspect_add_bounded, x);
		x->has_entries = x->n_entries;
		return; /* they are sorted */
	}
	if (!section || object_section_info(x->file.object, section).kind == SECTION_ZEROES)
		return;
	x->has_entries = true;
	if (object_section_read(x->file.object, section, &data, &size, &e) > ST_NONE)
		x->bad_tables = true;
	if (data) {
		const struct eh_frame f = {.data = data,
					   .size = size,
					   .addr =
					       object_section_info(x->file.object, section).addr,
					   .is_64 = object_is_64(x->file.object),
					   .big_endian = object_is_big_endian(x->file.object)};

		x->bad_tables = !eh_frame_read(&f, inspect_add_entry, x);
	}
	mem_budget_free(data);
	if (x->n_entries)
		sort_array(x->entries, x->n_entries, sizeof *x->entries, by_lo);
}

static void from_tables(struct inspect *x)
{
	for (size_t i = 0; i < x->n_entries; i++)
		if (!x->entries[i].fragment)
			VEC_PUSH(x->functions, x->n_functions, x->cap_functions) =
			    (struct inspect_function){.lo = x->entries[i].lo,
						      .hi = x->entries[i].hi};
	x->from_tables = x->n_functions > 0;
}

static void count_unwound(struct inspect *x)
{
	for (size_t i = 0, at = 0; i < x->n_functions; i++) {
		while (at < x->n_entries && x->entries[at].hi <= x->functions[i].lo)
			at++;
		x->functions[i].unwound =
		    at < x->n_entries && x->entries[at].lo <= x->functions[i].lo;
		x->n_unwound += x->functions[i].unwound;
	}
}

/* In a PE file, stubs of imports are among its other code, with symbols. */
static bool is_stub(struct inspect *x, uint64_t addr)
{
	uint64_t slot;

	return object_kind(x->file.object)->pdata && object_plt_slot(x->file.object, addr, &slot);
}

/* Aliases are one function; of what overlaps, the first. The PLT has symbols in some files. */
static void put_in_order(struct inspect *x)
{
	struct plts plts;
	size_t kept = 0;

	find_plts(x, &plts);
	if (x->n_functions)
		sort_array(x->functions, x->n_functions, sizeof *x->functions,
			   inspect_functions_by_address);
	for (size_t i = 0; i < x->n_functions; i++) {
		struct inspect_function f = x->functions[i];

		if ((kept && f.lo < x->functions[kept - 1].hi) || in_plt(&plts, f.lo) ||
		    is_stub(x, f.lo))
			continue;
		x->functions[kept++] = f;
	}
	x->n_functions = kept;
}

static bool has_symbols(const struct inspect *x)
{
	struct object *o = x->file.object;
	struct object_section s;
	struct err e = ERR_INIT;
	bool has = object_section(o, ".symtab", &s, &e) == ST_OK && s.size;
	size_t n;

	if (object_kind(o)->unsized) {
		object_symbols(o, &n);
		return n;
	}
	object_drop_sections(o);
	return has;
}

void inspect_functions(struct inspect *x)
{
	read_entries(x);
	if (has_symbols(x))
		from_symbols(x);
	if (!x->n_functions)
		from_tables(x);
	if (!x->n_functions)
		from_symbols(x);
	put_in_order(x);
	count_unwound(x);
}

static enum role role_at(const struct inspect *x, uint64_t target)
{
	enum role role = map64_get(&x->role_at, target);
	uint64_t slot;

	if (!role && object_plt_slot(x->file.object, target, &slot))
		role = map64_get(&x->role_at, slot);
	return role;
}

/* adrp xM, page; ldr xN, [xM, offset]; blr xN, with others between. */
static enum role arm64_role_through_slot(const struct inspect *x, const struct code_part *part,
					 uint64_t at)
{
	enum { BACK = 16 };
	const uint8_t *p = part->data + at;
	uint32_t base = 32, reg = at >= 4 ? le32(p - 4) : 0, w;
	uint64_t offset = 0, page;

	if ((reg & 0xffdffc1f) != 0xd61f0000)
		return ROLE_NONE;
	reg = reg >> 5 & 31;
	for (unsigned i = 2; i <= BACK && at >= 4 * i; i++) {
		w = le32(p - (size_t)4 * i);
		if (base == 32 && (w & 0xffc0001f) == (0xf9400000 | reg)) {
			base = w >> 5 & 31;
			offset = (uint64_t)(w >> 10 & 0xfff) * 8;
		} else if (base < 32 && (w & 0x9f00001f) == (0x90000000 | base)) {
			page = (uint64_t)(w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3);
			page = (page ^ 1 << 20) - (1 << 20);
			return map64_get(&x->role_at, ((part->lo + at - 4 * i) & ~UINT64_C(0xfff)) +
							  (page << 12) + offset);
		}
	}
	return ROLE_NONE;
}

/* call *slot(%rip), as -fno-plt makes them, and calls of imports. */
static enum role role_through_slot(const struct inspect *x, const struct code_part *part,
				   uint64_t at)
{
	const uint8_t *p = part->data + at;
	const enum code_arch arch = x->file.code->arch;
	int32_t offset;

	if (arch == CODE_ARM64)
		return arm64_role_through_slot(x, part, at);
	if ((arch != CODE_X86_64 && arch != CODE_X86) || at < 6 || p[-6] != 0xff ||
	    (p[-5] != 0x15 && p[-5] != 0x25))
		return ROLE_NONE;
	memcpy(&offset, p - 4, sizeof offset);
	if (arch == CODE_X86)
		return map64_get(&x->role_at, (uint32_t)offset);
	return map64_get(&x->role_at, part->lo + at + (uint64_t)(int64_t)offset);
}

static void inspect_functions_count_calls(struct inspect *x, struct inspect_function *f)
{
	const struct disasm_code *c = x->file.code;
	const struct code_part *part = code_part_at(c, f->lo + 1);
	uint64_t step = code_alignment(c->arch), end = f->hi, target;

	if (!part)
		return;
	if (end > part->lo + part->size)
		end = part->lo + part->size;
	for (uint64_t at = f->lo + step; at <= end; at += step) {
		enum role role = ROLE_NONE;

		if (code_target_before(c, at, true, &target))
			role = role_at(x, target);
		if (!role)
			role = role_through_slot(x, part, at - part->lo);
		if (role == ROLE_ENTER || role == ROLE_COUNT)
			f->enter += f->enter < UINT8_MAX;
		else if (role == ROLE_EXIT)
			f->exit += f->exit < UINT8_MAX;
	}
}

static void sum_up(struct inspect *x, const struct inspect_function *f)
{
	x->sum.n++;
	x->sum.frame += f->prologue == PROLOGUE_FRAME;
	x->sum.none += f->prologue == PROLOGUE_NONE;
	x->sum.leaf += f->prologue == PROLOGUE_LEAF;
	x->sum.unknown += f->prologue == PROLOGUE_UNKNOWN;
	x->sum.enter += f->enter > 0;
	x->sum.exit += f->exit > 0;
	x->sum.twice += f->enter > 1;
	x->sum.unwound +=
	    f->unwound && (f->prologue == PROLOGUE_FRAME || f->prologue == PROLOGUE_NONE);
}

void inspect_code(struct inspect *x)
{
	bool instrumented = x->roles[ROLE_ENTER] || x->roles[ROLE_EXIT] || x->roles[ROLE_COUNT];

	for (size_t i = 0; i < x->n_functions; i++) {
		struct inspect_function *f = &x->functions[i];

		f->prologue = (uint8_t)disasm_prologue(x->disasm, f->lo, f->hi);
		if (instrumented)
			inspect_functions_count_calls(x, f);
		sum_up(x, f);
	}
}

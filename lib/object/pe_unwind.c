/* SPDX-License-Identifier: MIT
 *
 * Where the functions of a PE file begin and end, by its exception directory (.pdata), which x64, arm64 and arm have.
 * Facts: Microsoft's "x64 exception handling", "ARM64 exception handling" and "ARM exception handling".
 *
 * A function that needs no unwinding (a leaf) has no entry.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/object/pe.h"

#include <stdlib.h>

enum {
	ENTRY_X64 = 12, /* begin, end, unwind information */
	ENTRY_ARM = 8,  /* begin, unwind information or a description */
	CHAINED = 4,    /* flag: the entry continues another one */
	FUNCTIONS_MAX = 1 << 26,
};

/* An entry as it is read; a part has the flag. */
struct pe_entry {
	uint32_t lo, hi;
	bool part;
};

static int pe_entry_order(const void *a, const void *b)
{
	const struct pe_entry *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Whether unwind information continues that of another entry. */
static bool is_chained(const struct object_image *f, struct pe_bytes *info, uint32_t at)
{
	const uint8_t *head = pe_bytes(info, f, at, 1);

	return head && head[0] >> 3 & CHAINED;
}

uint32_t pe_arm_size(const struct object_image *f, struct pe_bytes *info, uint32_t unwind)
{
	const uint32_t step = f->arch == ARCH_ARM64 ? 4 : 2;
	const uint8_t *head;

	if (unwind & 3)
		return (unwind >> 2 & 0x7ff) * step;
	head = pe_bytes(info, f, unwind, 4);
	return head ? (le32(head) & 0x3ffff) * step : 0;
}

static struct pe_entry read_entry(const struct object_image *f, struct pe_bytes *info,
				  const uint8_t *p)
{
	struct pe_entry x = {.lo = le32(p)};

	if (f->arch == ARCH_X86_64) {
		x.hi = le32(p + 4);
		x.part = is_chained(f, info, le32(p + 8));
		return x;
	}
	if (f->arch == ARCH_ARM)
		x.lo &= ~UINT32_C(1); /* Thumb */
	x.hi = x.lo + pe_arm_size(f, info, le32(p + 4));
	return x;
}

static bool is_sound(const struct object_image *f, const struct pe_entry *x)
{
	uint64_t lo = f->pe.base + x->lo, n = x->hi - x->lo;

	for (size_t i = 0; x->hi > x->lo && i < f->n_segments; i++) {
		const struct object_segment *s = &f->segments[i];

		if (s->executable && lo >= s->vaddr && lo - s->vaddr < s->memsz)
			return n <= s->memsz - (lo - s->vaddr);
	}
	return false;
}

size_t pe_functions(const struct object_image *f, struct pe_function **all)
{
	const uint32_t each = f->arch == ARCH_X86_64 ? ENTRY_X64 : ENTRY_ARM;
	const uint32_t n_entries = f->pe.unwind_size / each;
	const bool known = f->arch == ARCH_X86_64 || f->arch == ARCH_ARM64 || f->arch == ARCH_ARM;
	struct pe_bytes table = {.bytes = NULL}, info = {.bytes = NULL};
	const uint8_t *p = known && n_entries && n_entries < FUNCTIONS_MAX
			       ? pe_bytes(&table, f, f->pe.unwind, (uint64_t)n_entries * each)
			       : NULL;
	struct pe_entry *entries;
	size_t n = 0, kept = 0;

	*all = NULL;
	if (!p) {
		pe_bytes_release(&table);
		return 0;
	}
	entries = mem_array(n_entries, sizeof *entries);
	for (uint32_t i = 0; i < n_entries; i++) {
		entries[n] = read_entry(f, &info, p + (size_t)i * each);
		n += is_sound(f, &entries[n]);
	}
	pe_bytes_release(&table);
	pe_bytes_release(&info);
	if (n)
		sort_array(entries, n, sizeof *entries, pe_entry_order);
	*all = mem_array(n, sizeof **all);
	for (size_t i = 0; i < n; i++) {
		struct pe_function *last = kept ? &(*all)[kept - 1] : NULL;

		if (last && entries[i].part && entries[i].lo == last->hi)
			last->hi = entries[i].hi;
		else if (!last || entries[i].lo >= last->hi)
			(*all)[kept++] = (struct pe_function){entries[i].lo, entries[i].hi};
	}
	free(entries);
	return kept;
}

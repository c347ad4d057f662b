/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/ranges.h"

#include "lib/base/mem.h"

static inline void add(const struct fast_file *f, struct fast_ranges *out, uint64_t lo, uint64_t hi)
{
	if (lo < hi && range_lives(f, lo))
		VEC_PUSH(out->all, out->n, out->cap) = (struct fast_range){lo, hi};
}

/* A list that is read. */
struct list {
	const struct fast_file *f;
	enum fast_section section;
	uint64_t offset; /* where it begins */
};

static __attribute__((noinline)) const char *cut_short(const struct list *l, const struct rd *r)
{
	return fast_fault_of(l->f, l->section, r->p, l->offset, "address ranges: cut short");
}

/* Before each entry. NULL: go on. */
static inline const char *count_entry(const struct list *l, struct budget *b,
				      struct fast_ranges *out)
{
	const struct fast_file *f = l->f;

	if (budget_spend(b, 1)) {
		out->limited = true;
		return fast_fault(f, l->section, l->offset, "address ranges: too many");
	}
	if (++out->entries == LONG_LIST &&
	    atomic_load_explicit(fast_lists_read(f->common), memory_order_relaxed) / LIST_READINGS >
		f->in[IN_RANGES].n + f->in[IN_RNGLISTS].n) {
		out->limited = true;
		return fast_fault(f, l->section, l->offset,
				  "address ranges: long lists overlap, or are shared, too often");
	}
	return NULL;
}

static const char *fast_ranges_old_list(const struct fast_file *f, const struct fast_unit *u,
					uint64_t offset, struct budget *b, struct fast_ranges *out)
{
	const struct list l = {f, IN_RANGES, offset};
	struct rd r = rd_at(f->in[IN_RANGES], offset, f->big_endian);
	uint64_t base = u->base, select = UINT64_MAX >> (64 - 8 * u->address_size);
	const char *why;

	if (!f->in[IN_RANGES].n)
		return NULL;
	while (!r.failed) {
		uint64_t lo = rd_uint(&r, u->address_size), hi = rd_uint(&r, u->address_size);

		if (r.failed || (!lo && !hi))
			break;
		why = count_entry(&l, b, out);
		if (why)
			return why;
		if (lo == select)
			base = hi;
		else if (lo < hi)
			add(f, out, base + lo, base + hi);
	}
	return r.failed ? cut_short(&l, &r) : NULL;
}

/* An address that is not there makes its entry void. */
static bool indexed(const struct fast_file *f, const struct fast_unit *u, struct rd *r,
		    uint64_t *addr)
{
	return fast_unit_address(f, u, rd_uleb(r), addr);
}

/* A number of one or two bytes; NULL: it is longer. There are two bytes at p. */
static inline const uint8_t *short_number(const uint8_t *p, uint64_t *v)
{
	uint8_t low = p[0], high = p[1];

	*v = low;
	if (low < 0x80)
		return p + 1;
	*v = (low & 0x7fU) | (uint64_t)high << 7;
	return high < 0x80 ? p + 2 : NULL;
}

/* Pairs of short offsets are nearly all that compilers write: those that follow, but for what
 * count_entry has to be asked about. */
static inline void fast_ranges_short_pairs(const struct fast_file *f, struct rd *r, uint64_t base,
					   struct budget *b, struct fast_ranges *out)
{
	enum { LONGEST = 5 };
	const uint8_t *p = r->p;
	size_t from = out->entries;

	while (r->end - p >= LONGEST && *p == DW_RLE_offset_pair && out->entries + 1 < LONG_LIST) {
		uint64_t lo, hi;
		const uint8_t *next = short_number(p + 1, &lo);

		next = next ? short_number(next, &hi) : NULL;
		if (!next)
			break;
		out->entries++;
		add(f, out, base + lo, base + hi);
		p = next;
	}
	r->p = p;
	budget_spend(b, out->entries - from);
}

static const char *fast_ranges_new_list(const struct fast_file *f, const struct fast_unit *u,
					uint64_t offset, struct budget *b, struct fast_ranges *out)
{
	const struct list l = {f, IN_RNGLISTS, offset};
	struct rd r = rd_at(f->in[IN_RNGLISTS], offset, f->big_endian);
	uint64_t base = u->base;

	if (!f->in[IN_RNGLISTS].n)
		return NULL;
	while (!r.failed) {
		uint64_t lo = 0, hi = 0;
		bool known = true;
		uint8_t kind;
		const char *why;

		fast_ranges_short_pairs(f, &r, base, b, out);
		kind = rd_u8(&r);
		if (r.failed || kind == DW_RLE_end_of_list)
			break;
		why = count_entry(&l, b, out);
		if (why)
			return why;
		switch (kind) {
		case DW_RLE_base_addressx:
			if (!indexed(f, u, &r, &base))
				base = 0;
			continue;
		case DW_RLE_base_address: base = rd_uint(&r, u->address_size); continue;
		case DW_RLE_offset_pair:
			lo = base + rd_uleb(&r);
			hi = base + rd_uleb(&r);
			break;
		case DW_RLE_start_end:
			lo = rd_uint(&r, u->address_size);
			hi = rd_uint(&r, u->address_size);
			break;
		case DW_RLE_start_length:
			lo = rd_uint(&r, u->address_size);
			hi = lo + rd_uleb(&r);
			break;
		case DW_RLE_startx_endx:
			known = indexed(f, u, &r, &lo);
			known &= indexed(f, u, &r, &hi);
			break;
		case DW_RLE_startx_length:
			known = indexed(f, u, &r, &lo);
			hi = lo + rd_uleb(&r);
			break;
		default:
			return fast_fault_of(f, IN_RNGLISTS, r.p - 1, offset,
					     "address ranges: unknown kind of entry %u", kind);
		}
		if (!r.failed && known)
			add(f, out, lo, hi);
	}
	return r.failed ? cut_short(&l, &r) : NULL;
}

/* DW_FORM_rnglistx: the offsets behind the header of the unit's part of .debug_rnglists. */
static bool list_offset(const struct fast_file *f, const struct fast_unit *u, uint64_t index,
			uint64_t *offset)
{
	uint64_t base = u->rnglists_base, size = u->wide ? 8 : 4;
	struct rd r;

	if (base == UINT64_MAX)
		base = u->wide ? 20 : 12;
	if (index > UINT32_MAX || base > UINT64_MAX / 2)
		return false;
	r = rd_at(f->in[IN_RNGLISTS], base + index * size, f->big_endian);
	if (r.failed)
		return false;
	*offset = base + rd_offset(&r, u->wide);
	return !r.failed;
}

const char *fast_ranges_read_list(const struct fast_file *f, const struct fast_unit *u,
				  const struct fast_value *list, struct budget *b,
				  struct fast_ranges *out)
{
	uint64_t offset = list->v;
	const char *why;

	out->n = out->entries = 0;
	out->limited = false;
	if (list->class == CLASS_LIST_INDEX) {
		if (!list_offset(f, u, list->v, &offset))
			return "DW_AT_ranges: no list has this index";
	} else if (list->class != CLASS_OFFSET && list->class != CLASS_CONSTANT) {
		return "DW_AT_ranges: invalid form";
	}
	if (u->version < 5 && offset > UINT64_MAX - u->ranges_base)
		return "DW_AT_ranges: invalid offset";
	why = u->version >= 5 ? fast_ranges_new_list(f, u, offset, b, out)
			      : fast_ranges_old_list(f, u, offset + u->ranges_base, b, out);
	if (out->entries >= LONG_LIST)
		/* the shortest entry of DWARF 5 has two bytes */
		atomic_fetch_add_explicit(fast_lists_read(f->common),
					  out->entries *
					      (u->version >= 5 ? 2 : 2 * u->address_size),
					  memory_order_relaxed);
	return why;
}

const char *fast_ranges_read(const struct fast_file *f, const struct fast_unit *u,
			     const struct fast_value *ranges, const struct fast_value *low,
			     const struct fast_value *high, struct budget *b,
			     struct fast_ranges *out, bool *there)
{
	uint64_t lo, hi;

	out->n = out->entries = 0;
	out->limited = false;
	*there = true;
	if (ranges->form)
		return fast_ranges_read_list(f, u, ranges, b, out);
	*there = low->form && high->form;
	if (!*there)
		return NULL;
	if (!fast_value_address(f, u, low, &lo))
		return "DW_AT_low_pc: not an address";
	if (high->class == CLASS_CONSTANT)
		hi = high->v > UINT64_MAX - lo ? UINT64_MAX : lo + high->v;
	else if (!fast_value_address(f, u, high, &hi))
		return "DW_AT_high_pc: not an address";
	add(f, out, lo, hi);
	return NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * Where functions begin that no symbol names: the entries of .eh_frame, found by the table of .eh_frame_hdr, which is
 * sorted (Linux Standard Base, "Exception Frames"), else by a sorted list of them; those of .debug_frame; and what the
 * kind of file itself says (format.h).
 */
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/object/eh_frame.h"
#include "lib/object/format.h"

#include <stdlib.h>
#include <string.h>

struct start_bytes {
	uint8_t *data; /* NULL: none */
	struct map_piece *map;
	uint64_t size, addr;
};

struct object_starts {
	struct start_bytes eh, header;
	struct eh_frame frames; /* over eh */
	const uint8_t
	    *table; /* of header: rows of two offsets from header.addr; NULL: none that is used */
	size_t n_rows;
	struct eh_frame_entry
	    *all; /* without a table those of .eh_frame, and of .debug_frame; by lo */
	size_t n, cap;
};

/* Of an entry that is read for the list. */
struct listing {
	struct object_starts *to;
	const struct object *o;
	uint64_t shift;
};

static void starts_read(struct start_bytes *b, const struct object_image *f, const char *name)
{
	const struct section_header *s = section_find(f, name);
	struct err e = ERR_INIT;

	if (!s)
		return;
	b->addr = s->addr;
	b->map = section_map(f, s, &b->data, &b->size);
	if (!b->map && section_read(f, s, &b->data, &b->size, &e))
		b->data = NULL;
}

static void starts_drop(struct start_bytes *b)
{
	if (b->map)
		map_close(b->map);
	else
		mem_budget_free(b->data);
	*b = (struct start_bytes){.data = NULL};
}

static struct eh_frame frames_over(const struct start_bytes *b, const struct object_image *f,
				   bool debug)
{
	return (struct eh_frame){.data = b->data,
				 .size = b->size,
				 .addr = b->addr,
				 .is_64 = f->is_64,
				 .big_endian = f->big_endian,
				 .debug = debug};
}

/* A linker leaves entries of code that it dropped at address 0 of .debug_frame. */
static void starts_add(void *arg, const struct eh_frame_entry *entry)
{
	struct listing *l = arg;
	uint64_t lo = entry->lo + l->shift;

	if (object_is_code(l->o, lo))
		VEC_PUSH(l->to->all, l->to->n, l->to->cap) =
		    (struct eh_frame_entry){lo, entry->hi + l->shift, entry->fragment};
}

static int starts_order(const void *a, const void *b)
{
	const struct eh_frame_entry *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void starts_add_range(void *arg, uint64_t lo, uint64_t hi)
{
	starts_add(arg, &(struct eh_frame_entry){.lo = lo, .hi = hi});
}

/* Version 1; how the address of .eh_frame, the count and the table are written: linkers write pcrel sdata4, udata4 and
 * datarel sdata4. */
static void starts_find_table(struct object_starts *t)
{
	enum { HEAD = 12, ROW = 8 };
	const struct start_bytes *h = &t->header;
	uint64_t n;

	if (!h->data || h->size < HEAD || h->data[0] != 1 || h->data[2] != 0x03 ||
	    h->data[3] != 0x3b)
		return;
	n = t->frames.big_endian ? be32(h->data + 8) : le32(h->data + 8);
	if (!n || n > (h->size - HEAD) / ROW)
		return;
	t->table = h->data + HEAD;
	t->n_rows = (size_t)n;
}

static void read_frames(struct object_starts *t, const struct object *o, struct listing *l)
{
	const struct object_image *files[] = {&o->file, &o->debug};

	starts_read(&t->eh, &o->file, ".eh_frame");
	t->frames = frames_over(&t->eh, &o->file, false);
	if (t->eh.data) {
		starts_read(&t->header, &o->file, ".eh_frame_hdr");
		starts_find_table(t);
		if (!t->table)
			eh_frame_read(&t->frames, starts_add, l);
	}
	for (size_t i = 0; i < 2; i++) {
		struct start_bytes b = {.data = NULL};
		struct eh_frame frames;

		starts_read(&b, files[i], ".debug_frame");
		frames = frames_over(&b, files[i], true);
		l->shift = i ? object_debug_shift(o) : 0;
		if (b.data)
			eh_frame_read(&frames, starts_add, l);
		starts_drop(&b);
	}
}

static struct object_starts *starts_load(const struct object *o)
{
	struct object_starts *t = mem_zalloc(sizeof *t);
	struct listing l = {.to = t, .o = o};

	if (o->file.format->functions)
		o->file.format->functions(&o->file, starts_add_range, &l);
	if (o->file.format->frames && !o->file.flat)
		read_frames(t, o, &l);
	if (t->n)
		sort_array(t->all, t->n, sizeof *t->all, starts_order);
	return t;
}
void object_starts_release(struct object_starts *t)
{
	if (!t)
		return;
	starts_drop(&t->eh);
	starts_drop(&t->header);
	free(t->all);
	free(t);
}

static const struct object_starts *starts_of(struct object *o)
{
	struct object_starts *t = atomic_load_explicit(&o->starts, memory_order_acquire);

	if (t)
		return t;
	pthread_mutex_lock(&o->lock);
	t = atomic_load_explicit(&o->starts, memory_order_acquire);
	if (!t) {
		t = starts_load(o);
		atomic_store_explicit(&o->starts, t, memory_order_release);
	}
	pthread_mutex_unlock(&o->lock);
	return t;
}

size_t object_n_starts(struct object *o)
{
	return starts_of(o)->n;
}

/* The i-th number of the table: of a row the start, then where its entry is. */
static uint64_t table_number(const struct object_starts *t, size_t i)
{
	const uint8_t *p = t->table + 4 * i;
	uint32_t v = t->frames.big_endian ? be32(p) : le32(p);
	uint64_t addr = t->header.addr + (uint64_t)(int64_t)(int32_t)v;

	return t->frames.is_64 ? addr : (uint32_t)addr;
}

static bool starts_by_table(const struct object_starts *t, uint64_t vaddr,
			    struct eh_frame_entry *entry)
{
	size_t at = BISECT(i, 0, t->n_rows, table_number(t, 2 * i) <= vaddr);

	return at && eh_frame_at(&t->frames, table_number(t, 2 * at - 1) - t->frames.addr, entry) &&
	       entry->lo == table_number(t, 2 * at - 2);
}

static bool starts_in_list(const struct object_starts *t, uint64_t vaddr,
			   struct eh_frame_entry *entry)
{
	size_t at = BISECT(i, 0, t->n, t->all[i].lo <= vaddr);

	if (at)
		*entry = t->all[at - 1];
	return at;
}

/* One entry describes all stubs of a PLT, which are functions of other files. */
static bool in_plt(const struct object_image *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		const struct section_header *s = &f->sections[i];

		if (s->addr <= vaddr && vaddr - s->addr < s->size &&
		    (!strncmp(s->name, ".plt", 4) || !strcmp(s->name, ".iplt")))
			return true;
	}
	return false;
}

bool object_function_number(struct object *o, uint64_t vaddr, uint64_t *number)
{
	const struct object_starts *t;
	struct eh_frame_entry entry;

	if (o->file.arch != ARCH_WASM)
		return false;
	t = starts_of(o);
	if (!starts_in_list(t, vaddr, &entry) || vaddr >= entry.hi)
		return false;
	*number = o->file.wasm_imports + BISECT(i, 0, t->n, t->all[i].lo < entry.lo);
	return true;
}

bool object_function_start(struct object *o, uint64_t vaddr, uint64_t *start)
{
	const struct object_starts *t = starts_of(o);
	struct eh_frame_entry entry;

	if (in_plt(&o->file, vaddr) ||
	    !((t->table && starts_by_table(t, vaddr, &entry) && vaddr < entry.hi) ||
	      (starts_in_list(t, vaddr, &entry) && vaddr < entry.hi)))
		return false;
	*start = entry.lo;
	return object_is_code(o, entry.lo);
}

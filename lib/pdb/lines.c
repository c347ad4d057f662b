/* SPDX-License-Identifier: MIT
 *
 * Lines of a module: parts of u32 kind, u32 length and bytes, each aligned to 4.
 *
 *	0xf2  lines: u32 offset, u16 section, u16 flags (1: columns), u32 length of the code; then for each file u32 file,
 *	      u32 rows, u32 bytes; rows of u32 offset and u32 with the line in its low 24 bits; u16 pairs of columns
 *	0xf4  files: u32 offset in /names, u8 length, u8 kind, checksum; a file is named by its offset here
 *	0xf6  functions of inlined calls: u32 1 if there are more files; u32 id, u32 file, u32 line, u32 files, u32 each
 */
#include "lib/base/bytes.h"
#include "lib/base/sort.h"
#include "lib/pdb/worker.h"

#include <stdlib.h>

enum part_kind { PART_LINES = 0xf2, PART_FILES = 0xf4, PART_INLINEES = 0xf6 };

enum {
	LINES_HEADER = 12,
	HAVE_COLUMNS = 1,
	LINE_MASK = 0xffffff,
	STEP_INTO = 0xfeefee, /* lines that are none: what a debugger is to do there */
	STEP_OVER = 0xf00f00,
};

bool pdb_next_part(const struct pdb_bytes *b, uint32_t *at, uint32_t *kind, struct pdb_bytes *part)
{
	uint32_t n;

	if (*at > b->n || b->n - *at < 8)
		return false;
	*kind = le32(b->p + *at);
	n = le32(b->p + *at + 4);
	*at += 8;
	if (n > b->n - *at)
		n = b->n - *at;
	*part = (struct pdb_bytes){b->p + *at, n};
	*at += n;
	*at = (*at + 3) & ~UINT32_C(3);
	return true;
}

/* The rows of one file, in bytes. */
struct rows {
	const uint8_t *at, *columns; /* columns NULL: it has none */
	uint32_t n, file;
	bool sorted;
};

static uint32_t row_offset(const struct rows *r, uint32_t i)
{
	return le32(r->at + 8 * (size_t)i);
}

/* The row, + 1, that holds an offset, 0: none. Of several that begin together it is the last one; but the first one has
 * their first instruction, as LLVM has it. */
static uint32_t row_of(const struct rows *r, uint32_t offset)
{
	uint32_t best = 0;

	if (r->sorted) {
		best = BISECT(i, 0, r->n, row_offset(r, i) <= offset);
		if (best && row_offset(r, best - 1) == offset)
			best = BISECT(i, 0, best, row_offset(r, i) < offset) + 1;
		return best;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t at = row_offset(r, i), now = best ? row_offset(r, best - 1) : 0;

		if (at <= offset && (!best || at > now || (at == now && at != offset)))
			best = i + 1;
	}
	return best;
}

static void use_rows(struct pdb_worker *w, const struct rows *r, size_t first, size_t end,
		     uint32_t lo, uint32_t part)
{
	for (size_t i = first; i < end; i++) {
		struct pdb_row *row = &w->q[i].row;
		uint32_t k, line, at = w->q[i].rva - lo;

		if (row->part && row->part != part)
			continue;
		budget_spend(&w->budget, r->sorted ? 1 : r->n);
		k = row_of(r, at);
		if (!k-- || (row->part && row_offset(r, k) < row->offset + (row->offset == at)))
			continue;
		line = le32(r->at + 8 * (size_t)k + 4) & LINE_MASK;
		*row = (struct pdb_row){.line = line == STEP_INTO || line == STEP_OVER ? 0 : line,
					.column = r->columns ? le16(r->columns + 4 * (size_t)k) : 0,
					.file = r->file,
					.part = part,
					.offset = row_offset(r, k)};
	}
}

static void read_lines(struct pdb_worker *w, struct pdb_bytes b, uint32_t part)
{
	size_t first, end;
	uint32_t lo, flags;

	if (b.n < LINES_HEADER || !pdb_rva(w->pdb, le16(b.p + 4), le32(b.p), &lo))
		return;
	flags = le16(b.p + 6);
	first = pdb_first(w, lo);
	end = pdb_first(w, (uint64_t)lo + le32(b.p + 8));
	if (w->places)
		pdb_add_places(w->places, lo, (uint64_t)lo + le32(b.p + 8));
	else if (first == end)
		return;
	for (uint32_t at = LINES_HEADER; b.n - at >= 12 && !w->budget.over;) {
		struct rows r = {b.p + at + 12, NULL, le32(b.p + at + 4), le32(b.p + at), true};
		uint32_t size = flags & HAVE_COLUMNS ? 12 : 8;

		if (r.n > (b.n - at - 12) / size) {
			w->why = "lines are more than what is left of their part";
			return;
		}
		if (flags & HAVE_COLUMNS)
			r.columns = r.at + 8 * (size_t)r.n;
		at += 12 + size * r.n;
		budget_spend(&w->budget, r.n / 8);
		for (uint32_t i = 0; w->places && i < r.n; i++)
			pdb_add_place(w->places, (uint64_t)lo + row_offset(&r, i));
		for (uint32_t i = 1; r.sorted && i < r.n; i++)
			r.sorted = row_offset(&r, i - 1) <= row_offset(&r, i);
		use_rows(w, &r, first, end, lo, part);
	}
}

void pdb_find_lines(struct pdb_worker *w)
{
	struct pdb_bytes part;
	uint32_t at = 0, kind, n = 0;

	w->checksums = (struct pdb_bytes){NULL, 0};
	while (!w->budget.over && pdb_next_part(&w->parts, &at, &kind, &part)) {
		n++;
		budget_spend(&w->budget, 1);
		if (kind == PART_LINES)
			read_lines(w, part, n);
		else if (kind == PART_FILES && !w->checksums.p)
			w->checksums = part;
	}
}

bool pdb_file_name(const struct pdb_worker *w, uint32_t file, uint32_t *offset)
{
	if (!w->checksums.p || file > w->checksums.n || w->checksums.n - file < 4)
		return false;
	*offset = le32(w->checksums.p + file);
	return true;
}

static void read_inlinees(struct pdb_worker *w, struct pdb_bytes b)
{
	bool more;

	if (b.n < 4)
		return;
	more = le32(b.p) == 1;
	for (uint32_t at = 4; b.n - at >= (more ? 16u : 12u);) {
		uint32_t n = more ? le32(b.p + at + 12) : 0;

		VEC_PUSH(w->inlinees, w->n_inlinees, w->cap_inlinees) =
		    (struct pdb_inlinee){le32(b.p + at), le32(b.p + at + 4), le32(b.p + at + 8)};
		at += more ? 16 : 12;
		if (n > (b.n - at) / 4)
			return;
		at += 4 * n;
	}
}

static int pdb_by_inlinee(const void *a, const void *b)
{
	const struct pdb_inlinee *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

const struct pdb_inlinee *pdb_inlinee_of(struct pdb_worker *w, uint32_t id)
{
	struct pdb_bytes part;
	uint32_t at = 0, kind;
	size_t i;

	if (!w->inlinees_read) {
		w->n_inlinees = 0;
		while (!budget_spend(&w->budget, 1) && pdb_next_part(&w->parts, &at, &kind, &part))
			if (kind == PART_INLINEES)
				read_inlinees(w, part);
		sort_stable(w->inlinees, w->n_inlinees, sizeof *w->inlinees, pdb_by_inlinee);
		w->inlinees_read = true;
	}
	i = BISECT(k, 0, w->n_inlinees, w->inlinees[k].id < id);
	return i < w->n_inlinees && w->inlinees[i].id == id ? &w->inlinees[i] : NULL;
}

/* SPDX-License-Identifier: MIT
 *
 * Line tables in the reference engine: the row in force at an address, and paths of files.
 */
#include "lib/dwarf/reference/reference.h"

#include "lib/base/cursor.h"

#include <string.h>

void unit_match_rows(const struct reference_unit *u, const uint64_t *addrs, const uint32_t *query,
		     size_t n, uint32_t *row)
{
	bool search = true, removed = false; /* removed: see lib/dwarf/fast/line.c */
	size_t q = 0;

	for (size_t i = 0; i < n; i++)
		row[i] = UNIT_NO_ROW;
	/* A row's stretch ends where the next row begins. After a step backwards (a second
	 * set_address) the end is not known, and the row gets no stretch. */
	for (size_t i = 0; i + 1 < u->n_rows; i++) {
		uint64_t lo = u->rows[i].addr, hi = u->rows[i + 1].addr;

		removed = (removed && !(i && u->rows[i - 1].end)) || lo == UINT64_MAX;
		if (removed || u->rows[i].end || lo >= hi) {
			search |= removed || u->rows[i].end || lo > hi;
			continue;
		}
		if (search)
			q = unit_first_at_least(addrs, query, n, lo);
		search = false;
		while (q < n && addrs[query[q]] < lo)
			q++;
		for (; q < n && addrs[query[q]] < hi; q++) {
			if (row[q] == UNIT_NO_ROW || u->rows[row[q]].addr < lo)
				row[q] = (uint32_t)i;
		}
	}
}

/* The state of a walk that only counts rows: DWARF 5, sections 6.2.4 and 6.2.5. */
struct line_walk {
	struct cursor c;
	uint8_t lengths[256]; /* operands of the standard opcodes */
	uint8_t opcode_base;
};

static bool reference_line_walk_init(struct line_walk *w, const uint8_t *p, size_t n,
				     bool big_endian, struct err *e)
{
	uint64_t length, header;
	bool wide;

	cursor_init(&w->c, p, n, 0, e);
	w->c.big_endian = big_endian;
	length = cursor_u32(&w->c);
	wide = length == UINT32_MAX;
	if (wide)
		length = cursor_u64(&w->c);
	if (length < cursor_window(&w->c))
		w->c.end = w->c.pos + length;
	if (cursor_u16(&w->c) != 5)
		return false;
	cursor_u16(&w->c); /* address and segment selector size */
	header = wide ? cursor_u64(&w->c) : cursor_u32(&w->c);
	if (header > cursor_window(&w->c))
		return false;
	p = w->c.pos + header;
	cursor_skip(&w->c, 5, "line table");
	w->opcode_base = cursor_u8(&w->c);
	for (size_t i = 1; i < w->opcode_base; i++)
		w->lengths[i] = cursor_u8(&w->c);
	if (cursor_failed(&w->c))
		return false;
	w->c.pos = p;
	return true;
}

void unit_fix_default_file(struct reference_unit *u, const uint8_t *p, size_t n, bool big_endian)
{
	enum { END_SEQUENCE = 1, COPY = 1, FIXED_ADVANCE = 9, SET_FILE = 4 };
	struct err e = ERR_INIT;
	struct line_walk w = {0};
	bool set = false;
	size_t row = 0;

	if (!reference_line_walk_init(&w, p, n, big_endian, &e))
		return;
	while (!cursor_done(&w.c) && row < u->n_rows) {
		uint8_t op = cursor_u8(&w.c);
		bool emits = op >= w.opcode_base || op == COPY, ends = false;

		if (op == 0) {
			uint64_t len = cursor_uleb(&w.c);

			if (len) {
				emits = ends = cursor_u8(&w.c) == END_SEQUENCE;
				cursor_skip(&w.c, len - 1, "line table");
			}
		} else if (op < w.opcode_base && op == FIXED_ADVANCE) {
			cursor_u16(&w.c);
		} else if (op < w.opcode_base) {
			set |= op == SET_FILE;
			for (size_t i = 0; i < w.lengths[op]; i++)
				cursor_uleb(&w.c);
		}
		if (!emits || cursor_failed(&w.c))
			continue;
		if (!set && !u->rows[row].file)
			u->rows[row].file = 1;
		row++;
		if (ends)
			set = false;
	}
}

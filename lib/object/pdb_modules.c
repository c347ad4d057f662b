/* SPDX-License-Identifier: MIT
 *
 * The modules of a PDB, which are the object files that were linked, and their functions: records of u16 length (without
 * itself) and u16 kind, of which one with parts has the offset of the record that ends it. Static functions are only
 * here: the public symbols have none. To read all of them is to read most of a PDB, so that only who lists functions
 * does.
 */
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"
#include "lib/object/pdb.h"

#include <stdlib.h>
#include <string.h>

const uint8_t *pdb_modules(const struct pdb_file *p, struct msf_room *room)
{
	bool stays;

	return p->modules.size
		   ? msf_bytes(p->msf, PDB_DBI_STREAM, p->modules.at, p->modules.size, room, &stays)
		   : NULL;
}

bool pdb_next_module(struct cursor *c, struct pdb_module *m)
{
	size_t n;

	if (cursor_done(c))
		return false;
	cursor_skip(c, 34, "module");
	m->stream = cursor_u16(c);
	m->symbols = cursor_u32(c);
	m->old_lines = cursor_u32(c);
	m->parts = cursor_u32(c);
	cursor_skip(c, 16, "module");
	m->name = cursor_cstr(c, &m->n);
	cursor_cstr(c, &n);
	if (cursor_failed(c))
		return false;
	n = -cursor_offset(c) & 3;
	cursor_skip(c, n < cursor_window(c) ? n : cursor_window(c), "module");
	return true;
}

/* Of the parts behind a module's symbols (lib/pdb/lines.c): whether one of them is of lines. */
static bool parts_have_lines(const uint8_t *b, uint32_t n)
{
	enum { PART_LINES = 0xf2, PART_HEADER = 8 };
	uint32_t at = 0;

	while (n - at >= PART_HEADER) {
		uint32_t kind = le32(b + at), size = le32(b + at + 4);

		if (kind == PART_LINES && size)
			return true;
		size = (size + 3) & ~UINT32_C(3);
		if (size > n - at - PART_HEADER)
			return false;
		at += PART_HEADER + size;
	}
	return false;
}

bool pdb_has_lines(const struct pdb_file *p)
{
	struct msf_room list = {.cap = 0}, room = {.cap = 0};
	struct err e = ERR_INIT;
	const uint8_t *modules = pdb_modules(p, &list);
	struct pdb_module m;
	struct cursor c;
	bool has = false;

	cursor_init(&c, modules, modules ? p->modules.size : 0, 0, &e);
	while (!has && pdb_next_module(&c, &m)) {
		const uint64_t at = (uint64_t)m.symbols + m.old_lines;
		const uint8_t *b = m.parts && m.stream != MSF_NO_STREAM
				       ? msf_copy(p->msf, m.stream, at, m.parts, &room)
				       : NULL;

		has = b && parts_have_lines(b, m.parts);
	}
	msf_room_release(&list);
	msf_room_release(&room);
	return has;
}

bool pdb_read_head(uint32_t kind, const uint8_t *record, uint32_t n, struct pdb_head *out)
{
	uint32_t head = 35;
	const uint8_t *nul;

	switch (kind) {
	case S_THUNK32: head = 21; break;
	case S_LPROC32:
	case S_GPROC32:
	case S_LPROC32_ID:
	case S_GPROC32_ID:
	case S_LPROC32_DPC:
	case S_LPROC32_DPC_ID: break;
	default: return false;
	}
	if (n < head)
		return false;
	*out = (struct pdb_head){.name = (const char *)record + head};
	if (kind == S_THUNK32) {
		out->offset = le32(record + 12);
		out->section = le16(record + 16);
		out->size = le16(record + 18);
	} else {
		out->size = le32(record + 12);
		out->offset = le32(record + 28);
		out->section = le16(record + 32);
	}
	nul = memchr(record + head, 0, n - head);
	out->n = nul ? (uint32_t)(nul - record) - head : 0;
	return true;
}

/* Appends a name and its NUL. False: the allowance has no more. */
static bool keep_text(struct pdb_functions *to, const struct pdb_head *h, uint64_t *at)
{
	const uint64_t need = to->n_texts + h->n + 1, cap = mem_budget_size(to->texts);
	char *more = need > cap ? mem_budget_grow(to->texts, need + need / 2) : to->texts;

	if (!more)
		return false;
	to->texts = more;
	*at = to->n_texts;
	memcpy(more + to->n_texts, h->name, h->n);
	more[need - 1] = '\0';
	to->n_texts = need;
	return true;
}

void pdb_add_function(const struct pdb_file *p, const struct pdb_head *h, struct pdb_functions *to)
{
	struct pdb_function f = {.size = h->size};

	if (!h->n || !h->size || !pdb_rva(p, h->section, h->offset, &f.rva) ||
	    h->size > UINT32_MAX - f.rva)
		return;
	if (!keep_text(to, h, &f.name))
		to->why = "need more memory than available";
	else
		VEC_PUSH(to->all, to->n, to->cap) = f;
}

/* The functions among n bytes of symbols. */
static void read_module(const struct pdb_file *p, const uint8_t *symbols, uint32_t n,
			struct pdb_functions *to)
{
	uint32_t at = 4, size;

	if (n < 4 || le32(symbols) != PDB_SIGNATURE)
		to->why = "unknown kind of symbols";
	for (; !to->why && n > 4 && n - at >= 4; at += 2 + size) {
		struct pdb_head h;

		size = le16(symbols + at);
		if (size < 2 || size > n - at - 2) {
			to->why = "a symbol is longer than what is left of its module";
			return;
		}
		if (pdb_read_head(le16(symbols + at + 2), symbols + at + 4, size - 2, &h))
			pdb_add_function(p, &h, to);
	}
}

void pdb_order_functions(struct pdb_functions *f)
{
	struct sort_item *items;
	struct pdb_function *sorted;
	size_t kept = 0;

	if (!f->n)
		return;
	items = pages_array(f->n, sizeof *items);
	sorted = mem_array(f->n, sizeof *sorted);

	for (size_t i = 0; i < f->n; i++)
		items[i] = (struct sort_item){f->all[i].rva, (uint32_t)i};
	sort_radix(items, f->n);
	for (size_t i = 0; i < f->n; i++)
		if (!kept || sorted[kept - 1].rva != items[i].key)
			sorted[kept++] = f->all[items[i].index];
	free(items);
	free(f->all);
	f->all = sorted;
	f->n = kept;
}

void pdb_read_functions(const struct pdb_file *p, struct pdb_functions *out)
{
	struct msf_room list = {.cap = 0}, room = {.cap = 0};
	struct err e = ERR_INIT;
	const uint8_t *modules = pdb_modules(p, &list);
	struct pdb_module m;
	struct cursor c;

	*out = (struct pdb_functions){.n = 0};
	cursor_init(&c, modules, modules ? p->modules.size : 0, 0, &e);
	while (pdb_next_module(&c, &m) && out->n < UINT32_MAX) {
		const uint8_t *b = m.symbols && m.stream != MSF_NO_STREAM
				       ? msf_copy(p->msf, m.stream, 0, m.symbols, &room)
				       : NULL;

		if (b)
			read_module(p, b, m.symbols, out);
		else if (m.symbols)
			out->why = "a module's symbols cannot be read";
	}
	if (cursor_failed(&c))
		out->why = "the list of modules is broken";
	msf_room_release(&list);
	msf_room_release(&room);
	pdb_order_functions(out);
}

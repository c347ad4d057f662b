/* SPDX-License-Identifier: MIT
 *
 * Link-time code generation (/LTCG) leaves the functions of inlined calls to the module that had their types. Such an id
 * has its highest bit set; the next 11 bits say which one of the modules that are imported from, the last 20 which one
 * of the numbers from there. Parts of a module (lines.c):
 *
 *	0xf7  imports: for each module u32 offset in /names of its name, u32 numbers, u32 each, as that module has it
 *	0xf8  exports: pairs of u32 such a number, u32 number in the stream of ids or types
 */
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/pdb/worker.h"

#include <strings.h>

enum { PART_IMPORTS = 0xf7, PART_EXPORTS = 0xf8, NUMBER_BITS = 20, MODULES_MASK = 0x7ff };

static bool find_import(struct pdb_worker *w, uint32_t id, uint32_t *name, uint32_t *number)
{
	uint32_t module = id >> NUMBER_BITS & MODULES_MASK, i = id & ((1 << NUMBER_BITS) - 1),
		 at = 0, kind;
	struct pdb_bytes b;

	while (!budget_spend(&w->budget, 1) && pdb_next_part(&w->parts, &at, &kind, &b)) {
		uint32_t n;

		if (kind != PART_IMPORTS)
			continue;
		for (; b.n >= 8; b = (struct pdb_bytes){b.p + 8 + 4 * n, b.n - 8 - 4 * n}) {
			n = le32(b.p + 4);
			if (n > (b.n - 8) / 4)
				return false;
			if (module--)
				continue;
			*name = le32(b.p);
			*number = i < n ? le32(b.p + 8 + 4 * (size_t)i) : 0;
			return i < n;
		}
	}
	return false;
}

/* The module of a name, which w->scratch may hold. Linkers write paths in /names in small letters. */
static bool find_module(struct pdb_worker *w, const char *name, size_t n, struct pdb_module *m)
{
	struct msf_room room = {.cap = 0};
	struct err ignored = ERR_INIT;
	struct cursor c;
	bool found = false;
	const uint8_t *p = pdb_modules(w->pdb, &room);

	cursor_init(&c, p, p ? w->pdb->modules.size : 0, 0, &ignored);
	while (!found && !budget_spend(&w->budget, 1) && pdb_next_module(&c, m))
		found = m->n == n && !strncasecmp(m->name, name, n);
	msf_room_release(&room);
	return found;
}

/* Where its exports are. */
static void find_exports(struct pdb_worker *w, const struct pdb_module *m, struct pdb_exporter *x)
{
	uint64_t at = (uint64_t)m->symbols + m->old_lines, end = at + m->parts;
	const uint8_t *h;
	bool stays;

	while (!budget_spend(&w->budget, 1) && at + 8 <= end) {
		uint32_t n;

		h = msf_bytes(w->pdb->msf, m->stream, at, 8, &w->scratch, &stays);
		if (!h)
			return;
		n = le32(h + 4);
		at += 8;
		if (le32(h) == PART_EXPORTS && n <= end - at) {
			*x = (struct pdb_exporter){x->name, m->stream, (uint32_t)at, n};
			return;
		}
		at += ((uint64_t)n + 3) & ~UINT64_C(3);
	}
}

static const struct pdb_exporter *exporter_of(struct pdb_worker *w, uint32_t name)
{
	struct pdb_exporter x = {.name = name};
	struct pdb_module m;
	const char *text;
	bool stays;
	size_t n;

	for (size_t i = 0; i < w->n_exporters; i++)
		if (w->exporters[i].name == name)
			return &w->exporters[i];
	text = pdb_text_at(w, name, &n, &stays);
	if (text && find_module(w, text, n, &m))
		find_exports(w, &m, &x);
	VEC_PUSH(w->exporters, w->n_exporters, w->cap_exporters) = x;
	return &w->exporters[w->n_exporters - 1];
}

uint32_t pdb_cross_id(struct pdb_worker *w, uint32_t id)
{
	const struct pdb_exporter *x;
	uint32_t name, number;
	const uint8_t *b;
	bool stays;

	if (!find_import(w, id, &name, &number))
		return 0;
	x = exporter_of(w, name);
	b = x->n ? msf_bytes(w->pdb->msf, x->stream, x->at, x->n, &w->scratch, &stays) : NULL;
	for (uint32_t i = 0; b && i + 8 <= x->n && !budget_spend(&w->budget, 1); i += 8)
		if (le32(b + i) == number)
			return le32(b + i + 4);
	return 0;
}

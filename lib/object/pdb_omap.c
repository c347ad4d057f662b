/* SPDX-License-Identifier: MIT
 *
 * OMAP: where the code of a program was before a tool moved it about that works on linked files (Microsoft's BBT, Syzygy).
 * The PDB describes the program as it was. Facts: Microsoft's DbgHelp ("OMAP structure"), breakpad's omap.cc:
 *
 *	OMAPTO  pairs of u32 RVA, ascending, and u32 RVA as it was; a pair holds up to the next one. 0, or all bits: its
 *	        code is the tool's own
 *
 * OMAPFROM, the same the other way, is not read. The section headers are those of the program as it was, also where the PDB
 * has no list for them alone.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem_budget.h"
#include "lib/base/sort.h"
#include "lib/object/pdb.h"
#include "lib/object/pe.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	PAIR = 8,
	PIECES_PER_ENTRY =
	    8, /* at most: pairs that say the same of all code would have each symbol each */
};

enum status pdb_read_omap(struct pdb_file *p, uint32_t stream, struct err *e)
{
	const uint32_t n = msf_size(p->msf, stream) / PAIR;
	struct msf_room room = {.cap = 0};
	uint32_t before = 0;

	if (!n)
		return ST_OK;
	if (!msf_copy(p->msf, stream, 0, (uint64_t)n * PAIR, &room)) {
		msf_room_release(&room);
		return err_set(e, ST_BAD, "PDB: stream %" PRIu32 ": its OMAP cannot be read",
			       stream);
	}
	p->omap = room.p;
	p->n_omap = n;
	for (uint32_t i = 0; i < n; before = le32(p->omap + (size_t)PAIR * i++))
		if (le32(p->omap + (size_t)PAIR * i) < before)
			return err_set(e, ST_BAD,
				       "PDB: stream %" PRIu32
				       ": its OMAP does not ascend at %" PRIu32,
				       stream, PAIR * i);
	return ST_OK;
}

/* The section, from 0 on, that an RVA was in; n_sections: none. */
static uint32_t section_of(const struct pdb_file *p, uint32_t origin)
{
	uint32_t i = 0;

	while (i < p->n_sections &&
	       (origin < p->sections[i].rva || origin - p->sections[i].rva >= p->sections[i].size))
		i++;
	return i;
}

static bool piece_at(const struct pdb_file *p, uint32_t i, struct pdb_piece *out, uint32_t *section)
{
	const uint8_t *b = p->omap + (size_t)PAIR * i;
	const struct pdb_section *s;

	*out = (struct pdb_piece){.lo = le32(b), .origin = le32(b + 4)};
	*section =
	    out->origin && out->origin != UINT32_MAX ? section_of(p, out->origin) : p->n_sections;
	if (*section == p->n_sections)
		return false;
	s = &p->sections[*section];
	out->hi = s->size - (out->origin - s->rva); /* bytes up to its end */
	if (out->hi > UINT32_MAX - out->lo)
		out->hi = UINT32_MAX - out->lo;
	out->hi += out->lo;
	if (i + 1 < p->n_omap && le32(b + PAIR) < out->hi)
		out->hi = le32(b + PAIR);
	return out->lo < out->hi;
}

bool pdb_piece_at(const struct pdb_file *p, uint32_t i, struct pdb_piece *out)
{
	uint32_t section;

	return piece_at(p, i, out, &section);
}

bool pdb_origin(const struct pdb_file *p, uint32_t rva, uint32_t *origin)
{
	struct pdb_piece x;
	uint32_t section, i;

	*origin = rva;
	if (!p->n_omap)
		return true;
	i = (uint32_t)BISECT(k, 0, p->n_omap, le32(p->omap + PAIR * k) <= rva);
	if (!i || !piece_at(p, i - 1, &x, &section) || rva >= x.hi)
		return false;
	*origin = x.origin + (rva - x.lo);
	return true;
}

void pdb_map_segments(const struct pdb_file *p, struct object_segment *segments, size_t *n)
{
	uint64_t *lo = mem_array(p->n_sections, sizeof *lo),
		 *hi = mem_zarray(p->n_sections, sizeof *hi);
	struct pdb_piece x;
	uint32_t s;

	for (s = 0; s < p->n_sections; s++)
		lo[s] = UINT32_MAX;
	for (uint32_t i = 0; i < p->n_omap; i++)
		if (piece_at(p, i, &x, &s)) {
			lo[s] = x.lo < lo[s] ? x.lo : lo[s];
			hi[s] = x.hi;
		}
	for (*n = s = 0; s < p->n_sections; s++)
		if (lo[s] < hi[s])
			segments[(*n)++] =
			    (struct object_segment){.vaddr = lo[s],
						    .memsz = hi[s] - lo[s],
						    .align = 1,
						    .executable = p->sections[s].code};
	free(lo);
	free(hi);
}

/* What of the symbols, sorted by where they were, is in a piece. Of those that began at one address the first one has the
 * rest of its function, too. before: the last one that was added. */
static void add_piece(struct symtab *s, struct symtab_loading *l, const struct symtab *was,
		      const struct pdb_piece *x, uint64_t base, struct object_symbol *before)
{
	const struct object_symbol *all = was->all;
	const uint64_t end = (uint64_t)x->origin + (x->hi - x->lo),
		       moved = base + x->lo - x->origin;
	size_t i = BISECT(k, 0, was->n, all[k].lo <= x->origin);

	if (i) {
		const uint64_t first = all[i - 1].lo;

		i = BISECT(k, 0, i, all[k].lo < first);
	}
	for (; i < was->n && all[i].lo < end && s->n < SYMBOL_NONE - 1; i++) {
		struct object_symbol part = all[i];

		if (part.hi <= x->origin || (part.lo < x->origin && i && all[i - 1].lo == part.lo))
			continue;
		part.hi = moved + (part.hi < end ? part.hi : end);
		if (part.lo < x->origin && before->hi == base + x->lo &&
		    before->name == part.name) {
			before->hi = s->all[s->n - 1].hi = l->ends[s->n - 1] = part.hi;
			continue;
		}
		part.rest = part.lo < x->origin;
		part.lo = moved + (part.rest ? x->origin : part.lo);
		part.index = (uint32_t)s->n;
		symtab_add(s, l, part, 0, part.hi);
		*before = part;
	}
}

void pdb_add_moved(struct symtab *s, struct symtab_loading *l, const struct pdb_file *p,
		   const struct symtab *was, uint64_t base)
{
	const uint64_t most = PIECES_PER_ENTRY * ((uint64_t)was->n + p->n_omap);
	struct object_symbol before = {.name = NULL};
	struct err e = ERR_INIT;
	struct pdb_piece x;
	uint32_t section;

	for (uint32_t i = 0; i < p->n_omap && s->n < most; i++)
		if (piece_at(p, i, &x, &section))
			add_piece(s, l, was, &x, base, &before);
	if (s->n < most || !most)
		return;
	s->n = l->n_ranks = l->n_ends = 0;
	err_set(&e, ST_LIMIT, "PDB: its OMAP has more pieces of symbols than %" PRIu64, most);
	symtab_leave_out(s, NULL, &e);
}

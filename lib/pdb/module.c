/* SPDX-License-Identifier: MIT
 *
 * Symbols of a module: records of u16 length (without itself) and u16 kind. What has parts holds the offset of the
 * record that ends it, by which what holds no address is stepped over: an end that does not lie behind its beginning is
 * not followed.
 *
 * An inlined call is S_INLINESITE: u32 parent, u32 end, u32 function's id, annotations: numbers of 1, 2 or 4 bytes
 * (high bits 0, 10, 110), the first of each its kind. They describe rows of a line table: code from an offset in the
 * procedure on, its line after the function's first one, and its file.
 */
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/pdb/worker.h"

#include <string.h>

enum annotation {
	ANNOTATION_END,
	CODE_OFFSET,
	CODE_BASE,
	CHANGE_OFFSET,
	CHANGE_LENGTH,
	CHANGE_FILE,
	CHANGE_LINE,
	CHANGE_LINE_END,
	CHANGE_KIND,
	CHANGE_COLUMN,
	CHANGE_COLUMN_END_BY,
	CHANGE_OFFSET_AND_LINE,
	CHANGE_LENGTH_AND_OFFSET,
	CHANGE_COLUMN_END,
};

struct symbol {
	uint32_t kind, at, next; /* offsets in the symbols */
	struct pdb_bytes data;
};

/* False: the symbols end, or are broken (w->why). */
static bool next_symbol(struct pdb_worker *w, uint32_t at, struct symbol *s)
{
	const struct pdb_bytes *b = &w->symbols;
	uint32_t n;

	if (at >= b->n || b->n - at < 4)
		return false;
	n = le16(b->p + at);
	if (n < 2 || n > b->n - at - 2) {
		w->why = "a symbol is longer than what is left of its module";
		return false;
	}
	*s = (struct symbol){le16(b->p + at + 2), at, at + 2 + n, {b->p + at + 4, n - 2}};
	return true;
}

/* Where to go on behind the parts of a symbol, of which the second number is their end. */
static uint32_t pdb_symbol_end(const struct pdb_worker *w, const struct symbol *s)
{
	uint32_t end = s->data.n >= 8 ? le32(s->data.p + 4) : 0;

	return end >= s->next && end < w->symbols.n ? end : s->next;
}

static bool read_number(struct pdb_bytes *b, uint32_t *v)
{
	const uint8_t *p = b->p;
	uint32_t n;

	if (!b->n)
		return false;
	n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 2 : 4;
	if (n > b->n || p[0] >= 0xe0)
		return false;
	*v = n == 1   ? p[0]
	     : n == 2 ? (p[0] & 0x3fu) << 8 | p[1]
		      : (p[0] & 0x1fu) << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	b->p += n;
	b->n -= n;
	return true;
}

static int32_t with_sign(uint32_t v)
{
	return v & 1 ? -(int32_t)(v >> 1) : (int32_t)(v >> 1);
}

/* A row of a site under way. */
struct walk {
	struct pdb_worker *w;
	const struct pdb_proc *proc;
	size_t end;     /* of the addresses of the procedure, which is the last of w->procs */
	uint32_t outer; /* number + 1 of the site around it; 0: none */
	uint32_t site;  /* its number */
	bool open;      /* a row is */
	uint32_t from;  /* where it begins */
	uint32_t file, row_file;
	uint32_t line, row_line; /* modulo 2^32 */
	bool held;               /* an address */
};

static uint32_t site_of(const struct pdb_worker *w, uint32_t hit)
{
	return hit ? w->hits[hit - 1].site + 1 : 0;
}

/* The row ends before the offset to. */
static void close_row(struct walk *k, uint32_t to)
{
	struct pdb_worker *w = k->w;
	uint64_t lo = (uint64_t)k->proc->rva + k->from, hi = (uint64_t)k->proc->rva + to;

	if (!k->open || to <= k->from)
		return;
	if (w->places) {
		pdb_add_places(w->places, lo, hi);
		k->held = true;
		return;
	}
	for (size_t i = pdb_first(w, lo); i < k->end && w->q[i].rva < hi; i++) {
		struct pdb_queried *q = &w->q[i];
		uint32_t depth = q->hit ? w->hits[q->hit - 1].depth + 1 : 0;

		/* Of two procedures that overlap the first one has an address, and its sites alone. */
		if (q->proc != w->n_procs || site_of(w, q->hit) != k->outer || depth >= PDB_NESTING)
			continue;
		VEC_PUSH(w->hits, w->n_hits, w->cap_hits) =
		    (struct pdb_hit){q->hit, k->site, k->row_file, (int32_t)k->row_line, depth};
		q->hit = (uint32_t)w->n_hits;
		k->held = true;
		budget_spend(&w->budget, 16);
	}
}

static void open_row(struct walk *k, uint32_t from)
{
	k->open = true;
	k->from = from;
	k->row_line = k->line;
	k->row_file = k->file;
}

static void walk_annotations(struct walk *k, struct pdb_bytes b)
{
	uint32_t kind, v, more, at = 0, base = 0;

	while (read_number(&b, &kind) && kind != ANNOTATION_END && read_number(&b, &v)) {
		budget_spend(&k->w->budget, 1);
		switch (kind) {
		case CODE_OFFSET: at = v; continue;
		case CODE_BASE: base = v; continue;
		case CHANGE_OFFSET:
			at += v;
			close_row(k, base + at);
			open_row(k, base + at);
			continue;
		case CHANGE_LENGTH:
			at += v;
			close_row(k, base + at);
			k->open = false;
			continue;
		case CHANGE_FILE: k->file = v; continue;
		case CHANGE_LINE: k->line += (uint32_t)with_sign(v); continue;
		case CHANGE_OFFSET_AND_LINE:
			at += v & 15;
			k->line += (uint32_t)with_sign(v >> 4);
			close_row(k, base + at);
			open_row(k, base + at);
			continue;
		case CHANGE_LENGTH_AND_OFFSET:
			if (!read_number(&b, &more))
				return;
			at += more;
			close_row(k, base + at);
			open_row(k, base + at);
			close_row(k, base + at + v);
			k->open = false;
			continue;
		default: continue;
		}
	}
}

/* The sites that the present symbol lies in. */
struct open_site {
	uint32_t site, end;
};

static void find_sites(struct pdb_worker *w, const struct pdb_proc *proc, size_t n, uint32_t at,
		       uint32_t end)
{
	struct open_site open[PDB_NESTING];
	size_t depth = 0;
	uint32_t passed =
	    0; /* the end of a site without addresses: sites before that have none, too */
	struct symbol s;

	while (at < end && !w->budget.over && next_symbol(w, at, &s)) {
		uint32_t head = s.kind == S_INLINESITE2 ? 16 : 12;
		struct walk k = {.w = w, .proc = proc, .end = n};

		budget_spend(&w->budget, 1);
		at = s.next;
		while (depth && s.at >= open[depth - 1].end)
			depth--;
		if ((s.kind != S_INLINESITE && s.kind != S_INLINESITE2) || s.data.n < head ||
		    s.at < passed)
			continue;
		k.outer = depth ? open[depth - 1].site + 1 : 0;
		k.site = (uint32_t)w->n_sites;
		k.file = PDB_NO_FILE;
		walk_annotations(&k, (struct pdb_bytes){s.data.p + head, s.data.n - head});
		if (!k.held) { /* where a record begins must not depend on what is asked: its end may be damaged */
			passed = pdb_symbol_end(w, &s);
			continue;
		}
		VEC_PUSH(w->sites, w->n_sites, w->cap_sites) =
		    (struct pdb_site){.inlinee = le32(s.data.p + 8)};
		if (depth < PDB_NESTING)
			open[depth++] = (struct open_site){k.site, pdb_symbol_end(w, &s)};
	}
}

/* What the three kinds say of code, and where they say it. */
static bool read_proc(const struct symbol *s, struct pdb_proc *p)
{
	struct pdb_head h;

	if (!pdb_read_head(s->kind, s->data.p, s->data.n, &h))
		return false;
	*p = (struct pdb_proc){
	    .size = h.size, .section = h.section, .offset = h.offset, .name = h.name, .n = h.n};
	return true;
}

/* The addresses in it that no earlier one has: true if there are any. */
static bool take_addresses(struct pdb_worker *w, const struct pdb_proc *p, size_t *first, size_t *n)
{
	const uint64_t end = (uint64_t)p->rva + p->size;
	bool any = w->places;

	if (w->places)
		pdb_add_places(w->places, p->rva, end);
	*first = *n = pdb_first(w, p->rva);
	for (; *n < w->n && w->q[*n].rva < end; ++*n) {
		if (w->q[*n].proc)
			continue;
		w->q[*n].proc = (uint32_t)w->n_procs + 1;
		any = true;
	}
	*n -= *first;
	return any;
}

/* S_SEPCODE: u32 parent, end, length, flags, offset, parent's offset; u16 section, parent's section. The procedure that
 * it is of comes before it, and is looked up by its address. */
static bool find_parent(struct pdb_worker *w, const struct symbol *part, struct pdb_proc *p)
{
	uint32_t section = le16(part->data.p + 26), offset = le32(part->data.p + 20);
	struct pdb_proc parent;
	struct symbol s;

	for (uint32_t at = 4; at < part->at && !w->budget.over && next_symbol(w, at, &s);) {
		budget_spend(&w->budget, 1);
		at = s.next;
		if (!read_proc(&s, &parent))
			continue;
		if (parent.section == section && offset >= parent.offset &&
		    offset - parent.offset < parent.size) {
			p->name = parent.name;
			p->n = parent.n;
			p->section = parent.section;
			p->offset = parent.offset;
			return true;
		}
		at = pdb_symbol_end(w, &s);
	}
	return false;
}

static void find_apart(struct pdb_worker *w, const struct symbol *s)
{
	struct pdb_proc p = {.size = le32(s->data.p + 8)};
	size_t first, n;

	if (pdb_rva(w->pdb, le16(s->data.p + 24), le32(s->data.p + 16), &p.rva) &&
	    find_parent(w, s, &p) && take_addresses(w, &p, &first, &n))
		VEC_PUSH(w->procs, w->n_procs, w->cap_procs) = p;
}

void pdb_find_procs(struct pdb_worker *w)
{
	struct pdb_proc p;
	struct symbol s;
	size_t first, n;

	for (uint32_t at = 4; !w->budget.over && next_symbol(w, at, &s);) {
		budget_spend(&w->budget, 1);
		at = s.next;
		if (s.kind == S_SEPCODE && s.data.n >= 28)
			find_apart(w, &s);
		w->managed |= s.kind == S_GMANPROC || s.kind == S_LMANPROC;
		if (!read_proc(&s, &p))
			continue;
		at = pdb_symbol_end(w, &s);
		if (!pdb_rva(w->pdb, p.section, p.offset, &p.rva) ||
		    !take_addresses(w, &p, &first, &n))
			continue;
		VEC_PUSH(w->procs, w->n_procs, w->cap_procs) = p;
		if (s.kind != S_THUNK32)
			find_sites(w, &p, first + n, s.next, at);
	}
}

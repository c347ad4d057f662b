/* SPDX-License-Identifier: MIT
 *
 * Names. A procedure's is that of the public symbol at its start, which is its linkage name, else its own. The function
 * of an inlined call has an id in the stream of ids, and that a name, and a scope or a class:
 *
 *	stream    u32 version, u32 bytes of the header, u32 first number, u32 behind the last, u32 bytes of records, u16
 *	          stream with an index, ...; the index has pairs of a number and the offset of its record, each some
 *	          kilobytes after the one before
 *	record    u16 length (without itself), u16 kind: LF_FUNC_ID (u32 scope, u32 type, name), LF_MFUNC_ID (u32 class, u32
 *	          type, name), LF_STRING_ID (u32, text), LF_CLASS and its like (name behind a number of its own form)
 */
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/sort.h"
#include "lib/pdb/worker.h"

#include <string.h>

enum type_kind {
	LF_CLASS = 0x1504,
	LF_STRUCTURE = 0x1505,
	LF_UNION = 0x1506,
	LF_ENUM = 0x1507,
	LF_INTERFACE = 0x1519,
	LF_FUNC_ID = 0x1601,
	LF_MFUNC_ID = 0x1602,
	LF_STRING_ID = 0x1605,
	LF_CLASS2 =
	    0x1608, /* of compilers since 2019: more flags, and the number of members has a form of its own, too */
	LF_STRUCTURE2 = 0x1609,
	LF_UNION2 = 0x160a,
	LF_INTERFACE2 = 0x160b,
};

enum {
	TYPES_HEADER = 56,
	TEXT_MOST = 1 << 16,
	TEXT_FIRST = 256,
	NEAR = 1 << 14,     /* bytes of records that are looked at at once */
	FOLDED_MOST = 1024, /* public symbols at one place */
};

void pdb_types_open(struct pdb_types *t, const struct pdb_file *p, uint32_t stream)
{
	struct msf_room room = {.cap = 0};
	const uint32_t size = msf_size(p->msf, stream);
	bool stays;
	const uint8_t *h = msf_bytes(p->msf, stream, 0, TYPES_HEADER, &room, &stays);

	*t = (struct pdb_types){.stream = stream};
	if (h && le32(h + 4) >= TYPES_HEADER && le32(h + 4) <= size) {
		t->at = le32(h + 4);
		t->begin = le32(h + 8);
		t->end = le32(h + 12);
		t->to = le32(h + 16) < size - t->at ? t->at + le32(h + 16) : size;
		t->index_stream = le16(h + 20);
		t->index_at = le32(h + 40);
		t->n_index = le32(h + 44) / 8;
		if (t->index_at > msf_size(p->msf, t->index_stream) ||
		    t->n_index > (msf_size(p->msf, t->index_stream) - t->index_at) / 8)
			t->n_index = 0;
	}
	msf_room_release(&room);
}

static bool index_at(struct pdb_worker *w, const struct pdb_types *t, uint32_t i, uint32_t *number,
		     uint32_t *at)
{
	bool stays;
	const uint8_t *b = msf_bytes(w->pdb->msf, t->index_stream, t->index_at + 8 * (uint64_t)i, 8,
				     &w->scratch, &stays);

	*number = b ? le32(b) : UINT32_MAX;
	*at = b ? le32(b + 4) : 0;
	return b;
}

/* The last pair of the index that is not behind a number: its number, and where its records begin and end in the stream.
 * Without one, all records. */
static uint32_t records_near(struct pdb_worker *w, const struct pdb_types *t, uint32_t number,
			     uint64_t *at, uint64_t *end)
{
	uint32_t lo = 0, hi = t->n_index, from, offset;

	*at = t->at;
	*end = t->to;
	while (lo < hi) {
		uint32_t i = lo + (hi - lo) / 2;

		if (index_at(w, t, i, &from, &offset) && from <= number)
			lo = i + 1;
		else
			hi = i;
	}
	if (lo < t->n_index && index_at(w, t, lo, &from, &offset) &&
	    (uint64_t)t->at + offset < t->to)
		*end = (uint64_t)t->at + offset;
	if (!lo || !index_at(w, t, lo - 1, &from, &offset) || from < t->begin || from > number)
		return t->begin;
	*at += offset;
	return from;
}

/* The record of a number, from its kind on, in w->scratch or the file. False: there is none. */
static bool find_record(struct pdb_worker *w, const struct pdb_types *t, uint32_t number,
			struct pdb_bytes *out)
{
	struct pdb_bytes near = {NULL, 0};
	uint64_t pos, end;
	uint32_t now;
	bool stays;

	if (number < t->begin || number >= t->end)
		return false;
	w->looked++;
	for (now = records_near(w, t, number, &pos, &end);
	     pos < t->to && !budget_spend(&w->budget, 1); now++) {
		const uint8_t *b = near.p;
		uint32_t n;

		if (near.n < 2) {
			uint64_t left = (pos < end ? end : t->to) - pos;

			near.n = left < NEAR ? (uint32_t)left : NEAR;
			b = near.p =
			    msf_bytes(w->pdb->msf, t->stream, pos, near.n, &w->scratch, &stays);
		}
		n = b && near.n >= 2 ? le16(b) : 0;
		if (n < 2)
			return false;
		pos += 2;
		if (now == number) {
			b = n <= near.n - 2
				? b + 2
				: msf_bytes(w->pdb->msf, t->stream, pos, n, &w->scratch, &stays);
			*out = (struct pdb_bytes){b, n};
			return b;
		}
		pos += n;
		near = n < near.n - 2 ? (struct pdb_bytes){b + 2 + n, near.n - 2 - n}
				      : (struct pdb_bytes){NULL, 0};
	}
	return false;
}

/* Appends what is at an offset of a record, up to its NUL. */
static void add_name(struct buf *to, const struct pdb_bytes *r, uint32_t at)
{
	const uint8_t *end = at < r->n ? memchr(r->p + at, 0, r->n - at) : NULL;

	if (end)
		buf_add(to, r->p + at, (size_t)(end - (r->p + at)));
}

/* The bytes of a number: as large as it is below 0x8000, else a kind and as many as this has. */
static uint32_t number_size(const struct pdb_bytes *r, uint32_t at)
{
	static const uint8_t sizes[] = {1, 2, 2, 4, 4, 4, 8, 10, 16, 8, 8};
	uint32_t kind = at + 2 <= r->n ? le16(r->p + at) : 0;

	return kind < 0x8000 ? 2 : kind - 0x8000 < sizeof sizes ? 2u + sizes[kind - 0x8000] : 2;
}

/* Behind two numbers. */
static uint32_t after_numbers(const struct pdb_bytes *r, uint32_t at)
{
	at += number_size(r, at);
	return at + number_size(r, at);
}

/* Appends the name of a class, or of what else can have functions. */
static void add_type_name(struct pdb_worker *w, struct buf *to, uint32_t number)
{
	struct pdb_bytes r;

	if (!find_record(w, w->types, number, &r))
		return;
	switch (le16(r.p)) {
	case LF_CLASS:
	case LF_STRUCTURE:
	case LF_INTERFACE: add_name(to, &r, 18 + number_size(&r, 18)); return;
	case LF_UNION: add_name(to, &r, 10 + number_size(&r, 10)); return;
	case LF_CLASS2:
	case LF_STRUCTURE2:
	case LF_INTERFACE2: add_name(to, &r, after_numbers(&r, 18)); return;
	case LF_UNION2: add_name(to, &r, after_numbers(&r, 10)); return;
	case LF_ENUM: add_name(to, &r, 14); return;
	default: return;
	}
}

/* The name of an id, which w->text gets. */
static void make_inlinee_name(struct pdb_worker *w, uint32_t id)
{
	struct pdb_bytes r, scope;
	struct buf own = BUF_INIT;
	uint32_t kind, around;

	w->text.len = 0;
	if (!find_record(w, w->ids, id, &r))
		return;
	kind = le16(r.p);
	if ((kind != LF_FUNC_ID && kind != LF_MFUNC_ID) || r.n < 10)
		return;
	around = le32(r.p + 2);
	add_name(&own, &r, 10);
	if (kind == LF_MFUNC_ID)
		add_type_name(w, &w->text, around);
	else if (around && find_record(w, w->ids, around, &scope) && le16(scope.p) == LF_STRING_ID)
		add_name(&w->text, &scope, 6);
	if (kind == LF_MFUNC_ID || around)
		buf_adds(&w->text, "::");
	buf_add(&w->text, own.data, own.len);
	buf_release(&own);
}

uint32_t pdb_inlinee_name(struct pdb_worker *w, uint32_t id)
{
	const uint64_t of = id & PDB_CROSS ? (uint64_t)w->module + 1 : 0;
	uint32_t *known = map64_put(&w->functions, (of << 32 | id) + 1);

	if (*known)
		return *known;
	make_inlinee_name(w, of ? pdb_cross_id(w, id) : id);
	if (w->text.len)
		*known = store_copy(&w->writer, w->text.data, w->text.len);
	return *known;
}

const char *pdb_text_at(struct pdb_worker *w, uint32_t offset, size_t *n, bool *stays)
{
	const uint32_t size = msf_size(w->pdb->msf, w->pdb->names);
	const uint8_t *b, *end = NULL;

	if (size < 12 || offset >= size - 12)
		return NULL;
	for (uint32_t most = TEXT_FIRST; !end && most <= TEXT_MOST; most *= 16) {
		uint32_t left = size - 12 - offset;

		left = most < left ? most : left;
		b = msf_bytes(w->pdb->msf, w->pdb->names, 12 + (uint64_t)offset, left, &w->scratch,
			      stays);
		end = b ? memchr(b, 0, left) : NULL;
		*n = end ? (size_t)(end - b) : 0;
	}
	return end ? (const char *)end - *n : NULL;
}

uint32_t pdb_path(struct pdb_worker *w, uint32_t file)
{
	uint32_t offset, *known;
	const char *text;
	bool stays;
	size_t n;

	if (!pdb_file_name(w, file, &offset))
		return 0;
	known = map64_put(&w->files, (uint64_t)offset + 1);
	text = *known ? NULL : pdb_text_at(w, offset, &n, &stays);
	if (text)
		*known = stays ? store_text(&w->writer, text, n) : store_copy(&w->writer, text, n);
	return *known;
}

/* It may be the linkage name of a procedure: "?fold@game@@YAHH@Z", or "fold" of C, of game::fold. What has no name of its
 * own, as an operator, may be any. */
static bool is_public_of(const struct pdb_public *x, const struct pdb_proc *p)
{
	const char *last = p->name;
	size_t n;

	for (const char *s = p->name; s + 1 < p->name + p->n && *s != '<'; s++)
		if (s[0] == ':' && s[1] == ':')
			last = s + 2;
	n = (size_t)(p->name + p->n - last);
	if (!n)
		return false;
	if (x->n > n + 1 && x->name[0] == '?')
		return !memcmp(x->name + 1, last, n) && x->name[1 + n] == '@';
	return x->n == n && !memcmp(x->name, last, n);
}

/* The last public symbol at the begin of a procedure, as LLVM has it; of functions that were folded into one, the last
 * that may be of this one, if there is such a symbol. */
static bool public_of(struct pdb_worker *w, const struct pdb_proc *p, struct pdb_public *x)
{
	uint32_t lo = 0, hi = w->pdb->publics.n, last;

	w->looked++;
	while (lo < hi) {
		uint32_t i = lo + (hi - lo) / 2;

		if (!pdb_public_at(w->pdb, i, &w->scratch, x))
			return false;
		if (x->section < p->section || (x->section == p->section && x->offset <= p->offset))
			lo = i + 1;
		else
			hi = i;
	}
	for (last = lo;
	     lo && pdb_public_at(w->pdb, lo - 1, &w->scratch, x) && x->section == p->section &&
	     x->offset == p->offset && last - lo < FOLDED_MOST;
	     lo--)
		if (is_public_of(x, p))
			return true;
	return last && pdb_public_at(w->pdb, last - 1, &w->scratch, x) &&
	       x->section == p->section && x->offset == p->offset;
}

uint32_t pdb_proc_name(struct pdb_worker *w, const struct pdb_proc *p)
{
	struct pdb_public x;

	if (public_of(w, p, &x) && x.n)
		return x.stays ? store_text(&w->writer, x.name, x.n)
			       : store_copy(&w->writer, x.name, x.n);
	return p->n ? store_copy(&w->writer, p->name, p->n) : 0;
}

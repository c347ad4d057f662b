/* SPDX-License-Identifier: MIT
 *
 * PDB files, the debug information of Windows' linkers, as objects: identity, sections, and public symbols, in MSF
 * (msf.h). Facts: Microsoft's microsoft-pdb, and LLVM's "The PDB File Format":
 *
 *	stream 1  u32 version, u32 time, u32 age, GUID; names of streams: u32 size and texts, a hash table (u32
 *	          used, u32 slots, two bit sets of u32 words and words, pairs of offset in the texts and stream);
 *	          then features: "MINI" is /DEBUG:FASTLINK, which leaves functions and lines in the object files
 *	stream 3  DBI: a header of 64 bytes, then parts whose sizes it has; the last one lists streams, of
 *	          which the 6th has the section headers of the PE file, the 4th OMAPTO and the 11th the headers
 *	          from before (pdb_omap.c)
 *	publics   a header of 28 bytes, a hash table, and offsets of S_PUB32 records, sorted by address
 *
 * The build-id is the GUID, as in the CodeView record of the PE file, whose age is that of DBI: the one of stream 1 grows
 * with each tool that writes to the PDB afterwards. Of old PDBs, in which DBI has the age 0, Microsoft's
 * PDB::OpenValidate compares none. An address is an RVA: the PDB does not say where
 * its PE file asks to be loaded.
 */
#include "lib/object/pdb.h"

#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"
#include "lib/object/format.h"
#include "lib/object/pe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	INFO_STREAM = 1,
	INFO_HEADER = 28,
	DBI_HEADER = 64,
	SECTION_HEADER = 40,
	OMAP_STREAM = 3, /* of the list, as the next two */
	SECTION_HEADERS_STREAM = 5,
	FORMER_HEADERS_STREAM = 10, /* before a tool moved code; none: the others are as before */
	STREAMS_MAX = 11,
	PUBLICS_HEADER = 28,
	S_PUB32 = 0x110e,
	PUBLIC_RECORD = 14, /* before its name */
	SAMPLE = 4096,
};
#define MINIMAL_DEBUG_INFO UINT32_C(0x494e494d)
#define MEM_EXECUTE        UINT32_C(0x20000000)

static bool pdb_is(const uint8_t head[8])
{
	return msf_is(head, 8);
}

/* A part of a stream under a cursor: what it says is checked there. */
static bool open_part(struct cursor *c, const struct msf *m, uint32_t stream, uint64_t at,
		      uint64_t n, struct msf_room *room, struct err *e)
{
	bool stays;
	const uint8_t *p = msf_bytes(m, stream, at, n, room, &stays);

	if (!p) {
		msf_room_release(room);
		err_set(e, ST_BAD, "PDB: stream %" PRIu32 ": no %" PRIu64 " bytes at %" PRIu64,
			stream, n, at);
		return false;
	}
	cursor_init(c, p, (size_t)n, at, e);
	return true;
}

/* Steps over a set of bits of the table of streams, and counts them. */
static uint32_t read_bits(struct cursor *c)
{
	uint32_t words = cursor_u32(c), n = 0;

	for (uint32_t i = 0; i < words && !cursor_failed(c); i++)
		n += (uint32_t)__builtin_popcount(cursor_u32(c));
	return n;
}

static enum status read_info(struct object_image *f, struct pdb_file *p, struct err *e)
{
	struct msf_room room = {.cap = 0};
	struct cursor c;
	const uint8_t *guid;
	const char *texts;
	uint32_t n_texts, present, n = msf_size(p->msf, INFO_STREAM);
	enum status st = ST_OK;

	p->names = MSF_NO_STREAM;
	if (n < INFO_HEADER)
		return err_set(e, ST_BAD, "PDB: no identity");
	if (!open_part(&c, p->msf, INFO_STREAM, 0, n, &room, e))
		return ST_BAD;
	cursor_skip(&c, 8, "PDB identity");
	p->age = cursor_u32(&c);
	guid = cursor_bytes(&c, 16, "PDB identity");
	memcpy(f->build_id.bytes, guid, 16);
	f->build_id.len = 16;
	n_texts = n > INFO_HEADER ? cursor_u32(&c) : 0;
	texts = n_texts ? (const char *)cursor_bytes(&c, n_texts, "names of streams") : NULL;
	if (texts) {
		cursor_skip(&c, 8, "names of streams");
		present = read_bits(&c);
		read_bits(&c); /* deleted */
		for (uint32_t i = 0; i < present && !cursor_failed(&c); i++) {
			uint32_t at = cursor_u32(&c), stream = cursor_u32(&c);

			if (!cursor_failed(&c) && at < n_texts && n_texts - at >= sizeof "/names" &&
			    !memcmp(texts + at, "/names", sizeof "/names"))
				p->names = stream;
		}
		while (!cursor_failed(&c) && cursor_window(&c) >= 4)
			if (cursor_u32(&c) == MINIMAL_DEBUG_INFO)
				st = err_set(
				    e, ST_UNSUPPORTED,
				    "a PDB of /DEBUG:FASTLINK: its functions and lines are in the "
				    "object "
				    "files; link with /DEBUG:FULL, or convert it by mspdbcmf");
	}
	msf_room_release(&room);
	return cursor_failed(&c) ? err_failure(e) : st;
}

static enum status pdb_read_sections(struct object_image *f, struct pdb_file *p, uint32_t stream,
				     struct err *e)
{
	const uint32_t n = msf_size(p->msf, stream) / SECTION_HEADER;
	struct msf_room room = {.cap = 0};
	struct cursor c;

	if (!n)
		return err_set(e, ST_UNSUPPORTED, "a PDB without section headers");
	if (!open_part(&c, p->msf, stream, 0, (uint64_t)n * SECTION_HEADER, &room, e))
		return ST_BAD;
	p->sections = mem_zarray(n, sizeof *p->sections);
	f->segments = mem_zarray(n, sizeof *f->segments);
	for (p->n_sections = 0; p->n_sections < n; p->n_sections++) {
		struct pdb_section *s = &p->sections[p->n_sections];

		cursor_skip(&c, 8, "section header");
		s->size = cursor_u32(&c);
		s->rva = cursor_u32(&c);
		cursor_skip(&c, 20, "section header");
		s->code = cursor_u32(&c) & MEM_EXECUTE;
		if (s->size > UINT32_MAX - s->rva)
			s->size = UINT32_MAX - s->rva;
		f->segments[f->n_segments] = (struct object_segment){
		    .vaddr = s->rva, .memsz = s->size, .align = 1, .executable = s->code};
		f->n_segments += s->size > 0;
	}
	msf_room_release(&room);
	if (p->n_omap)
		pdb_map_segments(p, f->segments, &f->n_segments);
	return ST_OK;
}

static void find_publics(struct pdb_file *p, uint32_t stream)
{
	struct msf_room room = {.cap = 0};
	struct err ignored = ERR_INIT;
	const uint32_t size = msf_size(p->msf, stream);
	struct cursor c;
	uint32_t hash, map;

	if (size < PUBLICS_HEADER ||
	    !open_part(&c, p->msf, stream, 0, PUBLICS_HEADER, &room, &ignored))
		return;
	hash = cursor_u32(&c);
	map = cursor_u32(&c);
	if (hash <= size - PUBLICS_HEADER && map <= size - PUBLICS_HEADER - hash) {
		p->publics.stream = stream;
		p->publics.at = PUBLICS_HEADER + hash;
		p->publics.n = map / 4;
	}
	msf_room_release(&room);
}

/* The parts lie one behind the other. */
static struct pdb_part next_part(uint32_t *at, uint32_t size)
{
	struct pdb_part part = {*at, size};

	*at = size > UINT32_MAX - *at ? UINT32_MAX : *at + size;
	return part;
}

/* The list of streams at the end of DBI, and what it lists. */
static enum status read_streams(struct object_image *f, struct pdb_file *p,
				const struct pdb_part *part, struct err *e)
{
	const uint32_t n = part->size / 2 < STREAMS_MAX ? part->size / 2 : STREAMS_MAX;
	struct msf_room room = {.cap = 0};
	uint32_t list[STREAMS_MAX];
	struct cursor c;
	enum status st;

	if (n <= SECTION_HEADERS_STREAM)
		return err_set(e, ST_UNSUPPORTED, "a PDB without section headers");
	if (!open_part(&c, p->msf, PDB_DBI_STREAM, part->at, (uint64_t)2 * n, &room, e))
		return ST_BAD;
	for (uint32_t i = 0; i < STREAMS_MAX; i++)
		list[i] = i < n ? cursor_u16(&c) : MSF_NO_STREAM;
	msf_room_release(&room);
	st = pdb_read_omap(p, list[OMAP_STREAM], e);
	if (!st && p->n_omap && msf_size(p->msf, list[FORMER_HEADERS_STREAM]))
		list[SECTION_HEADERS_STREAM] = list[FORMER_HEADERS_STREAM];
	return st ? st : pdb_read_sections(f, p, list[SECTION_HEADERS_STREAM], e);
}

static enum status read_dbi(struct object_image *f, struct pdb_file *p, struct err *e)
{
	struct msf_room room = {.cap = 0};
	struct cursor c;
	struct pdb_part streams;
	uint32_t size[7], at = DBI_HEADER, publics, age;
	uint16_t machine;

	if (!msf_size(p->msf, PDB_DBI_STREAM))
		return err_set(e, ST_UNSUPPORTED, "a PDB of types alone, without modules");
	if (!open_part(&c, p->msf, PDB_DBI_STREAM, 0, DBI_HEADER, &room, e))
		return ST_BAD;
	if (cursor_u32(&c) != UINT32_MAX)
		return err_set(e, ST_UNSUPPORTED, "a PDB of a version before 4.1");
	cursor_u32(&c); /* version */
	age = cursor_u32(&c);
	p->age = age ? age : p->age;
	f->build_id.age = age ? age : OBJECT_ANY_AGE;
	cursor_skip(&c, 4, "DBI");
	publics = cursor_u16(&c);
	cursor_u16(&c);
	p->records = cursor_u16(&c);
	cursor_u16(&c);
	for (size_t i = 0; i < 5; i++) /* modules, contributions, sections, files, type servers */
		size[i] = cursor_u32(&c);
	cursor_u32(&c);
	size[6] = cursor_u32(&c); /* the list of streams is behind the texts of edit and continue */
	size[5] = cursor_u32(&c);
	cursor_u16(&c); /* flags */
	machine = cursor_u16(&c);
	msf_room_release(&room);
	p->modules = next_part(&at, size[0]);
	p->contributions = next_part(&at, size[1]);
	for (size_t i = 2; i < 6; i++)
		next_part(&at, size[i]);
	streams = next_part(&at, size[6]);
	f->machine = machine;
	f->arch = pe_arch(machine);
	p->undecorate = f->arch == ARCH_X86;
	f->is_64 = f->arch != ARCH_X86 && f->arch != ARCH_ARM;
	find_publics(p, publics);
	return read_streams(f, p, &streams, e);
}

static enum status pdb_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	struct pdb_file *p = mem_zalloc(sizeof *p);
	enum status st;

	f->pdb = p;
	st = msf_open(&p->msf, f, e);
	if (!st)
		st = read_info(f, p, e);
	if (!st)
		st = read_dbi(f, p, e);
	return st ? st : format_check_arch(f, want, e);
}

void pdb_release(struct pdb_file *p)
{
	if (!p)
		return;
	msf_free(p->msf);
	mem_budget_free(p->omap);
	free(p->sections);
	free(p);
}

const struct pdb_file *object_pdb(const struct object *o)
{
	return o->debug.pdb ? o->debug.pdb : o->file.pdb;
}

uint64_t pdb_fingerprint(const struct pdb_file *p)
{
	uint64_t sum = msf_fingerprint(p->msf);
	struct msf_room room = {.cap = 0};
	static const uint32_t streams[] = {INFO_STREAM, PDB_DBI_STREAM};

	for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
		uint32_t size = msf_size(p->msf, streams[i]);
		const uint8_t *b;

		size = size < SAMPLE ? size : SAMPLE;
		b = msf_copy(p->msf, streams[i], 0, size, &room);
		sum = b ? hash_bytes_seeded(b, size, sum) : sum;
	}
	msf_room_release(&room);
	return sum;
}

bool object_has_pdb(const struct object *o)
{
	return object_pdb(o);
}

/* Of a record of n bytes behind its length. */
static bool read_public(const uint8_t *record, size_t n, struct pdb_public *out)
{
	const char *end;

	if (n < PUBLIC_RECORD - 2 || le16(record) != S_PUB32)
		return false;
	out->flags = le32(record + 2);
	out->offset = le32(record + 6);
	out->section = le16(record + 10);
	out->name = (const char *)record + PUBLIC_RECORD - 2;
	end = memchr(out->name, 0, n - (PUBLIC_RECORD - 2));
	out->n = end ? (size_t)(end - out->name) : 0;
	return end;
}

static bool public_place(const struct pdb_file *p, uint32_t i, struct msf_room *room, uint32_t *at)
{
	bool stays;
	const uint8_t *b =
	    msf_bytes(p->msf, p->publics.stream, p->publics.at + 4 * (uint64_t)i, 4, room, &stays);

	*at = b ? le32(b) : 0;
	return b;
}

bool pdb_public_at(const struct pdb_file *p, uint32_t i, struct msf_room *room,
		   struct pdb_public *out)
{
	const uint8_t *b;
	uint32_t at, n;

	if (i >= p->publics.n || !public_place(p, i, room, &at))
		return false;
	b = msf_bytes(p->msf, p->records, at, 2, room, &out->stays);
	n = b ? le16(b) : 0;
	b = msf_bytes(p->msf, p->records, (uint64_t)at + 2, n, room, &out->stays);
	if (!b || !read_public(b, n, out))
		return false;
	if (p->undecorate)
		out->name = pe_undecorate(out->name, &out->n);
	return true;
}

/* Names of public symbols that do not stay in the file: each with its NUL, in one block of the allowance. */
struct public_names {
	char *block;
	uint64_t n, cap; /* bytes; a record has more than its name takes */
};

/* The name of a public symbol, for as long as the block and the file are there. NULL: there is no room. */
static const char *keep_name(struct public_names *names, const struct pdb_public *x)
{
	char *to;

	if (x->stays && !x->name[x->n]) /* else it lost its end */
		return x->name;
	if (!names->block)
		names->block = mem_budget_grow(NULL, names->cap);
	if (!names->block || x->n >= names->cap - names->n)
		return NULL;
	to = names->block + names->n;
	memcpy(to, x->name, x->n);
	to[x->n] = '\0';
	names->n += x->n + 1;
	return to;
}

/* The RVAs where pieces of sections begin that modules contributed, ascending; *n of them, NULL: none is known. */
static struct sort_item *read_pieces(const struct pdb_file *p, size_t *n)
{
	const struct pdb_part *part = &p->contributions;
	struct msf_room room = {.cap = 0};
	bool stays;
	const uint8_t *b =
	    part->size > 4 ? msf_bytes(p->msf, PDB_DBI_STREAM, part->at, part->size, &room, &stays)
			   : NULL;
	uint32_t step = !b                               ? 0
			: le32(b) == PDB_CONTRIBUTIONS_1 ? PDB_CONTRIBUTION
			: le32(b) == PDB_CONTRIBUTIONS_2 ? PDB_CONTRIBUTION + 4
							 : 0;
	struct sort_item *starts = step ? pages_array(part->size / step + 1, sizeof *starts) : NULL;
	uint32_t rva;

	*n = 0;
	for (uint32_t at = 4; step && part->size - at >= step; at += step)
		if (pdb_rva(p, le16(b + at), le32(b + at + 4), &rva))
			starts[(*n)++].key = rva;
	if (starts)
		sort_radix(starts, *n);
	msf_room_release(&room);
	return starts;
}

/* The function that begins at an RVA; NULL: none is known. */
static const struct pdb_function *function_at(const struct pdb_functions *f, uint32_t rva)
{
	size_t at = BISECT(i, 0, f->n, f->all[i].rva < rva);

	return at < f->n && f->all[at].rva == rva ? &f->all[at] : NULL;
}

/* A public has no size but that of the function or variable which begins with it: it ends at the latest where the next piece
 * begins, which is another module's. False: not all could be read. */
static bool add_publics(struct symtab *s, struct symtab_loading *l, const struct pdb_file *p,
			const struct pdb_functions *functions, struct public_names *names,
			uint64_t base)
{
	struct msf_room room = {.cap = 0};
	struct pdb_public x;
	size_t n_pieces;
	struct sort_item *pieces = read_pieces(p, &n_pieces);
	bool any = false, all = true;

	/* of those at one address the last one counts, as LLVM has it */
	for (uint32_t i = p->publics.n; i-- > 0 && s->n < SYMBOL_NONE - 1;) {
		const struct pdb_function *of;
		const struct pdb_section *t;
		const char *name;
		uint32_t rva;
		uint64_t end;
		size_t next;

		if (!pdb_public_at(p, i, &room, &x))
			continue;
		any = true;
		if (!x.n || !pdb_rva(p, x.section, x.offset, &rva))
			continue;
		t = &p->sections[x.section - 1];
		if (x.offset >= t->size || !(t->code || l->data))
			continue;
		name = keep_name(names, &x);
		all = all && name;
		of = function_at(functions, rva);
		next = BISECT(k, 0, n_pieces, pieces[k].key <= rva);
		end = base + (of ? (uint64_t)of->rva + of->size
			      : next < n_pieces && pieces[next].key < t->rva + t->size
				  ? pieces[next].key
				  : t->rva + t->size);
		if (name)
			symtab_add(s, l,
				   (struct object_symbol){base + rva, end, name, of, false, false,
							  (uint32_t)s->n, NULL},
				   0, end);
	}
	free(pieces);
	msf_room_release(&room);
	return any && all;
}

/* Those that begin where no public symbol does. */
static void add_functions(struct symtab *s, struct symtab_loading *l,
			  const struct pdb_functions *functions, uint64_t base)
{
	struct sort_item *publics = pages_array(s->n + 1, sizeof *publics);
	const size_t n = s->n;

	for (size_t i = 0; i < n; i++)
		publics[i].key = s->all[i].lo;
	sort_radix(publics, n);
	for (size_t i = 0; i < functions->n && s->n < SYMBOL_NONE - 1; i++) {
		const struct pdb_function *f = &functions->all[i];
		const uint64_t lo = base + f->rva;
		size_t at = BISECT(k, 0, n, publics[k].key < lo);

		if (at < n && publics[at].key == lo)
			continue;
		symtab_add(s, l,
			   (struct object_symbol){lo, lo + f->size, functions->texts + f->name,
						  true, true, false, (uint32_t)s->n, NULL},
			   0, lo + f->size);
	}
	free(publics);
}

void pdb_add_symbols(struct symtab *s, struct symtab_loading *l, const struct pdb_file *p,
		     uint64_t base)
{
	struct public_names names = {.cap = msf_size(p->msf, p->records)};
	struct symtab_loading then = {.data = l->data}, *to = p->n_omap ? &then : l;
	struct pdb_functions functions = {.n = 0};
	struct symtab was = {.n = 0}, *of = p->n_omap ? &was : s;
	struct err e = ERR_INIT;

	if (l->functions)
		pdb_read_functions(p, &functions);
	if (l->data)
		pdb_read_variables(p, &functions);
	if (!p->publics.n && !functions.n && !functions.why)
		return;
	if (p->publics.n && !add_publics(of, to, p, &functions, &names, p->n_omap ? 0 : base)) {
		err_set(&e, ST_BAD, "PDB: its public symbols cannot all be read");
		symtab_leave_out(s, NULL, &e);
	}
	add_functions(of, to, &functions, p->n_omap ? 0 : base);
	if (functions.why) {
		err_set(&e, ST_BAD, "PDB: functions of its modules: %s", functions.why);
		symtab_leave_out(s, NULL, &e);
	}
	if (p->n_omap) {
		symtab_finish(&was, &then);
		pdb_add_moved(s, l, p, &was, base);
		symtab_release(&was);
	}
	s->names[l->n_names++] = names.block;
	s->names[l->n_names++] = functions.texts;
	free(functions.all);
	msf_drop(p->msf);
}

static void pdb_load(struct symtab *s, struct object *o, bool data)
{
	struct symtab_loading l = {.data = data, .functions = o->functions};

	pdb_add_symbols(s, &l, o->file.pdb, 0);
	symtab_finish(s, &l);
}

static void pdb_symbols(struct symtab *s, struct object *o)
{
	pdb_load(s, o, false);
}

static void pdb_any_symbols(struct symtab *s, struct object *o)
{
	pdb_load(s, o, true);
}

const struct object_format format_pdb = {
    .about = {.name = "PDB", .unsized = true, .image = true},
    .is = pdb_is,
    .open = pdb_open,
    .symbols = pdb_symbols,
    .any_symbols = pdb_any_symbols,
};

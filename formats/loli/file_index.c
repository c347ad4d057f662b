/* SPDX-License-Identifier: MIT
 *
 * Sections of a `.loli` file, and its first pass. Nothing is allocated by a count of the file.
 */
#include "formats/loli/file.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>

enum { MAGIC = 0xA4B3C2D1, RECORD_SIZE = 112, UUID_BYTES = 76 };

enum status loli_file_head(struct loli_file *f, struct err *e)
{
	const uint8_t *p = cursor_bytes(f->c, 8, "header");

	if (!p)
		return err_failure(e);
	if (be32(p) != MAGIC)
		return err_at(e, ST_BAD, 0, "not a .loli file: the first four bytes are %08x",
			      be32(p));
	f->version = (int)be32(p + 4);
	if (f->version != 105 && f->version != 106 && f->version != 107)
		return err_at(e, ST_UNSUPPORTED, 4,
			      "unknown .loli version %d: tracemill reads versions 105, 106 "
			      "and 107",
			      f->version);
	f->texts = f->version == 105;
	return ST_OK;
}

uint32_t loli_file_u32(struct loli_file *f)
{
	const uint8_t *p = cursor_bytes(f->c, 4, "number");

	return p ? be32(p) : 0;
}

uint32_t loli_file_count(struct loli_file *f)
{
	uint64_t offset = cursor_offset(f->c);
	uint32_t n = loli_file_u32(f);

	if (n <= INT32_MAX)
		return n;
	cursor_fail(f->c, ST_BAD, "impossible count: %d", (int32_t)n);
	f->c->e->offset = offset;
	return 0;
}

uint64_t loli_file_address_text(struct loli_file *f)
{
	uint64_t v = 0;

	loli_string(f->c, &f->other, "address");
	if (!cursor_failed(f->c) && f->other.len &&
	    (f->other.len < 3 || memcmp(f->other.data, "0x", 2) != 0 ||
	     !num_hex(f->other.data + 2, f->other.len - 2, &v)))
		cursor_fail(f->c, ST_BAD, "an address is not a hexadecimal number");
	return v;
}

uint64_t loli_file_address(struct loli_file *f)
{
	const uint8_t *p;

	if (f->texts)
		return loli_file_address_text(f);
	p = cursor_bytes(f->c, 8, "address");
	return p ? be64(p) : 0;
}

uint32_t loli_file_library_named(struct loli_file *f)
{
	uint32_t id;

	if (!loli_library_known(f->text.data, f->text.len))
		return 0;
	id = intern_add(&f->names, f->text.data, f->text.len);
	while (f->n_library <= id)
		VEC_PUSH(f->library, f->n_library, f->cap_library) = (struct map64)MAP64_INIT;
	return id;
}

void loli_file_libraries(struct loli_file *f, bool keep)
{
	uint32_t n;

	if (f->texts)
		return;
	n = loli_file_u32(f);
	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint32_t id = loli_file_u32(f), library, *place;

		if (!keep) {
			loli_string_skip(f->c, "library name");
			continue;
		}
		loli_string(f->c, &f->text, "library name");
		library = cursor_failed(f->c) ? 0 : loli_file_library_named(f);
		place = map64_put(&f->ids, id);
		if (!*place)
			*place = library ? library : LOLI_UNKNOWN;
	}
}

uint32_t loli_file_library(struct loli_file *f, uint32_t id)
{
	uint32_t library = map64_get(&f->ids, id);

	return library == LOLI_UNKNOWN ? 0 : library;
}

static void text_record(struct loli_file *f, struct loli_record *r)
{
	r->has_stack = loli_uuid(f->c, &r->stack);
	r->seq = loli_file_u32(f);
	r->ms = (int32_t)loli_file_u32(f);
	r->size = loli_file_u32(f);
	r->addr = loli_file_address_text(f);
	loli_string(f->c, &f->text, "library name");
	loli_string_skip(f->c, "function address");
}

bool loli_file_record(struct loli_file *f, struct loli_record *r, bool key)
{
	size_t head = f->texts ? 0 : cursor_available(f->c, RECORD_SIZE);
	const uint8_t *p;

	*r = (struct loli_record){0};
	if (f->texts) {
		text_record(f, r);
		return !cursor_failed(f->c);
	}
	if (head >= RECORD_SIZE && be32(f->c->pos) == UUID_BYTES) {
		p = cursor_bytes(f->c, RECORD_SIZE, "record");
		r->has_stack = true;
		if (key)
			r->stack = loli_key_uuid(p + 4, UUID_BYTES);
		p += 4 + UUID_BYTES;
	} else {
		r->has_stack = loli_uuid(f->c, &r->stack);
		p = cursor_bytes(f->c, 32, "record");
	}
	if (!p)
		return false;
	r->seq = be32(p);
	r->ms = (int32_t)be32(p + 4);
	r->size = be32(p + 8);
	r->addr = be64(p + 12);
	r->library = be32(p + 28);
	return true;
}

/* Version 105 was three layouts; the tagged one has text where the others have numbers. */
static bool first_layout(struct loli_file *f)
{
	size_t n = cursor_available(f->c, 4096);
	const uint8_t *p = f->c->pos;
	uint32_t len = n >= 4 ? be32(p) : 0;

	if (n < 100)
		return true; /* cut: the loop says where */
	if (len != 72 && len != UUID_BYTES)
		return false;
	p += 4 + len + 12;
	return be32(p) >= 6 && !memcmp(p + 4, "\0000\0x", 4);
}

static void loli_index_records(struct loli_file *f)
{
	uint32_t n;

	n = loli_file_count(f);
	if (n && f->texts && !first_layout(f)) {
		cursor_fail(f->c, ST_UNSUPPORTED,
			    "version 105 in a layout that was never released is not supported");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct loli_record r;

		if (!loli_file_record(f, &r, false))
			return;
		f->last_ms = r.ms > f->last_ms ? r.ms : f->last_ms;
		loli_diff_see(&f->diff, r.seq, r.ms, r.size, r.addr);
	}
}

bool loli_file_free(struct loli_file *f, uint64_t *addr, uint32_t *seq)
{
	*addr = loli_file_address(f);
	*seq = loli_file_u32(f);
	return !cursor_failed(f->c);
}

static void index_free(struct loli_file *f, uint64_t addr, uint32_t seq)
{
	uint32_t *last;

	f->n_frees++;
	if (!seq || f->n_sampled == LOLI_FREES_SAMPLE)
		return;
	last = map64_put(&f->freed, addr);
	f->n_sampled += !*last;
	if (seq > *last)
		*last = seq;
}

/* In batches, as records are. */
static void loli_index_frees(struct loli_file *f)
{
	enum { BATCH = 64 };
	uint64_t addrs[BATCH];
	uint32_t seqs[BATCH], left = loli_file_count(f), got;

	while (left && !cursor_failed(f->c)) {
		uint32_t most = left < BATCH ? left : BATCH;

		for (got = 0; got < most && loli_file_free(f, &addrs[got], &seqs[got]); got++)
			map64_prefetch(&f->freed, addrs[got]);
		for (uint32_t i = 0; i < got; i++)
			index_free(f, addrs[i], seqs[i]);
		left -= most;
	}
}

static void loli_index_shots(struct loli_file *f)
{
	uint32_t n;

	n = loli_file_count(f);
	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint32_t size;

		loli_file_u32(f);
		size = loli_file_u32(f);
		cursor_skip(f->c, size == UINT32_MAX ? 0 : size, "screenshot");
		f->shots += !cursor_failed(f->c);
	}
}

/* kB of one of the map's sections. */
static void index_sizes(struct loli_file *f, const struct loli_map_section *s)
{
	static const enum smaps_key order[] = {
	    SMAPS_SIZE,          SMAPS_RSS,          SMAPS_PSS,         SMAPS_PRIVATE_CLEAN,
	    SMAPS_PRIVATE_DIRTY, SMAPS_SHARED_CLEAN, SMAPS_SHARED_DIRTY};
	const uint8_t *p = cursor_bytes(f->c, 28, "sizes of a mapping");
	struct smaps_sizes sizes = {.has = 0};
	size_t n;
	const char *name = intern_text(&f->names, s->name, &n);

	for (size_t i = 0; p && i < sizeof order / sizeof *order; i++) {
		sizes.kb[order[i]] = be32(p + 4 * i);
		sizes.has |= 1u << order[i];
	}
	smaps_add(&f->smaps, name, n, &sizes);
}

/* Permissions are not kept by the format: any range may hold code. */
static void loli_index_ranges(struct loli_file *f, struct loli_map_section *s)
{
	uint32_t n = loli_file_count(f);
	size_t cap = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = cursor_bytes(f->c, 24, "mapped range");
		struct map_range r;

		if (!p)
			return;
		r = (struct map_range){be64(p), be64(p + 8), be64(p + 16), true};
		if (r.lo >= r.hi) {
			f->bad_ranges++;
			continue;
		}
		s->ranges = s->n < cap ? s->ranges : mem_grow(s->ranges, &cap, s->n + 1, sizeof r);
		s->ranges[s->n++] = r;
	}
}

static void loli_index_map(struct loli_file *f)
{
	uint32_t count;

	count = loli_file_count(f);
	for (uint32_t i = 0; i < count && !cursor_failed(f->c); i++) {
		struct loli_map_section s = {0};

		loli_string(f->c, &f->text, "name of a mapping");
		if (cursor_failed(f->c))
			return;
		if (f->text.len)
			s.name = intern_add(&f->names, f->text.data, f->text.len);
		loli_index_ranges(f, &s);
		VEC_PUSH(f->map, f->n_map, f->cap_map) = s;
		index_sizes(f, &s);
	}
}

static void loli_index_tail(struct loli_file *f)
{
	size_t n;

	while ((n = cursor_available(f->c, 1))) {
		cursor_skip(f->c, n, "tail");
		f->trailing += n;
	}
}

static void loli_index_libraries(struct loli_file *f)
{
	loli_file_libraries(f, true);
}

enum status loli_file_index(struct loli_file *f, struct err *e)
{
	static const struct {
		void (*read)(struct loli_file *f);
		const char *name;
	} sections[] = {
	    {loli_chart_index, "memory chart"}, {loli_index_libraries, "library names"},
	    {loli_index_records, "records"},    {loli_file_stacks, "stacks"},
	    {loli_file_symbols, "symbols"},     {loli_index_frees, "frees"},
	    {loli_index_shots, "screenshots"},  {loli_index_map, "memory map"},
	    {loli_index_tail, "after the end"},
	};
	enum status st = loli_file_head(f, e);

	for (size_t i = 0; !st && i < sizeof sections / sizeof *sections; i++) {
		sections[i].read(f);
		if (cursor_failed(f->c))
			st = err_prefix(e, "%s", sections[i].name);
	}
	return st;
}

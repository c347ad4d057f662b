/* SPDX-License-Identifier: MIT
 *
 * Sections of a `.loli` file, and its first pass. Nothing is allocated by a count of the file.
 */
#include "formats/loli_file.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>

enum { MAGIC = 0xA4B3C2D1, CHUNK_FRAMES = 4096, RECORD_SIZE = 112, UUID_BYTES = 76 };

enum status loli_file_head(struct loli_file *f, struct err *e)
{
	const uint8_t *p = cursor_bytes(f->c, 8, "header");

	if (!p)
		return e->code;
	if (loli_be32(p) != MAGIC)
		return err_at(e, ST_BAD, 0, "not a .loli file: its mark is %08x", loli_be32(p));
	f->version = (int)loli_be32(p + 4);
	if (f->version != 105 && f->version != 106 && f->version != 107)
		return err_at(e, ST_UNSUPPORTED, 4,
			      "a .loli file of version %d (105, 106 and 107 can be read)",
			      f->version);
	f->texts = f->version == 105;
	return ST_OK;
}

static uint32_t u32(struct loli_file *f)
{
	const uint8_t *p = cursor_bytes(f->c, 4, "number");

	return p ? loli_be32(p) : 0;
}

uint32_t loli_file_count(struct loli_file *f)
{
	uint64_t offset = cursor_offset(f->c);
	uint32_t n = u32(f);

	if (n <= INT32_MAX)
		return n;
	cursor_fail(f->c, ST_BAD, "a count of %d", (int32_t)n);
	f->c->e->offset = offset;
	return 0;
}

/* "0x" and hexadecimal digits. */
static uint64_t address_text(struct loli_file *f)
{
	uint64_t v = 0;

	loli_string(f->c, &f->other, "address");
	if (!cursor_failed(f->c) && f->other.len &&
	    (f->other.len < 3 || memcmp(f->other.data, "0x", 2) != 0 ||
	     !num_hex(f->other.data + 2, f->other.len - 2, &v)))
		cursor_fail(f->c, ST_BAD, "an address that is no hexadecimal number");
	return v;
}

static uint64_t address(struct loli_file *f)
{
	const uint8_t *p;

	if (f->texts)
		return address_text(f);
	p = cursor_bytes(f->c, 8, "address");
	return p ? loli_be64(p) : 0;
}

void loli_file_chart(struct loli_file *f, bool count)
{
	uint32_t series;

	u32(f);
	series = loli_file_count(f);
	for (uint32_t i = 0; i < series && !cursor_failed(f->c); i++) {
		uint32_t n = loli_file_count(f);

		cursor_skip(f->c, (uint64_t)n * 16, "chart");
		f->points += count ? n : 0;
	}
}

static uint32_t library_by_name(struct loli_file *f)
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
	n = u32(f);
	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint32_t id = u32(f), library, *place;

		if (!keep) {
			loli_string_skip(f->c, "library name");
			continue;
		}
		loli_string(f->c, &f->text, "library name");
		library = cursor_failed(f->c) ? 0 : library_by_name(f);
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
	r->seq = u32(f);
	r->ms = (int32_t)u32(f);
	r->size = u32(f);
	r->addr = address_text(f);
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
	if (head >= RECORD_SIZE && loli_be32(f->c->pos) == UUID_BYTES) {
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
	r->seq = loli_be32(p);
	r->ms = (int32_t)loli_be32(p + 4);
	r->size = loli_be32(p + 8);
	r->addr = loli_be64(p + 12);
	r->library = loli_be32(p + 28);
	return true;
}

/* Version 105 was three layouts; the tagged one has text where the others have numbers. */
static bool first_layout(struct loli_file *f)
{
	size_t n = cursor_available(f->c, 4096);
	const uint8_t *p = f->c->pos;
	uint32_t len = n >= 4 ? loli_be32(p) : 0;

	if (n < 100)
		return true; /* cut: the loop says where */
	if (len != 72 && len != UUID_BYTES)
		return false;
	p += 4 + len + 12;
	return loli_be32(p) >= 6 && !memcmp(p + 4, "\0000\0x", 4);
}

static void index_records(struct loli_file *f)
{
	uint32_t n;

	n = loli_file_count(f);
	if (n && f->texts && !first_layout(f)) {
		cursor_fail(f->c, ST_UNSUPPORTED,
			    "a .loli file of version 105 in a layout that was never released");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct loli_record r;

		if (!loli_file_record(f, &r, false))
			return;
		loli_diff_see(&f->diff, r.seq, r.ms, r.size, r.addr);
	}
}

static uint32_t frame_of(struct loli_file *f, uint32_t library, uint64_t addr)
{
	uint32_t *id;

	if (!f->n_library)
		VEC_PUSH(f->library, f->n_library, f->cap_library) = (struct map64)MAP64_INIT;
	id = map64_put(&f->library[library], addr);
	if (!*id) {
		if (!f->n_frames)
			VEC_PUSH(f->frames, f->n_frames, f->cap_frames) = (struct loli_frame){0};
		*id = (uint32_t)f->n_frames;
		VEC_PUSH(f->frames, f->n_frames, f->cap_frames) =
		    (struct loli_frame){.addr = addr, .library = library};
	}
	return *id;
}

static uint32_t node_of(struct loli_file *f, uint32_t parent, uint32_t frame)
{
	uint32_t *id = map64_put(&f->node_index, (uint64_t)parent << 32 | frame);

	if (!*id) {
		if (!f->n_nodes)
			VEC_PUSH(f->nodes, f->n_nodes, f->cap_nodes) = (struct loli_node){0};
		*id = (uint32_t)f->n_nodes;
		VEC_PUSH(f->nodes, f->n_nodes, f->cap_nodes) = (struct loli_node){parent, frame};
	}
	return *id;
}

/* Frames of l.ids, innermost first. */
static uint32_t chain(struct loli_file *f)
{
	uint32_t node = 0;

	for (size_t i = f->l.n_ids; i--;)
		node = node_of(f, node, f->l.ids[i]);
	return node;
}

static void add_frame(struct loli_file *f, uint32_t library, uint64_t addr)
{
	VEC_PUSH(f->l.ids, f->l.n_ids, f->l.cap_ids) = frame_of(f, library, addr);
}

static void numeric_frames(struct loli_file *f, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++, p += 12) {
		uint32_t id = loli_be32(p);

		f->unnamed_ids += id && !map64_get(&f->ids, id);
		add_frame(f, loli_file_library(f, id), loli_be64(p + 4));
	}
}

static uint32_t numeric_stack(struct loli_file *f, uint32_t n)
{
	uint32_t node;

	f->l.n_ids = 0;
	if (n <= CHUNK_FRAMES) {
		const uint8_t *p = cursor_bytes(f->c, (size_t)n * 12, "stack");
		struct loli_key key = p ? loli_key_bytes(p, (size_t)n * 12) : (struct loli_key){0};

		node = p ? loli_keys_get(&f->l.stacks, key) : 0;
		if (!p || node)
			return node;
		numeric_frames(f, p, n);
		node = chain(f);
		*loli_keys_put(&f->l.stacks, key) = node;
		return node;
	}
	while (n) {
		uint32_t part = n < CHUNK_FRAMES ? n : CHUNK_FRAMES;
		const uint8_t *p = cursor_bytes(f->c, (size_t)part * 12, "stack");

		if (!p)
			return 0;
		numeric_frames(f, p, part);
		n -= part;
	}
	return chain(f);
}

/* Libraries and addresses take turns; n counts both. */
static uint32_t text_stack(struct loli_file *f, uint32_t n)
{
	f->l.n_ids = 0;
	if (n % 2)
		cursor_fail(f->c, ST_BAD, "a stack of %u texts: a library has no address", n);
	for (uint32_t i = 0; i < n / 2 && !cursor_failed(f->c); i++) {
		uint32_t library;
		uint64_t addr;

		loli_string(f->c, &f->text, "library name");
		library = cursor_failed(f->c) ? 0 : library_by_name(f);
		addr = address_text(f);
		if (!cursor_failed(f->c))
			add_frame(f, library, addr);
	}
	return cursor_failed(f->c) ? 0 : chain(f);
}

static void index_stacks(struct loli_file *f)
{
	uint32_t count;

	count = loli_file_count(f);
	for (uint32_t i = 0; i < count; i++) {
		struct loli_key key;
		bool named = loli_uuid(f->c, &key);
		uint32_t n = loli_file_count(f), node;
		uint32_t *place;

		node = n ? f->texts ? text_stack(f, n) : numeric_stack(f, n) : LOLI_NODE_EMPTY;
		if (cursor_failed(f->c))
			return;
		if (!named)
			continue;
		place = loli_keys_put(&f->uuids, key);
		f->duplicate_stacks += *place != 0;
		*place = node;
	}
}

void loli_file_skip_stacks(struct loli_file *f)
{
	uint32_t count;

	count = loli_file_count(f);
	for (uint32_t i = 0; i < count && !cursor_failed(f->c); i++) {
		uint32_t n;

		loli_string_skip(f->c, "stack id");
		n = loli_file_count(f);
		if (!f->texts)
			cursor_skip(f->c, (uint64_t)n * 12, "stack");
		for (uint32_t k = 0; f->texts && k < n && !cursor_failed(f->c); k++)
			loli_string_skip(f->c, "stack");
	}
}

static const char *base_name(const char *s, size_t n, size_t *len)
{
	const char *slash = memrchr(s, '/', n);
	const char *base = slash ? slash + 1 : s;

	*len = (size_t)(s + n - base);
	return base;
}

/* Symbols are keyed by the library's name, or by its base name where others have the path, or
 * the other way round. NO_LIBRARY: no stack is in it. */
enum { NO_LIBRARY = UINT32_MAX };

static uint32_t symbol_library(struct loli_file *f, const struct map64 *by_base)
{
	size_t n = f->text.len;
	const char *base;
	uint32_t id;

	if (!loli_library_known(f->text.data, n))
		return f->n_library ? 0 : NO_LIBRARY;
	id = intern_find(&f->names, f->text.data, n);
	base = base_name(f->text.data, n, &n);
	if (!id)
		id = intern_find(&f->names, base, n);
	if (!id)
		id = map64_get(by_base, hash_bytes(base, n));
	return id && id < f->n_library ? id : NO_LIBRARY;
}

static void index_base_names(struct loli_file *f, struct map64 *by_base)
{
	for (uint32_t id = 1; id <= intern_count(&f->names); id++) {
		size_t n;
		const char *name = intern_text(&f->names, id, &n);
		uint32_t *place;

		name = base_name(name, n, &n);
		place = map64_put(by_base, hash_bytes(name, n));
		if (!*place)
			*place = id;
	}
}

static void library_symbols(struct loli_file *f, uint32_t library)
{
	uint32_t n = loli_file_count(f);

	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint64_t addr = address(f);
		uint32_t frame =
		    library == NO_LIBRARY ? 0 : map64_get(&f->library[library], addr);

		if (!frame) {
			loli_string_skip(f->c, "symbol");
			continue;
		}
		loli_string(f->c, &f->other, "symbol");
		if (f->other.len && !cursor_failed(f->c))
			f->frames[frame].name =
			    trace_string(f->l.im->t, f->other.data, f->other.len);
	}
}

static void index_symbols(struct loli_file *f)
{
	struct map64 by_base = MAP64_INIT;
	uint32_t libraries;

	index_base_names(f, &by_base);
	libraries = loli_file_count(f);
	for (uint32_t i = 0; i < libraries && !cursor_failed(f->c); i++) {
		loli_string(f->c, &f->text, "library name");
		if (!cursor_failed(f->c))
			library_symbols(f, symbol_library(f, &by_base));
	}
	map64_release(&by_base);
}

void loli_file_skip_symbols(struct loli_file *f)
{
	uint32_t libraries;

	libraries = loli_file_count(f);
	for (uint32_t i = 0; i < libraries && !cursor_failed(f->c); i++) {
		uint32_t n;

		loli_string_skip(f->c, "library name");
		n = loli_file_count(f);
		for (uint32_t k = 0; k < n && !cursor_failed(f->c); k++) {
			address(f);
			loli_string_skip(f->c, "symbol");
		}
	}
}

bool loli_file_free(struct loli_file *f, uint64_t *addr, uint32_t *seq)
{
	*addr = address(f);
	*seq = u32(f);
	return !cursor_failed(f->c);
}

static void index_frees(struct loli_file *f)
{
	uint64_t addr;
	uint32_t n, seq;

	n = loli_file_count(f);
	for (uint32_t i = 0; i < n && loli_file_free(f, &addr, &seq); i++) {
		uint32_t *last;

		f->n_frees++;
		if (!seq || f->n_sampled == LOLI_FREES_SAMPLE)
			continue;
		last = map64_put(&f->freed, addr);
		f->n_sampled += !*last;
		if (seq > *last)
			*last = seq;
	}
}

static void index_shots(struct loli_file *f)
{
	uint32_t n;

	n = loli_file_count(f);
	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint32_t size;

		u32(f);
		size = u32(f);
		cursor_skip(f->c, size == UINT32_MAX ? 0 : size, "screenshot");
		f->shots += !cursor_failed(f->c);
	}
}

/* Permissions are not kept by the format: any range may hold code. */
static void index_ranges(struct loli_file *f, struct loli_map_section *s)
{
	uint32_t n = loli_file_count(f);
	size_t cap = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = cursor_bytes(f->c, 24, "mapped range");
		struct map_range r;

		if (!p)
			return;
		r = (struct map_range){loli_be64(p), loli_be64(p + 8), loli_be64(p + 16), true};
		if (r.lo >= r.hi) {
			f->bad_ranges++;
			continue;
		}
		s->ranges = s->n < cap ? s->ranges : mem_grow(s->ranges, &cap, s->n + 1, sizeof r);
		s->ranges[s->n++] = r;
	}
}

static void index_map(struct loli_file *f)
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
		index_ranges(f, &s);
		VEC_PUSH(f->map, f->n_map, f->cap_map) = s;
		cursor_skip(f->c, 28, "sizes of a mapping");
	}
}

static void index_tail(struct loli_file *f)
{
	size_t n;

	while ((n = cursor_available(f->c, 1))) {
		cursor_skip(f->c, n, "tail");
		f->trailing += n;
	}
}

static void index_chart(struct loli_file *f)
{
	loli_file_chart(f, true);
}

static void index_libraries(struct loli_file *f)
{
	loli_file_libraries(f, true);
}

enum status loli_file_index(struct loli_file *f, struct err *e)
{
	static const struct {
		void (*read)(struct loli_file *f);
		const char *name;
	} sections[] = {
	    {index_chart, "memory chart"},   {index_libraries, "library names"},
	    {index_records, "records"},      {index_stacks, "stacks"},
	    {index_symbols, "symbols"},      {index_frees, "frees"},
	    {index_shots, "screenshots"},    {index_map, "memory map"},
	    {index_tail, "after the end"},
	};
	enum status st = loli_file_head(f, e);

	for (size_t i = 0; !st && i < sizeof sections / sizeof *sections; i++) {
		sections[i].read(f);
		if (cursor_failed(f->c))
			st = err_prefix(e, "%s", sections[i].name);
	}
	return st;
}

/* SPDX-License-Identifier: MIT
 *
 * Stacks and symbols of a `.loli` file: distinct locations, distinct stacks, and the names that
 * the producer had resolved.
 */
#include "formats/loli/file.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <stdlib.h>

enum { CHUNK_FRAMES = 4096 };

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
		uint32_t id = be32(p);

		f->unnamed_ids += id && !map64_get(&f->ids, id);
		add_frame(f, loli_file_library(f, id), be64(p + 4));
	}
}

static uint32_t loli_stacks_numeric(struct loli_file *f, uint32_t n)
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
		cursor_fail(f->c, ST_BAD, "a library has no address: its stack has %u texts", n);
	for (uint32_t i = 0; i < n / 2 && !cursor_failed(f->c); i++) {
		uint32_t library;
		uint64_t addr;

		loli_string(f->c, &f->text, "library name");
		library = cursor_failed(f->c) ? 0 : loli_file_library_named(f);
		addr = loli_file_address_text(f);
		if (!cursor_failed(f->c))
			add_frame(f, library, addr);
	}
	return cursor_failed(f->c) ? 0 : chain(f);
}

void loli_file_stacks(struct loli_file *f)
{
	uint32_t count;

	count = loli_file_count(f);
	for (uint32_t i = 0; i < count; i++) {
		struct loli_key key;
		bool named = loli_uuid(f->c, &key);
		uint32_t n = loli_file_count(f), node;
		uint32_t *place;

		if (named)
			map64_prefetch(&f->uuids, key.hash);
		node =
		    n ? f->texts ? text_stack(f, n) : loli_stacks_numeric(f, n) : LOLI_NODE_EMPTY;
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
	base = path_base_n(f->text.data, &n);
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

		name = path_base_n(name, &n);
		place = map64_put(by_base, hash_bytes(name, n));
		if (!*place)
			*place = id;
	}
}

static void library_symbols(struct loli_file *f, uint32_t library)
{
	uint32_t n = loli_file_count(f);

	for (uint32_t i = 0; i < n && !cursor_failed(f->c); i++) {
		uint64_t addr = loli_file_address(f);
		uint32_t frame = library == NO_LIBRARY ? 0 : map64_get(&f->library[library], addr);

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

void loli_file_symbols(struct loli_file *f)
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
			loli_file_address(f);
			loli_string_skip(f->c, "symbol");
		}
	}
}

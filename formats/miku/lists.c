/* SPDX-License-Identifier: MIT */
#include "formats/miku/lists.h"

#include "formats/emit.h"
#include "formats/miku/objects.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdio.h>
#include <stdlib.h>

enum { REF_FUNCTION = 1, REF_TABLE = 2, TYPE_USERDATA = 7 };

enum status miku_ref_read(struct miku_ref *r, struct miku_names *names, struct cursor *c,
			  bool *broken)
{
	r->added = cursor_u8(c);
	r->frame = (int32_t)cursor_u32(c);
	if (!cursor_failed(c) && r->added > 1) {
		*broken = true;
		return cursor_fail(c, ST_BAD, "reference: unknown command %u", r->added);
	}
	r->name = miku_mstr(names, c, false, broken);
	r->address = miku_mstr(names, c, false, broken);
	r->type = cursor_u8(c);
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

void miku_ref_add(struct miku_refs *refs, const struct miku_ref *r)
{
	uint32_t *place = map64_put(&refs->by_address, r->address);
	struct miku_ref *row;

	if (!*place) {
		VEC_PUSH(refs->rows, refs->n, refs->cap) = (struct miku_ref){0};
		*place = (uint32_t)refs->n;
	}
	row = &refs->rows[*place - 1];
	refs->added += r->added;
	refs->removed += !r->added;
	refs->unknown += !r->added && !row->added;
	refs->held = refs->held + r->added - row->added;
	*row = *r;
}

static uint64_t address_of(const struct miku_names *names, const struct miku_ref *r, size_t row)
{
	uint64_t v;
	size_t n;
	const char *s = intern_text(&names->text, r->address, &n);

	if (num_auto(s, n, &v) || num_hex(s, n, &v))
		return v;
	return row + 1;
}

enum status miku_refs_push(struct miku_refs *refs, const struct miku_names *names,
			   struct import *im, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < refs->n; i++) {
		const struct miku_ref *r = &refs->rows[i];
		struct miku_item items[2] = {{NULL, 0}, {"(C#)", 4}};
		struct miku_object o = {
		    .id = address_of(names, r, i), .items = items, .n_items = 2};

		if (!r->added)
			continue;
		items[0].s = intern_text(&names->text, r->name, &items[0].n);
		o.type = r->type == REF_FUNCTION ? "function" : r->type == REF_TABLE ? "table" : "";
		o.n_type = strlen(o.type);
		st = miku_push_object(im, &o, e);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, refs->added || refs->removed ? refs->held : 0,
		 "Lua objects are held by C# at the end of the stream (the objects of this "
		 "capture)"),
	    LOSS(NOTE_INFO, refs->unknown,
		 "objects that C# released were acquired before the beginning of the stream"),
	};

	TRACE_LOSSES(im->t, losses);
	return st;
}

void miku_refs_release(struct miku_refs *refs)
{
	free(refs->rows);
	map64_release(&refs->by_address);
	*refs = (struct miku_refs){0};
}

/* A count that no int of the writer's can be is no count. */
static uint32_t count(struct cursor *c, bool *broken)
{
	uint32_t n = cursor_u32(c);

	if (!cursor_failed(c) && n > INT32_MAX) {
		*broken = true;
		cursor_fail(c, ST_BAD, "diff: impossible count: %d", (int32_t)n);
	}
	return cursor_failed(c) ? 0 : n;
}

static uint32_t lua_type(struct cursor *c, bool *broken)
{
	uint32_t type = cursor_u32(c);

	if (!cursor_failed(c) && type > 8) {
		*broken = true;
		cursor_fail(c, ST_BAD, "diff: unknown Lua type %u", type);
	}
	return type;
}

static void add_entry(struct miku_list *l, uint32_t key, uint32_t type)
{
	VEC_PUSH(l->entries, l->n, l->cap) = (struct miku_entry){key, type};
}

static void miku_lists_read_entries(struct miku_list *l, struct miku_names *names,
				    enum miku_diff_shape shape, bool typed, struct cursor *c,
				    bool *broken)
{
	uint32_t n = count(c, broken);

	for (uint32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint32_t type = TYPE_USERDATA, key, in_group = 1;

		if (shape == MIKU_DIFF_31) {
			type = lua_type(c, broken);
			in_group = count(c, broken);
		}
		for (uint32_t k = 0; k < in_group && !cursor_failed(c); k++) {
			key = miku_mstr(names, c, false, broken);
			if (shape != MIKU_DIFF_31 && typed)
				type = lua_type(c, broken);
			if (!cursor_failed(c))
				add_entry(l, key, type);
		}
	}
}

static void read_details(struct miku_list *l, struct miku_names *names, struct cursor *c,
			 bool *broken)
{
	uint32_t n = count(c, broken);

	for (uint32_t i = 0; i < n && !cursor_failed(c); i++) {
		uint32_t key = miku_mstr(names, c, false, broken), paths = count(c, broken);
		size_t from = l->n_paths;

		for (uint32_t k = 0; k < paths && !cursor_failed(c); k++) {
			uint32_t path = miku_mstr(names, c, false, broken);

			VEC_PUSH(l->paths, l->n_paths, l->cap_paths) = path;
		}
		VEC_PUSH(l->details, l->n_details, l->cap_details) =
		    (struct miku_detail){key, from, l->n_paths - from};
	}
}

enum status miku_diff_read(struct miku_diff *d, struct miku_names *names,
			   enum miku_diff_shape shape, struct cursor *c, bool *broken)
{
	for (int i = 0; i < MIKU_DIFF_LISTS; i++) {
		struct miku_list *l = &d->lists[i];
		bool untyped = i == 2 && shape == MIKU_DIFF_23;

		l->n = l->n_details = l->n_paths = 0;
		miku_lists_read_entries(l, names, shape, !untyped, c, broken);
		if (!untyped)
			read_details(l, names, c, broken);
	}
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

static enum status miku_lists_push_entry(const struct miku_list *l, size_t i,
					 const struct map64 *by_key, const struct miku_names *names,
					 struct import *im, struct err *e)
{
	const struct miku_entry *entry = &l->entries[i];
	uint32_t found = map64_get(by_key, entry->key);
	const struct miku_detail *d = found ? &l->details[found - 1] : NULL;
	const char *type = miku_type_of_number(entry->type);
	struct miku_object o = {.id = i + 1, .type = type, .n_type = strlen(type)};
	struct miku_item *items = mem_array((d ? d->n : 0) + 1, sizeof *items);
	bool there = false;
	enum status st;

	for (size_t k = 0; d && k < d->n; k++) {
		uint32_t path = l->paths[d->from + k];

		there |= path == entry->key;
		items[o.n_items].s = intern_text(&names->text, path, &items[o.n_items].n);
		o.n_items++;
	}
	if (!there) {
		items[o.n_items].s = intern_text(&names->text, entry->key, &items[o.n_items].n);
		o.n_items++;
	}
	o.items = items;
	st = miku_push_object(im, &o, e);
	free(items);
	return st;
}

static enum status miku_lists_push(const struct miku_list *l, const char *name, size_t number,
				   const struct miku_names *names, struct import *im, struct err *e)
{
	enum status st = im->begun ? import_next(im, e) : ST_OK;
	struct map64 by_key = MAP64_INIT;
	const char *grammar = NULL;
	char text[32];

	if (st)
		return st;
	for (size_t i = 0; i < l->n_details; i++)
		*map64_put(&by_key, l->details[i].key) = (uint32_t)i + 1;
	for (size_t i = 0; i < l->n_paths && !grammar; i++) {
		size_t n;
		const char *s = intern_text(&names->text, l->paths[i], &n);

		grammar = miku_grammar(s, n);
	}
	snprintf(text, sizeof text, "%zu", number);
	trace_set(im->t, "miku.diff", text);
	trace_set(im->t, "miku.list", name);
	if (grammar)
		trace_set(im->t, "miku.paths", grammar);
	st = import_begin(im, e);
	for (size_t i = 0; !st && i < l->n; i++)
		st = miku_lists_push_entry(l, i, &by_key, names, im, e);
	map64_release(&by_key);
	return st;
}

enum status miku_diff_push(struct miku_diff *d, const struct miku_names *names, size_t number,
			   struct import *im, struct err *e)
{
	static const char *const list_names[] = {"add", "remain", "null"};
	enum status st = ST_OK;

	for (int i = 0; !st && i < MIKU_DIFF_LISTS; i++)
		if (d->lists[i].n)
			st = miku_lists_push(&d->lists[i], list_names[i], number, names, im, e);
	return st;
}

void miku_diff_release(struct miku_diff *d)
{
	for (int i = 0; i < MIKU_DIFF_LISTS; i++) {
		free(d->lists[i].entries);
		free(d->lists[i].details);
		free(d->lists[i].paths);
	}
	*d = (struct miku_diff){0};
}

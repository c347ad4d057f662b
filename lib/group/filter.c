/* SPDX-License-Identifier: MIT */
#include "lib/group/filter.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/text_file.h"
#include "lib/names/disambiguate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BIT_IGNORE = 1 << FILTERS_FOCUS_MAX,
	BIT_MODULE = BIT_IGNORE << 1,
	BIT_FILE = BIT_IGNORE << 2,
	FILTER_FILE_MAX = 16 << 20
};

struct pattern {
	struct match *match;
	unsigned focus; /* FILTER_FOCUS: which of them */
};

struct patterns {
	struct pattern *items;
	size_t n, cap;
};

struct filters {
	struct patterns kinds[FILTER_KINDS];
	unsigned n_focus;
	uint32_t required; /* bits that a stack needs */
	bool library;      /* hidden */
};

struct filters *filters_new(void)
{
	return mem_zalloc(sizeof(struct filters));
}

void filters_free(struct filters *f)
{
	if (!f)
		return;
	for (size_t k = 0; k < FILTER_KINDS; k++) {
		for (size_t i = 0; i < f->kinds[k].n; i++)
			match_free(f->kinds[k].items[i].match);
		free(f->kinds[k].items);
	}
	free(f);
}

static enum status add(struct filters *f, enum filter_kind kind, struct match_place from,
		       const char *s, size_t n, unsigned flags, struct err *e)
{
	struct patterns *p = &f->kinds[kind];
	struct match *m = match_new(from, s, n, flags, e);

	if (!m)
		return err_failure(e);
	VEC_PUSH(p->items, p->n, p->cap) = (struct pattern){m, f->n_focus};
	return ST_OK;
}

static enum status filter_add_lines(struct filters *f, enum filter_kind kind, const char *path,
				    const char *text, size_t n, unsigned flags, struct err *e)
{
	struct text_lines lines = text_lines_of(text, n);
	const char *from, *end;
	size_t before = f->kinds[kind].n;

	while (text_lines_next(&lines, &from, &end)) {
		size_t len = (size_t)(end - from);

		if (len && from[len - 1] == '\r')
			len--;
		if (len && *from != '#' &&
		    add(f, kind, (struct match_place){path, lines.line}, from, len, flags, e)) {
			err_prefix(e, "line %zu", lines.line);
			return err_failure(e);
		}
	}
	return f->kinds[kind].n > before ? ST_OK : err_set(e, ST_BAD, "there is no pattern in it");
}

static enum status add_file(struct filters *f, enum filter_kind kind, const char *path,
			    unsigned flags, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st = text_file_read(path, FILTER_FILE_MAX, "a list of patterns", &text, e);

	if (!st)
		st = filter_add_lines(f, kind, path, buf_str(&text), text.len, flags, e);
	buf_release(&text);
	return st;
}

enum status filters_add(struct filters *f, enum filter_kind kind, const char *option,
			const char *text, unsigned flags, struct err *e)
{
	enum status st;

	if (kind == FILTER_FOCUS && f->n_focus == FILTERS_FOCUS_MAX)
		return err_set(e, ST_LIMIT, "more than %d filters", FILTERS_FOCUS_MAX);
	if (filters_is_file(text)) {
		st = add_file(f, kind, text + 1, flags, e);
	} else {
		const char *s = text + (*text == '@');

		st = add(f, kind, (struct match_place){option, 0}, s, strlen(s), flags, e);
	}
	if (st)
		return st;
	if (kind == FILTER_FOCUS)
		f->required |= (uint32_t)1 << f->n_focus++;
	if (kind == FILTER_MODULE)
		f->required |= BIT_MODULE;
	if (kind == FILTER_FILE)
		f->required |= BIT_FILE;
	return ST_OK;
}

bool filters_has(const struct filters *f, enum filter_kind kind)
{
	return f && f->kinds[kind].n > 0;
}

void filters_hide_library(struct filters *f)
{
	f->library = true;
}

bool filters_hides_library(const struct filters *f)
{
	return f && f->library;
}

bool filters_take_calls(const struct filters *f)
{
	return filters_hides_library(f) || filters_has(f, FILTER_HIDE) ||
	       filters_has(f, FILTER_SHOW) || filters_has(f, FILTER_PRUNE) || filters_collapse(f);
}

bool filters_collapse(const struct filters *f)
{
	return filters_has(f, FILTER_RECURSION) || filters_has(f, FILTER_INSIDE);
}

bool filters_any(const struct filters *f)
{
	if (filters_hides_library(f))
		return true;
	for (enum filter_kind k = 0; f && k < FILTER_KINDS; k++)
		if (f->kinds[k].n)
			return true;
	return false;
}

bool filters_by_type(const struct filters *f)
{
	if (filters_hides_library(f))
		return false;
	for (enum filter_kind k = 0; f && k < FILTER_KINDS; k++)
		if (f->kinds[k].n && k != FILTER_TYPE)
			return false;
	return true;
}

bool filters_match(struct filters *f, enum filter_kind kind, const char *s, size_t n)
{
	return filters_match_name(f, kind, &(struct name_suffix_name){.name = s, .n = n});
}

bool filters_match_name(struct filters *f, enum filter_kind kind,
			const struct name_suffix_name *name)
{
	bool any = false;

	for (size_t i = 0; i < f->kinds[kind].n; i++) {
		struct match *m = f->kinds[kind].items[i].match;

		if ((!any || match_unmatched(m)) && name_suffix_match(m, name))
			any = true;
	}
	return any;
}

uint32_t filters_name(struct filters *f, const struct name_suffix_name *name)
{
	const struct patterns *p = &f->kinds[FILTER_FOCUS];
	uint32_t bits = filters_match_name(f, FILTER_IGNORE, name) ? BIT_IGNORE : 0;

	for (size_t i = 0; i < p->n; i++) {
		uint32_t bit = (uint32_t)1 << p->items[i].focus;

		if ((!(bits & bit) || match_unmatched(p->items[i].match)) &&
		    name_suffix_match(p->items[i].match, name))
			bits |= bit;
	}
	return bits;
}

uint32_t filters_module(struct filters *f, const char *s, size_t n)
{
	return filters_match(f, FILTER_MODULE, s, n) ? BIT_MODULE : 0;
}

uint32_t filters_file(struct filters *f, const char *s, size_t n)
{
	return filters_match(f, FILTER_FILE, s, n) ? BIT_FILE : 0;
}

bool filters_kept(const struct filters *f, uint32_t bits)
{
	return (bits & f->required) == f->required && !(bits & BIT_IGNORE);
}

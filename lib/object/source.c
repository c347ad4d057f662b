/* SPDX-License-Identifier: MIT */
#include "lib/object/source.h"

#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/object/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_gsym(const uint8_t head[8])
{
	return !memcmp(head, "GSYM", 4) || !memcmp(head, "MYSG", 4);
}

static bool is_breakpad(const uint8_t head[8])
{
	return !memcmp(head, "MODULE ", 7);
}

static enum status read_all(struct object_source *s, const struct object_image *f, struct err *e)
{
	s->size = f->size;
	if (f->fd >= 0)
		s->map = map_open(f->fd, f->base, f->size, &s->bytes);
	if (s->map)
		return ST_OK;
	s->bytes = mem_budget_grow(NULL, f->size + 1);
	if (!s->bytes)
		return err_set(e, ST_LIMIT,
			       "the symbol file of %" PRIu64 " bytes is too large to be "
			       "mapped or for the memory left for sections",
			       f->size);
	s->bytes[f->size] = 0;
	return image_read(f, 0, s->bytes, (size_t)f->size, e);
}

/* Fills build-id, segments and source of f. */
static enum status source_open(struct object_image *f, const struct source_kind *kind,
			       struct err *e)
{
	struct object_source *s = mem_zalloc(sizeof *s);
	uint64_t lo = UINT64_MAX, hi;
	struct source_function x;
	enum status st = read_all(s, f, e);

	f->source = s;
	if (st)
		return st;
	f->is_64 = true;
	s->kind = kind;
	st = s->kind->open(s, f, e);
	if (st)
		return st;
	if (s->map && !map_intact(s->map))
		return err_set(e, ST_BAD, "the file has become shorter while it was read");
	for (size_t i = 0; i < s->kind->count(s); i++)
		if (s->kind->function(s, i, &x)) {
			lo = x.lo;
			break;
		}
	hi = s->kind->end(s);
	if (lo < hi) {
		f->segments = mem_zalloc(sizeof *f->segments);
		f->n_segments = 1;
		/* where it lies in the binary's file is not known */
		f->segments[0] = (struct object_segment){
		    .vaddr = lo, .memsz = hi - lo, .align = 1, .executable = true};
	}
	return ST_OK;
}

void source_free(struct object_source *s)
{
	if (!s)
		return;
	if (s->kind)
		s->kind->free(s);
	if (s->map)
		map_close(s->map);
	else
		mem_budget_free(s->bytes);
	buf_release(&s->complaint);
	free(s);
}

static enum status source_at(const struct object_source *s, uint64_t addr,
			     struct object_call *calls, size_t max, size_t *n)
{
	*n = 0;
	return s->kind->at(s, addr, calls, max, n);
}

static const char *source_complaint(const struct object_source *s)
{
	return s->complaint.len ? s->complaint.data : NULL;
}

bool object_is_source(const struct object *o)
{
	return o->file.source;
}

enum status object_calls_at(const struct object *o, uint64_t addr, struct object_call *calls,
			    size_t max, size_t *n)
{
	return source_at(o->file.source, addr, calls, max, n);
}

const char *object_source_complaint(const struct object *o)
{
	return source_complaint(o->file.source);
}

/* What a symbol file calls a function is a symbol, too. */
static void source_symbols(struct symtab *s, struct object *o)
{
	const struct object_source *source = o->file.source;
	const size_t n = source->kind->count(source);
	const uint64_t end = source->kind->end(source);
	struct symtab_loading l = {.cap = 0};
	struct source_function f;

	for (size_t i = 0; i < n && s->n < SYMBOL_NONE - 1; i++) {
		if (!source->kind->function(source, i, &f) || !*f.name)
			continue;
		symtab_add(s, &l,
			   (struct object_symbol){
			       f.lo, f.size < UINT64_MAX - f.lo ? f.lo + f.size : UINT64_MAX,
			       f.name, f.size > 0, false, false, (uint32_t)i, NULL},
			   f.public, end);
	}
	symtab_finish(s, &l);
}

static enum status gsym_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	(void)want;
	return source_open(f, &source_gsym, e);
}

static enum status breakpad_open(struct object_image *f, const struct object_want *want,
				 struct err *e)
{
	(void)want;
	return source_open(f, &source_breakpad, e);
}

const struct object_format format_gsym = {
    .about = {.name = "GSYM", .is_source = true},
    .is = is_gsym,
    .open = gsym_open,
    .symbols = source_symbols,
};

const struct object_format format_breakpad = {
    .about = {.name = "Breakpad", .is_source = true},
    .is = is_breakpad,
    .open = breakpad_open,
    .symbols = source_symbols,
};

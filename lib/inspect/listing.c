/* SPDX-License-Identifier: MIT */
#include "lib/inspect/listing.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/demangle/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_LISTING = 1 << 20, /* instructions */ WITHOUT = 64 /* bytes without a function */ };

bool listing_around(const struct inspect *x, uint64_t addr, struct extent *out)
{
	const struct object_symbol *s = object_symbol_at(x->file.object, addr);
	size_t i;

	*out = (struct extent){.lo = addr, .name = ""};
	if (!code_holds(x->file.code, addr))
		return false;
	if (s) {
		out->lo = s->lo;
		out->hi = s->hi;
		out->name = s->name;
		return true;
	}
	i = BISECT(k, 0, x->n_functions, x->functions[k].lo <= addr);
	if (!i || addr >= x->functions[i - 1].hi)
		return false;
	out->lo = x->functions[i - 1].lo;
	out->hi = x->functions[i - 1].hi;
	return true;
}

/* Says where the code is: an address of a log may count from another base. */
static enum status no_code_at(const struct inspect *x, uint64_t addr, struct err *e)
{
	const struct disasm_code *c = x->file.code;
	const uint64_t base = object_image_base(x->file.object);
	const struct code_part *last = c->n ? &c->parts[c->n - 1] : NULL;

	if (!last)
		return err_set(e, ST_NONE, "no code at 0x%" PRIx64, addr);
	return err_set(
	    e, ST_NONE, "no code at 0x%" PRIx64 ": code is from 0x%" PRIx64 " to 0x%" PRIx64 "%s",
	    addr, c->parts[0].lo, last->lo + last->size,
	    base && addr < base ? "; add the image base to an offset in memory (RVA)" : "");
}

static enum status listing_by_address(const struct inspect *x, uint64_t addr, struct extent *out,
				      struct err *e)
{
	if (!code_holds(x->file.code, addr))
		return no_code_at(x, addr, e);
	if (!listing_around(x, addr, out))
		*out = (struct extent){.lo = addr, .hi = addr + WITHOUT, .name = ""};
	return ST_OK;
}

bool listing_is_called(const char *name, const char *what)
{
	size_t n = strlen(what);

	return !strncmp(name, what, n) &&
	       (!name[n] || name[n] == '(' || !strncmp(name + n, " (", 2));
}

static bool is_called(const struct object_symbol *s, const char *what)
{
	char *display;
	bool is;

	if (!strcmp(s->name, what))
		return true;
	/* Clones (.cold, .part.0) have the same display name; they are chosen by the raw one. */
	if (s->name[0] != '?' && (s->name[0] != '_' || strchr(s->name, '.')))
		return false;
	display = demangle(s->name);
	is = display && listing_is_called(display, what);
	free(display);
	return is;
}

size_t listing_find_all(const struct inspect *x, const char *what, struct extent **out)
{
	size_t n, found = 0, cap = 0;
	const struct object_symbol *all = object_symbols(x->file.object, &n);
	struct map64 seen = {0};

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		uint32_t *before;

		if (!is_called(&all[i], what) || !code_holds(x->file.code, all[i].lo))
			continue;
		before = map64_put(&seen, all[i].lo);
		if (!(*before)++)
			VEC_PUSH(*out, found, cap) =
			    (struct extent){.lo = all[i].lo, .hi = all[i].hi, .name = all[i].name};
	}
	map64_release(&seen);
	return found;
}

/* Behind the namespaces and classes; of a name that ends with a template's arguments, all of it. */
static const char *last_name(const char *what)
{
	const char *colons = what[0] && what[strlen(what) - 1] == '>' ? NULL : strrchr(what, ':');

	return colons && colons[1] ? colons + 1 : what;
}

/* Names the first function that has the last part of the name, in whatever namespace or class. */
static enum status listing_unknown(const struct inspect *x, const char *what, struct err *e)
{
	const char *last = last_name(what);
	size_t n, len = strlen(last);
	const struct object_symbol *all = object_symbols(x->file.object, &n);

	for (size_t i = 0; i < n; i++) {
		bool maybe = strstr(all[i].name, last);
		char *readable = maybe ? demangle(all[i].name) : NULL;
		char *display = maybe && !readable ? mem_strdup(all[i].name) : readable;
		size_t end = display ? strcspn(display, "(") : 0;
		bool inner =
		    end >= len && len && !memcmp(display + end - len, last, len) &&
		    (end == len || (end > len + 2 && !memcmp(display + end - len - 2, "::", 2)));

		if (inner)
			err_set(e, ST_NONE, "no function is named '%s'; similar: %.*s", what,
				(int)(end < 120 ? end : 120), display);
		free(display);
		if (inner)
			return err_failure(e);
	}
	return err_set(e, ST_NONE, "no function is named '%s'", what);
}

enum status listing_find(const struct inspect *x, const char *what, struct extent *out,
			 struct err *e)
{
	struct extent *all;
	uint64_t addr;
	size_t n;

	*out = (struct extent){.name = ""};
	if (inspect_no_code(x))
		return err_set(e, ST_NONE, "%s", inspect_no_code(x));
	if (num_auto(what, strlen(what), &addr))
		return listing_by_address(x, addr, out, e);
	n = listing_find_all(x, what, &all);
	if (n) {
		*out = all[0];
		out->others = n - 1;
	}
	free(all);
	return n ? ST_OK : listing_unknown(x, what, e);
}

enum status listing_read(struct listing *l, const struct inspect *x, const struct extent *of,
			 struct err *e)
{
	struct disasm *d = disasm_new(x->file.code, inspect_is_thumb(x, of->lo));
	struct instruction i;

	*l = (struct listing){.x = x, .of = *of};
	if (!d)
		return err_set(e, ST_UNSUPPORTED, "no disassembler for its processor");
	for (uint64_t at = of->lo; l->n < LIMIT_LISTING && disasm_at(d, at, of->hi, &i);
	     at += i.size)
		VEC_PUSH(l->items, l->n, l->cap) =
		    (struct listing_instruction){.addr = at, .size = i.size, .calls = i.calls};
	disasm_free(d);
	return ST_OK;
}

void listing_release(struct listing *l)
{
	free(l->items);
	*l = (struct listing){.n = 0};
}

struct listing_instruction *listing_at(const struct listing *l, uint64_t addr, bool returns)
{
	uint64_t at = addr - returns;
	size_t i = BISECT(k, 0, l->n, l->items[k].addr <= at);
	struct listing_instruction *of = i ? &l->items[i - 1] : NULL;

	if (!of || (returns ? of->addr + of->size != addr : of->addr != addr))
		return NULL;
	return of;
}

enum { OF_ADDRESS, OF_SELF, OF_TOTAL, OF_SHARE }; /* before the instruction */

void listing_sheet(struct table_buf *s, const struct listing_metric *m)
{
	table_buf_init(s, "instructions", NULL);
	table_buf_column(s, "address", "address", COLUMN_TEXT, 0);
	if (m) {
		s->table.flags = TABLE_TREE;
		table_buf_column(s, m->key, m->self_title, m->type, 0);
		table_buf_column(s, m->total_key, m->total_title, m->type, 0);
		table_buf_column(s, "total_share", "total %", COLUMN_PERCENT, 0);
	}
	table_buf_column(s, "instruction", "instruction", COLUMN_TEXT,
			 m ? COLUMN_TREE | COLUMN_SHORTEN : 0);
	table_buf_column(s, "function", "inlined", COLUMN_TEXT, COLUMN_SHORTEN);
	table_buf_column(s, "line", "line", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH);
	if (m) {
		table_buf_column(s, "inlined_at", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT);
		table_buf_column(s, "within", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT);
		table_buf_column(s, "binary", NULL, COLUMN_TEXT, COLUMN_NOT_TEXT);
	}
}

static void put_cost(struct table_cell *row, const struct listing_metric *m,
		     const struct listing_cost *c)
{
	row[OF_SELF] = cell_number(c->self);
	row[OF_TOTAL] = cell_number(c->total);
	row[OF_SHARE] = cell_share(c->total, m->all);
}

static void put_place(struct table_buf *s, struct table_cell *row, const struct lookup *l,
		      uint32_t id)
{
	const struct trace_symbols *y = &l->symbols;
	const struct symbol_call *call;

	if (!id)
		return;
	call = &y->calls[id];
	if (call->outer && !call->function) /* then there may be no functions at all */
		row[0] = table_buf_text(s, "[no name]");
	else if (call->outer)
		row[0] = table_buf_text(
		    s, intern_text(&y->strings, y->functions[call->function].display, NULL));
	if (call->file && call->line)
		row[1] = table_buf_textf(s, "%s:%" PRIu32,
					 intern_text(&y->strings, call->file, NULL), call->line);
}

/* Where the calls stand that are inlined here, as tm-top --source charges them, too: innermost first. */
static void put_chain(struct table_buf *s, struct table_cell *to, const struct lookup *l,
		      uint32_t id)
{
	const struct trace_symbols *y = &l->symbols;
	struct buf b = BUF_INIT;

	/* References point backwards; anything else would be a loop. */
	for (uint32_t up = id ? y->calls[id].outer : 0; up && up < id; up = y->calls[id].outer) {
		const struct symbol_call *call = &y->calls[up];

		id = up;
		if (call->file && call->line)
			buf_addf(&b, "%s%s:%" PRIu32, b.len ? " < " : "",
				 intern_text(&y->strings, call->file, NULL), call->line);
	}
	if (b.len)
		*to = table_buf_text(s, buf_str(&b));
	buf_release(&b);
}

/* What of a row is the function's, where there are costs. */
static void put_within(struct table_cell *row, struct table_cell within, struct table_cell binary)
{
	row[0] = within;
	row[1] = binary;
}

static void put_instruction(struct table_buf *s, struct table_cell *row, size_t at,
			    const struct instruction *i)
{
	row[OF_ADDRESS] = table_buf_textf(s, "0x%" PRIx64, i->addr);
	if (i->known)
		row[at] =
		    table_buf_textf(s, "%s%s%s", i->name, *i->operands ? " " : "", i->operands);
	else
		row[at] = table_buf_textf(s, ".byte 0x%02x", i->bytes[0]);
}

struct table_cell listing_name(struct table_buf *s, const struct listing *l)
{
	char *shown = *l->of.name ? demangle(l->of.name) : NULL;
	struct table_cell c = shown         ? table_buf_text(s, shown)
			      : *l->of.name ? table_buf_text(s, l->of.name)
					    : table_buf_textf(s, "0x%" PRIx64, l->of.lo);

	free(shown);
	return c;
}

enum status listing_rows(struct table_buf *s, const struct listing *l, struct lookup *lookup,
			 const struct listing_metric *m, struct err *e)
{
	const size_t at = m ? OF_SHARE + 1 : OF_ADDRESS + 1, place = at + 1, chain = at + 3,
		     within = at + 4;
	struct disasm *d = disasm_new(l->x->file.code, inspect_is_thumb(l->x, l->of.lo));
	struct lookup_file *file = lookup_file(lookup, l->x->file.path, strlen(l->x->file.path));
	struct lookup_query *queries = mem_zarray(l->n + 1, sizeof *queries);
	struct table_cell name = listing_name(s, l), binary = table_buf_text(s, l->x->file.path),
			  *row;
	struct instruction i;
	enum status st;

	for (size_t k = 0; k < l->n; k++)
		queries[k] = (struct lookup_query){.file = file, .addr = l->items[k].addr};
	st = d ? lookup_run(lookup, queries, l->n, e)
	       : err_set(e, ST_UNSUPPORTED, "no disassembler for its processor");
	if (!st && m) {
		row = table_buf_head(s, l->x->file.path);
		row[at] = name;
		row[at].mark = MARK_STRONG;
		put_cost(row, m, &l->cost);
		put_within(row + within, name, binary);
	}
	for (size_t k = 0; !st && k < l->n && disasm_at(d, l->items[k].addr, l->of.hi, &i); k++) {
		row = table_buf_row(s);
		put_instruction(s, row, at, &i);
		put_place(s, row + place, lookup, queries[k].named.call);
		if (m && l->items[k].cost.stack)
			put_cost(row, m, &l->items[k].cost);
		if (m) {
			put_chain(s, row + chain, lookup, queries[k].named.call);
			put_within(row + within, name, binary);
		}
	}
	if (!st && m && l->none.stack) {
		row = table_buf_row(s);
		row[at] = table_buf_text(s, "[no instruction]");
		put_cost(row, m, &l->none);
		put_within(row + within, name, binary);
	}
	free(queries);
	disasm_free(d);
	return st;
}

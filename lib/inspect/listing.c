/* SPDX-License-Identifier: MIT */
#include "lib/inspect/listing.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/demangle/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_LISTING = 1 << 20, /* instructions */ WITHOUT = 64 /* bytes without a function */ };

static enum status listing_by_address(const struct inspect *x, uint64_t addr, struct extent *out,
				      struct err *e)
{
	const struct object_symbol *s = object_symbol_at(x->file.object, addr);

	if (!code_holds(x->file.code, addr))
		return err_set(e, ST_NONE, "no code at 0x%" PRIx64, addr);
	*out = (struct extent){.lo = addr, .hi = addr + WITHOUT};
	if (s) {
		out->lo = s->lo;
		out->hi = s->hi;
		snprintf(out->name, sizeof out->name, "%s", s->name);
	}
	for (size_t i = 0; !s && i < x->n_functions; i++)
		if (addr >= x->functions[i].lo && addr < x->functions[i].hi) {
			out->lo = x->functions[i].lo;
			out->hi = x->functions[i].hi;
		}
	return ST_OK;
}

/* The whole name, or all of it before its parameters. */
static bool same_name(const char *name, const char *what)
{
	size_t n = strlen(what);

	return !strncmp(name, what, n) && (!name[n] || name[n] == '(');
}

static bool is_called(const struct object_symbol *s, const char *what)
{
	char *display;
	bool is;

	if (!strcmp(s->name, what))
		return true;
	/* Clones (.cold, .part.0) have the same display name; they are chosen by the raw one. */
	if (s->name[0] != '_' || strchr(s->name, '.'))
		return false;
	display = demangle(s->name);
	is = display && same_name(display, what);
	free(display);
	return is;
}

enum status listing_find(const struct inspect *x, const char *what, struct extent *out,
			 struct err *e)
{
	size_t n;
	const struct object_symbol *all = object_symbols(x->file.object, &n);
	uint64_t addr;

	*out = (struct extent){.lo = 0};
	if (num_auto(what, strlen(what), &addr))
		return listing_by_address(x, addr, out, e);
	for (size_t i = 0; i < n; i++) {
		if (!is_called(&all[i], what) || !code_holds(x->file.code, all[i].lo))
			continue;
		if (!out->hi) {
			out->lo = all[i].lo;
			out->hi = all[i].hi;
			snprintf(out->name, sizeof out->name, "%s", all[i].name);
		} else if (all[i].lo != out->lo) {
			out->others++;
		}
	}
	return out->hi ? ST_OK : err_set(e, ST_NONE, "no function is called '%s'", what);
}

static void columns(struct inspect_sheet *s, const struct inspect_cost *cost)
{
	sheet_init(s, "instructions", NULL);
	sheet_column(s, "address", "address", COLUMN_TEXT, 0);
	sheet_column(s, "instruction", "instruction", COLUMN_TEXT, 0);
	if (cost) {
		sheet_column(s, "records", "records", COLUMN_INT, 0);
		sheet_column(s, "requested", "requested", COLUMN_BYTES, 0);
		sheet_column(s, "real", "real", COLUMN_BYTES, 0);
		sheet_column(s, "time_ns", "time", COLUMN_TIME, 0);
	}
	sheet_column(s, "function", "inlined", COLUMN_TEXT, COLUMN_SHORTEN);
	sheet_column(s, "line", "line", COLUMN_TEXT, COLUMN_SHORTEN | COLUMN_PATH);
}

static void put_cost(struct table_cell *row, const struct inspect_cost *cost,
		     const struct instruction *i)
{
	const struct site_cost *c = cost_at(cost, i->addr + i->size, true);

	if (!c || !i->calls)
		c = cost_at(cost, i->addr, false);
	if (!c)
		return;
	row[0] = cell_number(c->records);
	if (c->has_requested)
		row[1] = cell_number(c->requested);
	if (c->has_real)
		row[2] = cell_number(c->real);
	if (c->has_time)
		row[3] = cell_number(c->time);
}

static void put_place(struct inspect_sheet *s, struct table_cell *row, const struct lookup *l,
		      uint32_t id)
{
	const struct trace_symbols *y = &l->symbols;
	const struct symbol_call *call;

	if (!id)
		return;
	call = &y->calls[id];
	if (call->outer && !call->function) /* then there may be no functions at all */
		row[0] = sheet_text(s, "[no name]");
	else if (call->outer)
		row[0] = sheet_text(
		    s, intern_text(&y->strings, y->functions[call->function].display, NULL));
	if (call->file && call->line)
		row[1] = sheet_textf(s, "%s:%" PRIu32, intern_text(&y->strings, call->file, NULL),
				     call->line);
}

enum status listing_make(const struct inspect *x, const struct extent *of,
			 const struct inspect_cost *cost, struct lookup *l, struct inspect_sheet *s,
			 struct err *e)
{
	struct disasm *d = disasm_new(x->file.code, inspect_is_thumb(x, of->lo));
	struct lookup_file *file = lookup_file(l, x->file.path, strlen(x->file.path));
	struct lookup_query *queries = NULL;
	struct instruction i;
	size_t n = 0, cap = 0, place = cost ? 6 : 2;
	enum status st;

	columns(s, cost);
	if (!d)
		return err_set(e, ST_UNSUPPORTED, "no disassembler for its processor");
	for (uint64_t at = of->lo; n < LIMIT_LISTING && disasm_at(d, at, of->hi, &i); at += i.size)
		VEC_PUSH(queries, n, cap) = (struct lookup_query){.file = file, .addr = at};
	st = lookup_run(l, queries, n, e);
	for (size_t k = 0; !st && k < n && disasm_at(d, queries[k].addr, of->hi, &i); k++) {
		struct table_cell *row = sheet_row(s);

		row[0] = sheet_textf(s, "0x%" PRIx64, i.addr);
		if (i.known)
			row[1] =
			    sheet_textf(s, "%s%s%s", i.name, *i.operands ? " " : "", i.operands);
		else
			row[1] = sheet_textf(s, ".byte 0x%02x", i.bytes[0]);
		if (cost)
			put_cost(row + 2, cost, &i);
		put_place(s, row + place, l, queries[k].named.call);
	}
	free(queries);
	disasm_free(d);
	return st;
}

/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/symbolize.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/find/call_check.h"
#include "lib/symbolize/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The batch of one file. */
struct batch {
	struct find_file *file;
	struct sort_item *items; /* key: address to look up, index: location */
	size_t n, cap;
	uint64_t *addrs; /* unique, ascending */
	size_t n_addrs;
	bool mapped; /* there is a line map of it */
	struct dwarf_answers answers;
	struct dwarf_stats stats;
};

struct run {
	struct symbolizer *s;
	struct trace *t;
	const struct trace *maps;
	struct find_resolved *bound; /* by location */
	struct batch *batches;       /* by file index */
	size_t n_batches;
	struct symbolize_calls calls;
	uint32_t jit_object;    /* 0: not yet */
	struct map64 object_of; /* module << 32 | own << 31 | file index + 1 -> object */
};

static void symbolize_collect(struct run *r)
{
	for (size_t i = 1; i < r->t->n_locations; i++) {
		const struct find_resolved *b = &r->bound[i];
		struct batch *x;

		if (b->reason != REASON_RESOLVED || !b->file)
			continue;
		x = &r->batches[b->file->index];
		x->file = b->file;
		VEC_PUSH(x->items, x->n, x->cap) =
		    (struct sort_item){.key = bound_lookup(b), .index = (uint32_t)i};
	}
	for (size_t f = 0; f < r->n_batches; f++) {
		struct batch *x = &r->batches[f];
		const struct managed_of *of =
		    x->n ? managed_of(r->s->options.managed, x->file->object, x->file->path) : NULL;

		x->mapped = of && of->n_maps;
		sort_radix(x->items, x->n);
		x->addrs = mem_array(x->n, sizeof *x->addrs);
		for (size_t i = 0; i < x->n; i++)
			if (!x->n_addrs || x->addrs[x->n_addrs - 1] != x->items[i].key)
				x->addrs[x->n_addrs++] = x->items[i].key;
		dwarf_answers_init(&x->answers, x->n_addrs);
	}
}

/* A line map needs the first lines of functions, which no index has: so such files go apart. */
static enum status symbolize_answer_some(struct run *r, bool mapped, struct err *e)
{
	struct dwarf_job *jobs = mem_zarray(r->n_batches, sizeof *jobs);
	struct dwarf_options options = r->s->options.dwarf;
	enum status st = ST_OK;
	size_t n = 0;

	options.extras |= mapped;
	for (size_t f = 0; f < r->n_batches; f++) {
		struct batch *x = &r->batches[f];

		if (!x->n_addrs || x->mapped != mapped)
			continue;
		jobs[n] = (struct dwarf_job){.object = x->file->object,
					     .addrs = x->addrs,
					     .n = x->n_addrs,
					     .out = &x->answers,
					     .stats = r->s->options.stats ? &x->stats : NULL};
		n++;
	}
	if (n)
		st = cache_run(r->s->options.cache, jobs, n, &options, e);
	n = 0;
	for (size_t f = 0; !st && f < r->n_batches; f++)
		if (r->batches[f].n_addrs && r->batches[f].mapped == mapped)
			verify_offer(r->s->options.verify, &jobs[n++], r->batches[f].file->path,
				     &options);
	free(jobs);
	return st;
}

static enum status answer(struct run *r, struct err *e)
{
	enum status st = symbolize_answer_some(r, false, e);

	return st ? st : symbolize_answer_some(r, true, e);
}

/* A name that the capture came with is used where there is no better one. */
static uint8_t tier_of(const struct trace_symbols *y, uint32_t call, const struct location *l,
		       bool has_object)
{
	if (call && y->calls[call].line)
		return TIER_LINE;
	if (call && y->calls[call].function)
		return TIER_NAME;
	if (!call && l->name)
		return l->file && l->line ? TIER_LINE : TIER_NAME;
	if (!call && l->symbol)
		return TIER_NAME;
	return has_object ? TIER_MODULE : TIER_NOTHING;
}

static uint32_t symbolize_object_of(struct run *r, const struct find_resolved *b)
{
	struct trace_symbols *y = &r->t->symbols;
	const struct trace *of = b->own_module ? r->t : r->maps;
	uint64_t key = (uint64_t)b->module << 32 | (uint64_t)b->own_module << 31 |
		       (b->file ? b->file->index + 1 : 0);
	const char *name = b->module ? trace_text(of, of->modules[b->module].name) : "";
	struct symbol_object o = {.name = 0};
	uint32_t *id;

	if (!b->module && !b->file)
		return 0;
	id = map64_put(&r->object_of, key);
	if (*id)
		return *id;
	if (b->file) {
		const struct object_build_id *build_id = object_build_id(b->file->object);

		o.path = calls_string(&r->calls, b->file->path);
		if (object_debug_path(b->file->object))
			o.debug_path = calls_string(&r->calls, object_debug_path(b->file->object));
		if (build_id->len)
			o.build_id =
			    trace_symbol_string(r->t, (const char *)build_id->bytes, build_id->len);
		if (!*name)
			name = path_base(b->file->path);
	} else if (of->modules[b->module].build_id) {
		size_t n;
		const char *bytes = intern_text(&of->strings, of->modules[b->module].build_id, &n);

		o.build_id = trace_symbol_string(r->t, bytes, n);
	}
	o.name = calls_string(&r->calls, name);
	*id = symbols_object(y, &o);
	return *id;
}

/* Asks the memory early for what an item's binding is made of: items are sorted by address. */
static void symbolize_fetch_item(const struct run *r, const struct batch *x, size_t item)
{
	enum { AHEAD = 12 };
	uint32_t index;

	if (item + AHEAD >= x->n)
		return;
	index = x->items[item + AHEAD].index;
	__builtin_prefetch(&r->bound[index]);
	__builtin_prefetch(&r->t->locations[index]);
	__builtin_prefetch(symbols_binding(&r->t->symbols, index));
}

/* The function that begins where unwind tables say so, of an address that nothing names; 0: they do not. All calls in
 * one are one function then. */
static uint32_t symbolize_start_of(struct run *r, struct object *o, uint64_t addr)
{
	char name[sizeof SYMBOL_START + 16];
	uint64_t start;
	int n;

	if (!object_function_start(o, addr, &start))
		return 0;
	n = snprintf(name, sizeof name, SYMBOL_START "%" PRIx64, start);
	return calls_add(&r->calls, &(struct symbol_call){
					.function = calls_function(&r->calls, name, (size_t)n)});
}

/* A name that the capture came with says more than a start. */
static void symbolize_bind_item(struct run *r, uint32_t index, const struct symbolize_named *n,
				uint32_t start)
{
	const struct find_resolved *b = &r->bound[index];
	const struct location *l = &r->t->locations[index];
	bool by_start = start && !l->name && !l->symbol;

	symbols_bind(&r->t->symbols, index,
		     &(struct binding){.vaddr = b->vaddr,
				       .object = symbolize_object_of(r, b),
				       .call = by_start ? start : n->call,
				       .reason = n->reason,
				       .tier = by_start ? TIER_MODULE
							: tier_of(&r->t->symbols, n->call, l, true),
				       .flags = b->flags | n->flags,
				       .kind = b->kind});
}

/* One symbol-table or engine answer per unique address, for all locations that share it. */
static void symbolize_bind_batch(struct run *r, struct batch *x)
{
	struct calls_of of;
	size_t item = 0, reached = 0;
	const char *why;
	unsigned left_out;

	calls_of_init(&of, &r->calls, x->file->object, x->addrs, &x->answers);
	for (size_t i = 0; i < x->n_addrs; i++) {
		struct symbolize_named n = calls_at(&of, i);
		uint32_t start = n.call ? 0 : symbolize_start_of(r, of.object, of.addrs[i]);

		if (n.call && object_is_folded(of.object, of.addrs[i]))
			n.flags |= BINDING_FOLDED;
		reached += n.call && n.flags & BINDING_UNSIZED &&
			   !object_is_symbol_start(of.object, of.addrs[i]);
		for (; item < x->n && x->items[item].key == x->addrs[i]; item++) {
			symbolize_fetch_item(r, x, item);
			symbolize_bind_item(r, x->items[item].index, &n, start);
		}
	}
	calls_of_release(&of);
	for (size_t i = 0; i < x->answers.n_complaints; i++)
		trace_note(r->t, NOTE_INFO, 1, "%s: %s", x->file->path,
			   intern_text(&x->answers.strings, x->answers.complaints[i], NULL));
	if (reached && object_has_exports_alone(x->file->object))
		trace_note(r->t, NOTE_GUESS, reached,
			   "%s: addresses named by an export before them whose end is not known: "
			   "they may be in a "
			   "function that is not exported",
			   x->file->path);
	why = object_debug_unproven(x->file->object);
	if (why && x->n_addrs)
		trace_note(r->t, NOTE_GUESS, 1, "%s: %s", x->file->path, why);
	why = object_symbols_left_out(x->file->object, &left_out);
	if (why)
		trace_note(r->t, NOTE_LOSS, left_out, "%s: symbol tables left out: %s",
			   x->file->path, why);
}

/* A module without a file may have a usym: then that is what names its functions. */
static void by_usym(struct run *r, const struct find_resolved *b, struct binding *x)
{
	const struct trace *of = b->own_module ? r->t : r->maps;
	const struct module *m = &of->modules[b->module];
	size_t n;
	const char *id = intern_text(&of->strings, b->module ? m->build_id : 0, &n);
	const struct usym *u =
	    managed_usym(r->s->options.managed, b->module ? trace_text(of, m->name) : "",
			 (const uint8_t *)id, n);
	struct symbolize_named named;

	if (!u || b->vaddr >> 48) /* before the module */
		return;
	named = calls_of_usym(&r->calls, u, bound_lookup(b));
	x->call = named.call;
	x->reason = named.reason;
}

/* Code that was compiled at run time is in no module's file. */
static void symbolize_by_jit(struct run *r, const struct location *l, struct binding *x)
{
	const struct managed *m = r->s->options.managed;
	uint64_t addr = l->raw;
	const char *name;

	if (x->kind != LOCATION_EXACT && x->kind != LOCATION_ENTRY && addr)
		addr--;
	name = jit_map_at(&m->jit, addr);
	if (!name)
		return;
	if (!r->jit_object) {
		const char *path = m->options.jit_map;

		r->jit_object = symbols_object(
		    &r->t->symbols,
		    &(struct symbol_object){.name = calls_string(&r->calls, path_base(path)),
					    .path = calls_string(&r->calls, path)});
	}
	*x = (struct binding){
	    .vaddr = l->raw,
	    .object = r->jit_object,
	    .reason = REASON_RESOLVED,
	    .flags = BINDING_FROM_SYMTAB,
	    .kind = x->kind,
	    .call = calls_add(
		&r->calls,
		&(struct symbol_call){.function = calls_function(&r->calls, name, strlen(name))})};
}

/* A module whose file is not there any more: what the recorder read of it. */
static void by_symbol(struct run *r, const struct location *l, struct binding *x)
{
	size_t n;
	const char *name = intern_text(&r->t->strings, l->symbol, &n);

	x->flags |= BINDING_FROM_SYMTAB;
	x->call = calls_add(&r->calls,
			    &(struct symbol_call){.function = calls_function(&r->calls, name, n)});
}

static void symbolize_bind_rest(struct run *r)
{
	for (size_t i = 1; i < r->t->n_locations; i++) {
		const struct find_resolved *b = &r->bound[i];
		const struct location *l = &r->t->locations[i];
		struct binding x = {.vaddr = b->vaddr, .reason = b->reason, .kind = b->kind};

		if (b->reason == REASON_RESOLVED && b->file)
			continue;
		if (l->space != SPACE_NAME)
			x.object = symbolize_object_of(r, b);
		if (b->reason == REASON_NO_FILE)
			by_usym(r, b, &x);
		if (l->space == SPACE_RUNTIME && r->s->options.managed->jit.n &&
		    (b->reason == REASON_NO_MODULE || b->reason == REASON_OUTSIDE))
			symbolize_by_jit(r, l, &x);
		if (!x.call && l->symbol && !l->name)
			by_symbol(r, l, &x);
		x.tier = tier_of(&r->t->symbols, x.call, l, x.object);
		symbols_bind(&r->t->symbols, (uint32_t)i, &x);
	}
}

static void release(struct run *r)
{
	for (size_t f = 0; f < r->n_batches; f++) {
		struct batch *x = &r->batches[f];

		free(x->items);
		free(x->addrs);
		dwarf_answers_release(&x->answers);
	}
	free(r->batches);
	free(r->bound);
	calls_release(&r->calls);
	map64_release(&r->object_of);
}

static void count(struct symbolize_stats *s, const struct run *r)
{
	for (size_t f = 0; f < r->n_batches; f++) {
		const struct batch *x = &r->batches[f];

		if (x->n)
			VEC_PUSH(s->modules, s->n, s->cap) =
			    (struct stats_module){.path = x->file->path,
						  .locations = x->n,
						  .addresses = x->n_addrs,
						  .dwarf = x->stats};
	}
	s->locations += r->t->n_locations ? r->t->n_locations - 1 : 0;
	s->functions += r->t->symbols.n_functions ? r->t->symbols.n_functions - 1 : 0;
	s->calls += r->t->symbols.n_calls ? r->t->symbols.n_calls - 1 : 0;
}

static void note_managed(struct managed *m, struct trace *t)
{
	if (m->mapped)
		trace_note(t, NOTE_INFO, m->mapped, "calls in generated C++ have their C# line");
	if (m->no_file)
		trace_note(t, NOTE_INFO, m->no_file,
			   "calls of generated functions are in C++ files without a line map");
	if (m->no_entry)
		trace_note(t, NOTE_INFO, m->no_entry,
			   "calls in generated C++ are before the first mapped line of their "
			   "function");
	if (m->no_source)
		trace_note(t, NOTE_INFO, m->no_source,
			   "calls are in generated C++ that has no C# source");
	m->mapped = m->no_file = m->no_entry = m->no_source = 0;
}

enum status symbolizer_run(struct symbolizer *s, struct trace *t, const struct trace *maps,
			   struct err *e)
{
	struct run r = {.s = s, .t = t, .maps = maps};
	uint64_t cut = t->cut_strings;
	struct symbolize_stats none, *stats = s->options.stats ? s->options.stats : &none;
	double from = clock_seconds();
	enum status st;

	if (stats == &none)
		none = (struct symbolize_stats){.n = 0};
	symbols_release(&t->symbols);
	calls_init(&r.calls, &t->symbols, &t->cut_strings);
	r.calls.unique = true;
	r.calls.managed = s->options.managed;
	r.calls.demangle = s->options.demangler;
	r.calls.plt_names = true;
	r.calls.symbol_files = true;
	r.bound = mem_array(t->n_locations, sizeof *r.bound);
	bind_locations(t, maps, &s->files, &s->options.bind, r.bound);
	call_check_notes(t, maps, r.bound);
	r.n_batches = s->files.n;
	r.batches = mem_zarray(r.n_batches, sizeof *r.batches);
	symbolize_collect(&r);
	stats->bind += stats_lap(&from);
	st = answer(&r, e);
	stats->engine += stats_lap(&from);
	if (!st) {
		for (size_t f = 0; f < r.n_batches; f++)
			if (r.batches[f].n)
				symbolize_bind_batch(&r, &r.batches[f]);
		symbolize_bind_rest(&r);
		st = cache_intact(s->options.cache, e); /* the names were copied from it just now */
		stats->copy += stats_lap(&from);
		calls_demangle(&r.calls, s->options.dwarf.jobs);
		stats->names += stats_lap(&from);
		note_managed(s->options.managed, t);
		if (s->options.stats)
			count(stats, &r);
	}
	if (t->cut_strings > cut)
		trace_note(t, NOTE_LOSS, t->cut_strings - cut,
			   "names of functions longer than %d bytes were cut", TRACE_STRING_MAX);
	release(&r);
	return st;
}

void symbolizer_init(struct symbolizer *s, const struct symbolize_options *o)
{
	s->options = *o;
	managed_load(o->managed);
	files_init(&s->files, &s->options.files);
}

void symbolizer_release(struct symbolizer *s)
{
	files_release(&s->files);
}

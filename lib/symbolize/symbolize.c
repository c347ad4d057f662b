/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/symbolize.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/symbolize/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The batch of one file. */
struct batch {
	struct file *file;
	struct sort_item *items; /* key: address to look up, index: location */
	size_t n, cap;
	uint64_t *addrs; /* unique, ascending */
	size_t n_addrs;
	struct dwarf_answers answers;
	uint32_t *calls;     /* answers' call -> symbols' call, 0: not yet */
	uint32_t *functions; /* answers' string -> symbols' function, 0: not yet */
};

struct run {
	struct symbolizer *s;
	struct trace *t;
	const struct trace *maps;
	struct bound *bound;   /* by location */
	struct batch *batches; /* by file index */
	size_t n_batches;
	struct map64 function_of; /* symbol string -> function */
	struct map64 object_of;   /* module << 32 | own << 31 | file index + 1 -> object */
};

static void collect(struct run *r)
{
	for (size_t i = 1; i < r->t->n_locations; i++) {
		const struct bound *b = &r->bound[i];
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

		sort_radix(x->items, x->n);
		x->addrs = mem_array(x->n, sizeof *x->addrs);
		for (size_t i = 0; i < x->n; i++)
			if (!x->n_addrs || x->addrs[x->n_addrs - 1] != x->items[i].key)
				x->addrs[x->n_addrs++] = x->items[i].key;
		dwarf_answers_init(&x->answers, x->n_addrs);
	}
}

static enum status answer(struct run *r, struct err *e)
{
	struct dwarf_job *jobs = mem_zarray(r->n_batches, sizeof *jobs);
	size_t n = 0;
	enum status st;

	for (size_t f = 0; f < r->n_batches; f++) {
		struct batch *x = &r->batches[f];

		if (!x->n_addrs)
			continue;
		jobs[n] = (struct dwarf_job){.object = x->file->object,
					     .addrs = x->addrs,
					     .n = x->n_addrs,
					     .out = &x->answers};
		n++;
	}
	st = n ? r->s->options.engine->run(jobs, n, &r->s->options.dwarf, e) : ST_OK;
	free(jobs);
	return st;
}

static uint32_t symbol_string(struct run *r, const char *s)
{
	return *s ? trace_symbol_string(r->t, s, strlen(s)) : 0;
}

/* The display name is filled in when all functions are known (demangle_all). */
static uint32_t function(struct run *r, const char *raw)
{
	uint32_t string = symbol_string(r, raw), *id;

	if (!string)
		return 0;
	id = map64_put(&r->function_of, string);
	if (!*id)
		*id = symbols_function(&r->t->symbols, &(struct symbol_function){.raw = string});
	return *id;
}

static uint32_t answer_function(struct run *r, struct batch *x, uint32_t string)
{
	if (!string)
		return 0;
	if (!x->functions[string])
		x->functions[string] = function(r, intern_text(&x->answers.strings, string, NULL));
	return x->functions[string];
}

/* gcc gives static functions and those of unnamed namespaces no linkage name: the symbol's says
 * more ("eng::(anonymous namespace)::build_mesh(int)" for "build_mesh"). It is taken for the
 * physical function only, and only when it holds the DWARF name as a part of its own: a symbol of
 * folded code is another function's. */
static uint32_t better_name(struct run *r, struct batch *x, uint64_t addr, uint32_t function_id)
{
	const struct symbols *y = &r->t->symbols;
	const char *name = intern_text(&y->strings, y->functions[function_id].raw, NULL);
	size_t n = strcspn(name, "<");
	const struct object_symbol *sym;
	char part[300];

	if ((name[0] == '_' && strchr("ZR", name[1])) || !n || n > sizeof part - 24)
		return 0;
	sym = object_symbol_at(x->file->object, addr);
	if (!sym || strncmp(sym->name, "_Z", 2))
		return 0;
	if (!strcmp(name, "operator()")) /* a lambda's */
		snprintf(part, sizeof part, "clE");
	else
		snprintf(part, sizeof part, "%zu%.*s", n, (int)n, name);
	return strstr(sym->name, part) ? function(r, sym->name) : 0;
}

/* Copies the chain of an engine's call, outermost first, so that references point backwards. */
static uint32_t copy_call(struct run *r, struct batch *x, uint64_t addr, uint32_t call)
{
	enum { DEEPEST = 4096 }; /* engines bound their chains; this ends a cycle all the same */
	uint32_t chain[DEEPEST], n = 0, outer = 0;

	for (; call && call < x->answers.n_calls && n < DEEPEST;
	     call = x->answers.calls[call].outer) {
		if (x->calls[call]) {
			outer = x->calls[call];
			break;
		}
		chain[n++] = call;
	}
	while (n--) {
		const struct dwarf_call *c = &x->answers.calls[chain[n]];
		uint32_t name = answer_function(r, x, c->function);
		uint32_t better = !outer && name ? better_name(r, x, addr, name) : 0;

		outer = x->calls[chain[n]] = symbols_call(
		    &r->t->symbols,
		    &(struct symbol_call){
			.outer = outer,
			.function = better ? better : name,
			.file = symbol_string(r, intern_text(&x->answers.strings, c->file, NULL)),
			.line = c->line,
			.column = c->column});
	}
	return outer;
}

/* Names from the symbol table, for what has no DIE: thunks, assembler, files without DWARF. */
static uint32_t symbol_call_at(struct run *r, struct batch *x, uint64_t addr,
			       const struct symbol_call *line, uint8_t *flags)
{
	const struct object_symbol *sym = object_symbol_at(x->file->object, addr);
	struct symbol_call call = line ? *line : (struct symbol_call){.line = 0};

	if (!sym && !line)
		return 0;
	if (sym) {
		call.function = function(r, sym->name);
		*flags |= BINDING_FROM_SYMTAB | (sym->sized ? 0 : BINDING_UNSIZED);
	}
	return symbols_call(&r->t->symbols, &call);
}

static uint8_t reason_of(const struct dwarf_answer *a, bool named)
{
	switch (a->found) {
	case DWARF_FUNCTION: return REASON_RESOLVED;
	case DWARF_MALFORMED: return REASON_MALFORMED;
	case DWARF_GAVE_UP: return REASON_GAVE_UP;
	case DWARF_ABSENT: return named ? REASON_NO_DWARF : REASON_NO_SYMBOL;
	default: return named ? REASON_RESOLVED : REASON_NO_SYMBOL;
	}
}

/* A name that the capture came with stands in where there is no better one. */
static uint8_t tier_of(const struct symbols *y, uint32_t call, const struct location *l,
		       bool has_object)
{
	if (call && y->calls[call].line)
		return TIER_LINE;
	if (call && y->calls[call].function)
		return TIER_NAME;
	if (!call && l->name)
		return l->file && l->line ? TIER_LINE : TIER_NAME;
	return has_object ? TIER_MODULE : TIER_NOTHING;
}

static uint32_t object_of(struct run *r, const struct bound *b)
{
	struct symbols *y = &r->t->symbols;
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
		const char *slash = strrchr(b->file->path, '/');
		const struct object_build_id *build_id = object_build_id(b->file->object);

		o.path = symbol_string(r, b->file->path);
		if (object_debug_path(b->file->object))
			o.debug_path = symbol_string(r, object_debug_path(b->file->object));
		if (build_id->len)
			o.build_id =
			    trace_symbol_string(r->t, (const char *)build_id->bytes, build_id->len);
		if (!*name)
			name = slash ? slash + 1 : b->file->path;
	}
	o.name = symbol_string(r, name);
	*id = symbols_object(y, &o);
	return *id;
}

/* One symbol-table or engine answer per unique address, for all locations that share it. */
static void bind_batch(struct run *r, struct batch *x)
{
	struct symbols *y = &r->t->symbols;
	size_t item = 0;

	x->calls = mem_zarray(x->answers.n_calls, sizeof *x->calls);
	x->functions =
	    mem_zarray((size_t)intern_count(&x->answers.strings) + 1, sizeof *x->functions);
	for (size_t i = 0; i < x->n_addrs; i++) {
		const struct dwarf_answer *a = &x->answers.of[i];
		uint32_t call = a->found == DWARF_FUNCTION || a->found == DWARF_LINE_ONLY
				    ? copy_call(r, x, x->addrs[i], a->call)
				    : 0;
		uint8_t flags = 0, reason;

		if (a->found != DWARF_FUNCTION) {
			struct symbol_call line =
			    call ? y->calls[call] : (struct symbol_call){.line = 0};

			call = symbol_call_at(r, x, x->addrs[i], call ? &line : NULL, &flags);
		}
		reason = reason_of(a, call && y->calls[call].function);
		for (; item < x->n && x->items[item].key == x->addrs[i]; item++) {
			uint32_t index = x->items[item].index;
			const struct bound *b = &r->bound[index];

			symbols_bind(y, index,
				     &(struct binding){
					 .vaddr = b->vaddr,
					 .object = object_of(r, b),
					 .call = call,
					 .reason = reason,
					 .tier = tier_of(y, call, &r->t->locations[index], true),
					 .flags = b->flags | flags,
					 .kind = b->kind});
		}
	}
	for (size_t i = 0; i < x->answers.n_complaints; i++)
		trace_note(r->t, NOTE_INFO, 1, "%s: %s", x->file->path,
			   intern_text(&x->answers.strings, x->answers.complaints[i], NULL));
}

static void bind_rest(struct run *r)
{
	for (size_t i = 1; i < r->t->n_locations; i++) {
		const struct bound *b = &r->bound[i];
		const struct location *l = &r->t->locations[i];
		struct binding x = {.vaddr = b->vaddr, .reason = b->reason, .kind = b->kind};

		if (b->reason == REASON_RESOLVED && b->file)
			continue;
		if (l->space != SPACE_NAME)
			x.object = object_of(r, b);
		x.tier = tier_of(&r->t->symbols, 0, l, x.object);
		symbols_bind(&r->t->symbols, (uint32_t)i, &x);
	}
}

struct demangling {
	const struct symbols *y;
	char **display; /* by function id; NULL: not mangled */
};

enum { DEMANGLE_CHUNK = 512 };

static void demangle_chunk(size_t item, unsigned worker, void *arg)
{
	struct demangling *d = arg;
	size_t end = (item + 1) * DEMANGLE_CHUNK;

	(void)worker;
	for (size_t i = item * DEMANGLE_CHUNK; i < end && i < d->y->n_functions; i++)
		if (i)
			d->display[i] =
			    demangle(intern_text(&d->y->strings, d->y->functions[i].raw, NULL));
}

static void demangle_all(struct run *r)
{
	struct symbols *y = &r->t->symbols;
	struct demangling d = {.y = y, .display = mem_zarray(y->n_functions, sizeof *d.display)};

	pool_run(r->s->options.dwarf.jobs, (y->n_functions + DEMANGLE_CHUNK - 1) / DEMANGLE_CHUNK,
		 demangle_chunk, &d);
	for (size_t i = 1; i < y->n_functions; i++) {
		y->functions[i].display =
		    d.display[i] ? symbol_string(r, d.display[i]) : y->functions[i].raw;
		free(d.display[i]);
	}
	free(d.display);
}

static void release(struct run *r)
{
	for (size_t f = 0; f < r->n_batches; f++) {
		struct batch *x = &r->batches[f];

		free(x->items);
		free(x->addrs);
		free(x->calls);
		free(x->functions);
		dwarf_answers_release(&x->answers);
	}
	free(r->batches);
	free(r->bound);
	map64_release(&r->function_of);
	map64_release(&r->object_of);
}

enum status symbolizer_run(struct symbolizer *s, struct trace *t, const struct trace *maps,
			   struct err *e)
{
	struct run r = {.s = s, .t = t, .maps = maps};
	uint64_t cut = t->cut_strings;
	enum status st;

	symbols_release(&t->symbols);
	r.bound = mem_array(t->n_locations, sizeof *r.bound);
	bind_locations(t, maps, &s->files, &s->options.bind, r.bound);
	r.n_batches = s->files.n;
	r.batches = mem_zarray(r.n_batches, sizeof *r.batches);
	collect(&r);
	st = answer(&r, e);
	if (!st) {
		for (size_t f = 0; f < r.n_batches; f++)
			if (r.batches[f].n)
				bind_batch(&r, &r.batches[f]);
		bind_rest(&r);
		demangle_all(&r);
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
	files_init(&s->files, &o->files);
}

void symbolizer_release(struct symbolizer *s)
{
	files_release(&s->files);
}

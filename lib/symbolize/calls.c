/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/calls.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/demangle/demangle.h"
#include "lib/trace/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_FIXED UINT32_C(0x80000000)

void calls_init(struct symbolize_calls *c, struct trace_symbols *to, uint64_t *cut)
{
	*c = (struct symbolize_calls){.to = to, .cut = cut};
}

void calls_release(struct symbolize_calls *c)
{
	id_set_release(&c->known);
	free(c->function_of);
	free(c->extras);
}

static uint64_t call_hash(const void *table, uint32_t id)
{
	const struct trace_symbols *to = table;

	return hash_bytes(&to->calls[id], sizeof *to->calls);
}

static bool call_equal(const void *table, uint32_t id, const void *key)
{
	const struct trace_symbols *to = table;

	return !memcmp(&to->calls[id], key, sizeof *to->calls);
}

static const struct id_rows call_rows = {call_hash, call_equal};

uint32_t calls_add(struct symbolize_calls *c, const struct symbol_call *call)
{
	uint64_t hash;
	uint32_t id;

	if (!c->unique)
		return symbols_call(c->to, call);
	hash = hash_bytes(call, sizeof *call);
	id = id_set_find(&c->known, &call_rows, c->to, hash, call);
	if (!id) {
		id = symbols_call(c->to, call);
		id_set_add(&c->known, &call_rows, c->to, hash, id);
	}
	return id;
}

void calls_of_init(struct calls_of *o, struct symbolize_calls *calls, struct object *object,
		   const uint64_t *addrs, const struct dwarf_answers *answers)
{
	size_t n_strings = dwarf_text_slots(answers);

	*o =
	    (struct calls_of){.calls = calls, .object = object, .addrs = addrs, .answers = answers};
	o->plain = mem_zarray(dwarf_call_slots(answers), sizeof *o->plain);
	o->functions = mem_zarray(n_strings, sizeof *o->functions);
	o->files = mem_zarray(n_strings, sizeof *o->files);
	if (calls->managed)
		o->managed = managed_of(calls->managed, object, NULL);
}

uint64_t calls_of_bytes(const struct calls_of *o)
{
	return sizeof *o + dwarf_call_slots(o->answers) * sizeof *o->plain +
	       dwarf_text_slots(o->answers) * (sizeof *o->functions + sizeof *o->files);
}

void calls_of_release(struct calls_of *o)
{
	map64_release(&o->copied);
	map64_release(&o->line_memo);
	free(o->plain);
	free(o->functions);
	free(o->files);
	*o = (struct calls_of){.calls = NULL};
}

static uint32_t add_string(struct symbolize_calls *c, const char *s, size_t n)
{
	bool cut = false;
	uint32_t id = n ? intern_add_cut(&c->to->strings, s, n, TRACE_STRING_MAX, &cut) : 0;

	*c->cut += cut;
	return id;
}

uint32_t calls_string(struct symbolize_calls *c, const char *s)
{
	return add_string(c, s, strlen(s));
}

/* The display name is filled in when all functions are known (calls_demangle). */
uint32_t calls_function(struct symbolize_calls *c, const char *raw, size_t n)
{
	uint32_t string = add_string(c, raw, n), *id;

	if (!string)
		return 0;
	c->function_of = mem_grow_zero(c->function_of, &c->cap_functions, (size_t)string + 1,
				       sizeof *c->function_of);
	id = &c->function_of[string];
	if (!*id)
		*id = symbols_function(c->to, &(struct symbol_function){.raw = string});
	return *id;
}

static uint32_t function(struct symbolize_calls *c, const char *raw)
{
	return calls_function(c, raw, strlen(raw));
}

static uint32_t answer_function(struct calls_of *o, uint32_t string)
{
	uint32_t *known = &o->functions[dwarf_text_slot(o->answers, string)];
	const char *s;
	size_t n;

	if (!string)
		return 0;
	if (!*known) {
		s = dwarf_text(o->answers, string, &n);
		*known = calls_function(o->calls, s, n);
	}
	return *known;
}

static uint32_t answer_file(struct calls_of *o, uint32_t string)
{
	uint32_t *known = &o->files[dwarf_text_slot(o->answers, string)];
	const char *s;
	size_t n;

	if (!string)
		return 0;
	if (!*known) {
		s = dwarf_text(o->answers, string, &n);
		*known = add_string(o->calls, s, n) + 1;
	}
	return *known - 1;
}

bool calls_is_mangled(const char *name, size_t n)
{
	return n > 1 && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static void set_extra(struct symbolize_calls *c, uint32_t call, const struct dwarf_extra *x)
{
	while (c->n_extras <= call)
		VEC_PUSH(c->extras, c->n_extras, c->cap_extras) =
		    (struct dwarf_extra){.start = DWARF_NO_START};
	c->extras[call] = *x;
}

static void copy_extra(struct calls_of *o, uint32_t call, const struct dwarf_call *c)
{
	struct dwarf_extra x;

	if (!c->extra || o->answers->mute)
		return;
	x = dwarf_extra_of(o->answers, c);
	x.name = answer_file(o, x.name);
	x.file = answer_file(o, x.file);
	set_extra(o->calls, call, &x);
}

const struct object_symbol *calls_symbol(struct object *o, uint64_t addr, const char *name,
					 size_t n_name)
{
	size_t n = 0;
	const struct object_symbol *sym;
	const char *at;
	char part[300];

	while (n < n_name && n <= sizeof part && name[n] && name[n] != '<')
		n++;
	/* the engine of PDBs has given the linkage name, where there is one */
	if (calls_is_mangled(name, n_name) || !n || n > sizeof part - 24 || object_has_pdb(o) ||
	    !object_has_cxx_symbols(o))
		return NULL;
	sym = object_symbol_at(o, addr);
	if (!sym || strncmp(sym->name, "_Z", 2))
		return NULL;
	if (n_name == 10 && !memcmp(name, "operator()", 10)) /* a lambda's */
		snprintf(part, sizeof part, "clE");
	else if (name[0] == '~')
		snprintf(part, sizeof part, "%zu%.*s", n - 1, (int)n - 1, name + 1);
	else
		snprintf(part, sizeof part, "%zu%.*s", n, (int)n, name);
	at = strstr(sym->name, part);
	/* Its D0, D1 or D2 follows the arguments of its class, if that is a template's. */
	if (at && name[0] == '~')
		at = strstr(at, "D0Ev") || strstr(at, "D1Ev") || strstr(at, "D2Ev") ? at : NULL;
	return at ? sym : NULL;
}

/* A compiler that names no linkage of a function has made it for its own file: the symbol of what is only hidden is
 * local, too. */
static uint32_t better_name(struct calls_of *o, uint64_t addr, uint32_t function_id)
{
	const struct trace_symbols *y = o->calls->to;
	size_t n;
	const char *name = intern_text(&y->strings, y->functions[function_id].raw, &n);
	const struct object_symbol *sym = calls_symbol(o->object, addr, name, n);

	o->local = sym && sym->local;
	return sym ? function(o->calls, sym->name) : 0;
}

/* Copies the chain of an engine's call, outermost first, so that references point backwards. Chains
 * share their ends, but not when the symbol table names them differently: a destructor's variants
 * are one function to DWARF. whole: nothing will be added to it. */
static uint32_t copy_call(struct calls_of *o, uint64_t addr, uint32_t call, bool whole)
{
	enum { DEEPEST = 4096 }; /* engines bound their chains; this ends a cycle all the same */
	uint32_t chain[DEEPEST], n = 0, outer = 0, name, better = 0, fixed = CALL_FIXED;
	struct dwarf_call c;
	const char *text;
	size_t len;

	for (; n < DEEPEST && dwarf_call_at(o->answers, call, &c); call = dwarf_outer(&c, call)) {
		uint32_t known = o->plain[dwarf_call_slot(o->answers, call)];

		if (known & CALL_FIXED) {
			outer = known & ~CALL_FIXED;
			break;
		}
		chain[n++] = call;
	}
	if (!outer && n) {
		dwarf_call_at(o->answers, chain[n - 1], &c);
		name = answer_function(o, c.function);
		better = name && !o->calls->dwarf_names ? better_name(o, addr, name) : 0;
		text = name ? intern_text(&o->calls->to->strings, o->calls->to->functions[name].raw,
					  &len)
			    : NULL;
		if (text && !calls_is_mangled(text, len))
			fixed = 0;
	}
	while (n) {
		uint32_t *copy = better
				     ? map64_put(&o->copied, (uint64_t)better << 32 | chain[n - 1])
				     : &o->plain[dwarf_call_slot(o->answers, chain[n - 1])];

		dwarf_call_at(o->answers, chain[--n], &c);

		if (!*copy) {
			struct symbol_call copied = {
			    .outer = outer, .line = c.line, .column = c.column};

			copied.function =
			    !outer && better ? better : answer_function(o, c.function);
			copied.file = answer_file(o, c.file);
			*copy = calls_add(o->calls, &copied) | (better ? 0 : fixed);
			copy_extra(o, *copy & ~CALL_FIXED, &c);
			if (whole && o->managed)
				*copy =
				    calls_at_line(o, *copy & ~CALL_FIXED) | (*copy & CALL_FIXED);
		}
		outer = *copy & ~CALL_FIXED;
	}
	return outer;
}

const struct object_symbol *calls_symbol_alone(struct object *o, uint64_t addr, bool plt_names)
{
	const struct object_symbol *sym = object_symbol_at(o, addr);

	return sym || !plt_names ? sym : object_stub_at(o, addr);
}

/* A local symbol is of the source file that STT_FILE names in front of it (gABI, "Symbol Table"): the base name. An object
 * of -flto has "<artificial>" there. */
static const char *symbol_source(const struct object_symbol *sym)
{
	return sym->local && sym->file && *sym->file != '<' ? sym->file : NULL;
}

/* Names from the symbol table, for what has no DIE: thunks, assembler, files without DWARF. */
static uint32_t symbol_call_at(struct calls_of *o, uint64_t addr, const struct symbol_call *line,
			       uint8_t *flags)
{
	const struct object_symbol *sym = calls_symbol_alone(o->object, addr, o->calls->plt_names);
	struct symbol_call call = line ? *line : (struct symbol_call){.line = 0};

	if (!sym && !line)
		return 0;
	if (sym) {
		const char *source = o->calls->symbol_files ? symbol_source(sym) : NULL;

		call.function = function(o->calls, sym->name);
		if (source && !call.file)
			call.file = calls_string(o->calls, source);
		*flags |= source ? BINDING_LOCAL : 0;
		*flags |= BINDING_FROM_SYMTAB | (sym->sized ? 0 : BINDING_UNSIZED);
	}
	return calls_add(o->calls, &call);
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

struct symbolize_named calls_by(struct calls_of *o, uint64_t addr, const struct dwarf_answer *a)
{
	const struct trace_symbols *y = o->calls->to;
	struct symbolize_named n = {.found = a->found};

	o->local = false;
	if (a->found == DWARF_FUNCTION || a->found == DWARF_LINE_ONLY)
		n.call = copy_call(o, addr, a->call, a->found == DWARF_FUNCTION);
	if (o->local && a->found == DWARF_FUNCTION)
		n.flags |= BINDING_LOCAL;
	if (a->found != DWARF_FUNCTION) {
		struct symbol_call line = {.line = 0};
		uint32_t known;

		if (n.call)
			line = y->calls[n.call];
		known = n.call;
		n.call = symbol_call_at(o, addr, n.call ? &line : NULL, &n.flags);
		if (known && known < o->calls->n_extras) {
			struct dwarf_extra x = o->calls->extras[known];

			set_extra(o->calls, n.call, &x);
		}
		if (o->managed && n.call)
			n.call = calls_at_line(o, n.call);
	}
	n.reason = reason_of(a, n.call && y->calls[n.call].function);
	if (o->managed && o->managed->usym) {
		uint32_t before = n.call;

		n.call = calls_at_address(o, addr, before);
		if (n.call != before)
			n.reason = REASON_RESOLVED;
	}
	return n;
}

struct symbolize_named calls_at(struct calls_of *o, size_t i)
{
	return calls_by(o, o->addrs[i], &o->answers->of[i]);
}

struct demangling {
	const struct trace_symbols *y;
	const struct managed *managed; /* NULL: none */
	char *(*demangle)(const char *raw);
	size_t first;
	char **display; /* by function id, from first on; NULL: not mangled */
};

enum {
	DEMANGLE_CHUNK = 512,
	MOST = 32 * DEMANGLE_CHUNK
}; /* of names at once, which are held twice meanwhile */

static void calls_demangle_chunk(size_t item, unsigned worker, void *arg)
{
	struct demangling *d = arg;
	size_t from = d->first + item * DEMANGLE_CHUNK, end = from + DEMANGLE_CHUNK;

	(void)worker;
	for (size_t i = from; i < end && i < d->y->n_functions; i++) {
		const char *raw = intern_text(&d->y->strings, d->y->functions[i].raw, NULL);
		char **to = &d->display[i - d->first], *name;

		*to = d->demangle(raw);
		name = d->managed ? managed_name(d->managed, raw, *to) : NULL;
		if (name) {
			free(*to);
			*to = name;
		}
	}
}

void calls_demangle(struct symbolize_calls *c, unsigned jobs)
{
	struct trace_symbols *y = c->to;
	size_t first = c->n_shown ? c->n_shown : 1, n = y->n_functions;
	struct demangling d = {
	    .y = y,
	    .managed = c->managed,
	    .demangle = c->demangle ? c->demangle : demangle,
	    .first = first,
	};

	c->n_shown = n;
	if (first >= n)
		return;
	d.display = mem_array(n - first < MOST ? n - first : MOST, sizeof *d.display);
	for (; d.first < n; d.first += MOST) {
		size_t now = n - d.first < MOST ? n - d.first : MOST;

		pool_run(jobs, (now + DEMANGLE_CHUNK - 1) / DEMANGLE_CHUNK, calls_demangle_chunk,
			 &d);
		for (size_t i = 0; i < now; i++) {
			char *shown = d.display[i];
			struct symbol_function *f = &y->functions[d.first + i];

			f->display = shown ? calls_string(c, shown) : f->raw;
			free(shown);
		}
	}
	free(d.display);
}

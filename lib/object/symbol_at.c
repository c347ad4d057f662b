/* SPDX-License-Identifier: MIT
 *
 * The symbols that symbols.c has loaded, by address and by name.
 */
#include "lib/base/sort.h"
#include "lib/object/impl.h"

#include <string.h>

static const struct symtab *loaded(struct object *o)
{
	/* asked by all workers, again and again */
	if (atomic_load_explicit(&o->symbols_loaded, memory_order_acquire))
		return &o->symbols;
	pthread_mutex_lock(&o->lock);
	if (!o->symbols_loaded)
		symtab_load(&o->symbols, o);
	o->symbols_loaded = true;
	pthread_mutex_unlock(&o->lock);
	return &o->symbols;
}

const struct object_symbol *object_symbols(struct object *o, size_t *n)
{
	const struct symtab *s = loaded(o);

	*n = s->n;
	return s->all;
}

void object_list_functions(struct object *o)
{
	if (!o->functions && object_has_pdb(o))
		object_drop_symbols(o);
	o->functions = true;
}

uint64_t object_symbols_bytes(const struct object *o)
{
	return symtab_bytes(&o->symbols);
}

void object_drop_symbols(struct object *o)
{
	symtab_release(&o->symbols);
	o->symbols_loaded = false;
}

const char *object_symbols_left_out(struct object *o, unsigned *n)
{
	const struct symtab *s = &o->symbols;

	*n = 0;
	if (!atomic_load_explicit(&o->symbols_loaded, memory_order_acquire) || !s->left_out)
		return NULL;
	*n = s->left_out;
	return s->why.msg;
}

/* The first at an address, which is the best, of the innermost. */
static const struct object_symbol *symbol_at_innermost(const struct symtab *s, uint64_t vaddr)
{
	const struct object_symbol *guess = NULL;
	size_t lo = 0, hi = s->n_at;
	uint64_t part =
	    s->n_coarse && vaddr >= s->base ? (vaddr - s->base) >> s->shift : UINT64_MAX;

	if (s->n_coarse && part < s->n_coarse - 1) {
		lo = s->coarse[part];
		hi = s->coarse[part + 1];
	}
	lo = BISECT(i, lo, hi, s->at[i].lo <= vaddr);
	if (lo && s->at[lo - 1].symbol != SYMBOL_NONE)
		return &s->all[s->at[lo - 1].symbol];

	lo = BISECT(i, 0, s->n_guesses, s->all[s->guesses[i]].lo <= vaddr);
	/* back to the first, which is the best, of one address */
	while (lo && (!guess || s->all[s->guesses[lo - 1]].lo == guess->lo))
		guess = &s->all[s->guesses[--lo]];
	return guess && vaddr < guess->hi ? guess : NULL;
}

const struct object_symbol *object_symbol_at(struct object *o, uint64_t vaddr)
{
	return symbol_at_innermost(loaded(o), vaddr);
}

bool object_has_cxx_symbols(struct object *o)
{
	return loaded(o)->cxx;
}

bool object_has_exports_alone(struct object *o)
{
	return loaded(o)->exports;
}

/* "C1" and "C2" of two names that are the same otherwise. */
static bool symbol_is_variant(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && a[i] == b[i])
		i++;
	if (!a[i] || !b[i]) /* the same, or a clone */
		return a[i] == b[i] || a[i] == '.' || b[i] == '.';
	return i && strchr("CD", a[i - 1]) && strspn(a + i, "012345") && strspn(b + i, "012345") &&
	       !strcmp(a + i + 1, b + i + 1);
}

static bool symbol_is_mangled(const char *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R');
}

bool object_is_folded(struct object *o, uint64_t vaddr)
{
	const struct symtab *s = loaded(o);
	const struct object_symbol *sym = symbol_at_innermost(s, vaddr), *twin = sym;

	if (!sym || !symbol_is_mangled(sym->name))
		return false;
	while (twin > s->all && twin[-1].lo == sym->lo)
		twin--;
	for (; twin < s->all + s->n && twin->lo == sym->lo; twin++)
		if (symbol_is_mangled(twin->name) && !symbol_is_variant(sym->name, twin->name))
			return true;
	return false;
}

static const struct symtab *loaded_own(struct object *o)
{
	const struct symtab *s = loaded(o);

	if (s->own)
		return s;
	pthread_mutex_lock(&o->lock);
	if (!o->own_loaded)
		symtab_load_own(&o->own, o);
	o->own_loaded = true;
	pthread_mutex_unlock(&o->lock);
	return &o->own;
}

static const struct symtab *loaded_any(struct object *o)
{
	pthread_mutex_lock(&o->lock);
	if (!o->any_loaded)
		symtab_load_any(&o->any, o);
	o->any_loaded = true;
	pthread_mutex_unlock(&o->lock);
	return &o->any;
}

static uint64_t stated_size(const struct object_symbol *sym)
{
	return sym->sized ? sym->hi - sym->lo : 0;
}

/* Of the symbols at the address of this one; NULL for NULL. */
static const struct object_symbol *as_llvm(const struct symtab *s, const struct object_symbol *sym)
{
	const struct object_symbol *best = sym;

	while (sym && sym > s->all && sym[-1].lo == sym->lo)
		sym--;
	for (; sym && sym < s->all + s->n && sym->lo == best->lo; sym++)
		if (stated_size(sym) > stated_size(best) ||
		    (stated_size(sym) == stated_size(best) && sym->index > best->index))
			best = sym;
	return best;
}

const struct object_symbol *object_own_symbol_at(struct object *o, uint64_t vaddr)
{
	const struct symtab *s = object_has_pdb(o) ? NULL : loaded_own(o);

	return s ? as_llvm(s, symbol_at_innermost(s, vaddr)) : NULL;
}

/* "_end", "__data_end__": it holds nothing, and nothing else is there. */
static const struct object_symbol *empty_symbol_at(const struct symtab *s, uint64_t vaddr)
{
	size_t lo = s->all ? BISECT(i, 0, s->n, s->all[i].lo < vaddr) : s->n;

	return lo < s->n && s->all[lo].lo == vaddr && !s->all[lo].rest ? &s->all[lo] : NULL;
}

const struct object_symbol *object_any_symbol_at(struct object *o, uint64_t vaddr)
{
	const struct symtab *s = loaded_any(o);
	const struct object_symbol *sym = symbol_at_innermost(s, vaddr);

	return as_llvm(s, sym ? sym : empty_symbol_at(s, vaddr));
}

const struct object_symbol *object_any_symbol_named(struct object *o, const char *name,
						    size_t length, size_t n)
{
	const struct symtab *s = loaded_any(o);

	for (size_t i = 0; i < s->n; i++) {
		const struct object_symbol *sym = &s->all[i];

		if (!strncmp(sym->name, name, length) && !sym->name[length] && !sym->rest &&
		    as_llvm(s, sym) == sym && !n--)
			return sym;
	}
	return NULL;
}

const struct object_symbol *object_named_functions(struct object *o, size_t *n)
{
	const bool lists = o->functions;

	if (lists || !object_has_pdb(o))
		return object_symbols(o, n);
	pthread_mutex_lock(&o->lock);
	if (!o->listed_loaded) {
		o->functions = true;
		symtab_load(&o->listed, o);
		o->functions = lists;
	}
	o->listed_loaded = true;
	pthread_mutex_unlock(&o->lock);
	*n = o->listed.n;
	return o->listed.all;
}

bool object_symbol_value(struct object *o, const char *name, size_t length, uint64_t *vaddr)
{
	const struct symtab *s = loaded_any(o);
	const struct object_symbol *first = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct object_symbol *sym = &s->all[i];

		if (!strncmp(sym->name, name, length) && !sym->name[length] && !sym->rest &&
		    (!first || sym->index < first->index))
			first = sym;
	}
	if (first)
		*vaddr = first->lo;
	return first;
}

bool object_is_symbol_start(struct object *o, uint64_t vaddr)
{
	const struct symtab *s = loaded(o);
	size_t lo = BISECT(i, 0, s->n, s->all[i].lo < vaddr);

	return lo < s->n && s->all[lo].lo == vaddr && !s->all[lo].rest;
}

/* SPDX-License-Identifier: MIT
 *
 * The symbol tables of the file itself, as the linker and the dynamic linker see them: what is
 * exported, imported and left over; and through which slots of the GOT imports are reached.
 */
#include "lib/base/mem.h"
#include "lib/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

static enum role inspect_symbols_role_of(const char *name)
{
	static const struct {
		const char *name;
		enum role role;
	} known[] = {{"__cyg_profile_func_enter", ROLE_ENTER},
		     {"__cyg_profile_func_enter_bare", ROLE_ENTER},
		     {"_penter", ROLE_ENTER},
		     {"__penter", ROLE_ENTER},
		     {"__cyg_profile_func_exit", ROLE_EXIT},
		     {"_pexit", ROLE_EXIT},
		     {"__pexit", ROLE_EXIT},
		     {"mcount", ROLE_COUNT},
		     {"_mcount", ROLE_COUNT},
		     {"__fentry__", ROLE_COUNT},
		     {"__gnu_mcount_nc", ROLE_COUNT},
		     {"loli_set_allocandfree", ROLE_LOLI_ALLOC},
		     {"get_stack_backtrace", ROLE_LOLI_STACK},
		     {"set_loli_ignore_func", ROLE_LOLI_IGNORE}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return known[i].role;
	return ROLE_NONE;
}

static struct wrapped *wrap_of(struct inspect *x, const char *name)
{
	for (size_t i = 0; i < x->n_wraps; i++)
		if (!strcmp(x->wraps[i].name, name))
			return &x->wraps[i];
	VEC_PUSH(x->wraps, x->n_wraps, x->cap_wraps) =
	    (struct wrapped){.name = arena_strndup(&x->names, name, strlen(name))};
	return &x->wraps[x->n_wraps - 1];
}

static void add_wrap(struct inspect *x, const struct object_linked *s)
{
	enum { MANY = 64 }; /* a hostile table; no program wraps so many */
	bool wrapper = !strncmp(s->name, "__wrap_", 7);
	struct wrapped *w;

	if ((!wrapper && strncmp(s->name, "__real_", 7) != 0) || x->n_wraps >= MANY)
		return;
	w = wrap_of(x, s->name + 7);
	w->wrapper |= wrapper;
	w->real |= !wrapper;
	w->undefined |= s->undefined;
}

static void inspect_symbols_add(struct inspect *x, const struct object_linked *s)
{
	enum role role = inspect_symbols_role_of(s->name);
	uint64_t thumb = object_arch(x->file.object) == ARCH_ARM ? 1 : 0;

	add_wrap(x, s);
	if (!role)
		return;
	if (s->undefined) {
		x->roles[role] |= ROLE_IMPORTED;
		if (s->value)
			*map64_put(&x->role_at, s->value) = role;
		return;
	}
	if (s->exported)
		x->roles[role] |= ROLE_EXPORTED;
	else
		x->roles[role] |= ROLE_HIDDEN;
	if (s->value)
		*map64_put(&x->role_at, s->value & ~thumb) = role;
}

static void see_symbol(void *arg, const struct object_linked *s)
{
	if (*s->name == '_' || *s->name == 'm' || *s->name == 'l' || *s->name == 'g' ||
	    *s->name == 's')
		inspect_symbols_add(arg, s);
}

/* Slots that the dynamic linker fills with the address of something that has a role. */
static void inspect_symbols_add_imports(struct inspect *x)
{
	size_t n;
	const struct object_import *imports = object_imports(x->file.object, &n);

	for (size_t i = 0; i < n; i++) {
		enum role role = inspect_symbols_role_of(imports[i].name);

		if (role)
			*map64_put(&x->role_at, imports[i].slot) = role;
	}
}

/* Those that only a PDB has. */
static void see_publics(struct inspect *x)
{
	size_t n;
	const struct object_symbol *all = object_symbols(x->file.object, &n);

	for (size_t i = 0; i < n; i++)
		see_symbol(x, &(struct object_linked){.name = all[i].name, .value = all[i].lo});
}

void inspect_symbols(struct inspect *x)
{
	const struct object *o = x->file.object;

	if (!object_kind(o)->linkage) {
		size_t n;

		object_symbols(x->file.object, &n);
		x->has_symtab = n;
		x->n_symtab = n;
		return;
	}
	x->has_dynsym = object_each_linked(o, true, &x->n_dynsym, see_symbol, x);
	x->has_symtab = object_each_linked(o, false, &x->n_symtab, see_symbol, x);
	if (object_has_pdb(o))
		see_publics(x);
	/* What both tables have is exported. */
	for (size_t i = 0; i < ROLES; i++)
		if (x->roles[i] & ROLE_EXPORTED)
			x->roles[i] &= (uint8_t)~ROLE_HIDDEN;
	inspect_symbols_add_imports(x);
}

struct thumb {
	uint64_t value;
	bool is;
};

static void see_thumb(void *arg, const struct object_linked *s)
{
	struct thumb *t = arg;

	t->is |= s->value == t->value;
}

bool inspect_is_thumb(const struct inspect *x, uint64_t addr)
{
	const struct object *o = x->file.object;
	struct thumb t = {.value = addr | 1};
	uint64_t n;

	if (object_arch(o) == ARCH_ARM) {
		(void)object_each_linked(o, false, &n, see_thumb, &t);
		(void)object_each_linked(o, true, &n, see_thumb, &t);
	}
	return t.is;
}

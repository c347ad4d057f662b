/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stack_modules.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	EXTENSION = 4, /* bytes of ".exe" */
	MOST = 65536,  /* modules that are known */
};
#define IMAGE_MOST UINT32_MAX /* bytes of a module whose size is not said */

void stack_modules_release(struct stack_modules *m)
{
	free(m->items);
	free(m->groups);
	map64_release(&m->of);
	map64_release(&m->whole);
	map64_release(&m->bare);
	intern_release(&m->names);
	*m = (struct stack_modules){.n = 0};
}

/* Bytes of its extension, with the dot; 0: it has none. */
static size_t extension_of(const char *s, size_t n)
{
	if (n <= EXTENSION || s[n - EXTENSION] != '.')
		return 0;
	for (size_t i = n - EXTENSION + 1; i < n; i++)
		if (!isalpha((unsigned char)s[i]))
			return 0;
	return EXTENSION;
}

/* A name without its extension, in small letters; WinDbg has "_" for what is no letter and no digit, and Unreal's XML
 * has "&amp;" for "&". */
static void add_stem(struct buf *to, const char *s, size_t n)
{
	n -= extension_of(s, n);
	for (size_t i = 0; i < n; i++) {
		buf_addc(to,
			 isalnum((unsigned char)s[i]) ? (char)tolower((unsigned char)s[i]) : '_');
		if (n - i > 4 && !memcmp(s + i, "&amp;", 5))
			i += 4;
	}
}

uint64_t stack_module_stem(struct stack_text_part name)
{
	struct buf stem = BUF_INIT;
	uint64_t h;

	add_stem(&stem, name.s, name.n);
	h = hash_bytes(buf_at(&stem, 0), stem.len);
	buf_release(&stem);
	return h;
}

/* Both have an extension, and not the same one. */
static bool differ_in_extension(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t n = extension_of(a, n_a);

	return n && extension_of(b, n_b) && strncasecmp(a + n_a - n, b + n_b - n, n) != 0;
}

struct stack_text_part stack_module_name(const struct stack_modules *m,
					 const struct stack_module *x)
{
	struct stack_text_part name;

	name.s = intern_text(&m->names, x->name, &name.n);
	return name;
}

bool stack_module_has_extension(struct stack_text_part name)
{
	return extension_of(name.s, name.n);
}

/* Of the module that the line before is about; an image's name has the extension. */
static void add_to_last(struct stack_modules *m, const struct stack_line_module *said)
{
	struct stack_module *x = &m->items[m->n - 1];

	if (said->stamp)
		x->stamp = said->stamp;
	if (said->size)
		x->size = said->size;
	if (said->name.n)
		x->name = intern_add(&m->names, said->name.s, said->name.n);
}

/* --- stacks and their lists --- */

static bool is_in_list(const struct stack_modules *m)
{
	return m->n_groups && m->groups[m->n_groups - 1].is_list;
}

static void add_group(struct stack_modules *m, uint64_t line, bool is_list, bool is_taken)
{
	if (m->n_groups <= MOST)
		VEC_PUSH(m->groups, m->n_groups, m->cap_groups) =
		    (struct stack_modules_group){line, is_list, is_taken};
}

/* A stack has the list before it, if it is not that of the stack before. */
static bool has_list_before(const struct stack_modules *m, size_t stack)
{
	return stack && !m->groups[stack - 1].is_taken;
}

void stack_modules_begin_stack(struct stack_modules *m, uint64_t line)
{
	m->open = false; /* what comes behind the stack is of its crash */
	if (!m->n_groups || is_in_list(m))
		add_group(m, line, false, false);
}

/* known: the newest module of the stem; NULL: none. A module with another base is in another list, if its name is that of one
 * module: whole, or without its extension in a list of WinDbg, which says sizes and has no name twice. */
static uint32_t group_of_module(struct stack_modules *m, const struct stack_module *known,
				const struct stack_module *x, struct stack_text_part name)
{
	if (!is_in_list(m)) {
		add_group(m, x->line, true, m->n_groups && !has_list_before(m, m->n_groups - 1));
	} else if (known && known->group == m->n_groups && known->has_base && x->has_base &&
		   known->base != x->base) {
		struct stack_text_part own = stack_module_name(m, known);

		if (extension_of(name.s, name.n)
			? own.n == name.n && !strncasecmp(own.s, name.s, name.n)
			: x->size > 0)
			add_group(m, x->line, true, false);
	}
	return (uint32_t)m->n_groups;
}

/* The list of the stack that a line is in, number + 1; 0: none is known. */
static uint32_t list_of(const struct stack_modules *m, uint64_t line)
{
	size_t at = BISECT(k, 0, m->n_groups, m->groups[k].line <= line);

	if (!m->n_groups)
		return 0;
	at -= at ? 1 : 0;
	if (m->groups[at].is_list)
		return (uint32_t)at + 1;
	if (!has_list_before(m, at) && at + 1 < m->n_groups)
		return (uint32_t)at + 2;
	return (uint32_t)at;
}

/* --- what is said of a module --- */

static uint64_t hash_of_call(const struct stack_line *l)
{
	return hash_u64(stack_module_stem(l->module) ^ hash_u64(l->address));
}

void stack_modules_call(struct stack_modules *m, const struct stack_line *l, uint64_t line)
{
	const struct stack_module *x;
	uint32_t name, bare;

	if (!l->has_offset || !l->has_address)
		stack_modules_begin_stack(m, line);
	if (!l->has_address || m->whole.n > MOST || m->bare.n > MOST)
		return;
	if (!l->has_offset && stack_module_has_extension(l->module)) {
		name = intern_add(&m->names, l->module.s, l->module.n);
		*map64_put(&m->whole, hash_of_call(l)) = name;
		bare = map64_get(&m->bare, hash_of_call(l));
	} else if (l->has_offset && !stack_module_has_extension(l->module) &&
		   (x = stack_modules_at(m, l->module, l->address, line))) {
		name = map64_get(&m->whole, hash_of_call(l));
		bare = (uint32_t)(x - m->items) + 1;
		*map64_put(&m->bare, hash_of_call(l)) = bare;
	} else {
		return;
	}
	if (name && bare && !stack_module_has_extension(stack_module_name(m, &m->items[bare - 1])))
		m->items[bare - 1].name = name;
}

static void add_module(struct stack_modules *m, const struct stack_line_module *said, uint64_t line,
		       bool is_map)
{
	const struct stack_module *last = m->open ? &m->items[m->n - 1] : NULL;
	struct stack_module x = {.base = said->base,
				 .size = said->size,
				 .line = line,
				 .stamp = said->stamp,
				 .has_base = said->has_base};
	uint32_t *newest;

	if (!said->name.n ||
	    (last && said->is_image &&
	     stack_module_stem(stack_module_name(m, last)) == stack_module_stem(said->name))) {
		if (last)
			add_to_last(m, said);
		return;
	}
	m->open = false;
	newest = map64_put(&m->of, stack_module_stem(said->name));
	if (!is_map)
		x.group =
		    group_of_module(m, *newest ? &m->items[*newest - 1] : NULL, &x, said->name);
	if (*newest && said->has_base && !said->size) { /* a call of Unreal: nothing new */
		const struct stack_module *known = &m->items[*newest - 1];

		if (known->has_base && known->base == said->base)
			return;
	}
	if (m->n > MOST)
		return;
	x.before = *newest;
	x.name = intern_add(&m->names, said->name.s, said->name.n);
	VEC_PUSH(m->items, m->n, m->cap) = x;
	*newest = (uint32_t)m->n;
	m->open = true;
}

void stack_modules_add(struct stack_modules *m, const struct stack_line_module *said, uint64_t line)
{
	add_module(m, said, line, false);
}

void stack_modules_add_map(struct stack_modules *m, const struct trace *map)
{
	for (size_t i = 1; i < map->n_modules; i++) {
		const struct module *x = &map->modules[i];
		struct stack_line_module said = {.has_base = true};
		const char *name = intern_text(&map->strings, x->name, &said.name.n), *id;
		size_t n_id, before = m->n;

		said.name.s = path_base_captured_n(name, &said.name.n);
		if (!said.name.n || !x->n_ranges)
			continue;
		said.base = x->ranges[0].lo;
		if (x->n_ranges == 1) /* of an image; mappings need not be all of one */
			said.size = x->ranges[0].hi - said.base;
		add_module(m, &said, 0, true);
		m->open = false;
		id = intern_text(&map->strings, x->build_id, &n_id);
		if (m->n > before && n_id && n_id <= OBJECT_BUILD_ID_MAX)
			m->items[m->n - 1].id = intern_add(&m->names, id, n_id);
	}
}

static bool is_called(const struct stack_modules *m, const struct stack_module *x,
		      struct stack_text_part name)
{
	struct stack_text_part own = stack_module_name(m, x);

	return !differ_in_extension(own.s, own.n, name.s, name.n);
}

bool stack_modules_mapped(const struct stack_modules *m, struct stack_text_part name)
{
	for (uint32_t n = map64_get(&m->of, stack_module_stem(name)); n; n = m->items[n - 1].before)
		if (!m->items[n - 1].group && is_called(m, &m->items[n - 1], name))
			return true;
	return false;
}

static bool holds(const struct stack_module *x, uint64_t address)
{
	return x->has_base && address >= x->base &&
	       address - x->base < (x->size ? x->size : IMAGE_MOST);
}

uint32_t stack_modules_id(const struct stack_modules *m, const struct stack_line *l)
{
	uint32_t found = 0;

	for (uint32_t n = map64_get(&m->of, stack_module_stem(l->module)); n;
	     n = m->items[n - 1].before) {
		const struct stack_module *x = &m->items[n - 1];

		if (!x->id || !is_called(m, x, l->module) ||
		    (l->has_address && !holds(x, l->address)))
			continue;
		if (found && found != x->id)
			return 0;
		found = x->id;
	}
	return found;
}

/* A log may name modules behind the first calls, and have several reports: the list of the stack counts, else what was
 * said last before the line, else what is said first behind it. Two modules may have one stem: where sizes are not said,
 * the nearest base. */
static bool is_better(const struct stack_module *x, const struct stack_module *than, uint64_t line,
		      uint32_t list)
{
	bool before = x->line <= line;

	if (list && (x->group == list) != (than->group == list))
		return x->group == list;
	if (before != (than->line <= line))
		return before;
	if (x->base != than->base && !(x->size && than->size))
		return x->base > than->base;
	return before ? x->line > than->line : x->line < than->line;
}

const struct stack_module *stack_modules_at(const struct stack_modules *m,
					    struct stack_text_part name, uint64_t address,
					    uint64_t line)
{
	const struct stack_module *found = NULL;
	const uint32_t list = list_of(m, line);

	for (uint32_t id = map64_get(&m->of, stack_module_stem(name)); id;
	     id = m->items[id - 1].before) {
		const struct stack_module *x = &m->items[id - 1];

		if (holds(x, address) && is_called(m, x, name) &&
		    (!found || is_better(x, found, line, list)))
			found = x;
	}
	return found;
}

/* That of the list of the line's stack, else the one that was said last before the line, else first behind it. */
static const struct stack_module *find_said(const struct stack_modules *m,
					    struct stack_text_part name, uint64_t line,
					    bool (*is)(const struct stack_modules *,
						       const struct stack_module *))
{
	const struct stack_module *found = NULL;
	const uint32_t list = list_of(m, line);

	for (uint32_t id = map64_get(&m->of, stack_module_stem(name)); id;
	     id = m->items[id - 1].before) {
		const struct stack_module *x = &m->items[id - 1];

		if (!is(m, x) || !is_called(m, x, name))
			continue;
		if (list && x->group == list)
			return x;
		if (!found || found->line > line)
			found = x;
	}
	return found;
}

static bool has_facts(const struct stack_modules *m, const struct stack_module *x)
{
	(void)m;
	return x->stamp || x->size;
}

static bool has_whole_name(const struct stack_modules *m, const struct stack_module *x)
{
	return stack_module_has_extension(stack_module_name(m, x));
}

const struct stack_module *stack_modules_said(const struct stack_modules *m,
					      struct stack_text_part name, uint64_t line)
{
	return find_said(m, name, line, has_facts);
}

const struct stack_module *stack_modules_whole(const struct stack_modules *m,
					       struct stack_text_part name, uint64_t line)
{
	return find_said(m, name, line, has_whole_name);
}

/* --- which file it is --- */

enum fit { FIT_NOT, FIT_STEM, FIT_NAME };

/* A PDB, and a name without an extension, are of any module with the stem. */
static enum fit fit_of(const char *own, struct stack_text_part name)
{
	const size_t n = strlen(own);
	struct buf a = BUF_INIT, b = BUF_INIT;
	enum fit fit = FIT_NOT;

	add_stem(&a, own, n);
	add_stem(&b, name.s, name.n);
	if (a.len == b.len && !memcmp(buf_at(&a, 0), buf_at(&b, 0), a.len)) {
		bool differ = differ_in_extension(own, n, name.s, name.n);

		if (!differ)
			fit = extension_of(own, n) == extension_of(name.s, name.n) ? FIT_NAME
										   : FIT_STEM;
		else if (!strcasecmp(own + n - EXTENSION, ".pdb"))
			fit = FIT_STEM;
	}
	buf_release(&a);
	buf_release(&b);
	return fit;
}

static bool is_same_build(const struct find_file *a, const struct find_file *b)
{
	if (!a->object || !b->object)
		return true; /* nothing of it will be taken */
	if (object_build_id(a->object)->len && object_build_id(b->object)->len)
		return object_build_id_equal(object_build_id(a->object),
					     object_build_id(b->object));
	return a->inode && a->inode == b->inode && a->device == b->device;
}

static bool is_pdb(const struct find_file *x)
{
	return x->object && object_pdb_age(x->object);
}

static bool is_of_windows(const struct object *o)
{
	return object_kind(o)->image || object_is_source(o);
}

static void add_other_id(struct buf *why, const struct object *o, const struct object_build_id *id,
			 const char *differs)
{
	buf_addf(why, "its %s differs from that in the module map", differs);
	object_add_captured_ids(why, o, id);
}

enum reason stack_module_judge(const struct find_file *x, const struct stack_module_facts *facts,
			       bool *proven, struct buf *why)
{
	const struct object *o = x->object;
	struct object_pe_stamp own;
	const char *differs;
	unsigned bits;
	bool known;

	*proven = false;
	if (!o)
		return REASON_RESOLVED;
	bits = object_is_64(o) ? 64 : 32;
	differs = object_id_differs(o, &facts->id, &known);
	if (facts->windows && !is_of_windows(o))
		buf_addf(why, "the log is one of Windows, the file is %s", object_kind(o)->name);
	else if (facts->bits && object_arch(o) && object_kind(o)->image && bits != facts->bits)
		buf_addf(why, "the log has addresses of %u bits, the file is for %u", facts->bits,
			 bits);
	else if (differs)
		add_other_id(why, o, &facts->id, differs);
	if (why->len)
		return differs ? REASON_BUILD_ID_DIFFERS : REASON_REPLACED;
	*proven = known;
	if (!object_pe_stamp(o, &own))
		return REASON_RESOLVED;
	if (facts->stamp && facts->stamp != own.time)
		buf_addf(why, "the log has the time stamp %08" PRIx32 ", the file %08" PRIx32,
			 facts->stamp, own.time);
	else if (facts->size && object_pe_pages(facts->size) != object_pe_pages(own.size))
		buf_addf(why, "in the log it has %" PRIu64 " bytes of memory, in the file %" PRIu32,
			 facts->size, own.size);
	*proven |= facts->stamp && facts->stamp == own.time && !why->len;
	return why->len ? REASON_REPLACED : REASON_RESOLVED;
}

enum sure { EXCLUDED, OPEN, PROVEN };

static enum sure sure_of(const struct find_file *x, const struct stack_module_facts *facts)
{
	struct buf why = BUF_INIT;
	bool proven;
	enum reason reason = stack_module_judge(x, facts, &proven, &why);

	buf_release(&why);
	return reason != REASON_RESOLVED ? EXCLUDED : proven ? PROVEN : OPEN;
}

/* Which files one looks at. */
struct sought {
	const struct find_files *f;
	struct stack_text_part name;
	const struct stack_module_facts *facts;
	enum sure least;
};

/* The best of those that were given for a module of the name, or of those that have the name. */
static enum fit best_file(const struct sought *w, bool by_module, const struct find_file **best,
			  const struct find_file **other)
{
	const struct find_files *f = w->f;
	enum fit most = FIT_NOT;

	*best = *other = NULL;
	for (size_t i = 0; i < f->n; i++) {
		const struct find_file *x = f->items[i];
		enum fit fit;

		if (!x->given || x->broken || x->foreign || !x->module == by_module)
			continue;
		fit = fit_of(by_module ? x->module : path_base(x->path), w->name);
		if (fit == FIT_NOT || fit < most || sure_of(x, w->facts) < w->least)
			continue;
		if (fit > most || !(*best)->object || (is_pdb(*best) && is_same_build(*best, x))) {
			*best = x;
			*other = fit > most ? NULL : *other;
		} else if (!is_same_build(*best, x)) {
			*other = x;
		}
		most = fit;
	}
	return most;
}

static const struct find_file *best_of(const struct sought *w, const struct find_file **other)
{
	const struct find_file *by_module, *by_path, *of_module, *of_path;
	enum fit module = best_file(w, true, &by_module, &of_module);
	enum fit path = best_file(w, false, &by_path, &of_path);

	if (by_module &&
	    (module > path || module == FIT_NAME || is_same_build(by_module, by_path) ||
	     !strcasecmp(by_module->module, path_base(by_path->path)))) {
		*other = of_module;
		return by_module;
	}
	*other = module == path && !of_path ? by_module : of_path;
	return by_path;
}

const struct find_file *stack_module_file(const struct find_files *f, struct stack_text_part name,
					  const struct stack_module_facts *facts,
					  const struct find_file **other)
{
	const struct find_file *x = NULL;
	unsigned least = PROVEN + 1;

	while (!x && least-- > EXCLUDED)
		x = best_of(&(struct sought){f, name, facts, (enum sure)least}, other);
	if (least == EXCLUDED) /* none of them is it: there is no choice */
		*other = NULL;
	return x;
}

/* SPDX-License-Identifier: MIT */
#include "lib/profile/identity.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/source_file.h"
#include "lib/names/disambiguate.h"
#include "lib/profile/line_map.h"
#include "lib/profile/name_maps.h"
#include "lib/profile/places.h"
#include "lib/rules/clones.h"
#include "lib/rules/sites.h"

#include <stdlib.h>
#include <string.h>

struct module_in { /* a module's name in a build, which is its in all */
	uint32_t module, build_id;
	bool guess;
};

struct known_module { /* as the last build has it that does */
	uint32_t name;
	size_t build;
	struct module_in in;
};

struct finding {
	const struct profile_entities *t;
	const struct identity_build *builds;
	size_t n;
	const struct identity_options *o;
	struct map64 modules; /* build << 32 | name -> index + 1 in these */
	struct module_in *module_ins;
	size_t n_modules, cap_modules, others;
	struct known_module *known;
	size_t n_known, cap_known;
	struct name_maps renamed;
	bool *has_renamed;            /* by build, then by map: it has the new name itself */
	uint32_t *build_of;           /* by build: the first with its modules, + 1 */
	struct matching_lines *lines; /* by build: from the one before it */
	uint8_t *numbered;            /* by function: 0 not asked, 1 no, 2 yes */
	uint8_t *library;
	uint64_t *bare; /* by function; 0: not asked */
	struct sites *sites;
	/* Of stacks, by build and function: the row + 1; by node: hashes of the calls as named, as rows, as bare names,
	 * and as these without the libraries' */
	uint32_t *function_rows;
	struct
	    identity_sizes { /* of the build that is looked at: with what a function calls, in the mean of runs */
		float count, bytes;
	} * sizes;
	struct node_hash {
		uint64_t same, rows, bare, core, last; /* last: the call's row */
		bool open;
	} * nodes;
};

static bool build_has(const struct finding *f, size_t build, enum key key, uint32_t entity)
{
	return profiles_have(f->builds[build].runs, f->builds[build].n, key, entity);
}

/* --- modules --- */

static uint64_t in_build(size_t build, uint32_t name)
{
	return (uint64_t)build << 32 | name;
}

static struct module_in module_of(const struct finding *f, size_t build, uint32_t name)
{
	uint32_t i = map64_get(&f->modules, in_build(build, name));

	return i ? f->module_ins[i - 1] : (struct module_in){.module = name};
}

static void set_module(struct finding *f, size_t build, uint32_t name, struct module_in in)
{
	uint32_t *at = map64_put(&f->modules, in_build(build, name));

	if (*at) {
		f->module_ins[*at - 1] = in;
		return;
	}
	*at = (uint32_t)f->n_modules + 1;
	VEC_PUSH(f->module_ins, f->n_modules, f->cap_modules) = in;
}

/* The modules of a build's runs, by name; of two that have one name the first. */
static struct profile_module *identity_modules_of(const struct finding *f, size_t build, size_t *n)
{
	const struct identity_build *b = &f->builds[build];
	struct map64 seen = MAP64_INIT;
	struct profile_module *items = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->runs[i]->n_modules; k++) {
			const struct profile_module *m = &b->runs[i]->modules[k];
			uint32_t *at = m->name ? map64_put(&seen, m->name) : NULL;

			if (!at || *at)
				continue;
			*at = 1;
			VEC_PUSH(items, *n, cap) = *m;
		}
	map64_release(&seen);
	return items;
}

static bool mapped(const struct finding *f, uint32_t was, uint32_t now)
{
	const char *x = entities_text(f->t, was, NULL), *y = entities_text(f->t, now, NULL);

	for (size_t i = 0; i < f->o->n_modules; i++)
		if (!strcmp(f->o->modules[i].was, x) && !strcmp(f->o->modules[i].now, y))
			return true;
	return false;
}

/* Where the lines of a function are. */
static struct profile_place place_in(const struct finding *f, size_t build, uint32_t function)
{
	struct profile_place place = {.file = 0};

	for (size_t i = 0; i < f->builds[build].n; i++) {
		struct profile_place p = profile_place_of(f->builds[build].runs[i], function);

		if (!p.line)
			continue;
		if (!place.line) {
			place = p;
			continue;
		}
		place.last = p.last > place.last && place.last ? p.last : place.last;
		if (p.line < place.line) {
			place.file = p.file;
			place.line = p.line;
		}
		if (!p.last)
			place.last = 0;
	}
	return place;
}

static const enum key named[] = {KEY_FUNCTION, KEY_SITE};

/* Linkage names, and the names of C's functions, that a build has in a module. */
static void identity_learn_names(const struct finding *f, size_t build, uint32_t module,
				 struct map64 *names)
{
	for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
		const struct entities_key *entities = &f->t->keys[named[k]];

		for (uint32_t i = 0; i < entities->n; i++) {
			size_t n;
			const char *s = entities_text(f->t, entities->items[i].raw, &n);

			n = strnlen(s, n);
			if (entities->items[i].module == module && n && !name_is_numbered(s, n) &&
			    !name_is_address(s, n) &&
			    (build_has(f, build, named[k], i) ||
			     (named[k] == KEY_FUNCTION && place_in(f, build, i).line)))
				*map64_put(names, hash_bytes(s, n)) = 1;
		}
	}
}

static size_t size_of(const struct map64 *m)
{
	size_t n = 0;

	for (size_t i = 0; m->slots && i <= m->mask; i++)
		n += m->slots[i].value != 0;
	return n;
}

/* How much of the smaller one's names both have, in percent. */
static unsigned identity_shared(const struct finding *f, size_t from, uint32_t was, size_t build,
				uint32_t now)
{
	struct map64 a = MAP64_INIT, b = MAP64_INIT;
	size_t n_a, n_b, both = 0;

	identity_learn_names(f, from, was, &a);
	identity_learn_names(f, build, now, &b);
	n_a = size_of(&a);
	n_b = size_of(&b);
	for (size_t i = 0; a.slots && i <= a.mask; i++)
		both += a.slots[i].value && map64_get(&b, a.slots[i].key);
	map64_release(&a);
	map64_release(&b);
	n_a = n_a < n_b ? n_a : n_b;
	return n_a ? (unsigned)(100 * both / n_a) : 0;
}

enum module_rule { BY_BUILD_ID, BY_OPTION, BY_NAME, BY_SHARED_NAMES, MODULE_RULES };

static bool identity_is_module(const struct finding *f, enum module_rule rule,
			       const struct known_module *was, const struct profile_module *now,
			       size_t build)
{
	enum { ENOUGH = 50 };

	switch (rule) {
	case BY_BUILD_ID: return now->build_id && was->in.build_id == now->build_id;
	case BY_OPTION: return mapped(f, was->name, now->name);
	case BY_NAME: return was->name == now->name;
	default:
		return was->name != now->name &&
		       identity_shared(f, was->build, was->name, build, now->name) >= ENOUGH;
	}
}

/* What is not one of the modules before is another, also where it has a name of one. */
static void identity_find_modules(struct finding *f, size_t build)
{
	size_t n, n_was = f->n_known;
	struct profile_module *now = identity_modules_of(f, build, &n);
	bool *taken = mem_zarray(n_was + 1, sizeof *taken),
	     *found = mem_zarray(n + 1, sizeof *found);

	for (enum module_rule rule = 0; rule < MODULE_RULES; rule++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n_was && !found[i]; k++) {
				struct known_module *was = &f->known[k];

				if (taken[k] || !identity_is_module(f, rule, was, &now[i], build))
					continue;
				was->name = now[i].name;
				was->build = build;
				was->in.build_id = now[i].build_id;
				was->in.guess = rule == BY_SHARED_NAMES;
				set_module(f, build, was->name, was->in);
				found[i] = taken[k] = true;
			}
	for (size_t i = 0; i < n; i++) {
		struct module_in in = {now[i].name, now[i].build_id, false};

		if (found[i])
			continue;
		if (build) /* numbers that no string has */
			in.module = UINT32_MAX - (uint32_t)f->others++;
		set_module(f, build, now[i].name, in);
		VEC_PUSH(f->known, f->n_known, f->cap_known) =
		    (struct known_module){now[i].name, build, in};
	}
	free(now);
	free(taken);
	free(found);
}

/* Builds with the same modules are one: what they say the same is. */
static void identity_find_builds(struct finding *f)
{
	f->build_of = mem_zarray(f->n + 1, sizeof *f->build_of);
	for (size_t b = 0; b < f->n; b++) {
		size_t n, n_was;
		struct profile_module *now = identity_modules_of(f, b, &n);

		for (size_t a = 0; a <= b && !f->build_of[b]; a++) {
			struct profile_module *was = identity_modules_of(f, a, &n_was);
			bool same = n && n == n_was;

			for (size_t i = 0; i < n && same; i++) {
				bool any = false;

				for (size_t k = 0; k < n; k++)
					any |=
					    now[i].build_id && now[i].build_id == was[k].build_id;
				same &= any;
			}
			if (same || a == b)
				f->build_of[b] = same ? (uint32_t)a + 1 : 0;
			free(was);
		}
		free(now);
	}
}

/* --- renamed functions --- */

static void identity_find_renamed(struct finding *f)
{
	name_maps_init(&f->renamed, f->t, f->o->functions, f->o->n_functions);
	f->has_renamed = mem_zarray(f->n * f->renamed.n + 1, sizeof *f->has_renamed);
	for (enum key key = 0; key < KEYS; key++)
		for (uint32_t i = 0; f->renamed.of[key] && i < f->t->keys[key].n; i++) {
			const struct name_maps_entity *to = &f->renamed.of[key][i];

			for (size_t b = 0; to->map && b < f->n; b++)
				f->has_renamed[b * f->renamed.n + to->map - 1] |=
				    build_has(f, b, to->key, to->now);
		}
}

/* What an entity of a build is called in later ones: another entity's name; NULL: its own. */
static const struct name_maps_entity *identity_renamed(const struct finding *f, size_t build,
						       enum key key, uint32_t i)
{
	const struct name_maps_entity *to = f->renamed.of[key] ? &f->renamed.of[key][i] : NULL;

	return to && to->map && !f->has_renamed[build * f->renamed.n + to->map - 1] ? to : NULL;
}

/* The linkage name, without the file that tells it apart. */
static const char *identity_raw(const struct finding *f, size_t build, enum key key, uint32_t i,
				size_t *n)
{
	const struct name_maps_entity *to = identity_renamed(f, build, key, i);
	const char *s = entities_text(
	    f->t, to ? f->t->keys[to->key].items[to->now].raw : f->t->keys[key].items[i].raw, n);

	*n = strnlen(s, *n);
	return s;
}

static struct entity_match identity_names(const struct finding *f, size_t build, enum key key,
					  uint32_t i)
{
	const struct name_maps_entity *to = identity_renamed(f, build, key, i);

	return to ? entities_match(f->t, to->key, to->now) : entities_match(f->t, key, i);
}

/* --- entities --- */

static bool identity_numbered(const struct finding *f, uint32_t function)
{
	uint8_t *n = &f->numbered[function];

	if (!*n) {
		const struct profile_entity *t = &f->t->keys[KEY_FUNCTION].items[function];
		size_t len;
		const char *s = entities_text(f->t, t->name, &len);

		*n = name_is_numbered(s, name_without_clones(s, len)) ? 2 : 1;
	}
	return *n == 2;
}

/* A raw name's file; "": none. */
static const char *raw_file(const struct profile_entities *t, uint32_t raw, const char **line)
{
	size_t n;
	const char *s = entities_text(t, raw, &n);
	struct name_suffix a = name_suffix_of(0, s, n);

	*line = a.line;
	return a.file ? a.file : "";
}

static uint32_t file_id(const char *s)
{
	return *s ? (uint32_t)hash_bytes(s, strlen(s)) | 1 : 0;
}

static void set_file(struct matching_entity *m, const char *file)
{
	m->file = file;
	m->file_id = file_id(file);
}

static void identity_function(const struct finding *f, size_t build, uint32_t i,
			      struct matching_entity *m)
{
	const struct profile_entity *of = &f->t->keys[KEY_FUNCTION].items[i];
	const char *line, *file = raw_file(f->t, of->raw, &line);
	struct profile_place place = place_in(f, build, i);

	m->is_unique = !*file;
	m->is_open = *line || identity_numbered(f, i);
	m->line = place.line;
	set_file(m, *file ? file : entities_text(f->t, place.file, NULL));
}

static void identity_site(const struct finding *f, const struct profile_entity *of,
			  struct matching_entity *m)
{
	const char *line;

	m->is_unique = !*raw_file(f->t, of->raw, &line);
	m->is_open = of->line || *line;
	m->line = of->line;
	set_file(m, entities_text(f->t, of->file, NULL));
}

static bool is_function(enum key key)
{
	return key == KEY_FUNCTION || key == KEY_SITE || key == KEY_LOCATION;
}

/* What the entity says, with the module's number instead of its name, and of clones what they are clones of. */
static uint64_t identity_same(const struct finding *f, size_t build, enum key key, uint32_t i,
			      uint32_t module)
{
	const struct profile_entity *of = &f->t->keys[key].items[i];
	size_t n, raw, own;
	const char *s = entities_text(f->t, is_function(key) ? of->raw : of->name, &n), *name;
	uint64_t h;

	if (is_function(key)) {
		name = identity_raw(f, build, key, i, &raw);
		h = hash_bytes_seeded(name, name_without_clones(name, raw), module);
		own = strnlen(s, n);
		if (own < n)
			h = hash_bytes_seeded(s + own, n - own, h);
	} else {
		h = hash_bytes_seeded(s, n, module);
	}
	if (key == KEY_SITE || key == KEY_LOCATION)
		h = hash_u64(h ^ ((uint64_t)of->file << 32 | of->line)) + of->inside;
	if (key == KEY_LOCATION)
		h = hash_u64(h ^ of->address) + of->has_address;
	return h ? h : 1;
}

/* The first that is there: what is allocated, or live of it; of captures of calls and samples, those. */
static float first_value(const struct profile_columns *c, uint32_t i, const enum sum *sums,
			 size_t n)
{
	unsigned has = columns_has(c, i);

	for (size_t k = 0; k < n; k++)
		if (has & SUM_BIT(sums[k]))
			return (float)columns_value(c, i, sums[k]);
	return 0;
}

/* How often and how much, in the mean of a build's runs. */
static struct identity_sizes sizes_of(const struct finding *f, size_t build, enum key key,
				      uint32_t i)
{
	static const enum sum counts[] = {SUM_COUNT, SUM_LIVE_COUNT, SUM_CALLS, SUM_SAMPLES};
	static const enum sum bytes[] = {SUM_REQUESTED, SUM_REAL,      SUM_LIVE_REQUESTED,
					 SUM_LIVE_REAL, SUM_TIME_SELF, SUM_PERIOD};
	const size_t runs = f->builds[build].n;
	struct identity_sizes s = {0, 0};

	for (size_t k = 0; k < runs; k++) {
		const struct profile_key *of = &f->builds[build].runs[k]->keys[key];
		const struct profile_columns *c =
		    key == KEY_FUNCTION && columns_has(&of->total, i) ? &of->total : &of->self;

		s.count += first_value(c, i, counts, sizeof counts / sizeof *counts) / (float)runs;
		s.bytes += first_value(c, i, bytes, sizeof bytes / sizeof *bytes) / (float)runs;
	}
	return s;
}

/* Of functions, by the stacks that they are in. */
static void identity_learn_sizes(struct finding *f, size_t build)
{
	const struct profile_entities *t = f->t;
	uint32_t *last = mem_zarray(t->keys[KEY_FUNCTION].n + 1, sizeof *last);

	memset(f->sizes, 0, (t->keys[KEY_FUNCTION].n + 1) * sizeof *f->sizes);
	for (uint32_t i = 0; i < t->keys[KEY_STACK].n; i++) {
		struct identity_sizes s = sizes_of(f, build, KEY_STACK, i);

		for (uint32_t node = t->keys[KEY_STACK].items[i].node; node;
		     node = t->stacks.rows[node].parent) {
			uint32_t function = t->stacks.rows[node].location;

			if (last[function] == i + 1)
				continue;
			last[function] = i + 1;
			f->sizes[function].count += s.count;
			f->sizes[function].bytes += s.bytes;
		}
	}
	free(last);
}

static struct matching_entity identity_entity(const struct finding *f, size_t build, enum key key,
					      uint32_t i)
{
	const struct profile_entity *of = &f->t->keys[key].items[i];
	struct module_in in = module_of(f, build, of->module);
	struct entity_match names = identity_names(f, build, key, i);
	struct identity_sizes sizes =
	    key == KEY_FUNCTION && f->sizes ? f->sizes[i] : sizes_of(f, build, key, i);
	struct matching_entity m = {.canonical = names.canonical,
				    .bare = names.bare,
				    .is_bare = names.is_bare,
				    .module = in.module,
				    .build = in.build_id,
				    .file = "",
				    .name = entities_text(f->t, of->name, NULL),
				    .count = sizes.count,
				    .bytes = sizes.bytes};

	m.same = identity_same(f, build, key, i, in.module);
	switch (key) {
	case KEY_FUNCTION: identity_function(f, build, i, &m); break;
	case KEY_SITE: identity_site(f, of, &m); break;
	case KEY_LOCATION:
		identity_site(f, of, &m);
		m.is_open = in.build_id != 0; /* an address is of one build */
		break;
	case KEY_STACK:
		m.same = f->nodes[of->node].same;
		m.canonical = f->nodes[of->node].rows;
		m.bare = f->nodes[of->node].bare;
		m.core = f->nodes[of->node].core;
		m.node = of->node;
		m.is_bare = true;
		m.is_open = f->nodes[of->node].open;
		m.build = f->build_of[build];
		m.module = 0;
		m.line = of->line;
		break;
	case KEY_FILE: set_file(&m, m.name); break;
	case KEY_MODULE:
		in = module_of(f, build, of->name);
		m.same = hash_u64(in.module) | 1;
		break;
	case KEY_TYPE: m.is_open = name_is_numbered(m.name, strlen(m.name)); break;
	default: break;
	}
	/* A place without a name is one of its own build only. */
	if (is_function(key) && !m.canonical)
		m.is_open = in.build_id != 0;
	return m;
}

/* The entities of a build, by item: clones of a function, and stacks of the same rows, are one. */
struct found {
	struct found_entity {
		uint32_t entity, item;
	} * entities;
	struct matching_entity *items;
	size_t n_entities, cap_entities, n, cap;
	/* Until all are found: what an item says -> its index + 1; and of functions of which all is said that is
	 * said of one inlined everywhere. */
	struct map64 at, bare;
};

static uint64_t identity_bare(const struct matching_entity *m)
{
	return hash_u64(m->bare ^ ((uint64_t)m->module << 32 | m->file_id));
}

static void identity_add_found(const struct finding *f, struct found *to, size_t build,
			       enum key key, uint32_t i, bool clone)
{
	struct matching_entity m = identity_entity(f, build, key, i);
	bool joins = key == KEY_FUNCTION || key == KEY_SITE || key == KEY_STACK;
	uint32_t part = key == KEY_FUNCTION && clone ? map64_get(&to->bare, identity_bare(&m)) : 0;
	uint32_t *at = map64_put(&to->at, key == KEY_STACK ? m.canonical : m.same);

	if (!*at && part) /* it was inlined but for this part */
		*at = part;
	if (*at && joins) {
		to->items[*at - 1].count += m.count;
		to->items[*at - 1].bytes += m.bytes;
	} else {
		VEC_PUSH(to->items, to->n, to->cap) = m;
		*at = (uint32_t)to->n;
		if (key == KEY_FUNCTION && m.is_bare && m.file_id)
			*map64_put(&to->bare, identity_bare(&m)) = *at;
	}
	VEC_PUSH(to->entities, to->n_entities, to->cap_entities) =
	    (struct found_entity){i, *at - 1};
}

/* in: of functions, those in stacks too; NULL: what has sums. */
static void identity_find_entities(const struct finding *f, struct found *to, size_t build,
				   enum key key, const bool *in)
{
	const struct entities_key *k = &f->t->keys[key];

	*to = (struct found){.n = 0};
	for (unsigned clones = 0; clones < 2; clones++) /* what is no clone names the item */
		for (uint32_t i = 0; i < k->n; i++) {
			size_t n;
			const char *s = entities_text(f->t, k->items[i].raw, &n);
			bool clone =
			    is_function(key) && clones_cut(s, strnlen(s, n)) < strnlen(s, n);

			if (clone == clones && (in ? in[i] : build_has(f, build, key, i)))
				identity_add_found(f, to, build, key, i, clone);
		}
	map64_release(&to->at);
	map64_release(&to->bare);
}

static void found_release(struct found *f)
{
	free(f->entities);
	free(f->items);
}

/* Of a function's name without parameters, which builds change; of what has no name the row. */
static uint64_t identity_bare_of(struct finding *f, uint32_t function, uint64_t row)
{
	uint64_t *bare = &f->bare[function];

	if (!*bare)
		*bare = entities_match(f->t, KEY_FUNCTION, function).bare | 1;
	return *bare > 1 ? *bare : row;
}

static bool identity_library(struct finding *f, uint32_t function)
{
	uint8_t *l = &f->library[function];

	if (!*l) {
		const struct profile_entity *t = &f->t->keys[KEY_FUNCTION].items[function];
		unsigned verdict = sites_function(f->sites, entities_text(f->t, t->name, NULL),
						  entities_text(f->t, t->raw, NULL));

		if (t->module)
			verdict |= sites_module(f->sites, entities_text(f->t, t->module, NULL));
		*l = verdict == SITE_PASS ? 2 : 1;
	}
	return *l == 2;
}

/* A stack that is left over: its calls without libraries' and repeated ones, the innermost first. */
struct left_stack {
	size_t first, n; /* in calls */
	uint64_t ends;   /* of the first and the last call */
	uint32_t index;
	bool in_b;
	struct left_stack *match; /* the only one on the other side that this may be */
	size_t matches;
};
struct left_stacks {
	struct left_stack *items;
	size_t n, cap;
	uint64_t *calls;
	size_t n_calls, cap_calls;
};

static void identity_add_left(struct finding *f, struct left_stacks *to, uint32_t node,
			      uint32_t index, bool in_b)
{
	struct left_stack l = {.first = to->n_calls, .index = index, .in_b = in_b};

	for (; node; node = f->t->stacks.rows[node].parent) {
		uint32_t function = f->t->stacks.rows[node].location;
		uint64_t bare = identity_bare_of(f, function, hash_u64(function));

		if (identity_library(f, function) || (l.n && to->calls[to->n_calls - 1] == bare))
			continue;
		VEC_PUSH(to->calls, to->n_calls, to->cap_calls) = bare;
		l.n++;
	}
	if (l.n < 2)
		return;
	l.ends = hash_u64(to->calls[l.first] ^ hash_u64(to->calls[to->n_calls - 1]));
	VEC_PUSH(to->items, to->n, to->cap) = l;
}

/* The calls of one are among those of the other, in their order, and at least half of them. */
static bool identity_stack_is_part(const struct left_stack *a, const struct left_stack *b,
				   const uint64_t *calls)
{
	const struct left_stack *less = a->n < b->n ? a : b, *more = a->n < b->n ? b : a;
	size_t found = 0;

	for (size_t i = 0; i < more->n && found < less->n; i++)
		found += calls[more->first + i] == calls[less->first + found];
	return found == less->n && 2 * less->n >= more->n;
}

static int left_stack_order(const void *x, const void *y)
{
	const struct left_stack *a = x, *b = y;

	if (a->ends != b->ends)
		return a->ends < b->ends ? -1 : 1;
	return a->in_b != b->in_b ? (a->in_b ? 1 : -1) : 0;
}

static void identity_join_left(struct left_stack *l, size_t n, const uint64_t *calls, uint32_t *to)
{
	enum { PAIRS_MAX = 1 << 12 };
	size_t n_a = 0;

	while (n_a < n && !l[n_a].in_b)
		n_a++;
	if (n_a * (n - n_a) > PAIRS_MAX)
		return;
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = n_a; k < n; k++)
			if (identity_stack_is_part(&l[i], &l[k], calls)) {
				l[i].match = &l[k];
				l[k].match = &l[i];
				l[i].matches++;
				l[k].matches++;
			}
	for (size_t k = n_a; k < n; k++)
		if (l[k].matches == 1 && l[k].match->matches == 1)
			to[l[k].index] = l[k].match->index;
}

/* What is left over of stacks: those of which one has some calls more, as of functions that the other build inlined
 * without a trace, or left by a jump; where no other stack with these ends may be it. */
static void identity_join_stacks(struct finding *f, const struct matching_entity *last,
				 size_t n_last, const struct found *found, uint32_t *to)
{
	bool *taken = mem_zarray(n_last + 1, sizeof *taken);
	struct left_stacks left = {.n = 0};

	for (size_t i = 0; i < found->n; i++)
		if (to[i] != MATCHING_NONE)
			taken[to[i]] = true;
	for (uint32_t i = 0; i < n_last; i++)
		if (!taken[i])
			identity_add_left(f, &left, last[i].node, i, false);
	for (uint32_t i = 0; i < found->n; i++)
		if (to[i] == MATCHING_NONE)
			identity_add_left(f, &left, found->items[i].node, i, true);
	sort_array(left.items, left.n, sizeof *left.items, left_stack_order);
	for (size_t i = 0, end; i < left.n; i = end) {
		for (end = i + 1; end < left.n && left.items[end].ends == left.items[i].ends; end++)
			;
		identity_join_left(left.items + i, end - i, left.calls, to);
	}
	free(left.items);
	free(left.calls);
	free(taken);
}

/* Rows as they grow, build by build. */
struct trace_follow {
	struct identity_rows *rows;
	struct matching_entity *last; /* by row: the entity of the last build that has it */
	size_t cap;
};

static void identity_add_build(struct finding *f, struct trace_follow *g, size_t build,
			       enum key key, const bool *in)
{
	struct identity_rows *r = g->rows;
	struct found found;
	uint32_t *to;
	bool *guess;

	identity_find_entities(f, &found, build, key, in);
	if (!found.n) {
		found_release(&found);
		return;
	}
	to = mem_array(found.n + 1, sizeof *to);
	guess = mem_array(found.n + 1, sizeof *guess);
	matching_assign(g->last, r->n, found.items, found.n, &f->lines[build], to, guess);
	if (key == KEY_STACK)
		identity_join_stacks(f, g->last, r->n, &found, to);
	for (size_t i = 0; i < found.n; i++) {
		if (!g->last || to[i] == MATCHING_NONE) {
			size_t n = r->n;

			VEC_PUSH(r->rows, r->n, r->cap) = (struct identity_row){.guess = false};
			to[i] = (uint32_t)n;
			VEC_PUSH(g->last, n, g->cap) = found.items[i];
		} else {
			r->rows[to[i]].guess |=
			    guess[i] || g->last[to[i]].same != found.items[i].same;
			g->last[to[i]] = found.items[i];
		}
	}
	for (size_t i = 0; i < found.n_entities; i++) {
		const struct profile_entity *of = &f->t->keys[key].items[found.entities[i].entity];
		uint32_t row = to[found.entities[i].item],
			 module = key == KEY_MODULE ? of->name : of->module;

		r->rows[row].guess |= module_of(f, build, module).guess;
		r->rows[row].n++;
		VEC_PUSH(r->members, r->n_members, r->cap_members) =
		    (struct identity_member){found.entities[i].entity, (uint32_t)build, row};
	}
	free(to);
	free(guess);
	found_release(&found);
}

static void identity_sort_members(struct identity_rows *r)
{
	struct identity_member *sorted = mem_array(r->n_members + 1, sizeof *sorted);
	uint32_t at = 0;

	for (size_t i = 0; i < r->n; i++) {
		r->rows[i].first = at;
		at += r->rows[i].n;
		r->rows[i].n = 0;
	}
	for (size_t i = 0; i < r->n_members; i++) {
		struct identity_row *row = &r->rows[r->members[i].row];

		sorted[row->first + row->n++] = r->members[i];
	}
	free(r->members);
	r->members = sorted;
	r->cap_members = r->n_members + 1;
}

/* --- lines --- */

/* A name of C says its file, whether or not others have it, too: where one file of a build alone has it, it says where
 * that file went. */
static void identity_add_file(const char *raw, size_t n, enum key key, uint32_t module,
			      uint32_t file_id, struct places *to)
{
	uint64_t name = placed_name(raw, n, "", module);

	places_add(to, (struct placed){name + 2 + (key == KEY_SITE), file_id, 0, 0, false, true});
}

/* A function's sites have its name + 1, so that they follow it. */
static void identity_add_places(const struct finding *f, size_t build, enum key key, uint32_t i,
				struct places *to)
{
	const struct profile_entity *of = &f->t->keys[key].items[i];
	const char *name = entities_text(f->t, of->name, NULL), *line,
		   *file = raw_file(f->t, of->raw, &line);
	struct profile_place place;
	struct matching_entity m = {.file = ""};
	struct identity_sizes sizes;
	struct placed p;
	size_t n;
	const char *raw = identity_raw(f, build, key, i, &n);
	uint32_t module = module_of(f, build, of->module).module;

	if (*line || name_is_numbered(name, strlen(name))) {
		if (key != KEY_SITE)
			return;
		identity_site(f, of, &m);
		sizes = sizes_of(f, build, key, i);
		p = (struct placed){.file = m.file_id,
				    .line = m.line,
				    .each = sizes.count > 0 ? sizes.bytes / sizes.count : 0};
		places_add_numbered(to, p);
		return;
	}
	p = (struct placed){.name = placed_name(raw, n, file, module)};
	if (key == KEY_SITE) {
		identity_site(f, of, &m);
		sizes = sizes_of(f, build, key, i);
		if (*file)
			identity_add_file(raw, n, key, module, m.file_id, to);
		p = (struct placed){p.name + 1, m.file_id,
				    m.line,     sizes.count > 0 ? sizes.bytes / sizes.count : 0,
				    false,      !*file};
		places_add(to, p);
		return;
	}
	place = place_in(f, build, i);
	identity_function(f, build, i, &m);
	p.file = m.file_id;
	p.line = place.line;
	p.first_only = !place.last;
	if (*file) {
		identity_add_file(raw, n, key, module, m.file_id, to);
		identity_add_file(raw, n, KEY_SITE, module,
				  file_id(entities_text(f->t, place.file, NULL)), to);
	}
	p.unique = !*file;
	places_add(to, p);
	p.line = place.last;
	if (place.last != place.line)
		places_add(to, p);
}

static void identity_learn_places(const struct finding *f, size_t build, struct places *to)
{
	*to = (struct places){.n = 0};
	for (size_t k = 0; k < sizeof named / sizeof *named; k++)
		for (uint32_t i = 0; i < f->t->keys[named[k]].n; i++)
			if (named[k] == KEY_FUNCTION || build_has(f, build, named[k], i))
				identity_add_places(f, build, named[k], i, to);
	places_sort(to);
}

/* The files that entities of a build are in. */
struct source_files {
	struct map64 at;
	struct source_name {
		uint32_t id;
		const char *path;
	} * items;
	size_t n, cap;
};

static void add_source(struct source_files *to, const char *path)
{
	uint32_t id = file_id(path), *at = id ? map64_put(&to->at, id) : NULL;

	if (!at || *at)
		return;
	*at = 1;
	VEC_PUSH(to->items, to->n, to->cap) = (struct source_name){id, path};
}

static void identity_learn_files(const struct finding *f, size_t build, struct source_files *to)
{
	const struct entities_key *sites = &f->t->keys[KEY_SITE];

	*to = (struct source_files){.n = 0};
	for (uint32_t i = 0; i < sites->n; i++)
		if (build_has(f, build, KEY_SITE, i))
			add_source(to, entities_text(f->t, sites->items[i].file, NULL));
	for (uint32_t i = 0; i < f->t->keys[KEY_FUNCTION].n; i++)
		add_source(to, entities_text(f->t, place_in(f, build, i).file, NULL));
}

static void source_files_release(struct source_files *s)
{
	map64_release(&s->at);
	free(s->items);
}

static uint64_t pair_of(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Of two files of one base name, or of which one was renamed to the other, the lines are where a comparison of the
 * sources says, and not where what was seen of them says. */
static void identity_compare_sources(struct finding *f, size_t build)
{
	const char *dirs[2] = {f->builds[build - 1].source, f->builds[build].source};
	struct matching_lines *lines = &f->lines[build], kept = {.n = 0};
	struct map64 renamed = MAP64_INIT, compared = MAP64_INIT;
	struct source_files was, now;
	struct buf a = BUF_INIT, b = BUF_INIT, where = BUF_INIT;
	struct err e = ERR_INIT;

	identity_learn_files(f, build - 1, &was);
	identity_learn_files(f, build, &now);
	for (size_t i = 0; i < lines->n; i++)
		*map64_put(&renamed, pair_of(lines->items[i].file_a, lines->items[i].file_b)) = 1;
	for (size_t i = 0; i < was.n; i++)
		for (size_t k = 0; k < now.n; k++) {
			uint64_t pair = pair_of(was.items[i].id, now.items[k].id);

			if (strcmp(path_end(was.items[i].path, 0),
				   path_end(now.items[k].path, 0)) != 0 &&
			    !map64_get(&renamed, pair))
				continue;
			a.len = b.len = where.len = 0;
			if (source_read(&dirs[0], 1, was.items[i].path, &a, &where, &e) ||
			    source_read(&dirs[1], 1, now.items[k].path, &b, &where, &e))
				continue;
			*map64_put(&compared, pair) = 1;
			line_map_add(&kept, was.items[i].id, now.items[k].id, &a, &b);
		}
	for (size_t i = 0; i < lines->n; i++)
		if (!map64_get(&compared, pair_of(lines->items[i].file_a, lines->items[i].file_b)))
			matching_lines_add(&kept, lines->items[i]);
	kept.moves = lines->moves;
	kept.n_moves = lines->n_moves;
	lines->moves = NULL;
	matching_lines_release(lines);
	*lines = kept;
	source_files_release(&was);
	source_files_release(&now);
	map64_release(&renamed);
	map64_release(&compared);
	buf_release(&a);
	buf_release(&b);
	buf_release(&where);
}

static void identity_find_lines(struct finding *f)
{
	struct places was = {.n = 0};

	f->lines = mem_zarray(f->n + 1, sizeof *f->lines);
	for (size_t b = 0; b < f->n; b++) {
		struct places now;

		identity_learn_places(f, b, &now);
		places_compare(&was, &now, &f->lines[b]);
		if (b && f->builds[b - 1].source && f->builds[b].source &&
		    f->builds[b - 1].source != f->builds[b].source)
			identity_compare_sources(f, b);
		matching_lines_sort(&f->lines[b]);
		places_release(&was);
		was = now;
	}
	places_release(&was);
}

/* --- stacks --- */

static void identity_hash_nodes(struct finding *f, size_t build)
{
	const struct entities_key *k = &f->t->keys[KEY_FUNCTION];

	for (size_t i = 1; i < f->t->stacks.n; i++) {
		const struct profile_stack *n = &f->t->stacks.rows[i];
		const struct profile_entity *of = &k->items[n->location];
		struct node_hash h = f->nodes[n->parent];
		uint64_t row = f->function_rows[build * k->n + n->location], bare;

		h.same = hash_u64(h.same ^ identity_same(f, build, KEY_FUNCTION, n->location,
							 module_of(f, build, of->module).module)) |
			 1;
		h.rows = hash_u64(h.rows ^ row) | 1;
		bare = identity_bare_of(f, n->location, row);
		h.bare = hash_u64(h.bare ^ bare) | 1;
		/* A function and a part of it are one call. */
		if (!identity_library(f, n->location) && h.last != row)
			h.core = hash_u64(h.core ^ bare) | 1;
		h.last = row;
		h.open |= identity_numbered(f, n->location);
		f->nodes[i] = h;
	}
}

static void identity_find_functions(struct finding *f)
{
	const size_t n = f->t->keys[KEY_FUNCTION].n;
	struct identity_rows rows = {.n = 0};
	struct trace_follow g = {.rows = &rows};

	f->function_rows = mem_zarray(f->n * n + 1, sizeof *f->function_rows);
	f->nodes = mem_zarray(f->t->stacks.n + 1, sizeof *f->nodes);
	f->library = mem_zarray(n + 1, 1);
	f->bare = mem_zarray(n + 1, sizeof *f->bare);
	f->sizes = mem_zarray(n + 1, sizeof *f->sizes);
	f->sites = sites_new();
	for (size_t b = 0; b < f->n; b++) {
		bool *in = profiles_functions(f->builds[b].runs, f->builds[b].n, f->t);

		identity_learn_sizes(f, b);
		identity_add_build(f, &g, b, KEY_FUNCTION, in);
		free(in);
	}
	for (size_t i = 0; i < rows.n_members; i++)
		f->function_rows[rows.members[i].build * n + rows.members[i].entity] =
		    rows.members[i].row + 1;
	free(g.last);
	identity_rows_release(&rows);
}

unsigned identity_keys(unsigned keys)
{
	return keys & (1u << KEY_FUNCTION | 1u << KEY_LOCATION | 1u << KEY_STACK) ? 1u << KEY_SITE
										  : 0;
}

void identity_rows_init(struct identity_rows *r, const struct profile_entities *t, enum key key,
			const struct identity_build *builds, size_t n,
			const struct identity_options *o)
{
	struct finding f = {.t = t, .builds = builds, .n = n, .o = o};
	struct trace_follow g = {.rows = r};

	*r = (struct identity_rows){.n = 0};
	f.numbered = mem_zarray(t->keys[KEY_FUNCTION].n + 1, 1);
	for (size_t b = 0; b < n; b++)
		identity_find_modules(&f, b);
	identity_find_builds(&f);
	identity_find_renamed(&f);
	identity_find_lines(&f);
	if (key == KEY_STACK)
		identity_find_functions(&f);
	for (size_t b = 0; b < n; b++) {
		if (key == KEY_STACK)
			identity_hash_nodes(&f, b);
		identity_add_build(&f, &g, b, key, NULL);
	}
	identity_sort_members(r);
	for (size_t b = 0; b < n; b++)
		matching_lines_release(&f.lines[b]);
	map64_release(&f.modules);
	name_maps_release(&f.renamed);
	free(f.has_renamed);
	sites_free(f.sites);
	free(f.module_ins);
	free(f.known);
	free(f.build_of);
	free(f.lines);
	free(f.numbered);
	free(f.library);
	free(f.bare);
	free(f.function_rows);
	free(f.sizes);
	free(f.nodes);
	free(g.last);
}

void identity_rows_release(struct identity_rows *r)
{
	free(r->rows);
	free(r->members);
	*r = (struct identity_rows){.n = 0};
}

/* SPDX-License-Identifier: MIT */
#include "lib/names/names_memo.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/rules/linkage.h"
#include "lib/trace/module_index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_string(struct group_names *n, const char *s, size_t len)
{
	return len ? intern_add(&n->strings, s, len) : 0;
}

static uint32_t add_base_name(struct group_names *n, const char *s, size_t len)
{
	const char *name = path_name_n(s, &len);

	return add_string(n, name, len);
}

/* What the paths make of a file. */
static uint32_t group_names_map_file(struct group_names *n, uint32_t file)
{
	struct names_memo *m = n->memo;
	uint32_t id, *first;
	struct buf b = BUF_INIT;
	const char *s;
	size_t len;

	if (!file)
		return file;
	id = file < m->cap_mapped ? m->mapped[file] : 0;
	if (!id) {
		struct buf tidy = BUF_INIT;

		id = file;
		s = names_text(n, file, &len);
		if (paths_tidy(s, len, &tidy)) {
			id = add_string(n, tidy.data, tidy.len);
			s = buf_str(&tidy);
			len = tidy.len;
		}
		if (n->paths && paths_map(n->paths, s, len, &b))
			id = add_string(n, b.data, b.len);
		m->mapped =
		    mem_grow_zero(m->mapped, &m->cap_mapped, (size_t)file + 1, sizeof *m->mapped);
		m->mapped[file] = id;
		buf_release(&b);
		buf_release(&tidy);
	}
	if (!n->paths)
		return id;
	first = map64_put(&m->unmapped, id);
	if (!*first) {
		*first = file;
	} else if (*first != file && !map64_get(&m->unmapped, (uint64_t)1 << 32 | file)) {
		*map64_put(&m->unmapped, (uint64_t)1 << 32 | file) = id;
		n->paths_joined++;
	}
	return id;
}

/* One name for a constructor that is inlined here and compiled there. */
static uint32_t one_linkage(struct group_names *n, uint32_t raw)
{
	size_t len, at;
	const char *s = names_text(n, raw, &len);
	struct buf b = BUF_INIT;

	at = linkage_unified(s, len);
	if (!at)
		return raw;
	buf_add(&b, s, len);
	b.data[at] = '2';
	raw = add_string(n, b.data, b.len);
	buf_release(&b);
	return raw;
}

static const char call_operator[] = "operator()";

/* "operator()", "operator()<int>": of a lambda that was inlined everywhere nothing more is said. */
static bool is_call_operator(const char *s, size_t n)
{
	size_t len = sizeof call_operator - 1;

	return n >= len && !memcmp(s, call_operator, len) && (n == len || s[len] == '<');
}

/* Of a name without scope or parameters nothing says that no other file has one of that name; raw: the linkage
 * name, or what is shown where there is not any. */
static bool name_needs_file(const struct group_names *n, uint32_t raw, uint32_t shown)
{
	size_t len;
	const char *s = names_text(n, raw, &len);

	if (linkage_is_internal(s, len) || is_call_operator(s, len))
		return true;
	return raw == shown && len && *s != '[' && !memchr(s, '(', len) && !memmem(s, len, "::", 2);
}

static uint32_t group_names_with_file(struct group_names *n, uint32_t name, uint32_t file,
				      uint32_t line)
{
	struct buf b = BUF_INIT;
	const char *s;
	size_t len;

	if (!file)
		return name;
	s = names_text(n, name, &len);
	buf_add(&b, s, len);
	buf_addc(&b, '\0');
	s = names_text(n, file, &len);
	buf_add(&b, s, len);
	if (line && is_call_operator(b.data, strlen(b.data))) {
		buf_addc(&b, '\0');
		buf_add_u64(&b, line);
	}
	name = add_string(n, b.data, b.len);
	buf_release(&b);
	return name;
}

/* A symbol table's string, remembered so that a path is hashed once and not per location. */
static uint32_t symbol_string(struct group_names *n, const struct trace_symbols *s, uint32_t id)
{
	struct names_memo *m = n->memo;
	const char *text;
	size_t len;

	if (!id || id > intern_count(&s->strings))
		return 0;
	if (id >= m->cap_strings_seen)
		m->strings_seen =
		    mem_grow_zero(m->strings_seen, &m->cap_strings_seen,
				  (size_t)intern_count(&s->strings) + 1, sizeof *m->strings_seen);
	if (!m->strings_seen[id]) {
		text = intern_text(&s->strings, id, &len);
		m->strings_seen[id] = add_string(n, text, len) + 1;
	}
	return m->strings_seen[id] - 1;
}

static uint64_t function_hash(uint32_t raw, uint32_t module)
{
	return hash_u64((uint64_t)module << 32 | raw);
}

static uint64_t group_names_function_row_hash(const void *table, uint32_t id)
{
	const struct names_function *f = &((const struct names_function *)table)[id];

	return function_hash(f->raw, f->module);
}

static bool group_names_function_equal(const void *table, uint32_t id, const void *key)
{
	const struct names_function *a = &((const struct names_function *)table)[id], *b = key;

	return a->raw == b->raw && a->module == b->module;
}

static uint32_t add_function(struct group_names *n, const struct names_function *f)
{
	static const struct id_rows rows = {group_names_function_row_hash,
					    group_names_function_equal};
	struct names_memo *m = n->memo;
	uint64_t hash = function_hash(f->raw, f->module);
	uint32_t id = id_set_find(&m->function_set, &rows, n->functions, hash, f);

	if (!id) {
		id = (uint32_t)n->n_functions;
		VEC_PUSH(n->functions, n->n_functions, n->cap_functions) = *f;
		id_set_add(&m->function_set, &rows, n->functions, hash, id);
	}
	return id;
}

static uint32_t symbol_file(struct group_names *n, const struct trace_symbols *s,
			    const struct symbol_call *c)
{
	return group_names_map_file(n, symbol_string(n, s, c->file));
}

static uint32_t group_names_symbol_function(struct group_names *n, const struct trace_symbols *s,
					    const struct symbol_call *c, uint32_t object,
					    uint32_t module, bool local)
{
	struct names_memo *m = n->memo;
	const struct symbol_function *sf;
	struct names_function f = {.module = module};
	struct names_seen *seen;
	uint32_t function;
	bool placed;

	if (c->function >= s->n_functions)
		return UINT32_MAX;
	if (c->function >= m->cap_functions_seen)
		m->functions_seen = mem_grow_zero(m->functions_seen, &m->cap_functions_seen,
						  s->n_functions, sizeof *m->functions_seen);
	seen = &m->functions_seen[c->function];
	if (!local && seen->function && seen->object == object)
		return seen->function;
	sf = &s->functions[c->function];
	f.raw = one_linkage(n, symbol_string(n, s, sf->raw));
	f.display = symbol_string(n, s, sf->display);
	if (!f.raw)
		f.raw = f.display;
	if (!f.display)
		f.display = f.raw;
	placed = local || name_needs_file(n, f.raw, f.display);
	if (n->mangled)
		f.display = f.raw;
	if (placed)
		f.raw = group_names_with_file(n, f.raw, symbol_file(n, s, c), c->line);
	/* A nameless function stays 0 and is identified by its address. */
	function = f.raw ? add_function(n, &f) : UINT32_MAX;
	if (!placed) /* else it is another in another file */
		*seen = (struct names_seen){object, function};
	return function;
}

/* A call of the present capture's symbols, remembered: most inlined calls are in many locations. */
static struct names_call_seen group_names_symbol_call(struct group_names *n,
						      const struct trace_symbols *s, uint32_t call,
						      const struct binding *b, uint32_t module)
{
	const struct symbol_call *c = &s->calls[call];
	struct names_memo *m = n->memo;
	bool local = b->flags & BINDING_LOCAL && !c->outer;
	struct names_call_seen *seen, made = {.object = b->object};

	if (call >= m->cap_calls_seen)
		m->calls_seen = mem_grow_zero(m->calls_seen, &m->cap_calls_seen, s->n_calls,
					      sizeof *m->calls_seen);
	seen = &m->calls_seen[call];
	if (!local && seen->function && seen->object == b->object)
		return *seen;
	made.function = group_names_symbol_function(n, s, c, b->object, module, local);
	if (made.function != UINT32_MAX)
		made.file = symbol_file(n, s, c);
	if (!local)
		*seen = made;
	return made;
}

enum how { HOW_UNKNOWN, HOW_NAME, HOW_VADDR, HOW_OFFSET, HOW_ADDRESS, HOW_PART };

/* What makes a location the same: of a row it is in the row and in its calls. Function 0: nothing
 * names it. Without build-ids two builds have the same address in the same function, inlined
 * elsewhere: so the calls around it count too. */
struct identity {
	uint64_t address, callers; /* callers: a hash over the calls behind the first; 0: none */
	uint32_t module, build_id, function, file, line;
	enum how how;
	uint8_t kind; /* HOW_VADDR: behind a call or not, which are two instructions */
	bool behind;  /* names_location's: of equal ones the first's */
	bool offset;  /* HOW_VADDR, of a module without a file: what it counts from is not known */
};

static void push_call(struct group_names *n, uint32_t function, uint32_t file, uint32_t line,
		      uint32_t location)
{
	VEC_PUSH(n->calls, n->n_calls, n->cap_calls) =
	    (struct names_call){function, file, line, location};
}

static uint64_t callers_of(const struct group_names *n, uint32_t first, uint32_t n_calls)
{
	uint64_t h = 0;

	for (uint32_t i = 1; i < n_calls; i++) {
		const struct names_call *c = &n->calls[first + i];

		h = hash_u64(h ^ ((uint64_t)c->function << 32 | c->line)) + c->file;
	}
	return h;
}

static struct identity identity_of(const struct group_names *n, const struct names_location *l)
{
	const struct names_call *c = &n->calls[l->named ? l->first : 0];

	return (struct identity){l->address,  l->named ? callers_of(n, l->first, l->n_calls) : 0,
				 l->module,   l->build_id,
				 c->function, c->file,
				 c->line,     l->how,
				 l->kind,     l->behind,
				 false};
}

static uint64_t identity_hash(const struct identity *id)
{
	uint64_t h = hash_u64((id->address + id->how + ((uint64_t)id->kind << 8)) ^ id->callers);

	h = hash_u64(h ^ ((uint64_t)id->module << 32 | id->build_id));
	return hash_u64((h ^ ((uint64_t)id->function << 32 | id->line)) + id->file);
}

static uint64_t group_names_location_row_hash(const void *table, uint32_t id)
{
	const struct group_names *n = table;
	struct identity x = identity_of(n, &n->locations[id]);

	return identity_hash(&x);
}

static bool group_names_location_equal(const void *table, uint32_t id, const void *key)
{
	const struct group_names *n = table;
	const struct identity *b = key;
	struct identity a = identity_of(n, &n->locations[id]);

	return a.address == b->address && a.callers == b->callers && a.module == b->module &&
	       a.build_id == b->build_id && a.function == b->function && a.file == b->file &&
	       a.line == b->line && a.how == b->how && a.kind == b->kind;
}

static const struct id_rows location_rows = {group_names_location_row_hash,
					     group_names_location_equal};

/* Its calls are added by the caller, at the latest when it is new. */
static uint32_t add_location(struct group_names *n, const struct identity *id,
			     const struct names_location *l, bool *is_new)
{
	struct names_memo *m = n->memo;
	uint64_t hash = identity_hash(id);
	uint32_t got = id_set_find(&m->location_set, &location_rows, n, hash, id);
	struct names_location row = *l;

	*is_new = !got;
	if (got)
		return got;
	got = (uint32_t)n->n_locations;
	row.how = (uint8_t)id->how;
	row.linked = id->how == HOW_VADDR;
	row.kind = id->kind;
	row.behind = id->behind;
	row.named = id->function != 0;
	VEC_PUSH(n->locations, n->n_locations, n->cap_locations) = row;
	id_set_add(&m->location_set, &location_rows, n, hash, got);
	return got;
}

static uint32_t text_function(struct group_names *n, const char *s, size_t len, uint32_t module,
			      uint32_t file, uint32_t line)
{
	uint32_t string = one_linkage(n, add_string(n, s, len)), raw = string;
	uint32_t shown = names_shown(n, string);

	if (name_needs_file(n, string, shown))
		raw = group_names_with_file(n, string, file, line);
	return add_function(
	    n, &(struct names_function){n->mangled ? string : shown, raw, module, 0, false});
}

/* A location that nothing names: the function is its place. */
static uint32_t group_names_unnamed(struct group_names *n, struct identity *id,
				    struct names_location *l)
{
	char text[64];
	uint32_t got, function;
	size_t len, module_len;
	const char *module = names_text(n, id->module, &module_len);
	bool is_new;

	l->module = id->module;
	l->build_id = id->build_id;
	l->address = id->address;
	l->has_address = id->how != HOW_UNKNOWN;
	l->tier = id->module && l->has_address ? TIER_MODULE : TIER_NOTHING;
	l->first = (uint32_t)n->n_calls;
	l->n_calls = 1;
	got = add_location(n, id, l, &is_new);
	if (!is_new)
		return got;
	if (id->how == HOW_UNKNOWN) {
		function = text_function(n, "[unknown]", 9, id->module, 0, 0);
	} else {
		char *s = mem_alloc(module_len + sizeof text);

		len = (size_t)snprintf(text, sizeof text, "%s0x%" PRIx64,
				       !id->module                           ? ""
				       : id->how == HOW_VADDR && !id->offset ? "!"
									     : "+",
				       id->address);
		memcpy(s, module, module_len);
		memcpy(s + module_len, text, len);
		function = text_function(n, s, module_len + len, id->module, 0, 0);
		free(s);
	}
	push_call(n, function, 0, 0, got);
	return got;
}

/* Files of one name, as of a plugin that is loaded again after each change, have different code at
 * one address: what nothing names is of the first, of the second ... build of that name. */
static void builds_look(struct group_names *n, const struct trace *t)
{
	enum { LOOK_BACK = 1000 }; /* of more the numbers are not looked for */
	struct names_memo *m = n->memo;

	if (!m->n_builds)
		VEC_PUSH(m->builds, m->n_builds, m->cap_builds) = (struct names_build){.before = 0};
	while (m->n_builds < t->n_modules) {
		uint32_t id = (uint32_t)m->n_builds, most = 0, *last;
		struct names_build row = {.number = 0};
		const char *name;
		size_t len;

		name = intern_text(&t->strings, t->modules[id].name, &len);
		last = map64_put(&m->last_build, add_base_name(n, name, len));
		row.before = *last;
		*last = id;
		for (uint32_t k = row.before, looks = 0; k && !row.number && looks < LOOK_BACK;
		     k = m->builds[k].before, looks++) {
			most = m->builds[k].number > most ? m->builds[k].number : most;
			if (!trace_other_build(t, id, k))
				row.number = m->builds[k].number;
		}
		if (!row.number)
			row.number = most + 1;
		VEC_PUSH(m->builds, m->n_builds, m->cap_builds) = row;
	}
}

static const struct module *module_at(struct group_names *n, const struct trace *t,
				      const struct location *l, const struct map_range **range)
{
	struct names_memo *m = n->memo;

	if (m->n_modules != t->n_modules) {
		module_index_free(m->modules);
		m->modules = module_index_new(t);
		m->n_modules = t->n_modules;
	}
	return module_index_at(m->modules, l->process, l->epoch, l->raw, range);
}

/* The module that a location without a name is said to be in. */
static uint32_t with_build(struct group_names *n, const struct trace *t, const struct location *l,
			   uint32_t module)
{
	const struct map_range *range;
	const struct module *m = l->space == SPACE_RUNTIME ? module_at(n, t, l, &range) : NULL;
	uint32_t id = m ? (uint32_t)(m - t->modules) : l->module < t->n_modules ? l->module : 0;
	struct buf b = BUF_INIT;
	size_t len;
	const char *s;

	if (!id || !module)
		return module;
	builds_look(n, t);
	if (n->memo->builds[id].number < 2)
		return module;
	s = names_text(n, module, &len);
	buf_add(&b, s, len);
	buf_addf(&b, "#%" PRIu32, n->memo->builds[id].number);
	module = add_string(n, b.data, b.len);
	buf_release(&b);
	return module;
}

/* Where an unbound address is: the module's file offset, or the address less the slide. */
static void group_names_place(struct group_names *n, const struct trace *t,
			      const struct location *l, struct identity *id)
{
	const struct module *m =
	    l->module < t->n_modules && l->module ? &t->modules[l->module] : NULL;
	const struct map_range *range = NULL;
	const char *name;
	size_t len;

	id->address = l->raw;
	id->how = HOW_ADDRESS;
	if (l->space != SPACE_RUNTIME) {
		id->how = HOW_OFFSET;
	} else {
		const struct module *mapped = module_at(n, t, l, &range);
		if (mapped && (!m || mapped == m)) {
			m = mapped;
			id->address = l->raw - range->lo + range->offset;
			id->how = HOW_OFFSET;
		} else if (m && m->has_slide) {
			id->address = l->raw - m->slide;
			id->how = HOW_OFFSET;
		}
	}
	if (!m)
		return;
	name = intern_text(&t->strings, m->name, &len);
	id->module = add_base_name(n, name, len);
	if (m->build_id) {
		name = intern_text(&t->strings, m->build_id, &len);
		id->build_id = add_string(n, name, len);
	}
}

/* id has the address, where there is one in addition to the name. */
static uint32_t group_names_by_capture(struct group_names *n, const struct trace *t,
				       const struct location *l, struct identity *id)
{
	struct names_location row = {.address = id->address,
				     .has_address = id->how != HOW_UNKNOWN,
				     .first = (uint32_t)n->n_calls,
				     .n_calls = 1};
	const char *text;
	size_t len;
	uint32_t got;
	bool is_new;

	if (!row.has_address)
		id->how = HOW_NAME;
	if (!id->module && l->module && l->module < t->n_modules) {
		text = intern_text(&t->strings, t->modules[l->module].name, &len);
		id->module = add_base_name(n, text, len);
	}
	text = intern_text(&t->strings, l->file, &len);
	id->file = group_names_map_file(n, add_string(n, text, len));
	id->line = l->line;
	text = intern_text(&t->strings, l->name ? l->name : l->symbol, &len);
	id->function = text_function(n, text, len, id->module, id->file, id->line);
	row.module = id->module;
	row.build_id = id->build_id;
	row.tier = id->file && l->line ? TIER_LINE : TIER_NAME;
	got = add_location(n, id, &row, &is_new);
	if (is_new)
		push_call(n, id->function, id->file, l->line, got);
	return got;
}

/* A function is entered, whatever is inlined where its first instruction is. References point
 * backwards; anything else would be a loop. */
static uint32_t outermost(const struct trace_symbols *s, uint32_t call)
{
	while (s->calls[call].outer && s->calls[call].outer < call)
		call = s->calls[call].outer;
	return call;
}

/* A function of which only its start is known is called by its module, as an address is. */
static uint32_t group_names_by_start(struct group_names *n, const struct trace *t,
				     const struct location *l, const struct binding *b,
				     struct identity *id)
{
	const struct trace_symbols *s = &t->symbols;
	const struct symbol_function *f = &s->functions[s->calls[b->call].function];
	struct names_location row = {.build_id = id->build_id,
				     .address = id->address,
				     .has_address = true,
				     .tier = TIER_MODULE,
				     .first = (uint32_t)n->n_calls,
				     .n_calls = 1};
	struct buf name = BUF_INIT;
	const char *text;
	uint32_t got;
	size_t len;
	bool is_new;

	row.module = id->module = with_build(n, t, l, id->module);
	text = names_text(n, id->module, &len);
	buf_add(&name, text, len);
	buf_addc(&name, '!');
	text = intern_text(&s->strings, f->raw, &len);
	buf_add(&name, text, len);
	id->function = text_function(n, name.data, name.len, id->module, 0, 0);
	buf_release(&name);
	got = add_location(n, id, &row, &is_new);
	if (is_new)
		push_call(n, id->function, 0, 0, got);
	return got;
}

/* Nothing but tm-symbolize's own name of a start. */
static bool is_start(const struct trace_symbols *s, const struct binding *b)
{
	const struct symbol_call *c = &s->calls[b->call];

	return b->tier == TIER_MODULE && c->function && c->function < s->n_functions && !c->outer;
}

static uint32_t group_names_symbolized(struct group_names *n, const struct trace_symbols *s,
				       const struct location *l, const struct binding *b,
				       struct identity *id)
{
	struct names_location row = {.module = id->module,
				     .build_id = id->build_id,
				     .address = id->address,
				     .has_address = true,
				     .tier = b->tier,
				     .first = (uint32_t)n->n_calls};
	uint32_t first = l->kind == LOCATION_ENTRY ? outermost(s, b->call) : b->call;
	struct names_call_seen c = group_names_symbol_call(n, s, first, b, id->module);
	uint32_t got;
	bool is_new;

	if (c.function == UINT32_MAX)
		return 0;
	id->function = c.function;
	id->file = c.file;
	id->line = s->calls[first].line;
	for (uint32_t call = first; call && call < s->n_calls;) {
		if (call != first)
			c = group_names_symbol_call(n, s, call, b, id->module);
		if (c.function != UINT32_MAX)
			push_call(n, c.function, c.file, s->calls[call].line,
				  (uint32_t)n->n_locations);
		/* References point backwards; anything else would be a loop. */
		call = s->calls[call].outer < call ? s->calls[call].outer : 0;
	}
	row.n_calls = (uint32_t)n->n_calls - row.first;
	if (row.n_calls && b->flags & BINDING_FOLDED) /* not what was inlined there */
		n->functions[n->calls[n->n_calls - 1].function].folded = true;
	id->callers = callers_of(n, row.first, row.n_calls);
	got = add_location(n, id, &row, &is_new);
	if (!is_new)
		n->n_calls = row.first;
	return got;
}

static const struct names_object_seen *group_names_symbol_object(struct group_names *n,
								 const struct trace_symbols *s,
								 uint32_t object)
{
	struct names_memo *m = n->memo;
	const struct symbol_object *o = &s->objects[object];
	struct names_object_seen *seen;
	const char *text;
	size_t len;

	if (object >= m->cap_objects_seen)
		m->objects_seen = mem_grow_zero(m->objects_seen, &m->cap_objects_seen, s->n_objects,
						sizeof *m->objects_seen);
	seen = &m->objects_seen[object];
	if (!seen->asked) {
		text = intern_text(&s->strings, o->name, &len);
		seen->module = add_base_name(n, text, len);
		text = intern_text(&s->strings, o->build_id, &len);
		seen->build_id = add_string(n, text, len);
		seen->asked = true;
	}
	return seen;
}

/* Of its module no file was used, which alone says link-time addresses. */
static bool has_no_file(const struct binding *b)
{
	return b->reason == REASON_NO_FILE || b->reason == REASON_BUILD_ID_DIFFERS ||
	       b->reason == REASON_REPLACED || b->reason == REASON_BAD_FILE;
}

static uint32_t group_names_resolve(struct group_names *n, const struct trace *t, uint32_t location)
{
	const struct location *l = &t->locations[location];
	const struct trace_symbols *s = &t->symbols;
	const struct binding *b = symbols_binding(s, location);
	struct identity id = {.how = HOW_UNKNOWN, .behind = l->kind == LOCATION_RETURN};
	struct names_location row = {.n_calls = 0};
	const struct names_object_seen *o;

	if (b->object && b->object < s->n_objects) {
		o = group_names_symbol_object(n, s, b->object);
		id.module = o->module;
		id.build_id = o->build_id;
		if (b->vaddr) {
			id.address = b->vaddr;
			id.how = HOW_VADDR;
			id.kind = b->kind;
			id.behind = b->kind == LOCATION_RETURN;
			id.offset = has_no_file(b);
		}
	}
	if (b->call && b->call < s->n_calls) {
		uint32_t got = is_start(s, b) ? group_names_by_start(n, t, l, b, &id)
					      : group_names_symbolized(n, s, l, b, &id);

		if (got)
			return got;
	}
	if (id.how != HOW_VADDR && l->space < SPACE_NAME)
		group_names_place(n, t, l, &id);
	if (l->name || l->symbol)
		return group_names_by_capture(n, t, l, &id);
	id.module = with_build(n, t, l, id.module);
	return group_names_unnamed(n, &id, &row);
}

/* Asks the memory for what the locations after this one need, which mostly come after it. */
static void names_fetch(const struct names_memo *m, const struct trace_symbols *s,
			uint32_t location)
{
	enum { FAR = 24, NEAR = 12 };
	uint32_t far = symbols_binding(s, location + FAR)->call;
	uint32_t near = symbols_binding(s, location + NEAR)->call, outer, function;

	if (far < s->n_calls)
		__builtin_prefetch(&s->calls[far]);
	if (near >= s->n_calls)
		return;
	outer = s->calls[near].outer;
	function = s->calls[near].function;
	if (outer < s->n_calls)
		__builtin_prefetch(&s->calls[outer]);
	if (function < m->cap_functions_seen)
		__builtin_prefetch(&m->functions_seen[function]);
}

static void group_names_see(struct group_names *n, uint32_t location)
{
	const struct names_location *l = &n->locations[location];

	for (uint32_t c = l->first; c < l->first + l->n_calls; c++) {
		const struct names_call *call = &n->calls[c];
		struct names_seen_at *at;

		if (!call->line)
			continue;
		if (call->function >= n->n_seen)
			n->seen_at = mem_grow_zero(n->seen_at, &n->n_seen, n->n_functions,
						   sizeof *n->seen_at);
		at = &n->seen_at[call->function];
		if (!at->line || call->line < at->line) {
			at->file = call->file;
			at->line = call->line;
		}
		at->last = call->line > at->last ? call->line : at->last;
	}
}

uint32_t names_location(struct group_names *n, const struct trace *t, uint32_t location)
{
	struct names_memo *m = n->memo;

	if (location >= t->n_locations)
		location = 0;
	if (location >= m->cap_seen)
		m->seen = mem_grow_zero(m->seen, &m->cap_seen, t->n_locations, sizeof *m->seen);
	if (!m->seen[location]) {
		names_fetch(m, &t->symbols, location);
		m->seen[location] = group_names_resolve(n, t, location);
		group_names_see(n, m->seen[location]);
	}
	return m->seen[location];
}

void names_module(struct group_names *n, const struct trace *t, uint32_t module, uint32_t *name,
		  uint32_t *build_id)
{
	const struct module *m = &t->modules[module];
	const char *s;
	size_t len;

	s = intern_text(&t->strings, m->name, &len);
	*name = add_base_name(n, s, len);
	s = intern_text(&t->strings, m->build_id, &len);
	*build_id = m->build_id ? add_string(n, s, len) : 0;
}

uint32_t names_part(struct group_names *n, uint32_t location, const bool *keep)
{
	struct names_location l = n->locations[location];
	uint32_t first = l.first, calls = l.n_calls, got = (uint32_t)n->n_locations;

	l.first = (uint32_t)n->n_calls;
	l.n_calls = 0;
	for (uint32_t i = 0; i < calls; i++)
		l.n_calls += keep[i];
	if (!l.n_calls || l.n_calls == calls)
		return l.n_calls ? location : 0;
	l.how = HOW_PART;
	VEC_PUSH(n->locations, n->n_locations, n->cap_locations) = l;
	for (uint32_t i = 0; i < calls; i++) {
		struct names_call c = n->calls[first + i];

		if (keep[i])
			push_call(n, c.function, c.file, c.line, got);
	}
	return got;
}

/* Raw without the file that it may have. */
static uint32_t linkage_part(struct group_names *n, uint32_t raw)
{
	size_t len;
	const char *s = names_text(n, raw, &len);

	return add_string(n, s, strnlen(s, len));
}

/* What the capture called "[unknown]" and its like is no better known here. */
/* The function of a location of one call. */
static uint32_t names_of(struct group_names *n, const struct names_place *p)
{
	struct names_function f = {.display = add_string(n, p->display.s, p->display.n),
				   .raw = one_linkage(n, add_string(n, p->raw.s, p->raw.n)),
				   .module = add_string(n, p->module.s, p->module.n)};

	if (n->mangled && f.raw)
		f.display = linkage_part(n, f.raw);
	f.display = f.display ? f.display : f.raw;
	return add_function(n, &f);
}

uint32_t names_place(struct group_names *n, const struct names_place *p)
{
	struct identity id = {.function = names_of(n, p),
			      .module = add_string(n, p->module.s, p->module.n),
			      .file = group_names_map_file(n, add_string(n, p->file.s, p->file.n)),
			      .line = p->line,
			      .how = HOW_NAME};
	struct names_location row = {.module = id.module,
				     .first = (uint32_t)n->n_calls,
				     .n_calls = 1,
				     .tier = id.file && id.line ? TIER_LINE : TIER_NAME};
	bool is_new;
	uint32_t got = add_location(n, &id, &row, &is_new);

	if (is_new)
		push_call(n, id.function, id.file, id.line, got);
	return got;
}

void names_init(struct group_names *n)
{
	uint32_t text;

	*n = (struct group_names){.memo = mem_zalloc(sizeof *n->memo)};
	text = intern_add(&n->strings, "[no stack]", 10);
	VEC_PUSH(n->functions, n->n_functions, n->cap_functions) =
	    (struct names_function){text, text, 0, 0, false};
	VEC_PUSH(n->locations, n->n_locations, n->cap_locations) =
	    (struct names_location){.n_calls = 1};
	push_call(n, 0, 0, 0, 0);
}

void names_capture(struct group_names *n, const struct trace *t)
{
	struct names_memo *m = n->memo;

	(void)t;
	n->paths_joined = 0;
	module_index_free(m->modules);
	m->modules = NULL;
	m->n_modules = 0;
	m->n_builds = 0;
	map64_release(&m->last_build);
	if (m->seen)
		memset(m->seen, 0, m->cap_seen * sizeof *m->seen);
	free(m->functions_seen);
	m->functions_seen = NULL;
	m->cap_functions_seen = 0;
	free(m->strings_seen);
	m->strings_seen = NULL;
	m->cap_strings_seen = 0;
	free(m->calls_seen);
	m->calls_seen = NULL;
	m->cap_calls_seen = 0;
	free(m->objects_seen);
	m->objects_seen = NULL;
	m->cap_objects_seen = 0;
	map64_release(&m->unmapped);
}

void names_close(struct group_names *n)
{
	struct names_memo *m = n->memo;

	if (!m)
		return;
	id_set_release(&m->function_set);
	id_set_release(&m->location_set);
	free(m->functions_seen);
	free(m->strings_seen);
	free(m->calls_seen);
	free(m->objects_seen);
	free(m->mapped);
	map64_release(&m->unmapped);
	map64_release(&m->shown);
	module_index_free(m->modules);
	free(m->builds);
	map64_release(&m->last_build);
	free(m->seen);
	*m = (struct names_memo){.seen = NULL};
}

void names_release(struct group_names *n)
{
	names_close(n);
	intern_release(&n->strings);
	free(n->functions);
	free(n->locations);
	free(n->calls);
	free(n->seen_at);
	free(n->memo);
	*n = (struct group_names){.n_calls = 0};
}

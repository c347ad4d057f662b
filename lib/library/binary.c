/* SPDX-License-Identifier: MIT
 *
 * Binaries of tracemill/symbolize.h: opened, and asked for what they say without a batch.
 */
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/find/container.h"
#include "lib/library/symbolizer.h"

#include <string.h>

static struct tracemill_binary *binary_at(struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary *b;
	size_t n = strlen(path) + 1;

	for (b = s->binaries; b; b = b->next)
		if (!strcmp(b->path, path))
			return b;
	b = resource_scope_outside(sizeof *b + n);
	memcpy(b->path, path, n);
	b->next = s->binaries;
	s->binaries = b;
	return b;
}

struct tracemill_binary *symbolizer_binary_of(struct tracemill_symbolizer *s, struct lookup_file *f)
{
	struct tracemill_binary *b = binary_at(s, f->path);

	b->file = f;
	return b;
}

struct tracemill_binary *symbolizer_binary(struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary *b = binary_at(s, path);

	return lookup_usable(symbolizer_file(s, b)) ? b : NULL;
}

static enum tracemill_status symbolizer_open_binary(struct library_call *c)
{
	struct tracemill_binary *b = binary_at(c->s, c->in);
	const struct lookup_file *f;

	f = symbolizer_fresh_file(c->s, b, INT64_MAX);
	if (!lookup_usable(f))
		return handle_fail(&c->s->handle, &f->e);
	*(struct tracemill_binary **)c->a = b;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_open(struct tracemill_symbolizer *s, const char *path,
					    struct tracemill_binary **binary)
{
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_open_binary, .a = binary, .in = path});
}

static enum tracemill_status symbolizer_close_binary(struct library_call *c)
{
	const struct tracemill_binary *b = c->in;

	if (b->file && b->file->open)
		symbolizer_close_file(c->s, b->file);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_close(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary)
{
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_close_binary, .in = binary});
}

static enum tracemill_status symbolizer_open_by_id(struct library_call *c)
{
	struct object_build_id id = {.len = (uint8_t)c->n};
	struct lookup_file *f;
	struct err e;

	memcpy(id.bytes, c->in, c->n);
	f = lookup_file_by_id(&c->s->opened->lookup, &id);
	if (!f)
		return TRACEMILL_NOTHING;
	if (!lookup_usable(f)) {
		e = f->e;
		err_prefix(&e, "%s", f->path);
		return handle_fail(&c->s->handle, &e);
	}
	*(struct tracemill_binary **)c->a = symbolizer_binary_of(c->s, f);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_by_id(struct tracemill_symbolizer *s, const void *build_id,
					     size_t n, struct tracemill_binary **binary)
{
	if (!n || n > OBJECT_BUILD_ID_MAX)
		return handle_misuse(&s->handle, "a build-id has 1 to 64 bytes");
	return symbolizer_call(&(struct library_call){
	    .s = s, .fn = symbolizer_open_by_id, .a = binary, .in = build_id, .n = n});
}

static uint64_t code_base(const struct lookup_file *f)
{
	size_t n;
	const struct object_segment *s = object_segments(f->object, &n);
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (s[i].executable && s[i].vaddr < base)
			base = s[i].vaddr;
	return base == UINT64_MAX ? lookup_base(f) : base;
}

static enum tracemill_status symbolizer_get_facts(struct library_call *c)
{
	struct tracemill_binary *b = (struct tracemill_binary *)(uintptr_t)c->in;
	const struct lookup_file *f = symbolizer_file(c->s, b);
	struct tracemill_binary_facts facts = {.path = b->path,
					       .debug_path = "",
					       .complaint = f->e.msg,
					       .is_64 = true,
					       .is_zip = f->apk,
					       .machine = lookup_machine(f)};
	size_t room = ((struct tracemill_binary_facts *)c->a)->size;
	struct object_pe_stamp stamp;
	struct object_build_id captured;

	if (!lookup_usable(f))
		return handle_fail(&c->s->handle, &f->e);
	if (f->object) {
		const struct object_build_id *id = object_build_id(f->object);

		facts.debug_path = object_debug_path(f->object);
		facts.build_id = id->bytes;
		facts.n_build_id = id->len;
		captured = object_captured_id(f->object);
		memcpy(facts.captured_id, captured.bytes, sizeof facts.captured_id);
		facts.n_captured_id = captured.len;
		facts.base = lookup_base(f);
		facts.has_dwarf = object_has_dwarf(f->object);
		facts.has_pdb = object_has_pdb(f->object);
		facts.is_64 = lookup_is_64(f);
		facts.code_base = code_base(f);
		facts.image_base = object_image_base(f->object);
		if (object_pe_stamp(f->object, &stamp))
			facts.image_end = facts.image_base + stamp.size;
	}
	facts.size = room;
	memcpy(c->a, &facts, room < sizeof facts ? room : sizeof facts);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_facts(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary,
					     struct tracemill_binary_facts *facts)
{
	if (facts->size < sizeof facts->size)
		return handle_misuse(&s->handle, "facts: size is not filled in");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_get_facts, .a = facts, .in = binary});
}

struct symbolizer_asked { /* by name */
	const char *name;
	size_t n;
	uint64_t *address, *size;
};

static enum tracemill_status symbolizer_find_symbol(struct library_call *c)
{
	struct tracemill_binary *b = (struct tracemill_binary *)(uintptr_t)c->in;
	const struct symbolizer_asked *a = c->a;
	const struct lookup_file *f = symbolizer_file(c->s, b);

	return f->object && object_symbol_value(f->object, a->name, a->n, a->address)
		   ? TRACEMILL_OK
		   : TRACEMILL_NOTHING;
}

enum tracemill_status tracemill_binary_symbol(struct tracemill_symbolizer *s,
					      struct tracemill_binary *binary, const char *name,
					      size_t n, uint64_t *address)
{
	struct symbolizer_asked a = {.name = name, .n = n, .address = address};

	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_find_symbol, .a = &a, .in = binary});
}

static enum tracemill_status symbolizer_find_section(struct library_call *c)
{
	struct tracemill_binary *b = (struct tracemill_binary *)(uintptr_t)c->in;
	const struct symbolizer_asked *a = c->a;
	const struct lookup_file *f = symbolizer_file(c->s, b);
	struct object_section section;
	struct err e = ERR_INIT;

	if (!f->object || object_section(f->object, a->name, &section, &e))
		return TRACEMILL_NOTHING;
	*a->address = section.addr;
	*a->size = section.size;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_section(struct tracemill_symbolizer *s,
					       struct tracemill_binary *binary, const char *name,
					       uint64_t *address, uint64_t *size)
{
	struct symbolizer_asked a = {.name = name, .address = address, .size = size};

	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_find_section, .a = &a, .in = binary});
}

static enum tracemill_status symbolizer_prewarm(struct library_call *c)
{
	struct lookup *l = &c->s->opened->lookup;
	const struct lookup_file *f =
	    symbolizer_file(c->s, (struct tracemill_binary *)(uintptr_t)c->in);
	struct dwarf_options options = l->options.dwarf;
	struct err e = ERR_INIT;
	enum status st;

	options.once = true;
	if (f->apk) { /* what opens binaries says which there are */
		struct object *none = NULL;

		container_open(&none, f->path, &(struct container_options){.cache = {.off = true}},
			       &e);
		object_free(none);
		handle_fail(&c->s->handle, &e);
		return TRACEMILL_MISUSE;
	}
	if (!f->object)
		return handle_fail(&c->s->handle, &f->e);
	st = cache_prewarm(&l->cache, f->object, &options, c->a, &e);
	return st == ST_NONE ? TRACEMILL_NOTHING
	       : st          ? handle_fail(&c->s->handle, &e)
			     : TRACEMILL_OK;
}

enum tracemill_status tracemill_prewarm(struct tracemill_symbolizer *s,
					struct tracemill_binary *binary, uint64_t *bytes)
{
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_prewarm, .a = bytes, .in = binary});
}

/* Symbols. */

static enum tracemill_status give_symbol(struct tracemill_symbol *to, struct tracemill_symbol *from,
					 const struct object *o, const struct object_symbol *x)
{
	from->size = to->size;
	if (x) {
		from->name = x->name;
		from->address = x->lo;
		from->bytes = x->hi - x->lo;
		from->file = x->file ? x->file : "";
		from->sized = x->sized || object_kind(o)->unsized;
	}
	memcpy(to, from, to->size < sizeof *from ? to->size : sizeof *from);
	return TRACEMILL_OK;
}

struct symbol_asked {
	struct tracemill_binary *binary;
	enum tracemill_table table;
	uint64_t address;
	const char *name;
	size_t n, i;
	const struct tracemill_local **locals;
	size_t *n_locals;
};

static enum tracemill_status symbolizer_find_symbol_at(struct library_call *c)
{
	const struct symbol_asked *a = c->in;
	struct lookup_query q = {.file = symbolizer_file(c->s, a->binary), .addr = a->address};
	struct tracemill_symbol symbol = {.name = "", .file = "", .declared_file = ""};
	const struct object_symbol *x = NULL;

	if (!q.file->object)
		return TRACEMILL_NOTHING;
	if (a->table == TRACEMILL_DATA) {
		struct lookup_global g = lookup_global(&q);

		x = g.symbol;
		symbol.declared_file = g.declared.file ? g.declared.file : "";
		symbol.declared_line = g.declared.line;
	} else if (a->table == TRACEMILL_OWN_CODE) {
		x = object_own_symbol_at(q.file->object, q.addr);
	} else {
		x = object_symbol_at(q.file->object, q.addr);
		q.file->symbols_shown = true;
	}
	return x || *symbol.declared_file ? give_symbol(c->a, &symbol, q.file->object, x)
					  : TRACEMILL_NOTHING;
}

static bool has_size(const struct tracemill_symbol *symbol)
{
	return symbol->size >= sizeof symbol->size;
}

enum tracemill_status tracemill_symbol_at(struct tracemill_symbolizer *s,
					  struct tracemill_binary *binary,
					  enum tracemill_table table, uint64_t address,
					  struct tracemill_symbol *symbol)
{
	const struct symbol_asked a = {.binary = binary, .table = table, .address = address};

	if (!has_size(symbol))
		return handle_misuse(&s->handle, "symbol: size is not filled in");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_find_symbol_at, .a = symbol, .in = &a});
}

static enum tracemill_status symbolizer_find_symbol_named(struct library_call *c)
{
	const struct symbol_asked *a = c->in;
	const struct lookup_file *f = symbolizer_file(c->s, a->binary);
	struct tracemill_symbol symbol = {.name = "", .file = "", .declared_file = ""};
	const struct object_symbol *x =
	    f->object ? object_any_symbol_named(f->object, a->name, a->n, a->i) : NULL;

	return x ? give_symbol(c->a, &symbol, f->object, x) : TRACEMILL_NOTHING;
}

enum tracemill_status tracemill_symbol_named(struct tracemill_symbolizer *s,
					     struct tracemill_binary *binary, const char *name,
					     size_t n, size_t i, struct tracemill_symbol *symbol)
{
	const struct symbol_asked a = {.binary = binary, .name = name, .n = n, .i = i};

	if (!has_size(symbol))
		return handle_misuse(&s->handle, "symbol: size is not filled in");
	return symbolizer_call(&(struct library_call){
	    .s = s, .fn = symbolizer_find_symbol_named, .a = symbol, .in = &a});
}

/* A public local is DWARF's own under another name. */
#define LOCALS_AGREE(public, own)                                                                  \
	_Static_assert(                                                                            \
	    offsetof(struct tracemill_local, public) == offsetof(struct dwarf_local, own) &&       \
		sizeof((struct tracemill_local){0}.public) == sizeof((struct dwarf_local){0}.own), \
	    #own)
LOCALS_AGREE(function, function);
LOCALS_AGREE(name, name);
LOCALS_AGREE(file, declared.file);
LOCALS_AGREE(line, declared.line);
LOCALS_AGREE(has_offset, has_offset);
LOCALS_AGREE(has_size, has_size);
LOCALS_AGREE(has_tag, has_tag);
LOCALS_AGREE(offset, offset);
LOCALS_AGREE(size, size);
LOCALS_AGREE(tag, tag);
_Static_assert(sizeof(struct tracemill_local) == sizeof(struct dwarf_local), "locals agree");

static enum tracemill_status symbolizer_find_locals(struct library_call *c)
{
	const struct symbol_asked *a = c->in;
	struct lookup_query q = {.file = symbolizer_file(c->s, a->binary), .addr = a->address};

	*a->locals = (const struct tracemill_local *)lookup_locals(&q, a->n_locals);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_locals(struct tracemill_symbolizer *s,
				       struct tracemill_binary *binary, uint64_t address,
				       const struct tracemill_local **locals, size_t *n)
{
	const struct symbol_asked a = {
	    .binary = binary, .address = address, .locals = locals, .n_locals = n};

	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_find_locals, .in = &a});
}

/* What many queries need. */

static void symbolizer_read_symbols(void *object)
{
	size_t n;

	object_symbols(object, &n);
}

static void *symbolizer_expect(void *arg)
{
	struct tracemill_symbolizer *s = arg;

	s->expected_end = resource_scope_run(s->handle.scope, symbolizer_read_symbols, s->expected);
	return NULL;
}

static enum tracemill_status symbolizer_begin_to_expect(struct library_call *c)
{
	struct tracemill_symbolizer *s = c->s;
	struct lookup_file *f = symbolizer_file(s, c->a);

	s->expected = f->object;
	/* no thread to be had: it is read when needed */
	s->expects = f->object && s->opened->lookup.options.dwarf.jobs > 1 &&
		     !pthread_create(&s->expecting, NULL, symbolizer_expect, s);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_prefetch(struct tracemill_symbolizer *s,
					 struct tracemill_binary *binary)
{
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_begin_to_expect, .a = binary});
}

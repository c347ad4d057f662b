/* SPDX-License-Identifier: MIT
 *
 * tracemill/symbolize.h on lib/symbolize/lookup.h. What the caller was handed (the handle, binaries,
 * processes) lies outside of the zone and outlives an error that gives the zone back; what was opened
 * and answered lies in the zone, and is made again when it is asked for.
 */
#include "lib/library/symbolizer.h"

#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/base/zone.h"
#include "lib/demangle/demangle.h"
#include "lib/find/search.h"
#include "lib/object/map.h"

#include <stdlib.h>
#include <string.h>

/* Options, copied. */

static size_t lists_size(const struct tracemill_options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_debug_dirs; i++)
		n += strlen(o->debug_dirs[i]) + 1;
	for (size_t i = 0; i < o->n_debuginfod_urls; i++)
		n += strlen(o->debuginfod_urls[i]) + 1;
	n += o->sysroot ? strlen(o->sysroot) + 1 : 0;
	return n + (o->cache_dir ? strlen(o->cache_dir) + 1 : 0);
}

static const char *keep(char **to, const char *s)
{
	char *at = *to;

	if (!s)
		return NULL;
	*to = stpcpy(at, s) + 1;
	return at;
}

static bool symbolizer_copy_options(struct tracemill_symbolizer *s)
{
	struct tracemill_options *o = &s->options;
	const char *const *dirs = o->debug_dirs, *const *urls = o->debuginfod_urls;
	char *at;

	s->texts = malloc(lists_size(o) + 1);
	s->lists = calloc(o->n_debug_dirs + o->n_debuginfod_urls + 1, sizeof *s->lists);
	if (!s->texts || !s->lists)
		return false;
	at = s->texts;
	for (size_t i = 0; i < o->n_debug_dirs; i++)
		s->lists[i] = keep(&at, dirs[i]);
	for (size_t i = 0; i < o->n_debuginfod_urls; i++)
		s->lists[o->n_debug_dirs + i] = keep(&at, urls[i]);
	o->debug_dirs = s->lists;
	o->debuginfod_urls = s->lists + o->n_debug_dirs;
	o->sysroot = keep(&at, o->sysroot);
	o->cache_dir = keep(&at, o->cache_dir);
	return true;
}

/* What is opened, in the zone. */

static void symbolizer_show_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct tracemill_options *o = arg;

	o->progress(o->progress_arg, done, total);
}

static void symbolizer_open_all(struct tracemill_symbolizer *s)
{
	const struct tracemill_options *o = &s->options;
	struct cache_options cache = {.dir = o->cache_dir, .off = !(o->flags & TRACEMILL_CACHE)};
	unsigned jobs = o->threads ? o->threads : pool_cpus();
	struct library_opened *x = mem_zalloc(sizeof *x);

	search_init(&x->search, &(struct search_options){.dirs = o->debug_dirs,
							 .n_dirs = o->n_debug_dirs,
							 .sysroot = o->sysroot,
							 .urls = o->debuginfod_urls,
							 .n_urls = o->n_debuginfod_urls,
							 .cache = cache,
							 .jobs = jobs});
	x->search.object.system = !(o->flags & TRACEMILL_NO_SYSTEM_DIRS);
	lookup_init(&x->lookup,
		    &(struct lookup_options){
			/* what only libdwarf reads is read in a process of its own, which is no
			 * library's to start */
			.dwarf = {.jobs = jobs,
				  .alone = true,
				  .discriminators = true,
				  .progress = o->progress ? symbolizer_show_progress : NULL,
				  .progress_arg = (void *)(uintptr_t)o},
			.search = x->search.object,
			.cache = cache,
			.views = true,
			.whole = true,
		    });
	s->opened = x;
}

static void close_all(struct tracemill_symbolizer *s)
{
	for (struct tracemill_binary *b = s->binaries; b; b = b->next)
		b->file = NULL;
	for (struct tracemill_process *p = s->processes; p; p = p->next)
		p->files = NULL;
	s->opened = NULL;
}

/* In the zone. */
static struct lookup_file *file_of(struct tracemill_symbolizer *s, struct tracemill_binary *b)
{
	if (!b->file)
		b->file = lookup_file(&s->opened->lookup, b->path, strlen(b->path));
	return b->file;
}

/* Calls. */

static void symbolizer_run_call(void *arg)
{
	struct library_call *c = arg;

	if (!c->s->opened)
		symbolizer_open_all(c->s);
	c->status = c->fn(c);
}

enum tracemill_status symbolizer_call(struct library_call *c)
{
	enum tracemill_status st = handle_run(&c->s->handle, symbolizer_run_call, c);

	if (!st)
		return c->status;
	close_all(c->s);
	return st;
}

static enum tracemill_status symbolizer_do_nothing(struct library_call *c)
{
	(void)c;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_symbolizer_new_of(struct tracemill_symbolizer **to,
						  const struct tracemill_options *options,
						  uint32_t version)
{
	struct tracemill_symbolizer *s;

	if (version >> 16 != TRACEMILL_LIBRARY_VERSION >> 16)
		return TRACEMILL_VERSIONS;
	s = calloc(1, sizeof *s);
	if (!s)
		return TRACEMILL_MEMORY;
	if (options) {
		size_t n = options->size < sizeof s->options ? options->size : sizeof s->options;

		if (n < sizeof options->size) {
			free(s);
			return TRACEMILL_MISUSE;
		}
		memcpy(&s->options, options, n);
	}
	if (!symbolizer_copy_options(s)) {
		tracemill_symbolizer_free(s);
		return TRACEMILL_MEMORY;
	}
	if (s->options.flags & TRACEMILL_GUARD_FILES)
		map_guard();
	/* what asks servers is forked here and not in a later call, when there may be threads */
	if (s->options.n_debuginfod_urls &&
	    symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_do_nothing})) {
		tracemill_symbolizer_free(s);
		return TRACEMILL_MEMORY;
	}
	*to = s;
	return TRACEMILL_OK;
}

void tracemill_symbolizer_free(struct tracemill_symbolizer *s)
{
	struct tracemill_binary *next;

	if (!s)
		return;
	handle_release(&s->handle);
	process_free_all(s->processes);
	for (struct tracemill_binary *b = s->binaries; b; b = next) {
		next = b->next;
		free(b);
	}
	free(s->texts);
	free(s->lists);
	free(s);
}

const char *tracemill_error(const struct tracemill_symbolizer *s)
{
	return s->handle.e.msg;
}

void tracemill_cancel(struct tracemill_symbolizer *s)
{
	handle_cancel(&s->handle);
}

/* Binaries. */

static struct tracemill_binary *binary_at(struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary *b;
	size_t n = strlen(path) + 1;

	for (b = s->binaries; b; b = b->next)
		if (!strcmp(b->path, path))
			return b;
	b = zone_outside(sizeof *b + n);
	b->file = NULL;
	memcpy(b->path, path, n);
	b->next = s->binaries;
	s->binaries = b;
	return b;
}

struct tracemill_binary *symbolizer_binary(struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary *b = binary_at(s, path);

	return lookup_usable(file_of(s, b)) ? b : NULL;
}

static enum tracemill_status symbolizer_open_binary(struct library_call *c)
{
	struct tracemill_binary *b = binary_at(c->s, c->in);
	const struct lookup_file *f = file_of(c->s, b);

	if (!lookup_usable(f)) {
		c->s->handle.e = f->e;
		return handle_status(f->e.code);
	}
	*(struct tracemill_binary **)c->a = b;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_binary_open(struct tracemill_symbolizer *s, const char *path,
					    struct tracemill_binary **binary)
{
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_open_binary, .a = binary, .in = path});
}

static enum tracemill_status symbolizer_open_by_id(struct library_call *c)
{
	struct object_build_id id = {.len = (uint8_t)c->n};
	struct lookup_file *f;
	struct tracemill_binary *b;

	memcpy(id.bytes, c->in, c->n);
	f = lookup_file_by_id(&c->s->opened->lookup, &id);
	if (!f || !lookup_usable(f))
		return TRACEMILL_NOTHING;
	b = binary_at(c->s, f->path);
	b->file = f;
	*(struct tracemill_binary **)c->a = b;
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

static enum tracemill_status symbolizer_tell_facts(struct library_call *c)
{
	struct tracemill_binary *b = (struct tracemill_binary *)(uintptr_t)c->in;
	const struct lookup_file *f = file_of(c->s, b);
	struct tracemill_binary_facts facts = {
	    .path = b->path, .debug_path = "", .complaint = f->e.msg};
	size_t room = ((struct tracemill_binary_facts *)c->a)->size;

	if (!lookup_usable(f)) {
		c->s->handle.e = f->e;
		return handle_status(f->e.code);
	}
	if (f->object) {
		const struct object_build_id *id = object_build_id(f->object);

		facts.debug_path = object_debug_path(f->object);
		facts.build_id = id->bytes;
		facts.n_build_id = id->len;
		facts.base = lookup_base(f);
		facts.has_dwarf = object_has_dwarf(f->object);
		facts.is_64 = lookup_is_64(f);
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
	    &(struct library_call){.s = s, .fn = symbolizer_tell_facts, .a = facts, .in = binary});
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
	const struct lookup_file *f = file_of(c->s, b);

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
	const struct lookup_file *f = file_of(c->s, b);
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

/* Batches. */

static uint8_t why(const struct lookup_query *q)
{
	static const uint8_t of[] = {
	    [DWARF_NOT_FOUND] = TRACEMILL_NO_FUNCTION, [DWARF_FUNCTION] = TRACEMILL_FUNCTION,
	    [DWARF_LINE_ONLY] = TRACEMILL_LINE_ONLY,   [DWARF_MALFORMED] = TRACEMILL_BROKEN,
	    [DWARF_GAVE_UP] = TRACEMILL_GAVE_UP,       [DWARF_ABSENT] = TRACEMILL_NO_DEBUG_INFO,
	};

	if (!q->file || !q->file->object)
		return TRACEMILL_NO_BINARY;
	return of[q->named.reason];
}

enum { MANY = 50000 }; /* queries: some of them ask the symbol table */

/* Where no debug information names a file, the symbol table may. */
static void symbolizer_view_some(struct lookup *l, const struct lookup_query *queries, size_t n,
				 struct lookup_views *v)
{
	lookup_view(l, queries, n, v);
	for (size_t i = 0; i < n; i++) {
		struct lookup_call *c = v->calls + v->first[i + 1] - 1; /* the outermost */
		const struct object_symbol *symbol;

		if (v->first[i] == v->first[i + 1] || c->n_file || !queries[i].file->object)
			continue;
		symbol = object_symbol_at(queries[i].file->object, queries[i].addr);
		if (symbol && symbol->file) {
			c->file = symbol->file;
			c->n_file = (uint32_t)strlen(symbol->file);
		}
	}
}

/* Reading answers allocates nothing, so what they may ask is there before. */
static void load_symbols(struct library_opened *x, size_t n)
{
	struct lookup_views v = {.n = 0};
	struct lookup *l = &x->lookup;
	size_t ignored;

	for (size_t i = 0; n >= MANY && i < l->n_files; i++)
		if (l->files[i]->object)
			object_symbols(l->files[i]->object, &ignored);
	for (size_t i = 0; n < MANY && i < n; i += LOOKUP_VIEWS)
		symbolizer_view_some(l, x->queries + i, n - i < LOOKUP_VIEWS ? n - i : LOOKUP_VIEWS,
				     &v);
	lookup_views_release(&v);
}

static enum tracemill_status symbolizer_answer(struct library_call *c)
{
	struct tracemill_query *queries = c->a;
	struct library_opened *x = c->s->opened;
	struct err e = ERR_INIT;

	free(x->queries);
	x->queries = NULL;
	x->queries = mem_zarray(c->n, sizeof *x->queries);
	x->n = c->n;
	for (size_t i = 0; i < c->n; i++)
		if (queries[i].binary)
			x->queries[i] = (struct lookup_query){
			    .file = file_of(c->s, queries[i].binary), .addr = queries[i].address};
	if (lookup_run(&x->lookup, x->queries, c->n, &e)) {
		c->s->handle.e = e;
		return handle_status(e.code);
	}
	load_symbols(x, c->n);
	for (size_t i = 0; i < c->n; i++) {
		queries[i].why = why(&x->queries[i]);
		queries[i].first = (uint32_t)i;
	}
	if (lookup_intact(&x->lookup, &e)) {
		c->s->handle.e = e;
		return handle_status(e.code);
	}
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_symbolize(struct tracemill_symbolizer *s,
					  struct tracemill_query *queries, size_t n)
{
	if (n > UINT32_MAX - 1)
		return handle_misuse(&s->handle, "more than 2^32 - 2 queries at once");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_answer, .a = queries, .n = n});
}

/* A public call is the lookup's, and public views are its own under another name. */
#define CALLS_AGREE(public, own)                                                                  \
	_Static_assert(                                                                           \
	    offsetof(struct tracemill_call, public) == offsetof(struct lookup_call, own) &&       \
		sizeof((struct tracemill_call){0}.public) == sizeof((struct lookup_call){0}.own), \
	    #own)
CALLS_AGREE(function, name);
CALLS_AGREE(file, file);
CALLS_AGREE(n_function, n_name);
CALLS_AGREE(n_file, n_file);
CALLS_AGREE(line, line);
CALLS_AGREE(column, column);
CALLS_AGREE(discriminator, discriminator);
CALLS_AGREE(inlined, inlined);
_Static_assert(sizeof(struct tracemill_call) == sizeof(struct lookup_call), "calls agree");
_Static_assert(sizeof(struct tracemill_views) >= sizeof(struct lookup_views), "views fit");
_Static_assert((int)TRACEMILL_VIEWS == (int)LOOKUP_VIEWS, "views agree");

struct viewing {
	struct library_opened *x;
	const struct tracemill_query *queries;
	size_t n;
	struct lookup_views *to;
};

static void symbolizer_run_view(void *arg)
{
	struct lookup_query queries[LOOKUP_VIEWS];
	const struct viewing *v = arg;

	for (size_t i = 0; i < v->n; i++)
		queries[i] = v->x->queries[v->queries[i].first];
	symbolizer_view_some(&v->x->lookup, queries, v->n, v->to);
}

enum tracemill_status tracemill_view(const struct tracemill_symbolizer *s,
				     const struct tracemill_query *queries, size_t n,
				     struct tracemill_views *views)
{
	struct viewing v = {s->opened, queries, n, (struct lookup_views *)views};

	if (n > LOOKUP_VIEWS || !v.x || !v.x->queries)
		return TRACEMILL_MISUSE;
	for (size_t i = 0; i < n; i++)
		if (queries[i].first >= v.x->n)
			return TRACEMILL_MISUSE;
	/* in no zone: the views are the caller's, and the handle is only read */
	if (zone_run(NULL, symbolizer_run_view, &v) == ZONE_DONE)
		return TRACEMILL_OK;
	tracemill_views_release(views);
	return TRACEMILL_MEMORY;
}

void tracemill_views_release(struct tracemill_views *views)
{
	lookup_views_release((struct lookup_views *)views);
}

static enum tracemill_status symbolizer_check_files(struct library_call *c)
{
	return handle_status(lookup_intact(&c->s->opened->lookup, &c->s->handle.e));
}

enum tracemill_status tracemill_intact(struct tracemill_symbolizer *s)
{
	return symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_check_files});
}

static enum tracemill_status symbolizer_next_complaint(struct library_call *c)
{
	c->s->opened->complaint = lookup_complaint(&c->s->opened->lookup);
	return TRACEMILL_OK;
}

const char *tracemill_complaint(struct tracemill_symbolizer *s)
{
	if (!s->opened ||
	    symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_next_complaint}))
		return NULL;
	return s->opened->complaint;
}

/* In parallel. */

enum { PIECE = 4096 };

struct pieces {
	void (*fn)(void *arg, size_t from, size_t to, size_t piece, unsigned worker);
	void *arg;
	size_t n;
	unsigned threads;
};

static void symbolizer_run_piece(size_t item, unsigned worker, void *arg)
{
	const struct pieces *p = arg;
	size_t from = item * PIECE;

	p->fn(p->arg, from, p->n - from < PIECE ? p->n : from + PIECE, item, worker);
}

static void symbolizer_run_pieces(void *arg)
{
	struct pieces *p = arg;

	pool_run(p->threads, (p->n + PIECE - 1) / PIECE, symbolizer_run_piece, p);
}

enum tracemill_status tracemill_parallel(struct tracemill_symbolizer *s, size_t n,
					 void (*fn)(void *arg, size_t from, size_t to, size_t piece,
						    unsigned worker),
					 void *arg)
{
	struct pieces p = {fn, arg, n, s->options.threads ? s->options.threads : pool_cpus()};

	/* in no zone: the handle is as it was whatever happens */
	return zone_run(NULL, symbolizer_run_pieces, &p) == ZONE_DONE
		   ? TRACEMILL_OK
		   : handle_no_memory(&s->handle);
}

struct demangling {
	const char *name;
	size_t n, length;
	char *to;
	size_t size;
};

static void symbolizer_run_demangle(void *arg)
{
	struct demangling *d = arg;
	char *shown = demangle(mem_strndup(d->name, d->n));
	size_t fits;

	if (!shown)
		return;
	d->length = strlen(shown);
	fits = d->length < d->size ? d->length : d->size ? d->size - 1 : 0;
	if (!d->size)
		return;
	memcpy(d->to, shown, fits);
	d->to[fits] = '\0';
}

size_t tracemill_demangle(const char *name, size_t n, char *to, size_t size)
{
	struct demangling d = {.name = name, .n = n, .to = to, .size = size};
	struct zone *z = zone_new(NULL);

	if (z && zone_run(z, symbolizer_run_demangle, &d) != ZONE_DONE)
		d.length = 0;
	zone_free(z);
	return d.length;
}

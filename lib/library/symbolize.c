/* SPDX-License-Identifier: MIT
 *
 * tracemill/symbolize.h on lib/symbolize/lookup.h. What the caller was handed (the handle, binaries,
 * processes) lies outside of the scope and outlives an error that gives the scope back; what was opened
 * and answered lies in the scope, and is made again when it is asked for.
 */
#include "lib/library/trace_symbolizer.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/base/resource_scope.h"
#include "lib/demangle/demangle.h"
#include "lib/demangle/demangle_llvm.h"
#include "lib/find/search.h"
#include "lib/object/map.h"

#include <stdlib.h>
#include <string.h>

/* Options, copied. */

static bool symbolizer_copy_options(struct tracemill_symbolizer *s)
{
	struct tracemill_options *o = &s->options;
	const struct option_texts t = {
	    .lists = {{&o->debug_dirs, o->n_debug_dirs},
		      {&o->debuginfod_urls, o->n_debuginfod_urls},
		      {&o->line_maps, o->n_line_maps},
		      {&o->method_maps, o->n_method_maps},
		      {&o->usyms, o->n_usyms}},
	    .words = {&o->sysroot, &o->cache_dir, &o->engine, &o->arch, &o->dwp, &o->jit_map}};

	return option_texts_keep(&t, &s->texts);
}

/* What is opened, in the scope. */

enum { MOST_VERIFIED = 1000000, KEEP = 64 << 20 };

static void symbolizer_show_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct tracemill_options *o = arg;

	o->progress(o->progress_arg, done, total);
}

static struct lookup_options symbolizer_lookup_options(const struct tracemill_options *o)
{
	return (struct lookup_options){
	    .dwarf = {.jobs = o->threads ? o->threads : pool_cpus(),
		      .discriminators = true,
		      .extras = o->flags & TRACEMILL_DECLARED,
		      .relative = o->flags & TRACEMILL_RELATIVE,
		      .progress = o->progress ? symbolizer_show_progress : NULL,
		      .progress_arg = (void *)(uintptr_t)o},
	    .cache = {.dir = o->cache_dir, .off = !(o->flags & TRACEMILL_CACHE)},
	    .managed = {.line_maps = o->line_maps,
			.n_line_maps = o->n_line_maps,
			.method_maps = o->method_maps,
			.n_method_maps = o->n_method_maps,
			.usyms = o->usyms,
			.n_usyms = o->n_usyms,
			.jit_map = o->jit_map,
			.window = o->line_map_window,
			.has_window = o->flags & TRACEMILL_LINE_MAP_WINDOW,
			.names = o->flags & TRACEMILL_MANAGED_NAMES,
			.beside = o->flags & TRACEMILL_MANAGED_BESIDE},
	    .arch = o->arch,
	    .demangle = o->flags & TRACEMILL_DEMANGLE,
	    .demangler = o->flags & TRACEMILL_LLVM_SPELLING ? demangle_llvm : NULL,
	    .dwarf_names = o->flags & TRACEMILL_DWARF_NAMES,
	    .plt_names = o->flags & TRACEMILL_PLT_NAMES,
	    .views = !(o->flags & (TRACEMILL_DETAILS | TRACEMILL_EXPLAIN)),
	    .keep = o->keep ? o->keep : KEEP,
	};
}

static void symbolizer_open_all(struct tracemill_symbolizer *s)
{
	const struct tracemill_options *o = &s->options;
	struct lookup_options lookup = symbolizer_lookup_options(o);
	struct library_opened *x = mem_zalloc(sizeof *x);

	search_init(&x->search, &(struct search_options){.dirs = o->debug_dirs,
							 .n_dirs = o->n_debug_dirs,
							 .sysroot = o->sysroot,
							 .urls = o->debuginfod_urls,
							 .n_urls = o->n_debuginfod_urls,
							 .seconds = o->debuginfod_seconds,
							 .cache = lookup.cache,
							 .jobs = lookup.dwarf.jobs,
							 .explain = o->flags & TRACEMILL_EXPLAIN,
							 .reading = o->reading,
							 .fetching = o->fetching,
							 .progress_arg = o->progress_arg});
	x->search.object.system = !(o->flags & TRACEMILL_NO_SYSTEM_DIRS);
	x->search.object.dwp = o->dwp;
	lookup.search = x->search.object;
	if (o->verify)
		lookup.verify = x->verify = verify_new(o->verify, o->verify_seed);
	lookup_init(&x->lookup, &lookup);
	s->opened = x;
}

/* Where no scope does it. */
static void symbolizer_release_all(struct tracemill_symbolizer *s)
{
	struct library_opened *x = s->opened;

	if (RESOURCE_SCOPE_HOLDS || !x)
		return;
	for (struct tracemill_process *p = s->processes; p; p = p->next)
		process_close(p);
	explain_release(&x->explain);
	buf_release(&x->text);
	buf_release(&x->source);
	buf_release(&x->source_path);
	lookup_release(&x->lookup); /* its cache goes before the files of trace symbolizers */
	for (struct tracemill_trace_symbolizer *n = s->namings; n; n = n->next)
		trace_symbolizer_close(n);
	search_release(&x->search);
	verify_free(x->verify);
	free(x->queries);
	free(x);
}

static void close_all(struct tracemill_symbolizer *s)
{
	for (struct tracemill_binary *b = s->binaries; b; b = b->next) {
		b->file = NULL;
		b->looked_at = 0;
	}
	for (struct tracemill_process *p = s->processes; p; p = p->next)
		p->files = NULL;
	for (struct tracemill_trace_symbolizer *n = s->namings; n; n = n->next)
		n->opened = NULL;
	s->opened = NULL;
}

struct lookup_file *symbolizer_file(struct tracemill_symbolizer *s, struct tracemill_binary *b)
{
	if (!b->file || !b->file->open)
		b->file = lookup_file(&s->opened->lookup, b->path, strlen(b->path));
	return b->file;
}

void symbolizer_close_file(struct tracemill_symbolizer *s, struct lookup_file *f)
{
	struct library_opened *x = s->opened;

	x->n = 0;
	/* explanations are made for people, one at a time: they are made again */
	explain_release(&x->explain);
	x->source_path.len = 0;
	lookup_close(&x->lookup, f);
}

struct lookup_file *symbolizer_fresh_file(struct tracemill_symbolizer *s,
					  struct tracemill_binary *b, int64_t since)
{
	bool known = b->file && b->file->open;
	struct lookup_file *f = symbolizer_file(s, b);

	if (known && b->looked_at > since)
		return f;
	b->looked_at = clock_ns();
	if (known && lookup_replaced(f)) {
		symbolizer_close_file(s, f);
		f = symbolizer_file(s, b);
	}
	return f;
}

/* Calls. */

static void symbolizer_run_call(void *arg)
{
	struct library_call *c = arg;

	if (!c->s->opened)
		symbolizer_open_all(c->s);
	c->status = c->fn(c);
}

static enum resource_scope_end symbolizer_await(struct tracemill_symbolizer *s)
{
	if (!s->expects)
		return RESOURCE_SCOPE_DONE;
	pthread_join(s->expecting, NULL);
	s->expects = false;
	return s->expected_end;
}

enum tracemill_status symbolizer_call(struct library_call *c)
{
	enum resource_scope_end end = symbolizer_await(c->s);
	enum tracemill_status st = end ? handle_end(&c->s->handle, end)
				       : handle_run(&c->s->handle, symbolizer_run_call, c);

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
	if ((s->options.engine && strcmp(s->options.engine, "fast") != 0) ||
	    s->options.verify > MOST_VERIFIED) {
		tracemill_symbolizer_free(s);
		return TRACEMILL_MISUSE;
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
	symbolizer_await(s);
	symbolizer_release_all(s);
	handle_release(&s->handle);
	process_free_all(s->processes);
	trace_symbolizer_free_all(s->namings);
	for (struct tracemill_binary *b = s->binaries; b; b = next) {
		next = b->next;
		free(b);
	}
	option_texts_release(&s->texts);
	free(s);
}

static enum tracemill_status symbolizer_end_search(struct library_call *c)
{
	search_release(&c->s->opened->search);
	return TRACEMILL_OK;
}

void tracemill_symbolizer_exit(struct tracemill_symbolizer *s)
{
	if (s && s->opened)
		symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_end_search});
}

const char *tracemill_error(const struct tracemill_symbolizer *s)
{
	return s->handle.e.msg;
}

void tracemill_cancel(struct tracemill_symbolizer *s)
{
	handle_cancel(&s->handle);
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
	return of[q->named.found];
}

enum { MANY = 50000 }; /* queries: some of them ask the symbol table */
enum {
	LOOK_EVERY = 1000000
}; /* ns: to look whether a file was replaced takes as long as some answers do */

/* Where no debug information names a file, the symbol table may. */
static void symbolizer_view_some(const struct lookup *l, const struct lookup_query *queries,
				 size_t n, struct lookup_views *v)
{
	lookup_view(l, queries, n, v);
	for (size_t i = 0; i < n; i++) {
		const struct object_symbol *symbol;
		struct lookup_call *c;

		if (v->first[i] == v->first[i + 1] || !queries[i].file->object)
			continue;
		c = v->calls + v->first[i + 1] - 1; /* the outermost */
		if (c->n_file)
			continue;
		symbol = object_symbol_at(queries[i].file->object, queries[i].addr);
		if (symbol && symbol->file) {
			c->file = symbol->file;
			c->n_file = (uint32_t)strlen(symbol->file);
			c->by |= TRACEMILL_FILE_BY_SYMBOL;
		}
	}
}

/* Reading answers allocates nothing in a scope, so what they may ask is there before. */
static void load_symbols(struct library_opened *x, size_t n)
{
	struct lookup_views v = {.n = 0};
	struct lookup *l = &x->lookup;
	size_t ignored;

	for (size_t i = 0; n >= MANY && i < l->n_files; i++)
		if (l->files[i]->object) {
			object_symbols(l->files[i]->object, &ignored);
			if (l->options.plt_names)
				object_imports(l->files[i]->object, &ignored);
		}
	for (size_t i = 0; n < MANY && i < n; i += LOOKUP_VIEWS)
		symbolizer_view_some(l, x->queries + i, n - i < LOOKUP_VIEWS ? n - i : LOOKUP_VIEWS,
				     &v);
	lookup_views_release(&v);
}

/* For n queries; the memory of few is that of the next batch, too. */
static void make_room(struct library_opened *x, size_t n)
{
	enum { FEW = 64 };

	if (x->queries && n <= FEW && x->cap <= FEW)
		return;
	free(x->queries);
	x->queries = NULL;
	x->cap = n > FEW ? n : FEW;
	x->queries = mem_array(x->cap, sizeof *x->queries);
}

static enum tracemill_status symbolizer_answer(struct library_call *c)
{
	struct tracemill_query *queries = c->a;
	struct library_opened *x = c->s->opened;
	const int64_t since = clock_ns() - LOOK_EVERY;
	struct err e = ERR_INIT;

	x->n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (queries[i].binary)
			symbolizer_fresh_file(c->s, queries[i].binary, since);
	make_room(x, c->n);
	for (size_t i = 0; i < c->n; i++) {
		struct tracemill_binary *b = queries[i].binary;

		x->queries[i] = (struct lookup_query){.file = b ? symbolizer_file(c->s, b) : NULL,
						      .addr = b ? queries[i].address : 0};
	}
	x->n = c->n;
	if (lookup_run(&x->lookup, x->queries, c->n, &e))
		return handle_fail(&c->s->handle, &e);
	if (RESOURCE_SCOPE_HOLDS)
		load_symbols(x, c->n);
	for (size_t i = 0; i < c->n; i++) {
		queries[i].why = why(&x->queries[i]);
		queries[i].first = (uint32_t)i;
	}
	return lookup_intact(&x->lookup, &e) ? handle_fail(&c->s->handle, &e) : TRACEMILL_OK;
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
CALLS_AGREE(by, by);
CALLS_AGREE(id, id);
_Static_assert((int)TRACEMILL_FUNCTION_BY_SYMBOL == (int)LOOKUP_NAME_BY_SYMBOL &&
		   (int)TRACEMILL_FUNCTION_BY_UNSIZED == (int)LOOKUP_NAME_BY_UNSIZED,
	       "sources agree");
_Static_assert(sizeof(struct tracemill_call) == sizeof(struct lookup_call), "calls agree");
_Static_assert(sizeof(struct tracemill_views) >= sizeof(struct lookup_views), "views fit");
_Static_assert((int)TRACEMILL_VIEWS == (int)LOOKUP_VIEWS, "views agree");

struct lookup_query *symbolizer_query(const struct tracemill_symbolizer *s,
				      const struct tracemill_query *query)
{
	struct library_opened *x = s->opened;

	return x && x->queries && query->first < x->n ? &x->queries[query->first] : NULL;
}

struct symbolizer_place {
	struct tracemill_binary **binary;
	uint64_t *address;
};

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

	queries[0].file = NULL; /* where n is 0 */
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
	/* in no scope: the views are the caller's, and the handle is only read */
	if (resource_scope_run(NULL, symbolizer_run_view, &v) == RESOURCE_SCOPE_DONE)
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
	struct err e = ERR_INIT;

	return lookup_intact(&c->s->opened->lookup, &e) ? handle_fail(&c->s->handle, &e)
							: TRACEMILL_OK;
}

enum tracemill_status tracemill_check_files(struct tracemill_symbolizer *s)
{
	return symbolizer_call(&(struct library_call){.s = s, .fn = symbolizer_check_files});
}

static enum tracemill_status symbolizer_get_resolved(struct library_call *c)
{
	const struct lookup_query *q = c->a;
	struct symbolizer_place *place = (struct symbolizer_place *)(uintptr_t)c->in;

	*place->binary = q->file ? symbolizer_binary_of(c->s, q->file) : NULL;
	*place->address = q->addr;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_resolved(struct tracemill_symbolizer *s,
					 const struct tracemill_query *query,
					 struct tracemill_binary **binary, uint64_t *address)
{
	struct symbolizer_place place = {binary, address};
	struct lookup_query *q = symbolizer_query(s, query);

	if (!q)
		return handle_misuse(&s->handle, "not a query of the last batch");
	return symbolizer_call(
	    &(struct library_call){.s = s, .fn = symbolizer_get_resolved, .a = q, .in = &place});
}

static const char *text_of(const struct lookup *l, uint32_t id)
{
	return id ? intern_text(&l->symbols.strings, id, NULL) : "";
}

enum tracemill_status tracemill_call_details(const struct tracemill_symbolizer *s,
					     const struct tracemill_call *call,
					     struct tracemill_details *details)
{
	const struct lookup *l = s->opened ? &s->opened->lookup : NULL;
	size_t room = details->size;
	struct tracemill_details d = {.size = room};
	const struct symbol_call *c;
	const struct dwarf_extra *x;

	if (!l || !(s->options.flags & TRACEMILL_DETAILS) || room < sizeof room ||
	    call->id >= l->symbols.n_calls)
		return TRACEMILL_MISUSE;
	c = &l->symbols.calls[call->id];
	x = lookup_extra(l, call->id);
	d.linkage = text_of(l, c->function ? l->symbols.functions[c->function].raw : 0);
	d.function = l->options.demangle && c->function
			 ? text_of(l, l->symbols.functions[c->function].display)
			 : d.linkage;
	d.file = text_of(l, c->file);
	d.name = text_of(l, x->name);
	d.declared_file = text_of(l, x->file);
	d.declared_line = x->line;
	d.has_start = x->start != DWARF_NO_START;
	d.start = d.has_start ? x->start : 0;
	memcpy(details, &d, room < sizeof d ? room : sizeof d);
	return TRACEMILL_OK;
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

	/* in no scope: the handle is as it was whatever happens */
	return resource_scope_run(NULL, symbolizer_run_pieces, &p) == RESOURCE_SCOPE_DONE
		   ? TRACEMILL_OK
		   : handle_no_memory(&s->handle);
}

struct demangling {
	enum tracemill_spelling spelling;
	const char *name;
	size_t n, length;
	char *to;
	size_t size;
};

static void symbolizer_run_demangle(void *arg)
{
	static char *(*const spell[])(const char *) = {demangle, demangle_llvm, demangle_short};
	struct demangling *d = arg;
	char *raw = mem_strndup(d->name, d->n), *shown = spell[d->spelling](raw);
	size_t fits;

	if (shown)
		d->length = strlen(shown);
	fits = d->length < d->size ? d->length : d->size ? d->size - 1 : 0;
	if (shown && d->size) {
		memcpy(d->to, shown, fits);
		d->to[fits] = '\0';
	}
	free(shown);
	free(raw);
}

size_t tracemill_demangle_as(enum tracemill_spelling spelling, const char *name, size_t n, char *to,
			     size_t size)
{
	struct demangling d = {.spelling = spelling, .name = name, .n = n, .to = to, .size = size};
	struct resource_scope *z;

	if ((unsigned)spelling > TRACEMILL_SPELL_SHORT)
		return 0;
	z = resource_scope_new(NULL);
	if ((z || !RESOURCE_SCOPE_HOLDS) &&
	    resource_scope_run(z, symbolizer_run_demangle, &d) != RESOURCE_SCOPE_DONE)
		d.length = 0;
	resource_scope_free(z);
	return d.length;
}

size_t tracemill_demangle(const char *name, size_t n, char *to, size_t size)
{
	return tracemill_demangle_as(TRACEMILL_SPELL_GNU, name, n, to, size);
}

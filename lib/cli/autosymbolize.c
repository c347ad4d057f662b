/* SPDX-License-Identifier: MIT */
#include "lib/cli/autosymbolize.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/cli/cli.h"
#include "lib/cli/given.h"
#include "lib/cli/symbolizer.h"
#include "lib/library/trace_symbolizer.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* bytes of arrays that are mapped */

/* A look-up in all operands. */
struct autosymbolize {
	struct cli_symbols *to;
	const struct import_options *import;
	struct cli_binaries binaries;
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_trace_symbolizer *trace_symbolizer;
	bool modules; /* some capture has one */
};

/* The first reading of a capture that is no trace. */
struct collecting {
	struct sink sink; /* first */
	struct autosymbolize *a;
	struct cli_symbols_file file;
	bool proven;
};

enum { MOST_KEPT = 64 << 20 }; /* bytes of events of a file that is read once; of others twice */

/* --- which files --- */

/* What its addresses are looked up by is there. */
static bool names_may_come(const struct cli_symbols *s, const struct reader *r)
{
	return r->capabilities & CAPABILITY_BUILD_IDS ||
	       (s->of_captures && r->capabilities & CAPABILITY_ADDRESSES);
}

/* NULL: it would get no names. */
static const struct reader *choose_reader(const struct autosymbolize *a, const char *path)
{
	const struct import_options *o = a->import;
	struct input in = {0};
	struct err e = ERR_INIT;
	const struct reader *r = NULL;
	const uint8_t *p = NULL;
	size_t n = 0;

	if (o->format)
		r = reader_by_name(o->format, NULL);
	else if (!input_open(&in, path, &e) && !input_head(&in, &p, &n))
		r = reader_by_bid(p, n, n < INPUT_HEAD, NULL);
	input_close(&in);
	return r && names_may_come(a->to, r) ? r : NULL;
}

/* A file that can be read twice. Operands that are in memory have their symbols already (tm-view). */
static bool is_wanted(const struct cli_symbols *s, const char *path)
{
	struct stat st;

	if (!path || !strcmp(path, "-") || cli_preloaded(path) || stat(path, &st) ||
	    !S_ISREG(st.st_mode))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->files[i].path, path))
			return false;
	return true;
}

/* --- what was found --- */

/* Takes the symbols of t, which in tm-view are the handle's (lib/base/resource_scope.h) and end with it, and the notes
 * that the look-up made. */
static void keep_capture(struct cli_symbols_file *f, struct trace *t)
{
	struct trace *own = trace_new();

	if (RESOURCE_SCOPE_HOLDS) {
		own->symbols = symbols_copy(&t->symbols);
	} else {
		own->symbols = t->symbols;
		t->symbols = (struct trace_symbols){.n_objects = 0};
	}
	for (size_t i = 0; i < t->n_notes; i++)
		if (t->notes[i].symbolizing)
			trace_note(own, t->notes[i].severity, t->notes[i].count, "%s",
				   t->notes[i].text);
	VEC_PUSH(f->captures, f->n, f->cap) = own;
}

/* Names count that a binary has by its build-id, or that the user has given. */
static bool is_proven(const struct autosymbolize *a, const struct trace *t)
{
	const struct trace_symbols *y = &t->symbols;
	bool given = a->to->of_captures;

	for (size_t i = 1; given && i < y->n_bindings; i++)
		if (y->bindings[i].call)
			return true;
	return !given && trace_symbolizer_has_proof(t);
}

/* --- the look-up --- */

static void drop_store(struct cli_symbols_file *f)
{
	event_store_release(f->store);
	free(f->store);
	f->store = NULL;
}

/* The file is too large: of the captures that are complete the symbols stay. */
static void keep_symbols_alone(struct cli_symbols_file *f)
{
	for (size_t i = 0; i + 1 < f->store->n; i++)
		keep_capture(f, f->store->captures[i].t);
	drop_store(f);
}

static enum status collecting_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct event_store *k = ((struct collecting *)s)->file.store;

	return k ? k->sink.begin(&k->sink, t, e) : ST_OK;
}

static enum status collecting_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				    struct err *e)
{
	struct cli_symbols_file *f = &((struct collecting *)s)->file;

	if (f->store && f->store->bytes > MOST_KEPT)
		keep_symbols_alone(f);
	return f->store ? f->store->sink.batch(&f->store->sink, t, b, e) : ST_OK;
}

static enum status collecting_end(struct sink *s, struct trace *t, struct err *e)
{
	struct collecting *c = (struct collecting *)s;
	struct event_store *k = c->file.store;
	size_t had = t->n_notes;

	c->a->modules |= t->n_modules > 1;
	if (trace_symbolizer_symbolize(c->a->trace_symbolizer, t))
		return err_set(e, ST_SYS, "%s", tracemill_error(c->a->symbolizer));
	for (size_t i = had; i < t->n_notes; i++) {
		t->notes[i].symbolizing = true;
		if (k)
			k->lossy |= t->notes[i].severity == NOTE_LOSS;
	}
	c->proven |= is_proven(c->a, t);
	if (k)
		return k->sink.end(&k->sink, t, e);
	keep_capture(&c->file, t);
	return ST_OK;
}

/* Why a file that the user gave names nothing. */
static void tell_losses(const char *path, const struct trace *t)
{
	for (size_t i = 0; i < t->n_notes; i++) {
		const struct trace_note *n = &t->notes[i];

		if (n->symbolizing)
			cli_trace_note(path, n->text, n->count, n->severity, NOTE_LOSS);
	}
}

static void tell_given(const struct autosymbolize *a, const struct cli_symbols_file *f,
		       const char *path)
{
	for (size_t i = 0; a->to->of_captures && i < f->n; i++)
		tell_losses(path, f->captures[i]);
	for (size_t i = 0; a->to->of_captures && f->store && i < f->store->n; i++)
		tell_losses(path, f->store->captures[i].t);
}

static void look_in_capture(struct autosymbolize *a, struct input *in, const char *path)
{
	struct collecting c = {
	    .sink = {.begin = collecting_begin, .batch = collecting_batch, .end = collecting_end},
	    .a = a};
	struct err e = ERR_INIT;
	bool lossy = false, ok;

	/* in tm-view, memory of the look-up ends with its handle */
	if (!RESOURCE_SCOPE_HOLDS) {
		c.file.store = mem_alloc(sizeof *c.file.store);
		event_store_init(c.file.store, path);
	}
	ok = !capture_read(in, a->import, &c.sink, &lossy, &e);
	if (c.file.store)
		c.file.store->lossy |= lossy;
	if (ok && c.proven) {
		cli_symbols_add(a->to, &c.file, path);
		return;
	}
	if (ok)
		tell_given(a, &c.file, path);
	cli_symbols_file_release(&c.file);
}

static void look_in_trace(struct autosymbolize *a, struct input *in, const char *path)
{
	struct cli_symbols_file f = {.n = 0};
	struct rewrite w = {.n = 0};
	bool ok = !trace_symbolizer_scan_tables(a->trace_symbolizer, &in->cur, &w) && !w.named,
	     proven = false;

	for (size_t i = 0; ok && i < w.n; i++) {
		a->modules |= w.captures[i].t->n_modules > 1;
		proven |= is_proven(a, w.captures[i].t);
		keep_capture(&f, w.captures[i].t);
	}
	rewrite_release(&w);
	if (proven) {
		cli_symbols_add(a->to, &f, path);
		return;
	}
	tell_given(a, &f, path);
	cli_symbols_file_release(&f);
}

static void look_in(struct autosymbolize *a, const char *path)
{
	const struct reader *r = choose_reader(a, path);
	struct input in = {0};
	struct err e = ERR_INIT;

	if (r && !input_open(&in, path, &e))
		(r->own_tables ? look_in_trace : look_in_capture)(a, &in, path);
	input_close(&in);
}

static void show_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("symbolizing", done, total);
}

/* The options that tm-symbolize would have here: those of the project, which the user's words replace. A folder that
 * is not there is for tm-symbolize to tell. */
static void choose_binaries(struct autosymbolize *a)
{
	const struct cli_symbols *s = a->to;
	struct opt_list *dirs = &a->binaries.debug_dirs;
	const char *dir;
	struct stat st;

	for (size_t i = 0; i < s->n_debug_dirs; i++)
		VEC_PUSH(dirs->items, dirs->n, dirs->cap) = s->debug_dirs[i];
	for (size_t i = 0; !s->n_debug_dirs && (dir = opt_default("debug-dir", i)); i++)
		if (!stat(dir, &st) && S_ISDIR(st.st_mode))
			VEC_PUSH(dirs->items, dirs->n, dirs->cap) = dir;
	dir = opt_default("sysroot", 0);
	if (dir && !stat(dir, &st) && S_ISDIR(st.st_mode))
		a->binaries.sysroot = dir;
}

/* As tm-symbolize --if-useful has it. */
static void open_symbolizer(struct autosymbolize *a)
{
	const struct cli_managed none = {.has_window = false};
	const struct import_options *i = a->import;
	struct tracemill_trace_symbolizer_options trace_symbolizer = {
	    .size = sizeof trace_symbolizer,
	    .flags = (a->to->of_captures ? 0 : TRACEMILL_ONLY_NAMELESS) |
		     (i->has_slide ? TRACEMILL_SLIDE : 0),
	    .files = a->to->exes,
	    .n_files = a->to->n_exes,
	    .slide = i->slide,
	    .locations = i->locations,
	    .offsets = i->offsets};
	struct tracemill_options o;

	choose_binaries(a);
	o = cli_symbolizer_options(&a->binaries, &none);
	o.flags |= TRACEMILL_MANAGED_NAMES | TRACEMILL_MANAGED_BESIDE | TRACEMILL_PLT_NAMES;
	o.progress = show_progress;
	a->symbolizer = cli_symbolizer_new(&o);
	if (tracemill_trace_symbolizer_new(a->symbolizer, &trace_symbolizer, &a->trace_symbolizer))
		mem_exhausted();
}

static void close_symbolizer(struct autosymbolize *a)
{
	tracemill_symbolizer_free(a->symbolizer);
	sandbox_forget(a->binaries.cache_folder);
	cli_binaries_release(&a->binaries);
	malloc_trim(0); /* the report needs the memory of the look-up in other pieces */
	cli_progress_clear();
}

/* What is read once, as it comes, gets no names, although a binary of it was given. */
static void note_streams(const struct cli_symbols *s, const char *program, size_t n,
			 const char *const *operands)
{
	bool stream = !n;

	for (size_t i = 0; i < n; i++)
		stream |= operands[i] && !strcmp(operands[i], "-");
	if (stream && s->of_captures && s->n_exes && !s->off)
		cli_note("<stdin>",
			 "-e names calls of files only; for a pipe: tm-symbolize -e FILE | %s",
			 program);
}

/* A binary that the user gave is there: FILE, or MODULE=FILE. */
static void check_given(const struct cli_symbols *s)
{
	for (size_t i = 0; s->of_captures && i < s->n_exes; i++) {
		const char *path = s->exes[i], *equals = strchr(path, '=');

		if (equals && access(path, F_OK))
			path = equals + 1;
		if (access(path, R_OK))
			cli_die(path, "cannot open: %s", strerror(errno));
	}
}

void cli_autosymbolize(struct cli_symbols *s, const char *program, const char *when,
		       const struct import_options *o, size_t n, const char *const *operands)
{
	struct autosymbolize a = {.to = s, .import = o};
	size_t wanted = 0;

	check_given(s);
	note_streams(s, program, n, operands);
	for (size_t i = 0; i < n && !s->off; i++)
		wanted += is_wanted(s, operands[i]);
	if (!wanted)
		return;
	/* Else the threshold rises to the largest array that the look-up frees, and those of the report grow by copies
	 * within the heap, where a mapping grows in place. */
	mallopt(M_MMAP_THRESHOLD, LARGE);
	open_symbolizer(&a);
	cli_sandbox_symbols(program, when);
	if (s->of_captures)
		cli_given_check(a.trace_symbolizer);
	for (size_t i = 0; i < n; i++)
		if (is_wanted(s, operands[i]))
			look_in(&a, operands[i]);
	if (s->of_captures)
		cli_given_used(a.trace_symbolizer,
			       &(struct cli_given_in){.any = true, .modules = a.modules});
	close_symbolizer(&a);
}

/* --- again and again --- */

struct cli_symbolizer {
	struct autosymbolize a;
};

struct cli_symbolizer *cli_symbolizer_start(struct cli_symbols *s, const struct import_options *o)
{
	struct cli_symbolizer *y = mem_zalloc(sizeof *y);

	y->a = (struct autosymbolize){.to = s, .import = o};
	open_symbolizer(&y->a);
	return y;
}

/* Only the notes from there on, and those that are not on symbols. */
static void drop_notes(struct trace *t, size_t from)
{
	struct trace_note *left = mem_array(t->n_notes + 1, sizeof *left);
	size_t n = 0;

	for (size_t i = 0; i < t->n_notes; i++)
		if (i >= from || !t->notes[i].symbolizing)
			left[n++] = t->notes[i];
	trace_set_notes(t, left, n);
	free(left);
}

bool cli_symbolizer_again(struct cli_symbolizer *s, struct trace *t)
{
	size_t had = t->n_notes;
	bool proven =
	    !trace_symbolizer_symbolize(s->a.trace_symbolizer, t) && trace_symbolizer_has_proof(t);

	for (size_t i = had; i < t->n_notes; i++)
		t->notes[i].symbolizing = true;
	if (!proven)
		symbols_release(&t->symbols);
	drop_notes(t, proven ? had : t->n_notes);
	cli_progress_clear();
	return proven;
}

void cli_symbolizer_end(struct cli_symbolizer *s)
{
	if (s)
		close_symbolizer(&s->a);
	free(s);
}

/* SPDX-License-Identifier: MIT
 *
 * tm-symbolize: trace or capture -> trace with functions, inlines, files and lines.
 */
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/cli.h"
#include "lib/cli/managed.h"
#include "lib/symbolize/container.h"
#include "lib/symbolize/coverage.h"
#include "lib/symbolize/rewrite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct symbolizer symbolizer;
	const struct import_options *import;
	struct coverage all;
	struct stats stats;
	bool tell_stats;
};

static void progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("symbolizing", done, total);
}

static void tell_coverage(const char *file, const char *name, const struct coverage *c,
			  void (*tell)(const char *, const char *, ...))
{
	char line[256];

	for (unsigned i = 0; coverage_line(c, i, line, sizeof line); i++)
		if (*line)
			tell(file, "%s: %s", name, line);
}

/* Notes that were in a trace have been told by who made it; those of an import here have not. */
static void tell(struct job *j, const char *file, const struct rewrite *w, bool imported)
{
	/* Guesses travel in the trace: the report at the pipe's end tells them. */
	enum severity least = cli_into_pipe() ? NOTE_LOSS : NOTE_GUESS;

	for (size_t i = 0; i < w->n; i++) {
		const struct trace *t = w->captures[i].t;
		struct coverage *of = mem_zarray(t->symbols.n_objects, sizeof *of), c;

		cli_notes(file, t, imported ? 0 : w->captures[i].first_note, least);
		coverage_count(t, &c, of);
		for (uint32_t o = 1; o < t->symbols.n_objects; o++) {
			const struct symbol_object *object = &t->symbols.objects[o];

			tell_coverage(file, intern_text(&t->symbols.strings, object->name, NULL),
				      &of[o], cli_info);
		}
		free(of);
		tell_coverage(file, "coverage", &c, cli_note);
		if (c.reasons[REASON_NO_FILE] && t->n_modules == 2 &&
		    !*trace_text(t, t->modules[1].name))
			cli_note(file, "the capture does not name its module: give the module map "
				       "with --maps, or the one binary with -e");
		coverage_add(&j->all, &c);
	}
}

/* What symbolizer_run has counted. */
static double symbolizing(const struct stats *s)
{
	return s->bind + s->engine + s->copy + s->names;
}

static void tell_stats(const struct job *j)
{
	struct buf line = BUF_INIT;

	for (size_t i = 0; j->tell_stats && stats_line(&j->stats, i, &line); i++)
		cli_note("stats", "%s", buf_str(&line));
	buf_release(&line);
}

static enum status symbolize(struct job *j, struct input *in, const char *file, struct err *e)
{
	struct input spooled = {0}, *from = in;
	struct rewrite w = {.n = 0};
	struct trace *maps = NULL;
	FILE *temporary = NULL;
	double started = stats_clock(), before = symbolizing(&j->stats);
	enum status st = cli_as_trace(in, j->import, &spooled, &temporary, e);

	if (temporary)
		from = &spooled;
	else if (!st && j->import->maps)
		st = cli_read_maps(j->import->maps, &maps, e);
	if (!st)
		st = input_keep(from);
	if (!st)
		st = rewrite_scan(&w, &from->cur, &j->symbolizer, maps, e);
	cli_progress_clear();
	j->stats.read += stats_lap(&started) - (symbolizing(&j->stats) - before);
	if (!st)
		tell(j, file, &w, temporary);
	if (!st)
		st = input_rewind(from);
	if (!st)
		st = rewrite_copy(&w, &from->cur, stdout, e);
	j->stats.write += stats_lap(&started);
	rewrite_release(&w);
	trace_free(maps);
	input_close(&spooled);
	if (temporary)
		fclose(temporary);
	return st;
}

static void tell_cache(struct cache *c)
{
	const char *word;

	while ((word = cache_told(c)))
		cli_info(NULL, "%s", word);
}

static void one(struct job *j, const char *path)
{
	const char *file = strcmp(path, "-") ? path : "<stdin>";
	struct err e = ERR_INIT;
	struct input in = {0};
	enum status st = input_open(&in, path, &e);

	if (!st)
		st = symbolize(j, &in, file, &e);
	tell_cache(&j->symbolizer.cache);
	cli_managed_tell(&j->symbolizer.managed);
	input_close(&in);
	if (st)
		cli_fail(file, &e);
}

static void given_files(const struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i]->zip) /* a member that nobody has asked for yet */
			continue;
		if (!f->items[i]->object)
			cli_fail(f->items[i]->path, &f->items[i]->e);
		else if (f->items[i]->e.msg[0])
			cli_note(f->items[i]->path, "%s", f->items[i]->e.msg);
	}
}

/* Of the files that were used: members that turned out bad; and Unity's .sym.so, which has less
 * than the .dbg.so that a build can make as well. */
static void used_files(const struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct file *x = f->items[i];
		const char *from;

		if (x->member && !x->zip && !x->object)
			cli_fail(x->path, &x->e);
		if (!x->wanted || !x->object || object_has_dwarf(x->object) ||
		    object_is_source(x->object))
			continue;
		from = object_debug_path(x->object);
		if (strstr(from, ".sym.so"))
			cli_note(from, "only a symbol table: functions without files and lines");
		else
			cli_info(from, "no DWARF: functions without files and lines");
	}
}

/* A name that is no module's is a slip when it was written out, or when a module has no file. */
static void unwanted_files(const struct files *f, bool some_missing)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct file *x = f->items[i];

		if (!x->given || x->wanted || x->member)
			continue;
		if (x->module)
			cli_note(x->path, "not used: no module is called '%s'", x->module);
		else if (some_missing)
			cli_note(x->path, "not used: no module has its name or build-id");
	}
}

static void make_index(const char *path, const struct symbolize_options *o)
{
	struct object *object = NULL;
	struct err e = ERR_INIT, ignored = ERR_INIT;
	struct container_options container = {.cache = o->cache};
	enum status st = container_open(&object, path, &container, &e);
	uint64_t size = 0;
	struct cache cache;

	cache_init(&cache, &o->cache);
	if (!st) {
		object_find_debug(object, &o->files.search, &ignored);
		st = cache_prewarm(&cache, object, &o->dwarf, &size, &e);
		cli_progress_clear();
	}
	if (object && (st == ST_NONE || st == ST_UNSUPPORTED)) {
		cli_note(path, "no index: %s", st == ST_NONE ? "it has no DWARF" : e.msg);
		cli_status(EXIT_INCOMPLETE);
	} else if (st) {
		cli_fail(path, &e);
	} else {
		cli_info(path, "its index has %" PRIu64 " bytes", size);
	}
	tell_cache(&cache);
	cache_release(&cache);
	object_free(object);
}

int main(int argc, char **argv)
{
	struct cli_import import = {.may_find_slide = true};
	struct cli_managed managed = {0};
	struct opt_list files = {0}, debug_dirs = {0};
	const char *output = NULL, *sysroot = "/", *engine = dwarf_engine_default()->name;
	uint64_t jobs = pool_cpus(), least = 0;
	bool no_local = false, prewarm = false, no_managed = false;
	struct symbolize_options o = {0};
	struct job j = {.import = &import.options};
	const struct opt options[] = {
	    ROW_LIST('e', "exe", "FILE", "a binary of the capture, or MODULE=FILE; again for more",
		     &files),
	    ROW_LIST(0, "debug-dir", "DIR", "where debug files are: a build-id tree or a folder",
		     &debug_dirs),
	    ROW_STRING(0, "sysroot", "DIR", "look up captured paths below DIR (/)", &sysroot),
	    ROW_FLAG(0, "no-local", "do not look up captured paths at all", &no_local),
	    ROW_STRING('o', "output", "FILE", "write there instead of standard output", &output),
	    ROW_NUMBER('j', "jobs", "N", "workers (number of processors)", &jobs),
	    ROW_STRING(0, "engine", "NAME", "what decodes DWARF: fast (default), reference",
		       &engine),
	    ROW_FLAG(0, "prewarm", "FILEs are binaries: make their indexes, and end", &prewarm),
	    ROW_FLAG(0, "no-cache", "leave the cache of indexes alone", &o.cache.off),
	    ROW_STRING(0, "cache", "DIR", "where the indexes are", &o.cache.dir),
	    ROW_NUMBER(0, "min-coverage", "PERCENT", "status 4 if fewer locations get a name",
		       &least),
	    ROW_FLAG(0, "stats", "where the time went, on standard error", &j.tell_stats),
	    CLI_MANAGED_ROWS(managed),
	    ROW_STRING(0, "jit-map", "FILE", "perf-PID.map: code compiled at run time",
		       &managed.jit_map),
	    ROW_FLAG(0, "no-managed", "generated names as they are; look for no maps", &no_managed),
	    CLI_IMPORT_ROWS(import),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-symbolize", "[FILE...]", "Puts functions, inlines, files and lines into a trace.",
	    options};
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	if (!jobs || jobs > 256)
		cli_usage("--jobs: from 1 to 256");
	if (least > 100)
		cli_usage("--min-coverage: a percentage, from 0 to 100");
	o.engine = dwarf_engine_by_name(engine);
	if (!o.engine)
		cli_usage("--engine: there is no '%s'", engine);
	o.files = (struct files_options){.files = files.items,
					 .n_files = files.n,
					 .search = {debug_dirs.items, debug_dirs.n, true},
					 .sysroot = no_local ? NULL : sysroot,
					 .jobs = (unsigned)jobs};
	o.bind = (struct bind_options){.has_slide = import.options.has_slide,
				       .slide = import.options.slide,
				       .find_slides = import.find_slide,
				       .locations = import.options.locations,
				       .offsets = import.options.offsets};
	o.managed = cli_managed_done(&managed);
	o.managed.names = o.managed.beside = !no_managed;
	o.dwarf =
	    (struct dwarf_options){.jobs = (unsigned)jobs, .progress = progress, .once = true};
	for (size_t i = 0; i < debug_dirs.n; i++)
		cli_need_folder("debug-dir", debug_dirs.items[i]);
	if (*sysroot && !no_local)
		cli_need_folder("sysroot", sysroot);
	if (prewarm) {
		if (!n || o.cache.off)
			cli_usage("--prewarm: needs %s",
				  n ? "a cache" : "the binaries as operands");
		for (int i = 1; i <= n; i++)
			make_index(argv[i], &o);
		opt_list_release(&files);
		opt_list_release(&debug_dirs);
		return cli_exit();
	}
	cli_output(output);
	o.stats = j.tell_stats ? &j.stats : NULL;
	symbolizer_init(&j.symbolizer, &o);
	given_files(&j.symbolizer.files);
	cli_managed_load(&j.symbolizer.managed);
	if (!n)
		one(&j, "-");
	for (int i = 1; i <= n; i++)
		one(&j, argv[i]);
	used_files(&j.symbolizer.files);
	unwanted_files(&j.symbolizer.files, j.all.reasons[REASON_NO_FILE]);
	if (coverage_below(&j.all, least))
		cli_status(EXIT_INCOMPLETE);
	tell_stats(&j);
	stats_release(&j.stats);
	symbolizer_release(&j.symbolizer);
	cli_managed_release(&managed);
	opt_list_release(&files);
	opt_list_release(&debug_dirs);
	return cli_exit();
}

/* SPDX-License-Identifier: MIT
 *
 * tm-symbolize: trace or capture -> trace with functions, inlines, files and lines.
 */
#include "cmd/tm-symbolize/collect.h"
#include "cmd/tm-symbolize/log.h"
#include "cmd/tm-symbolize/modules.h"
#include "lib/base/clock.h"
#include "lib/base/pool.h"
#include "lib/cli/cli.h"
#include "lib/cli/search.h"
#include "lib/demangle/demangle_llvm.h"
#include "lib/symbolize/rewrite.h"

#include <string.h>

struct job {
	struct symbolizer symbolizer;
	const struct import_options *import;
	struct cli_binaries *binaries;
	struct cli_search *search;
	struct symbolize_coverage all;
	struct symbolize_stats stats;
	uint64_t least; /* --gate */
	bool tell_stats;
	bool if_useful, missing;
	struct cli_collect collect;
	bool asked; /* logs had calls */
};

static void symbolize_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("symbolizing", done, total);
}

/* Notes that were in a trace have been printed by its maker; those of an import here have not. */
static void tell(struct job *j, const char *file, const struct rewrite *w, bool imported)
{
	/* Guesses travel in the trace: the report at the pipe's end shows them. */
	enum severity least = cli_into_pipe() ? NOTE_LOSS : NOTE_GUESS;

	for (size_t i = 0; i < w->n; i++) {
		const struct trace *t = w->captures[i].t;

		cli_notes(file, t, imported ? 0 : w->captures[i].first_note, least);
		cli_coverage_tell(file, t, &j->all);
		if (j->binaries->explain)
			cli_explain(&j->symbolizer.files, t);
	}
}

/* What symbolizer_run has counted. */
static double symbolizing(const struct symbolize_stats *s)
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

/* Otherwise the files are the subject. */
static bool writes(const struct job *j)
{
	return !j->binaries->explain && !j->missing && !j->collect.dir;
}

/* Names of a file that its build-id proves: the only names for a user who did not ask for names. */
static bool is_useful(const struct rewrite *w)
{
	for (size_t i = 0; i < w->n && !w->named; i++) {
		const struct trace_symbols *y = &w->captures[i].t->symbols;

		for (size_t k = 1; k < y->n_bindings; k++)
			if (y->bindings[k].call && y->objects[y->bindings[k].object].build_id)
				return true;
	}
	return false;
}

static enum status symbolize(struct job *j, struct input *in, const char *file, struct err *e)
{
	struct input spooled = {0}, *from = in;
	struct rewrite w = {.nameless = j->if_useful};
	struct trace *maps = NULL;
	FILE *temporary = NULL;
	double started = clock_seconds(), before = symbolizing(&j->stats);
	enum status st = cli_as_trace(in, j->import, &spooled, &temporary, e);
	bool useful = true;

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
	if (!st && j->if_useful)
		useful = is_useful(&w);
	if (!st && useful)
		tell(j, file, &w, temporary);
	if (!st && useful && writes(j))
		st = input_rewind(from);
	if (!st && useful && writes(j)) {
		st = rewrite_copy(&w, &from->cur, stdout, e);
		if (st) /* a part is not to replace the whole */
			cli_output_done(false);
	}
	j->stats.write += stats_lap(&started);
	rewrite_release(&w);
	trace_free(maps);
	input_close(&spooled);
	if (temporary)
		fclose(temporary);
	return st;
}

static void tell_cache(struct index_cache *c)
{
	const char *word;

	while ((word = cache_told(c)))
		cli_info(NULL, "%s", word);
}

static void symbolize_one(struct job *j, const char *path)
{
	const char *file = strcmp(path, "-") ? path : "<stdin>";
	struct err e = ERR_INIT;
	struct input in = {0};
	enum status st = input_open(&in, path, &e);

	if (!st && j->collect.dir &&
	    cli_collect_binary(&j->collect, path, &j->symbolizer.options.files.search))
		st = ST_NONE;
	if (!st)
		st = symbolize(j, &in, file, &e);
	tell_cache(&j->symbolizer.cache);
	cli_managed_tell(&j->symbolizer.managed);
	cli_search_tell(j->search);
	input_close(&in);
	if (st && st != ST_NONE && j->if_useful) /* who asked reads the file too, and says it */
		cli_status(EXIT_INPUT);
	else if (st && st != ST_NONE)
		cli_fail(file, &e);
}

/* A log, with --text. */
static void symbolize_log_of(struct job *j, const char *path)
{
	struct stack_text x = {.symbolizer = &j->symbolizer};

	cli_stack_text(&x, path);
	tell_cache(&j->symbolizer.cache);
	cli_search_tell(j->search);
	j->asked |= x.calls;
	if (cli_stack_text_below(&x, j->least))
		cli_status(EXIT_INCOMPLETE);
	stack_text_release(&x);
}

int main(int argc, char **argv)
{
	struct cli_import import = {.may_find_slide = true};
	struct cli_managed managed = {0};
	struct cli_modules modules = {0};
	struct cli_binaries binaries = {.jobs = pool_cpus()};
	struct cli_search search;
	const char *output = NULL;
	bool prewarm = false, no_managed = false, text = false;
	struct symbolize_options o = {0};
	struct job j = {.import = &import.options, .binaries = &binaries, .search = &search};
	const struct opt options[] = {
	    CLI_MODULES_ROWS(modules),
	    ROW_STRING('o', "output", "FILE", "write there instead of standard output", &output),
	    ROW_NUMBER('j', "jobs", "N", "workers (number of processors)", &binaries.jobs),
	    ROW_FLAG(0, "prewarm", "FILEs are binaries: make their indexes, and end", &prewarm),
	    ROW_FLAG(0, "missing", "list the build-ids of binaries and debug files that lack",
		     &j.missing),
	    ROW_STRING(0, "collect", "DIR",
		       "copy what is found for FILEs, which may be binaries, there by build-id",
		       &j.collect.dir),
	    ROW_FLAG(0, "if-useful",
		     "write nothing of a trace that has names, or gets none by build-ids",
		     &j.if_useful),
	    ROW_FLAG(0, "text", "FILEs are logs: print them with names in their stacks", &text),
	    ROW_NUMBER(0, "gate", "PERCENT", "status 4 if fewer locations get a name", &j.least),
	    ROW_FLAG(0, "stats", "where the time went, on standard error", &j.tell_stats),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_EXPLAIN_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    ROW_STRING(0, "jit-map", "FILE", "perf-PID.map: code compiled at run time",
		       &managed.jit_map),
	    ROW_FLAG(0, "no-managed", "generated names as they are; look for no maps", &no_managed),
	    CLI_IMPORT_ROWS(import),
	    ROW_OLD("module", "module-file"),
	    ROW_OLD("min-coverage", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-symbolize", "[FILE...]", "Puts functions, inlines, files and lines into a trace.",
	    options};
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	if (!binaries.jobs || binaries.jobs > 256)
		cli_usage("--jobs: from 1 to 256");
	if (j.least > 100)
		cli_usage("--gate: a percentage, from 0 to 100");
	binaries.explain |= j.missing; /* until the search is made */
	cli_search_done(&search, &binaries);
	binaries.explain &= !j.missing;
	o.engine = search.engine;
	o.cache = search.cache;
	o.files = cli_modules_done(&modules, &binaries, &search);
	o.bind = (struct bind_options){.has_slide = import.options.has_slide,
				       .slide = import.options.slide,
				       .find_slides = import.find_slide,
				       .locations = import.options.locations,
				       .offsets = import.options.offsets};
	if (text) /* as the programs that print such logs have it */
		o.demangler = demangle_llvm;
	o.managed = cli_managed_done(&managed);
	o.managed.names = o.managed.beside = !no_managed;
	o.dwarf = (struct dwarf_options){
	    .jobs = (unsigned)binaries.jobs, .progress = symbolize_progress, .once = true};
	if (prewarm && (!n || o.cache.off))
		cli_usage("--prewarm: needs %s", n ? "a cache" : "the binaries as operands");
	if (j.missing + (j.collect.dir != NULL) + text + prewarm + binaries.explain > 1)
		cli_usage(
		    "--text, --missing, --collect, --prewarm and --explain exclude each other");
	if (j.if_useful && (!writes(&j) || text || prewarm))
		cli_usage("--if-useful: not where no trace is written");
	if (j.collect.dir)
		cli_collect_prepare(&j.collect);
	if (!prewarm && !j.collect.dir)
		(!writes(&j) || text ? cli_output_report : cli_output)(output);
	cli_sandbox("tm-symbolize", NULL);
	if (prewarm) {
		for (int i = 1; i <= n; i++)
			cli_prewarm(argv[i], &o);
		cli_search_tell(&search);
		cli_search_release(&search);
		cli_binaries_release(&binaries);
		cli_modules_release(&modules);
		return cli_exit();
	}
	o.stats = j.tell_stats ? &j.stats : NULL;
	symbolizer_init(&j.symbolizer, &o);
	cli_modules_given(&j.symbolizer.files);
	cli_managed_load(&j.symbolizer.managed);
	cli_not_typed(n);
	for (int i = 1; i <= n || i == 1; i++)
		(text ? symbolize_log_of : symbolize_one)(&j, n ? argv[i] : "-");
	if (j.missing && cli_missing(&j.symbolizer.files))
		cli_status(EXIT_INCOMPLETE);
	if (j.collect.dir) {
		cli_collect_found(&j.collect, &j.symbolizer.files);
		cli_collect_tell(&j.collect);
	}
	cli_modules_used(&j.symbolizer.files, j.all.n || j.asked);
	if (coverage_below(&j.all, j.least))
		cli_status(EXIT_INCOMPLETE);
	tell_stats(&j);
	stats_release(&j.stats);
	symbolizer_release(&j.symbolizer);
	cli_managed_release(&managed);
	cli_search_release(&search);
	cli_binaries_release(&binaries);
	cli_modules_release(&modules);
	return cli_exit();
}

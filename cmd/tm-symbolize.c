/* SPDX-License-Identifier: MIT
 *
 * tm-symbolize: trace or capture -> trace with functions, inlines, files and lines.
 */
#include "cmd/tm-symbolize/captures.h"
#include "cmd/tm-symbolize/collect.h"
#include "cmd/tm-symbolize/log.h"
#include "cmd/tm-symbolize/modules.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/cli/cli.h"
#include "lib/cli/given.h"
#include "lib/cli/symbolizer.h"
#include "lib/cli/walk.h"
#include "lib/input/input.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct job {
	struct tracemill_symbolizer *symbolizer;
	struct tracemill_trace_symbolizer *trace_symbolizer;
	const struct import_options *import;
	struct cli_binaries *binaries;
	struct tracemill_coverage all;
	double read, write; /* seconds: of tables, the import included; of the output */
	uint64_t least;     /* --gate */
	bool report_stats;
	bool if_useful, missing;
	struct cli_collect collect;
	bool asked;   /* logs had calls */
	bool modules; /* captures or logs have modules */
};

static void symbolize_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	cli_progress("symbolizing", done, total);
}

/* Otherwise the files are the subject. */
static bool writes(const struct job *j)
{
	return !j->binaries->explain && !j->missing && !j->collect.dir;
}

static double lap(double *from)
{
	double now = clock_seconds(), took = now - *from;

	*from = now;
	return took;
}

/* What is no reading. */
static double symbolizing(const struct job *j)
{
	struct tracemill_times t = {.size = sizeof t};

	if (!j->report_stats || tracemill_trace_symbolizer_times(j->trace_symbolizer, &t))
		return 0;
	return t.bind + t.decode + t.copy + t.names;
}

static enum status library_error(const struct job *j, struct err *e)
{
	return err_set(e, ST_BAD, "%s", tracemill_error(j->symbolizer));
}

static enum status read_maps(struct job *j, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st = cli_read_maps(j->import->maps, &text, e);

	if (!st && tracemill_trace_symbolizer_maps(j->trace_symbolizer, buf_str(&text), text.len)) {
		library_error(j, e);
		st = err_of_file(e, "module map", j->import->maps);
	}
	buf_release(&text);
	return st;
}

/* The trace that the input is, or that was made of it. */
static enum status scan(struct job *j, struct input *in, FILE *imported,
			struct tracemill_scanned *scanned, struct err *e)
{
	struct tracemill_stream from = {.size = sizeof from};
	enum status st;

	if (imported) {
		from.fd = fileno(imported);
	} else {
		st = input_keep(in);
		if (st)
			return st;
		from.fd = input_file(in, &from.ends);
		if (from.fd < 0)
			return err_failure(e);
	}
	return tracemill_trace_symbolizer_scan(j->trace_symbolizer, &from, scanned)
		   ? library_error(j, e)
		   : ST_OK;
}

/* What was written until then fails as standard output does. */
static enum status copy(struct job *j, struct err *e)
{
	enum tracemill_status st =
	    tracemill_trace_symbolizer_copy(j->trace_symbolizer, STDOUT_FILENO);

	if (!st)
		return ST_OK;
	cli_output_done(false); /* a part is not to replace the whole */
	library_error(j, e);
	if (st == TRACEMILL_SYSTEM || st == TRACEMILL_PIPE) {
		cli_output_fail(st == TRACEMILL_PIPE ? NULL : e->msg);
		return ST_NONE;
	}
	return err_failure(e);
}

static enum status symbolize(struct job *j, struct input *in, const char *file, struct err *e)
{
	struct tracemill_scanned scanned = {.size = sizeof scanned};
	FILE *imported = NULL;
	double started = clock_seconds(), before = symbolizing(j);
	enum status st = cli_as_trace(in, j->import, &imported, e);
	bool useful;

	if (!st && !imported && j->import->maps)
		st = read_maps(j, e);
	if (!st)
		st = scan(j, in, imported, &scanned, e);
	cli_progress_clear();
	j->read += lap(&started) - (symbolizing(j) - before);
	j->modules |= j->import->maps != NULL;
	useful = !j->if_useful || (!scanned.already_symbolized && scanned.build_id_matched);
	if (!st && useful)
		cli_captures_report(j->trace_symbolizer, file, imported,
				    j->binaries->symbol_servers.n, &j->all, &j->modules);
	for (size_t i = 0; !st && useful && j->binaries->explain && i < scanned.n; i++)
		cli_explain(j->trace_symbolizer, i);
	if (!st && useful && writes(j))
		st = copy(j, e);
	j->write += lap(&started);
	if (imported)
		fclose(imported);
	return st;
}

static void symbolize_one(struct job *j, const char *path)
{
	const char *file = strcmp(path, "-") ? path : "<stdin>";
	struct err e = ERR_INIT;
	struct input in = {0};
	enum status st = input_open(&in, path, &e);

	if (!st && j->collect.dir && cli_collect_binary(&j->collect, j->symbolizer, path))
		st = ST_NONE;
	if (!st)
		st = symbolize(j, &in, file, &e);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_CACHE);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_MANAGED);
	input_close(&in);
	if (st && st != ST_NONE && j->if_useful) /* who asked reads the file too, and says it */
		cli_status(EXIT_INPUT);
	else if (st && st != ST_NONE)
		cli_fail(file, &e);
}

static void check_gate(const struct job *j, const char *file, const char *what, uint64_t named,
		       uint64_t n)
{
	if (j->least && !n) {
		cli_error(file, "--gate %" PRIu64 ": there are no %s, so it cannot tell", j->least,
			  what);
		cli_status(EXIT_INCONCLUSIVE);
	}
	if (named * 100 >= j->least * n)
		return;
	cli_error(file,
		  "--gate %" PRIu64 ": fewer than %" PRIu64 "%% of the %s have a name (%" PRIu64
		  " of %" PRIu64 ")",
		  j->least, j->least, what, named, n);
	cli_status(EXIT_INCOMPLETE);
}

/* A log, with --text. */
static void symbolize_log_of(struct job *j, const char *path)
{
	struct tracemill_text_sums sums;
	struct err e = ERR_INIT;

	if (j->import->maps && read_maps(j, &e)) {
		cli_fail(path, &e);
		return;
	}
	sums = cli_stack_text(j->symbolizer, j->trace_symbolizer, path, &j->modules);
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_CACHE);
	j->asked |= sums.n;
	check_gate(j, strcmp(path, "-") ? path : "<stdin>", "calls", sums.named + sums.kept,
		   sums.n);
}

static void symbolize_all(struct job *j, int n, char **argv, bool text)
{
	cli_given_check(j->trace_symbolizer);
	cli_symbolizer_load(j->symbolizer);
	cli_reject_tty(n);
	for (int i = 1; i <= n || i == 1; i++)
		(text ? symbolize_log_of : symbolize_one)(j, n ? argv[i] : "-");
	cli_symbolizer_report(j->symbolizer, TRACEMILL_TOPIC_SEARCH);
	if (j->missing && cli_missing(j->trace_symbolizer))
		cli_status(EXIT_INCOMPLETE);
	if (j->collect.dir) {
		cli_collect_found(&j->collect, j->trace_symbolizer);
		cli_collect_report(&j->collect);
	}
	cli_given_used(j->trace_symbolizer, &(struct cli_given_in){.any = j->all.n || j->asked,
								   .is_text = text,
								   .modules = j->modules});
	if (!text)
		check_gate(j, NULL, "locations", j->all.n - j->all.nothing - j->all.modules,
			   j->all.n);
	if (j->report_stats)
		cli_times_report(j->trace_symbolizer, j->read, j->write);
}

/* True if an option says how captures are read. */
static bool reads_captures(const struct cli_import *i)
{
	return i->options.format || i->options.config || i->slide || i->locations || i->offsets;
}

int main(int argc, char **argv)
{
	struct cli_import import = {.may_find_slide = true};
	struct cli_managed managed = {0};
	struct cli_modules modules = {0};
	struct cli_binaries binaries = {.jobs = pool_cpus()};
	struct tracemill_trace_symbolizer_options trace_symbolizer;
	struct tracemill_options o;
	struct walk_files walk;
	const char *output = NULL;
	bool prewarm = false, no_managed = false, text = false;
	struct job j = {.import = &import.options, .binaries = &binaries};
	const struct opt options[] = {
	    CLI_MODULES_ROWS(modules),
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output", &output),
	    ROW_NUMBER('j', "jobs", "N", "workers (default: the number of processors)",
		       &binaries.jobs),
	    ROW_FLAG(0, "prewarm", "FILEs are binaries: build their indexes and end", &prewarm),
	    ROW_FLAG(0, "missing", "list build-ids of missing binaries and debug files",
		     &j.missing),
	    ROW_STRING(0, "collect", "DIR", "copy all binaries and debug files to DIR/.build-id",
		       &j.collect.dir),
	    ROW_FLAG(0, "if-useful", "write nothing if the trace has names or can get none",
		     &j.if_useful),
	    ROW_FLAG(0, "text", "FILEs are logs: print them with symbolized stacks", &text),
	    ROW_NUMBER(0, "gate", "PERCENT", "end with status 4 if fewer locations get a name",
		       &j.least),
	    ROW_FLAG(0, "stats", "print the time of each step to standard error", &j.report_stats),
	    CLI_BINARIES_ROWS(binaries),
	    CLI_EXPLAIN_ROW(binaries),
	    CLI_VERIFY_ROW(binaries),
	    CLI_MANAGED_ROWS(managed),
	    ROW_STRING(0, "jit-map", "FILE", "perf-PID.map of code that was compiled at run time",
		       &managed.jit_map),
	    ROW_FLAG(0, "no-managed", "show generated names as they are; read no maps",
		     &no_managed),
	    CLI_IMPORT_ROWS_OF(
		import, "runtime address minus link-time address; auto: found by the code of -e"),
	    ROW_ALIAS("module", "module-file"),
	    ROW_ALIAS("min-coverage", "gate"),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-symbolize", "[FILE...]",
	    "Adds functions, inlined calls, files and lines to a trace.", options};
	int n = opt_parse(&program, argc, argv);

	cli_import_done(&import);
	if (!binaries.jobs || binaries.jobs > 256)
		cli_usage("--jobs: from 1 to 256");
	if (j.least > 100)
		cli_usage("--gate: a percentage, from 0 to 100");
	o = cli_symbolizer_options(&binaries, &managed);
	o.flags &= ~(unsigned)TRACEMILL_MANAGED_NAMES;
	o.flags |= no_managed ? 0 : TRACEMILL_MANAGED_NAMES | TRACEMILL_MANAGED_BESIDE;
	o.flags |= TRACEMILL_PLT_NAMES;
	if (j.missing)
		o.flags |= TRACEMILL_EXPLAIN;
	if (text) /* as the programs that print such logs have it */
		o.flags |= TRACEMILL_LLVM_SPELLING;
	o.jit_map = managed.jit_map;
	o.progress = symbolize_progress;
	trace_symbolizer = cli_modules_done(&modules);
	walk_files_given(&walk, trace_symbolizer.n_files, trace_symbolizer.files);
	import.options.walker = &walk.walker;
	trace_symbolizer.flags |= (import.options.has_slide ? TRACEMILL_SLIDE : 0) |
				  (import.find_slide ? TRACEMILL_FIND_SLIDES : 0) |
				  (j.if_useful ? TRACEMILL_ONLY_NAMELESS : 0) |
				  (j.report_stats ? TRACEMILL_TIMES : 0);
	trace_symbolizer.slide = import.options.slide;
	trace_symbolizer.locations = import.options.locations;
	trace_symbolizer.offsets = import.options.offsets;
	if (prewarm && (!n || binaries.no_cache))
		cli_usage("--prewarm: needs %s", n ? "a cache" : "the binaries as operands");
	if (j.missing + (j.collect.dir != NULL) + text + prewarm + binaries.explain > 1)
		cli_usage(
		    "--text, --missing, --collect, --prewarm and --explain exclude each other");
	if (text && reads_captures(&import))
		cli_usage(
		    "-f, --config, --slide, --locations and --offsets are for captures, and --text "
		    "reads logs");
	if (binaries.verify && (prewarm || j.missing || j.collect.dir))
		cli_usage(
		    "--verify needs answers, which --prewarm, --missing and --collect do not give");
	if (j.if_useful && (!writes(&j) || text || prewarm))
		cli_usage("--if-useful needs a trace as output");
	j.symbolizer = cli_symbolizer_new(&o);
	if (tracemill_trace_symbolizer_new(j.symbolizer, &trace_symbolizer, &j.trace_symbolizer))
		mem_exhausted();
	if (j.collect.dir)
		cli_collect_prepare(&j.collect);
	if (!prewarm && !j.collect.dir)
		(!writes(&j) || text ? cli_output_report : cli_output)(output);
	cli_sandbox("tm-symbolize", NULL);
	if (prewarm) {
		for (int i = 1; i <= n; i++)
			cli_prewarm(j.symbolizer, argv[i]);
		cli_symbolizer_report(j.symbolizer, TRACEMILL_TOPIC_SEARCH);
	} else {
		symbolize_all(&j, n, argv, text);
		cli_verify(j.symbolizer, &binaries);
	}
	cli_managed_release(&managed);
	walk_files_release(&walk);
	if (MEM_MOVES) /* a checker looks for leaks; else the end of the program is faster at it */
		tracemill_symbolizer_free(j.symbolizer);
	else
		tracemill_symbolizer_exit(j.symbolizer);
	cli_binaries_release(&binaries);
	cli_modules_release(&modules);
	return cli_exit();
}

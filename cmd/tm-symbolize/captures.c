/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/captures.h"

#include "lib/base/path.h"
#include "lib/base/text.h"
#include "lib/cli/cli.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

enum { ALL_REASONS = sizeof((struct tracemill_coverage){0}.reasons) / sizeof(uint64_t) };

static void report_coverage(const char *file, const char *name, const struct tracemill_coverage *c,
			    void (*tell)(const char *, const char *, ...))
{
	if (!c->n)
		return;
	name = *name ? name : "(no name)";
	tell(file,
	     "%s: %" PRIu64 " location%s: %" PRIu64 " with line, %" PRIu64 " name only, %" PRIu64
	     " module only, %" PRIu64 " nothing",
	     name, c->n, plural_s(c->n), c->lines, c->names, c->modules, c->nothing);
	for (unsigned r = TRACEMILL_REASON_NONE + 1; r < ALL_REASONS; r++)
		if (c->reasons[r])
			tell(file, "%s: %" PRIu64 " not resolved further: %s", name, c->reasons[r],
			     tracemill_reason_text(r));
	if (c->guesses)
		tell(file, "%s: %" PRIu64 " named by a symbol without a size: a guess", name,
		     c->guesses);
}

static void add(struct tracemill_coverage *to, const struct tracemill_coverage *c)
{
	to->n += c->n;
	to->modules += c->modules;
	to->nothing += c->nothing;
}

static bool has_modules_of_windows(const struct tracemill_capture *t)
{
	for (uint32_t i = 1; i <= t->n_modules; i++) {
		const char *name = tracemill_trace_module(t->trace, i);

		if (path_is_of_windows(name, strlen(name)))
			return true;
	}
	return false;
}

static void captures_report_one(struct tracemill_trace_symbolizer *n, size_t i, const char *file,
				bool asked, const struct tracemill_capture *t,
				struct tracemill_coverage *all)
{
	struct tracemill_coverage c = {.size = sizeof c};

	for (size_t b = 1; !tracemill_trace_symbolizer_coverage(n, i, b, &c); b++)
		report_coverage(file, c.name, &c, cli_info);
	if (tracemill_trace_symbolizer_coverage(n, i, 0, &c))
		return;
	report_coverage(file, "coverage", &c, cli_note);
	if (c.reasons[TRACEMILL_REASON_NO_FILE] && t->n_modules == 1 &&
	    !*tracemill_trace_module(t->trace, 1))
		cli_note(file, "the capture does not name its module: give the module map with "
			       "--maps, or the one binary with -e");
	if (c.reasons[TRACEMILL_REASON_NO_FILE] && !asked && has_modules_of_windows(t))
		cli_note(file, "modules of Windows: -e or --debug-dir gives their .exe, .dll or "
			       "PDB; --symbol-server URL asks a server for PDBs");
	if (c.reasons[TRACEMILL_REASON_NO_MODULE] && !t->n_modules)
		cli_note(file, "the capture has no list of modules: give the file that was written "
			       "with it, or a copy of /proc/PID/maps or a minidump: --maps FILE");
	add(all, &c);
}

void cli_captures_report(struct tracemill_trace_symbolizer *n, const char *file, bool imported,
			 bool asked, struct tracemill_coverage *all, bool *modules)
{
	/* Guesses travel in the trace: the report at the pipe's end shows them. */
	enum severity least = cli_into_pipe() ? NOTE_LOSS : NOTE_GUESS;
	struct tracemill_capture t = {.size = sizeof t};
	struct tracemill_note note;

	for (size_t i = 0; !tracemill_trace_symbolizer_capture(n, i, &t); i++) {
		/* Those that were in a trace have been printed by its maker. */
		for (size_t k = imported ? 0 : t.first_note;
		     tracemill_trace_note(t.trace, k, &note); k++)
			cli_trace_note(file, note.text, note.count, note.severity, least);
		captures_report_one(n, i, file, asked, &t, all);
		*modules |= t.n_modules;
	}
}

void cli_explain(struct tracemill_trace_symbolizer *n, size_t i)
{
	struct tracemill_capture t = {.size = sizeof t};
	struct buf b = BUF_INIT;
	const char *text;
	size_t length;

	if (tracemill_trace_symbolizer_capture(n, i, &t))
		return;
	if (!tracemill_trace_symbolizer_explain_modules(n, &text, &length))
		buf_add(&b, text, length);
	for (uint32_t k = 1; k <= t.n_locations; k++) {
		if (!tracemill_trace_symbolizer_explain(n, i, k, &text, &length))
			buf_add(&b, text, length);
		cli_flush_if_large(&b);
	}
	cli_print(buf_at(&b, 0), b.len);
	buf_release(&b);
}

static void report_binary(const struct tracemill_binary_times *t)
{
	cli_note("stats",
		 "%s: %" PRIu64 " location%s, %" PRIu64 " unique addresses, units: %" PRIu64
		 ", asked %" PRIu64 ", lost %" PRIu64,
		 t->path, t->locations, plural_s(t->locations), t->addresses, t->units, t->asked,
		 t->lost);
	cli_note("stats", "%s: seconds: sections %.3f, units %.3f, decode %.3f, merge %.3f",
		 t->path, t->sections, t->unit_heads, t->decode, t->merge);
	cli_note("stats", "%s: of decode, processor seconds: scopes %.3f, lines %.3f, names %.3f",
		 t->path, t->scopes, t->lines, t->names);
}

void cli_times_report(struct tracemill_trace_symbolizer *n, double read, double write)
{
	struct tracemill_binary_times one = {.size = sizeof one};
	struct tracemill_times all = {.size = sizeof all};
	struct rusage r;

	for (size_t i = 0; !tracemill_trace_symbolizer_binary_times(n, i, &one); i++)
		report_binary(&one);
	if (tracemill_trace_symbolizer_times(n, &all))
		return;
	cli_note("stats", "all: %" PRIu64 " locations, %" PRIu64 " functions, %" PRIu64 " calls",
		 all.locations, all.functions, all.calls);
	cli_note("stats",
		 "all: seconds: read %.3f, bind %.3f, decode %.3f, copy %.3f, names %.3f, write "
		 "%.3f",
		 read, all.bind, all.decode, all.copy, all.names, write);
	if (!getrusage(RUSAGE_SELF, &r))
		cli_note("stats", "all: peak memory %ld MiB", r.ru_maxrss / 1024);
}

/* SPDX-License-Identifier: MIT */
#include "lib/cli/given.h"

#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/cli/symbolizer.h"

#include <string.h>
#include <strings.h>

void cli_given_check(struct tracemill_trace_symbolizer *n)
{
	struct tracemill_file f = {.size = sizeof f};

	for (size_t i = 0; !tracemill_trace_symbolizer_file(n, i, &f); i++) {
		if (f.unopened)
			continue;
		if (!f.usable)
			cli_file_fail(f.path, f.why);
		else if (*f.why)
			cli_note(f.path, "%s", f.why);
	}
}

/* Of the files that were used: members that turned out bad; and Unity's .sym.so, which has less
 * than the .dbg.so that a build can make as well. */
static void used(struct tracemill_trace_symbolizer *n)
{
	struct tracemill_file f = {.size = sizeof f};

	for (size_t i = 0; !tracemill_trace_symbolizer_file(n, i, &f); i++) {
		if (f.member && !f.unopened && !f.usable)
			cli_file_fail(f.path, f.why);
		if (!f.used || !f.usable || f.has_lines)
			continue;
		if (strstr(f.debug_path, ".sym.so"))
			cli_note(f.debug_path,
				 "only a symbol table: functions without files and lines");
		else
			cli_info(f.debug_path, "no DWARF: functions without files and lines");
	}
}

static bool is_path_of(const char *path, const char *other)
{
	return !strcasecmp(path_base(path), path_base(other));
}

/* The file that was used in its place; NULL: none. */
static const char *used_instead(struct tracemill_trace_symbolizer *n, const char *path)
{
	struct tracemill_file f = {.size = sizeof f};

	for (size_t i = 0; !tracemill_trace_symbolizer_file(n, i, &f); i++)
		if (f.used && f.usable && is_path_of(f.path, path))
			return f.path;
	return NULL;
}

/* A PDB of another build than the program that was given with it: that has been said. */
static bool is_foreign(const struct tracemill_file *f)
{
	return !strncmp(f->why, "not the PDB that ", 17);
}

static void note_unused(const struct tracemill_file *f, const struct cli_given_in *in)
{
	if (!in->modules && in->any && in->is_text)
		cli_note(f->path, "not used: no call of the log names its module");
	else if (!in->modules && in->any)
		cli_note(f->path,
			 "not used: the capture has no list of modules: --maps FILE takes the "
			 "module map of the process, or --slide ADDR says where the file was");
	else if (f->module && in->is_text)
		cli_note(f->path, "not used: no call lies in a module '%s'", f->module);
	else if (f->module)
		cli_note(f->path,
			 "not used: there is no module '%s'; for a module without a name: -e %s",
			 f->module, f->path);
	else if (in->any)
		cli_note(f->path, "not used: no %s; to give it to a module: -e MODULE=%s",
			 in->is_text ? "call lies in a module of its name"
				     : "module has its name or build-id",
			 f->path);
}

/* A name that is no module's is a slip when it was written out, or when a module has no file. */
void cli_given_used(struct tracemill_trace_symbolizer *n, const struct cli_given_in *in)
{
	struct tracemill_file f = {.size = sizeof f};

	used(n);
	for (size_t i = 0; !tracemill_trace_symbolizer_file(n, i, &f); i++) {
		const char *better = f.given && !f.used ? used_instead(n, f.path) : NULL;

		/* Why a file cannot be read, or is not the PDB of a program, has been said. */
		if (!f.given || f.used || f.member || !f.usable || is_foreign(&f))
			continue;
		if (better && !f.module)
			cli_note(f.path, "not used: %s is the better file of its name", better);
		else
			note_unused(&f, in);
	}
}

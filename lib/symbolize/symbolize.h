/* SPDX-License-Identifier: MIT
 *
 * The symbolizer of traces, from locations to symbols: bind (bind.h), make one sorted batch of
 * unique link-time addresses per file, have an engine (lib/dwarf) answer all batches at once, fall
 * back to the symbol table, demangle, and put the result into t->symbols. The result does not
 * depend on the number of jobs.
 */
#ifndef TM_SYMBOLIZE_SYMBOLIZE_H
#define TM_SYMBOLIZE_SYMBOLIZE_H

#include "lib/dwarf/engine.h"
#include "lib/find/bind.h"
#include "lib/index/cache.h"
#include "lib/managed/managed.h"
#include "lib/symbolize/stats.h"
#include "lib/symbolize/verify.h"

struct symbolize_options {
	struct files_options files;
	struct bind_options bind;
	struct dwarf_options dwarf;
	struct index_cache *cache; /* the caller's, as managed; released before the symbolizer */
	struct managed *managed;
	char *(*demangler)(const char *raw); /* NULL: demangle.h's */
	struct symbolize_stats *stats;       /* the caller's, added to; NULL: not wanted */
	struct verify *verify; /* the caller's, which answers are offered to; NULL: none */
};

struct symbolizer {
	struct symbolize_options options;
	struct find_files files; /* shared by all traces of a run: a file is opened once */
};

/* o is copied; given files are opened, and those of managed code read. */
void symbolizer_init(struct symbolizer *s, const struct symbolize_options *o);
void symbolizer_release(struct symbolizer *s);

/* Replaces t->symbols and adds notes. maps: where the modules are, t itself or another trace.
 * ST_SYS when no engine can run; a file that cannot be read is a reason, not a failure. ST_BAD when
 * an index has lost bytes while its names were copied: some may be nonsense. */
enum status symbolizer_run(struct symbolizer *s, struct trace *t, const struct trace *maps,
			   struct err *e);

#endif

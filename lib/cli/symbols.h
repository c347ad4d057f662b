/* SPDX-License-Identifier: MIT
 *
 * The symbols that autosymbolize.h has found for captures without any, and the tap that puts them into these
 * captures as they are read: they are there before the first event.
 */
#ifndef TM_CLI_SYMBOLS_H
#define TM_CLI_SYMBOLS_H

#include "lib/event_store/event_store.h"
#include "lib/trace/tap.h"

/* A file with symbols for its captures, in their order: traces of nothing but symbols, and notes on these. */
struct cli_symbols_file {
	char *path;
	uint64_t device, inode; /* another file that took this path gets none */
	struct trace **captures;
	size_t n, cap;
	struct event_store
	    *store; /* instead of captures, of a file that is small: all of it, with its symbols */
};

struct cli_symbols { /* zeroed is valid */
	bool off;    /* --no-symbols */
	/* The user's words on binaries, for these two lists alone: borrowed. */
	const char *const *exes, *const *debug_dirs; /* -e, --debug-dir */
	size_t n_exes, n_debug_dirs;
	/* The exes are the captures', as tm-symbolize has them, whether their modules have build-ids or not. */
	bool of_captures;
	/* found, by cli_autosymbolize: */
	struct cli_symbols_file *files;
	size_t n, cap;
};

/* Takes f, zeroed but for its captures, as that of path; what is not there any more is released. */
void cli_symbols_add(struct cli_symbols *s, struct cli_symbols_file *f, const char *path);
void cli_symbols_file_release(struct cli_symbols_file *f);
void cli_symbols_release(struct cli_symbols *s);

/* What was kept of a whole file; NULL: it is to be read. s may be NULL. */
const struct event_store *cli_symbols_store(const struct cli_symbols *s, const char *path);

/* Puts the symbols of a file into its captures as they pass. */
struct cli_symbols_tap {
	struct sink_tap tap; /* first */
	struct cli_symbols_file *file;
	size_t capture;
	bool lossy; /* some look-up lost something */
};
/* The sink to read path into: to itself if there are no symbols for it. t stays where it is; s may be NULL. */
struct sink *cli_symbols_sink(struct cli_symbols_tap *t, struct cli_symbols *s, const char *path,
			      struct sink *to);

#endif

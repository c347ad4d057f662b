/* SPDX-License-Identifier: MIT
 *
 * The files of the command line, loaded once; every question is answered from them.
 */
#ifndef TM_CMD_VIEW_LOAD_H
#define TM_CMD_VIEW_LOAD_H

#include "cmd/tm-view/follow.h"
#include "cmd/tm-view/sums.h"
#include "lib/cli/autosymbolize.h"
#include "lib/cli/cli.h"

struct view_loaded {
	struct event_store store;
	struct view_sums sums; /* of it */
	uint64_t ns;           /* that loading took, of the processor */
	struct follow *follow; /* NULL: it is not looked at again */
	char *folder;          /* of the file, where files are followed */
	int64_t grew;          /* clock_ms, when the last of it came */
};

struct view_load {
	const struct import_options *import;
	struct cli_symbols symbols;
	struct cli_symbolizer *symbolizer; /* of files that are followed; NULL: they get no names */
	struct view_loaded *items;
	const char **names;
	size_t n;
	bool follows;
	bool many;        /* questions will be asked */
	uint64_t version; /* grows when a file was loaded again, or has grown */
};

/* Before the sandbox: symbols are looked up, by l->symbols, which is the caller's. follow: files are looked at again,
 * and others that take their places. when: the exception that the program's profile will be. */
void load_start(struct view_load *l, int n, char **operands, const struct import_options *import,
		const char *when, bool follow);
/* After it. What cannot be read is kept with its reason, and reported if wanted: each answer
 * reports it, too. many: there will be many questions. */
void load_all(struct view_load *l, bool tell, bool many);
/* What has come of files that grow, and those that have changed, again; true: there were some. */
bool load_changed(struct view_load *l);
/* NULL: no such operand. */
struct event_store *load_find(struct view_load *l, const char *operand);
void load_release(struct view_load *l);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The options of binaries.h for programs that look into binaries themselves: engine, cache, search.
 */
#ifndef TM_CLI_SEARCH_H
#define TM_CLI_SEARCH_H

#include "lib/cli/binaries.h"
#include "lib/cli/managed.h"
#include "lib/dwarf/engine.h"
#include "lib/find/search.h"
#include "lib/managed/managed.h"

struct cli_search {
	const struct dwarf_engine *engine;
	struct cache_options cache;
	struct find_search search;
};

/* Checks what was given, and makes all three; s must stay where it is. Before there are threads. */
void cli_search_done(struct cli_search *s, struct cli_binaries *b);
/* Reports the notes of the search. */
void cli_search_tell(struct cli_search *s);
void cli_search_release(struct cli_search *s); /* after the objects that were found */

/* The options that the rows of managed.h make. They borrow from m. */
struct managed_options cli_managed_done(const struct cli_managed *m);
/* Reads what was given; what cannot be read is an error and EXIT_INPUT. */
void cli_managed_load(struct managed *m);
void cli_managed_tell(struct managed *m); /* words for -v */

#endif

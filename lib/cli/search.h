/* SPDX-License-Identifier: MIT
 *
 * The options of binaries.h for programs that look into binaries themselves, such as tm-inspect: cache, search.
 */
#ifndef TM_CLI_SEARCH_H
#define TM_CLI_SEARCH_H

#include "lib/cli/binaries.h"
#include "lib/find/search.h"

struct cli_search {
	struct cache_options cache;
	struct find_search search;
};

/* Checks what was given, and makes both; s must stay where it is. Before there are threads. */
void cli_search_done(struct cli_search *s, struct cli_binaries *b);
/* Reports the notes of the search. */
void cli_search_report(struct cli_search *s);
void cli_search_release(struct cli_search *s); /* after the objects that were found */

#endif

/* SPDX-License-Identifier: MIT
 *
 * The programs that have an option: the rows of lib/cli/options.txt, of which the Makefile makes C.
 */
#ifndef TM_CLI_OPTION_OWNERS_H
#define TM_CLI_OPTION_OWNERS_H

struct option_owners {
	const char *word;     /* "merge" */
	const char *programs; /* "tm-import", "tm-top and tm-view", "tm-heap, tm-top and tm-view" */
};

extern const struct option_owners option_owners[]; /* ends with word NULL */

#endif

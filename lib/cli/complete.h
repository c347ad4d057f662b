/* SPDX-License-Identifier: MIT
 *
 * Internal to opt.h: completion scripts for shells, made from the option tables. They offer every
 * option that --help shows, the values of choices, and files or folders where those are wanted.
 */
#ifndef TM_CLI_COMPLETE_H
#define TM_CLI_COMPLETE_H

#include "lib/cli/opt.h"

struct cli_complete {
	const struct opt_program *program;
	const struct opt *common; /* rows that every program has */
	/* Whether a row is there under its word and its letter. */
	bool (*has_word)(const struct opt *o);
	bool (*has_letter)(const struct opt *o);
};

/* Prints the script for "bash", "zsh" or "fish" to standard output; false: no such shell. */
bool complete_print(const struct cli_complete *c, const char *shell);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The expansion of arguments as LLVM's tools do it (llvm/Support/CommandLine.cpp, ExpansionContext, GNU's
 * quoting). Arguments of an environment variable come first. @FILE is replaced by the contents of the file, in
 * which @FILE is replaced, too. In both, words are separated by blanks and line ends; ' and " quote, \ takes the
 * next character as it is. A file that cannot be read is a word like others.
 */
#ifndef TM_CLI_ARGS_H
#define TM_CLI_ARGS_H

struct cli_args {
	char **argv; /* argc of them and NULL */
	int argc;
	char **owned; /* texts that some of them are */
	int n_owned;
};

void args_expand(struct cli_args *a, int argc, char **argv, const char *variable);
void args_release(struct cli_args *a);

#endif

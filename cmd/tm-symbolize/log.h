/* SPDX-License-Identifier: MIT
 *
 * A log whose stacks are to have names: the text of files or of standard input to standard output.
 * What comes through a pipe is printed as far as it came, so that a log can be followed.
 */
#ifndef TM_CMD_SYMBOLIZE_LOG_H
#define TM_CMD_SYMBOLIZE_LOG_H

#include "lib/symbolize/stack_text.h"

/* "-" is standard input. Notes say how many calls have names, and why others have none. */
void cli_stack_text(struct stack_text *x, const char *path);
/* True when fewer of its calls have a name than this percentage. */
bool cli_stack_text_below(const struct stack_text *x, uint64_t percent);

#endif

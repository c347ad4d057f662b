/* SPDX-License-Identifier: MIT
 *
 * The program tm-compare as a function: of its process, and of questions that tm-view answers (lib/cli/session.h).
 */
#ifndef TM_CMD_COMPARE_PROGRAM_H
#define TM_CMD_COMPARE_PROGRAM_H

int tm_compare(int argc, char **argv); /* the exit status */

#endif

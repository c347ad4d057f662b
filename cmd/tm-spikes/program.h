/* SPDX-License-Identifier: MIT
 *
 * The program tm-spikes as a function: of its process, and of questions that tm-view answers (lib/cli/session.h).
 */
#ifndef TM_CMD_SPIKES_PROGRAM_H
#define TM_CMD_SPIKES_PROGRAM_H

int tm_spikes(int argc, char **argv); /* the exit status */

#endif

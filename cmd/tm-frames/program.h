/* SPDX-License-Identifier: MIT
 *
 * The program tm-frames as a function: of its process, and of questions that tm-view answers (lib/cli/session.h).
 */
#ifndef TM_CMD_FRAMES_PROGRAM_H
#define TM_CMD_FRAMES_PROGRAM_H

int tm_frames(int argc, char **argv); /* the exit status */

#endif

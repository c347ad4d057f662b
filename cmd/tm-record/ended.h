/* SPDX-License-Identifier: MIT
 *
 * The exit status of the recorded program, which only its parent learns, as a note at the end of its trace.
 */
#ifndef TM_CMD_RECORD_ENDED_H
#define TM_CMD_RECORD_ENDED_H

/* status is not 0. A trace without an end is left alone: it says so itself. What goes wrong is a note. */
void ended_note(const char *path, int status);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The origin of a trace, which distinguishes runs of a program: the time at which the process began, and a digest
 * of its arguments. It is in the header of the trace.
 */
#ifndef TM_RECORDER_ORIGIN_H
#define TM_RECORDER_ORIGIN_H

#include <stdint.h>

struct cap_origin {
	uint64_t began;     /* ns since 1970 */
	uint64_t arguments; /* FNV-1a of them, each without the folders in it */
};

/* At the start of a process, from /proc/self/cmdline. */
void cap_origin_learn(struct cap_origin *o);
/* A number that no other run has, but by chance. */
uint64_t cap_origin_id(const struct cap_origin *o, uint32_t pid);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What tells runs of a program apart, in the header of their traces: when the process began, and the arguments that
 * it was started with, of which only a digest is kept.
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

/* SPDX-License-Identifier: MIT
 *
 * The kernel's list of the process's mappings, /proc/self/maps (proc_pid_maps(5)), line by line.
 * System calls only, and memory of the caller's.
 */
#ifndef TM_RECORDER_BASE_MAPS_H
#define TM_RECORDER_BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line is "7f0000000000-7f0000001000 r-xp 00002000 fe:00 247134     /usr/lib/libgame.so", with '\n'
 * at end. */
typedef void (*cap_maps_line)(void *arg, const char *p, const char *end);

/* text is room for a line, borrowed. False: it could not be read to its end. */
bool cap_maps_read(char *text, size_t size, cap_maps_line line, void *arg);
/* A number of hexadecimal digits; gives what is behind it. */
const char *cap_maps_hex(const char *p, uintptr_t *v);

#endif

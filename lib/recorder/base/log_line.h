/* SPDX-License-Identifier: MIT
 *
 * A line of a program's log as a recording keeps it.
 */
#ifndef TM_RECORDER_BASE_LOG_LINE_H
#define TM_RECORDER_BASE_LOG_LINE_H

#include <stddef.h>

enum { CAP_LINE_MAX = 255 };

/* The n bytes of text without line breaks at their end; of a longer text the first letters, in UTF-8, and three
 * dots. Returns how many bytes of line are used. */
size_t cap_log_line(char line[CAP_LINE_MAX], const char *text, size_t n);

#endif

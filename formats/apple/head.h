/* SPDX-License-Identifier: MIT
 *
 * What macOS's sample, leaks, heap, vmmap and malloc_history print before their report:
 *
 *	Process:         game [4242]
 *	Analysis Tool:   /usr/bin/vmmap
 *	Physical footprint:         443.5M
 */
#ifndef TM_FORMATS_APPLE_HEAD_H
#define TM_FORMATS_APPLE_HEAD_H

#include "formats/emit.h"

/* For a bid: whether a line of the head names this tool ("vmmap"). */
bool apple_tool_is(const uint8_t *head, size_t n, const char *tool);
/* "44.0K", "2359M", "816 bytes", "1024": bytes; of powers of 1024, with the decimals shown. */
bool apple_size(const char *s, size_t n, uint64_t *v);

/* A line "Physical footprint (peak):  546.2M": the counter process.footprint or process.footprint.peak. *taken: it was
 * one. */
enum status apple_footprint(struct import *im, const char *s, size_t n, bool *taken, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Detects compressed files by their first bytes: gzip, zstd, xz, bzip2 and lz4 (its frame format and the legacy one).
 * Skippable frames, which zstd and lz4 have in common, say their length and are skipped.
 */
#ifndef TM_INPUT_MAGIC_H
#define TM_INPUT_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAGIC_SKIPPABLE = 8 }; /* bytes of such a frame's header; its last four are the length */

bool magic_of_filter(const uint8_t *p, size_t n);
bool magic_of_gzip(const uint8_t *p, size_t n); /* one of these */
bool magic_skippable(const uint8_t *p, size_t n);

#endif

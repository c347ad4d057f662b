/* SPDX-License-Identifier: MIT
 *
 * Numbers from text: strict, whole-string, overflow is a failure. Never strtol.
 */
#ifndef TM_BASE_NUM_H
#define TM_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool num_dec(const char *s, size_t n, uint64_t *v);  /* [0-9]+ */
bool num_hex(const char *s, size_t n, uint64_t *v);  /* [0-9a-fA-F]+, no 0x */
bool num_auto(const char *s, size_t n, uint64_t *v); /* decimal, or hex after 0x/0X */
bool num_i64(const char *s, size_t n, int64_t *v);   /* -?[0-9]+ */
int num_hex_digit(char c);                           /* 0-15, or -1 */

#endif

/* SPDX-License-Identifier: MIT
 *
 * Numbers parsed from text: strict, whole-string, overflow is a failure. Never strtol.
 */
#ifndef TM_BASE_NUM_H
#define TM_BASE_NUM_H

#include "lib/base/decimal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool num_dec(const char *s, size_t n, uint64_t *v);  /* [0-9]+ */
bool num_hex(const char *s, size_t n, uint64_t *v);  /* [0-9a-fA-F]+, no 0x */
bool num_auto(const char *s, size_t n, uint64_t *v); /* decimal, or hex after 0x/0X */
bool num_i64(const char *s, size_t n, int64_t *v);   /* -?[0-9]+ */
/* A decimal number and a unit, with a point if need be; what is finer than the result is cut off.
 * Sizes in bytes: k M G T are powers of 1000, Ki Mi Gi Ti of 1024, any case, B may follow.
 * Times in ns, also negative: ns us ms s min h; only 0 needs no unit. */
bool num_size(const char *s, size_t n, uint64_t *v);
bool num_time(const char *s, size_t n, int64_t *v);
/* The same with all decimals that they have. */
bool num_size_decimal(const char *s, size_t n, decimal *v);
bool num_time_decimal(const char *s, size_t n, decimal *v);
/* A decimal number as JSON has it, with a point and an exponent if need be; finite. */
bool num_double(const char *s, size_t n, double *d);
/* The nearest whole number; beyond 64 bits the largest or smallest, 0 for what is no number. */
int64_t num_nearest(double d);
extern const uint8_t num_hex_digits[256]; /* one more than the digit; 0: none */
static inline int num_hex_digit(char c)   /* 0-15, or -1 */
{
	return num_hex_digits[(unsigned char)c] - 1;
}
/* All digits of v, in lower case. */
enum { NUM_HEX_DIGITS = 16 };
void num_hex_text(uint64_t v, char to[NUM_HEX_DIGITS]);

#endif

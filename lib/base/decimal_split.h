/* SPDX-License-Identifier: MIT
 *
 * The shortest decimal number, of at most 18 decimals, from which a floating-point number can be read back
 * unchanged. It needs no library, so that the recorder has it as well.
 */
#ifndef TM_BASE_DECIMAL_SPLIT_H
#define TM_BASE_DECIMAL_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

enum { DECIMAL_DIGITS = 18 };
#define DECIMAL_UNIT UINT64_C(1000000000000000000) /* of a fraction: 10^18 are 1 */

enum decimal_bits { DECIMAL_OF_FLOAT = 24, DECIMAL_OF_DOUBLE = 53 };

/* d = *whole + *fraction / 10^18, *whole the largest number that is not above d. Whole numbers are exact,
 * what is finer than 10^-18 is rounded. False: d is no number, infinite, or not in [-2^63, 2^63). */
bool decimal_split(double d, enum decimal_bits bits, int64_t *whole, uint64_t *fraction);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A digest that distinguishes files: a number over all bytes of a file, in whatever pieces they
 * come. XXH3 of 64 KiB after another, each with the number before it as the seed; 0 at first.
 */
#ifndef TM_INPUT_DIGEST_H
#define TM_INPUT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct input_digest { /* zeroed is that of nothing */
	uint64_t hash, bytes;
	uint8_t *part; /* what is not in hash yet */
	size_t n;
};

void digest_add(struct input_digest *d, const void *p, size_t n);
/* hash is then that of all bytes; nothing more can be added. */
void digest_end(struct input_digest *d);
void digest_release(struct input_digest *d);

#endif

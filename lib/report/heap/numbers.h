/* SPDX-License-Identifier: MIT
 *
 * An array of unsigned numbers in 1, 2, 4 or 8 bytes each, whichever hold what is between the least and the largest
 * one: sizes of objects, and ids of texts, are mostly small. Reading does not check the index.
 */
#ifndef TM_REPORT_HEAP_NUMBERS_H
#define TM_REPORT_HEAP_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct heap_numbers {
	union {
		void *any; /* free() gives it back */
		uint8_t *of_1;
		uint16_t *of_2;
		uint32_t *of_4;
		uint64_t *of_8;
	} at;
	uint64_t least;
	uint8_t bytes;
};

/* n numbers, each of which is going to be set once; none is less than least or more than most. */
void heap_numbers_init(struct heap_numbers *x, size_t n, uint64_t least, uint64_t most);
void heap_numbers_release(struct heap_numbers *x); /* accepts a zeroed struct */
/* The same numbers as in an array, which is freed; that of index 0 stands for no object, and becomes the least. */
struct heap_numbers heap_numbers_of_64(uint64_t *all, size_t n);
struct heap_numbers heap_numbers_of_32(uint32_t *all, size_t n);

static inline void heap_number_set(struct heap_numbers *x, size_t i, uint64_t number)
{
	uint64_t rest = number - x->least;

	switch (x->bytes) {
	case 1: x->at.of_1[i] = (uint8_t)rest; break;
	case 2: x->at.of_2[i] = (uint16_t)rest; break;
	case 4: x->at.of_4[i] = (uint32_t)rest; break;
	default: x->at.of_8[i] = rest;
	}
}

static inline uint64_t heap_number(const struct heap_numbers *x, size_t i)
{
	switch (x->bytes) {
	case 1: return x->least + x->at.of_1[i];
	case 2: return x->least + x->at.of_2[i];
	case 4: return x->least + x->at.of_4[i];
	default: return x->least + x->at.of_8[i];
	}
}

#endif

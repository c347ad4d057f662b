/* SPDX-License-Identifier: MIT
 *
 * Structured inputs for libFuzzer. A target whose checksums, sizes or nesting stop what is changed
 * byte by byte has a forge: it writes inputs that are well formed but for what they choose to be
 * wrong, and knows the pieces of an input, which are dropped, doubled, exchanged and made anew.
 * Only in builds with libFuzzer (LIBFUZZER): a replay needs none.
 */
#ifndef TM_TESTS_FUZZ_FORGE_H
#define TM_TESTS_FUZZ_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct forge {
	uint64_t state; /* of the random numbers */
	uint8_t *out;   /* what does not fit is left out */
	size_t n, max;
};

struct forge_kind {
	void (*whole)(struct forge *f); /* an input from nothing */
	/* Bytes of the piece that begins here, 1 to n. NULL: an input has no pieces. */
	size_t (*piece)(const uint8_t *p, size_t n);
	void (*make)(struct forge *f); /* a piece from nothing */
	size_t head;                   /* bytes before the first piece */
	/* Puts right what says how large and where all is; at most max bytes. NULL: nothing does.
	 */
	size_t (*mend)(uint8_t *p, size_t n, size_t max);
};

uint64_t forge_random(struct forge *f);
uint32_t forge_below(struct forge *f, uint32_t n); /* n: at least 1 */
static inline bool forge_one_in(struct forge *f, uint32_t n)
{
	return !forge_below(f, n);
}
/* Small ones, and those next to powers of two, more often than others. */
uint64_t forge_number(struct forge *f);

void forge_bytes(struct forge *f, const void *p, size_t n);
void forge_text(struct forge *f, const char *s);
void forge_le(struct forge *f, uint64_t v, unsigned bytes);
void forge_uleb(struct forge *f, uint64_t v);
void forge_noise(struct forge *f, size_t n);
/* One of a NULL-terminated list. */
const char *forge_word(struct forge *f, const char *const *words);

/* What LLVMFuzzerCustomMutator returns. */
size_t forge_mutate(const struct forge_kind *k, uint8_t *data, size_t n, size_t max, unsigned seed);

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

#define FORGE(kind)                                                                            \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned int seed) \
	{                                                                                      \
		return forge_mutate(&(kind), data, n, max, seed);                              \
	}

#endif

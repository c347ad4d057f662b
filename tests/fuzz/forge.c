/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/forge.h"

#ifdef LIBFUZZER

#include "lib/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 256 };

uint64_t forge_random(struct forge *f)
{
	f->state += 0x9e3779b97f4a7c15u;
	return hash_u64(f->state);
}

uint32_t forge_below(struct forge *f, uint32_t n)
{
	return (uint32_t)(forge_random(f) >> 32) % n;
}

uint64_t forge_number(struct forge *f)
{
	switch (forge_below(f, 6)) {
	case 0: return forge_below(f, 4);
	case 1: return forge_below(f, 256);
	case 2: return ((uint64_t)1 << forge_below(f, 64)) + forge_below(f, 3) - 1;
	case 3: return 0 - (uint64_t)forge_below(f, 256);
	case 4: return forge_below(f, 1 << 16);
	default: return forge_random(f);
	}
}

void forge_bytes(struct forge *f, const void *p, size_t n)
{
	if (n > f->max - f->n)
		n = f->max - f->n;
	if (n) /* a mender copies within what it mends */
		memmove(f->out + f->n, p, n);
	f->n += n;
}

void forge_text(struct forge *f, const char *s)
{
	forge_bytes(f, s, strlen(s));
}

void forge_le(struct forge *f, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t b = i < 8 ? (uint8_t)(v >> 8 * i) : 0;

		forge_bytes(f, &b, 1);
	}
}

void forge_uleb(struct forge *f, uint64_t v)
{
	do {
		forge_le(f, (v & 0x7f) | (v > 0x7f ? 0x80 : 0), 1);
	} while (v >>= 7);
}

void forge_noise(struct forge *f, size_t n)
{
	while (n--)
		forge_le(f, forge_random(f), 1);
}

const char *forge_word(struct forge *f, const char *const *words)
{
	uint32_t n = 0;

	while (words[n])
		n++;
	return words[forge_below(f, n)];
}

struct piece {
	size_t at, n;
};

static size_t cut(const struct forge_kind *k, const uint8_t *data, size_t n, struct piece *to)
{
	size_t count = 0;

	for (size_t at = k->head; at < n && count < PIECES; count++) {
		size_t len = count == PIECES - 1 ? n - at : k->piece(data + at, n - at);

		to[count] = (struct piece){at, len};
		at += len;
	}
	return count;
}

/* One piece changed, the others as they are, into f. */
static void change_piece(const struct forge_kind *k, struct forge *f, const uint8_t *data, size_t n)
{
	struct piece pieces[PIECES];
	size_t count = cut(k, data, n, pieces);
	uint32_t which = forge_below(f, (uint32_t)count + 1);
	uint32_t other = forge_below(f, (uint32_t)count + 1), how = forge_below(f, 6);

	forge_bytes(f, data, n < k->head ? n : k->head);
	for (size_t i = 0; i <= count; i++) {
		struct piece p = i < count ? pieces[i] : (struct piece){n, 0};
		size_t before = f->n;

		if (how == 1 && count && (i == which || i == other))
			p = pieces[(i == which ? other : which) % count];
		if (i == which && how == 2)
			k->make(f);
		if (i != which || how != 0)
			forge_bytes(f, data + p.at, p.n);
		if (i != which)
			continue;
		if (how == 3)
			forge_bytes(f, data + p.at, p.n);
		if (how >= 4 && f->n > before)
			f->n = before +
			       LLVMFuzzerMutate(f->out + before, f->n - before, f->max - before);
	}
}

size_t forge_mutate(const struct forge_kind *k, uint8_t *data, size_t n, size_t max, unsigned seed)
{
	struct forge f = {.state = seed, .out = malloc(max + 1), .max = max};
	uint32_t how = forge_below(&f, 8);

	if (!f.out)
		abort();
	if (how == 0 || n <= k->head)
		k->whole(&f);
	else if (how < 5 && k->piece)
		change_piece(k, &f, data, n);
	else
		forge_bytes(&f, data, n);
	if ((how >= 5 || !k->piece) && f.n && !forge_one_in(&f, 4))
		f.n = LLVMFuzzerMutate(f.out, f.n, max);
	if (k->mend && !forge_one_in(&f, 8))
		f.n = k->mend(f.out, f.n, max);
	memcpy(data, f.out, f.n);
	free(f.out);
	return f.n;
}

#else

typedef int forge_is_for_libfuzzer;

#endif

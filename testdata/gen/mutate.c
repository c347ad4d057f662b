/* SPDX-License-Identifier: MIT
 *
 * Damaged copies of a file, the same ones for the same arguments.
 *
 *	mutate dwarf|elf|any COUNT FOLDER FILE
 *
 * dwarf: bytes change inside .debug_* sections only, so that the container stays sound.
 * elf: bytes change anywhere, mostly in headers, and copies are cut short.
 * any: the same of a file of any kind, at its beginning and anywhere.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return n ? next_random() % n : 0;
}

struct piece {
	uint64_t offset, size;
};

/* Whole ranges of the file in which dwarf mode may change bytes: a trusted file of our own. */
static size_t debug_sections(const uint8_t *p, size_t n, struct piece *out, size_t max)
{
	const Elf64_Ehdr *h = (const void *)p;
	const Elf64_Shdr *s = (const void *)(p + h->e_shoff);
	const char *names;
	size_t count = 0;

	if (n < sizeof *h || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shoff > n ||
	    h->e_shnum > (n - h->e_shoff) / sizeof *s)
		return 0;
	names = (const char *)p + s[h->e_shstrndx].sh_offset;
	for (size_t i = 0; i < h->e_shnum && count < max; i++) {
		if (!strncmp(names + s[i].sh_name, ".debug_", 7) && s[i].sh_size &&
		    s[i].sh_offset + s[i].sh_size <= n)
			out[count++] = (struct piece){s[i].sh_offset, s[i].sh_size};
	}
	return count;
}

static void damage(uint8_t *p, uint64_t n)
{
	static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 8, 4};
	uint64_t at = below(n), run = 1 + below(4);

	switch (below(4)) {
	case 0: p[at] ^= (uint8_t)(1u << below(8)); break;
	case 1: p[at] = nasty[below(sizeof nasty)]; break;
	case 2:
		for (uint64_t i = at; i < n && i < at + run; i++)
			p[i] = 0xff;
		break;
	default: memmove(p + at, p + below(n - at) + at, n - at > run ? 1 : 0); break;
	}
}

static bool write_file(const char *folder, const char *kind, size_t i, const void *p, size_t n)
{
	char path[4096];
	FILE *f;
	bool ok;

	snprintf(path, sizeof path, "%s/%s-%04zu", folder, kind, i);
	f = fopen(path, "wb");
	ok = f && fwrite(p, 1, n, f) == n;
	return f && !fclose(f) && ok;
}

int main(int argc, char **argv)
{
	struct piece pieces[32];
	uint64_t count;
	size_t n, n_pieces;
	uint8_t *whole, *copy;
	char kind[256];
	bool dwarf, any;
	FILE *f;

	if (argc != 5 || !num_dec(argv[2], strlen(argv[2]), &count)) {
		fprintf(stderr, "usage: mutate dwarf|elf|any COUNT FOLDER FILE\n");
		return 2;
	}
	dwarf = !strcmp(argv[1], "dwarf");
	any = !strcmp(argv[1], "any");
	whole = mem_alloc(1 << 20);
	copy = mem_alloc(1 << 20);
	f = fopen(argv[4], "rb");
	n = f ? fread(whole, 1, 1 << 20, f) : 0;
	n_pieces = n > sizeof(Elf64_Ehdr) ? debug_sections(whole, n, pieces, 32) : 0;
	if (any ? !n : !n_pieces) {
		fprintf(stderr, "mutate: %s: empty, or not an ELF file with debug sections\n",
			argv[4]);
		return 3;
	}
	fclose(f);
	snprintf(kind, sizeof kind, "%s",
		 strrchr(argv[4], '/') ? strrchr(argv[4], '/') + 1 : argv[4]);
	for (size_t i = 0; i < count; i++) {
		size_t len = n;

		memcpy(copy, whole, n);
		for (uint64_t k = 1 + below(6); i && k > 0; k--) { /* number 0 is sound */
			const struct piece *piece = &pieces[any ? 0 : below(n_pieces)];

			if (dwarf)
				damage(copy + piece->offset, piece->size);
			else if (any && below(2))
				damage(copy, n);
			else if (any || below(3))
				damage(copy, 64 + below(200));
			else
				damage(copy + n - n / 4, n / 4); /* section headers */
		}
		if (!dwarf && i % 4 == 3)
			len = below(n);
		if (!write_file(argv[3], kind, i, copy, len)) {
			perror("mutate");
			return 3;
		}
	}
	free(whole);
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * ELF files of 64 bits with sections of any bytes, packed ones too. zstd (RFC 8878): a block of one
 * repeated byte is 4 bytes and gives up to 128 KiB.
 */
#ifndef TM_TESTDATA_GEN_BOMB_BYTES_H
#define TM_TESTDATA_GEN_BOMB_BYTES_H

#include "lib/base/buf.h"
#include "testdata/gen/gen.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	TEXT = 0x1000,
	TEXT_SIZE = 0x1000,
	BLOCK = 128 << 10,
	SECTIONS_MAX = 16,
	ZLIB = 1, /* ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD */
	ZSTD = 2,
};

struct section {
	const char *name;
	struct buf data;
	uint64_t flags;
};

static struct section sections[SECTIONS_MAX];
static size_t n_sections;

static inline void fill32(struct buf *b, size_t at, uint64_t v)
{
	for (unsigned i = 0; i < 4; i++)
		b->data[at + i] = (char)(v >> 8 * i);
}

static inline struct buf *add_section(const char *name)
{
	sections[n_sections] = (struct section){.name = name, .data = BUF_INIT};
	return &sections[n_sections++].data;
}

/* Elf64_Chdr; what follows is the stream. */
static inline struct buf *add_packed(const char *name, unsigned kind, uint64_t size)
{
	struct buf *b = add_section(name);

	sections[n_sections - 1].flags = SHF_COMPRESSED;
	put(b, kind, 4);
	put(b, 0, 4);
	put(b, size, 8);
	put(b, 1, 8);
	return b;
}

/* --- zstd --- */

static inline void zstd_head(struct buf *b)
{
	put(b, 0xfd2fb528, 4);
	put(b, 0, 1);              /* no size, no checksum */
	put(b, (17 - 10) << 3, 1); /* window of 128 KiB */
}

static inline void zstd_raw(struct buf *b, const struct buf *data, bool last)
{
	put(b, (uint64_t)data->len << 3 | last, 3);
	buf_add(b, data->data, data->len);
}

static inline void zstd_repeat(struct buf *b, char byte, uint64_t n, bool last)
{
	while (n) {
		uint64_t part = n < BLOCK ? n : BLOCK;

		n -= part;
		put(b, part << 3 | 1 << 1 | (!n && last), 3);
		buf_addc(b, byte);
	}
}

static inline void add_zeros(const char *name, uint64_t size)
{
	struct buf *b = add_packed(name, ZSTD, size);

	zstd_head(b);
	zstd_repeat(b, 0, size, true);
}

/* --- ELF --- */

static inline void write_elf(struct buf *out)
{
	struct buf names = BUF_INIT, headers = BUF_INIT;
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = sizeof h,
			.e_ehsize = sizeof h,
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Phdr text = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_vaddr = TEXT,
			   .p_memsz = TEXT_SIZE,
			   .p_align = 1};
	Elf64_Shdr s = {0};

	put(&names, 0, 1);
	buf_add(&headers, &s, sizeof s);
	buf_add(out, &h, sizeof h);
	buf_add(out, &text, sizeof text);
	for (size_t i = 0; i <= n_sections; i++) {
		const char *name = i < n_sections ? sections[i].name : ".shstrtab";

		s = (Elf64_Shdr){.sh_name = (Elf64_Word)names.len,
				 .sh_type = i < n_sections ? SHT_PROGBITS : SHT_STRTAB,
				 .sh_offset = out->len};
		buf_add(&names, name, strlen(name) + 1);
		if (i < n_sections) {
			s.sh_flags = sections[i].flags;
			buf_add(out, sections[i].data.data, sections[i].data.len);
		} else {
			buf_add(out, names.data, names.len);
		}
		s.sh_size = out->len - s.sh_offset;
		buf_add(&headers, &s, sizeof s);
	}
	h.e_shoff = out->len;
	h.e_shnum = (Elf64_Half)(n_sections + 2);
	h.e_shstrndx = (Elf64_Half)(n_sections + 1);
	memcpy(out->data, &h, sizeof h);
	buf_add(out, headers.data, headers.len);
	buf_release(&names);
	buf_release(&headers);
	for (size_t i = 0; i < n_sections; i++)
		buf_release(&sections[i].data);
}

#endif

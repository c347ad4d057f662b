/* SPDX-License-Identifier: MIT
 *
 * .gnu_debugdata of any content, in a small ELF file around it: the bytes as they are, which are
 * an xz stream or none; and packed as an xz stream that copies them, so that the ELF file inside
 * is reached. Symbols are sorted and named; the same bytes are the same symbols twice.
 */
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/object/object.h"
#include "lib/pack/deflate.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 60000 };

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void add_le32(struct buf *b, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		buf_addc(b, (char)(v >> 8 * i));
}

static void add_crc(struct buf *b, size_t from)
{
	add_le32(b, crc32_add(0, b->data + from, b->len - from));
}

/* A stream of one block without a check, of LZMA2 chunks that copy (The .xz File Format, 1.1.0). */
static void pack(struct buf *b, const uint8_t *data, size_t n)
{
	static const char start[] = "\xfd"
				    "7zXZ\0\0\0",
			  flags[] = "\2\0\x21\1\x16\0\0";
	static const char ends[] = "\0\0YZ";
	size_t block, at;
	uint32_t crc;

	buf_add(b, start, 6);
	buf_add(b, start + 6, 2);
	add_le32(b, crc32_add(0, start + 6, 2));
	block = b->len;
	buf_add(b, flags, 8);
	add_crc(b, block);
	buf_addc(b, 1); /* with a new dictionary */
	buf_addc(b, (char)((n - 1) >> 8));
	buf_addc(b, (char)(n - 1));
	buf_add(b, data, n);
	buf_addc(b, 0);
	at = b->len - block;
	while (b->len % 4)
		buf_addc(b, 0);
	block = b->len;
	buf_addc(b, 0); /* the index: one record */
	buf_addc(b, 1);
	buf_add_uleb(b, at);
	buf_add_uleb(b, n);
	while ((b->len - block) % 4)
		buf_addc(b, 0);
	add_crc(b, block);
	at = b->len;
	add_le32(b, (uint32_t)((at - block) / 4 - 1));
	buf_add(b, ends, 2);
	crc = crc32_add(0, b->data + at, b->len - at);
	b->len = at;
	add_le32(b, crc);
	add_le32(b, (uint32_t)((at - block) / 4 - 1));
	buf_add(b, ends, 4);
}

/* An ELF file with nothing but the section. */
static void wrap(struct buf *b, const void *section, size_t n)
{
	static const char names[] = "\0.gnu_debugdata\0.shstrtab";
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_shoff = sizeof h,
			.e_ehsize = sizeof h,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3,
			.e_shstrndx = 2};
	const uint64_t at = sizeof h + 3 * sizeof(Elf64_Shdr);
	const Elf64_Shdr s[3] = {
	    {.sh_type = SHT_NULL},
	    {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = at + sizeof names, .sh_size = n},
	    {.sh_name = 16, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof names}};

	buf_add(b, &h, sizeof h);
	buf_add(b, s, sizeof s);
	buf_add(b, names, sizeof names);
	buf_add(b, section, n);
}

static uint64_t symbols(const struct buf *file)
{
	struct err e = ERR_INIT;
	struct object *o;
	uint64_t h = 0;
	const struct object_symbol *s;
	size_t n;

	must(!object_open_memory(&o, file->data, file->len, &e));
	s = object_symbols(o, &n);
	for (size_t i = 0; i < n; i++) {
		must(s[i].hi >= s[i].lo && (!i || s[i].lo >= s[i - 1].lo) && *s[i].name);
		h = hash_bytes_seeded(s[i].name, strlen(s[i].name), h ^ s[i].lo ^ s[i].hi << 1);
	}
	object_free(o);
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf packed = BUF_INIT, file = BUF_INIT;

	if (!n || n > MOST)
		return 0;
	wrap(&file, data, n);
	must(symbols(&file) == symbols(&file));
	file.len = 0;
	pack(&packed, data, n);
	wrap(&file, packed.data, packed.len);
	must(symbols(&file) == symbols(&file));
	buf_release(&packed);
	buf_release(&file);
	return 0;
}

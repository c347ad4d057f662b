/* SPDX-License-Identifier: MIT
 *
 * ELF files made byte by byte, so that every odd field can be made.
 */
#ifndef TM_TESTS_UNIT_OBJECT_IMAGE_H
#define TM_TESTS_UNIT_OBJECT_IMAGE_H

#include "lib/base/buf.h"
#include "lib/object/object.h"
#include "tests/unit/test.h"

#include <elf.h>

struct want_section {
	const char *name;
	const void *data;
	size_t size;
	uint64_t addr, flags;
	uint32_t type, link;
};

enum { TEXT_ADDR = 0x2000, TEXT_SIZE = 0x100, TEXT_OFFSET = 0x1000 };

static inline void put(struct buf *b, bool big, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(v >> 8 * (big ? n - 1 - i : i)));
}

struct image {
	bool is_32, big;
	uint16_t machine;
	struct want_section sections[12];
	size_t n;
	struct buf symbols, names, out;
};

static inline void add(struct image *m, struct want_section s)
{
	m->sections[m->n++] = s;
}

static inline void add_symbol(struct image *m, const char *name, uint8_t info, uint64_t value,
			      uint64_t size)
{
	size_t word = m->is_32 ? 4 : 8;

	if (!m->symbols.len) {
		for (size_t i = 0; i < (m->is_32 ? 16 : 24); i++)
			buf_addc(&m->symbols, 0);
		buf_addc(&m->names, 0);
	}
	put(&m->symbols, m->big, m->names.len, 4);
	if (m->is_32) {
		put(&m->symbols, m->big, value, word);
		put(&m->symbols, m->big, size, word);
	}
	buf_addc(&m->symbols, (char)info);
	buf_addc(&m->symbols, 0);
	put(&m->symbols, m->big, 1, 2); /* .text is section 1 */
	if (!m->is_32) {
		put(&m->symbols, m->big, value, word);
		put(&m->symbols, m->big, size, word);
	}
	buf_add(&m->names, name, strlen(name) + 1);
}

/* The file: header, one program header, contents, section headers; .text lies at 0x1000. */
static inline void finish(struct image *m)
{
	struct buf *b = &m->out, contents = BUF_INIT, headers = BUF_INIT, names = BUF_INIT;
	size_t word = m->is_32 ? 4 : 8, ehsize = m->is_32 ? 52 : 64, phsize = m->is_32 ? 32 : 56;
	uint64_t start = TEXT_OFFSET + TEXT_SIZE;

	if (m->symbols.len) {
		add(m, (struct want_section){.name = ".symtab",
					     .data = m->symbols.data,
					     .size = m->symbols.len,
					     .type = SHT_SYMTAB,
					     .link = (uint32_t)m->n + 3});
		add(m, (struct want_section){.name = ".strtab",
					     .data = m->names.data,
					     .size = m->names.len,
					     .type = SHT_STRTAB});
	}
	buf_addc(&names, 0);
	for (size_t i = 0; i < m->n + 3; i++) {
		struct want_section s = {.name = ""};
		uint64_t offset = start + contents.len, name = names.len;

		if (i == 1) {
			s = (struct want_section){.name = ".text",
						  .addr = TEXT_ADDR,
						  .size = TEXT_SIZE,
						  .flags = SHF_ALLOC | SHF_EXECINSTR,
						  .type = SHT_PROGBITS};
			offset = TEXT_OFFSET;
		} else if (i > 1 && i < m->n + 2) {
			s = m->sections[i - 2];
		} else if (i) {
			s = (struct want_section){.name = ".shstrtab", .type = SHT_STRTAB};
			buf_add(&names, s.name, strlen(s.name) + 1);
			s.data = names.data;
			s.size = names.len;
		}
		if (i && i < m->n + 2)
			buf_add(&names, s.name, strlen(s.name) + 1);
		if (s.data)
			buf_add(&contents, s.data, s.size);
		put(&headers, m->big, i ? name : 0, 4);
		put(&headers, m->big, s.type, 4);
		put(&headers, m->big, s.flags, word);
		put(&headers, m->big, s.addr, word);
		put(&headers, m->big, i ? offset : 0, word);
		put(&headers, m->big, s.size, word);
		put(&headers, m->big, s.link, 4);
		put(&headers, m->big, 0, 4);
		put(&headers, m->big, 1, word);
		put(&headers, m->big, 0, word);
	}
	buf_add(b, "\177ELF", 4);
	put(b, false, m->is_32 ? ELFCLASS32 : ELFCLASS64, 1);
	put(b, false, m->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	put(b, false, 1, 1);
	put(b, false, 0, 8);
	put(b, false, 0, 1);
	put(b, m->big, ET_DYN, 2);
	put(b, m->big, m->machine ? m->machine : EM_X86_64, 2);
	put(b, m->big, 1, 4);
	put(b, m->big, 0, word);
	put(b, m->big, ehsize, word);
	put(b, m->big, start + contents.len, word);
	put(b, m->big, 0, 4);
	put(b, m->big, ehsize, 2);
	put(b, m->big, phsize, 2);
	put(b, m->big, 1, 2);
	put(b, m->big, m->is_32 ? 40 : 64, 2);
	put(b, m->big, m->n + 3, 2);
	put(b, m->big, m->n + 2, 2);
	put(b, m->big, PT_LOAD, 4);
	if (!m->is_32)
		put(b, m->big, PF_R | PF_X, 4);
	put(b, m->big, TEXT_OFFSET, word);
	put(b, m->big, TEXT_ADDR, word);
	put(b, m->big, TEXT_ADDR, word);
	put(b, m->big, TEXT_SIZE, word);
	put(b, m->big, TEXT_SIZE + 0x10, word);
	if (m->is_32)
		put(b, m->big, PF_R | PF_X, 4);
	put(b, m->big, 0x1000, word);
	while (b->len < start)
		buf_addc(b, 0);
	buf_add(b, contents.data, contents.len);
	buf_add(b, headers.data, headers.len);
	buf_release(&contents);
	buf_release(&headers);
	buf_release(&names);
}

static inline void release(struct image *m)
{
	buf_release(&m->symbols);
	buf_release(&m->names);
	buf_release(&m->out);
}

static inline struct object *open_image(struct image *m)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	finish(m);
	if (object_open_memory(&o, m->out.data, m->out.len, &e))
		printf("  %s\n", e.msg);
	return o;
}

#endif

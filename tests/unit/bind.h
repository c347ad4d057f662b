/* SPDX-License-Identifier: MIT
 *
 * Helpers of the tests of binding: ELF files made to measure, and a capture to bind. The mapping of
 * libUE4.so is the one published in LoliProfiler's pull request 50: text at file offset 0x59d8000
 * and link-time address 0x59d9000.
 */
#ifndef TM_TESTS_UNIT_BIND_H
#define TM_TESTS_UNIT_BIND_H

#include "lib/base/mem.h"
#include "lib/find/bind.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct made { /* an ELF file with one executable segment */
	const char *name;
	uint16_t machine;
	uint64_t offset, vaddr, size;
	const uint64_t *symbols; /* starts; each function reaches to the next */
	size_t n_symbols;
	uint8_t build_id[20];
	unsigned build_id_len;
};

static char folder[] = "/tmp/tm-bind-XXXXXX";

static inline const char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}

static inline void put(int fd, const void *p, size_t n, uint64_t at)
{
	if (pwrite(fd, p, n, (off_t)at) != (ssize_t)n)
		abort();
}

/* Headers, symbols and strings come after the segment's bytes, which stay a hole. */
static inline const char *make_elf(const struct made *m)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0.shstrtab";
	uint64_t end = m->offset + m->size, sym_at = end, str_at, note_at, names_at, sh_at;
	Elf64_Ehdr eh = {.e_type = ET_DYN,
			 .e_machine = m->machine,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof eh,
			 .e_ehsize = sizeof eh,
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 6,
			 .e_shstrndx = 5};
	Elf64_Phdr ph = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_offset = m->offset,
			 .p_vaddr = m->vaddr,
			 .p_filesz = m->size,
			 .p_memsz = m->size,
			 .p_align = 0x1000};
	Elf64_Nhdr nh = {.n_namesz = 4, .n_descsz = m->build_id_len, .n_type = NT_GNU_BUILD_ID};
	Elf64_Shdr sh[6] = {{0}};
	Elf64_Sym none = {0};
	char strings[4096] = "";
	size_t n_strings = 1;
	const char *path = path_of(m->name);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	put(fd, &none, sizeof none, sym_at);
	for (size_t i = 0; i < m->n_symbols; i++) {
		uint64_t next = i + 1 < m->n_symbols ? m->symbols[i + 1] : m->vaddr + m->size;
		Elf64_Sym s = {.st_name = (uint32_t)n_strings,
			       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			       .st_shndx = 1,
			       .st_value = m->symbols[i],
			       .st_size = next - m->symbols[i]};

		n_strings +=
		    (size_t)snprintf(strings + n_strings, sizeof strings - n_strings, "f%zu", i) +
		    1;
		put(fd, &s, sizeof s, sym_at + (i + 1) * sizeof s);
	}
	str_at = sym_at + (m->n_symbols + 1) * sizeof none;
	put(fd, strings, n_strings, str_at);
	note_at = (str_at + n_strings + 7) & ~UINT64_C(7);
	put(fd, &nh, sizeof nh, note_at);
	put(fd, "GNU", 4, note_at + sizeof nh);
	put(fd, m->build_id, m->build_id_len, note_at + sizeof nh + 4);
	names_at = note_at + sizeof nh + 4 + 20;
	put(fd, names, sizeof names, names_at);
	sh_at = (names_at + sizeof names + 7) & ~UINT64_C(7);
	sh[1] = (Elf64_Shdr){.sh_name = 1,
			     .sh_type = SHT_PROGBITS,
			     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			     .sh_addr = m->vaddr,
			     .sh_offset = m->offset,
			     .sh_size = m->size};
	sh[2] = (Elf64_Shdr){.sh_name = 7,
			     .sh_type = SHT_SYMTAB,
			     .sh_offset = sym_at,
			     .sh_size = str_at - sym_at,
			     .sh_link = 3,
			     .sh_info = 1,
			     .sh_addralign = 8,
			     .sh_entsize = sizeof none};
	sh[3] = (Elf64_Shdr){
	    .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = str_at, .sh_size = n_strings};
	sh[4] = (Elf64_Shdr){.sh_name = 23,
			     .sh_type = m->build_id_len ? SHT_NOTE : SHT_NULL,
			     .sh_flags = SHF_ALLOC,
			     .sh_offset = note_at,
			     .sh_size = sizeof nh + 4 + m->build_id_len,
			     .sh_addralign = 4};
	sh[5] = (Elf64_Shdr){
	    .sh_name = 42, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names};
	put(fd, sh, sizeof sh, sh_at);
	eh.e_shoff = sh_at;
	put(fd, &eh, sizeof eh, 0);
	put(fd, &ph, sizeof ph, sizeof eh);
	close(fd);
	return path;
}

/* One capture, one set of files, and what they bind to. */
struct bench {
	struct trace *t;
	struct find_files files;
	struct bind_options options;
	struct find_resolved out[64];
	const char *paths[8];
	size_t n_paths;
};

static inline void start(struct bench *b)
{
	*b = (struct bench){.t = trace_new()};
}

static inline void run(struct bench *b)
{
	struct files_options fo = {.files = b->paths, .n_files = b->n_paths, .jobs = 1};

	files_init(&b->files, &fo);
	bind_locations(b->t, b->t, &b->files, &b->options, b->out);
}

static inline void stop(struct bench *b)
{
	files_release(&b->files);
	trace_free(b->t);
}

static inline uint32_t add_module(struct bench *b, const char *name, struct map_range *ranges,
				  uint32_t n)
{
	struct module m = {.name = trace_strz(b->t, name), .ranges = ranges, .n_ranges = n};

	return trace_module(b->t, &m);
}

static inline uint32_t add(struct bench *b, enum space space, uint64_t raw, uint32_t module,
			   enum location_kind kind)
{
	struct location l = {
	    .raw = raw, .space = (uint8_t)space, .module = module, .kind = (uint8_t)kind};

	return trace_location(b->t, &l);
}

static inline bool noted(const struct trace *t, const char *part)
{
	for (size_t i = 0; i < t->n_notes; i++)
		if (strstr(t->notes[i].text, part))
			return true;
	return false;
}

static const uint64_t ue4_symbols[] = {0x59d9000, 0x59d9100, 0x59d9200, 0x59d9300};
static const struct made ue4 = {.name = "libUE4.so",
				.machine = EM_AARCH64,
				.offset = 0x59d8000,
				.vaddr = 0x59d9000,
				.size = 0x10000,
				.symbols = ue4_symbols,
				.n_symbols = 4};
static struct map_range ue4_ranges[] = {{0x78606f4000, 0x78660cd000, 0, false},
					{0x78660cd000, 0x7871ede000, 0x59d8000, true},
					{0x7871ede000, 0x78733dc000, 0x117e8000, false}};

__attribute__((constructor)) static void make_folder(void)
{
	if (!mkdtemp(folder))
		abort();
}

__attribute__((destructor)) static void remove_folder(void)
{
	char command[300];

	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	if (system(command))
		perror(folder);
}

#endif

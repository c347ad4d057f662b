/* SPDX-License-Identifier: MIT
 *
 * The address rules of design.md section 6, each on an ELF file made for it. The mapping of
 * libUE4.so is the one published in LoliProfiler's pull request 50 (formats/loliprofiler.md
 * section 5): text at file offset 0x59d8000 and link-time address 0x59d9000.
 */
#include "lib/symbolize/bind.h"
#include "lib/base/mem.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static const char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}

static void put(int fd, const void *p, size_t n, uint64_t at)
{
	if (pwrite(fd, p, n, (off_t)at) != (ssize_t)n)
		abort();
}

/* Headers, symbols and strings stand behind the segment's bytes, which stay a hole. */
static const char *make_elf(const struct made *m)
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
	struct files files;
	struct bind_options options;
	struct bound out[64];
	const char *paths[8];
	size_t n_paths;
};

static void start(struct bench *b)
{
	*b = (struct bench){.t = trace_new()};
}

static void run(struct bench *b)
{
	struct files_options fo = {.files = b->paths, .n_files = b->n_paths, .jobs = 1};

	files_init(&b->files, &fo);
	bind_locations(b->t, b->t, &b->files, &b->options, b->out);
}

static void stop(struct bench *b)
{
	files_release(&b->files);
	trace_free(b->t);
}

static uint32_t add_module(struct bench *b, const char *name, struct map_range *ranges, uint32_t n)
{
	struct module m = {.name = trace_strz(b->t, name), .ranges = ranges, .n_ranges = n};

	return trace_module(b->t, &m);
}

static uint32_t add(struct bench *b, enum space space, uint64_t raw, uint32_t module,
		    enum location_kind kind)
{
	struct location l = {
	    .raw = raw, .space = (uint8_t)space, .module = module, .kind = (uint8_t)kind};

	return trace_location(b->t, &l);
}

static bool noted(const struct trace *t, const char *part)
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

TEST(return_addresses_are_looked_up_one_less)
{
	struct bound b = {.vaddr = 0x1000, .kind = LOCATION_RETURN};

	CHECK_EQ(bound_lookup(&b), 0xfff);
	b.kind = LOCATION_EXACT;
	CHECK_EQ(bound_lookup(&b), 0x1000);
	b.kind = LOCATION_ENTRY;
	CHECK_EQ(bound_lookup(&b), 0x1000);
}

TEST(runtime_to_offset_to_vaddr)
{
	struct bench b;
	uint32_t l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "/data/app/lib/libUE4.so", ue4_ranges, 3);
	l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].reason, REASON_RESOLVED);
	CHECK_EQ(b.out[l].vaddr, 0x59d9100); /* not 0x59d8100, its file offset */
	stop(&b);
}

TEST(offsets_and_vaddrs_are_told_apart)
{
	struct bench b;
	uint32_t module, first;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	/* As offsets all lie in functions; as vaddrs those below 0x59d9000 lie in no segment. */
	first = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8004, module, LOCATION_RETURN);
	add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8104, module, LOCATION_RETURN);
	add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8204, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[first].vaddr, 0x59d9004);
	CHECK(noted(b.t, "taken as file offsets: 3 of 3 fit as file offsets, 0 as vaddrs"));
	stop(&b);
}

TEST(offsets_can_be_forced)
{
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d9104, module, LOCATION_RETURN);
	b.options.offsets = SPACE_FILE_OFFSET;
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x59da104);
	stop(&b);
	start(&b);
	b.paths[b.n_paths++] = path_of("libUE4.so");
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d9104, module, LOCATION_RETURN);
	b.options.offsets = SPACE_VADDR;
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x59d9104);
	stop(&b);
}

TEST(what_nothing_decides_is_ambiguous)
{
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59da104, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].reason, REASON_AMBIGUOUS);
	CHECK(noted(b.t, "ambiguous"));
	stop(&b);
}

TEST(signature_and_tag_bits_go_only_where_nothing_maps_the_value)
{
	struct bench b;
	uint32_t signed_pc, tagged, plain;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "libUE4.so", ue4_ranges, 3);
	signed_pc = add(&b, SPACE_RUNTIME, 0x5e6c0078660cd100, 0, LOCATION_RETURN);
	tagged = add(&b, SPACE_RUNTIME, 0xb400000000000000 | 0x78660cd104, 0, LOCATION_RETURN);
	plain = add(&b, SPACE_RUNTIME, 0x78660cd104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[signed_pc].vaddr, 0x59d9100);
	CHECK_EQ(b.out[signed_pc].flags & BINDING_STRIPPED_BITS, BINDING_STRIPPED_BITS);
	CHECK_EQ(b.out[tagged].vaddr, 0x59d9104);
	CHECK_EQ(b.out[plain].flags & BINDING_STRIPPED_BITS, 0);
	CHECK(noted(b.t, "bits were cleared"));
	CHECK_EQ(b.t->notes[b.t->n_notes - 1].count, 2);
	stop(&b);
}

TEST(thumb_bit_of_arm)
{
	static const uint64_t symbols[] = {0x1000};
	static const struct made arm = {.name = "libarm.so",
					.machine = EM_ARM,
					.offset = 0x1000,
					.vaddr = 0x1000,
					.size = 0x1000,
					.symbols = symbols,
					.n_symbols = 1};
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&arm);
	module = add_module(&b, "libarm.so", NULL, 0);
	l = add(&b, SPACE_VADDR, 0x1005, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x1004);
	CHECK_EQ(bound_lookup(&b.out[l]), 0x1003);
	stop(&b);
}

TEST(kinds_by_evidence_and_by_force)
{
	static const uint64_t entries[] = {0x59d9000, 0x59d9100, 0x59d9200, 0x59d9300};
	static const uint64_t returns[] = {0x59d9004, 0x59d9108, 0x59d9200, 0x59d9310};
	struct bench b;

	for (int pass = 0; pass < 3; pass++) {
		uint32_t module, l = 0;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&ue4);
		module = add_module(&b, "libUE4.so", NULL, 0);
		for (int i = 0; i < 4; i++)
			l = add(&b, SPACE_VADDR, pass == 1 ? returns[i] : entries[i], module,
				LOCATION_UNSTATED);
		if (pass == 2)
			b.options.locations = LOCATION_EXACT;
		run(&b);
		CHECK_EQ(b.out[l].kind, pass == 0   ? LOCATION_ENTRY
					: pass == 1 ? LOCATION_RETURN
						    : LOCATION_EXACT);
		CHECK_EQ(noted(b.t, "4 of 4 equal a symbol's start"), pass == 0);
		CHECK_EQ(noted(b.t, "1 of 4 equal a symbol's start"), pass == 1);
		stop(&b);
	}
}

TEST(build_ids_are_compared)
{
	struct made m = ue4;
	struct object_build_id a = {.len = 16}, padded = {.len = 20};
	uint8_t other[20] = {9, 9, 9};

	for (uint8_t i = 0; i < 16; i++)
		a.bytes[i] = padded.bytes[i] = i;
	CHECK(object_build_id_equal(&a, &padded));
	padded.bytes[19] = 1;
	CHECK(!object_build_id_equal(&a, &padded));

	m.build_id_len = 20;
	for (uint8_t i = 0; i < 16; i++)
		m.build_id[i] = i;
	for (int pass = 0; pass < 2; pass++) {
		struct bench b;
		struct module module = {.n_ranges = 3, .ranges = ue4_ranges};
		uint32_t l;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&m);
		module.name = trace_strz(b.t, "libUE4.so");
		module.build_id = pass ? trace_string(b.t, (const char *)other, 20)
				       : trace_string(b.t, (const char *)a.bytes, 16);
		trace_module(b.t, &module);
		l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
		run(&b);
		CHECK_EQ(b.out[l].reason, pass ? REASON_BUILD_ID_DIFFERS : REASON_RESOLVED);
		stop(&b);
	}
}

TEST(a_slide_binds_what_no_module_maps)
{
	struct bench b;
	struct module module = {.has_slide = true, .slide = 0x7000000000};
	uint32_t inside, outside;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	trace_module(b.t, &module);
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	outside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x10, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].vaddr, 0x59d9104);
	CHECK_EQ(b.out[inside].reason, REASON_RESOLVED);
	CHECK_EQ(b.out[outside].reason, REASON_OUTSIDE);
	stop(&b);

	start(&b); /* which of two files a module without a name is, nobody knows */
	b.paths[b.n_paths++] = path_of("libUE4.so");
	b.paths[b.n_paths++] = path_of("libarm.so");
	trace_module(b.t, &module);
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].reason, REASON_NO_FILE);
	stop(&b);

	start(&b); /* no slide, no module */
	b.paths[b.n_paths++] = path_of("libUE4.so");
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].reason, REASON_NO_MODULE);
	stop(&b);
}

TEST(two_modules_of_one_base_name)
{
	static struct map_range first[] = {{0x10000000, 0x10010000, 0x59d8000, true}};
	static struct map_range second[] = {{0x20000000, 0x20010000, 0x59d8000, true}};
	struct bench b;
	uint32_t x, y;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "/apex/a/libUE4.so", first, 1);
	add_module(&b, "/system/libUE4.so", second, 1);
	x = add(&b, SPACE_RUNTIME, 0x10000104, 0, LOCATION_RETURN);
	y = add(&b, SPACE_RUNTIME, 0x20000204, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[x].vaddr, 0x59d9104);
	CHECK_EQ(b.out[y].vaddr, 0x59d9204);
	CHECK(b.out[x].module != b.out[y].module);
	stop(&b);
}

TEST(a_module_takes_its_own_file_only)
{
	static const char *const files[] = {"libUE4.v2.so",  "libUE4.sym.so", "libUE4.so.debug",
					    "libUE4.so.dbg", "libUE4.dbg.so", "xlibUE4.so"};

	for (unsigned i = 0; i < 6; i++) {
		struct made m = ue4;
		struct bench b;
		uint32_t l;

		start(&b);
		m.name = files[i];
		b.paths[b.n_paths++] = make_elf(&m);
		add_module(&b, "/data/libUE4.so", ue4_ranges, 3);
		l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
		run(&b);
		CHECK_EQ(b.out[l].reason, i == 0 || i == 5 ? REASON_NO_FILE : REASON_RESOLVED);
		stop(&b);
	}
}

TEST(maps_from_elsewhere_leave_what_is_in_a_module_there)
{
	struct bench b;
	struct trace *maps = trace_new();
	struct files_options fo = {.jobs = 1};
	struct module m = {.ranges = ue4_ranges, .n_ranges = 3};
	uint32_t runtime, placed, module;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	m.name = trace_strz(maps, "/x/y/libother.so");
	trace_module(maps, &(struct module){.name = m.name});
	m.name = trace_strz(maps, "/x/libUE4.so");
	trace_module(maps, &m);
	module = add_module(&b, "libUE4.so", NULL, 0);
	runtime = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
	placed = add(&b, SPACE_VADDR, 0x59d9204, module, LOCATION_RETURN);
	fo.files = b.paths;
	fo.n_files = b.n_paths;
	files_init(&b.files, &fo);
	bind_locations(b.t, maps, &b.files, &b.options, b.out);
	CHECK_EQ(b.out[runtime].vaddr, 0x59d9100);
	CHECK_EQ(b.out[runtime].module, 2);
	CHECK(!b.out[runtime].own_module);
	CHECK_EQ(b.out[placed].vaddr, 0x59d9204);
	CHECK(b.out[placed].own_module);
	stop(&b);
	trace_free(maps);
}

TEST(unknown_and_named_locations)
{
	struct bench b;
	uint32_t unknown, named;

	start(&b);
	unknown = add(&b, SPACE_UNKNOWN, 0, 0, LOCATION_UNSTATED);
	named = trace_location(
	    b.t, &(struct location){.space = SPACE_NAME, .name = trace_strz(b.t, "Update")});
	run(&b);
	CHECK_EQ(b.out[unknown].reason, REASON_UNKNOWN_LOCATION);
	CHECK_EQ(b.out[named].reason, REASON_RESOLVED);
	CHECK(!b.out[named].file);
	stop(&b);
}

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

TEST_MAIN()

/* SPDX-License-Identifier: MIT
 *
 * tm-inspect --disassemble over any file: functions by name and by address, with their lines and
 * with what they cost. Instructions follow each other, inside of what was asked for;
 * a cost is that of its call; the same file gives the same table; it can be shown.
 *
 * An input is a binary, or a processor (0 to 3) and code for it, which is then its one function.
 */
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/inspect/listing.h"
#include "lib/render/render.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROCESSORS = 4, FUNCTIONS = 3, CODE_AT = 0x1000 };

#define must(fact)                                                                         \
	do {                                                                               \
		if (!(fact)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact); \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* A 64-bit file with nothing but a section of code and a symbol for all of it; Arm's is Thumb when
 * its first byte is odd. */
static void wrap(struct buf *b, unsigned processor, const uint8_t *code, size_t n)
{
	static const uint16_t machines[PROCESSORS] = {EM_X86_64, EM_386, EM_AARCH64, EM_ARM};
	static const char names[] = "\0.text\0.symtab\0.strtab\0f";
	const uint64_t at = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr) + 2 * sizeof(Elf64_Sym);
	const Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			      .e_type = ET_DYN,
			      .e_machine = machines[processor],
			      .e_version = EV_CURRENT,
			      .e_shoff = sizeof h,
			      .e_ehsize = sizeof h,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 4,
			      .e_shstrndx = 3};
	const Elf64_Shdr s[4] = {
	    {.sh_type = SHT_NULL},
	    {.sh_name = 1,
	     .sh_type = SHT_PROGBITS,
	     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
	     .sh_addr = CODE_AT,
	     .sh_offset = at + sizeof names,
	     .sh_size = n},
	    {.sh_name = 7,
	     .sh_type = SHT_SYMTAB,
	     .sh_offset = at - 2 * sizeof(Elf64_Sym),
	     .sh_size = 2 * sizeof(Elf64_Sym),
	     .sh_link = 3,
	     .sh_info = 1,
	     .sh_entsize = sizeof(Elf64_Sym)},
	    {.sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof names}};
	const Elf64_Sym y[2] = {{.st_name = 0},
				{.st_name = 23,
				 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				 .st_shndx = 1,
				 .st_value = CODE_AT | (processor == 3 && n && (code[0] & 1)),
				 .st_size = n}};

	buf_add(b, &h, sizeof h);
	buf_add(b, s, sizeof s);
	buf_add(b, y, sizeof y);
	buf_add(b, names, sizeof names);
	buf_add(b, code, n);
}

/* Stacks pass at every fourth byte, twice by the same one, behind a call or at an instruction; what is at
 * no instruction is counted apart, so the function's self is the sum of all. */
static void make_costs(struct listing *l)
{
	uint64_t sum = 0;
	uint32_t stack = 0;

	for (uint64_t at = l->of.lo; at < l->of.hi && at - l->of.lo < 4096; at += 4) {
		bool returns = at & 4;
		struct listing_instruction *i = listing_at(l, at, returns);
		struct listing_cost *c = i ? &i->cost : &l->none;
		uint64_t before = c->total;

		must(!i || (returns ? i->addr + i->size == at : i->addr == at));
		for (int again = 0; again < 2; again++)
			cost_add(c, stack + 1, !again, at);
		must(c->total == before + at || c->total == UINT64_MAX);
		cost_add(&l->cost, ++stack, true, at);
	}
	sum = l->none.self;
	for (size_t i = 0; i < l->n; i++)
		sum = sum + l->items[i].cost.self < sum ? UINT64_MAX : sum + l->items[i].cost.self;
	must(sum == l->cost.self || sum == UINT64_MAX || l->cost.self == UINT64_MAX);
}

static uint64_t of_cells(const struct table_buf *s)
{
	uint64_t h = 0;

	for (size_t i = 0; i < s->n_cells; i++) {
		const struct table_cell *c = &s->cells[i];

		h = hash_bytes_seeded(&c->number, sizeof c->number, h ^ c->present);
		if (c->present && c->text)
			h = hash_bytes_seeded(c->text, c->len, h);
	}
	return h;
}

static void check_rows(const struct table_buf *s, const struct extent *of,
		       const struct listing_metric *m)
{
	size_t width = s->table.n_columns, at = m ? 4 : 1, rows = 0;
	uint64_t last = 0;

	must(width && s->n_cells % width == 0);
	must(!m || (s->n_heads == s->table.n_rows && s->heads[0]));
	for (size_t i = m ? width : 0; i < s->n_cells; i += width) {
		const struct table_cell *row = &s->cells[i];
		uint64_t addr;

		must(row[at].present && row[at].len);
		if (!row[0].present) { /* what no instruction has */
			must(m && i + width == s->n_cells);
			continue;
		}
		addr = strtoull(row[0].text, NULL, 16);
		must(addr >= of->lo && addr < of->hi && (!rows ? addr == of->lo : addr > last));
		must(!rows || addr - last <= 16);
		must(!m || !row[2].present || row[2].number >= row[1].number);
		last = addr;
		rows++;
	}
}

static void show(const struct table_buf *s)
{
	const struct render_options how = {.width = 80};
	struct table_document d = {.program = "fuzz"};
	FILE *null = fopen("/dev/null", "w");
	struct err e = ERR_INIT;

	document_table(&d, &s->table);
	must(null && !render(&d, RENDER_TEXT, &how, null, &e));
	must(!render(&d, RENDER_JSON, &how, null, &e));
	fclose(null);
	document_release(&d);
}

static void list(const struct inspect *x, const char *what, struct lookup *l)
{
	struct err e = ERR_INIT;
	struct extent of;
	uint64_t first = 0;

	if (listing_find(x, what, &of, &e)) {
		must(e.code == ST_NONE && e.msg[0]);
		return;
	}
	must(of.lo <= of.hi);
	for (int pass = 0; pass < 3; pass++) {
		static const struct listing_metric metric = {.key = "real",
							     .total_key = "total_real",
							     .self_title = "self",
							     .total_title = "total",
							     .type = COLUMN_BYTES,
							     .all = 1000};
		const struct listing_metric *m = pass == 2 ? &metric : NULL;
		struct table_buf s = {.n_cells = 0};
		struct listing listing;
		enum status st = listing_read(&listing, x, &of, &e);

		listing_sheet(&s, m);
		if (!st && m)
			make_costs(&listing);
		if (!st)
			st = listing_rows(&s, &listing, l, m, &e);
		if (st) {
			must(e.msg[0]);
		} else {
			check_rows(&s, &of, m);
			show(&s);
			must(pass != 1 || first == of_cells(&s));
			first = pass ? first : of_cells(&s);
		}
		listing_release(&listing);
		table_buf_release(&s);
	}
}

static void list_some(const struct inspect *x)
{
	const struct lookup_options options = {
	    .dwarf = {.jobs = 1, .seconds = 2}, .cache = {.off = true}, .demangle = true};
	struct lookup l;
	const struct object_symbol *all;
	size_t n, step;

	lookup_init(&l, &options);
	all = object_symbols(x->file.object, &n);
	step = n / FUNCTIONS + 1;
	for (size_t i = 0; i < n; i += step)
		list(x, all[i].name, &l);
	for (size_t i = 0; i < x->n_functions; i += x->n_functions / FUNCTIONS + 1) {
		char address[32];

		snprintf(address, sizeof address, "0x%llx",
			 (unsigned long long)x->functions[i].lo + 1);
		list(x, address, &l);
	}
	list(x, "f", &l);
	list(x, "0xffffffffffffffff", &l);
	lookup_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object_search search = {.dirs = NULL};
	struct buf made = BUF_INIT;
	struct err e = ERR_INIT;
	struct inspect x;
	char path[32];
	int fd;

	if (!size)
		return 0;
	if (data[0] < PROCESSORS) {
		wrap(&made, data[0], data + 1, size - 1);
		data = (const uint8_t *)made.data;
		size = made.len;
	}
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (inspect_open_code(&x, path, &search, &e))
		must(e.msg[0]);
	else
		list_some(&x);
	inspect_release(&x);
	close(fd);
	buf_release(&made);
	return 0;
}

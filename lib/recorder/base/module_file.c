/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/module_file.h"

#include "lib/recorder/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of 32-bit processes the addresses are too few. */
enum { SECTIONS = 64, TABLES_MAX = sizeof(void *) > 4 ? 1 << 30 : 16 << 20 };

static void module_file_stamp(struct cap_module_file *f, const struct stat *st)
{
	f->known = true;
	f->device = (uint64_t)st->st_dev;
	f->inode = (uint64_t)st->st_ino;
	f->size = (uint64_t)st->st_size;
	f->modified = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* The table of symbols and its strings; not that of the dynamic linker: a mapping from the file's beginning
 * would look like the module to who reads the list of mappings. */
struct tables {
	ElfW(Shdr) symbols, strings;
	bool found;
};

static void read_tables(struct tables *t, int fd, const ElfW(Ehdr) * head,
			const ElfW(Shdr) * symbols)
{
	uint64_t at = head->e_shoff + (uint64_t)symbols->sh_link * sizeof(ElfW(Shdr));

	if (symbols->sh_entsize != sizeof(ElfW(Sym)) || symbols->sh_link >= head->e_shnum ||
	    pread(fd, &t->strings, sizeof t->strings, (off_t)at) != sizeof t->strings ||
	    t->strings.sh_type != SHT_STRTAB)
		return;
	t->symbols = *symbols;
	t->found = true;
}

static void find_tables(struct tables *t, int fd)
{
	ElfW(Shdr) part[SECTIONS];
	ElfW(Ehdr) head;

	t->found = false;
	if (pread(fd, &head, sizeof head, 0) != sizeof head ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof *part)
		return;
	for (unsigned i = 0; i < head.e_shnum; i += SECTIONS) {
		unsigned n = head.e_shnum - i < SECTIONS ? head.e_shnum - i : SECTIONS;

		if (pread(fd, part, n * sizeof *part, (off_t)(head.e_shoff + i * sizeof *part)) !=
		    (ssize_t)(n * sizeof *part))
			return;
		for (unsigned k = 0; k < n; k++)
			if (part[k].sh_type == SHT_SYMTAB && !t->found)
				read_tables(t, fd, &head, &part[k]);
	}
}

static void map_tables(struct cap_module_file *f, const struct tables *t, int fd)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t lo = t->symbols.sh_offset, hi = lo + t->symbols.sh_size;
	uint64_t strings = t->strings.sh_offset, end = strings + t->strings.sh_size;

	if (hi < lo || hi > f->size || end < strings || end > f->size)
		return;
	lo = (lo < strings ? lo : strings) & ~(page - 1);
	hi = hi > end ? hi : end;
	if (!lo || hi - lo > TABLES_MAX)
		return;
	f->map = cap_map_read(fd, lo, (size_t)(hi - lo));
	f->n_map = (size_t)(hi - lo);
	f->symbols = (size_t)(t->symbols.sh_offset - lo);
	f->n_symbols = (size_t)(t->symbols.sh_size / sizeof(ElfW(Sym)));
	f->strings = (size_t)(strings - lo);
	f->n_strings = (size_t)t->strings.sh_size;
}

void cap_module_file_look(struct cap_module_file *f, const char *path)
{
	int fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct tables t;
	struct stat st;

	memset(f, 0, sizeof *f);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		module_file_stamp(f, &st);
		find_tables(&t, fd);
		if (t.found)
			map_tables(f, &t, fd);
	}
	close(fd);
}

void cap_module_file_unmap(struct cap_module_file *f)
{
	if (f->map)
		cap_unmap(f->map, f->n_map);
	f->map = NULL;
}

void cap_module_file_release(struct cap_module_file *f)
{
	cap_module_file_unmap(f);
	memset(f, 0, sizeof *f);
}

bool cap_module_file_equal(const struct cap_module_file *a, const struct cap_module_file *b)
{
	return a->known == b->known && a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->modified == b->modified;
}

enum cap_file_state cap_module_file_state(const struct cap_module_file *f, const char *path)
{
	struct cap_module_file there = {.known = false};
	struct stat st;

	if (!stat(path, &st))
		module_file_stamp(&there, &st);
	if (cap_module_file_equal(&there, f))
		return CAP_FILE_THERE;
	return there.known && there.device == f->device && there.inode == f->inode
		   ? CAP_FILE_WRITTEN_OVER
		   : CAP_FILE_OTHER;
}

/* Lower is better: of several symbols at one address the one that others may see. */
static unsigned rank(unsigned info)
{
	return info >> 4 == STB_LOCAL ? 3 : info >> 4 == STB_WEAK ? 2 : 1;
}

/* Of the functions that hold an address the one that begins last is its own. */
static void name_by(const ElfW(Sym) * s, struct cap_named *named, size_t n)
{
	uint64_t start = s->st_value;
	unsigned type = s->st_info & 15, r = rank(s->st_info);
	size_t lo = 0, hi = n;

#ifdef __arm__
	start &= ~UINT64_C(1); /* Thumb */
#endif
	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !s->st_name || !s->st_size ||
	    s->st_shndx == SHN_UNDEF)
		return;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (named[mid].address < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && named[lo].address - start < s->st_size; lo++) {
		struct cap_named *x = &named[lo];

		if (x->name && (x->start > start || (x->start == start && x->rank <= r)))
			continue;
		x->start = start;
		x->rank = r;
		x->name = s->st_name;
	}
}

/* The page of a byte that is mapped: a file that was cut short has no byte there. */
static bool is_there(const uint8_t *p)
{
	return cap_probe((uintptr_t)p & ~(uintptr_t)4095) == EINVAL;
}

void cap_module_file_find(const struct cap_module_file *f, struct cap_named *named, size_t n)
{
	uintptr_t page = 0;
	ElfW(Sym) s;

	for (size_t i = 0; f->map && i < f->n_symbols; i++) {
		const uint8_t *p = f->map + f->symbols + i * sizeof s;
		uintptr_t last = (uintptr_t)(p + sizeof s - 1) / 4096;

		if (last != page && (!is_there(p) || !is_there(p + sizeof s - 1)))
			return;
		page = last;
		memcpy(&s, p, sizeof s);
		name_by(&s, named, n);
	}
}

size_t cap_module_file_name(const struct cap_module_file *f, uint32_t name, char *to, size_t size)
{
	const uint8_t *p = f->map + f->strings;
	size_t n = 0;

	for (size_t i = name; f->map && i < f->n_strings && n < size; i++, n++) {
		if ((!n || !((uintptr_t)(p + i) % 4096)) && !is_there(p + i))
			return 0;
		if (!p[i])
			break;
		to[n] = (char)p[i];
	}
	return n;
}

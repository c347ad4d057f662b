/* SPDX-License-Identifier: MIT
 *
 * Sources: ld.so(8) on secure-execution mode, execve(2) on interpreter scripts, elf(5).
 */
#include "lib/record/program.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/recorder/base/settings.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPTS = 4, NAMES_MAX = 256 << 20 }; /* as deep as the kernel goes; bytes */

static bool runs(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static char *program_search(const char *name)
{
	const char *dirs = getenv("PATH");
	struct buf b = BUF_INIT;

	if (strchr(name, '/'))
		return runs(name) ? strdup(name) : NULL;
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t n = strcspn(dirs, ":");

		b.len = 0;
		buf_add(&b, n ? dirs : ".", n ? n : 1);
		buf_addf(&b, "/%s", name);
		if (runs(buf_str(&b)))
			return b.data;
		dirs += n + (dirs[n] == ':');
	}
	free(b.data);
	return NULL;
}

/* The first word behind "#!"; NULL: no script. */
static char *interpreter(const unsigned char *head, size_t n)
{
	const char *p = (const char *)head + 2, *end = (const char *)head + n, *s;

	if (n < 3 || head[0] != '#' || head[1] != '!')
		return NULL;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (s = p; p < end && *p && !strchr(" \t\n", *p);)
		p++;
	return strndup(s, (size_t)(p - s));
}

/* Of the dynamic linker that loads it; false: it is linked statically. */
static bool program_linker(int fd, const unsigned char *head, char path[256])
{
	bool wide = head[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	uint64_t at;
	unsigned n;

	memcpy(&h64, head, sizeof h64);
	memcpy(&h32, head, sizeof h32);
	at = wide ? h64.e_phoff : h32.e_phoff;
	n = wide ? h64.e_phnum : h32.e_phnum;
	for (unsigned i = 0; i < n; i++) {
		size_t size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
		Elf64_Phdr p64;
		Elf32_Phdr p32;
		ssize_t length;

		if (pread(fd, wide ? (void *)&p64 : (void *)&p32, size, (off_t)(at + i * size)) !=
		    (ssize_t)size)
			return false;
		if ((wide ? p64.p_type : p32.p_type) != PT_INTERP)
			continue;
		length = pread(fd, path, 255, (off_t)(wide ? p64.p_offset : p32.p_offset));
		path[length > 0 ? length : 0] = 0;
		return true;
	}
	return false;
}

/* Of a row of the section table; false: there is no such row. */
static bool program_section(int fd, const unsigned char *head, unsigned row, Elf64_Shdr *s)
{
	bool wide = head[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	Elf32_Shdr s32;

	memcpy(&h64, head, sizeof h64);
	memcpy(&h32, head, sizeof h32);
	if (row >= (wide ? h64.e_shnum : h32.e_shnum))
		return false;
	if (wide)
		return pread(fd, s, sizeof *s, (off_t)(h64.e_shoff + row * sizeof *s)) == sizeof *s;
	if (pread(fd, &s32, sizeof s32, (off_t)h32.e_shoff + (off_t)(row * sizeof s32)) !=
	    sizeof s32)
		return false;
	*s = (Elf64_Shdr){.sh_type = s32.sh_type,
			  .sh_offset = s32.sh_offset,
			  .sh_size = s32.sh_size,
			  .sh_link = s32.sh_link};
	return true;
}

/* The bytes of a section, to be freed; NULL: they are not there, or too many. */
static char *program_section_bytes(int fd, const unsigned char *head, unsigned row, size_t *n)
{
	Elf64_Shdr s;
	struct stat st;
	char *bytes;

	if (!program_section(fd, head, row, &s) || fstat(fd, &st) ||
	    s.sh_size > (uint64_t)st.st_size || s.sh_size > NAMES_MAX)
		return NULL;
	bytes = mem_alloc(s.sh_size + 1);
	if (pread(fd, bytes, s.sh_size, (off_t)s.sh_offset) != (ssize_t)s.sh_size) {
		free(bytes);
		return NULL;
	}
	*n = s.sh_size;
	return bytes;
}

/* The names that the dynamic linker sees of it, to be freed: of functions, and of libraries that it
 * needs; and the section with their symbols. NULL: none. */
static char *program_dynamic_names(int fd, const unsigned char *head, Elf64_Shdr *symbols,
				   size_t *n)
{
	unsigned row = 0;

	do
		if (!program_section(fd, head, row++, symbols))
			return NULL;
	while (symbols->sh_type != SHT_DYNSYM);
	return program_section_bytes(fd, head, symbols->sh_link, n);
}

static bool program_has_section(int fd, const unsigned char *head, const char *name)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	size_t n = 0;
	char *names;
	bool found;

	memcpy(&h64, head, sizeof h64);
	memcpy(&h32, head, sizeof h32);
	names = program_section_bytes(
	    fd, head, head[EI_CLASS] == ELFCLASS64 ? h64.e_shstrndx : h32.e_shstrndx, &n);
	found = names && memmem(names, n, name, strlen(name) + 1);
	free(names);
	return found;
}

/* The sanitizer that a program is built with, of those that put a malloc of their own in the place
 * of any: by what their code calls first, or (LeakSanitizer, for which none is compiled in) by its
 * library. NULL: none. */
static const char *sanitizer(int fd, const unsigned char *head)
{
	static const char *const marks[][2] = {
	    {"__asan_init", "AddressSanitizer"}, {"__tsan_init", "ThreadSanitizer"},
	    {"__msan_init", "MemorySanitizer"},  {"__hwasan_init", "HWAddressSanitizer"},
	    {"__lsan_init", "LeakSanitizer"},    {"liblsan.so.0", "LeakSanitizer"},
	};
	const char *found = NULL;
	Elf64_Shdr symbols;
	size_t n = 0;
	char *names = program_dynamic_names(fd, head, &symbols, &n);

	for (size_t i = 0; names && !found && i < sizeof marks / sizeof *marks; i++)
		if (memmem(names, n, marks[i][0], strlen(marks[i][0]) + 1))
			found = marks[i][1];
	free(names);
	return found;
}

/* Its class, byte order and machine. */
static bool is_ours(const unsigned char *head, const unsigned char *own)
{
	return !memcmp(head + EI_CLASS, own + EI_CLASS, 2) && !memcmp(head + 18, own + 18, 2);
}

/* What this machine runs beside programs like this one: e_machine is at 18, in little endian here. */
static bool is_ours_of_32_bits(const unsigned char *head, const unsigned char *own)
{
	unsigned machine = head[18] | head[19] << 8, ours = own[18] | own[19] << 8;

	return own[EI_CLASS] == ELFCLASS64 && own[EI_DATA] == ELFDATA2LSB &&
	       head[EI_CLASS] == ELFCLASS32 && head[EI_DATA] == ELFDATA2LSB &&
	       ((ours == EM_X86_64 && machine == EM_386) ||
		(ours == EM_AARCH64 && machine == EM_ARM));
}

/* What is asked of the file. */
struct check {
	unsigned char head[64], own[64]; /* of the file; of this program's */
	size_t n;                        /* of head */
	bool known;                      /* own is there */
	bool runs;                       /* it is that of a process */
};

/* Go's linker writes it into what it links: debug/buildinfo. */
static bool is_go(int fd, const unsigned char *head)
{
	return program_has_section(fd, head, ".go.buildinfo");
}

/* What runs programs that begin like this, other than the system of the recorder; NULL: not known. */
static const char *other_system(const unsigned char *head, size_t n)
{
	static const struct {
		const char *bytes, *name;
		size_t n;
	} systems[] = {
	    {"MZ", "Windows", 2},
	    {"\0asm", "WebAssembly", 4},
	    {"\xcf\xfa\xed\xfe", "macOS or iOS",
	     4}, /* Mach-O of 64 bits; of 32; for two machines */
	    {"\xce\xfa\xed\xfe", "macOS or iOS", 4},
	    {"\xca\xfe\xba\xbe\0\0\0\2", "macOS or iOS", 8}, /* the number tells it from Java's */
	};

	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
		if (n >= systems[i].n && !memcmp(head, systems[i].bytes, systems[i].n))
			return systems[i].name;
	return NULL;
}

static enum status check_system(const unsigned char *head, size_t n, struct err *e)
{
	const char *other = other_system(head, n);

	return other ? err_set(e, ST_UNSUPPORTED,
			       "is a program of %s, where tm-record does not run: see OTHER "
			       "SYSTEMS in libtracemill-capture(3)",
			       other)
		     : ST_OK;
}

static enum status look_elf(int fd, const struct check *c, struct err *e)
{
	char linker[256] = "";
	const char *other;

	if (check_system(c->head, c->n, e))
		return err_failure(e);
	if (c->n < 64 || memcmp(c->head, ELFMAG, SELFMAG) != 0)
		return err_set(e, ST_UNSUPPORTED, "is neither an ELF program nor a script");
	if (c->known && !is_ours(c->head, c->own) && !is_ours_of_32_bits(c->head, c->own))
		return err_set(e, ST_UNSUPPORTED,
			       "is for another machine than the capture library");
	if (program_has_section(fd, c->head, CAP_SECTION))
		return c->runs ? err_set(e, ST_UNSUPPORTED,
					 "has the runtime linked in: it is recorded from its start")
			       : ST_OK;
	if (!program_linker(fd, c->head, linker))
		return err_set(e, ST_UNSUPPORTED, "%s",
			       is_go(fd, c->head)
				   ? "is a Go program without C code: " PROGRAM_GO_PROFILES
				   : "is linked statically: no library can be loaded into it; link "
				     "libtracemill-wrap.a into it instead, with --wrap");
	if (c->runs && strstr(linker, "ld-musl"))
		return err_set(e, ST_UNSUPPORTED,
			       "is built for the C library musl: it is recorded from its start");
	if (c->runs && c->head[EI_CLASS] == ELFCLASS32 && c->own[EI_CLASS] != ELFCLASS32)
		return err_set(e, ST_UNSUPPORTED,
			       "has words of 32 bits: it is recorded from its start");
	other = sanitizer(fd, c->head);
	if (other)
		return err_set(e, ST_UNSUPPORTED,
			       "is built with %s, whose own malloc it must have: record a build "
			       "without",
			       other);
	return ST_OK;
}

static enum status program_check_elf(int fd, const unsigned char *head, size_t n, bool runs,
				     struct err *e)
{
	struct check c = {.n = n < sizeof c.head ? n : sizeof c.head, .runs = runs};
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	memcpy(c.head, head, c.n);
	c.known = self >= 0 && pread(self, c.own, sizeof c.own, 0) == sizeof c.own;
	if (self >= 0)
		close(self);
	return look_elf(fd, &c, e);
}

static enum status program_check_file(const char *path, char **script, struct err *e)
{
	unsigned char head[256];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum status status;

	*script = NULL;
	if (fd < 0)
		return err_sys(e, "cannot open");
	n = pread(fd, head, sizeof head, 0);
	*script = n > 0 ? interpreter(head, (size_t)n) : NULL;
	if (n < 0 || fstat(fd, &st))
		status = err_sys(e, "read");
	else if (*script)
		status = ST_OK; /* its own bits do not count */
	else if (st.st_mode & (S_ISUID | S_ISGID))
		status = err_set(e, ST_UNSUPPORTED,
				 "changes its user or group (setuid, setgid): the system loads no "
				 "library into it; record a copy, which does not");
	else if (fgetxattr(fd, "security.capability", NULL, 0) > 0)
		status = err_set(e, ST_UNSUPPORTED,
				 "has file capabilities, so the system loads no library into it; "
				 "record a copy, which has none");
	else
		status = program_check_elf(fd, head, (size_t)n, false, e);
	close(fd);
	return status;
}

/* The dynamic symbols that are asked for. */
struct symbols {
	char names[PROGRAM_SYMBOLS][32];
	uint64_t values[PROGRAM_SYMBOLS]; /* 0: not defined */
	unsigned n;
};

static void on_symbol(struct symbols *s, const Elf64_Sym *x, const char *names, size_t n)
{
	if (x->st_shndx == SHN_UNDEF || x->st_name >= n)
		return;
	for (unsigned i = 0; i < s->n; i++) {
		size_t length = strlen(s->names[i]);

		if (n - x->st_name > length && !s->values[i] &&
		    !memcmp(names + x->st_name, s->names[i], length + 1))
			s->values[i] = x->st_value;
	}
}

/* Of the first table: there is no other. */
static void look_symbols(int fd, const unsigned char *head, struct symbols *to)
{
	bool wide = head[EI_CLASS] == ELFCLASS64;
	size_t entry = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), n = 0;
	Elf64_Shdr s;
	char *names = program_dynamic_names(fd, head, &s, &n);

	for (uint64_t at = 0; names && at + entry <= s.sh_size; at += entry) {
		Elf64_Sym wide_symbol = {0};
		Elf32_Sym symbol = {0};

		if (pread(fd, wide ? (void *)&wide_symbol : (void *)&symbol, entry,
			  (off_t)(s.sh_offset + at)) != (ssize_t)entry)
			break;
		if (!wide)
			wide_symbol = (Elf64_Sym){.st_name = symbol.st_name,
						  .st_shndx = symbol.st_shndx,
						  .st_value = symbol.st_value};
		on_symbol(to, &wide_symbol, names, n);
	}
	free(names);
}

static bool read_head(int fd, unsigned char head[64])
{
	return pread(fd, head, 64, 0) == 64 && !memcmp(head, ELFMAG, SELFMAG);
}

static unsigned look_differs(int fd, const unsigned char *head)
{
	char linker[256] = "";
	bool musl = program_linker(fd, head, linker) && strstr(linker, "ld-musl");

	return (musl ? PROGRAM_MUSL : 0) | (head[EI_CLASS] == ELFCLASS32 ? PROGRAM_32_BITS : 0);
}

static unsigned look_unseen(int fd, const unsigned char *head)
{
	struct symbols s = {.names = {"malloc"}, .n = 1};

	look_symbols(fd, head, &s);
	return (s.values[0] ? PROGRAM_OWN_MALLOC : 0) | (is_go(fd, head) ? PROGRAM_GO : 0) |
	       (program_has_section(fd, head, CAP_SECTION) ? PROGRAM_RECORDS_ITSELF : 0);
}

/* 0 where it cannot be looked at. */
static unsigned bits_of(const char *path, unsigned (*look)(int fd, const unsigned char *head))
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char head[64];
	unsigned bits;

	if (fd < 0)
		return 0;
	bits = read_head(fd, head) ? look(fd, head) : 0;
	close(fd);
	return bits;
}

unsigned program_differs(const char *path)
{
	return bits_of(path, look_differs) & ~bits_of("/proc/self/exe", look_differs);
}

unsigned program_unseen(const char *path)
{
	return bits_of(path, look_unseen);
}

void program_symbols(const char *path, const char *const *names, unsigned n, uint64_t *values)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct symbols s = {.n = n};
	unsigned char head[64];

	for (unsigned i = 0; i < n; i++)
		snprintf(s.names[i], sizeof s.names[i], "%s", names[i]);
	if (fd >= 0 && read_head(fd, head))
		look_symbols(fd, head, &s);
	memcpy(values, s.values, n * sizeof *values);
	if (fd >= 0)
		close(fd);
}

enum status program_check_running(const char *path, struct err *e)
{
	unsigned char head[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
	enum status status =
	    n < 0 ? err_sys(e, "read") : program_check_elf(fd, head, (size_t)n, true, e);

	if (fd >= 0)
		close(fd);
	return status;
}

/* Why a name leads to no program. Those of other systems have often lost their x bit on the way. */
static enum status why_none(const char *name, struct err *e)
{
	unsigned char head[64];
	int fd = strchr(name, '/') ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);

	if (fd >= 0)
		close(fd);
	if (n > 0 && check_system(head, (size_t)n, e))
		return err_failure(e);
	return strchr(name, '/') && !access(name, F_OK)
		   ? err_set(e, ST_UNSUPPORTED, "is not executable: chmod +x makes it so")
		   : err_set(e, ST_NONE, "no such program");
}

enum status program_check(const char *name, char **path, struct err *e)
{
	enum status status;
	char *script;

	*path = program_search(name);
	if (!*path && !strchr(name, '/') && !access(name, F_OK))
		return err_set(e, ST_NONE, "is not in PATH: ./%s is the one of this folder", name);
	if (!*path)
		return why_none(name, e);
	status = program_check_file(*path, &script, e);
	for (int i = 0; !status && script && i < SCRIPTS; i++) {
		free(*path);
		*path = script;
		status = program_check_file(*path, &script, e);
	}
	free(script);
	return status;
}

/* SPDX-License-Identifier: MIT
 *
 * Sources: ld.so(8) on secure-execution mode, execve(2) on interpreter scripts, elf(5).
 */
#include "lib/record/program.h"

#include "lib/base/buf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPTS = 4 }; /* as deep as the kernel goes */

static bool runs(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static char *search(const char *name)
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

static bool has_interpreter(int fd, const unsigned char *head, bool wide)
{
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
		uint32_t type; /* the first field of both */

		if (pread(fd, &type, sizeof type, (off_t)(at + i * size)) != sizeof type)
			return false;
		if (type == PT_INTERP)
			return true;
	}
	return false;
}

static enum status check_elf(int fd, const unsigned char *head, size_t n, struct err *e)
{
	unsigned char own[64];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool known = self >= 0 && pread(self, own, sizeof own, 0) == sizeof own;

	if (self >= 0)
		close(self);
	if (n < 64 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return err_set(e, ST_UNSUPPORTED, "is neither an ELF program nor a script");
	/* Class, byte order and machine. */
	if (known && (memcmp(head + EI_CLASS, own + EI_CLASS, 2) != 0 ||
		      memcmp(head + 18, own + 18, 2) != 0))
		return err_set(e, ST_UNSUPPORTED,
			       "is for another machine than the capture library");
	if (!has_interpreter(fd, head, head[EI_CLASS] == ELFCLASS64))
		return err_set(e, ST_UNSUPPORTED,
			       "is linked statically: no library can be loaded into it; link "
			       "libtracemill-wrap.a into it instead, with --wrap");
	return ST_OK;
}

static enum status check(const char *path, char **script, struct err *e)
{
	unsigned char head[256];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum status status;

	*script = NULL;
	if (fd < 0)
		return err_sys(e, "open");
	n = pread(fd, head, sizeof head, 0);
	*script = n > 0 ? interpreter(head, (size_t)n) : NULL;
	if (n < 0 || fstat(fd, &st))
		status = err_sys(e, "read");
	else if (*script)
		status = ST_OK; /* its own bits do not count */
	else if (st.st_mode & (S_ISUID | S_ISGID))
		status = err_set(e, ST_UNSUPPORTED,
				 "changes its user or group (setuid, setgid): the system loads no "
				 "library into it");
	else if (fgetxattr(fd, "security.capability", NULL, 0) > 0)
		status =
		    err_set(e, ST_UNSUPPORTED,
			    "has capabilities of its own: the system loads no library into it");
	else
		status = check_elf(fd, head, (size_t)n, e);
	close(fd);
	return status;
}

enum status program_check(const char *name, char **path, struct err *e)
{
	enum status status;
	char *script;

	*path = search(name);
	if (!*path)
		return err_set(e, ST_NONE, "no such program");
	status = check(*path, &script, e);
	for (int i = 0; !status && script && i < SCRIPTS; i++) {
		free(*path);
		*path = script;
		status = check(*path, &script, e);
	}
	free(script);
	return status;
}

bool program_stripped(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool sections = false, symbols = false;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr h64;
		Elf32_Ehdr h32;
	} head;
	bool wide;
	unsigned n;

	if (fd < 0)
		return false;
	memset(&head, 0, sizeof head);
	if (pread(fd, &head, sizeof head, 0) < (ssize_t)sizeof head.h32 ||
	    memcmp(head.ident, ELFMAG, SELFMAG) != 0)
		memset(&head, 0, sizeof head);
	wide = head.ident[EI_CLASS] == ELFCLASS64;
	n = wide ? head.h64.e_shnum : head.h32.e_shnum;
	for (unsigned i = 0; i < n && !symbols; i++) {
		uint64_t at = wide ? head.h64.e_shoff + i * sizeof(Elf64_Shdr)
				   : head.h32.e_shoff + i * sizeof(Elf32_Shdr);
		uint32_t word[2]; /* name, type */

		if (pread(fd, word, sizeof word, (off_t)at) != sizeof word)
			break;
		sections = true;
		symbols = word[1] == SHT_SYMTAB;
	}
	close(fd);
	return sections && !symbols;
}

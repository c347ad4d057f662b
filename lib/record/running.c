/* SPDX-License-Identifier: MIT */
#include "lib/record/running.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/record/program.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE = 8192, TEXT_MAX = 16 << 20, R_STATE = 24 };

bool running_read(const struct running *r, uint64_t from, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n};

	return process_vm_readv(r->pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

bool running_write(const struct running *r, uint64_t to, const void *from, size_t n)
{
	struct iovec here = {(void *)(uintptr_t)from, n}, there = {(void *)(uintptr_t)to, n};

	return process_vm_writev(r->pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

const struct running_map *running_map_of(const struct running *r, uint64_t address)
{
	for (size_t i = 0; i < r->n_maps; i++)
		if (address >= r->maps[i].lo && address < r->maps[i].hi)
			return &r->maps[i];
	return NULL;
}

static void running_forget_maps(struct running *r)
{
	for (size_t i = 0; i < r->n_maps; i++)
		free(r->maps[i].path);
	r->n_maps = 0;
}

void running_release(struct running *r)
{
	running_forget_maps(r);
	free(r->maps);
	*r = (struct running){.pid = 0};
}

static enum status running_read_maps(struct running *r, struct err *e)
{
	char path[64], line[LINE];
	FILE *f;

	running_forget_maps(r);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)r->pid);
	f = fopen(path, "re");
	if (!f)
		return err_sys(e, "cannot read %s", path);
	while (fgets(line, sizeof line, f)) {
		struct running_map m = {0};
		char execute;
		int at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %n",
			   &m.lo, &m.hi, &execute, &m.offset, &at) < 4)
			continue;
		line[strcspn(line, "\n")] = 0;
		m.executable = execute == 'x';
		m.path = mem_strdup(at ? line + at : "");
		VEC_PUSH(r->maps, r->n_maps, r->cap_maps) = m;
	}
	fclose(f);
	return r->n_maps ? ST_OK : err_set(e, ST_NONE, "has ended");
}

/* A file as the process sees it. */
static char *there(const struct running *r, const char *path)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "/proc/%d/root%s", (int)r->pid, path);
	buf_str(&b);
	return b.data;
}

/* Other parts of the file may be mapped anywhere. */
static uint64_t bias_of(const struct running *r, const char *path)
{
	for (size_t i = 0; i < r->n_maps; i++)
		if (!r->maps[i].offset && !strcmp(r->maps[i].path, path))
			return r->maps[i].lo;
	return 0;
}

/* Where n symbols of a module are in it; 0: not there. */
static void running_find(const struct running *r, const char *path, const char *const *names,
			 unsigned n, uint64_t *at)
{
	uint64_t bias = bias_of(r, path);
	char *file = there(r, path);

	program_symbols(file, names, n, at);
	for (unsigned i = 0; i < n; i++)
		at[i] = at[i] && bias ? bias + at[i] : 0;
	free(file);
}

uint64_t running_symbol(struct running *r, const char *path, const char *symbol)
{
	struct err e = ERR_INIT;
	uint64_t at = 0;

	if (!running_read_maps(r, &e))
		running_find(r, path, &symbol, 1, &at);
	return at;
}

/* The number behind a word of /proc/PID/status. */
static bool running_field(const char *text, const char *key, int base, uint64_t *v)
{
	const char *p = strstr(text, key);

	if (!p)
		return false;
	*v = strtoull(p + strlen(key), NULL, base);
	return true;
}

static bool running_status(pid_t pid, char text[4096])
{
	char path[64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, 4095, f);
	text[n] = 0;
	fclose(f);
	return n > 0;
}

/* What no look at its memory tells. */
static enum status running_check_state(struct running *r, struct err *e)
{
	char text[4096], own[4096];
	uint64_t v = 0, filters = 0, ours = 0, uid = 0, gid = 0;
	const char *state;

	if (!running_status(r->pid, text))
		return err_set(e, ST_NONE, "no such process");
	if (running_field(text, "\nTgid:", 10, &v) && v != (uint64_t)r->pid)
		return err_set(e, ST_UNSUPPORTED, "is a thread of process %" PRIu64, v);
	if (r->pid == getpid())
		return err_set(e, ST_UNSUPPORTED, "is tm-record itself");
	state = strstr(text, "\nState:\t");
	if (state && strchr("ZX", state[8]))
		return err_set(e, ST_NONE, "has ended");
	if (running_field(text, "\nTracerPid:", 10, &v) && v)
		return err_set(e, ST_UNSUPPORTED,
			       "is traced by process %" PRIu64 ", as a debugger does", v);
	if (state && strchr("Tt", state[8]))
		return err_set(e, ST_UNSUPPORTED, "is stopped: let it go on first (kill -CONT)");
	if (!strstr(text, "\nVmSize:"))
		return err_set(e, ST_UNSUPPORTED, "is a thread of the kernel");
	if (running_field(text, "\nSigIgn:", 16, &v) && v >> (SIGSEGV - 1) & 1)
		return err_set(e, ST_UNSUPPORTED, "ignores SIGSEGV, by which a call in it ends");
	/* Where we run behind the same filter, it lets us do what the library will. */
	if (running_status(getpid(), own) && running_field(own, "\nSeccomp_filters:", 10, &ours) &&
	    running_field(text, "\nSeccomp_filters:", 10, &filters) && filters > ours)
		return err_set(e, ST_UNSUPPORTED,
			       "has a filter of system calls (seccomp), which may end it when a "
			       "library is loaded");
	running_field(text, "\nUid:", 10, &uid);
	running_field(text, "\nGid:", 10, &gid);
	r->uid = (uid_t)uid;
	r->gid = (gid_t)gid;
	return ST_OK;
}

/* Why it may not be looked into. */
static enum status running_refused(const struct running *r, struct err *e)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (f) {
		if (fscanf(f, "%d", &scope) != 1)
			scope = 0;
		fclose(f);
	}
	if (geteuid() && geteuid() != r->uid)
		return err_set(e, ST_UNSUPPORTED,
			       "is another user's: that user or root may attach");
	if (scope == 3)
		return err_set(e, ST_UNSUPPORTED,
			       "this system forbids attaching (kernel.yama.ptrace_scope is 3)");
	if (scope && geteuid())
		return err_set(e, ST_UNSUPPORTED,
			       "this system lets only root attach (kernel.yama.ptrace_scope is %d)",
			       scope);
	return err_set(e, ST_UNSUPPORTED,
		       "may not be attached to: it hides its memory, or a container or a security "
		       "module forbids it");
}

static enum status running_check_library(const struct running *r, const char *library,
					 struct err *e)
{
	char *file = there(r, library);
	struct stat here, seen;
	bool same = !stat(library, &here) && !stat(file, &seen) && here.st_dev == seen.st_dev &&
		    here.st_ino == seen.st_ino;

	free(file);
	if (!same)
		return err_set(e, ST_UNSUPPORTED,
			       "sees other files than we do (a container, another root): %s is not "
			       "there; run tm-record inside",
			       library);
	for (size_t i = 0; i < r->n_maps; i++)
		if (!strncmp(path_base(r->maps[i].path), "libtracemill-capture.so", 23) &&
		    strcmp(r->maps[i].path, library) != 0)
			return err_set(e, ST_UNSUPPORTED, "has another capture library: %s",
				       r->maps[i].path);
	return ST_OK;
}

/* rt_sigreturn's number into rax, and the call: what a handler's return address leads to. */
static void running_find_restorer(struct running *r, const struct running_map *m)
{
	static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	size_t n = m->hi - m->lo < TEXT_MAX ? (size_t)(m->hi - m->lo) : TEXT_MAX;
	unsigned char *text = mem_alloc(n);
	const unsigned char *at =
	    running_read(r, m->lo, text, n) ? memmem(text, n, code, sizeof code) : NULL;

	if (at)
		r->restorer = m->lo + (uint64_t)(at - text);
	free(text);
}

static void running_learn(struct running *r, struct running_map *m)
{
	enum { MALLOC, DEBUG, DLOPEN, OLD_DLOPEN, DLERROR, MMAP, MUNMAP, ERRNO, N };
	static const char *const names[N] = {"malloc",  "_r_debug", "dlopen", "__libc_dlopen_mode",
					     "dlerror", "mmap",     "munmap", "__errno_location"};
	const char *base = path_base(m->path);
	uint64_t at[N];

	running_find(r, m->path, names, N, at);
	m->quiet = !at[MALLOC] && !at[DEBUG];
	if (at[DEBUG])
		r->r_state = at[DEBUG] + R_STATE;
	if (strncmp(base, "libc.", 5) != 0 && strncmp(base, "libc-", 5) != 0 &&
	    strncmp(base, "libdl", 5) != 0)
		return;
	if (!r->dlopen || r->dlopen_is_old) {
		r->dlopen_is_old = !at[DLOPEN];
		r->dlopen = at[DLOPEN] ? at[DLOPEN] : at[OLD_DLOPEN];
	}
	if (!r->dlerror)
		r->dlerror = at[DLERROR];
	if (!strncmp(base, "libc", 4) && !r->mmap) {
		r->mmap = at[MMAP];
		r->munmap = at[MUNMAP];
		r->errno_location = at[ERRNO];
		running_find_restorer(r, m);
	}
}

/* The kernel's own code may be called by an allocator. */
static void running_judge(struct running *r)
{
	for (size_t i = 0; i < r->n_maps; i++) {
		struct running_map *m = &r->maps[i];

		if (!m->executable)
			continue;
		if (*m->path == '/')
			running_learn(r, m);
		else
			m->quiet = *m->path != '[';
	}
}

enum status running_look(struct running *r, pid_t pid, const char *library, struct err *e)
{
	char path[4096], byte = 0;
	ssize_t n;
	enum status st;

	*r = (struct running){.pid = pid};
	snprintf(r->exe, sizeof r->exe, "/proc/%d/exe", (int)pid);
	if ((st = running_check_state(r, e)))
		return st;
	n = readlink(r->exe, path, sizeof path - 1);
	if (n < 0 || running_read_maps(r, e) || !running_read(r, r->maps[0].lo, &byte, 1))
		return errno == ESRCH || (n < 0 && errno == ENOENT)
			   ? err_set(e, ST_NONE, "has ended")
			   : running_refused(r, e);
	path[n] = 0;
	snprintf(r->name, sizeof r->name, "%.*s", (int)sizeof r->name - 1, path_base(path));
	r->name[strcspn(r->name, " ")] = 0; /* of a file that is gone: NAME (deleted) */
	if ((st = program_check_running(r->exe, e)) || (st = running_check_library(r, library, e)))
		return st;
	running_judge(r);
	if (!r->dlopen || !r->mmap || !r->munmap || !r->errno_location || !r->r_state)
		return err_set(e, ST_UNSUPPORTED,
			       "its C library cannot be read: it was replaced since the program "
			       "began, or is not glibc");
	return ST_OK;
}

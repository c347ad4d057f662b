/* SPDX-License-Identifier: MIT
 *
 * A running process as tm-record --pid finds it: whether it can be attached to, its modules, and the
 * addresses of functions in it.
 *
 * Sources: proc(5), ptrace(2) on who may attach; System V ABI's supplement for AMD64.
 */
#ifndef TM_RECORD_RUNNING_H
#define TM_RECORD_RUNNING_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct running_map {
	uint64_t lo, hi, offset;
	bool executable;
	bool quiet; /* what runs in it is in no allocator, and not in the dynamic linker */
	char *path; /* "": none */
};

struct running {
	pid_t pid;
	uid_t uid;
	gid_t gid;
	char name[64]; /* of its program's file */
	char exe[64];  /* a path to that */
	struct running_map *maps;
	size_t n_maps, cap_maps;
	/* Functions of its C library; where the dynamic linker says what it is doing (r_state); the end
	 * of every handler of a signal. 0: not there. */
	uint64_t dlopen, dlerror, mmap, munmap, errno_location, r_state, restorer;
	bool dlopen_is_old; /* __libc_dlopen_mode, of glibc before 2.34 */
};

/* Looks at it. ST_NONE: there is no such process; ST_UNSUPPORTED: it cannot be attached to, and why.
 * library is what shall be loaded into it. Release it in any case. */
enum status running_look(struct running *r, pid_t pid, const char *library, struct err *e);
/* Where a symbol of the module lies in it now; 0: it is not there. */
uint64_t running_symbol(struct running *r, const char *path, const char *symbol);
const struct running_map *running_map_of(const struct running *r, uint64_t address);
/* False: not there, or not allowed, with errno. */
bool running_read(const struct running *r, uint64_t from, void *to, size_t n);
bool running_write(const struct running *r, uint64_t to, const void *from, size_t n);
void running_release(struct running *r);

#endif

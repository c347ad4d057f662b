/* SPDX-License-Identifier: MIT
 *
 * Paths, by Landlock: Documentation/userspace-api/landlock.rst of Linux. The C library has no
 * functions for it, and the header may be older than the kernel: bits that it lacks are defined
 * here, and struct landlock_ruleset_attr is written out, which has grown at its end.
 */
#include "lib/sandbox/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined SYS_landlock_create_ruleset
#include <linux/landlock.h>

#ifndef LANDLOCK_ACCESS_FS_REFER /* version 2 */
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* 3 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP /* 4 */
#define LANDLOCK_ACCESS_NET_BIND_TCP    (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_SCOPE_SIGNAL /* 6 */
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)
#endif

enum {
	READ_FILE = LANDLOCK_ACCESS_FS_READ_FILE,
	READ_BELOW = READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	NAMES = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE,
	CHANGE = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE,
	FOLDERS = LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR,
	OTHERS = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
		 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
		 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
	OF_FILES = READ_FILE | CHANGE | LANDLOCK_ACCESS_FS_EXECUTE,
};

struct rules {
	int fd;
	uint64_t handled;
};

static void add(const struct rules *r, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr a = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
	struct stat st;

	if (a.parent_fd < 0)
		return;
	a.allowed_access = access & r->handled;
	if (!fstat(a.parent_fd, &st) && !S_ISDIR(st.st_mode))
		a.allowed_access &= OF_FILES;
	/* What fails is no file of a file system, as a pipe in /proc/self/fd: always allowed. */
	if (a.allowed_access)
		syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
	close(a.parent_fd);
}

static void sandbox_paths_add_grant(const struct rules *r, const struct sandbox_grant *g,
				    unsigned rights)
{
	switch (g->how) {
	case SANDBOX_READ: add(r, g->path, READ_BELOW); break;
	case SANDBOX_STORE:
		if (rights & SANDBOX_FILES)
			add(r, g->path, READ_BELOW | NAMES | CHANGE);
		break;
	case SANDBOX_CACHE:
		if (rights & SANDBOX_FILES)
			add(r, g->path,
			    READ_BELOW | NAMES | CHANGE | FOLDERS | LANDLOCK_ACCESS_FS_REFER);
		break;
	case SANDBOX_EMPTIED:
		if (rights & SANDBOX_FILES)
			add(r, g->path, LANDLOCK_ACCESS_FS_REMOVE_DIR);
		break;
	case SANDBOX_NAMES: add(r, g->path, NAMES | LANDLOCK_ACCESS_FS_REFER); break;
	}
}

static void add_all(const struct rules *r, const struct sandbox_held *h)
{
	for (size_t i = 0; i < h->n; i++)
		sandbox_paths_add_grant(r, &h->grants[i], h->rights);
	if (h->rights & SANDBOX_ANY_FILE)
		add(r, "/", READ_BELOW);
	if (h->rights & SANDBOX_SPOOL)
		add(r, h->spool, READ_FILE | CHANGE | (h->unnamed_spool && !h->stores ? 0 : NAMES));
}

int sandbox_hold_paths(const struct sandbox_held *h)
{
	struct {
		uint64_t fs, net, scoped;
	} a = {.fs = READ_BELOW | NAMES | LANDLOCK_ACCESS_FS_WRITE_FILE | FOLDERS | OTHERS};
	int abi =
	    (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	size_t size = abi >= 6 ? sizeof a : abi >= 4 ? 2 * sizeof a.fs : sizeof a.fs;
	bool network = h->rights & SANDBOX_NETWORK;
	struct rules r;
	int error = 0;

	if (abi < 1)
		return -(abi < 0 ? errno : ENOSYS);
	if (abi >= 2)
		a.fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		a.fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 4)
		a.net =
		    LANDLOCK_ACCESS_NET_BIND_TCP | (network ? 0 : LANDLOCK_ACCESS_NET_CONNECT_TCP);
	if (abi >= 6)
		a.scoped =
		    LANDLOCK_SCOPE_SIGNAL | (network ? 0 : LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET);
	r.handled = a.fs;
	r.fd = (int)syscall(SYS_landlock_create_ruleset, &a, size, 0);
	if (r.fd < 0)
		return -errno;
	add_all(&r, h);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, r.fd, 0))
		error = errno;
	close(r.fd);
	return error ? -error : abi;
}

#else

int sandbox_hold_paths(const struct sandbox_held *h)
{
	(void)h;
	return -ENOSYS;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "lib/find/container.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/index/cache_dir.h"
#include "lib/input/input.h"
#include "lib/object/ar.h"
#include "lib/object/coff_library.h"
#include "lib/pack/deflate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNPACKED_VERSION = 1 };

bool container_is_library(const char *name)
{
	const char *base = path_base(name), *so = strstr(base, ".so");
	size_t n = strlen(base);

	return (so && (!so[3] || so[3] == '.')) || (n > 6 && !strcmp(base + n - 6, ".debug"));
}

/* The bytes of fd are those of the member. */
static bool container_is_whole(int fd, const struct zip_member *m)
{
	enum { CHUNK = 1 << 18 };
	uint8_t *p;
	uint32_t crc = 0;
	uint64_t at = 0;
	struct stat sb;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode) || (uint64_t)sb.st_size != m->size)
		return false;
	p = mem_alloc(CHUNK);
	while (at < m->size) {
		ssize_t got = pread(fd, p, CHUNK, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		crc = crc32_add(crc, p, (size_t)got);
		at += (uint64_t)got;
	}
	free(p);
	return at == m->size && crc == m->crc;
}

/* What the copy of a member is called. False: the archive cannot be distinguished from others. */
static bool container_copy_name(const struct zip *z, const struct zip_member *m, char *name,
				size_t n)
{
	struct stat sb;
	uint64_t key[9];

	if (fstat(z->fd, &sb))
		return false;
	key[0] = (uint64_t)sb.st_dev;
	key[1] = (uint64_t)sb.st_ino;
	key[2] = (uint64_t)sb.st_size;
	key[3] = (uint64_t)sb.st_mtim.tv_sec;
	key[4] = (uint64_t)sb.st_mtim.tv_nsec;
	key[5] = m->header;
	key[6] = m->size;
	key[7] = m->packed;
	key[8] = m->crc;
	snprintf(name, n, "member-%016" PRIx64 ".%d" CACHE_SUFFIX, hash_bytes(key, sizeof key),
		 UNPACKED_VERSION);
	return true;
}

/* A descriptor of the copy that is there and sound; -1: none is. */
static int find_copy(const char *path, const struct zip_member *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (container_is_whole(fd, m)) {
		cache_dir_used(fd);
		return fd;
	}
	unlink(path);
	close(fd);
	return -1;
}

/* The copy in the cache, made if need be. -1 with *e ST_OK: there can be none, for whatever reason
 * has nothing to do with the archive. */
static int container_cached_copy(const struct zip *z, const struct zip_member *m, const char *dir,
				 struct err *e)
{
	struct err ignored = ERR_INIT;
	struct buf path = BUF_INIT;
	struct cache_part part;
	char name[80];
	int fd = -1;

	if (!container_copy_name(z, m, name, sizeof name))
		return -1;
	buf_addf(&path, "%s/%s", dir, name);
	fd = find_copy(buf_str(&path), m);
	if (fd < 0 && !cache_dir_make(dir, &ignored) &&
	    !cache_part_open(&part, dir, name, true, &ignored)) {
		/* another process may have been faster */
		fd = find_copy(buf_str(&path), m);
		if (fd < 0 && !zip_unpack(z, m, part.fd, e)) {
			fd = fcntl(part.fd, F_DUPFD_CLOEXEC, 0);
			if (!cache_part_keep(&part, dir, name, &ignored))
				cache_dir_trim(dir, cache_limit(), name);
		} else if (e->code == ST_SYS ||
			   e->code == ST_LIMIT) { /* a temporary file may lie elsewhere */
			*e = (struct err)ERR_INIT;
		}
		cache_part_drop(&part);
	}
	buf_release(&path);
	return fd;
}

static int container_unpack(const struct zip *z, const struct zip_member *m,
			    const struct container_options *o, struct err *e)
{
	uint8_t head[8];
	char *dir = o->cache.off   ? NULL
		    : o->cache.dir ? mem_strdup(o->cache.dir)
				   : cache_dir_default();
	int fd = -1;

	e->code = ST_OK;
	/* gigabytes of something else would only fill the disk */
	if (m->method == ZIP_DEFLATED && !zip_head(z, m, head, sizeof head, e) &&
	    !object_is_known(head)) {
		object_refuse(head, sizeof head, e);
		free(dir);
		return -1;
	}
	if (dir && !e->code)
		fd = container_cached_copy(z, m, dir, e);
	free(dir);
	if (fd >= 0 || e->code)
		return fd;
	fd = input_temporary(e);
	if (fd >= 0 && zip_unpack(z, m, fd, e)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

enum status container_open_member(struct object **out, const struct zip *z,
				  const struct zip_member *m, const char *path,
				  const struct container_options *o, struct err *e)
{
	uint64_t offset = 0;
	enum status st = zip_data(z, m, &offset, e);
	int fd;

	if (st)
		return st;
	if (m->method != ZIP_STORED) {
		fd = container_unpack(z, m, o, e);
		offset = 0;
	} else {
		fd = fcntl(z->fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			err_sys(e, "cannot open");
	}
	if (fd < 0)
		return err_failure(e);
	return object_open_part(out, fd, offset, m->size, path, NULL, e);
}

size_t container_split_zip(const char *path, const char **member)
{
	const char *bang = strstr(path, "!/");
	char *copy = mem_strdup(path), *end;
	struct stat sb;
	size_t n = 0;

	if (bang) {
		copy[bang - path] = 0;
		n = !stat(copy, &sb) && S_ISREG(sb.st_mode) ? (size_t)(bang - path) : 0;
		*member = bang + 2;
	}
	while (!n && (end = strrchr(copy, '/')) && end != copy) {
		*end = 0;
		if (stat(copy, &sb))
			continue;
		n = S_ISREG(sb.st_mode) ? (size_t)(end - copy) : 0;
		*member = path + (end - copy) + 1;
		break;
	}
	free(copy);
	return n;
}

static enum status open_in_zip(struct object **out, const char *path, size_t n, const char *member,
			       const struct container_options *o, struct err *e)
{
	char *file = mem_strndup(path, n);
	struct zip z;
	enum status st = zip_open(&z, file, e);
	size_t i = 0;

	free(file);
	if (st)
		return st;
	while (i < z.n && strcmp(z.members[i].name, member) != 0)
		i++;
	st = i < z.n ? container_open_member(out, &z, &z.members[i], path, o, e)
		     : err_set(e, ST_BAD, "the zip file has no member '%s'", member);
	zip_release(&z);
	return st;
}

/* FILE(MEMBER) */
static bool split_library(const char *path, size_t *n_file, size_t *n_member)
{
	size_t n = strlen(path);
	const char *open = n && path[n - 1] == ')' ? strrchr(path, '(') : NULL;

	if (!open || open == path)
		return false;
	*n_file = (size_t)(open - path);
	*n_member = n - *n_file - 2;
	return *n_member > 0;
}

/* A member of a thin archive is a file next to it. */
static enum status open_thin(struct object **out, const char *library, const struct ar_member *m,
			     const struct object_want *want, struct err *e)
{
	struct buf path = BUF_INIT;
	enum status st;

	if (m->name[0] != '/')
		buf_add(&path, library, (size_t)(path_base(library) - library));
	buf_adds(&path, m->name);
	st = object_open_wanted(out, buf_str(&path), want, e);
	if (st)
		err_prefix(e, "member of a thin archive, %s", buf_str(&path));
	buf_release(&path);
	return st;
}

static enum status container_open_in_library(struct object **out, const char *path, size_t n,
					     size_t n_member, const struct container_options *o,
					     struct err *e)
{
	char *file = mem_strndup(path, n), *arch = access(file, F_OK) ? strrchr(file, ':') : NULL;
	struct object_want want = o->want;
	const struct ar_member *m;
	enum status st;
	struct ar a;
	int fd;

	if (arch && arch[1]) { /* LIBRARY:ARCH(MEMBER) */
		*arch = 0;
		want.arch = arch + 1;
	}
	st = ar_open(&a, file, &want, e);
	if (st) {
		free(file);
		return st;
	}
	m = ar_find(&a, NULL, path + n + 1, n_member);
	if (!m) {
		st = err_set(e, ST_BAD, "the archive has no member '%.*s'", (int)n_member,
			     path + n + 1);
	} else if (a.thin) {
		st = open_thin(out, file, m, &want, e);
	} else {
		fd = fcntl(a.fd, F_DUPFD_CLOEXEC, 0);
		st = fd < 0 ? err_sys(e, "cannot open")
			    : object_open_part(out, fd, m->offset, m->size, path, &want, e);
	}
	ar_release(&a);
	free(file);
	return st;
}

static enum status container_whole_zip(const char *path, struct err *e)
{
	const char *name = NULL;
	size_t n = 0;
	struct zip z;
	enum status st = zip_open(&z, path, e);

	if (st)
		return st;
	for (size_t i = 0; i < z.n; i++)
		if (container_is_library(z.members[i].name)) {
			name = name ? name : z.members[i].name;
			n++;
		}
	st = n ? err_set(e, ST_UNSUPPORTED,
			 "a zip file: name a library in it (there are %zu), as in %s!/%s", n,
			 path_base(path), name)
	       : err_set(e, ST_UNSUPPORTED, "a zip file without a library");
	zip_release(&z);
	return st;
}

static enum status whole_library(const char *path, const struct object_want *want, struct err *e)
{
	const char *arch =
	    want->arch && object_archs(path, &(const char *){NULL}, 1) ? want->arch : NULL;
	struct ar a;
	enum status st = ar_open(&a, path, want, e);

	if (st)
		return st;
	st = coff_library_refuse(&a, e);
	if (st == ST_NONE)
		st = a.n ? err_set(e, ST_UNSUPPORTED,
				   "a static library: name a member of it (there are %zu), as in "
				   "%s%s%s(%s)",
				   a.n, path_base(path), arch ? ":" : "", arch ? arch : "",
				   path_base(a.members[0].name))
			 : err_set(e, ST_UNSUPPORTED, "a static library without members");
	ar_release(&a);
	return st;
}

enum status container_open(struct object **out, const char *path, const struct container_options *o,
			   struct err *e)
{
	size_t n, n_member;
	const char *member = NULL;
	struct stat sb;
	enum status st;

	if (!stat(path, &sb)) {
		if (S_ISDIR(sb.st_mode))
			return object_open_bundle(out, path, &o->want, e);
		if (S_ISREG(sb.st_mode) && zip_looks_like(path))
			return container_whole_zip(path, e);
		if (S_ISREG(sb.st_mode) && ar_looks_like(path, &o->want))
			return whole_library(path, &o->want, e);
		return object_open_wanted(out, path, &o->want, e);
	}
	if (split_library(path, &n, &n_member))
		return container_open_in_library(out, path, n, n_member, o, e);
	n = container_split_zip(path, &member);
	if (n)
		return open_in_zip(out, path, n, member, o, e);
	member = strrchr(path, ':');
	if (member && member[1]) {
		struct container_options of = *o;
		char *file = mem_strndup(path, (size_t)(member - path));

		of.want.arch = member + 1;
		st = access(file, F_OK) ? ST_NONE : container_open(out, file, &of, e);
		free(file);
		if (st != ST_NONE)
			return st;
	}
	return object_open_wanted(out, path, &o->want, e);
}

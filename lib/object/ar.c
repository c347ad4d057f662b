/* SPDX-License-Identifier: MIT */
#include "lib/object/ar.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/read_at.h"
#include "lib/object/impl.h"
#include "lib/object/mach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAGIC = 8,
	HEADER = 60,
	NAME = 16,
	TIME_AT = 16,
	TIME = 12,
	SIZE_AT = 48,
	SIZE = 10,
	NAME_MAX_BYTES = 4096,
	LONG_NAMES_MAX = 64 << 20,
};

static enum status read_bytes(const struct ar *a, uint64_t offset, void *to, size_t n,
			      struct err *e)
{
	if (offset > a->size || n > a->size - offset)
		return err_at(e, ST_BAD, offset,
			      "%zu bytes lie outside the archive of %" PRIu64 " bytes", n, a->size);
	return read_at(a->fd, a->base, offset, to, n, e);
}

/* A field of a header: digits and blanks. */
static bool field(const char *p, size_t n, uint64_t *v)
{
	while (n && p[n - 1] == ' ')
		n--;
	return num_dec(p, n, v);
}

/* One header on its way to a member. */
struct header {
	uint64_t at, data, size, time;
	char name[NAME];
};

static enum status read_header(const struct ar *a, uint64_t at, struct header *h, struct err *e)
{
	char bytes[HEADER];
	enum status st = read_bytes(a, at, bytes, HEADER, e);

	if (st)
		return st;
	if (bytes[HEADER - 2] != '`' || bytes[HEADER - 1] != '\n' ||
	    !field(bytes + SIZE_AT, SIZE, &h->size))
		return err_at(e, ST_BAD, at, "not the header of a member");
	h->at = at;
	h->data = at + HEADER;
	if (!field(bytes + TIME_AT, TIME, &h->time))
		h->time = 0;
	memcpy(h->name, bytes, NAME);
	return ST_OK;
}

static bool is_called(const struct header *h, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(h->name, name, n) != 0)
		return false;
	while (n < NAME && h->name[n] == ' ')
		n++;
	return n == NAME;
}

/* What is no member: symbols ("/", "/SYM64/", "__.SYMDEF") and names ("//"). */
static bool is_table(const struct header *h)
{
	return is_called(h, "/") || is_called(h, "/SYM64/") || is_called(h, "//") ||
	       !strncmp(h->name, "__.SYMDEF", 9);
}

static enum status read_long_names(struct ar *a, const struct header *h, struct err *e)
{
	if (a->long_names)
		return err_at(e, ST_BAD, h->at,
			      "a second table of long names is in the "
			      "archive");
	if (h->size > LONG_NAMES_MAX)
		return err_at(e, ST_LIMIT, h->at,
			      "impossible size of the table of long "
			      "names: %" PRIu64 " bytes",
			      h->size);
	if (h->size > a->size - h->data)
		return err_at(e, ST_BAD, h->at, "long names lie outside the archive");
	a->long_names = mem_alloc((size_t)h->size + 1);
	a->n_long_names = h->size;
	return read_bytes(a, h->data, a->long_names, (size_t)h->size, e);
}

static enum status long_name(struct ar *a, const struct header *h, const char **name, struct err *e)
{
	uint64_t at;
	size_t n = 0;

	if (!field(h->name + 1, NAME - 1, &at) || at >= a->n_long_names)
		return err_at(e, ST_BAD, h->at, "a long name is not in the table of names");
	while (at + n < a->n_long_names && a->long_names[at + n] != '\n' && a->long_names[at + n])
		n++;
	if (n && a->long_names[at + n - 1] == '/')
		n--;
	if (n > NAME_MAX_BYTES)
		return err_at(e, ST_LIMIT, h->at, "impossible name length: %zu bytes", n);
	*name = arena_strndup(&a->names, a->long_names + at, n);
	return ST_OK;
}

/* BSD: "#1/LENGTH", and the name before the contents. */
static enum status name_inside(struct ar *a, struct header *h, const char **name, struct err *e)
{
	char bytes[NAME_MAX_BYTES + 1];
	enum status st;
	uint64_t n;

	if (!field(h->name + 3, NAME - 3, &n) || n > h->size || n > NAME_MAX_BYTES)
		return err_at(e, ST_BAD, h->at, "a name is longer than its member");
	st = read_bytes(a, h->data, bytes, (size_t)n, e);
	if (st)
		return st;
	bytes[n] = 0;
	h->data += n;
	h->size -= n;
	*name = arena_strndup(&a->names, bytes, strlen(bytes));
	return ST_OK;
}

static enum status ar_read_member(struct ar *a, struct header *h, struct err *e)
{
	const char *name = "";
	enum status st = ST_OK;
	size_t n = NAME;

	if (h->name[0] == '/') {
		st = long_name(a, h, &name, e);
	} else if (!strncmp(h->name, "#1/", 3)) {
		st = name_inside(a, h, &name, e);
	} else {
		while (n && h->name[n - 1] == ' ')
			n--;
		if (n && h->name[n - 1] == '/')
			n--;
		name = arena_strndup(&a->names, h->name, n);
	}
	if (st)
		return st;
	if (!a->thin && h->size > a->size - h->data)
		return err_at(e, ST_BAD, h->at,
			      "member of %" PRIu64 " bytes lies outside the archive of %" PRIu64,
			      h->size, a->size);
	if (!strncmp(name, "__.SYMDEF", 9))
		return ST_OK;
	VEC_PUSH(a->members, a->n, a->cap) =
	    (struct ar_member){name, a->thin ? 0 : a->base + h->data, h->size, h->time};
	return ST_OK;
}

static enum status ar_read_members(struct ar *a, struct err *e)
{
	uint64_t at = MAGIC;

	while (at < a->size) {
		struct header h = {0};
		enum status st = read_header(a, at, &h, e);
		bool table = !st && is_table(&h), here = table || !a->thin;
		uint64_t size = h.size;

		if (!st && here && size > a->size - h.data)
			st = err_at(e, ST_BAD, at,
				    "member of %" PRIu64
				    " bytes lies outside the archive of %" PRIu64,
				    size, a->size);
		if (!st && is_called(&h, "//"))
			st = read_long_names(a, &h, e);
		else if (!st && !table)
			st = ar_read_member(a, &h, e);
		if (st)
			return st;
		at += HEADER + (here ? size + (size & 1) : 0);
	}
	return ST_OK;
}

static bool is_magic(const char *p)
{
	return !memcmp(p, "!<arch>\n", MAGIC) || !memcmp(p, "!<thin>\n", MAGIC);
}

/* Up to the magic. */
static enum status open_magic(struct ar *a, const char *path, const struct object_want *want,
			      struct err *e)
{
	struct object_image f = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
	char magic[MAGIC] = "";
	enum status st = ST_OK;
	struct stat sb;

	*a = (struct ar){.fd = f.fd};
	if (a->fd < 0)
		return err_sys(e, "cannot open");
	if (fstat(a->fd, &sb))
		return err_sys(e, "stat");
	f.size = (uint64_t)sb.st_size;
	if (S_ISREG(sb.st_mode) && sb.st_size >= MAGIC)
		st = mach_narrow(&f, want, e);
	a->base = f.base;
	a->size = f.size;
	if (!st && S_ISREG(sb.st_mode) && f.size >= MAGIC)
		st = read_bytes(a, 0, magic, MAGIC, e);
	if (!st && !is_magic(magic))
		st = err_set(e, ST_UNSUPPORTED, "not an archive");
	a->thin = magic[2] == 't';
	return st;
}

enum status ar_open(struct ar *a, const char *path, const struct object_want *want, struct err *e)
{
	enum status st = open_magic(a, path, want, e);

	if (!st)
		st = ar_read_members(a, e);
	if (st)
		ar_release(a);
	return st;
}

void ar_release(struct ar *a)
{
	if (a->fd > 0)
		close(a->fd);
	free(a->members);
	free(a->long_names);
	arena_release(&a->names);
	*a = (struct ar){.fd = -1};
}

bool ar_looks_like(const char *path, const struct object_want *want)
{
	struct err ignored = ERR_INIT;
	struct ar a;
	bool is = !open_magic(&a, path, want, &ignored);

	ar_release(&a);
	return is;
}

const struct ar_member *ar_find(const struct ar *a, const struct ar_member *behind,
				const char *name, size_t n)
{
	for (size_t i = behind ? (size_t)(behind - a->members) + 1 : 0; i < a->n; i++) {
		const char *all = a->members[i].name, *base = strrchr(all, '/');

		if (strlen(all) == n && !memcmp(all, name, n))
			return &a->members[i];
		if (base && strlen(base + 1) == n && !memcmp(base + 1, name, n))
			return &a->members[i];
	}
	return NULL;
}

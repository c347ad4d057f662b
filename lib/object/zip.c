/* SPDX-License-Identifier: MIT */
#include "lib/object/zip.h"

#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/read_at.h"
#include "lib/object/map.h"
#include "lib/pack/deflate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	END = 22,         /* end of central directory */
	END_LOCATOR = 20, /* zip64 */
	END64 = 56,
	ENTRY = 46,
	LOCAL = 30,
	COMMENT_MAX = 65535,
	NAME_MAX_BYTES = 4096,
	CHUNK = 1 << 18,
};

#define DIRECTORY_MAX (UINT64_C(1) << 30)
#define MEMBER_MAX    (UINT64_C(16) << 30)
#define RATIO         1032 /* most that deflate makes of a byte */

static enum status read_bytes(const struct zip *z, uint64_t offset, void *to, size_t n,
			      struct err *e)
{
	if (offset > z->size || n > z->size - offset)
		return err_at(e, ST_BAD, offset, "%zu bytes lie outside the zip file of %" PRIu64,
			      n, z->size);
	return read_at(z->fd, 0, offset, to, n, e);
}

struct directory {
	uint64_t offset, size, n;
};

/* The end record is the last one whose comment reaches the file's end. */
static enum status zip_find_end(const struct zip *z, uint64_t *at, uint8_t *end, struct err *e)
{
	size_t n = z->size < END + COMMENT_MAX ? (size_t)z->size : END + COMMENT_MAX;
	uint8_t *tail = mem_alloc(n + 1);
	enum status st = read_bytes(z, z->size - n, tail, n, e);

	for (size_t i = n; !st && i >= END; i--) {
		const uint8_t *p = tail + i - END;

		if (memcmp(p, "PK\5\6", 4) != 0 || le16(p + 20) != n - i)
			continue;
		memcpy(end, p, END);
		*at = z->size - n + i - END;
		free(tail);
		return ST_OK;
	}
	free(tail);
	return st ? st
		  : err_set(e, ST_BAD,
			    "the zip file has no end of its directory: cut "
			    "short?");
}

static enum status zip_find_directory(const struct zip *z, struct directory *d, struct err *e)
{
	uint8_t end[END], locator[END_LOCATOR], end64[END64];
	struct cursor c;
	uint64_t at = 0;
	enum status st = zip_find_end(z, &at, end, e);

	if (st)
		return st;
	cursor_init(&c, end, END, at, e);
	cursor_skip(&c, 10, "end of directory");
	d->n = cursor_u16(&c);
	d->size = cursor_u32(&c);
	d->offset = cursor_u32(&c);
	if (at < END_LOCATOR || read_bytes(z, at - END_LOCATOR, locator, END_LOCATOR, e) ||
	    memcmp(locator, "PK\6\7", 4) != 0)
		return ST_OK;
	cursor_init(&c, locator, END_LOCATOR, at - END_LOCATOR, e);
	cursor_skip(&c, 8, "zip64 locator");
	at = cursor_u64(&c);
	st = read_bytes(z, at, end64, END64, e);
	if (st)
		return st;
	if (memcmp(end64, "PK\6\6", 4) != 0)
		return err_at(e, ST_BAD, at, "not the zip64 end of the directory");
	cursor_init(&c, end64, END64, at, e);
	cursor_skip(&c, 32, "zip64 end of directory");
	d->n = cursor_u64(&c);
	d->size = cursor_u64(&c);
	d->offset = cursor_u64(&c);
	return ST_OK;
}

/* The sizes that do not fit into 32 bits are in an extra field, those only, in this order. */
static void zip_parse_extra(struct zip_member *m, const uint8_t *p, size_t n, uint64_t at)
{
	struct err e = ERR_INIT;
	struct cursor c;

	cursor_init(&c, p, n, at, &e);
	while (!cursor_failed(&c) && cursor_window(&c) >= 4) {
		unsigned id = cursor_u16(&c), size = cursor_u16(&c);
		struct cursor x;
		const uint8_t *field = cursor_bytes(&c, size, "extra field");

		if (!field || id != 1)
			continue;
		cursor_init(&x, field, size, at, &e);
		if (m->size == UINT32_MAX)
			m->size = cursor_u64(&x);
		if (m->packed == UINT32_MAX)
			m->packed = cursor_u64(&x);
		if (m->header == UINT32_MAX)
			m->header = cursor_u64(&x);
	}
}

static enum status zip_parse_entry(struct zip *z, struct cursor *c)
{
	const uint8_t *magic = cursor_bytes(c, 4, "directory entry"), *name, *extra;
	uint64_t at = cursor_offset(c);
	size_t n_name, n_extra, n_comment;
	struct zip_member m = {0};

	if (magic && memcmp(magic, "PK\1\2", 4) != 0)
		return cursor_fail(c, ST_BAD, "not an entry of a zip directory");
	cursor_skip(c, 4, "directory entry");
	m.encrypted = cursor_u16(c) & 1;
	m.method = cursor_u16(c);
	cursor_skip(c, 4, "directory entry");
	m.crc = cursor_u32(c);
	m.packed = cursor_u32(c);
	m.size = cursor_u32(c);
	n_name = cursor_u16(c);
	n_extra = cursor_u16(c);
	n_comment = cursor_u16(c);
	cursor_skip(c, 8, "directory entry");
	m.header = cursor_u32(c);
	name = cursor_bytes(c, n_name, "name of a member");
	extra = cursor_bytes(c, n_extra, "extra field");
	cursor_skip(c, n_comment, "comment");
	if (cursor_failed(c))
		return err_failure(c->e);
	zip_parse_extra(&m, extra, n_extra, at);
	if (n_name && n_name <= NAME_MAX_BYTES && !memchr(name, 0, n_name) &&
	    name[n_name - 1] != '/') {
		m.name = arena_strndup(&z->names, (const char *)name, n_name);
		VEC_PUSH(z->members, z->n, z->cap) = m;
	}
	return ST_OK;
}

static enum status zip_read_directory(struct zip *z, struct err *e)
{
	struct directory d;
	enum status st = zip_find_directory(z, &d, e);
	uint8_t *bytes;
	struct cursor c;

	if (st)
		return st;
	if (d.size > DIRECTORY_MAX || d.offset > z->size || d.size > z->size - d.offset)
		return err_at(e, ST_BAD, d.offset,
			      "a zip directory of %" PRIu64
			      " bytes lies outside the file of %" PRIu64,
			      d.size, z->size);
	if (d.n > d.size / ENTRY)
		return err_at(e, ST_BAD, d.offset,
			      "%" PRIu64 " members are more than the zip directory holds", d.n);
	bytes = mem_alloc((size_t)d.size + 1);
	st = read_bytes(z, d.offset, bytes, (size_t)d.size, e);
	cursor_init(&c, bytes, (size_t)d.size, d.offset, e);
	for (uint64_t i = 0; !st && i < d.n; i++)
		st = zip_parse_entry(z, &c);
	free(bytes);
	return st;
}

enum status zip_open(struct zip *z, const char *path, struct err *e)
{
	enum status st;
	struct stat sb;
	char magic[4];

	*z = (struct zip){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
	if (z->fd < 0)
		return err_sys(e, "cannot open");
	if (fstat(z->fd, &sb))
		st = err_sys(e, "stat");
	else if (!S_ISREG(sb.st_mode))
		st = err_set(e, ST_UNSUPPORTED, "not a regular file");
	else {
		z->size = (uint64_t)sb.st_size;
		st = z->size < END ? err_set(e, ST_UNSUPPORTED, "not a zip file")
				   : read_bytes(z, 0, magic, 4, e);
	}
	if (!st && memcmp(magic, "PK\3\4", 4) != 0 && memcmp(magic, "PK\5\6", 4) != 0)
		st = err_set(e, ST_UNSUPPORTED, "not a zip file");
	if (!st)
		st = zip_read_directory(z, e);
	if (st)
		zip_release(z);
	return st;
}

void zip_release(struct zip *z)
{
	if (z->fd > 0)
		close(z->fd);
	free(z->members);
	arena_release(&z->names);
	*z = (struct zip){.fd = -1};
}

bool zip_looks_like(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char magic[4] = "";
	bool is = fd >= 0 && pread(fd, magic, 4, 0) == 4 &&
		  (!memcmp(magic, "PK\3\4", 4) || !memcmp(magic, "PK\5\6", 4));

	if (fd >= 0)
		close(fd);
	return is;
}

enum status zip_data(const struct zip *z, const struct zip_member *m, uint64_t *offset,
		     struct err *e)
{
	uint8_t local[LOCAL];
	enum status st = m->encrypted ? err_set(e, ST_UNSUPPORTED, "%s: encrypted", m->name)
				      : read_bytes(z, m->header, local, LOCAL, e);

	if (st)
		return st;
	if (memcmp(local, "PK\3\4", 4) != 0)
		return err_at(e, ST_BAD, m->header, "%s: not a member's header", m->name);
	*offset = m->header + LOCAL + le16(local + 26) + le16(local + 28);
	if (*offset > z->size || m->packed > z->size - *offset)
		return err_at(e, ST_BAD, *offset, "%s: %" PRIu64 " bytes lie outside the file",
			      m->name, m->packed);
	if (m->method == ZIP_STORED && m->size != m->packed)
		return err_at(e, ST_BAD, m->header, "%s: stored with two different sizes", m->name);
	return ST_OK;
}

struct peeked {
	struct inflate_to to; /* first */
	uint8_t *head;
	size_t n, got;
};

static size_t zip_peek_room(struct inflate_to *to, uint8_t **place)
{
	struct peeked *p = (struct peeked *)to;

	*place = p->head + p->got;
	return p->n - p->got;
}

static void zip_peek_consumed(struct inflate_to *to, size_t n)
{
	struct peeked *p = (struct peeked *)to;

	p->got += n;
}

enum status zip_head(const struct zip *z, const struct zip_member *m, uint8_t *head, size_t n,
		     struct err *e)
{
	struct peeked p = {.to = {zip_peek_room, zip_peek_consumed}, .head = head, .n = n};
	uint64_t offset = 0;
	uint8_t packed[512];
	size_t size = m->packed < sizeof packed ? (size_t)m->packed : sizeof packed;
	enum status st = zip_data(z, m, &offset, e);

	memset(head, 0, n);
	if (!st)
		st = read_bytes(z, offset, packed, size, e);
	if (st)
		return st;
	if (m->method == ZIP_STORED)
		memcpy(head, packed, size < n ? size : n);
	else if (m->method == ZIP_DEFLATED) /* it ends early, which is no matter here */
		(void)!inflate_raw(&p.to, packed, size);
	return ST_OK;
}

struct unpacked {
	struct inflate_to to; /* first */
	int fd;
	uint64_t left; /* bytes that may still come, and one more */
	uint32_t crc;
	int error; /* errno of a failed write */
	uint8_t bytes[CHUNK];
};

static size_t zip_room(struct inflate_to *to, uint8_t **place)
{
	struct unpacked *u = (struct unpacked *)to;

	*place = u->bytes;
	return u->error ? 0 : u->left < CHUNK ? (size_t)u->left : CHUNK;
}

static void zip_consumed(struct inflate_to *to, size_t n)
{
	struct unpacked *u = (struct unpacked *)to;
	const uint8_t *p = u->bytes;

	u->left -= n;
	u->crc = crc32_add(u->crc, p, n);
	while (n && !u->error) {
		ssize_t put = write(u->fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			u->error = errno;
			return;
		}
		p += put;
		n -= (size_t)put;
	}
}

enum status zip_unpack(const struct zip *z, const struct zip_member *m, int fd, struct err *e)
{
	struct unpacked *u;
	struct map_piece *map;
	uint64_t offset, left, most;
	const char *why;
	uint8_t *packed;
	uint32_t crc;
	int error;
	enum status st = zip_data(z, m, &offset, e);

	if (st)
		return st;
	if (m->method != ZIP_DEFLATED)
		return err_at(e, ST_UNSUPPORTED, m->header, "%s: unknown compression %u", m->name,
			      m->method);
	if (m->size > MEMBER_MAX)
		return err_at(e, ST_LIMIT, m->header,
			      "%s: %" PRIu64 " bytes are above the "
			      "limit of %" PRIu64,
			      m->name, m->size, MEMBER_MAX);
	most = machine_disk_share(fd);
	if (m->size > most)
		return err_at(e, ST_LIMIT, m->header,
			      "%s: %" PRIu64 " bytes unpacked are above half of the free disk "
			      "space, %" PRIu64 " bytes",
			      m->name, m->size, most);
	if (!m->packed || m->size / RATIO > m->packed)
		return err_at(e, ST_BAD, m->header,
			      "%s: %" PRIu64 " bytes cannot unpack to the stated %" PRIu64, m->name,
			      m->packed, m->size);
	map = map_open(z->fd, offset, m->packed, &packed);
	if (!map)
		return err_sys(e, "map");
	u = mem_zalloc(sizeof *u);
	u->to = (struct inflate_to){zip_room, zip_consumed};
	u->fd = fd;
	u->left = m->size + 1;
	why = inflate_raw(&u->to, packed, (size_t)m->packed);
	left = u->left;
	crc = u->crc;
	error = u->error;
	free(u);
	if (!map_intact(map))
		why = "the file has become shorter";
	map_close(map);
	errno = error;
	if (error)
		return err_sys(e, "%s: write", m->name);
	if (!why && left != 1)
		why = left ? "shorter than stated" : "longer than stated";
	if (!why && crc != m->crc)
		why = "the checksum differs";
	return why ? err_at(e, ST_BAD, offset, "%s: %s", m->name, why) : ST_OK;
}

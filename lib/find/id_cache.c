/* SPDX-License-Identifier: MIT */
#include "lib/find/id_cache.h"

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/index/cache_dir.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	HEAD = 32,
	ENTRY = 38,              /* the shortest */
	LIMIT_CACHE = 512 << 20, /* bytes */
};

static const char magic[8] = "TMIDS";

static void id_cache_read_entries(struct id_cache *c, const uint8_t *p, size_t size, uint64_t count)
{
	struct err e = ERR_INIT;
	struct cursor in;

	if (count > size / ENTRY)
		return;
	c->files = mem_zarray((size_t)count, sizeof *c->files);
	cursor_init(&in, p, size, HEAD, &e);
	for (uint64_t i = 0; i < count; i++) {
		struct id_file f = {.path = NULL};
		const uint8_t *bytes;
		uint32_t *at;

		f.place.device = cursor_u64(&in);
		f.place.inode = cursor_u64(&in);
		f.place.size = cursor_u64(&in);
		f.place.modified = cursor_u64(&in);
		f.flags = cursor_u8(&in);
		f.id.len = cursor_u8(&in);
		f.id.age = cursor_u32(&in);
		bytes = f.id.len <= OBJECT_BUILD_ID_MAX ? cursor_bytes(&in, f.id.len, "id") : NULL;
		if (!bytes)
			return;
		memcpy(f.id.bytes, bytes, f.id.len);
		c->files[c->n++] = f;
		at = map64_put(&c->at, hash_bytes(&f.place, sizeof f.place));
		*at = (uint32_t)c->n;
	}
}

static void id_cache_read_file(struct id_cache *c, int fd)
{
	struct err e = ERR_INIT;
	struct cursor head;
	struct stat st;
	uint8_t *all;
	size_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < HEAD || st.st_size > LIMIT_CACHE)
		return;
	n = (size_t)st.st_size;
	all = mem_alloc(n);
	if (read(fd, all, n) == (ssize_t)n && !memcmp(all, magic, sizeof magic)) {
		uint64_t count, sum;
		uint32_t version;

		cursor_init(&head, all, HEAD, 0, &e);
		cursor_skip(&head, sizeof magic, "magic");
		version = cursor_u32(&head);
		cursor_skip(&head, 4, "zero");
		count = cursor_u64(&head);
		sum = cursor_u64(&head);
		if (version == ID_CACHE_VERSION && sum == hash_bytes(all + HEAD, n - HEAD))
			id_cache_read_entries(c, all + HEAD, n - HEAD, count);
	}
	free(all);
	cache_dir_used(fd);
}

void id_cache_open(struct id_cache *c, const char *cache_dir, const char *folder)
{
	char *real = cache_dir ? realpath(folder, NULL) : NULL;
	struct buf path = BUF_INIT;
	int fd;

	*c = (struct id_cache){.dir = NULL};
	if (!real)
		return;
	c->dir = mem_strdup(cache_dir);
	buf_addf(&path, "ids-%016" PRIx64 ".%d" CACHE_SUFFIX, hash_bytes(real, strlen(real)),
		 ID_CACHE_VERSION);
	c->name = mem_strdup(buf_str(&path));
	free(real);
	path.len = 0;
	buf_addf(&path, "%s/%s", c->dir, c->name);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		id_cache_read_file(c, fd);
		close(fd);
	}
	buf_release(&path);
}

bool id_cache_get(const struct id_cache *c, struct id_file *f)
{
	uint32_t at = map64_get(&c->at, hash_bytes(&f->place, sizeof f->place));

	if (!at || memcmp(&c->files[at - 1].place, &f->place, sizeof f->place) != 0)
		return false;
	f->id = c->files[at - 1].id;
	f->flags = c->files[at - 1].flags;
	return true;
}

static void put(struct buf *b, uint64_t v, unsigned n)
{
	while (n--) {
		buf_addc(b, (char)(v & 0xff));
		v >>= 8;
	}
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t put_out = write(fd, p, n);

		if (put_out <= 0)
			return false;
		p += put_out;
		n -= (size_t)put_out;
	}
	return true;
}

void id_cache_write(const struct id_cache *c, const struct id_file *files, size_t n)
{
	uint64_t settled = ((uint64_t)time(NULL) - 2) * 1000000000, count = 0;
	struct buf body = BUF_INIT, head = BUF_INIT;
	struct err e = ERR_INIT;
	struct cache_part part;

	if (!c->name || cache_dir_make(c->dir, &e) ||
	    cache_part_open(&part, c->dir, c->name, false, &e))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct id_file *f = &files[i];

		if (f->place.modified >= settled)
			continue;
		put(&body, f->place.device, 8);
		put(&body, f->place.inode, 8);
		put(&body, f->place.size, 8);
		put(&body, f->place.modified, 8);
		put(&body, f->flags, 1);
		put(&body, f->id.len, 1);
		put(&body, f->id.age, 4);
		buf_add(&body, f->id.bytes, f->id.len);
		count++;
	}
	buf_add(&head, magic, sizeof magic);
	put(&head, ID_CACHE_VERSION, 4);
	put(&head, 0, 4);
	put(&head, count, 8);
	put(&head, hash_bytes(body.data, body.len), 8);
	if (write_all(part.fd, head.data, head.len) && write_all(part.fd, body.data, body.len))
		cache_part_keep(&part, c->dir, c->name, &e);
	cache_part_drop(&part);
	buf_release(&head);
	buf_release(&body);
}

void id_cache_close(struct id_cache *c)
{
	free(c->dir);
	free(c->name);
	free(c->files);
	map64_release(&c->at);
	*c = (struct id_cache){.dir = NULL};
}

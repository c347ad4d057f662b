/* SPDX-License-Identifier: MIT
 *
 * The cache of build-ids (ids-HASH.1.tmx) of any content, as it is and with magic, version and
 * checksum put right. What is read of it fits its bytes, is found again by its place, and is read
 * again as the same when it is written. A folder that is walked with this cache finds nothing that
 * the cache claims of other files; a file's own build-id is found if it has one.
 */
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/find/id_cache.h"
#include "lib/find/id_index.h"
#include "lib/object/search_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { HEAD = 32 };

static char cache[2048], folder[2048];
static char name[4096]; /* of the file that stands for the folder; found by having one written */

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void remove_all(const char *dir)
{
	DIR *d = opendir(dir);
	char path[4096];

	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (*e->d_name != '.')
			unlink(path);
	}
	if (d)
		closedir(d);
}

static void clean_up(void)
{
	remove_all(cache);
	remove_all(folder);
	rmdir(cache);
	rmdir(folder);
}

static void set_up(void)
{
	const char *tmp = getenv("TMPDIR");
	struct id_cache c;

	snprintf(cache, sizeof cache, "%.2000s/fuzz-ids-XXXXXX", tmp ? tmp : "/tmp");
	snprintf(folder, sizeof folder, "%.2000s/fuzz-dir-XXXXXX", tmp ? tmp : "/tmp");
	must(mkdtemp(cache) && mkdtemp(folder));
	atexit(clean_up);
	id_cache_open(&c, cache, folder);
	must(c.name);
	snprintf(name, sizeof name, "%s/%s", cache, c.name);
	id_cache_close(&c);
}

static void put_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static uint64_t look(size_t most)
{
	struct id_cache c;
	uint64_t h = 0;
	size_t n;

	id_cache_open(&c, cache, folder);
	must(c.n <= most / 34);
	for (size_t i = 0; i < c.n; i++) {
		struct id_file f = {.place = c.files[i].place};

		must(c.files[i].id.len <= OBJECT_BUILD_ID_MAX);
		must(id_cache_get(&c, &f)); /* this one or a later one of the same place */
	}
	id_cache_write(&c, c.files, c.n);
	n = c.n;
	id_cache_close(&c);
	id_cache_open(&c, cache, folder);
	must(c.n <= n); /* what is too new is not kept */
	for (size_t i = 0; i < c.n; i++) {
		h = hash_bytes_seeded(&c.files[i].place, sizeof c.files[i].place, h);
		h = hash_bytes_seeded(c.files[i].id.bytes, c.files[i].id.len, h);
	}
	id_cache_close(&c);
	return h;
}

/* Files of which the cache knows nothing, or lies. */
static void walk(const uint8_t *data, size_t n)
{
	const char *dirs[] = {folder};
	struct id_index_options o = {.dirs = dirs, .n_dirs = 1, .cache = cache, .jobs = 1};
	struct object_build_id nobodys = {.len = 20, .bytes = {1, 2, 3}};
	struct id_index *x = id_index_new(&o);
	struct search_log log = {0};
	struct err e = ERR_INIT;
	struct object *obj;
	char path[4096];

	snprintf(path, sizeof path, "%s/x", folder);
	put_file(path, data, n);
	must(!id_index_find(x, &nobodys, OBJECT_DEBUG, 0, &log));
	if (!object_open_memory(&obj, data, n, &e)) {
		const struct object_build_id *id = object_build_id(obj);
		const char *found = NULL;

		for (unsigned part = OBJECT_DEBUG; id->len && part <= OBJECT_BINARY; part++)
			found = id_index_find(x, id, (enum object_part)part, 0, &log);
		must(!found || !strcmp(found, path));
		object_free(obj);
	}
	must(id_index_counts(x).walked);
	id_index_free(x);
	search_log_release(&log);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t head[16] = {'T', 'M', 'I', 'D', 'S', 0, 0, 0, ID_CACHE_VERSION};
	uint64_t sum, once;
	uint8_t *copy;

	if (!*cache)
		set_up();
	put_file(name, data, n);
	look(n);
	if (n >= HEAD) {
		copy = mem_alloc(n);
		memcpy(copy, data, n);
		memcpy(copy, head, sizeof head);
		sum = hash_bytes(copy + HEAD, n - HEAD);
		for (int i = 0; i < 8; i++)
			copy[24 + i] = (uint8_t)(sum >> 8 * i);
		put_file(name, copy, n);
		free(copy);
		once = look(n);
		must(look(n) == once);
	}
	if (n > 4 && !memcmp(data, "\177ELF", 4))
		walk(data, n);
	return 0;
}

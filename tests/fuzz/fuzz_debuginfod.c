/* SPDX-License-Identifier: MIT
 *
 * An answer of a debuginfod server, as the cache keeps it: a file of any bytes under the name
 * of a build-id. It is given out only for the build-id that it really has, and gone when it has
 * another one or none; no server is there to ask.
 */
#include "lib/find/debuginfod.h"
#include "lib/object/search_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char cache[2048], path[4096];

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void clean_up(void)
{
	unlink(path);
	rmdir(cache);
}

static void put_file(const struct object_build_id *id, enum object_part part, const void *p,
		     size_t n)
{
	size_t at;
	int fd;

	at = (size_t)snprintf(path, sizeof path, "%s/debuginfod-", cache);
	for (unsigned i = 0; i < id->len; i++)
		at += (size_t)snprintf(path + at, sizeof path - at, "%02x", id->bytes[i]);
	snprintf(path + at, sizeof path - at, "-%s.tmx", part == OBJECT_DEBUG ? "debug" : "binary");
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	close(fd);
}

static void ask(const struct object_build_id *id, bool is_its, enum object_part part, const void *p,
		size_t n)
{
	struct debuginfod_options o = {.seconds = 1, .cache = cache, .limit = UINT64_MAX};
	struct debuginfod *d = debuginfod_new(&o);
	struct search_log log = {0};
	const char *found;

	put_file(id, part, p, n);
	found = debuginfod_find(d, id, part, 0, &log);
	must(is_its ? found && !strcmp(found, path) : !found);
	must((access(path, F_OK) == 0) == is_its);
	must(found || log.n);
	must(!debuginfod_find(d, id, part, 1, &log));
	search_log_release(&log);
	debuginfod_free(d);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct object_build_id nobodys = {.len = 20, .bytes = {0xde, 0xad}};
	enum object_part part = n & 1 ? OBJECT_DEBUG : OBJECT_BINARY;
	const char *tmp = getenv("TMPDIR");
	struct err e = ERR_INIT;
	struct object *o;

	if (!*cache) {
		snprintf(cache, sizeof cache, "%.2000s/fuzz-answers-XXXXXX", tmp ? tmp : "/tmp");
		must(mkdtemp(cache) != NULL);
		atexit(clean_up);
	}
	if (!object_open_memory(&o, data, n, &e)) {
		const struct object_build_id *id = object_build_id(o);

		if (id->len)
			ask(id, true, part, data, n);
		ask(&nobodys, object_build_id_equal(id, &nobodys), part, data, n);
		object_free(o);
	} else {
		ask(&nobodys, false, part, data, n);
	}
	return 0;
}

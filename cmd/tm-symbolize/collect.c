/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/collect.h"

#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what is missing --- */

static bool is_missing(const struct file_found *m)
{
	return m->reason != REASON_RESOLVED ||
	       (m->file && m->file->object && !object_has_dwarf(m->file->object) &&
		!object_is_source(m->file->object));
}

static void add_line(struct buf *b, const struct file_found *m)
{
	for (unsigned i = 0; i < m->id.len; i++)
		buf_add_hex(b, m->id.bytes[i], 2);
	buf_adds(b, m->id.len ? "\t" : "-\t");
	buf_add_escaped(b, m->name, strlen(m->name));
	buf_addf(b, "\t%s\n",
		 m->reason == REASON_RESOLVED ? "no DWARF: its debug file"
					      : reason_text(m->reason));
}

size_t cli_missing(const struct find_files *f)
{
	struct map64 seen = {0};
	struct buf b = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < f->n_found; i++) {
		uint32_t *known;
		size_t from = b.len;

		if (!is_missing(&f->found[i]))
			continue;
		add_line(&b, &f->found[i]);
		known = map64_put(&seen, hash_bytes(b.data + from, b.len - from));
		if (*known)
			b.len = from;
		else
			n++;
		*known = 1;
	}
	cli_print(buf_at(&b, 0), b.len);
	buf_release(&b);
	map64_release(&seen);
	return n;
}

/* --- what is here --- */

void cli_collect_prepare(const struct cli_collect *c)
{
	if (mkdir(c->dir, 0777) && errno != EEXIST) {
		cli_error(c->dir, "--collect: %s", strerror(errno));
		cli_status(EXIT_INPUT);
		exit(cli_exit());
	}
	sandbox_allow(SANDBOX_CACHE, c->dir);
}

static bool make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')); p++) {
		bool failed;

		*p = 0;
		failed = mkdir(path, 0777) && errno != EEXIST;
		*p = '/';
		if (failed)
			return false;
	}
	return true;
}

/* False: errno says why. */
static bool copy_bytes(struct cli_collect *c, int from, int to)
{
	char piece[1 << 16];
	ssize_t n;

	while ((n = read(from, piece, sizeof piece)) > 0) {
		for (ssize_t done = 0, w; done < n; done += w) {
			w = write(to, piece + done, (size_t)(n - done));
			if (w < 0)
				return false;
		}
		c->bytes += (uint64_t)n;
	}
	return !n;
}

/* Aside, and then by its name: a part is no file of this build-id. */
static void collect_keep_file(struct cli_collect *c, const char *from,
			      const struct object_build_id *id, const char *suffix)
{
	char path[4096], aside[4096 + 8];
	int in, out;
	bool kept;

	if (!object_build_id_path(c->dir, id, suffix, path, sizeof path)) {
		c->nameless++;
		return;
	}
	if (!access(path, F_OK)) {
		c->there++;
		return;
	}
	in = open(from, O_RDONLY | O_CLOEXEC);
	snprintf(aside, sizeof aside, "%s.part", path);
	out = in < 0 || !make_folders(path, strlen(c->dir) + 1)
		  ? -1
		  : open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	kept = out >= 0 && copy_bytes(c, in, out);
	if (out >= 0 && close(out))
		kept = false;
	if (kept && rename(aside, path))
		kept = false;
	if (!kept) {
		cli_error(in < 0 ? from : path, "%s", strerror(errno));
		cli_status(EXIT_INPUT);
		if (out >= 0)
			unlink(aside);
	}
	c->files += kept;
	if (in >= 0)
		close(in);
}

static void keep_object(struct cli_collect *c, const char *path, const struct object *o)
{
	const char *debug = object_debug_path(o);

	collect_keep_file(c, path, object_build_id(o), "");
	if (debug && strcmp(debug, path) != 0)
		collect_keep_file(c, debug, object_build_id(o), ".debug");
}

void cli_collect_found(struct cli_collect *c, const struct find_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->items[i]->wanted && f->items[i]->object && !f->items[i]->member)
			keep_object(c, f->items[i]->path, f->items[i]->object);
}

bool cli_collect_binary(struct cli_collect *c, const char *path, const struct object_search *o)
{
	struct object *object = NULL;
	struct err e = ERR_INIT, ignored = ERR_INIT;

	if (object_open(&object, path, &e))
		return false;
	object_find_debug(object, o, &ignored);
	keep_object(c, path, object);
	object_free(object);
	return true;
}

void cli_collect_tell(const struct cli_collect *c)
{
	cli_note(c->dir, "%" PRIu64 " files copied, %" PRIu64 " bytes; %" PRIu64 " were there%s",
		 c->files, c->bytes, c->there,
		 c->nameless ? "; without a build-id, and left out: see -v" : "");
	if (c->nameless)
		cli_info(c->dir, "%" PRIu64 " files have no build-id", c->nameless);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/collect.h"

#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
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

static void add_line(struct buf *b, const struct tracemill_module *m)
{
	bool windows = path_is_of_windows(m->name, strlen(m->name));

	id_text_add(b, windows, m->build_id, m->n_build_id);
	buf_adds(b, m->n_build_id ? "\t" : "-\t");
	buf_add_readable(b, m->name, strlen(m->name));
	buf_addf(b, "\t%s\n",
		 m->reason ? tracemill_reason_text(m->reason)
		 : windows ? "no lines: its PDB was not found"
			   : "no DWARF: its debug file");
}

size_t cli_missing(struct tracemill_trace_symbolizer *trace_symbolizer)
{
	struct tracemill_module m = {.size = sizeof m};
	struct map64 seen = {0};
	struct buf b = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; !tracemill_trace_symbolizer_module(trace_symbolizer, i, &m); i++) {
		uint32_t *known;
		size_t from = b.len;

		if (!m.reason && m.has_lines)
			continue;
		add_line(&b, &m);
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
	if (mkdir(c->dir, 0777) && errno != EEXIST)
		cli_die(c->dir, "--collect: %s", strerror(errno));
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

/* DIR/.build-id/ab/cdef and a suffix; false: it has no build-id, or one that is too short. */
static bool name_by_id(char *path, size_t size, const char *dir, const uint8_t *id, size_t n,
		       const char *suffix)
{
	struct buf b = BUF_INIT;
	bool fits;

	buf_addf(&b, "%s/.build-id/", dir);
	for (size_t i = 0; i < n; i++) {
		buf_add_hex(&b, id[i], 2);
		if (!i)
			buf_addc(&b, '/');
	}
	buf_adds(&b, suffix);
	fits = n > 1 && b.len < size;
	if (fits)
		strcpy(path, buf_str(&b));
	buf_release(&b);
	return fits;
}

/* Aside, and then by its name: a part is no file of this build-id. */
static void collect_keep_file(struct cli_collect *c, const char *from, const uint8_t *id, size_t n,
			      const char *suffix)
{
	char path[4096], aside[4096 + 8];
	int in, out;
	bool kept;

	if (!name_by_id(path, sizeof path, c->dir, id, n, suffix)) {
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

static void keep_binary(struct cli_collect *c, const char *path, const char *debug,
			const uint8_t *id, size_t n)
{
	collect_keep_file(c, path, id, n, "");
	if (*debug && strcmp(debug, path) != 0)
		collect_keep_file(c, debug, id, n, ".debug");
}

void cli_collect_found(struct cli_collect *c, struct tracemill_trace_symbolizer *n)
{
	struct tracemill_file f = {.size = sizeof f};

	for (size_t i = 0; !tracemill_trace_symbolizer_file(n, i, &f); i++)
		if (f.used && f.usable && !f.member)
			keep_binary(c, f.path, f.debug_path, f.captured_id, f.n_captured_id);
}

bool cli_collect_binary(struct cli_collect *c, struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};
	struct tracemill_binary *b;

	if (tracemill_binary_open(s, path, &b) || tracemill_binary_facts(s, b, &facts) ||
	    facts.is_zip)
		return false;
	keep_binary(c, path, facts.debug_path, facts.captured_id, facts.n_captured_id);
	return true;
}

void cli_collect_report(const struct cli_collect *c)
{
	cli_note(c->dir, "%" PRIu64 " files copied, %" PRIu64 " bytes; %" PRIu64 " were there%s",
		 c->files, c->bytes, c->there,
		 c->nameless ? "; without a build-id, and left out: see -v" : "");
	if (c->nameless)
		cli_info(c->dir, "%" PRIu64 " files have no build-id", c->nameless);
}

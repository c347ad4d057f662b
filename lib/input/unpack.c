/* SPDX-License-Identifier: MIT */
#include "lib/input/unpack.h"

#include "lib/base/mem.h"
#include "lib/pack/deflate.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unpack {
	struct unpack_from from;
	struct archive *a;
	struct gunzip *
	    gunzip; /* the outermost layer, of which libarchive would not prove the checksum; or NULL */
	uint64_t at; /* of from, where there is seek */
	bool members, warned;
};

/* Names are given in the encoding of the thread's locale. */
static locale_t utf8;

void unpack_prepare(void)
{
	iconv_t same;

	if (utf8)
		return;
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	same = iconv_open("UTF-8", "UTF-8");
	if (same != (iconv_t)-1)
		iconv_close(same);
}

static la_ssize_t unpack_read(struct archive *a, void *arg, const void **p)
{
	struct unpack *u = arg;
	ssize_t got = u->gunzip ? gunzip_next(u->gunzip, p) : u->from.read(u->from.arg, p);

	if (got < 0) {
		const char *why = u->gunzip ? gunzip_error(u->gunzip) : NULL;

		archive_set_error(a, EIO, "%s", why ? why : "read");
		return ARCHIVE_FATAL;
	}
	u->at += (uint64_t)got;
	return got;
}

static la_int64_t unpack_seek(struct archive *a, void *arg, la_int64_t offset, int whence)
{
	struct unpack *u = arg;
	la_int64_t size = (la_int64_t)u->from.size, to;

	if (whence == SEEK_CUR)
		to = (la_int64_t)u->at;
	else
		to = whence == SEEK_END ? size : 0;
	if (__builtin_add_overflow(to, offset, &to) || to < 0 || to > size ||
	    !u->from.seek(u->from.arg, (uint64_t)to)) {
		archive_set_error(a, EINVAL, "an offset outside of the file");
		return ARCHIVE_FATAL;
	}
	u->at = (uint64_t)to;
	return to;
}

/* The filters that are compiled into libarchive. One that would start a program instead says
 * so by returning ARCHIVE_WARN, but is registered all the same: then all is done again without
 * it. */
static struct archive *unpack_new_stream(void)
{
	static int (*const filters[])(struct archive *) = {
	    archive_read_support_filter_gzip, archive_read_support_filter_zstd,
	    archive_read_support_filter_xz,   archive_read_support_filter_bzip2,
	    archive_read_support_filter_lz4,
	};
	enum { N = sizeof filters / sizeof *filters };
	bool leave_out[N] = {false};

	for (;;) {
		struct archive *a = archive_read_new();
		bool again = false;

		if (!a)
			return NULL;
		for (size_t i = 0; i < N; i++) {
			if (!leave_out[i] && filters[i](a) != ARCHIVE_OK)
				again = leave_out[i] = true;
		}
		if (!again) {
			archive_read_support_format_raw(a);
			archive_read_support_format_empty(a);
			return a;
		}
		archive_read_free(a);
	}
}

static enum unpacked unpack_result(int r)
{
	if (r == ARCHIVE_OK || r == ARCHIVE_WARN)
		return UNPACKED_SOME;
	return r == ARCHIVE_EOF ? UNPACKED_END : r == ARCHIVE_FATAL ? UNPACKED_LOST : UNPACKED_BAD;
}

static struct unpack *unpack_open(struct archive *a, const struct unpack_from *from, bool gzip,
				  enum unpacked *how)
{
	struct unpack *u;

	if (!a)
		return NULL;
	u = mem_zalloc(sizeof *u);
	u->a = a;
	u->from = *from;
	if (gzip)
		u->gunzip = gunzip_new(u->from.read, u->from.arg);
	if (from->seek)
		archive_read_set_seek_callback(a, unpack_seek);
	*how = unpack_result(archive_read_open(a, u, NULL, unpack_read, NULL));
	return u;
}

struct unpack *unpack_stream(const struct unpack_from *from, enum unpacked *how)
{
	struct unpack *u = unpack_open(unpack_new_stream(), from, from->gzip, how);
	struct archive_entry *entry;

	if (u && *how == UNPACKED_SOME)
		*how = unpack_result(archive_read_next_header(u->a, &entry));
	return u;
}

struct unpack *unpack_archive(const struct unpack_from *from, enum unpacked *how)
{
	struct archive *a = archive_read_new();
	struct unpack *u;

	if (a) {
		archive_read_support_format_tar(a);
		if (from->no_directory) {
			archive_read_support_format_zip_streamable(a);
		} else if (from->seek) {
			archive_read_support_format_zip(a);
			archive_read_support_format_7zip(a);
		}
	}
	u = unpack_open(a, from, false, how);
	if (u)
		u->members = true;
	unpack_prepare();
	return u;
}

void unpack_free(struct unpack *u)
{
	if (!u)
		return;
	archive_read_free(u->a);
	gunzip_free(u->gunzip);
	free(u);
}

static enum unpacked next_entry(struct unpack *u, struct unpack_member *m)
{
	struct archive_entry *entry;
	enum unpacked how = unpack_result(archive_read_next_header(u->a, &entry));
	const char *name;

	*m = (struct unpack_member){.name = "?"};
	u->warned = false;
	if (how != UNPACKED_SOME)
		return how;
	name = archive_entry_pathname(entry);
	if (name)
		snprintf(m->name, sizeof m->name, "%s", name);
	m->regular = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
	m->encrypted = archive_entry_is_encrypted(entry) > 0;
	return how;
}

enum unpacked unpack_next(struct unpack *u, struct unpack_member *m)
{
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	enum unpacked how = next_entry(u, m);

	if (utf8)
		uselocale(before);
	return how;
}

/* A member's wrong checksum or size is a warning, with its last bytes. */
enum unpacked unpack_bytes(struct unpack *u, const void **p, size_t *n, uint64_t *at)
{
	la_int64_t offset = 0;
	int r;

	if (u->warned)
		return UNPACKED_BAD;
	*n = 0;
	r = archive_read_data_block(u->a, p, n, &offset);
	*at = (uint64_t)offset;
	u->warned = u->members && r == ARCHIVE_WARN;
	return u->warned && !*n ? UNPACKED_BAD : unpack_result(r);
}

int unpack_layers(const struct unpack *u)
{
	return archive_filter_count(u->a) - 1 + (u->gunzip != NULL);
}

uint64_t unpack_used(const struct unpack *u)
{
	return u->gunzip ? gunzip_used(u->gunzip) : (uint64_t)archive_filter_bytes(u->a, -1);
}

const char *unpack_error_known(const struct unpack *u)
{
	const char *text = archive_error_string(u->a);

	/* What libarchive makes of liblzma's word for the end of an .xz file that is cut. */
	if (text && strstr(text, "No progress is possible"))
		return "truncated xz input";
	return text;
}

const char *unpack_error(const struct unpack *u)
{
	const char *text = unpack_error_known(u);

	return text ? text : "damaged";
}

/* SPDX-License-Identifier: MIT */
#include "lib/input/input.h"

#include "lib/base/bytes.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/input/magic.h"
#include "lib/input/text_mark.h"
#include "lib/input/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 512 << 10, MAX_LAYERS = 4, FIRST_BYTES = 8 };

struct input_source {
	int fd; /* -1: bytes are pulled */
	bool owns_fd, regular;
	struct input_pull pull;
	struct err pull_failed;
	off_t start;     /* of a regular file; standard input may come half read */
	bool started;    /* the first bytes were looked at */
	uint8_t *window; /* bytes as the reader sees them */
	size_t cap;
	struct unpack *unpack; /* NULL: not compressed, read straight into the window */
	uint8_t *raw;          /* the packed bytes it reads; its first ones are n_raw */
	size_t n_raw;
	uint64_t raw_total; /* bytes that were given to it */
	uint64_t skipped;   /* before them */
	int read_errno;     /* of a failed read(2) below it */
	bool spooled;       /* fd is our copy, which ended in spool_end */
	struct err spool_end;
	const char *ends;            /* why, where the bytes end; borrowed, or NULL */
	struct input_digest *digest; /* the caller's, or NULL */
	uint64_t raw_at;             /* the position of reading in the file, for the digest */
	struct err failure; /* met at the end of the window; due when its bytes are used up */
	bool at_end;
	struct text_mark mark;
	void (*watch)(const struct input *in);
	const struct input *watched;
};

static ssize_t read_some(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* The same of the file itself, whose bytes count once however often it is rewound. */
static ssize_t read_source(struct input_source *s, void *p, size_t n)
{
	ssize_t got;

	if (s->fd < 0)
		return s->pull_failed.code ? -1 : s->pull.read(s->pull.arg, p, n, &s->pull_failed);
	got = read_some(s->fd, p, n);
	if (got > 0 && s->digest && !s->spooled) {
		uint64_t end = s->raw_at + (uint64_t)got;

		if (end > s->digest->bytes) {
			size_t fresh = (size_t)(end - s->digest->bytes);

			digest_add(s->digest, (const uint8_t *)p + ((size_t)got - fresh), fresh);
		}
		s->raw_at = end;
	}
	return got;
}

/* Of read_source, with errno as it left it. */
static enum status source_failure(const struct input_source *s, struct err *e)
{
	if (!s->pull_failed.code)
		return err_sys(e, "cannot read");
	*e = s->pull_failed;
	return err_failure(e);
}

static ssize_t input_read_raw(void *arg, const void **p)
{
	struct input_source *s = arg;
	ssize_t got = (ssize_t)s->n_raw;

	*p = s->raw;
	s->n_raw = 0;
	if (!got) {
		got = read_source(s, s->raw, WINDOW);
		if (got < 0) {
			s->read_errno = errno;
			return -1;
		}
	}
	s->raw_total += (uint64_t)got;
	return got;
}

static enum status unpack_failure(struct input_source *s, uint64_t offset, struct err *e)
{
	if (s->read_errno || s->pull_failed.code) {
		errno = s->read_errno;
		return source_failure(s, e);
	}
	return err_at(e, ST_BAD, offset, "compressed data: %s", unpack_error(s->unpack));
}

static enum status input_open_layers(struct input_source *s, struct err *e)
{
	struct unpack_from from = {
	    .arg = s, .read = input_read_raw, .gzip = magic_of_gzip(s->raw, s->n_raw)};
	enum unpacked how = UNPACKED_LOST;

	s->unpack = unpack_stream(&from, &how);
	if (!s->unpack)
		return err_set(e, ST_SYS, "cannot start decompression");
	if (unpack_layers(s->unpack) > MAX_LAYERS)
		return err_set(e, ST_LIMIT, "compressed more than %d times over", MAX_LAYERS);
	if (how == UNPACKED_END) {
		s->at_end = true;
		return ST_OK;
	}
	return how == UNPACKED_SOME ? ST_OK : unpack_failure(s, 0, e);
}

/* Appends at least one byte of the file to the window's *len, which then is at most limit; or sets
 * at_end or failure. The window begins at offset. */
static void fill_plain(struct input_source *s, size_t *len, size_t limit, uint64_t offset)
{
	ssize_t got = read_source(s, s->window + *len, limit - *len);

	if (got < 0)
		source_failure(s, &s->failure);
	else if (!got && s->spooled && s->spool_end.code)
		s->failure = s->spool_end;
	else if (!got && s->ends)
		err_at(&s->failure, ST_BAD, offset + *len, "%s", s->ends);
	else if (!got)
		s->at_end = true;
	else
		*len += (size_t)got;
}

/* The same of what is unpacked of it; the window grows by what a decoder gives at once. */
static void input_fill_unpacked(struct input_source *s, size_t *len, uint64_t offset)
{
	const void *p;
	size_t n;
	uint64_t at;
	enum unpacked how = unpack_bytes(s->unpack, &p, &n, &at);

	if (how == UNPACKED_END) {
		uint64_t used = unpack_used(s->unpack);
		uint8_t byte;

		/* Decoders stop quietly at the first byte that does not begin another member. */
		if (s->raw_total > used || read_source(s, &byte, 1) > 0)
			err_at(&s->failure, ST_BAD, offset,
			       "compressed data: other bytes follow its end, at %" PRIu64
			       " of the compressed file",
			       s->skipped + used);
		else
			s->at_end = true;
	} else if (how != UNPACKED_SOME) {
		unpack_failure(s, offset, &s->failure);
	} else if (n) {
		if (s->cap - *len < n) {
			s->cap = *len + n;
			s->window = mem_realloc(s->window, s->cap, 1);
		}
		memcpy(s->window + *len, p, n);
		*len += n;
	}
}

/* No more than the block for packed bytes holds: the window may have grown in an earlier reading of the
 * same input. */
static void fill_first(struct input_source *s, size_t *len)
{
	while (*len < FIRST_BYTES && !s->at_end && !s->failure.code)
		fill_plain(s, len, WINDOW, 0);
}

/* Frames to be skipped are the same in zstd and lz4, and libarchive takes what begins with one for
 * zstd: so those at the beginning are left out here. */
static void input_skip_frames(struct input_source *s, size_t *len)
{
	while (magic_skippable(s->window, *len)) {
		uint64_t n = MAGIC_SKIPPABLE + (uint64_t)le32(s->window + 4);

		while (n && *len) {
			size_t k = n < *len ? (size_t)n : *len;

			memmove(s->window, s->window + k, *len - k);
			*len -= k;
			s->skipped += k;
			n -= k;
			fill_first(s, len);
		}
		if (n && !s->failure.code)
			err_at(&s->failure, ST_BAD, 0,
			       "compressed data: cut short within a frame to be skipped");
	}
	if (s->skipped && *len && !magic_of_filter(s->window, *len))
		err_at(&s->failure, ST_BAD, 0,
		       "compressed data: neither zstd nor lz4 follows a frame to be skipped");
}

/* Looks at the first bytes and decides whether they need decompression. */
static void start(struct input_source *s, size_t *len)
{
	s->started = true;
	fill_first(s, len);
	input_skip_frames(s, len);
	if (!magic_of_filter(s->window, *len)) {
		*len = s->skipped ? 0 : *len;
		return;
	}
	if (!s->raw)
		s->raw = mem_alloc(WINDOW);
	s->n_raw = *len;
	memcpy(s->raw, s->window, *len);
	*len = 0;
	s->at_end = false;
	s->failure = (struct err)ERR_INIT;
	input_open_layers(s, &s->failure);
}

/* What came behind len may be text with a mark. */
static void decode_text(struct input_source *s, size_t from, size_t *len)
{
	text_mark_decode(&s->mark, &s->window, &s->cap, from, len,
			 s->failure.code ? TEXT_FAILURE
			 : s->at_end     ? TEXT_END
					 : TEXT_MORE);
}

/* Slides the window so that it begins at c->pos and makes it need bytes long, or as long as
 * the input allows. */
static void input_slide(struct cursor *c, size_t need)
{
	struct input_source *s = c->owner;
	uint64_t offset = cursor_offset(c);
	size_t len = cursor_window(c);

	if (!s->window) {
		s->cap = WINDOW;
		s->window = mem_alloc(s->cap);
	} else if (len && c->pos != s->window) {
		memmove(s->window, c->pos, len);
	}
	if (!s->started) {
		start(s, &len);
		decode_text(s, 0, &len);
	}
	while ((len < need || !s->mark.looked) && !s->at_end && !s->failure.code) {
		size_t before = len;

		if (len == s->cap) { /* full of bytes that are there: so doubling is safe */
			s->cap *= 2;
			s->window = mem_realloc(s->window, s->cap, 1);
		}
		if (s->unpack)
			input_fill_unpacked(s, &len, offset + len);
		else /* two bytes of UTF-16 become up to three */
			fill_plain(s, &len, s->mark.utf16 ? len + (s->cap - len + 1) / 2 : s->cap,
				   offset);
		decode_text(s, before, &len);
	}
	c->base = c->pos = s->window;
	c->base_offset = offset;
	c->end = s->window + len;
	c->at_end = s->at_end;
}

static bool input_refill(struct cursor *c, size_t need)
{
	struct input_source *s = c->owner;

	input_slide(c, need);
	if (s->watch)
		s->watch(s->watched);
	if (cursor_window(c) < need && s->failure.code) {
		*c->e = s->failure;
		return false;
	}
	return true;
}

void input_watch(struct input *in, void (*watch)(const struct input *in))
{
	if (!in->source) /* memory is there at once */
		return;
	in->source->watch = watch;
	in->source->watched = in;
}

static void reset_cursor(struct input *in)
{
	static const uint8_t nothing[1];

	in->cur = (struct cursor){.pos = nothing,
				  .end = nothing,
				  .base = nothing,
				  .refill = input_refill,
				  .owner = in->source,
				  .big_endian = in->cur.big_endian,
				  .e = in->cur.e};
}

static enum status input_open_fd(struct input *in, int fd, bool owns, struct err *e)
{
	struct input_source *s;
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			err_set(e, ST_SYS,
				"is a directory (of directories, only uftrace's data is read; for "
				"all captures of a run: tm-session, tm-view)");
		else
			err_sys(e, "cannot read");
		if (owns)
			close(fd);
		return err_failure(e);
	}
	s = in->source = mem_zalloc(sizeof *s);
	s->fd = fd;
	s->owns_fd = owns;
	s->failure = s->pull_failed = (struct err)ERR_INIT;
	if (S_ISREG(st.st_mode)) {
		off_t at = lseek(fd, 0, SEEK_CUR);

		s->regular = at >= 0;
		s->start = at < 0 ? 0 : at;
		in->size = st.st_size > s->start ? (uint64_t)(st.st_size - s->start) : 0;
		posix_fadvise(fd, s->start, 0, POSIX_FADV_SEQUENTIAL);
	}
	in->cur.e = e;
	reset_cursor(in);
	return ST_OK;
}

void input_pulled(struct input *in, const char *name, const struct input_pull *pull, struct err *e)
{
	struct input_source *s = mem_zalloc(sizeof *s);

	*in = (struct input){.name = name, .member = true, .source = s};
	s->fd = -1;
	s->pull = *pull;
	s->failure = s->pull_failed = (struct err)ERR_INIT;
	in->cur.e = e;
	reset_cursor(in);
}

static bool enter_folder(int *fd)
{
	struct stat st;
	int info;

	if (fstat(*fd, &st) || !S_ISDIR(st.st_mode))
		return false;
	info = openat(*fd, "info", O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return false;
	close(*fd);
	*fd = info;
	return true;
}

enum status input_open(struct input *in, const char *path, struct err *e)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	*in = (struct input){.name = standard ? "<stdin>" : path};
	if (fd < 0)
		return err_sys(e, "cannot open");
	if (!standard)
		in->folder = enter_folder(&fd);
	return input_open_fd(in, fd, !standard, e);
}

enum status input_fd(struct input *in, int fd, const char *name, struct err *e)
{
	*in = (struct input){.name = name};
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "cannot rewind");
	return input_open_fd(in, fd, false, e);
}

enum status input_from(struct input *in, int fd, const char *name, const char *ends, struct err *e)
{
	enum status st;

	*in = (struct input){.name = name};
	st = input_open_fd(in, fd, false, e);
	if (!st)
		in->source->ends = ends;
	return st;
}

void input_memory(struct input *in, const char *name, const void *p, size_t n, struct err *e)
{
	*in = (struct input){.name = name, .size = n};
	cursor_init(&in->cur, p, n, 0, e);
}

void input_close(struct input *in)
{
	struct input_source *s = in->source;

	if (s) {
		unpack_free(s->unpack);
		if (s->owns_fd)
			close(s->fd);
		free(s->window);
		free(s->raw);
		text_mark_release(&s->mark);
		free(s);
	}
	*in = (struct input){0};
}

enum status input_head(struct input *in, const uint8_t **p, size_t *got)
{
	struct cursor *c = &in->cur;

	if (c->failed)
		return err_failure(c->e);
	if (in->source && cursor_window(c) < INPUT_HEAD && !c->at_end)
		input_slide(c, INPUT_HEAD);
	if (!cursor_window(c) && !cursor_available(c, 1) && c->failed)
		return err_failure(c->e);
	*p = c->pos;
	*got = cursor_window(c) < INPUT_HEAD ? cursor_window(c) : INPUT_HEAD;
	return ST_OK;
}

/* What was not read of the file's own bytes counts for the digest all the same: those behind a
 * damaged place, which the reader did not ask for. */
static enum status digest_rest(struct input_source *s, struct err *e)
{
	uint8_t *p = mem_alloc(WINDOW);
	ssize_t got;

	if (s->regular)
		lseek(s->fd, s->start + (off_t)s->digest->bytes, SEEK_SET);
	s->raw_at = s->digest->bytes;
	do
		got = read_source(s, p, WINDOW);
	while (got > 0);
	free(p);
	return got < 0 ? err_sys(e, "cannot read") : ST_OK;
}

/* Copies what is left to an unlinked file, and reads that from then on. */
static enum status input_spool(struct input *in)
{
	struct input_source *s = in->source;
	struct cursor *c = &in->cur;
	uint64_t total = 0, most;
	int fd;

	if (c->failed)
		return err_failure(c->e);
	fd = input_temporary(c->e);
	if (fd < 0)
		return err_failure(c->e);
	most = machine_disk_share(fd);
	for (;;) {
		if (!cursor_window(c))
			input_slide(c, 1);
		if (!cursor_window(c))
			break;
		if (total > most) {
			close(fd);
			return cursor_fail(c, ST_LIMIT,
					   "a copy would take more than half of the disk that is "
					   "free for temporary files, %" PRIu64 " bytes",
					   most);
		}
		if (input_temporary_add(fd, c->pos, cursor_window(c), c->e) != ST_OK) {
			c->failed = true;
			close(fd);
			return err_failure(c->e);
		}
		total += cursor_window(c);
		c->pos = c->end;
		if (s->watch)
			s->watch(s->watched);
	}
	if (s->digest && digest_rest(s, c->e)) {
		c->failed = true;
		close(fd);
		return err_failure(c->e);
	}
	if (s->owns_fd)
		close(s->fd);
	unpack_free(s->unpack);
	s->unpack = NULL;
	s->fd = fd;
	s->owns_fd = s->regular = true;
	s->start = 0;
	s->spooled = true;
	s->ends = NULL;
	s->spool_end = s->failure;
	in->size = total;
	return input_rewind(in);
}

enum status input_keep(struct input *in)
{
	return !in->source || in->source->regular ? ST_OK : input_spool(in);
}

int input_file(struct input *in, const char **ends)
{
	if (!in->source || input_rewind(in))
		return -1;
	*ends = in->source->spool_end.code ? in->source->spool_end.msg : NULL;
	return in->source->fd;
}

enum status input_rewind(struct input *in)
{
	struct input_source *s = in->source;

	if (!s) {
		in->cur.pos = in->cur.base;
		in->cur.failed = false;
		return ST_OK;
	}
	if (lseek(s->fd, s->start, SEEK_SET) < 0)
		return err_sys(in->cur.e, "cannot rewind");
	unpack_free(s->unpack);
	s->unpack = NULL;
	s->n_raw = 0;
	s->raw_total = s->skipped = 0;
	s->raw_at = 0;
	s->read_errno = 0;
	s->at_end = false;
	s->failure = (struct err)ERR_INIT;
	s->started = s->spooled; /* a copy has the decompressed bytes */
	text_mark_restart(&s->mark, s->spooled);
	reset_cursor(in);
	return ST_OK;
}

enum status input_random(struct input *in, struct err *e)
{
	struct input_source *s = in->source;
	enum status st = ST_OK;

	if (!s)
		return ST_OK;
	if (!s->started)
		input_slide(&in->cur, 1);
	if (!s->regular || s->unpack || s->mark.length)
		st = input_spool(in);
	if (!st && s->spool_end.code) {
		*e = s->spool_end;
		st = err_failure(e);
	}
	return st;
}

enum status input_at(struct input *in, uint64_t offset, void *p, size_t n, const char *what,
		     struct err *e)
{
	struct input_source *s = in->source;
	uint8_t *to = p;

	if (offset > in->size || n > in->size - offset)
		return err_at(e, ST_BAD, offset, "%s: needs %zu bytes, %" PRIu64 " are left", what,
			      n, offset > in->size ? 0 : in->size - offset);
	if (!s) {
		memcpy(p, in->cur.base + offset, n);
		return ST_OK;
	}
	while (n) {
		ssize_t got = pread(s->fd, to, n, s->start + (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "%s: cannot read", what);
		if (!got)
			return err_at(e, ST_BAD, offset, "%s: the file has become shorter", what);
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return ST_OK;
}

void input_want_digest(struct input *in, struct input_digest *d)
{
	if (in->source)
		in->source->digest = d;
	else
		digest_add(d, in->cur.base, (size_t)(in->cur.end - in->cur.base));
}

enum status input_digest(struct input *in, struct err *e)
{
	struct input_source *s = in->source;
	enum status st = ST_OK;

	if (!s)
		return ST_OK;
	if (!s->spooled) /* else that was done when the copy was made */
		st = digest_rest(s, e);
	digest_end(s->digest);
	return st;
}

uint64_t input_consumed(const struct input *in)
{
	const struct input_source *s = in->source;

	if (s && s->unpack)
		return s->skipped + unpack_used(s->unpack);
	return s && s->mark.utf16 ? s->mark.taken
				  : cursor_offset(&in->cur) + (s ? s->mark.length : 0);
}

uint64_t input_broken(const struct input *in)
{
	return in->source ? text_mark_broken(&in->source->mark) : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Input bytes: a file, a pipe or memory, decompressed on the way (gzip, zstd, xz, bzip2, lz4
 * frames and what else libarchive's filters know; at most 4 layers) and, where a byte order mark
 * says that they are text, made plain UTF-8 (text_mark.h), read through one cursor.
 * The members of an archive are inputs too: members.h.
 */
#ifndef TM_INPUT_INPUT_H
#define TM_INPUT_INPUT_H

#include "lib/base/cursor.h"
#include "lib/input/digest.h"

#include <stdio.h>
#include <sys/types.h>

struct input {
	struct cursor cur;           /* read with cursor_* functions */
	const char *name;            /* as the user gave it; "<stdin>" for - */
	uint64_t size;               /* bytes of the raw file, 0: not known (a pipe) */
	bool folder;                 /* name is a directory, and this the file info in it */
	bool member;                 /* of an archive: name is no path */
	struct input_source *source; /* input.c */
};

/* path "-" is standard input. A directory stands for the file info in it (uftrace's data). Errors
 * of later reads go to *e, which must live as long. */
enum status input_open(struct input *in, const char *path, struct err *e);
/* Over a seekable file that stays the caller's, from its first byte. */
enum status input_fd(struct input *in, int fd, const char *name, struct err *e);
/* Over a file or pipe that stays the caller's, from where it stands. ends: of bytes that end too early,
 * why they do; a borrowed text, or NULL. */
enum status input_from(struct input *in, int fd, const char *name, const char *ends, struct err *e);
/* Over bytes that a function gives, at most n at once; 0: the end; -1: *e says why not. */
struct input_pull {
	void *arg;
	ssize_t (*read)(void *arg, void *p, size_t n, struct err *e);
};
void input_pulled(struct input *in, const char *name, const struct input_pull *pull, struct err *e);
/* Over memory that outlives the input; for tests and fuzzing. As it is, packed and marked. */
void input_memory(struct input *in, const char *name, const void *p, size_t n, struct err *e);
void input_close(struct input *in); /* accepts a zeroed struct */

/* Up to n (at most 64 KiB) first bytes, without moving; *got is how many there are. */
enum { INPUT_HEAD = 64 << 10 };
enum status input_head(struct input *in, const uint8_t **p, size_t *got);

/* Must be called before anything is consumed when the reader will rewind: a pipe is then
 * copied to an unlinked file in $TMPDIR. */
enum status input_keep(struct input *in);
/* Back to the first byte; only after input_keep (or on memory). */
enum status input_rewind(struct input *in);

/* After input_keep, for input_from: the file, at the first byte, which is the input's until input_close.
 * *ends: why what is there ends too early, or NULL. -1: it is memory, or cannot be rewound. */
int input_file(struct input *in, const char **ends);

/* For formats that are read in any order, before anything is consumed: in->size then is how many
 * bytes there are (decompressed ones; what is no plain file is copied to an unlinked one), and
 * input_at reads any of them. The cursor is not to be used after that. */
enum status input_random(struct input *in, struct err *e);
enum status input_at(struct input *in, uint64_t offset, void *p, size_t n, const char *what,
		     struct err *e);

/* A new unlinked file in $TMPDIR, open for reading and writing; -1 is a failure. */
int input_temporary(struct err *e);
/* The same as a stream, which goes away when it is closed; NULL is a failure. */
FILE *input_temporary_file(struct err *e);
/* Writes all n bytes to it; a failure is ST_SYS. */
enum status input_temporary_add(int fd, const uint8_t *p, size_t n, struct err *e);

/* Before anything is read: the raw bytes of the file, as it is compressed, are to be digested.
 * input_digest then reads what is left of them, and only input_close may follow. *d is the caller's
 * from the beginning, zeroed. Of memory it is that of the memory. */
void input_want_digest(struct input *in, struct input_digest *d);
enum status input_digest(struct input *in, struct err *e);

/* Is called now and then while bytes are read, also by a reader that pushes no events until it has
 * them all; in stays where it is until input_close. */
void input_watch(struct input *in, void (*watch)(const struct input *in));
/* Raw bytes consumed so far, to be compared with size, for progress. */
uint64_t input_consumed(const struct input *in);

/* Invalid characters of UTF-16 in what was read so far: they are U+FFFD, or half a one at
 * the end, which is left out. */
uint64_t input_broken(const struct input *in);

#endif

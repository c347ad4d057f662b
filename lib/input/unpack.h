/* SPDX-License-Identifier: MIT
 *
 * Packed bytes, unpacked by libarchive, of which unpack.c is the only user: a stream behind filters (zstd, xz,
 * bzip2, lz4, and gzip, whose outermost layer zlib reads: it proves the checksum), or the members of a zip, tar or
 * 7z file. Nothing is ever written to a file, and a member's name is a text and no more.
 */
#ifndef TM_INPUT_UNPACK_H
#define TM_INPUT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the packed bytes are. */
struct unpack_from {
	void *arg;
	/* The next ones, which stay until the next call; 0: there are no more; -1: a failure, of
	 * which arg knows. */
	ssize_t (*read)(void *arg, const void **p);
	/* To this byte; NULL: they are read front to back. */
	bool (*seek)(void *arg, uint64_t offset);
	uint64_t size;     /* where there is seek */
	bool no_directory; /* of a zip file: front to back all the same */
	bool gzip;         /* of a stream: it begins as a gzip file does */
};

enum unpacked {
	UNPACKED_SOME,
	UNPACKED_END,
	UNPACKED_BAD, /* this stream or member; unpack_error says why */
	UNPACKED_LOST /* and nothing that follows can be read */
};

struct unpack_member {
	char name[1024]; /* cut to this; "?" when it has none */
	bool regular;    /* not a folder, link or device */
	bool encrypted;
};

/* Before files are out of reach: names of members are converted to UTF-8, and the C library opens its
 * tables for that when it is first asked. */
void unpack_prepare(void);

struct unpack; /* opaque */

/* Each returns NULL when memory is short; *how says how the first bytes were taken. */
struct unpack *unpack_stream(const struct unpack_from *from, enum unpacked *how);
struct unpack *unpack_archive(const struct unpack_from *from, enum unpacked *how);
void unpack_free(struct unpack *u); /* accepts NULL */

/* Of an archive, the next member; what is left of the one before is passed over. */
enum unpacked unpack_next(struct unpack *u, struct unpack_member *m);
/* The next bytes of the stream or member, which begin at *at and stay until the next call. What is
 * between the end of the last ones and *at is zero. */
enum unpacked unpack_bytes(struct unpack *u, const void **p, size_t *n, uint64_t *at);

int unpack_layers(const struct unpack *u);              /* of filters */
uint64_t unpack_used(const struct unpack *u);           /* packed bytes that were needed so far */
const char *unpack_error(const struct unpack *u);       /* a word on damage; never NULL */
const char *unpack_error_known(const struct unpack *u); /* or NULL */

#endif

/* SPDX-License-Identifier: MIT
 *
 * zlib, in one place: streams unpacked into buffers that the caller provides, and gzip files, read and written.
 */
#ifndef TM_PACK_DEFLATE_H
#define TM_PACK_DEFLATE_H

#include "lib/base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Where unpacked bytes go: room gives a place and its size, 0 to stop; took says how many bytes
 * were put there. */
struct inflate_to {
	size_t (*room)(struct inflate_to *to, uint8_t **place);
	void (*took)(struct inflate_to *to, size_t n);
};

/* A zlib stream (RFC 1950), as far as there is input and room. NULL, or why it is broken. */
const char *inflate_zlib(struct inflate_to *to, const uint8_t *in, size_t n);
/* The same of a bare stream (RFC 1951), as archives have it. */
const char *inflate_raw(struct inflate_to *to, const uint8_t *in, size_t n);

/* A gzip file (RFC 1952) as it comes: of each of its members the checksum and the size are proved. */
struct gunzip;

/* read: the next packed bytes, which stay until the next call; 0: there are no more; -1: a failure. */
struct gunzip *gunzip_new(ssize_t (*read)(void *arg, const void **p), void *arg);
/* The next bytes, which stay until the next call; 0: the file ends, or what follows is no member;
 * -1: read failed, or the file is damaged, which gunzip_error says. */
ssize_t gunzip_next(struct gunzip *g, const void **p);
uint64_t gunzip_used(const struct gunzip *g);     /* packed bytes that were needed so far */
const char *gunzip_error(const struct gunzip *g); /* NULL: none */
void gunzip_free(struct gunzip *g);               /* accepts NULL */

/* CRC-32 as zlib, gzip and .gnu_debuglink have it, of more bytes; it starts with 0. */
uint32_t crc32_add(uint32_t crc, const void *p, size_t n);

/* A gzip file (RFC 1952) without name and time, so that equal bytes give equal files. */
struct gzip;

struct gzip *gzip_new(FILE *out); /* out must outlive it */
void gzip_write(struct gzip *g, const void *p, size_t n);
/* Writes what is left; the first failure of all. */
enum status gzip_finish(struct gzip *g, struct err *e);
void gzip_free(struct gzip *g); /* accepts NULL */

#endif

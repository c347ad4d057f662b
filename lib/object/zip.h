/* SPDX-License-Identifier: MIT
 *
 * The members of a zip file (symbols.zip, an APK) and where their bytes are. libarchive does not
 * say where in the file a member begins, and a library of hundreds of megabytes that is stored as
 * it is should be read in place; so this reads the central directory itself (PKWARE's APPNOTE.TXT,
 * zip64 included). All that the file says is checked against its size.
 */
#ifndef TM_OBJECT_ZIP_H
#define TM_OBJECT_ZIP_H

#include "lib/base/arena.h"
#include "lib/base/err.h"

#include <stdbool.h>

struct zip_member {
	const char *name; /* NUL-terminated */
	uint64_t header;  /* offset of its local header */
	uint64_t packed, size;
	uint32_t crc;
	uint16_t method; /* ZIP_STORED, ZIP_DEFLATED or another */
	bool encrypted;
};

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

struct zip {
	int fd;
	uint64_t size;
	struct zip_member *members;
	size_t n, cap;
	struct arena names;
};

/* ST_UNSUPPORTED: not a zip file. */
enum status zip_open(struct zip *z, const char *path, struct err *e);
void zip_release(struct zip *z); /* accepts a zeroed struct */
/* True when the file begins as a zip file does. */
bool zip_looks_like(const char *path);

/* Where the bytes of a member begin, packed as they are. */
enum status zip_data(const struct zip *z, const struct zip_member *m, uint64_t *offset,
		     struct err *e);
/* The first n bytes of a member, packed or not; zeroes where it has fewer. */
enum status zip_head(const struct zip *z, const struct zip_member *m, uint8_t *head, size_t n,
		     struct err *e);
/* Writes a deflated member to fd from its start: exactly the bytes that the directory announces, no
 * more than its packed bytes can hold, and its checksum is right; else an error. */
enum status zip_unpack(const struct zip *z, const struct zip_member *m, int fd, struct err *e);

#endif

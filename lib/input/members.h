/* SPDX-License-Identifier: MIT
 *
 * The members of a zip, tar or 7z file, one after another. Each is an input of its own, and is unpacked on the
 * way like any input. None is written to disk; a name is a text for people, wherever it points to. What a member
 * says of its size is not believed.
 *
 * A zip or 7z file is read in any order (input_random), by the directory at its end; a zip file
 * without that, which was cut, front to back, and that is its last word. A tar file is read front to
 * back.
 */
#ifndef TM_INPUT_MEMBERS_H
#define TM_INPUT_MEMBERS_H

#include "lib/input/input.h"

enum archive { ARCHIVE_NONE, ARCHIVE_ZIP, ARCHIVE_7Z, ARCHIVE_TAR, ARCHIVES };

/* A tar file whose first block is damaged or cut, or any other file: who knows better is right. */
enum { MEMBERS_GUESS_BITS = 8 };
/* Which archive's the first bytes are; *bits of them speak for it. */
enum archive members_head(const uint8_t *p, size_t n, int *bits);

/* Of a tar file in volumes, as GNU tar -M writes them, one that goes on with the file that the volume
 * before it was full of. */
bool members_tar_goes_on(const uint8_t *p, size_t n);

struct members; /* opaque */

/* Of an input of which nothing was consumed, and which lives as long. Always returns one; what is
 * wrong is said by members_next. */
struct members *members_new(struct input *in);
void members_free(struct members *m); /* accepts NULL */

/* The next file, folders, links and devices passed over; *member is the caller's to close, before the
 * next call. What is wrong with its bytes goes to *of_member. ST_NONE: there are no more. A failure is
 * that of the archive, goes to *e, and is the last word. */
enum status members_next(struct members *m, struct input *member, struct err *of_member,
			 struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A build-id as people meet it: in one spelling wherever it is printed, so that a search for one finds the others.
 * Files of Windows have the spelling of symbol servers, all others hexadecimal digits.
 */
#ifndef TM_BASE_ID_TEXT_H
#define TM_BASE_ID_TEXT_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A GUID as files have it, and the age behind it. Age 0: it is not known, and nothing is behind the GUID. */
void id_text_add_guid(struct buf *to, const uint8_t guid[16], uint32_t age);
/* An id of n bytes. windows: as captures have it of a program of Windows: 20 bytes are GUID and age, 16 the GUID, and 8 the
 * time stamp and the size in memory. */
void id_text_add(struct buf *to, bool windows, const void *id, size_t n);
/* The bytes of such a text as captures have them, at most size; 0: it is none. windows: Breakpad, Chrome and symbol servers
 * spell an id so, of which a GUID has 32 digits and an age up to 7; 40 digits are the bytes themselves. */
size_t id_text_read(bool windows, const char *s, size_t n, uint8_t *bytes, size_t size);

#endif

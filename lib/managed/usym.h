/* SPDX-License-Identifier: MIT
 *
 * Unity's symbol files of one binary: .usym (version 2), which says native and managed function,
 * file and line of addresses, and usymlite, files and lines only. Little-endian. Facts: .usym from
 * bytes (getsentry/symbolic's fixtures), usymlite from its description:
 *
 *	"usym"  u32 version 2, count; u32 strings: id, name, os, arch; then count records of 36
 *	        bytes: u64 address; u32 strings: native function, native file; u32 native line;
 *	        u32 strings: managed function, managed file; u32 managed line; u32 parent (record
 *	        it was inlined into, ~0: none). Then strings: u16 length and bytes, at offsets from
 *	        the first; 0 is "".
 *	"sym-"  u32 version 2, count; u32 strings: id, os, arch; records of 16 bytes: u64 address,
 *	        u32 file, u32 line. Then strings, which end with NUL.
 *
 * Addresses count from the binary's lowest one. A record holds up to the next one; what has no
 * record for megabytes is no function that goes on, so none reaches farther than USYM_REACH.
 */
#ifndef TM_MANAGED_USYM_H
#define TM_MANAGED_USYM_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct usym;

/* Takes data, which is the caller's no more. ST_BAD: not sound. */
enum status usym_read(struct usym **out, char *data, size_t n, struct err *e);
void usym_free(struct usym *u); /* accepts NULL */

struct usym_text { /* in the file, not NUL-terminated; n 0: none */
	const char *s;
	size_t n;
};

struct usym_facts {
	struct usym_text id, name;
	uint32_t records;
	bool lite;
};
struct usym_facts usym_facts(const struct usym *u);

struct usym_line { /* what lies outside the file is not there */
	struct usym_text native, native_file, managed, managed_file;
	uint32_t native_line, managed_line;
	uint32_t parent; /* number of its record + 1; 0: none */
};

enum { USYM_REACH = 1 << 20 }; /* bytes: a choice of ours, since the format has no ends */

/* The record that holds the address, as number + 1; 0: none does. */
uint32_t usym_at(const struct usym *u, uint64_t at);
struct usym_line usym_line(const struct usym *u, uint32_t i);
uint64_t usym_address(const struct usym *u, uint32_t i);

#endif

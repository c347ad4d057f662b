/* SPDX-License-Identifier: MIT
 *
 * A summary as a file: what CI keeps instead of captures. Little-endian; a file has one form: what
 * is equal is written to equal bytes, rows and strings are in ascending order of their bytes, so
 * that files can be merged front to back.
 *
 *	magic     8 bytes "\211TMA\r\n\032\n"; u16 major 1, u16 minor 0, u32 0
 *	sections  { 4 bytes kind; u32 0; u64 length; u64 checksum }, payload
 *	          checksum: XXH3 of the payload, with the kind as its seed
 *	"strs"    count; count times: length, bytes. Ids count from 1, 0 is none.
 *	"meta"    the sums of this file: count, their keys as string ids; from here on a sum is its
 *	          place in this list. captures, frames, duration (ns); 3 counts of notes; format,
 *	          sampling, options (string ids; format and sampling + 1, and 0: they differ);
 *	          modules: count, pairs of name and build-id; known: per sum state and lack; SUMS of
 *	          all, of all without filters; count of tiers, SUMS each; worst frames: count, per
 *	          frame number (signed) and 4 values
 *	"ctrs"    counters, where there are some: count; per counter name and unit (string ids),
 *	          readings; last, least, largest (signed); their sum (u64, the bits of a double)
 *	"node"    calls of the named stacks: count, per node parent (a smaller id; 0 is the root;
 *ids count from 1) and name, raw name, module (string ids) "rows"    one section per key: its word
 *(string id), known as above, things left out, SUMS of them, 1 when rows have totals, count, rows.
 *A row: name, raw, module, file, line, flags (1 inside, 2 has an address, 4 has totals), [address],
 *for stacks u64 hash, u64 canonical hash, node; SUMS self; SUMS total with flag 4 "end "    u64
 *XXH3 of the checksums before it
 *
 * SUMS: mask of what is known, mask of what is not 0, the values of the second. All integers
 * that are not u16, u32 or u64 above are ULEB128. A higher major version is refused; sections of
 * an unknown kind are passed over.
 *
 * All things of a key are kept, but for stacks: the BASELINE_STACKS largest, the calls of the
 * BASELINE_NAMED largest; the file says how many are missing and what they sum up to. Locations are
 * not kept: an address means something in its own build only.
 */
#ifndef TM_REPORT_BASELINE_H
#define TM_REPORT_BASELINE_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/report/summary.h"

#define BASELINE_MAGIC "\211TMA\r\n\032\n"
enum { BASELINE_STACKS = 100000, BASELINE_NAMED = 20000, BASELINE_MAX = 256 << 20 };

/* Appends the file. */
void baseline_write(const struct things *t, const struct summary *s, struct buf *out);
/* Written aside and renamed: either the whole file is there or the old one. */
enum status baseline_save(const struct things *t, const struct summary *s, const char *path,
			  struct err *e);

/* Whether what begins at the cursor is one. */
bool baseline_is(struct cursor *c);
/* The whole file: things are added to t. *s is released already when it fails. */
enum status baseline_read(struct cursor *c, struct things *t, struct summary *s, struct err *e);

#endif

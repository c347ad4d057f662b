/* SPDX-License-Identifier: MIT
 *
 * Bytes as compressors write them, in the variants that matter to a reader: each filter, what gives
 * much at once (lz4's 4 MiB blocks), what asks for a large window (zstd --long) and what comes
 * before the first frame (skippable frames of zstd and lz4).
 */
#ifndef TM_TESTS_UNIT_PACKED_H
#define TM_TESTS_UNIT_PACKED_H

#include "lib/base/buf.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>

enum packing {
	PACK_NOT,
	PACK_GZIP,
	PACK_BZIP2,
	PACK_XZ,
	PACK_ZSTD,
	PACK_ZSTD_LONG,
	PACK_ZSTD_SKIPPED,
	PACK_LZ4_SMALL,
	PACK_LZ4_LARGE,
	PACK_LZ4_SKIPPED,
	PACKINGS
};

static const struct packing_kind {
	const char *name, *filter, *option, *value;
} packing_kinds[PACKINGS] = {
    {"plain", NULL, NULL, NULL},
    {"gzip", "gzip", "compression-level", "1"},
    {"bzip2", "bzip2", "compression-level", "1"},
    {"xz", "xz", "compression-level", "0"},
    {"zstd", "zstd", "compression-level", "1"},
    {"zstd --long", NULL, NULL, NULL},
    {"zstd, skippable frames", "zstd", "compression-level", "1"},
    {"lz4, blocks of 64 KiB", "lz4", "block-size", "4"},
    {"lz4, blocks of 4 MiB", "lz4", "block-size", "7"},
    {"lz4, skippable frames", "lz4", "block-size", "7"},
};

/* Appends n bytes through one of libarchive's filters, as a raw stream. */
static inline bool pack_by_filter(struct buf *out, const struct packing_kind *k, const void *p,
				  size_t n)
{
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0, room = n + n / 8 + 65536;
	bool ok;

	/* libarchive 3.6.2's lz4 writer, closed before anything was written, reads from NULL */
	if (!n && !strcmp(k->filter, "lz4")) {
		archive_entry_free(entry);
		archive_write_free(a);
		return true;
	}
	ok = archive_write_set_format_raw(a) == ARCHIVE_OK &&
	     archive_write_add_filter_by_name(a, k->filter) == ARCHIVE_OK &&
	     (!k->option ||
	      archive_write_set_filter_option(a, k->filter, k->option, k->value) == ARCHIVE_OK) &&
	     archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
	     archive_write_open_memory(a, buf_reserve(out, room), room, &used) == ARCHIVE_OK;
	archive_entry_set_filetype(entry, AE_IFREG);
	ok = ok && archive_write_header(a, entry) == ARCHIVE_OK &&
	     archive_write_data(a, p, n) == (la_ssize_t)n && archive_write_close(a) == ARCHIVE_OK;
	out->len += used;
	archive_entry_free(entry);
	archive_write_free(a);
	return ok;
}

/* RFC 8878: a frame of raw blocks, whose header asks for a window of 128 MiB, as zstd --long has
 * it for what it does not know the size of. */
static inline void pack_zstd_long(struct buf *out, const uint8_t *p, size_t n)
{
	enum { BLOCK = 128 << 10 };

	buf_add(out, "\x28\xb5\x2f\xfd\x00", 5);
	buf_addc(out, (char)((27 - 10) << 3));
	do {
		size_t k = n < BLOCK ? n : BLOCK;
		uint32_t header = (uint32_t)k << 3 | (k == n); /* bit 0: the last one */

		for (int i = 0; i < 3; i++)
			buf_addc(out, (char)(header >> 8 * i));
		buf_add(out, (const char *)p, k);
		p += k;
		n -= k;
	} while (n);
}

/* Two of them, 0 and 1,000 bytes long; the same in both formats. */
static inline void pack_skippable(struct buf *out)
{
	static const uint8_t empty[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
	static const uint8_t other[] = {0x5f, 0x2a, 0x4d, 0x18, 0xe8, 3, 0, 0};

	buf_add(out, (const char *)empty, sizeof empty);
	buf_add(out, (const char *)other, sizeof other);
	for (int i = 0; i < 1000; i++)
		buf_addc(out, (char)i);
}

/* Appends what a compressor makes of n bytes. */
static inline bool pack(struct buf *out, enum packing how, const void *p, size_t n)
{
	if (how == PACK_NOT) {
		buf_add(out, p, n);
		return true;
	}
	if (how == PACK_ZSTD_LONG) {
		pack_zstd_long(out, p, n);
		return true;
	}
	if (how == PACK_ZSTD_SKIPPED || how == PACK_LZ4_SKIPPED)
		pack_skippable(out);
	return pack_by_filter(out, &packing_kinds[how], p, n);
}

#endif

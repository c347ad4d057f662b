/* SPDX-License-Identifier: MIT */
#include "lib/table/table.h"

struct cell cell_share(uint64_t part, uint64_t whole)
{
	if (!whole)
		return (struct cell){.present = false};
	return cell_number(
	    (uint64_t)(((unsigned __int128)part * 20000 + whole) / ((unsigned __int128)whole * 2)));
}

void size_text(struct buf *out, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;
	unsigned __int128 tenths;

	if (bytes < 1024) {
		buf_addf(out, "%u B", (unsigned)bytes);
		return;
	}
	for (;; unit++) {
		unsigned shift = 10 * (unsigned)(unit + 1);

		tenths = ((unsigned __int128)bytes * 10 + ((uint64_t)1 << (shift - 1))) >> shift;
		/* 1023.96 rounds to 1024.0: the next unit's 1.0 */
		if (tenths < 10240 || !units[unit + 1])
			break;
	}
	buf_addf(out, "%u.%u %ciB", (unsigned)(tenths / 10), (unsigned)(tenths % 10), units[unit]);
}

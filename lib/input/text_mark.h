/* SPDX-License-Identifier: MIT
 *
 * The byte order mark that Windows puts before texts (Unicode 15.0, 23.8): that of UTF-8 is taken
 * off, and UTF-16 after its own, which Windows' shells write, becomes UTF-8 as it is read. Offsets
 * then are those of the text as UTF-8. Anything else stays as it is.
 *
 * The two bytes of UTF-16's mark alone may begin a file of numbers, too: they count where a visible
 * character of ASCII, a blank or a line's end follows, and none of the next two is NUL; or nothing
 * follows.
 */
#ifndef TM_INPUT_TEXT_MARK_H
#define TM_INPUT_TEXT_MARK_H

#include "lib/base/buf.h"

#include <stdbool.h>

struct text_mark { /* zeroed is before the first byte */
	bool looked, utf16, big_endian;
	uint8_t length;        /* bytes of the mark, 0: none */
	uint64_t taken;        /* bytes of UTF-16 that came, with the mark */
	uint64_t broken, most; /* text_mark_broken: of this reading, of all before it */
	struct buf raw, text;  /* raw: what is not converted yet */
};

/* Bytes [from, *n) of *window have come, the file's first ones or those behind the last call's; after
 * says whether more will. Makes of them what a reader is to see; the window may grow. Until enough
 * has come (looked) it leaves them. Where reading fails, a part of a character is left out and not
 * counted: the failure reports it. */
enum text_after { TEXT_MORE, TEXT_END, TEXT_FAILURE };
void text_mark_decode(struct text_mark *m, uint8_t **window, size_t *cap, size_t from, size_t *n,
		      enum text_after after);
/* Lone surrogates, which became U+FFFD, and half a character at the end, which was left out: how
 * many there are in the reading that had most. */
uint64_t text_mark_broken(const struct text_mark *m);
/* Before the first byte again, of the same text or (plain) of what became of it. */
void text_mark_restart(struct text_mark *m, bool plain);
void text_mark_release(struct text_mark *m);

#endif

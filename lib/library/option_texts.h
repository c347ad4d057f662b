/* SPDX-License-Identifier: MIT
 *
 * Copies of the texts that a caller's options point to, in a block of their own outside of any scope.
 */
#ifndef TM_LIBRARY_OPTION_TEXTS_H
#define TM_LIBRARY_OPTION_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/* Where the options have them; unused ones are zeroed. A word may be NULL. */
struct option_texts {
	struct {
		const char *const **items;
		size_t n;
	} lists[5];
	const char **words[6];
};

struct kept_texts { /* zeroed is empty */
	char *bytes;
	const char **lists;
};

/* Points the options to the copies. False: no memory; what is there is for option_texts_release. */
bool option_texts_keep(const struct option_texts *t, struct kept_texts *to);
void option_texts_release(struct kept_texts *k);

#endif

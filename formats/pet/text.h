/* SPDX-License-Identifier: MIT
 *
 * Internal to pet.c: pieces of a log's lines.
 */
#ifndef TM_FORMATS_PET_TEXT_H
#define TM_FORMATS_PET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pet_piece { /* of a line */
	const char *s;
	size_t n;
};

extern const char pet_head[], pet_short[], pet_short_end[], pet_listing[], pet_fence[];

bool pet_is_blank(char c);
bool pet_is_digit(char c);
struct pet_piece piece_trim(struct pet_piece p);
struct pet_piece piece_from(struct pet_piece p, size_t skip);
static inline bool piece_begins(struct pet_piece p, const char *word)
{
	size_t n = strlen(word);

	return p.n >= n && !memcmp(p.s, word, n);
}
const char *piece_find(struct pet_piece p, const char *word);
/* What a program prints that has no name for an address. */
bool pet_no_name(struct pet_piece name);
/* Its bytes at the start of s; 0: none. */
size_t pet_dash(struct pet_piece s);
/* The parenthesis that holds at; NULL: none. */
const char *pet_opening(struct pet_piece s, const char *at);
/* "12)" at the start -> its length and number; 0: none. */
size_t pet_index(struct pet_piece s, uint64_t *index);
/* Where " 13) " is in what follows 12, else its length: line ends may be lost. */
size_t pet_next_index(struct pet_piece s, uint64_t index);
/* Where the next entry or message begins behind the first byte, else its length. */
size_t pet_next_cut(struct pet_piece s);

#endif

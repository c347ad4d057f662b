/* SPDX-License-Identifier: MIT
 *
 * The parser of JSON tokens that lie whole in memory, as nearly all do. What is no such token, or is a rare one,
 * is not judged here: json.c hands it to yajl, whose messages are the ones that users see.
 */
#ifndef TM_INPUT_JSON_TOKEN_H
#define TM_INPUT_JSON_TOKEN_H

#include "lib/base/buf.h"

#include <stdbool.h>

enum json_whole {
	JSON_WHOLE,
	JSON_CUT, /* the bytes end before it is over */
	JSON_ODD  /* not for here */
};

struct json_token {
	const uint8_t *s; /* of a string what is between the quotes, unescaped; may be in scratch */
	size_t n;
	bool ascii;         /* of a string: no byte is above 0x7f */
	const uint8_t *end; /* of JSON_WHOLE: behind it */
};

/* At s a string begins, behind its quote; what it has of escapes is unescaped in scratch. */
enum json_whole json_token_string(const uint8_t *s, const uint8_t *end, struct buf *scratch,
				  struct json_token *t);
/* A number, of which what follows it must be there, too, and be what may follow a value. */
enum json_whole json_token_number(const uint8_t *s, const uint8_t *end, struct json_token *t);
/* true, false or null: *s says which. */
enum json_whole json_token_word(const uint8_t *s, const uint8_t *end, struct json_token *t);

static inline bool json_is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * JSON as events, streamed from a cursor in constant memory through yajl (json.c is its only
 * user). Numbers come as text, so that 64-bit integers stay exact. Several values may follow
 * each other (JSON Lines), with white space, ';' or ',' between them.
 */
#ifndef TM_INPUT_JSON_H
#define TM_INPUT_JSON_H

#include "lib/base/cursor.h"

/* Callbacks return ST_OK to go on; anything else stops json_parse with that status (the
 * callback has set *e). Strings are UTF-8, unescaped, not NUL-terminated, valid during the
 * call. depth: 0 for a top-level value. */
struct json_handler {
	enum status (*null)(void *arg, struct err *e);
	enum status (*boolean)(void *arg, bool v, struct err *e);
	enum status (*number)(void *arg, const char *s, size_t n, struct err *e);
	enum status (*string)(void *arg, const char *s, size_t n, struct err *e);
	enum status (*key)(void *arg, const char *s, size_t n, struct err *e);
	enum status (*begin)(void *arg, char bracket, struct err *e); /* '{' or '[' */
	enum status (*end)(void *arg, char bracket, struct err *e);   /* '}' or ']' */
};

struct json_options {
	unsigned max_depth; /* 0: 64 */
	bool repair_utf8;   /* invalid UTF-8 becomes U+FFFD and is counted, else it is an error */
};

struct json_result {
	uint64_t repaired; /* invalid UTF-8 bytes */
	uint64_t offset;   /* where parsing stopped; in begin and end: just behind the bracket */
};

/* Parses to the end of input. A syntax error is ST_BAD with its offset; a file that ends
 * inside a value too. */
enum status json_parse(struct cursor *in, const struct json_handler *h, void *arg,
		       const struct json_options *o, struct json_result *r, struct err *e);

#endif

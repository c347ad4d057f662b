/* SPDX-License-Identifier: MIT
 *
 * Places in a JSON file: a table says which brackets and values of a format matter, and json_walk calls the reader for
 * these alone, with the place of each. A reader needs no depth and no section of its own.
 *
 *	{JSON_TOP, "{", FILE},             the file is an object
 *	{JSON_TOP, "[", EVENTS},           or an array
 *	{FILE, "traceEvents[", EVENTS},    whose key traceEvents is an array
 *	{EVENTS, "{", EVENT},              of objects
 *	{EVENT, "ph", PH},                 which have a string or number ph
 *	{EVENT, "args{", ARGS},
 *	{ARGS, "*", ARG},                  any key that has no row of its own
 *	{0}
 *
 * A step is a key, "*", or, for an element of an array or a value at the top, nothing; behind it '{' for an object, '['
 * for an array, and nothing for any other value. Rows may lead back to a place they come from.
 */
#ifndef TM_INPUT_JSON_PATH_H
#define TM_INPUT_JSON_PATH_H

#include "lib/input/json.h"

enum {
	JSON_NOWHERE,
	JSON_TOP,
	JSON_PLACES /* own places count from here */,
	JSON_PLACES_MOST = 64
};
enum { JSON_ROWS_MOST = 128 };

struct json_row {
	uint8_t in; /* JSON_NOWHERE: the end of the table */
	char step[38];
	uint8_t to;
};

enum json_kind { JSON_STRING, JSON_NUMBER, JSON_BOOLEAN, JSON_NULL };

/* Passed in two registers. */
struct json_value {
	const char *s;             /* as json.h has it; "true", "false" and "null" of the others */
	uint64_t n : 56, kind : 8; /* enum json_kind */
};

struct json_walker {
	const struct json_row *rows, *more; /* each ends with {0}; more: those of a part, or NULL */
	/* Of what is at a place. As those of json_handler; each but value may be NULL. */
	enum status (*begin)(void *arg, unsigned place, struct err *e);
	enum status (*end)(void *arg, unsigned place, struct err *e);
	enum status (*value)(void *arg, unsigned place, struct json_value v, struct err *e);
	/* The key of the next value, in a place with a row "*". */
	enum status (*key)(void *arg, unsigned in, const char *s, size_t n, struct err *e);
};

/* As json_parse. depth, if not NULL: brackets that are open where parsing stopped. */
enum status json_walk(struct cursor *in, const struct json_walker *h, void *arg,
		      const struct json_options *o, struct json_result *r, unsigned *depth,
		      struct err *e);

#endif

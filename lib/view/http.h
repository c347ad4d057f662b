/* SPDX-License-Identifier: MIT
 *
 * The front end for browsers: HTTP on loopback, by libmicrohttpd (http.c is its only user).
 *
 *	GET /TOKEN/            the page, and its files below it
 *	GET /TOKEN/state       view_state
 *	GET /TOKEN/ask?q=...   a question (query.h): what the program printed; X-Exit: its status,
 *	                       X-Messages: what it said on standard error, percent-encoded
 *
 * The address is printed on standard output. A client that goes away ends its question.
 */
#ifndef TM_VIEW_HTTP_H
#define TM_VIEW_HTTP_H

#include "lib/base/err.h"
#include "lib/view/view.h"

struct http;

/* Listens; where: [HOST:]PORT, or NULL. v is filled in before http_run. NULL: *e says why. */
struct http *http_new(struct view *v, const char *where, struct err *e);
/* Prints the address and answers until SIGINT or SIGTERM. */
enum status http_run(struct http *h, struct err *e);
void http_free(struct http *h); /* accepts NULL */

#endif

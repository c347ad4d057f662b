/* SPDX-License-Identifier: MIT
 *
 * The front end for browsers: HTTP on loopback, by libmicrohttpd (http.c is its only user).
 *
 *	GET /TOKEN/            the page, and its files below it
 *	GET /TOKEN/state       view_state
 *	GET /TOKEN/ask?q=...   a question (query.h): what the program printed; X-Exit: its status,
 *	                       X-Messages: what it said on standard error, percent-encoded
 *	GET /TOKEN/ask?q=...&page=1
 *	                       the same of as much as was read so far of a file that is being read, X-Taken: percent;
 *	                       other questions wait until all is read
 *
 * With a guest (guest.h) the token may come in a header, `Authorization: Bearer TOKEN`, in its place in the path, and
 * the rest of the path is the guest's.
 *
 * The address is printed on standard output. A client that goes away ends its question.
 */
#ifndef TM_VIEW_HTTP_H
#define TM_VIEW_HTTP_H

#include "lib/base/err.h"
#include "lib/view/guest.h"
#include "lib/view/view.h"

struct http;

/* Listens; where: [HOST:]PORT, or NULL. v is filled in before http_run. NULL: *e says why. */
struct http *http_new(struct view *v, const char *where, struct err *e);
/* From now on g, which is borrowed, answers, and questions are not: v is not looked at. */
void http_set_guest(struct http *h, const struct guest *g);
/* "http://127.0.0.1:4711", without token. */
const char *http_root(const struct http *h);
/* Prints the address, unless there is a guest, and answers until SIGINT or SIGTERM. */
enum status http_run(struct http *h, struct err *e);
void http_free(struct http *h); /* accepts NULL */

#endif

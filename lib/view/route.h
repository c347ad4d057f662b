/* SPDX-License-Identifier: MIT
 *
 * The routes of a browser's requests to their answers, and the checks before an answer. A request
 * is answered only if it has the token, was sent to the printed address (a host name that a foreign
 * DNS server resolves to this machine is another one) and does not come from another site's page.
 */
#ifndef TM_VIEW_ROUTE_H
#define TM_VIEW_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

enum route {
	ROUTE_ASSET, /* name */
	ROUTE_STATE, /* what is loaded */
	ROUTE_ASK,   /* a question and its answer */
	ROUTE_NO_METHOD,
	ROUTE_FORBIDDEN,
	ROUTE_NOTHING,
};

struct route_request { /* NULL: the request has no such header */
	const char *method, *path, *host, *origin, *site;
};

enum { ROUTE_TOKEN = 32, ROUTE_NAME = 64, ROUTE_HOSTS = 3 };

struct route_door {
	char token[ROUTE_TOKEN + 1];
	char hosts[ROUTE_HOSTS][80]; /* "127.0.0.1:4711", as browsers send it; "" for fewer */
};

/* name: of ROUTE_ASSET, "" for the page itself. */
enum route route_of(const struct route_door *d, const struct route_request *r,
		    char name[ROUTE_NAME]);

#endif

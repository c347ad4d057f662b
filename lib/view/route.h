/* SPDX-License-Identifier: MIT
 *
 * Which requests of a browser are answered, and by what. Only those that know the token, that were
 * sent to the address which was printed (a name that somebody's DNS lets point here is another
 * one) and that no other site's page has sent.
 */
#ifndef TM_VIEW_ROUTE_H
#define TM_VIEW_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

enum route {
	ROUTE_ASSET,  /* name */
	ROUTE_STATE,  /* what is loaded */
	ROUTE_ASK,    /* a question and its answer */
	ROUTE_SOURCE, /* lines of a source file */
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

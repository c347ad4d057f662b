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

enum { ROUTE_TOKEN = 32, ROUTE_NAME = 64, ROUTE_HOSTS = 3, ROUTE_PROXY = 2 };

struct route_door {
	char token[ROUTE_TOKEN + 1];
	char hosts
	    [ROUTE_HOSTS]
	    [80]; /* "127.0.0.1:4711", as browsers send it; "" for fewer; at ROUTE_PROXY that of a reverse
				    * proxy, whose pages come by https, too */
};

/* The request was sent to one of the door's hosts, and by no other site's page. first: it may be opened from anywhere. */
bool route_is_ours(const struct route_door *d, const struct route_request *r, bool first);
/* A file of the page. */
bool route_is_name(const char *s);

/* rest: of the path, behind the address of the page. */
enum route route_in_view(const char *method, const char *rest, char name[ROUTE_NAME]);
/* name: of ROUTE_ASSET, "" for the page itself. */
enum route route_of(const struct route_door *d, const struct route_request *r,
		    char name[ROUTE_NAME]);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A guest: what the HTTP front end serves beside its own page, with tokens of its own that have roles, bodies that
 * come in pieces, and answers that wait for a disk or a database. The front end checks the address and the token; the
 * guest is asked about all else.
 *
 * All functions but work are called in the loop of the front end, and are not to wait. work is called in one of a few
 * threads.
 */
#ifndef TM_VIEW_GUEST_H
#define TM_VIEW_GUEST_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

#define GUEST_UNKNOWN UINT64_MAX

enum { GUEST_HEADERS = 3, GUEST_HEADER_VALUE = 192 };

struct guest_reply {
	unsigned status;  /* of HTTP */
	const char *type; /* NULL: plain text */
	struct buf body;  /* taken */
	int file;         /* sent in place of the body, and closed; -1: none */
	uint64_t size;    /* of file */
	struct {
		const char *name; /* NULL: no more */
		char value[GUEST_HEADER_VALUE];
	} headers[GUEST_HEADERS];
};

struct guest_call {                /* a request, from begin to done */
	const char *method, *path; /* path: behind the token, without the first slash */
	unsigned role;
	uint64_t length; /* of the body; GUEST_UNKNOWN: it comes in chunks */
	struct guest_reply reply;
	struct view *view; /* of GUEST_VIEW: it stays until done */
	const char *rest;  /* of GUEST_VIEW: the path behind the address of the view's page */
	void *state;       /* the guest's */
	void *connection;  /* of the front end */
};

enum guest_next {
	GUEST_ANSWER, /* reply is it */
	GUEST_TAKE,   /* take is called with each piece of the body, then end */
	GUEST_WORK,   /* work is called, then reply is it */
	GUEST_ASSET,  /* not the guest's: one of the page's files */
	GUEST_VIEW,   /* not the guest's: a file of the page, the state or an answer of the view */
};

struct guest {
	void *arg;
	const char *index; /* the file of the page that "" is */
	const char
	    *public_at; /* HOST or HOST:PORT by which browsers know a reverse proxy; NULL: none */
	/* What a token allows; 0: it is none. */
	unsigned (*role)(void *arg, const char *token, size_t n);
	enum guest_next (*begin)(void *arg, struct guest_call *c);
	/* False: the rest of the body is not taken. */
	bool (*take)(void *arg, struct guest_call *c, const char *p, size_t n);
	enum guest_next (*end)(void *arg, struct guest_call *c); /* GUEST_ANSWER or GUEST_WORK */
	void (*work)(void *arg, struct guest_call *c);
	/* The view of GUEST_VIEW has been loaded, and answers. False: this is asked again. */
	bool (*ready)(void *arg, struct guest_call *c);
	/* The request is over, whether it was answered or its connection broke. */
	void (*done)(void *arg, struct guest_call *c);
};

/* Of a request, while begin, take or end is called; NULL: there is none. */
const char *guest_header(const struct guest_call *c, const char *name);
const char *guest_argument(const struct guest_call *c, const char *name);
/* Each argument of the query; false from each ends it, and is returned. value may be NULL. */
bool guest_arguments(const struct guest_call *c,
		     bool (*each)(void *arg, const char *name, const char *value), void *arg);

#endif

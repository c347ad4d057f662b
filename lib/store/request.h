/* SPDX-License-Identifier: MIT
 *
 * What a request to a store wants, by its method, its path behind the token, and its Content-Range: the grammar alone,
 * which looks at nothing else.
 *
 *	PUT  upload/NAME       bytes; Content-Range: bytes FROM-TO/TOTAL (RFC 9110, 14.5) to go on behind FROM bytes
 *	HEAD upload/NAME       how many bytes are there of a file of Upload-Length bytes
 *	                       of both: Repr-Digest: sha-256=:BASE64: (RFC 9530), of the whole file
 *	GET  sessions          what there is
 *	GET  trend, compare    documents of the history
 *	GET  capture/NUMBER    a capture
 *	GET  session/NUMBER/   the page of one session, session/NUMBER-NUMBER/ of two, and what is asked below it
 *	PUT  note/RUN          a note on a run of the history
 */
#ifndef TM_STORE_REQUEST_H
#define TM_STORE_REQUEST_H

#include "lib/store/store.h"

enum store_wish {
	STORE_WISH_NONE,   /* another path */
	STORE_WISH_METHOD, /* the path has not this method */
	STORE_WISH_UPLOAD,
	STORE_WISH_OFFSET,
	STORE_WISH_LIST,
	STORE_WISH_TREND,
	STORE_WISH_COMPARE,
	STORE_WISH_CAPTURE,
	STORE_WISH_OPEN,
	STORE_WISH_NOTE,
};

struct store_request {
	enum store_wish wish;
	unsigned role;          /* enum store_role, any of which may */
	struct store_meta meta; /* its name, of uploads */
	uint64_t id;            /* of captures, notes and sessions */
	uint64_t second;        /* of two sessions; 0: one */
	const char *rest;       /* of STORE_WISH_OPEN: of the path, behind the page's address */
	uint64_t from, n;       /* of uploads; n: STORE_UNKNOWN */
	struct store_file file; /* of uploads */
};

/* range, digest: Content-Range and Repr-Digest, or NULL; length: of the body, of HEAD what Upload-Length says, or
 * STORE_UNKNOWN. ST_BAD: what is wrong. */
enum status store_request(struct store_request *r, const char *method, const char *path,
			  const char *range, const char *digest, uint64_t length, struct err *e);

#endif

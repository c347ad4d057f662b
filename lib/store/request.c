/* SPDX-License-Identifier: MIT */
#include "lib/store/request.h"

#include "lib/base/base64.h"
#include "lib/base/num.h"

#include <string.h>

static const struct {
	const char *path; /* one that ends in '/' has more behind it */
	const char *method;
	enum store_wish wish;
	unsigned role;
} wishes[] = {
    {"upload/", "PUT", STORE_WISH_UPLOAD, STORE_UPLOAD},
    {"upload/", "HEAD", STORE_WISH_OFFSET, STORE_UPLOAD},
    {"sessions", "GET", STORE_WISH_LIST, STORE_READ},
    {"trend", "GET", STORE_WISH_TREND, STORE_READ},
    {"compare", "GET", STORE_WISH_COMPARE, STORE_READ},
    {"capture/", "GET", STORE_WISH_CAPTURE, STORE_READ},
    {"session/", "GET", STORE_WISH_OPEN, STORE_READ},
    {"note/", "PUT", STORE_WISH_NOTE, STORE_EDIT},
};

enum { WISHES = sizeof wishes / sizeof *wishes };

static bool take_number(const char **at, const char *end, uint64_t *v)
{
	size_t n = strspn(*at, "0123456789");

	if (!n || (size_t)(end - *at) < n || !num_dec(*at, n, v))
		return false;
	*at += n;
	return true;
}

static bool take_byte(const char **at, char c)
{
	return *(*at) == c && (*at)++;
}

/* "bytes 100-199/200", or a star in place of 200 where the whole is not known. */
static bool take_range(struct store_request *r, const char *text, uint64_t length)
{
	const char *at = text, *end = text + strlen(text);
	uint64_t to;

	if (strncmp(at, "bytes ", 6) != 0)
		return false;
	at += 6;
	if (!take_number(&at, end, &r->from) || !take_byte(&at, '-') ||
	    !take_number(&at, end, &to) || !take_byte(&at, '/') || to < r->from || to == UINT64_MAX)
		return false;
	if (!take_byte(&at, '*') && !take_number(&at, end, &r->file.total))
		return false;
	if (*at || (r->file.total != STORE_UNKNOWN && to >= r->file.total))
		return false;
	r->n = to - r->from + 1;
	return length == STORE_UNKNOWN || length == r->n;
}

/* "sha-256=:BASE64:" among algorithms, of which others count for nothing. */
static bool take_digest(struct store_request *r, const char *text)
{
	static const char name[] = "sha-256=:";
	struct buf bytes = BUF_INIT;
	bool ok = true;

	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		size_t n;

		at += strspn(at, " \t");
		end = at + strcspn(at, ",");
		if (strncmp(at, name, sizeof name - 1) != 0)
			continue;
		at += sizeof name - 1;
		n = strcspn(at, ":,");
		bytes.len = 0;
		ok = at[n] == ':' && base64_decode(&bytes, at, n) && bytes.len == SHA256_BYTES;
		if (ok)
			sha256_hex((const uint8_t *)buf_at(&bytes, 0), r->file.digest);
	}
	buf_release(&bytes);
	return ok;
}

static bool is_id(uint64_t id)
{
	return id && id <= INT64_MAX;
}

/* "5/REST", or "5-7/REST". */
static enum status store_request_open(struct store_request *r, const char *text, struct err *e)
{
	const char *at = text, *end = text + strlen(text);

	if (!take_number(&at, end, &r->id) || !is_id(r->id) ||
	    (take_byte(&at, '-') && (!take_number(&at, end, &r->second) || !is_id(r->second))) ||
	    !take_byte(&at, '/'))
		return err_set(e, ST_BAD, "session/NUMBER/ is wanted, or session/NUMBER-NUMBER/");
	r->rest = at;
	return ST_OK;
}

static enum status store_request_upload(struct store_request *r, const char *name,
					const char *range, const char *digest, uint64_t length,
					struct err *e)
{
	r->n = r->file.total = length;
	if (r->wish == STORE_WISH_OFFSET && length == STORE_UNKNOWN)
		return err_set(e, ST_BAD, "Upload-Length: the file's number of bytes is wanted");
	if (r->wish == STORE_WISH_UPLOAD && range) {
		r->file.total = STORE_UNKNOWN;
		if (!take_range(r, range, length))
			return err_set(e, ST_BAD,
				       "Content-Range: 'bytes FROM-TO/TOTAL' of the body's length "
				       "is wanted");
	}
	if (digest && !take_digest(r, digest))
		return err_set(e, ST_BAD, "Repr-Digest: 'sha-256=:BASE64:' is wanted");
	return store_meta_name(&r->meta, name, e);
}

enum status store_request(struct store_request *r, const char *method, const char *path,
			  const char *range, const char *digest, uint64_t length, struct err *e)
{
	const char *rest = NULL;

	*r = (struct store_request){.wish = STORE_WISH_NONE};
	for (size_t i = 0; i < WISHES; i++) {
		size_t n = strlen(wishes[i].path);
		bool more = wishes[i].path[n - 1] == '/';

		if (more ? strncmp(path, wishes[i].path, n) : strcmp(path, wishes[i].path))
			continue;
		if (strcmp(method, wishes[i].method) != 0) {
			r->wish = r->wish ? r->wish : STORE_WISH_METHOD;
			continue;
		}
		r->wish = wishes[i].wish;
		r->role = wishes[i].role;
		rest = path + n;
	}
	if (r->wish == STORE_WISH_UPLOAD || r->wish == STORE_WISH_OFFSET)
		return store_request_upload(r, rest, range, digest, length, e);
	if (r->wish == STORE_WISH_OPEN)
		return store_request_open(r, rest, e);
	if (r->wish != STORE_WISH_CAPTURE && r->wish != STORE_WISH_NOTE)
		return ST_OK;
	if (num_dec(rest, strlen(rest), &r->id) && is_id(r->id))
		return ST_OK;
	return err_set(e, ST_BAD, "a number is wanted, not '%.40s'", rest);
}

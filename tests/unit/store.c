/* SPDX-License-Identifier: MIT
 *
 * Requests to a store of sessions (lib/store/request.h), names, labels, and what is there after uploads that break.
 */
#include "lib/store/store.h"
#include "lib/store/request.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct store_request r;

/* A file of n bytes. */
#define OF(n) (&(struct store_file){.total = (n)})

static enum status ask_of(const char *digest, const char *method, const char *path,
			  const char *range, uint64_t length)
{
	struct err e = ERR_INIT;

	return store_request(&r, method, path, range, digest, length, &e);
}

static enum status ask(const char *method, const char *path, const char *range, uint64_t length)
{
	return ask_of(NULL, method, path, range, length);
}

/* Of "helloworld", by printf helloworld | sha256sum, and by openssl dgst -sha256 -binary | base64. */
static const char hello[] = "936a185caaa266bb9cbe981e9e05cb78cd732b0b3280eb944412bb6f8f8f07af";
#define HELLO "k2oYXKqiZrucvpgengXLeM1zKwsygOuURBK7b4+PB68="

TEST(requests)
{
	CHECK_EQ(ask("PUT", "upload/a.tmt", NULL, 7), ST_OK);
	CHECK(r.wish == STORE_WISH_UPLOAD && r.role == STORE_UPLOAD && r.from == 0 && r.n == 7 &&
	      r.file.total == 7);
	CHECK_EQ(ask("PUT", "upload/a.tmt", "bytes 3-6/10", 4), ST_OK);
	CHECK(r.from == 3 && r.n == 4 && r.file.total == 10);
	CHECK_EQ(ask("PUT", "upload/a.tmt", "bytes 3-6/*", STORE_UNKNOWN), ST_OK);
	CHECK(r.file.total == STORE_UNKNOWN && r.n == 4);
	CHECK_EQ(ask("PUT", "upload/a.tmt", "bytes 3-6/10", 5), ST_BAD);
	CHECK_EQ(ask("PUT", "upload/a.tmt", "bytes 3-10/10", 8), ST_BAD);
	CHECK_EQ(ask("PUT", "upload/a/b", NULL, 7), ST_BAD);
	CHECK_EQ(ask("PUT", "upload/", NULL, 7), ST_BAD);
	CHECK_EQ(ask("HEAD", "upload/a", NULL, 7), ST_OK);
	CHECK(r.wish == STORE_WISH_OFFSET && r.file.total == 7);
	CHECK_EQ(ask("HEAD", "upload/a", NULL, STORE_UNKNOWN), ST_BAD);
	CHECK_EQ(ask_of("sha-256=:" HELLO ":", "HEAD", "upload/a", NULL, 10), ST_OK);
	CHECK_STR(r.file.digest, hello);
	CHECK_EQ(ask_of("md5=:AA==:, sha-256=:" HELLO ":", "PUT", "upload/a", NULL, 10), ST_OK);
	CHECK_STR(r.file.digest, hello);
	CHECK_EQ(ask_of("sha-512=:AA==:", "PUT", "upload/a", NULL, 10), ST_OK);
	CHECK_STR(r.file.digest, "");
	CHECK_EQ(ask_of("sha-256=:" HELLO, "PUT", "upload/a", NULL, 10), ST_BAD);
	CHECK_EQ(ask_of("sha-256=:AAAA:", "PUT", "upload/a", NULL, 10), ST_BAD);
	CHECK_EQ(ask_of("sha-256=:" HELLO "AAAA:", "PUT", "upload/a", NULL, 10), ST_BAD);
	CHECK_EQ(ask("GET", "upload/a", NULL, 0), ST_OK);
	CHECK(r.wish == STORE_WISH_METHOD);
	CHECK_EQ(ask("GET", "capture/18446744073709551615", NULL, 0), ST_BAD);
	CHECK_EQ(ask("PUT", "note/12", NULL, 0), ST_OK);
	CHECK(r.wish == STORE_WISH_NOTE && r.id == 12 && r.role == STORE_EDIT);
	CHECK_EQ(ask("GET", "sessions.js", NULL, 0), ST_OK);
	CHECK(r.wish == STORE_WISH_NONE);
}

TEST(labels)
{
	struct store_meta m = {.n = 0};
	struct err e = ERR_INIT;

	CHECK_EQ(store_meta_label(&m, "machine", "\xe6\x89\x8b\xe6\x9c\xba", &e), ST_OK);
	CHECK_EQ(store_meta_label(&m, "build", "1", &e), ST_OK);
	CHECK_STR(m.labels[0].name, "build");
	CHECK_EQ(store_meta_label(&m, "build", "2", &e), ST_BAD);
	CHECK_EQ(store_meta_label(&m, "x", "a\nb", &e), ST_BAD);
	CHECK_EQ(store_meta_label(&m, "x", "\xff", &e), ST_BAD);
	CHECK_EQ(store_meta_label(&m, "x", "", &e), ST_BAD);
	CHECK_EQ(store_meta_name(&m, "..", &e), ST_BAD);
}

/* As a server would: five bytes, a break, the others from there. */
TEST(upload)
{
	char folder[] = "/tmp/store-XXXXXX";
	const struct store_options o = {.most = 100};
	struct buf said = BUF_INIT, command = BUF_INIT;
	struct err e = ERR_INIT;
	struct session_store *s = store_open(mkdtemp(folder), &o, &said, &e);
	struct store_upload *u;
	struct store_session one;
	struct store_meta m = {.n = 0};
	uint64_t have;
	bool whole;

	CHECK(s && !said.len);
	CHECK(!store_open(folder, &o, &said, &e) && e.code == ST_LIMIT);
	store_meta_name(&m, "x.tmt", &e);
	CHECK_EQ(store_begin(s, &m, 0, 101, OF(101), &u, &have, &e), STORE_LARGE);
	CHECK_EQ(store_begin(s, &m, 0, 10, OF(10), &u, &have, &e), STORE_DONE);
	CHECK_EQ(store_append(u, "hello", 5), STORE_DONE);
	store_drop(u);
	store_close(s);
	s = store_open(folder, &o, &said, &e);
	CHECK(store_offset(s, &m, OF(10), &have, &whole) && have == 5 && !whole);
	CHECK(!store_offset(s, &m, OF(11), &have, &whole) &&
	      !store_offset(s, &m, OF(4), &have, &whole));
	CHECK_EQ(store_begin(s, &m, 4, 6, OF(10), &u, &have, &e), STORE_OFFSET);
	CHECK_EQ(have, 5);
	CHECK_EQ(store_begin(s, &m, 5, 6, OF(11), &u, &have, &e), STORE_OFFSET);
	CHECK_EQ(store_begin(s, &m, 5, 5, OF(10), &u, &have, &e), STORE_DONE);
	CHECK_EQ(store_append(u, "world", 5), STORE_DONE);
	store_drop(u); /* all of it came, and nobody heard so */
	store_complete(s);
	CHECK(store_offset(s, &m, OF(10), &have, &whole) && whole);
	CHECK(!store_offset(s, &m, OF(11), &have, &whole));
	CHECK(store_next(s, &one) && one.id == 1 && one.state == STORE_READING);
	CHECK_STR(one.digest, hello);
	/* The server ends while it is read: it is read once more, and no third time. */
	store_close(s);
	s = store_open(folder, &o, &said, &e);
	CHECK(store_next(s, &one) && one.attempts == 2);
	store_close(s);
	s = store_open(folder, &o, &said, &e);
	CHECK(!store_next(s, &one) && store_session(s, 1, &one) && one.state == STORE_UNREAD &&
	      *one.reason);
	CHECK_EQ(store_role_of(s, "", 0), 0);
	CHECK_EQ(store_role_of(s, store_token(s, STORE_UPLOAD), 32), STORE_UPLOAD);
	CHECK_EQ(store_role_of(s, store_token(s, STORE_UPLOAD), 31), 0);
	store_close(s);
	buf_addf(&command, "rm -r %s", folder);
	CHECK(!system(buf_str(&command)));
	buf_release(&command);
	buf_release(&said);
}

TEST(digests)
{
	char folder[] = "digest.XXXXXX";
	const struct store_options o = {.most = 100};
	struct store_file file = {.total = 10}, other = {.total = 10};
	struct buf said = BUF_INIT, command = BUF_INIT;
	struct err e = ERR_INIT;
	struct session_store *s = store_open(mkdtemp(folder), &o, &said, &e);
	struct store_upload *u;
	struct store_meta m = {.n = 0};
	uint64_t have, id;
	bool whole;

	strcpy(file.digest, hello);
	strcpy(other.digest, hello);
	other.digest[0] = '0';
	store_meta_name(&m, "x.tmt", &e);
	CHECK_EQ(store_begin(s, &m, 0, 10, &file, &u, &have, &e), STORE_DONE);
	CHECK_EQ(store_append(u, "hello", 5), STORE_DONE);
	store_drop(u);
	CHECK(store_offset(s, &m, &file, &have, &whole) && have == 5 && !whole);
	CHECK(store_offset(s, &m, OF(10), &have, &whole) && have == 5);
	CHECK(!store_offset(s, &m, &other, &have, &whole));
	CHECK_EQ(store_begin(s, &m, 5, 5, &other, &u, &have, &e), STORE_OFFSET);
	CHECK_EQ(have, 0);
	CHECK_EQ(store_begin(s, &m, 5, 5, &file, &u, &have, &e), STORE_DONE);
	CHECK_EQ(store_append(u, "w0rld", 5), STORE_DONE);
	CHECK_EQ(store_end(u, &have, &e), STORE_DONE);
	CHECK_EQ(store_finish(u, &id, &e), STORE_BAD);
	CHECK(!store_offset(s, &m, &file, &have, &whole));
	CHECK_EQ(store_begin(s, &m, 0, 10, &file, &u, &have, &e), STORE_DONE);
	CHECK_EQ(store_append(u, "helloworld", 10), STORE_DONE);
	CHECK_EQ(store_end(u, &have, &e), STORE_DONE);
	CHECK_EQ(store_finish(u, &id, &e), STORE_DONE);
	CHECK(store_offset(s, &m, &file, &have, &whole) && whole);
	CHECK(!store_offset(s, &m, &other, &have, &whole));
	store_close(s);
	buf_addf(&command, "rm -r %s", folder);
	CHECK(!system(buf_str(&command)));
	buf_release(&command);
	buf_release(&said);
}

TEST_MAIN()

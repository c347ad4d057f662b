/* SPDX-License-Identifier: MIT */
#include "lib/find/symbol_fetch.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Numbers of libcurl's interface 4, which is fixed for all its versions since 2006: curl/curl.h. */
enum {
	OPTION_NOPROGRESS = 43,
	OPTION_FAILONERROR = 45,
	OPTION_FOLLOWLOCATION = 52,
	OPTION_MAXREDIRS = 68,
	OPTION_NOSIGNAL = 99,
	OPTION_PROTOCOLS = 181,
	OPTION_REDIR_PROTOCOLS = 182,
	OPTION_WRITEDATA = 10001,
	OPTION_URL = 10002,
	OPTION_USERAGENT = 10018,
	OPTION_XFERINFODATA = 10057,
	OPTION_WRITEFUNCTION = 20011,
	OPTION_XFERINFOFUNCTION = 20219,
	INFO_RESPONSE_CODE = 0x200002,
	HTTP_AND_HTTPS = 3,
	CODE_RESOLVE = 6,
	CODE_CONNECT = 7,
	CODE_HTTP = 22,
	CODE_TIMEOUT = 28,
	REDIRECTIONS = 5,
	SMALL = 4096, /* bytes of a file.ptr, or of the begin of a compressed file */
};

static struct {
	void *(*init)(void);
	int (*setopt)(void *, int, ...);
	int (*perform)(void *);
	int (*getinfo)(void *, int, ...);
	const char *(*strerror)(int);
	void (*cleanup)(void *);
} curl;

#define SYMBOL(handle, to, name) (*(void **)&(to) = dlsym(handle, name))

/* One transfer: into a file, or the first bytes into memory. */
struct transfer {
	struct symbol_fetcher *f;
	FILE *to;
	struct buf head; /* where to is NULL */
	const char *broken_off;
	long status;    /* of HTTP; 0: there was no answer */
	char said[200]; /* why it failed; "": it did not */
};

const char *symbol_fetch_load(void)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4",
					    "libcurl-nss.so.4"};
	int (*global)(long) = NULL;
	void *h = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !h; i++)
		h = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!h)
		return "libcurl.so.4 is not installed";
	SYMBOL(h, global, "curl_global_init");
	SYMBOL(h, curl.init, "curl_easy_init");
	SYMBOL(h, curl.setopt, "curl_easy_setopt");
	SYMBOL(h, curl.perform, "curl_easy_perform");
	SYMBOL(h, curl.getinfo, "curl_easy_getinfo");
	SYMBOL(h, curl.strerror, "curl_easy_strerror");
	SYMBOL(h, curl.cleanup, "curl_easy_cleanup");
	if (!global || !curl.init || !curl.setopt || !curl.perform || !curl.getinfo ||
	    !curl.strerror || !curl.cleanup || global(3))
		return "libcurl.so.4 does not start";
	return NULL;
}

static size_t transfer_write(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	n *= size;
	if (t->to)
		return fwrite(p, 1, n, t->to);
	if (t->head.len + n > SMALL)
		return 0; /* that is enough of it */
	buf_add(&t->head, p, n);
	return n;
}

static int transfer_watch(void *arg, int64_t total, int64_t done, int64_t up, int64_t sent)
{
	struct transfer *t = arg;

	(void)up, (void)sent;
	t->broken_off =
	    t->f->watch(t->f->arg, done > 0 ? (uint64_t)done : 0, total > 0 ? (uint64_t)total : 0);
	return t->broken_off != NULL;
}

/* The code of libcurl; 0: all of it came. */
static int transfer_run(struct transfer *t, const char *url)
{
	void *c = curl.init();
	int code;

	if (!c) {
		snprintf(t->said, sizeof t->said, "libcurl does not start");
		return -1;
	}
	curl.setopt(c, OPTION_URL, url);
	curl.setopt(c, OPTION_PROTOCOLS, (long)HTTP_AND_HTTPS);
	curl.setopt(c, OPTION_REDIR_PROTOCOLS, (long)HTTP_AND_HTTPS);
	curl.setopt(c, OPTION_FOLLOWLOCATION, 1L);
	curl.setopt(c, OPTION_MAXREDIRS, (long)REDIRECTIONS);
	curl.setopt(c, OPTION_FAILONERROR, 1L);
	curl.setopt(c, OPTION_NOSIGNAL, 1L);
	curl.setopt(c, OPTION_NOPROGRESS, 0L);
	curl.setopt(c, OPTION_USERAGENT, "tracemill");
	curl.setopt(c, OPTION_WRITEFUNCTION, transfer_write);
	curl.setopt(c, OPTION_WRITEDATA, t);
	curl.setopt(c, OPTION_XFERINFOFUNCTION, transfer_watch);
	curl.setopt(c, OPTION_XFERINFODATA, t);
	t->f->begin(t->f->arg);
	code = curl.perform(c);
	curl.getinfo(c, INFO_RESPONSE_CODE, &t->status);
	if (code == CODE_HTTP)
		snprintf(t->said, sizeof t->said, "it answered with status %ld", t->status);
	else if (code)
		snprintf(t->said, sizeof t->said, "%s",
			 t->broken_off ? t->broken_off : curl.strerror(code));
	curl.cleanup(c);
	return code;
}

/* Whether a small file, or the begin of a larger one, is there; its text is in t->head, up to a line's end. */
static bool transfer_peek(struct transfer *t, const char *server, const char *path, size_t n,
			  const char *last)
{
	struct buf url = BUF_INIT;
	int code;

	t->head.len = 0;
	buf_addf(&url, "%s/", server);
	buf_add(&url, path, n);
	buf_adds(&url, last);
	code = transfer_run(t, buf_str(&url));
	buf_release(&url);
	return t->status == 200 && code != CODE_HTTP && !t->broken_off;
}

/* A file that is compressed, or elsewhere; "": none of both. */
static void say_what_is_there(struct symbol_fetcher *f, const char *server, const char *path,
			      char *text, size_t size)
{
	struct transfer t = {.f = f};
	const size_t folder = (size_t)(strrchr(path, '/') + 1 - path), n = strlen(path);

	if (transfer_peek(&t, server, path, n - 1, "_")) {
		snprintf(text, size, "the server has it compressed, as %.*s_: get and expand it",
			 (int)(n - 1 - folder), path + folder);
	} else if (transfer_peek(&t, server, path, folder, "file.ptr")) {
		const char *s = buf_str(&t.head);

		snprintf(text, size, "the server has a file.ptr in its place: %.*s",
			 (int)strcspn(s, "\r\n"), s);
	}
	buf_release(&t.head);
}

/* The file of one server. */
static struct fetch_answer fetch_one(struct symbol_fetcher *f, unsigned i, const char *server,
				     const char *path)
{
	struct fetch_answer a = {.kind = FETCH_NONE};
	struct transfer t = {.f = f};
	struct buf url = BUF_INIT;
	int code;

	snprintf(a.text, sizeof a.text, "%s/symbols-%u", f->folder, f->n_files++);
	t.to = fopen(a.text, "wbe");
	if (!t.to) {
		snprintf(a.text, sizeof a.text, "a file for it cannot be made");
		return a;
	}
	buf_addf(&url, "%s/%s", server, path);
	code = transfer_run(&t, buf_str(&url));
	if (fclose(t.to) && !code) {
		code = -1;
		snprintf(t.said, sizeof t.said, "it cannot be written");
	}
	if (!code) {
		a.kind = FETCH_FOUND;
	} else {
		unlink(a.text);
		f->dead[i] = code == CODE_RESOLVE || code == CODE_CONNECT || code == CODE_TIMEOUT ||
			     (t.broken_off && strcmp(t.broken_off, "too large") != 0);
		snprintf(a.text, sizeof a.text, "%s", t.said);
		if (t.status == 404) {
			a.text[0] = 0;
			say_what_is_there(f, server, path, a.text, sizeof a.text);
		}
	}
	buf_release(&url);
	return a;
}

/* "URL: why", behind those of other servers. */
static void add_dead(struct fetch_answer *a, const char *server, const char *why)
{
	size_t n = strlen(a->dead);

	snprintf(a->dead + n, sizeof a->dead - n, "%s%s: %s", n ? "; " : "", server, why);
}

struct fetch_answer symbol_fetch(struct symbol_fetcher *f, const char *path)
{
	struct fetch_answer a = {.kind = FETCH_DEAD};
	char *list = mem_strdup(f->servers), *rest = list, *server;

	if (!strchr(path, '/'))
		path = "/";
	for (unsigned i = 0; i < SYMBOL_SERVERS_MAX && (server = strsep(&rest, " ")); i++) {
		struct fetch_answer one;

		if (f->dead[i])
			continue;
		one = fetch_one(f, i, server, path);
		a.kind = one.kind;
		if (f->dead[i]) {
			add_dead(&a, server, one.text);
		} else if (*one.text) {
			snprintf(a.server, sizeof a.server, "%s", server);
			memcpy(a.text, one.text, sizeof a.text);
		}
		if (one.kind == FETCH_FOUND)
			break;
	}
	free(list);
	return a;
}

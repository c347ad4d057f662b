/* SPDX-License-Identifier: MIT */
#include "lib/find/debuginfod_fetch.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/find/debuginfod.h"
#include "lib/find/symbol_fetch.h"
#include "lib/sandbox/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<elfutils/debuginfod.h>)
#include <elfutils/debuginfod.h>
#else
typedef struct debuginfod_client debuginfod_client;
#define DEBUGINFOD_SONAME "libdebuginfod.so.1"
#endif

/* Of libdebuginfod: its functions by their names, without linking to it. */
static struct {
	void *handle; /* never closed: libcurl does not like to be unloaded */
	debuginfod_client *(*begin)(void);
	int (*find[2])(debuginfod_client *, const unsigned char *, int, char **);
	void (*set_progressfn)(debuginfod_client *, int (*)(debuginfod_client *, long, long));
	void (*set_user_data)(debuginfod_client *, void *);
	void *(*get_user_data)(debuginfod_client *);
	void (*set_verbose_fd)(debuginfod_client *, int); /* NULL: before 0.183 */
	void (*end)(debuginfod_client *);
} loaded;

/* POSIX's way around a cast that C does not have. */
#define SYMBOL(handle, to, name) (*(void **)&(to) = dlsym(handle, name))

enum { FIRST_BYTES = 4096 };

struct asking {
	unsigned seconds;
	int from, to; /* questions and answers */
	debuginfod_client *client;
	bool dead; /* no server answers */
	/* of the transfer under way */
	double started;
	const char *broken_off; /* why */
	int log;                /* what the library says of it; -1: it cannot say */
	char said[300];
};

enum { PART_SYMBOLS = OBJECT_BINARY + 1, PATH_BYTES = 1024 };

struct question {
	struct object_build_id id;
	uint32_t part;         /* enum object_part or PART_SYMBOLS */
	char path[PATH_BYTES]; /* of the latter */
};

/* False: the other end has gone. */
static bool get(int fd, void *to, size_t n)
{
	for (char *p = to; n;) {
		ssize_t got = read(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

static bool put(int fd, const void *from, size_t n)
{
	for (const char *p = from; n;) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

/* --- in the process of its own --- */

static void answer(struct asking *d, const struct fetch_answer *a)
{
	if (!put(d->to, a, sizeof *a))
		_exit(1);
}

static void begin_transfer(void *asking)
{
	struct asking *d = asking;

	d->started = clock_seconds();
	d->broken_off = NULL;
}

/* Why the transfer is broken off, where it is. */
static const char *watch_bytes(void *asking, uint64_t done, uint64_t total)
{
	struct asking *d = asking;
	double seconds = clock_seconds() - d->started;

	if (seconds > d->seconds + (double)done / DEBUGINFOD_RATE)
		d->broken_off = done || total ? "too slow" : "no answer in time";
	else if (done >> 20 >= DEBUGINFOD_LIMIT_MIB || total >> 20 >= DEBUGINFOD_LIMIT_MIB)
		d->broken_off = "too large";
	if (!d->broken_off)
		answer(d, &(struct fetch_answer){
			      .kind = FETCH_PROGRESS, .done = done, .total = total});
	return d->broken_off;
}

static int fetcher_watch(debuginfod_client *client, long done, long total)
{
	/* before anything has come done counts turns of its loop */
	if (total <= 0 && done < FIRST_BYTES)
		done = 0;
	return watch_bytes(loaded.get_user_data(client), done > 0 ? (uint64_t)done : 0,
			   total > 0 ? (uint64_t)total : 0) != NULL;
}

/* NULL: it is there. Else why not. */
static const char *fetcher_load(struct asking *d)
{
	void *h = loaded.handle = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!h)
		return DEBUGINFOD_SONAME " is not installed";
	SYMBOL(h, loaded.begin, "debuginfod_begin");
	SYMBOL(h, loaded.find[OBJECT_DEBUG], "debuginfod_find_debuginfo");
	SYMBOL(h, loaded.find[OBJECT_BINARY], "debuginfod_find_executable");
	SYMBOL(h, loaded.set_progressfn, "debuginfod_set_progressfn");
	SYMBOL(h, loaded.set_user_data, "debuginfod_set_user_data");
	SYMBOL(h, loaded.get_user_data, "debuginfod_get_user_data");
	SYMBOL(h, loaded.set_verbose_fd, "debuginfod_set_verbose_fd");
	SYMBOL(h, loaded.end, "debuginfod_end");
	if (!loaded.begin || !loaded.find[0] || !loaded.find[1] || !loaded.set_progressfn ||
	    !loaded.set_user_data || !loaded.get_user_data || !loaded.end)
		return DEBUGINFOD_SONAME " is older than elfutils 0.179";
	d->client = loaded.begin();
	if (!d->client)
		return DEBUGINFOD_SONAME " does not start";
	loaded.set_user_data(d->client, d);
	loaded.set_progressfn(d->client, fetcher_watch);
	d->log = loaded.set_verbose_fd ? memfd_create("debuginfod", MFD_CLOEXEC) : -1;
	if (d->log >= 0)
		loaded.set_verbose_fd(d->client, d->log);
	return NULL;
}

/* The library's code for "not found" also covers whatever else a server may answer. What it
 * was is in its log, as lines "url N TEXT": the first that is not a plain 404. */
static const char *fetcher_said(struct asking *d)
{
	static const char missing[] = "The requested URL returned error: 404";
	char text[16384], *next;
	ssize_t n = d->log < 0 ? 0 : pread(d->log, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = 0;
	for (char *line = text; line; line = next) {
		char *s = line + strspn(line, "url 0123456789");

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!strcmp(line, "server response No error"))
			return "nothing came";
		if (strncmp(line, "url ", 4) != 0 || !strncmp(s, "http", 4) ||
		    !strncmp(s, missing, sizeof missing - 1))
			continue;
		snprintf(d->said, sizeof d->said, "%s", s);
		return d->said;
	}
	return NULL;
}

/* Why there is no file, by what the library has returned; NULL: there is just none. */
static const char *failure(struct asking *d, int code)
{
	if (d->broken_off) {
		d->dead = strcmp(d->broken_off, "too large") != 0;
		return d->broken_off;
	}
	if (code == -ENOENT)
		return fetcher_said(d);
	d->dead = code != -EFBIG && code != -EIO;
	return strerror(-code);
}

static struct fetch_answer fetcher_fetch(struct asking *d, const struct question *q)
{
	struct fetch_answer a = {.kind = FETCH_FOUND};
	const char *why;
	char *path = NULL;
	int fd;

	begin_transfer(d);
	if (d->log >= 0 && (ftruncate(d->log, 0) || lseek(d->log, 0, SEEK_SET)))
		d->said[0] = 0;
	fd = loaded.find[q->part](d->client, q->id.bytes, q->id.len, &path);
	if (fd < 0) {
		why = failure(d, fd);
		a.kind = d->dead ? FETCH_DEAD : FETCH_NONE;
		snprintf(a.text, sizeof a.text, "%s", why ? why : "");
		return a;
	}
	close(fd);
	snprintf(a.text, sizeof a.text, "%s", path);
	free(path);
	return a;
}

static void set_variables(const char *urls, const char *folder, unsigned seconds)
{
	char text[32];

	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", folder, 1);
	snprintf(text, sizeof text, "%u", seconds);
	setenv("DEBUGINFOD_TIMEOUT", text, 1);
	setenv("DEBUGINFOD_RETRY_LIMIT", "1", 1);
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
	unsetenv("DEBUGINFOD_MAXTIME");
	unsetenv("DEBUGINFOD_MAXSIZE");
}

/* A reader of the parent's output must not wait for this process; what stands in for it cannot be
 * used. */
static void let_go(pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || null < 0)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
}

/* Names of servers, certificates, and libraries that these need: nothing that is a user's. Symbolic links are
 * followed, so that resolv.conf may be anywhere. */
static void allow_what_servers_need(void)
{
	static const char *const paths[] = {
	    "/etc/resolv.conf",
	    "/etc/hosts",
	    "/etc/host.conf",
	    "/etc/nsswitch.conf",
	    "/etc/gai.conf",
	    "/etc/services",
	    "/etc/protocols",
	    "/etc/localtime",
	    "/etc/ld.so.cache",
	    "/etc/ld.so.preload",
	    "/etc/ssl/certs",
	    "/etc/ssl/cert.pem",
	    "/etc/ssl/ca-bundle.pem",
	    "/etc/ssl/openssl.cnf",
	    "/etc/pki/ca-trust",
	    "/etc/pki/tls/cert.pem",
	    "/etc/pki/tls/certs",
	    "/etc/pki/tls/openssl.cnf",
	    "/etc/ca-certificates",
	    "/etc/crypto-policies",
	    "/etc/gnutls",
	    "/etc/pkcs11",
	    "/var/lib/ca-certificates",
	    "/var/lib/sss/mc",
	    "/proc/sys",
	    "/dev/null",
	    "/dev/random",
	    "/dev/urandom",
	    "/usr",
	    "/lib",
	    "/lib32",
	    "/lib64",
	    "/libx32",
	    "/nix/store",
	    "/gnu/store",
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		sandbox_allow(SANDBOX_READ, paths[i]);
}

/* What variables name for them, with colons between. */
static void allow_what_variables_name(void)
{
	static const char *const names[] = {
	    "SSL_CERT_FILE",
	    "SSL_CERT_DIR",
	    "CURL_CA_BUNDLE",
	    "NIX_SSL_CERT_FILE",
	    "OPENSSL_CONF",
	    "GNUTLS_SYSTEM_PRIORITY_FILE",
	    "DEBUGINFOD_HEADERS_FILE",
	    "DEBUGINFOD_IMA_CERT_PATH",
	    "LD_LIBRARY_PATH",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *s = getenv(names[i]);
		char *rest = s ? mem_strdup(s) : NULL, *path; /* borrowed by the sandbox */

		while ((path = strsep(&rest, ":")))
			if (*path)
				sandbox_allow(SANDBOX_READ, path);
	}
}

/* The parent may be taken over by what it reads. */
static bool makes_sense(const struct question *q)
{
	return q->part <= PART_SYMBOLS && q->id.len <= sizeof q->id.bytes &&
	       memchr(q->path, 0, sizeof q->path);
}

/* The library is loaded from wherever it is; behind that this process reads nothing of a user's. */
static _Noreturn void fetcher_answer_all(struct asking *d, const char *urls, const char *symbols,
					 const char *folder)
{
	struct symbol_fetcher servers = {.servers = symbols,
					 .folder = folder,
					 .begin = begin_transfer,
					 .watch = watch_bytes,
					 .arg = d};
	struct question q;
	const char *why = *urls || !*symbols ? fetcher_load(d) : NULL;
	const char *why_symbols = *symbols ? symbol_fetch_load() : NULL;

	sandbox_allow_nothing();
	sandbox_allow(SANDBOX_CACHE, folder);
	allow_what_servers_need();
	allow_what_variables_name();
	sandbox_enter(sandbox_profile(SANDBOX_FETCHER, NULL));
	while (get(d->from, &q, sizeof q) && makes_sense(&q)) {
		const char *unable = q.part == PART_SYMBOLS ? why_symbols : why;
		struct fetch_answer a = {.kind = FETCH_UNABLE};

		if (unable) {
			snprintf(a.text, sizeof a.text, "%s", unable);
		} else {
			a = q.part == PART_SYMBOLS ? symbol_fetch(&servers, q.path)
						   : fetcher_fetch(d, &q);
		}
		answer(d, &a);
	}
	if (d->client)
		loaded.end(d->client);
	_exit(0);
}

/* --- in the parent --- */

enum status fetcher_start(struct fetcher *f, const char *urls, const char *symbols,
			  const char *folder, unsigned seconds, struct err *e)
{
	int ask[2], answers[2];
	pid_t parent = getpid();

	if (pipe2(ask, O_CLOEXEC))
		return err_sys(e, "pipe");
	if (pipe2(answers, O_CLOEXEC)) {
		err_sys(e, "pipe");
		close(ask[0]);
		close(ask[1]);
		return err_failure(e);
	}
	*f = (struct fetcher){fork(), ask[1], ask[0], answers[0]};
	if (!f->pid) {
		struct asking d = {.seconds = seconds, .from = ask[0], .to = answers[1], .log = -1};

		close(ask[1]);
		close(answers[0]);
		let_go(parent);
		set_variables(urls, folder, seconds);
		fetcher_answer_all(&d, urls, symbols, folder);
	}
	close(answers[1]);
	if (f->pid > 0)
		return ST_OK;
	err_sys(e, "fork");
	fetcher_stop(f);
	return err_failure(e);
}

static void fetcher_put(struct fetcher *f, const struct question *q,
			void (*progress)(void *arg, uint64_t done, uint64_t total), void *arg,
			struct fetch_answer *a)
{
	*a = (struct fetch_answer){.kind = FETCH_DEAD, .text = "the process that asks has ended"};
	if (!put(f->ask, q, sizeof *q))
		return;
	while (get(f->answers, a, sizeof *a)) {
		a->text[sizeof a->text - 1] = 0;
		a->server[sizeof a->server - 1] = 0;
		a->dead[sizeof a->dead - 1] = 0;
		if (a->kind != FETCH_PROGRESS)
			return;
		if (progress)
			progress(arg, a->done, a->total);
	}
	*a = (struct fetch_answer){.kind = FETCH_DEAD, .text = "the process that asks has ended"};
}

void fetcher_ask(struct fetcher *f, const struct object_build_id *id, enum object_part part,
		 void (*progress)(void *arg, uint64_t done, uint64_t total), void *arg,
		 struct fetch_answer *a)
{
	struct question q;

	memset(&q, 0, sizeof q); /* it goes through a pipe as it lies */
	memcpy(q.id.bytes, id->bytes, id->len);
	q.id.len = id->len;
	q.part = part;
	fetcher_put(f, &q, progress, arg, a);
}

void fetcher_ask_symbols(struct fetcher *f, const char *path,
			 void (*progress)(void *arg, uint64_t done, uint64_t total), void *arg,
			 struct fetch_answer *a)
{
	struct question q;

	*a = (struct fetch_answer){.kind = FETCH_NONE, .text = "its name is too long"};
	if (strlen(path) >= sizeof q.path)
		return;
	memset(&q, 0, sizeof q);
	memcpy(q.path, path, strlen(path));
	q.part = PART_SYMBOLS;
	fetcher_put(f, &q, progress, arg, a);
}

void fetcher_stop(struct fetcher *f)
{
	const int fds[] = {f->ask, f->ask_end, f->answers};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i])
			close(fds[i]);
	if (f->pid > 0)
		while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
			;
	*f = (struct fetcher){.pid = 0};
}

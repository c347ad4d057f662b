/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/debuginfod.h"

#include "lib/base/buf.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/object/trail.h"
#include "lib/symbolize/cache_dir.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
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

struct got { /* one question and its answer */
	struct object_build_id id;
	enum object_part part;
	char *path; /* NULL: there is none */
	char *why;  /* there is none */
};

struct debuginfod {
	struct debuginfod_options options;
	pthread_mutex_t lock;
	bool tried, dead; /* to load it; no server answers */
	char *urls, *temporary;
	debuginfod_client *client;
	struct got *got;
	size_t n_got, cap_got;
	struct intern told;
	uint32_t tell_from;
	/* of the transfer under way */
	double started;
	const char *broken_off; /* why */
	int log;                /* what the library says of it; -1: it cannot say */
	char said[300];
};

enum { FIRST_BYTES = 4096 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

__attribute__((format(printf, 2, 3))) static void tell(struct debuginfod *d, const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	intern_add(&d->told, text, strlen(text));
}

const char *debuginfod_told(struct debuginfod *d)
{
	const char *text = NULL;

	if (!d)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (d->tell_from <= intern_count(&d->told))
		text = intern_text(&d->told, d->tell_from++, NULL);
	pthread_mutex_unlock(&d->lock);
	return text;
}

static char *make_in(const char *dir, const char *name)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addf(&b, "%s/%s-XXXXXX", dir, name);
	path = mem_strdup(buf_str(&b));
	buf_release(&b);
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

/* In the cache's folder, so that a rename is enough to keep a file. */
static char *make_temporary(struct debuginfod *d)
{
	const char *tmp = getenv("TMPDIR");
	struct err e = ERR_INIT;
	char *path = NULL;

	if (d->options.cache && !cache_dir_make(d->options.cache, &e))
		path = make_in(d->options.cache, "debuginfod");
	if (path)
		return path;
	d->options.cache = NULL;
	return make_in(tmp && *tmp ? tmp : "/tmp", "tracemill");
}

struct debuginfod *debuginfod_new(const struct debuginfod_options *o)
{
	struct debuginfod *d = mem_zalloc(sizeof *d);
	struct buf b = BUF_INIT;
	char text[32];

	d->options = *o;
	d->tell_from = 1;
	d->log = -1;
	if (!d->options.seconds)
		d->options.seconds = DEBUGINFOD_SECONDS;
	pthread_mutex_init(&d->lock, NULL);
	for (size_t i = 0; i < o->n_urls; i++)
		buf_addf(&b, "%s%s", i ? " " : "", o->urls[i]);
	d->urls = mem_strdup(buf_str(&b));
	buf_release(&b);
	d->temporary = make_temporary(d);
	setenv("DEBUGINFOD_URLS", d->urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", d->temporary ? d->temporary : "/dev/null", 1);
	snprintf(text, sizeof text, "%u", d->options.seconds);
	setenv("DEBUGINFOD_TIMEOUT", text, 1);
	setenv("DEBUGINFOD_RETRY_LIMIT", "1", 1);
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
	unsetenv("DEBUGINFOD_MAXTIME");
	unsetenv("DEBUGINFOD_MAXSIZE");
	return d;
}

static void remove_tree(const char *path, int depth)
{
	DIR *folder = opendir(path);
	const struct dirent *x;
	struct buf b = BUF_INIT;

	while (folder && (x = readdir(folder))) {
		if (!strcmp(x->d_name, ".") || !strcmp(x->d_name, ".."))
			continue;
		b.len = 0;
		buf_addf(&b, "%s/%s", path, x->d_name);
		if (unlink(buf_str(&b)) && depth) /* a folder, then */
			remove_tree(buf_str(&b), depth - 1);
	}
	if (folder)
		closedir(folder);
	rmdir(path);
	buf_release(&b);
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		loaded.end(d->client);
	if (d->log >= 0)
		close(d->log);
	if (d->temporary)
		remove_tree(d->temporary, 2);
	for (size_t i = 0; i < d->n_got; i++) {
		free(d->got[i].path);
		free(d->got[i].why);
	}
	free(d->got);
	free(d->temporary);
	free(d->urls);
	intern_release(&d->told);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static int progress(debuginfod_client *client, long done, long total)
{
	struct debuginfod *d = loaded.get_user_data(client);
	double seconds = now() - d->started;

	/* before anything has come done counts turns of its loop */
	if (total <= 0 && done < FIRST_BYTES)
		done = 0;
	if (seconds > d->options.seconds + (double)done / DEBUGINFOD_RATE)
		d->broken_off = done || total > 0 ? "too slow" : "no answer in time";
	else if (done >> 20 >= DEBUGINFOD_LIMIT_MIB || total >> 20 >= DEBUGINFOD_LIMIT_MIB)
		d->broken_off = "too large";
	if (d->options.progress && !d->broken_off)
		d->options.progress(NULL, (uint64_t)done, total > 0 ? (uint64_t)total : 0);
	return d->broken_off != NULL;
}

/* NULL: it is there. Else why not. */
static const char *load(struct debuginfod *d)
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
	loaded.set_progressfn(d->client, progress);
	d->log = loaded.set_verbose_fd ? memfd_create("debuginfod", MFD_CLOEXEC) : -1;
	if (d->log >= 0)
		loaded.set_verbose_fd(d->client, d->log);
	return NULL;
}

/* NULL: it is what was asked for. */
static const char *differs(const char *path, const struct object_build_id *id, struct err *e)
{
	struct object *o = NULL;
	const char *why = NULL;

	if (object_open(&o, path, e))
		return e->msg;
	if (!object_build_id(o)->len)
		why = "it has no build-id";
	else if (!object_build_id_equal(object_build_id(o), id))
		why = "its build-id is another one";
	object_free(o);
	return why;
}

static char *name_of(const struct got *g)
{
	struct buf b = BUF_INIT;
	char *name;

	buf_adds(&b, "debuginfod-");
	for (unsigned i = 0; i < g->id.len; i++)
		buf_add_hex(&b, g->id.bytes[i], 2);
	buf_addf(&b, "-%s" CACHE_SUFFIX, g->part == OBJECT_DEBUG ? "debug" : "binary");
	name = mem_strdup(buf_str(&b));
	buf_release(&b);
	return name;
}

/* What an earlier run has kept; it is checked again, for who else writes there. */
static bool kept(const struct debuginfod *d, struct got *g)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	char *name;
	int fd = -1;

	if (!d->options.cache)
		return false;
	name = name_of(g);
	buf_addf(&b, "%s/%s", d->options.cache, name);
	free(name);
	if (!access(buf_str(&b), F_OK) && differs(buf_str(&b), &g->id, &e))
		unlink(buf_str(&b));
	else
		fd = open(buf_str(&b), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		cache_dir_used(fd);
		close(fd);
		g->path = mem_strdup(buf_str(&b));
	}
	buf_release(&b);
	return fd >= 0;
}

static void keep(struct debuginfod *d, struct got *g)
{
	struct buf b = BUF_INIT;
	char *name;

	if (!d->options.cache)
		return;
	name = name_of(g);
	buf_addf(&b, "%s/%s", d->options.cache, name);
	chmod(g->path, 0644);
	if (!rename(g->path, buf_str(&b))) {
		free(g->path);
		g->path = mem_strdup(buf_str(&b));
		cache_dir_trim(d->options.cache, d->options.limit, name);
	}
	free(name);
	buf_release(&b);
}

/* The library's code for "there is none" also stands for whatever else a server may answer. What it
 * was is in its log, as lines "url N TEXT": the first that is not a plain 404. */
static const char *said(struct debuginfod *d)
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
static const char *failure(struct debuginfod *d, int code)
{
	if (d->broken_off) {
		d->dead = strcmp(d->broken_off, "too large") != 0;
		return d->broken_off;
	}
	if (code == -ENOENT)
		return said(d);
	d->dead = code != -EFBIG && code != -EIO;
	return strerror(-code);
}

static void ask(struct debuginfod *d, struct got *g)
{
	struct err e = ERR_INIT;
	const char *why;
	int fd;

	if (!d->tried) {
		d->tried = true;
		why = d->temporary ? load(d) : "no folder for what comes: TMPDIR";
		if (why)
			tell(d, "debuginfod: %s", why);
		d->dead = why;
	}
	if (d->dead) {
		g->why = mem_strdup("not asked, since it did not answer before");
		return;
	}
	d->started = now();
	d->broken_off = NULL;
	if (d->log >= 0 && (ftruncate(d->log, 0) || lseek(d->log, 0, SEEK_SET)))
		d->said[0] = 0;
	fd = loaded.find[g->part](d->client, g->id.bytes, g->id.len, &g->path);
	if (fd < 0) {
		why = failure(d, fd);
		if (why)
			tell(d, "debuginfod: %s: %s%s", d->urls, why,
			     d->dead ? "; it is not asked again" : "");
		g->path = NULL;
		g->why = mem_strdup(why ? why : "the server has no such file");
		return;
	}
	close(fd);
	why = differs(g->path, &g->id, &e);
	if (why) {
		tell(d, "debuginfod: %s: what came is not what was asked for and was removed: %s",
		     d->urls, why);
		unlink(g->path);
		free(g->path);
		g->path = NULL;
		g->why = mem_strdup(why);
		return;
	}
	keep(d, g);
}

static struct got *got(struct debuginfod *d, const struct object_build_id *id,
		       enum object_part part)
{
	struct got *g;

	for (size_t i = 0; i < d->n_got; i++)
		if (d->got[i].part == part && object_build_id_equal(&d->got[i].id, id))
			return &d->got[i];
	VEC_PUSH(d->got, d->n_got, d->cap_got) = (struct got){.id = *id, .part = part};
	g = &d->got[d->n_got - 1];
	if (!kept(d, g))
		ask(d, g);
	return g;
}

const char *debuginfod_find(void *debuginfod, const struct object_build_id *id,
			    enum object_part part, size_t n, struct trail *trail)
{
	struct debuginfod *d = debuginfod;
	const struct got *g;
	const char *path;

	if (n)
		return NULL;
	pthread_mutex_lock(&d->lock);
	g = got(d, id, part);
	path = g->path;
	if (!path)
		trail_add(trail, false, d->urls, "%s", g->why);
	pthread_mutex_unlock(&d->lock);
	return path;
}

/* SPDX-License-Identifier: MIT */
#include "lib/find/debuginfod.h"

#include "lib/base/buf.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/base/text.h"
#include "lib/find/debuginfod_fetch.h"
#include "lib/index/cache_dir.h"
#include "lib/object/search_log.h"
#include "lib/sandbox/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct got { /* one question and its answer */
	struct object_build_id id;
	enum object_part part;
	char *key;  /* of a PDB; NULL: id is a build-id */
	char *path; /* NULL: none */
	char *why;  /* why there is no path */
};

struct debuginfod {
	struct debuginfod_options options;
	pthread_mutex_t lock;
	/* no server of the kind answers, or the fetching process is gone */
	bool dead, symbols_dead;
	char *urls, *symbols, *temporary; /* servers with blanks between */
	struct fetcher fetcher;
	struct got *got;
	size_t n_got, cap_got;
	struct intern messages;
	uint32_t next_message;
	/* Questions to symbol servers; those that were answered with "not there". */
	uint64_t n_symbols, symbols_missing;
	bool missing_told;
};

__attribute__((format(printf, 2, 3))) static void tell(struct debuginfod *d, const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	intern_add(&d->messages, text, strlen(text));
}

/* Symbol servers that answer, and have nothing of all that they were asked for: perhaps these are the wrong ones. A
 * debuginfod server need not have what a distribution has not built. */
static void tell_nothing_there(struct debuginfod *d)
{
	if (d->missing_told || !d->n_symbols || d->symbols_missing != d->n_symbols)
		return;
	d->missing_told = true;
	tell(d, "symbol server: %s: asked for %" PRIu64 " file%s, %s", d->symbols, d->n_symbols,
	     plural_s(d->n_symbols), d->n_symbols == 1 ? "does not have it" : "has none of them");
}

const char *debuginfod_next_message(struct debuginfod *d)
{
	const char *text = NULL;

	if (!d)
		return NULL;
	pthread_mutex_lock(&d->lock);
	if (d->next_message > intern_count(&d->messages))
		tell_nothing_there(d);
	if (d->next_message <= intern_count(&d->messages))
		text = intern_text(&d->messages, d->next_message++, NULL);
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

/* It goes at the end, from a folder that nothing else may be done in. */
static void allow(struct debuginfod *d)
{
	const char *tmp = getenv("TMPDIR");

	sandbox_allow(SANDBOX_CACHE, d->temporary);
	if (!d->options.cache)
		sandbox_allow(SANDBOX_EMPTIED, tmp && *tmp ? tmp : "/tmp");
}

static void debuginfod_end_server(void *d)
{
	debuginfod_free(d);
}

/* Those of one kind. */
static char *servers_of(const struct debuginfod_options *o, bool symbols)
{
	const size_t mark = sizeof DEBUGINFOD_SYMBOLS - 1;
	struct buf b = BUF_INIT;
	char *list;

	for (size_t i = 0; i < o->n_urls; i++) {
		bool is = !strncmp(o->urls[i], DEBUGINFOD_SYMBOLS, mark);
		size_t n = strlen(o->urls[i]);

		while (is && n > mark && o->urls[i][n - 1] == '/')
			n--;
		if (is != symbols)
			continue;
		buf_adds(&b, b.len ? " " : "");
		buf_add(&b, o->urls[i] + (is ? mark : 0), n - (is ? mark : 0));
	}
	list = mem_strdup(buf_str(&b));
	buf_release(&b);
	return list;
}

struct debuginfod *debuginfod_new(const struct debuginfod_options *o)
{
	struct debuginfod *d = mem_zalloc(sizeof *d);
	struct err e = ERR_INIT;

	d->options = *o;
	d->next_message = 1;
	if (!d->options.seconds)
		d->options.seconds = DEBUGINFOD_SECONDS;
	pthread_mutex_init(&d->lock, NULL);
	d->urls = servers_of(o, false);
	d->symbols = servers_of(o, true);
	d->temporary = make_temporary(d);
	if (!d->temporary)
		err_set(&e, ST_SYS, "no folder for downloads: TMPDIR");
	else
		allow(d);
	d->dead = !d->temporary || fetcher_start(&d->fetcher, d->urls, d->symbols, d->temporary,
						 d->options.seconds, &e);
	d->symbols_dead = d->dead;
	resource_scope_hold(d, debuginfod_end_server); /* a process, a folder */
	if (d->dead)
		tell(d, "debuginfod: %s", e.msg);
	return d;
}

static void debuginfod_remove_tree(const char *path, int depth)
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
			debuginfod_remove_tree(buf_str(&b), depth - 1);
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
	resource_scope_forget(d);
	fetcher_stop(&d->fetcher);
	if (d->temporary)
		debuginfod_remove_tree(d->temporary, 2);
	for (size_t i = 0; i < d->n_got; i++) {
		free(d->got[i].path);
		free(d->got[i].why);
		free(d->got[i].key);
	}
	free(d->got);
	free(d->temporary);
	free(d->urls);
	free(d->symbols);
	intern_release(&d->messages);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* NULL: it is the wanted file. */
static const char *differs(const char *path, const struct got *g, struct err *e)
{
	const struct object_build_id *id = &g->id;
	struct object *o = NULL;
	const char *why = NULL;
	enum status st = object_open(&o, path, e);

	if (st)
		return g->key && st == ST_UNSUPPORTED ? "it is no PDB" : e->msg;
	if (g->key && !object_pdb_age(o))
		why = "it is no PDB";
	else if (g->key && object_build_id_differs(object_build_id(o), id))
		why = !strcmp(object_build_id_differs(object_build_id(o), id), "age")
			  ? "its age is another one"
			  : "its GUID is another one";
	else if (!object_build_id(o)->len)
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

	if (g->key) {
		buf_addf(&b, "symbols-%s" CACHE_SUFFIX, g->key);
		name = mem_strdup(buf_str(&b));
		buf_release(&b);
		return name;
	}
	buf_adds(&b, "debuginfod-");
	for (unsigned i = 0; i < g->id.len; i++)
		buf_add_hex(&b, g->id.bytes[i], 2);
	buf_addf(&b, "-%s" CACHE_SUFFIX, g->part == OBJECT_DEBUG ? "debug" : "binary");
	name = mem_strdup(buf_str(&b));
	buf_release(&b);
	return name;
}

/* What an earlier run has kept; it is checked again, for who else writes there. */
static bool debuginfod_kept(const struct debuginfod *d, struct got *g)
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
	if (!access(buf_str(&b), F_OK) && differs(buf_str(&b), g, &e))
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
	if (!rename(g->path, buf_str(&b))) {
		free(g->path);
		g->path = mem_strdup(buf_str(&b));
		cache_dir_trim(d->options.cache, d->options.limit, name);
	}
	free(name);
	buf_release(&b);
}

/* What the fetcher says is there: it talks to the network, so it may name no other file. */
static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && path[n] == '/' && !strstr(path, "/../");
}

/* path: of a PDB on the servers; NULL: the id is asked for. */
static void debuginfod_ask(struct debuginfod *d, struct got *g, const char *path)
{
	const char *kind = path ? "symbol server" : "debuginfod",
		   *urls = path ? d->symbols : d->urls;
	bool *dead = path ? &d->symbols_dead : &d->dead;
	struct err e = ERR_INIT;
	struct fetch_answer a;
	const char *why;
	bool below;

	if (*dead) {
		g->why = mem_strdup("skipped, as it did not answer before");
		return;
	}
	if (path)
		fetcher_ask_symbols(&d->fetcher, path, d->options.progress, d->options.progress_arg,
				    &a);
	else
		fetcher_ask(&d->fetcher, &g->id, g->part, d->options.progress,
			    d->options.progress_arg, &a);
	if (*a.dead)
		tell(d, "%s: %s; skipped from now on", kind, a.dead);
	d->n_symbols += path != NULL;
	d->symbols_missing += path && a.kind == FETCH_NONE && !*a.text && !*a.dead;
	if (a.kind != FETCH_FOUND) {
		*dead = a.kind == FETCH_DEAD || a.kind == FETCH_UNABLE;
		if (*a.text)
			tell(d, "%s: %s%s%s%s", kind,
			     a.kind == FETCH_UNABLE ? ""
			     : *a.server            ? a.server
						    : urls,
			     a.kind == FETCH_UNABLE ? "" : ": ", a.text,
			     a.kind == FETCH_DEAD ? "; it is skipped from now on" : "");
		g->why = mem_strdup(a.kind == FETCH_UNABLE ? "skipped, as it did not answer before"
				    : *a.text              ? a.text
				    : *a.dead              ? a.dead
				    : *dead                ? "skipped, as it did not answer before"
							   : "the server has no such file");
		return;
	}
	below = is_below(a.text, d->temporary);
	why = below ? differs(a.text, g, &e) : "it is elsewhere";
	if (why) {
		tell(d, "%s: %s: the server sent a wrong file, which was removed: %s", kind,
		     *a.server ? a.server : urls, why);
		if (below)
			unlink(a.text);
		g->why = mem_strdup(why);
		return;
	}
	g->path = mem_strdup(a.text);
	keep(d, g);
}

static struct got *got(struct debuginfod *d, const struct object_build_id *id,
		       enum object_part part)
{
	struct got *g;

	for (size_t i = 0; i < d->n_got; i++)
		if (!d->got[i].key && d->got[i].part == part &&
		    object_build_id_equal(&d->got[i].id, id))
			return &d->got[i];
	VEC_PUSH(d->got, d->n_got, d->cap_got) = (struct got){.id = *id, .part = part};
	g = &d->got[d->n_got - 1];
	if (!debuginfod_kept(d, g))
		debuginfod_ask(d, g, NULL);
	return g;
}

/* NAME/KEY/NAME, where a name may have any bytes. */
static char *symbols_path(const struct object_pdb_name *pdb)
{
	struct buf name = BUF_INIT, b = BUF_INIT;
	char *path;

	for (const char *s = pdb->name; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("._-", *s))
			buf_addc(&name, *s);
		else
			buf_addf(&name, "%%%02X", (unsigned char)*s);
	buf_addf(&b, "%s/%s/%s", buf_str(&name), pdb->key, buf_str(&name));
	path = mem_strdup(buf_str(&b));
	buf_release(&name);
	buf_release(&b);
	return path;
}

static struct got *got_pdb(struct debuginfod *d, const struct object_pdb_name *pdb)
{
	struct got *g;
	char *path;

	for (size_t i = 0; i < d->n_got; i++)
		if (d->got[i].key && !strcmp(d->got[i].key, pdb->key))
			return &d->got[i];
	VEC_PUSH(d->got, d->n_got, d->cap_got) =
	    (struct got){.id = *pdb->guid, .key = mem_strdup(pdb->key)};
	g = &d->got[d->n_got - 1];
	path = symbols_path(pdb);
	if (!debuginfod_kept(d, g))
		debuginfod_ask(d, g, path);
	free(path);
	return g;
}

const char *debuginfod_find_pdb(void *debuginfod, const struct object_pdb_name *pdb,
				struct search_log *log)
{
	struct debuginfod *d = debuginfod;
	const struct got *g;
	const char *path;

	if (!*d->symbols || !*pdb->key || !strcmp(pdb->name, ".") || !strcmp(pdb->name, ".."))
		return NULL;
	pthread_mutex_lock(&d->lock);
	g = got_pdb(d, pdb);
	path = g->path;
	if (!path)
		search_log_add(log, false, d->symbols, "%s", g->why);
	pthread_mutex_unlock(&d->lock);
	return path;
}

const char *debuginfod_find(void *debuginfod, const struct object_build_id *id,
			    enum object_part part, size_t n, struct search_log *log)
{
	struct debuginfod *d = debuginfod;
	const struct got *g;
	const char *path;

	if (n || (!*d->urls && *d->symbols)) /* all servers are of the other kind */
		return NULL;
	pthread_mutex_lock(&d->lock);
	g = got(d, id, part);
	path = g->path;
	if (!path)
		search_log_add(log, false, d->urls, "%s", g->why);
	pthread_mutex_unlock(&d->lock);
	return path;
}

/* SPDX-License-Identifier: MIT */
#include "lib/object/companion.h"

#include "lib/base/cursor.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/mem_budget.h"
#include "lib/base/path.h"
#include "lib/object/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A search under way. */
struct seek {
	struct object *o;
	object_accept_fn *accept;
	void *arg;
	struct buf path, tried;
	struct buf *why;
	uint64_t *digest;       /* instead of looking into files */
	struct search_log *log; /* NULL: not wanted */
};

static void refuse(struct seek *k, const char *path, const char *why)
{
	if (k->why->len)
		buf_adds(k->why, "; ");
	buf_add_escaped(k->why, path, strlen(path));
	buf_addf(k->why, ": %s", why);
	search_log_add(k->log, false, path, "%s", why);
}

/* The same place by two ways is looked at once. */
static bool tried(struct seek *k, const char *path)
{
	size_t n = strlen(path) + 1;

	for (size_t at = 0; at < k->tried.len; at += strlen(k->tried.data + at) + 1)
		if (!strcmp(k->tried.data + at, path))
			return true;
	buf_add(&k->tried, path, n);
	return false;
}

static void probe(struct seek *k, const char *path)
{
	struct stat st;
	uint64_t seen[6];

	if (stat(path, &st))
		return;
	seen[0] = (uint64_t)st.st_dev;
	seen[1] = (uint64_t)st.st_ino;
	seen[2] = (uint64_t)st.st_size;
	seen[3] = (uint64_t)st.st_mtim.tv_sec;
	seen[4] = (uint64_t)st.st_mtim.tv_nsec;
	seen[5] = hash_bytes(path, strlen(path));
	*k->digest = hash_bytes_seeded(seen, sizeof seen, *k->digest);
}

static bool companion_try_path(struct seek *k)
{
	const char *path = buf_str(&k->path), *why;
	struct err e = ERR_INIT;
	struct object *c;

	if (tried(k, path))
		return false;
	if (k->digest) {
		probe(k, path);
		return false;
	}
	/* nothing there is the usual case, and not worth a word */
	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR)) {
		search_log_add(k->log, false, path, "not there");
		return false;
	}
	if (object_open_wanted(&c, path, &(struct object_want){.split = true}, &e)) {
		refuse(k, path, e.msg);
		return false;
	}
	if (c->file.is_64 != k->o->file.is_64 || c->file.big_endian != k->o->file.big_endian)
		why = "is for another machine";
	else
		why = k->accept(k->arg, c);
	if (!why) {
		search_log_add(k->log, true, path, "holds the parts that dwz moved out of %s",
			       object_debug_path(k->o));
		return true;
	}
	refuse(k, path, why);
	object_free(c);
	return false;
}

/* dir/name; dir NULL: name as it is. */
static bool try(struct seek *k, const char *dir, size_t n_dir, const char *name, const char *after)
{
	k->path.len = 0;
	if (dir) {
		buf_add(&k->path, dir, n_dir);
		buf_addc(&k->path, '/');
	}
	buf_adds(&k->path, name);
	buf_adds(&k->path, after);
	return k->path.len < 8192 && companion_try_path(k);
}

/* A path that the debug information names, of dir (NULL: none) and name: below the sysroot, then as it is. */
static bool try_named(struct seek *k, const char *dir, const char *name)
{
	struct buf path = BUF_INIT, below = BUF_INIT;
	bool found;

	if (dir)
		buf_addf(&path, "%s/", dir);
	buf_adds(&path, name);
	found = (path_in_sysroot(&below, k->o->sysroot, buf_str(&path)) &&
		 try(k, NULL, 0, buf_str(&below), "")) ||
		try(k, NULL, 0, buf_str(&path), "");
	buf_release(&path);
	buf_release(&below);
	return found;
}

/* In the folder of path. */
static bool try_beside(struct seek *k, const char *path, const char *name, const char *after)
{
	const char *base;

	if (!path)
		return false;
	base = path_base(path);
	return base == path ? try(k, ".", 1, name, after)
			    : try(k, path, (size_t)(base - path) - 1, name, after);
}

static bool done(struct seek *k, bool found)
{
	buf_release(&k->path);
	buf_release(&k->tried);
	return found;
}

static bool companion_seek_split(struct seek *k, const char *dir, const char *name)
{
	struct object *o = k->o;
	const char *base;

	while (!strncmp(name, "./", 2))
		name += 2;
	if (!*name || o->file.fd < 0)
		return false;
	base = path_base_captured(name);
	dir = *dir ? dir : ".";
	if (try_named(k, name[0] == '/' ? NULL : dir, name))
		return true;
	for (int bare = 0; bare < 2; bare++) {
		const char *n = bare ? base : name;

		if (!bare && name[0] == '/')
			continue;
		if (try_beside(k, o->debug.path, n, "") || try_beside(k, o->file.path, n, ""))
			return true;
		for (size_t i = 0; i < o->n_dirs; i++)
			if (try(k, o->dirs[i], strlen(o->dirs[i]), n, ""))
				return true;
	}
	return false;
}

bool object_seek_split(struct object *o, const char *dir, const char *name,
		       object_accept_fn *accept, void *arg, struct buf *why)
{
	struct seek k = {.o = o, .accept = accept, .arg = arg, .why = why};
	const char *refused;

	/* -gsplit-dwarf=single before it is linked */
	if (section_find(&o->file, ".debug_info.dwo")) {
		refused = accept(arg, o);
		if (!refused)
			return true;
		refuse(&k, o->file.path, refused);
	}
	return done(&k, companion_seek_split(&k, dir, name));
}

void object_probe_split(struct object *o, const char *dir, const char *name, uint64_t *digest)
{
	struct seek k = {.o = o, .digest = digest};

	done(&k, companion_seek_split(&k, dir, name));
}

static bool seek_package(struct seek *k)
{
	struct object *o = k->o;
	const char *paths[] = {o->debug.path, o->file.path};

	if (o->file.fd < 0)
		return false;
	if (o->dwp && try(k, NULL, 0, o->dwp, ""))
		return true;
	for (size_t i = 0; i < 2; i++)
		if (paths[i] && try_beside(k, paths[i], path_base(paths[i]), ".dwp"))
			return true;
	for (size_t i = 0; i < 2; i++)
		for (size_t d = 0; paths[i] && d < o->n_dirs; d++)
			if (try(k, o->dirs[d], strlen(o->dirs[d]), path_base(paths[i]), ".dwp"))
				return true;
	return false;
}

bool object_seek_package(struct object *o, object_accept_fn *accept, void *arg, struct buf *why)
{
	struct seek k = {.o = o, .accept = accept, .arg = arg, .why = why};

	if (section_find(&o->file, ".debug_cu_index")) {
		const char *refused = accept(arg, o);

		if (!refused)
			return true;
		refuse(&k, o->file.path, refused);
	}
	return done(&k, seek_package(&k));
}

void object_probe_package(struct object *o, uint64_t *digest)
{
	struct seek k = {.o = o, .digest = digest};

	done(&k, seek_package(&k));
}

void object_close_file(struct object *o)
{
	if (o->file.fd >= 0)
		close(o->file.fd);
	o->file.fd = -1;
	o->file.size = 0; /* reads fail */
}

/* What a link says of the supplementary file. */
struct link {
	char *name; /* NULL: there is no such link */
	struct object_build_id id;
};

static void read_id(struct link *l, struct cursor *c, uint64_t n)
{
	const uint8_t *id = n && n <= OBJECT_BUILD_ID_MAX
				? cursor_bytes(c, (size_t)n, "supplementary file's build-id")
				: NULL;

	if (id) {
		memcpy(l->id.bytes, id, (size_t)n);
		l->id.len = (uint8_t)n;
	}
}

static struct link companion_read_link(const struct object_image *f)
{
	const struct section_header *s = section_find(f, ".gnu_debugaltlink");
	struct link l = {.name = NULL};
	struct err e = ERR_INIT;
	const char *name = NULL;
	struct cursor c;
	uint8_t *data;
	uint64_t size;
	size_t n = 0;
	bool sup = !s;

	if (!s)
		s = section_find(f, ".debug_sup");
	if (!s || s->size > 65536 || section_read(f, s, &data, &size, &e))
		return l;
	cursor_init(&c, data, (size_t)size, s->offset, &e);
	c.big_endian = f->big_endian;
	/* version 5; is_supplementary: this is such a file, and needs none */
	if (!sup || (cursor_u16(&c) == 5 && !cursor_u8(&c)))
		name = cursor_cstr(&c, &n);
	if (name && n) {
		read_id(&l, &c, sup ? cursor_uleb(&c) : cursor_window(&c));
		l.name = mem_strndup(name, n);
	}
	mem_budget_free(data);
	return l;
}

struct supplement {
	struct object *o, *found;
	const struct link *link;
};

/* The checksum that a supplementary file has of itself in .debug_sup. */
static struct object_build_id companion_own_id(const struct object_image *f)
{
	const struct section_header *s = section_find(f, ".debug_sup");
	struct link l = {.id = f->build_id};
	struct err e = ERR_INIT;
	struct cursor c;
	uint8_t *data;
	uint64_t size;
	size_t n;

	if (l.id.len || !s || s->size > 65536 || section_read(f, s, &data, &size, &e))
		return l.id;
	cursor_init(&c, data, (size_t)size, s->offset, &e);
	c.big_endian = f->big_endian;
	if (cursor_u16(&c) == 5 && cursor_u8(&c) == 1 && cursor_cstr(&c, &n))
		read_id(&l, &c, cursor_uleb(&c));
	mem_budget_free(data);
	return l.id;
}

static const char *companion_accept_supplement(void *arg, struct object *c)
{
	struct supplement *s = arg;
	struct object_build_id id = companion_own_id(&c->file);

	if (!s->link->id.len)
		return "the link to it has no build-id";
	if (!id.len || !object_build_id_equal(&id, &s->link->id))
		return "build-id differs";
	if (c->file.dev == s->o->file.dev && c->file.ino == s->o->file.ino)
		return "is the file with the link itself";
	s->found = c;
	return NULL;
}

static bool try_by_id(struct seek *k, const char *dir, const struct object_build_id *id)
{
	struct buf name = BUF_INIT;
	bool found;

	if (id->len < 2)
		return false;
	buf_addf(&name, ".build-id/%02x/", id->bytes[0]);
	for (size_t i = 1; i < id->len; i++)
		buf_addf(&name, "%02x", id->bytes[i]);
	found = try(k, dir, strlen(dir), buf_str(&name), ".debug");
	buf_release(&name);
	return found;
}

/* Finders of files by build-id come last. */
static bool ask_finders(struct seek *k, const struct object_build_id *id)
{
	const struct object *o = k->o;
	const char *path;

	for (size_t i = 0; id->len && i < o->n_finders; i++) {
		const struct object_finder *f = &o->finders[i];

		for (size_t n = 0; (path = f->find(f->arg, id, OBJECT_DEBUG, n, NULL)); n++)
			if (try(k, NULL, 0, path, ""))
				return true;
	}
	return false;
}

static bool companion_seek_supplement(struct seek *k, const struct link *l)
{
	struct object *o = k->o;
	const char *system = SYSTEM_DEBUG_DIR, *from = o->debug.path ? o->debug.path : o->file.path;
	char *real;
	bool found;

	for (size_t i = 0; i < o->n_dirs; i++)
		if (try_by_id(k, o->dirs[i], &l->id))
			return true;
	if (o->system && try_by_id(k, system, &l->id))
		return true;
	if (l->name[0] == '/') {
		if (try_named(k, NULL, l->name))
			return true;
	} else {
		if (try_beside(k, from, l->name, ""))
			return true;
		/* in a tree by build-id the file is a link to where it belongs */
		real = realpath(from, NULL);
		found = real && try_beside(k, real, l->name, "");
		free(real);
		if (found)
			return true;
	}
	if (try_beside(k, from, path_base(l->name), ""))
		return true;
	for (size_t i = 0; i < o->n_dirs; i++)
		if (try(k, o->dirs[i], strlen(o->dirs[i]), path_base(l->name), "") ||
		    try(k, o->dirs[i], strlen(o->dirs[i]), ".dwz/", path_base(l->name)))
			return true;
	return (o->system && try(k, system, strlen(system), ".dwz/", path_base(l->name))) ||
	       ask_finders(k, &l->id);
}

static void companion_supplement(struct object *o, bool explain)
{
	const struct object_image *f =
	    o->debug.path && section_find(&o->debug, ".debug_info") ? &o->debug : &o->file;
	struct link l = companion_read_link(f);
	struct supplement s = {.o = o, .link = &l};
	struct buf why = BUF_INIT;
	struct seek k = {.o = o,
			 .accept = companion_accept_supplement,
			 .arg = &s,
			 .why = &why,
			 .log = explain ? &o->log : NULL};

	if (l.name && o->file.fd >= 0 && !o->supplement &&
	    !done(&k, companion_seek_supplement(&k, &l))) {
		struct buf b = BUF_INIT;

		buf_adds(&b, "supplementary file ");
		buf_add_escaped(&b, l.name, strlen(l.name));
		buf_addf(&b, ": %s", why.len ? buf_str(&why) : "not there");
		o->supplement_missing = mem_strdup(buf_str(&b));
		buf_release(&b);
	}
	if (s.found)
		o->supplement = s.found;
	buf_release(&why);
	free(l.name);
}

struct object *object_supplement(const struct object *o)
{
	return o->supplement;
}

void object_set_supplement(struct object *o, struct object *s)
{
	object_free(o->supplement);
	o->supplement = s;
}

const char *object_supplement_missing(const struct object *o)
{
	return o->supplement_missing;
}

static void companion_keep_search(struct object *o, const struct object_search *s)
{
	struct buf dir = BUF_INIT;

	companion_release(o);
	o->system = s->system;
	o->finders = s->finders;
	o->n_finders = s->n_finders;
	o->dwp = s->dwp ? mem_strdup(s->dwp) : NULL;
	o->sysroot = s->sysroot ? mem_strdup(s->sysroot) : NULL;
	o->dirs = mem_zarray(s->n_dirs + 1, sizeof *o->dirs);
	for (o->n_dirs = 0; o->n_dirs < s->n_dirs; o->n_dirs++)
		o->dirs[o->n_dirs] = mem_strdup(s->dirs[o->n_dirs]);
	if (path_in_sysroot(&dir, s->sysroot, SYSTEM_DEBUG_DIR))
		o->dirs[o->n_dirs++] = mem_strdup(buf_str(&dir));
	buf_release(&dir);
}

void companion_release(struct object *o)
{
	for (size_t i = 0; i < o->n_dirs; i++)
		free(o->dirs[i]);
	free(o->dirs);
	free(o->dwp);
	free(o->sysroot);
	free(o->supplement_missing);
	object_free(o->supplement);
	o->dirs = NULL;
	o->dwp = NULL;
	o->sysroot = NULL;
	o->n_dirs = 0;
	o->supplement = NULL;
	o->supplement_missing = NULL;
}

enum status object_find_debug(struct object *o, const struct object_search *s, struct err *e)
{
	enum status st;

	companion_keep_search(o, s);
	st = debug_file_find(o, s, e);
	companion_supplement(o, s->explain);
	if (st == ST_NONE) { /* symbols will be wanted: say now if they are broken */
		struct err broken = ERR_INIT;

		minidebug_file(o, &broken);
		if (broken.msg[0] && e->msg[0])
			err_prefix(e, "%s", broken.msg);
		else if (broken.msg[0])
			err_set(e, ST_NONE, "%s", broken.msg);
	}
	return st;
}

/* SPDX-License-Identifier: MIT
 *
 * The object files of debug maps: those that have the name of one, and which of them the program was linked from.
 */
#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem_budget.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/object/ar.h"
#include "lib/object/debug_map.h"
#include "lib/object/impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of one file of a map, in one place after the other. */
struct choice {
	const struct object *program;
	uint32_t file;
	struct object_want want;
	struct object **fit; /* those that may be it */
	size_t n, cap;
	size_t seen;    /* that have its name */
	struct err why; /* of the first that is not it */
};

static enum status check_time(uint64_t is, uint64_t says, struct err *e)
{
	if (says && is != says)
		return err_set(e, ST_BAD,
			       "was modified at %" PRIu64
			       ", but the program was linked from one of %" PRIu64,
			       is, says);
	return ST_OK;
}

static enum status check_function(const struct debug_map_function *f, const struct object_symbol *y,
				  struct err *e)
{
	const uint64_t size = f->hi - f->lo;

	if (!y || strcmp(y->name, f->name) != 0)
		return err_set(
		    e, ST_BAD,
		    "is of another build: it has no function %s, which the program has of it",
		    f->name);
	if (y->hi - y->lo != size)
		return err_set(e, ST_BAD,
			       "is of another build: its function %s has %" PRIu64
			       " bytes, in the program %" PRIu64,
			       f->name, y->hi - y->lo, size);
	return ST_OK;
}

/* All functions that the program has of the file. */
static enum status check_functions(struct object *part, const struct debug_map *m, uint32_t file,
				   struct err *e)
{
	struct map64 of = {.n = 0};
	enum status st = ST_OK;
	size_t n;
	const struct object_symbol *all = object_symbols(part, &n);
	size_t i = m->by_file ? BISECT(k, 0, m->n, m->by_file[k].key < file) : m->n;

	for (size_t k = 0; k < n && n < UINT32_MAX; k++)
		*map64_put(&of, hash_bytes(all[k].name, strlen(all[k].name))) = (uint32_t)k + 1;
	for (; !st && i < m->n && m->by_file[i].key == file; i++) {
		const struct debug_map_function *f = &m->functions[m->by_file[i].index];
		uint32_t at = map64_get(&of, hash_bytes(f->name, strlen(f->name)));

		if (f->sized)
			st = check_function(f, at ? &all[at - 1] : NULL, e);
	}
	map64_release(&of);
	return st;
}

static const struct debug_map_file *file_of(const struct choice *c)
{
	return &c->program->map->files[c->file];
}

/* That it is not there is said of a place if nothing else is. Another place than the program names is named. */
static void note(struct choice *c, const char *path, const struct err *why)
{
	if (c->why.msg[0] && (c->why.code != ST_SYS || why->code == ST_SYS))
		return;
	c->why = *why;
	if (strcmp(path, file_of(c)->path) != 0)
		err_prefix(&c->why, "%s", path);
}

/* Takes part, which was opened unless st says why not. */
static void consider(struct choice *c, const char *path, enum status st, struct object *part,
		     struct err *e)
{
	bool opened = !st;

	c->seen++;
	if (opened && part->file.arch != c->program->file.arch)
		st = err_set(e, ST_BAD, "is for another machine");
	if (!st && !file_of(c)->time)
		st = check_functions(part, c->program->map, c->file, e);
	if (!st) {
		VEC_PUSH(c->fit, c->n, c->cap) = part;
		return;
	}
	note(c, path, e);
	if (opened)
		object_free(part);
}

/* Of "lib.a(member.o)", n bytes before the bracket. */
static void look_for_members(struct choice *c, const char *path, size_t n)
{
	char *archive = mem_strndup(path, n);
	const struct ar_member *m = NULL;
	struct err e = ERR_INIT;
	size_t before = c->seen;
	struct ar a;

	if (ar_open(&a, archive, &c->want, &e)) {
		c->seen += e.code != ST_SYS;
		note(c, path, &e);
		free(archive);
		return;
	}
	while (!a.thin && (m = ar_find(&a, m, path + n + 1, strlen(path) - n - 2))) {
		struct object *part = NULL;
		struct err why = ERR_INIT;
		enum status st = check_time(m->time, file_of(c)->time, &why);
		int fd = st ? -1 : fcntl(a.fd, F_DUPFD_CLOEXEC, 0);

		if (!st)
			st = fd < 0 ? err_sys(&why, "cannot open")
				    : object_open_part(&part, fd, m->offset, m->size, path,
						       &c->want, &why);
		consider(c, path, st, part, &why);
	}
	if (c->seen == before) {
		err_set(&e, ST_BAD,
			a.thin ? "is in a thin archive" : "the archive has no such member");
		c->seen++;
		note(c, path, &e);
	}
	ar_release(&a);
	free(archive);
}

static void look_at(struct choice *c, const char *path)
{
	const char *bracket = strrchr(path, '(');
	struct object *part = NULL;
	struct err e = ERR_INIT;
	size_t n = strlen(path);
	enum status st;
	struct stat sb;

	if (bracket && path[n - 1] == ')') {
		look_for_members(c, path, (size_t)(bracket - path));
	} else if (stat(path, &sb)) {
		err_sys(&e, "stat");
		note(c, path, &e);
	} else {
		st = check_time((uint64_t)sb.st_mtime, file_of(c)->time, &e);
		st = st ? st : object_open_wanted(&part, path, &c->want, &e);
		consider(c, path, st, part, &e);
	}
}

/* Which of several: those that a test passes, if there are any. */
typedef bool test_fn(const struct choice *c, struct object *part);

static void keep(struct choice *c, test_fn *passes)
{
	size_t n = 0;

	if (c->n < 2)
		return;
	for (size_t i = 0; i < c->n; i++) {
		struct object *part = c->fit[i];

		if (passes(c, part)) { /* what does not goes behind those that do */
			c->fit[i] = c->fit[n];
			c->fit[n++] = part;
		}
	}
	while (n && c->n > n)
		object_free(c->fit[--c->n]);
}

static bool has_functions(const struct choice *c, struct object *part)
{
	struct err ignored = ERR_INIT;

	return !check_functions(part, c->program->map, c->file, &ignored);
}

/* One of the texts of its debug information is n bytes at text. */
static bool has_text(struct object *part, const char *text, size_t n)
{
	static const char *const sections[] = {".debug_str", ".debug_line_str", ".debug_info"};
	struct object_section s;
	struct err ignored = ERR_INIT;

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		if (object_section(part, sections[i], &s, &ignored))
			continue;
		for (uint64_t at = 0; n && at < s.size && n < s.size - at;) {
			const char *from = (const char *)s.data + at;
			const char *p = memmem(from, (size_t)(s.size - at), text, n);

			if (!p || (uint64_t)(p - (const char *)s.data) + n >= s.size)
				break;
			if (!p[n] && (p == (const char *)s.data || !p[-1]))
				return true;
			at = (uint64_t)(p - (const char *)s.data) + 1;
		}
	}
	return false;
}

/* A unit's name and its folder together are the path of the source; or its name is. */
static bool has_source(const struct choice *c, struct object *part)
{
	const struct debug_map_file *f = file_of(c);
	struct buf path = BUF_INIT;
	const char *text, *slash;
	bool has;

	buf_addf(&path, "%s%s", f->source[0] == '/' ? "" : f->folder, f->source);
	text = slash = buf_str(&path);
	has = has_text(part, text, path.len);
	while (!has && (slash = strchr(slash + 1, '/')))
		has = has_text(part, text, (size_t)(slash - text)) &&
		      has_text(part, slash + 1, strlen(slash + 1));
	buf_release(&path);
	return has;
}

static bool is_first(const struct choice *c, struct object *part)
{
	enum { CHUNK = 16384 };
	const struct object_image *a = &c->fit[0]->file, *b = &part->file;
	uint8_t x[CHUNK], y[CHUNK];
	struct err ignored = ERR_INIT;
	bool same = a->size == b->size;

	for (uint64_t at = 0; same && part != c->fit[0] && at < a->size; at += CHUNK) {
		size_t n = a->size - at < CHUNK ? (size_t)(a->size - at) : CHUNK;

		same = !image_read(a, at, x, n, &ignored) && !image_read(b, at, y, n, &ignored) &&
		       !memcmp(x, y, n);
	}
	return same;
}

/* ST_NONE: none was there, or could be it. */
static enum status choose(struct choice *c, struct object **out, struct err *e)
{
	enum status st = ST_OK;
	bool alike = true;

	keep(c, has_functions);
	keep(c, has_source);
	for (size_t i = 1; i < c->n && alike; i++)
		alike = is_first(c, c->fit[i]);
	if (!c->n)
		return ST_NONE;
	if (alike)
		*out = c->fit[0];
	else
		st = err_set(e, ST_BAD, "%zu of this name fit, and nothing shows which is the one",
			     c->n);
	for (size_t i = alike; i < c->n; i++)
		object_free(c->fit[i]);
	c->n = 0;
	return st;
}

/* The place of "/x/lib.a(member.o)" or "/x/file.o" in a folder. */
static const char *in_folder(struct buf *b, const char *folder, const char *path)
{
	b->len = 0;
	buf_addf(b, "%s/%s", folder, path);
	return buf_str(b);
}

enum status debug_map_open(struct object **out, const struct object *o, uint32_t file,
			   struct err *e)
{
	const struct debug_map_file *f = &o->map->files[file];
	struct choice c = {.program = o,
			   .file = file,
			   .want = {.arch = o->file.lipo, .lenient = true, .kin = true}};
	struct buf b = BUF_INIT;
	enum status st = ST_NONE;

	if (o->sysroot) {
		look_at(&c, in_folder(&b, o->sysroot, f->path));
		st = choose(&c, out, e);
	}
	if (st == ST_NONE) {
		look_at(&c, f->path);
		st = choose(&c, out, e);
	}
	for (size_t i = 0; i < o->n_dirs && st == ST_NONE; i++)
		look_at(&c, in_folder(&b, o->dirs[i], path_base(f->path)));
	if (st == ST_NONE)
		st = choose(&c, out, e);
	if (st == ST_NONE) {
		*e = c.why;
		st = err_failure(e);
		if (c.seen > 1)
			err_prefix(e, "none of %zu of this name fits; the first", c.seen);
	}
	free(c.fit);
	buf_release(&b);
	return st;
}

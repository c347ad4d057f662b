/* SPDX-License-Identifier: MIT */
#include "lib/object/debug_map.h"

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/mem_budget.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/object/ar.h"
#include "lib/object/impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { N_FUN = 0x24, N_SO = 0x64, N_OSO = 0x66 };

static int by_address(const void *a, const void *b)
{
	const struct debug_map_function *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sorted; of several at one address the first one stays. */
static void tidy(struct debug_map *m)
{
	size_t n = 0;

	sort_stable(m->functions, m->n, sizeof *m->functions, by_address);
	for (size_t i = 0; i < m->n; i++)
		if (!n || m->functions[i].lo != m->functions[n - 1].lo)
			m->functions[n++] = m->functions[i];
	m->n = n;
}

static void read_stabs(struct debug_map *m, struct cursor *c, bool wide, uint64_t n_names)
{
	struct debug_map_function f = {.name = NULL};
	bool within = false;

	while (!cursor_done(c) && !cursor_failed(c)) {
		uint32_t at = cursor_u32(c);
		uint8_t type = cursor_u8(c);
		uint64_t value;
		const char *name;

		cursor_skip(c, 3, "symbol");
		value = wide ? cursor_u64(c) : cursor_u32(c);
		name = at < n_names ? m->names + at : "";
		if (cursor_failed(c))
			return;
		if (type == N_OSO) {
			within = *name;
			if (within)
				VEC_PUSH(m->files, m->n_files, m->cap_files) =
				    (struct debug_map_file){name, value};
		} else if (type == N_SO && !*name) {
			within = false;
		} else if (type == N_FUN && *name) {
			f = (struct debug_map_function){value, value, name + (*name == '_'), 0};
		} else if (type == N_FUN && within && f.name && value <= UINT64_MAX - f.lo) {
			f.hi = f.lo + value;
			f.file = (uint32_t)m->n_files - 1;
			VEC_PUSH(m->functions, m->n, m->cap) = f;
			f.name = NULL;
		}
	}
}

void debug_map_find(struct object *o)
{
	const struct object_image *f = &o->file;
	const struct section_header table = {.name = "symbols",
					     .kind = SECTION_SYMBOLS,
					     .offset = f->symtab.offset,
					     .size = f->symtab.n * (f->is_64 ? 16 : 12)};
	const struct section_header strings = {.name = "names",
					       .kind = SECTION_STRINGS,
					       .offset = f->symtab.names,
					       .size = f->symtab.n_names};
	struct debug_map *m = mem_zalloc(sizeof *m);
	struct err ignored = ERR_INIT;
	uint8_t *bytes = NULL, *names = NULL;
	uint64_t size, n_names;
	struct cursor c;

	/* the symbol table itself is missed by who reads it next */
	if (!section_read(f, &table, &bytes, &size, &ignored) &&
	    !section_read(f, &strings, &names, &n_names, &ignored)) {
		m->names = (char *)names;
		cursor_init(&c, bytes, (size_t)size, table.offset, &ignored);
		c.big_endian = f->big_endian;
		read_stabs(m, &c, f->is_64, n_names);
		tidy(m);
	}
	mem_budget_free(bytes);
	debug_map_free(o->map);
	o->map = m;
	if (!m->n) {
		debug_map_free(m);
		o->map = NULL;
	}
}

void debug_map_free(struct debug_map *m)
{
	if (!m)
		return;
	free(m->files);
	free(m->functions);
	mem_budget_free((uint8_t *)m->names);
	free(m);
}

const struct debug_map *object_debug_map(const struct object *o)
{
	return o->map;
}

bool object_has_debug_map(const struct object *o)
{
	return o->map;
}

static enum status check_time(uint64_t is, uint64_t says, struct err *e)
{
	if (says && is != says)
		return err_set(e, ST_BAD,
			       "was modified at %" PRIu64
			       ", but the program was linked from one of %" PRIu64,
			       is, says);
	return ST_OK;
}

/* Of "lib.a(member.o)", n bytes before the bracket. */
static enum status map_open_member(struct object **out, const char *path, size_t n, uint64_t time,
				   struct err *e)
{
	char *file = mem_strndup(path, n);
	const struct ar_member *m;
	struct ar a;
	enum status st = ar_open(&a, file, e);
	int fd;

	free(file);
	if (st)
		return st;
	m = ar_find(&a, path + n + 1, strlen(path) - n - 2);
	if (!m || a.thin) {
		st = err_set(e, ST_BAD,
			     a.thin ? "is in a thin archive" : "the archive has no such member");
	} else {
		st = check_time(m->time, time, e);
		fd = st ? -1 : fcntl(a.fd, F_DUPFD_CLOEXEC, 0);
		if (!st)
			st = fd < 0 ? err_sys(e, "cannot open")
				    : object_open_part(out, fd, m->offset, m->size, path, e);
	}
	ar_release(&a);
	return st;
}

/* ST_SYS: it is not there. */
static enum status map_open_at(struct object **out, const char *path, uint64_t time, struct err *e)
{
	const char *bracket = strrchr(path, '(');
	size_t n = strlen(path);
	enum status st;
	struct stat sb;

	if (bracket && n && path[n - 1] == ')')
		return map_open_member(out, path, (size_t)(bracket - path), time, e);
	if (stat(path, &sb))
		return err_sys(e, "stat");
	st = check_time((uint64_t)sb.st_mtime, time, e);
	return st ? st : object_open(out, path, e);
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
	struct buf b = BUF_INIT;
	struct err other;
	enum status st = ST_SYS;

	if (o->sysroot)
		st = map_open_at(out, in_folder(&b, o->sysroot, f->path), f->time, e);
	if (st == ST_SYS)
		st = map_open_at(out, f->path, f->time, e);
	for (size_t i = 0; i < o->n_dirs && st == ST_SYS; i++) {
		other = (struct err)ERR_INIT;
		st = map_open_at(out, in_folder(&b, o->dirs[i], path_base(f->path)), f->time,
				 &other);
		if (st != ST_SYS)
			*e = other;
	}
	if (!st && (*out)->file.arch != o->file.arch) {
		object_free(*out);
		st = err_set(e, ST_BAD, "is for another machine");
	}
	buf_release(&b);
	return st;
}

/* SPDX-License-Identifier: MIT */
#include "lib/find/id_index.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/find/id_cache.h"
#include "lib/object/search_log.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LIMIT_PATH = 4096,
	PIECE = 64, /* files opened per piece of work */
};

struct id_index {
	struct id_index_options options;
	pthread_mutex_t lock;
	struct id_file *files;
	size_t n, cap;
	uint32_t *fresh; /* files to open */
	size_t n_fresh, cap_fresh;
	uint32_t *order; /* files with a build-id, by it, then by path */
	size_t n_order;
	struct map64 seen; /* hash of a folder's device and inode */
	char **todo;       /* folders */
	size_t n_todo, cap_todo;
	struct id_index_counts counts;
	char *first;
	uint64_t opened;
};

struct id_index *id_index_new(const struct id_index_options *o)
{
	struct id_index *x = mem_zalloc(sizeof *x);

	x->options = *o;
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

void id_index_free(struct id_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++)
		free(x->files[i].path);
	free(x->files);
	free(x->fresh);
	free(x->order);
	free(x->todo);
	free(x->first);
	map64_release(&x->seen);
	pthread_mutex_destroy(&x->lock);
	free(x);
}

static void unreadable(struct id_index *x, const char *path)
{
	x->counts.unreadable++;
	if (!x->first)
		x->first = mem_strdup(path);
}

/* False: it was walked before, by another way or by a link that leads back. */
static bool is_new(struct id_index *x, const struct stat *st)
{
	uint64_t place[2] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
	uint32_t *seen = map64_put(&x->seen, hash_bytes(place, sizeof place));
	bool first = !*seen;

	*seen = 1;
	return first;
}

static void id_index_look_at(struct id_index *x, DIR *folder, const char *dir, const char *name)
{
	struct buf path = BUF_INIT;
	struct stat st;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return;
	if (fstatat(dirfd(folder), name, &st, 0)) {
		/* a link that leads nowhere, or in a circle, is no file */
		if (errno == EACCES)
			unreadable(x, dir);
		return;
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return;
	buf_addf(&path, "%s/%s", dir, name);
	if (path.len >= LIMIT_PATH) {
		unreadable(x, dir);
	} else if (S_ISDIR(st.st_mode)) {
		VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = mem_strdup(buf_str(&path));
	} else {
		struct id_file f = {.path = mem_strdup(buf_str(&path))};

		f.place = (struct id_place){
		    (uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
		    (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec};
		VEC_PUSH(x->files, x->n, x->cap) = f;
	}
	buf_release(&path);
}

static void id_index_walk(struct id_index *x, const char *top)
{
	VEC_PUSH(x->todo, x->n_todo, x->cap_todo) = mem_strdup(top);
	while (x->n_todo) {
		char *dir = x->todo[--x->n_todo];
		DIR *folder = opendir(dir);
		const struct dirent *d;
		struct stat st;

		if (!folder)
			unreadable(x, dir);
		else if (!fstat(dirfd(folder), &st) && is_new(x, &st))
			while ((d = readdir(folder)))
				id_index_look_at(x, folder, dir, d->d_name);
		if (folder)
			closedir(folder);
		free(dir);
	}
}

/* What its headers say. */
static void id_index_open_one(struct id_file *f)
{
	struct err e = ERR_INIT;
	struct object *o = NULL;

	f->flags = 0;
	f->id.len = 0;
	if (object_open(&o, f->path, &e))
		return;
	f->id = *object_build_id(o);
	if (!f->id.len)
		f->id = object_stamp_id(o);
	f->flags = object_has_dwarf(o) || object_has_pdb(o) ? ID_HAS_DWARF : 0;
	for (size_t i = 0, n = object_section_count(o); i < n; i++) {
		struct object_section_info s = object_section_info(o, i);

		if (s.kind == SECTION_BYTES && s.size && s.flags & SECTION_CODE)
			f->flags |= ID_HAS_CODE;
	}
	object_free(o);
}

static void id_index_open_piece(size_t item, unsigned worker, void *arg)
{
	struct id_index *x = arg;
	size_t from = item * PIECE, to = from + PIECE < x->n_fresh ? from + PIECE : x->n_fresh;

	for (size_t i = from; i < to; i++)
		id_index_open_one(&x->files[x->fresh[i]]);
	__atomic_add_fetch(&x->opened, to - from, __ATOMIC_RELAXED);
	if (!worker && x->options.progress)
		x->options.progress(x->options.progress_arg,
				    __atomic_load_n(&x->opened, __ATOMIC_RELAXED), x->n_fresh);
}

static void id_index_read_folder(struct id_index *x, const char *dir)
{
	struct id_cache cache;
	size_t first = x->n;

	id_index_walk(x, dir);
	id_cache_open(&cache, x->options.cache, dir);
	x->n_fresh = 0;
	x->opened = 0;
	for (size_t i = first; i < x->n; i++)
		if (!id_cache_get(&cache, &x->files[i]))
			VEC_PUSH(x->fresh, x->n_fresh, x->cap_fresh) = (uint32_t)i;
	pool_run(x->options.jobs, (x->n_fresh + PIECE - 1) / PIECE, id_index_open_piece, x);
	x->counts.files += x->n - first;
	x->counts.opened += x->n_fresh;
	if (x->n_fresh) /* what has gone does no harm there */
		id_cache_write(&cache, x->files + first, x->n - first);
	id_cache_close(&cache);
}

/* By the bytes that all equal ids share, whether an age follows a GUID or not; what is missing counts as zero. */
enum { SHARED = 16 };

static int compare_ids(const struct object_build_id *a, const struct object_build_id *b)
{
	return memcmp(a->bytes, b->bytes, SHARED);
}

static int id_index_by_id(const void *a, const void *b, void *arg)
{
	const struct id_index *x = arg;
	const struct id_file *f = &x->files[*(const uint32_t *)a],
			     *g = &x->files[*(const uint32_t *)b];
	int order = compare_ids(&f->id, &g->id);

	return order ? order : strcmp(f->path, g->path);
}

static void read_all(struct id_index *x)
{
	for (size_t i = 0; i < x->options.n_dirs; i++)
		id_index_read_folder(x, x->options.dirs[i]);
	x->order = mem_array(x->n, sizeof *x->order);
	for (size_t i = 0; i < x->n; i++)
		if (x->files[i].id.len)
			x->order[x->n_order++] = (uint32_t)i;
	if (x->n_order)
		sort_array_by(x->order, x->n_order, sizeof *x->order, id_index_by_id, x);
	x->counts.ids = x->n_order;
	x->counts.first = x->first;
	x->counts.walked = true;
}

/* 3 is best. */
static unsigned worth(const struct id_file *f, enum object_part part)
{
	bool dwarf = f->flags & ID_HAS_DWARF, code = f->flags & ID_HAS_CODE;

	return part == OBJECT_DEBUG ? 2U * dwarf + code : 2U * code + dwarf;
}

static const char *id_index_nth(const struct id_index *x, const struct object_build_id *id,
				enum object_part part, size_t n)
{
	size_t lo = BISECT(i, 0, x->n_order, compare_ids(&x->files[x->order[i]].id, id) < 0);

	for (unsigned w = 4; w-- > 0;)
		for (size_t i = lo; i < x->n_order; i++) {
			const struct id_file *f = &x->files[x->order[i]];

			if (compare_ids(&f->id, id) != 0)
				break;
			if (worth(f, part) == w && object_build_id_equal(&f->id, id) && !n--)
				return f->path;
		}
	return NULL;
}

const char *id_index_find(void *index, const struct object_build_id *id, enum object_part part,
			  size_t n, struct search_log *log)
{
	struct id_index *x = index;
	const char *path;

	pthread_mutex_lock(&x->lock);
	if (!x->counts.walked)
		read_all(x);
	path = id_index_nth(x, id, part, n);
	pthread_mutex_unlock(&x->lock);
	for (size_t i = 0; !path && !n && i < x->options.n_dirs; i++)
		search_log_add(log, false, x->options.dirs[i],
			       "no file in it or below has this build-id");
	return path;
}

struct id_index_counts id_index_counts(const struct id_index *x)
{
	return x->counts;
}

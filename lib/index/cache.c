/* SPDX-License-Identifier: MIT */
#include "lib/index/cache.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/dwarf/fast/whole.h"
#include "lib/index/cache_dir.h"
#include "lib/index/debug_source.h"
#include "lib/index/index_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct cached {
	struct object *object; /* borrowed */
	bool known;            /* it can be distinguished from others: key and name are there */
	bool tried;            /* to build: not again */
	uint64_t asked;        /* addresses, so far, while there was no index */
	uint8_t key[INDEX_KEY_MAX];
	size_t n_key;
	char *name;
	struct index *index; /* NULL: none yet */
};

/* What the fast engine's answers are made from, and whether there are split units. The fingerprint of an object with a
 * PDB has this besides. */
static const char *const sections[] = {".debug_info",        ".debug_abbrev",   ".debug_str",
				       ".debug_line",        ".debug_line_str", ".debug_addr",
				       ".debug_str_offsets", ".debug_ranges",   ".debug_rnglists"};

__attribute__((format(printf, 2, 3))) static void tell(struct index_cache *c, const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	intern_add(&c->messages, text, strlen(text));
}

uint64_t cache_limit(void)
{
	const char *limit = getenv("TRACEMILL_CACHE_LIMIT");
	uint64_t mib = CACHE_LIMIT_MIB;

	if (limit && (!num_dec(limit, strlen(limit), &mib) || mib > UINT64_MAX >> 20))
		mib = CACHE_LIMIT_MIB;
	return mib << 20;
}

void cache_init(struct index_cache *c, const struct cache_options *o)
{
	*c = (struct index_cache){.next_message = 1};
	c->kept = o->keep ? dwarf_kept_new(o->keep) : NULL;
	if (o->off)
		return;
	c->dir = o->dir ? mem_strdup(o->dir) : cache_dir_default();
	if (!c->dir)
		tell(c, "no cache: neither XDG_CACHE_HOME nor HOME says where");
	c->limit = cache_limit();
}

static void cached_free(struct cached *x)
{
	index_free(x->index);
	free(x->name);
	free(x);
}

void cache_release(struct index_cache *c)
{
	for (size_t i = 0; i < c->n; i++)
		cached_free(c->all[i]);
	free(c->all);
	free(c->dir);
	dwarf_kept_free(c->kept);
	intern_release(&c->messages);
	*c = (struct index_cache){.next_message = 1};
}

void cache_keep(struct index_cache *c, uint64_t keep)
{
	if (c->kept)
		dwarf_kept_limit(c->kept, keep);
}

void cache_forget(struct index_cache *c, const struct object *o)
{
	dwarf_kept_forget(c->kept, o);
	for (size_t i = 0; i < c->n; i++) {
		if (c->all[i]->object != o)
			continue;
		cached_free(c->all[i]);
		c->all[i] = c->all[--c->n];
		return;
	}
}

const char *cache_next_message(struct index_cache *c)
{
	if (c->next_message > intern_count(&c->messages))
		return NULL;
	return intern_text(&c->messages, c->next_message++, NULL);
}

/* Answers may differ from version to version of the engine. */
static void cache_make_key(struct cached *x, uint64_t fingerprint, uint64_t place)
{
	const struct object_build_id *id = object_build_id(x->object);
	static const char version[] = TM_VERSION;
	size_t n_version = sizeof version < 64 ? sizeof version : 64;
	struct buf b = BUF_INIT;

	fingerprint = hash_bytes_seeded(version, n_version, fingerprint);
	x->key[0] = id->len;
	memcpy(x->key + 1, id->bytes, id->len);
	index_put64(x->key + 65, fingerprint);
	if (!id->len)
		index_put64(x->key + 73, place);
	memcpy(x->key + 81, version, n_version);
	x->n_key = 81 + n_version;
	for (unsigned i = 0; i < id->len; i++)
		buf_addf(&b, "%02x", id->bytes[i]);
	if (id->len)
		buf_addf(&b, "-%016" PRIx64, fingerprint);
	else
		buf_addf(&b, "file-%016" PRIx64, hash_bytes(x->key, x->n_key));
	buf_addf(&b, ".%d" CACHE_SUFFIX, INDEX_VERSION);
	free(x->name);
	x->name = mem_strdup(buf_str(&b));
	buf_release(&b);
}

static bool identify(struct cached *x)
{
	uint64_t place;

	if (!debug_source_of(x->object)->whole || !object_place(x->object, &place))
		return false;
	cache_make_key(
	    x, object_fingerprint(x->object, sections, sizeof sections / sizeof *sections), place);
	return true;
}

static struct cached *cached_of(struct index_cache *c, struct object *o)
{
	struct cached *x;

	for (size_t i = 0; i < c->n; i++)
		if (c->all[i]->object == o)
			return c->all[i];
	x = mem_zalloc(sizeof *x);
	x->object = o;
	x->known = identify(x);
	VEC_PUSH(c->all, c->n, c->cap) = x;
	return x;
}

static char *path_of(const struct index_cache *c, const struct cached *x)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addf(&b, "%s/%s", c->dir, x->name);
	path = mem_strdup(buf_str(&b));
	buf_release(&b);
	return path;
}

/* An invalid index is removed, so that it is built again. */
static void discard(struct index_cache *c, struct cached *x, const char *why)
{
	char *path = path_of(c, x);

	tell(c, "%s: %s", path, why);
	unlink(path);
	index_free(x->index);
	x->index = NULL;
	free(path);
}

/* True in *damaged: one was there, and was invalid. */
static bool cache_open_index(struct index_cache *c, struct cached *x, bool *damaged)
{
	struct err e = ERR_INIT;
	char *path = path_of(c, x);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	enum status st = fd < 0 ? missing ? ST_NONE : err_sys(&e, "cannot be opened")
				: index_open(&x->index, fd, x->key, x->n_key, &e);
	/* what is in the .dwo files is in no key, since most binaries have none */
	if (!st && index_companions(x->index) &&
	    index_companions(x->index) != dwarf_companions(x->object))
		st = err_set(&e, ST_BAD, "its .dwo files are others now");

	*damaged = st == ST_BAD;
	if (!st)
		cache_dir_used(fd);
	else if (*damaged)
		discard(c, x, e.msg);
	else if (!missing)
		tell(c, "%s: %s", path, e.msg);
	if (fd >= 0)
		close(fd);
	free(path);
	return !st;
}

/* Into an open part. *why: it cannot be indexed. */
static enum status cache_fill_part(struct index_cache *c, struct cached *x,
				   const struct cache_part *p, const struct dwarf_options *options,
				   struct err *e)
{
	struct dwarf_whole w = {.n = 0};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	uint64_t place, size = 0;
	struct cached again = {.object = x->object};
	enum status st;

	if (!object_place(x->object, &place))
		return err_set(e, ST_SYS, "its file is gone");
	st = debug_source_of(x->object)->whole(&w, x->object, options, e);
	if (st == ST_OK || st == ST_UNSUPPORTED || st == ST_LIMIT) {
		/* beyond the limit for files of ulimit -f is no more than a full disk */
		sigaction(SIGXFSZ, &ignore, &before);
		st = index_write(p->fd, st ? NULL : &w, st ? e->msg : NULL, x->key, x->n_key, &size,
				 e);
		sigaction(SIGXFSZ, &before, NULL);
	}
	if (!st && size > c->limit)
		st = err_set(e, ST_LIMIT, "an index of %" PRIu64 " bytes is over the cache's limit",
			     size);
	/* the binary may have been linked anew meanwhile */
	if (!st && (!identify(&again) || again.n_key != x->n_key ||
		    memcmp(again.key, x->key, x->n_key) || !object_place(x->object, &size) ||
		    size != place || (w.companions && w.companions != dwarf_companions(x->object))))
		st = err_set(e, ST_BAD, "its file has changed");
	dwarf_whole_release(&w);
	free(again.name);
	return st;
}

static enum status cache_build(struct index_cache *c, struct cached *x,
			       const struct dwarf_options *options, bool wait, struct err *e)
{
	struct cache_part part;
	enum status st = cache_dir_make(c->dir, e);
	bool damaged;

	x->tried = true;
	if (!st)
		st = cache_part_open(&part, c->dir, x->name, wait, e);
	if (st)
		return st;
	/* another builder may have been here since we looked */
	if (!cache_open_index(c, x, &damaged)) {
		x->tried = true;
		st = cache_fill_part(c, x, &part, options, e);
		if (!st)
			st = cache_part_keep(&part, c->dir, x->name, e);
		if (!st)
			cache_dir_trim(c->dir, c->limit, x->name);
		if (!st && !cache_open_index(c, x, &damaged))
			st = err_set(e, ST_SYS, "the index is gone again");
	}
	cache_part_drop(&part);
	return st;
}

static void try_build(struct index_cache *c, struct cached *x, const struct dwarf_options *options)
{
	struct err e = ERR_INIT;
	enum status st = cache_build(c, x, options, false, &e);

	if (st == ST_NONE)
		tell(c, "%s: another process builds the index", object_debug_path(x->object));
	else if (st)
		tell(c, "%s: no index: %s", object_debug_path(x->object), e.msg);
}

/* The index to answer this many addresses from, or NULL. */
static struct index *index_for(struct index_cache *c, struct cached *x, size_t n,
			       const struct dwarf_options *options)
{
	bool damaged = false;

	if (x->index || !x->known)
		return x->index;
	if (cache_open_index(c, x, &damaged))
		return x->index;
	x->asked += n;
	if ((damaged || x->asked >= CACHE_BUILD_AT) && !x->tried)
		try_build(c, x, options);
	return x->index;
}

/* What is left of a batch for the engine. */
struct rest {
	struct dwarf_job *of;
	uint32_t *ask; /* numbers of the addresses; NULL: the whole job */
	size_t n;
	uint64_t *addrs;
	struct dwarf_answers got;
};

static void start_again(struct dwarf_answers *a)
{
	size_t n = a->n;

	dwarf_answers_release(a);
	dwarf_answers_init(a, n);
}

/* True: answered, but for r->n addresses. */
static bool cache_from_index(struct index_cache *c, struct dwarf_job *job, struct rest *r,
			     const struct dwarf_options *options)
{
	struct cached *x = cached_of(c, job->object);
	struct err e = ERR_INIT;

	for (int round = 0; round < 2; round++) {
		struct index *index = index_for(c, x, job->n, options);

		if (!index || index_refused(index))
			return false;
		if (!index_answer(index, job->addrs, job->n, options, job->out, r->ask, &r->n,
				  &e)) {
			if (r->n < job->n)
				return true;
			/* the engine answers all: in a store of its own, not in the index's */
			start_again(job->out);
			return false;
		}
		start_again(job->out);
		discard(c, x, e.msg);
		if (!x->tried)
			try_build(c, x, options);
	}
	return false;
}

/* The engine's answers for the rest join the others. */
static void cache_adopt(struct rest *r)
{
	struct dwarf_answers *to = r->of->out, *from = &r->got;
	uint32_t *ids = mem_zarray(dwarf_call_slots(from), sizeof *ids);
	uint32_t *path = mem_array(dwarf_call_slots(from), sizeof *path);

	for (size_t i = 0; i < r->n; i++) {
		to->of[r->ask[i]] = from->of[i];
		to->of[r->ask[i]].call = dwarf_answers_adopt(to, from, ids, path, from->of[i].call);
	}
	for (size_t i = 0; i < from->n_complaints; i++) {
		size_t len;
		const char *t = intern_text(&from->strings, from->complaints[i], &len);

		VEC_PUSH(to->complaints, to->n_complaints, to->cap_complaints) =
		    intern_add(&to->strings, t, len);
	}
	free(ids);
	free(path);
}

static struct dwarf_job rest_job(struct rest *r)
{
	if (!r->ask)
		return *r->of;
	r->addrs = mem_array(r->n, sizeof *r->addrs);
	for (size_t i = 0; i < r->n; i++)
		r->addrs[i] = r->of->addrs[r->ask[i]];
	dwarf_answers_init(&r->got, r->n);
	return (struct dwarf_job){.object = r->of->object,
				  .addrs = r->addrs,
				  .n = r->n,
				  .out = &r->got,
				  .stats = r->of->stats};
}

static enum status cache_run_jobs(struct index_cache *c, const struct debug_source *source,
				  struct dwarf_job *jobs, size_t n,
				  const struct dwarf_options *options, struct err *e)
{
	struct rest *rest;
	struct dwarf_job *left;
	size_t n_left = 0;
	enum status st = ST_OK;

	if (!c->dir || options->extras || options->relative)
		return source->engine(jobs, n, options, e);
	rest = mem_zarray(n, sizeof *rest);
	left = mem_zarray(n, sizeof *left);
	for (size_t i = 0; i < n; i++) {
		struct rest *r = &rest[n_left];

		*r = (struct rest){.of = &jobs[i]};
		if (!jobs[i].n)
			continue;
		r->ask = mem_array(jobs[i].n, sizeof *r->ask);
		if (!cache_from_index(c, &jobs[i], r, options)) {
			free(r->ask);
			r->ask = NULL;
		} else if (!r->n) {
			free(r->ask);
			continue;
		}
		left[n_left++] = rest_job(r);
	}
	if (n_left)
		st = source->engine(left, n_left, options, e);
	for (size_t i = 0; i < n_left; i++) {
		struct rest *r = &rest[i];

		if (!r->ask)
			continue;
		if (!st)
			cache_adopt(r);
		free(r->ask);
		free(r->addrs);
		dwarf_answers_release(&r->got);
	}
	free(rest);
	free(left);
	return st;
}

/* The addresses of a debug file whose object has moved. */
static uint64_t *shifted(const struct dwarf_job *job, uint64_t shift)
{
	uint64_t *addrs = mem_array(job->n, sizeof *addrs);

	for (size_t i = 0; i < job->n; i++)
		addrs[i] = job->addrs[i] - shift;
	return addrs;
}

static void shift_starts(struct dwarf_answers *a, uint64_t shift)
{
	for (size_t i = 0; i < a->n_extras; i++)
		if (a->extras[i].start != DWARF_NO_START)
			a->extras[i].start += shift;
}

enum status cache_run_engine(struct index_cache *c, const struct debug_source *source,
			     struct dwarf_job *jobs, size_t n, const struct dwarf_options *options,
			     struct err *e)
{
	struct dwarf_options keeping = *options;
	struct dwarf_job *plain = mem_array(n, sizeof *plain);
	uint64_t **made = mem_zarray(n, sizeof *made);
	enum status st;

	for (size_t i = 0; i < n; i++) {
		uint64_t shift = object_debug_shift(jobs[i].object);

		plain[i] = jobs[i];
		if (shift)
			plain[i].addrs = made[i] = shifted(&jobs[i], shift);
	}
	keeping.kept = c->kept;
	st = cache_run_jobs(c, source, plain, n, &keeping, e);
	for (size_t i = 0; i < n; i++) {
		if (made[i] && !st)
			shift_starts(plain[i].out, object_debug_shift(jobs[i].object));
		free(made[i]);
	}
	free(made);
	free(plain);
	return st;
}

void cache_begin(struct index_cache *c)
{
	if (c->kept)
		dwarf_kept_begin(c->kept);
}

bool cache_ask(struct index_cache *c, struct object *o, uint64_t addr,
	       const struct dwarf_options *options, struct dwarf_kept_answer *a)
{
	struct cached *x;

	if (!c->kept || !dwarf_kept_ask(c->kept, o, options, addr - object_debug_shift(o), a) ||
	    debug_source_leaves(o, (enum dwarf_found)a->answer.found))
		return false;
	if (!c->dir)
		return true;
	x = cached_of(c, o);
	x->asked += !x->index && x->known;
	return x->asked < CACHE_BUILD_AT || x->tried;
}

enum status cache_prewarm(struct index_cache *c, struct object *o,
			  const struct dwarf_options *options, uint64_t *size, struct err *e)
{
	struct cached *x = cached_of(c, o);
	enum status st = ST_OK;
	bool damaged;

	if (!debug_source_of(o)->whole)
		return ST_NONE;
	if (!c->dir)
		return err_set(e, ST_SYS, "there is no folder for the cache");
	if (!x->known)
		return err_set(e, ST_SYS, "its file is gone");
	if (!x->index)
		cache_open_index(c, x, &damaged);
	if (x->index && index_check(x->index, e))
		discard(c, x, e->msg);
	if (!x->index)
		st = cache_build(c, x, options, true, e);
	if (st)
		return st;
	*size = index_size(x->index);
	if (index_refused(x->index))
		return err_set(e, ST_UNSUPPORTED, "%s", index_refused(x->index));
	return ST_OK;
}

enum status cache_intact(const struct index_cache *c, struct err *e)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i]->index && !index_intact(c->all[i]->index))
			return err_set(e, ST_BAD, "its index has become shorter while it was read");
	return ST_OK;
}

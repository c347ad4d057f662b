/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/follow.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/trace/trace_follow.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that was written over begins otherwise, in its first events if not before. */
enum { HEAD = 4096, PIECE = 1 << 20 };

struct follow {
	const char *path; /* borrowed, as the next two */
	struct event_store *store;
	struct sink *sink; /* what it is filled through */
	struct cli_symbolizer *symbolizer;
	int fd;
	struct stat was; /* when it was opened */
	uint64_t taken;  /* bytes; of what is loaded as a whole, as many as there were */
	uint8_t head[HEAD];
	size_t n_head;
	bool grows; /* a trace, which is in growing */
	bool more;  /* it was read up to a number of events, and not to its end */
	struct trace_follow growing;
	bool deserted;
	size_t named; /* locations there were when names were looked up */
	uint64_t
	    seen; /* bytes, then; without names the file had too little yet, or no module is here */
	bool looked;    /* there are symbols, which are from here and not the file's own */
	int64_t asked;  /* clock_ms, then */
	int64_t naming; /* ms that it took */
	struct buf piece;
};

/* A lease to read is given where no process has the file open for writing, and given back at once: whoever
 * opens it meanwhile waits for no longer, and the signal of that is one that is ignored. */
static bool has_no_writer(int fd)
{
	if (fcntl(fd, F_SETSIG, SIGURG) || fcntl(fd, F_SETLEASE, F_RDLCK))
		return false;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return true;
}

/* What has come so far, or until there are so many events; false: it goes no further. */
static bool follow_read(struct follow *f, uint64_t most)
{
	struct err e = ERR_INIT;
	enum status st = ST_OK;
	ssize_t n;

	buf_reserve(&f->piece, PIECE);
	f->more = false;
	while (!st && !f->more) {
		n = pread(f->fd, f->piece.data, PIECE, (off_t)f->taken);
		if (n <= 0)
			break;
		f->taken += (uint64_t)n;
		st = trace_follow_add(&f->growing, f->piece.data, (size_t)n, f->sink, &e);
		f->more = most && f->store->events >= most;
	}
	if (f->growing.begun)
		event_store_open(f->store, f->growing.t);
	f->store->lossy |= f->growing.damaged > 0;
	return !st && (f->more || n == 0);
}

bool follow_read_on(struct follow *f, uint64_t most)
{
	return follow_read(f, most);
}

unsigned follow_taken(const struct follow *f)
{
	struct stat st;

	if (!f->more || fstat(f->fd, &st) || (uint64_t)st.st_size <= f->taken)
		return f->more ? 99 : 100;
	return (unsigned)(f->taken / ((uint64_t)st.st_size / 100 + 1));
}

/* The first bytes of the file, of which there may have been fewer before. */
static void learn_head(struct follow *f)
{
	ssize_t n = f->n_head < HEAD ? pread(f->fd, f->head, HEAD, 0) : 0;

	if (n > (ssize_t)f->n_head)
		f->n_head = (size_t)n;
}

static bool follow_is_trace(const struct follow *f, const struct import_options *o)
{
	return !o->format && f->n_head >= TRACE_MAGIC_SIZE &&
	       !memcmp(f->head, TRACE_MAGIC, TRACE_MAGIC_SIZE);
}

/* To open a pipe waits for who writes to it. */
static bool is_plain(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

struct follow *follow_new(const char *path, const struct import_options *o, struct event_store *k,
			  struct cli_symbolizer *symbolizer, struct sink *sink, uint64_t most)
{
	struct follow *f = mem_zalloc(sizeof *f);

	*f = (struct follow){
	    .path = path, .store = k, .sink = sink ? sink : &k->sink, .symbolizer = symbolizer};
	f->fd = is_plain(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (f->fd < 0)
		return f;
	f->deserted = has_no_writer(f->fd); /* before what it may have written last */
	fstat(f->fd, &f->was);
	learn_head(f);
	f->grows = follow_is_trace(f, o) && follow_read(f, most);
	if (!f->grows)
		f->taken = (uint64_t)f->was.st_size;
	return f;
}

static bool is_other(struct follow *f, struct stat *is)
{
	uint8_t head[HEAD];

	return stat(f->path, is) || is->st_dev != f->was.st_dev || is->st_ino != f->was.st_ino ||
	       (uint64_t)is->st_size < f->taken ||
	       pread(f->fd, head, f->n_head, 0) != (ssize_t)f->n_head ||
	       memcmp(head, f->head, f->n_head) != 0;
}

static bool has_changed(const struct follow *f, const struct stat *is)
{
	return is->st_size != f->was.st_size || is->st_mtim.tv_sec != f->was.st_mtim.tv_sec ||
	       is->st_mtim.tv_nsec != f->was.st_mtim.tv_nsec;
}

enum follow_news follow_look(struct follow *f)
{
	uint64_t before = f->taken;
	bool was = f->deserted;
	struct stat is;

	if (is_other(f, &is))
		return access(f->path, R_OK) || !is_plain(f->path) ? FOLLOW_SAME : FOLLOW_REPLACED;
	f->deserted = has_no_writer(f->fd);
	if (f->grows ? !follow_read(f, 0) : has_changed(f, &is))
		return FOLLOW_OTHER;
	if (f->taken > before)
		learn_head(f);
	return f->taken > before ? FOLLOW_GREW : f->deserted != was ? FOLLOW_TURNED : FOLLOW_SAME;
}

static size_t locations(const struct follow *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->store->n; i++)
		n += f->store->captures[i].t ? f->store->captures[i].t->n_locations : 0;
	return n;
}

/* All captures, of which the file had none with symbols. */
static bool follow_look_up(struct follow *f)
{
	bool any = false;

	for (size_t i = 0; i < f->store->n; i++) {
		struct event_store_capture *c = &f->store->captures[i];

		if (c->t)
			any |= cli_symbolizer_again(f->symbolizer, c->t);
	}
	return any;
}

/* Its own. */
static bool has_symbols(const struct follow *f)
{
	bool any = false;

	for (size_t i = 0; i < f->store->n; i++)
		any |= f->store->captures[i].t && f->store->captures[i].t->symbols.n_bindings;
	return any;
}

bool follow_names(struct follow *f)
{
	int64_t begin = clock_ms();
	size_t now = locations(f);

	if (!f->grows || !f->symbolizer || (!f->looked && has_symbols(f)))
		return false;
	if (now <= f->named && (f->looked || f->taken <= f->seen))
		return false;
	/* All is looked up again each time: so not for most of the time. */
	if (begin - f->asked < 10 * f->naming)
		return false;
	f->named = now;
	f->seen = f->taken;
	f->asked = begin;
	f->looked = follow_look_up(f);
	f->naming = clock_ms() - begin;
	return f->looked;
}

bool follow_ended(const struct follow *f)
{
	return f->grows ? f->growing.ended && !f->growing.t && !f->growing.rest.len : f->deserted;
}

bool follow_grows(const struct follow *f)
{
	return f->grows;
}

bool follow_deserted(const struct follow *f)
{
	return f->deserted;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	trace_follow_release(&f->growing);
	buf_release(&f->piece);
	free(f);
}

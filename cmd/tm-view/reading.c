/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/reading.h"

#include "lib/base/coroutine.h"
#include "lib/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct reading {
	struct coroutine *coroutine;
	int fd;
	const char *path; /* borrowed, as the next two */
	const struct import_options *options;
	struct event_store *store;
	uint64_t taken;
	bool ends, stops; /* the next read finds the file's end, a failure */
};

static ssize_t reading_pull(void *arg, void *p, size_t n, struct err *e)
{
	struct reading *r = arg;
	ssize_t got;

	for (;;) {
		if (r->stops) {
			err_set(e, ST_SYS, "no more is read");
			return -1;
		}
		if (r->ends)
			return 0;
		got = pread(r->fd, p, n, (off_t)r->taken);
		if (got > 0)
			r->taken += (uint64_t)got;
		if (got > 0)
			return got;
		if (got < 0 && errno != EINTR) {
			err_sys(e, "cannot read");
			return -1;
		}
		if (!got)
			coroutine_yield(r->coroutine);
	}
}

static void reading_run(void *arg)
{
	struct reading *r = arg;
	struct event_store *k = r->store;
	const struct input_pull pull = {r, reading_pull};
	struct err e = ERR_INIT;
	struct input in;

	input_pulled(&in, r->path, &pull, &e);
	in.member = false; /* its name is a path */
	if (capture_read(&in, r->options, &k->sink, &k->lossy, &e))
		k->why = e;
	input_close(&in);
}

struct reading *reading_new(int fd, const char *path, const struct import_options *o,
			    struct event_store *k)
{
	struct reading *r = mem_zalloc(sizeof *r);

	*r = (struct reading){.fd = fd, .path = path, .options = o, .store = k};
	r->coroutine = coroutine_new(reading_run, r, COROUTINE_STACK);
	coroutine_resume(r->coroutine);
	return r;
}

bool reading_read(struct reading *r)
{
	uint64_t before = r->taken;

	coroutine_resume(r->coroutine);
	return r->taken > before;
}

uint64_t reading_taken(const struct reading *r)
{
	return r->taken;
}

void reading_settle(struct reading *r)
{
	r->ends = true;
	while (coroutine_resume(r->coroutine))
		;
}

void reading_free(struct reading *r)
{
	if (!r)
		return;
	r->stops = true;
	while (coroutine_resume(r->coroutine))
		;
	coroutine_free(r->coroutine);
	free(r);
}

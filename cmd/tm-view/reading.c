/* SPDX-License-Identifier: MIT */
#include "cmd/tm-view/reading.h"

#include "lib/base/mem.h"
#include "lib/base/strand.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct reading {
	struct strand *strand;
	int fd;
	const char *path; /* borrowed, as the next two */
	const struct import_options *options;
	struct kept *kept;
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
			strand_wait(r->strand);
	}
}

static void reading_run(void *arg)
{
	struct reading *r = arg;
	struct kept *k = r->kept;
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
			    struct kept *k)
{
	struct reading *r = mem_zalloc(sizeof *r);

	*r = (struct reading){.fd = fd, .path = path, .options = o, .kept = k};
	r->strand = strand_new(reading_run, r, STRAND_STACK);
	strand_go_on(r->strand);
	return r;
}

bool reading_take(struct reading *r)
{
	uint64_t before = r->taken;

	strand_go_on(r->strand);
	return r->taken > before;
}

uint64_t reading_taken(const struct reading *r)
{
	return r->taken;
}

void reading_settle(struct reading *r)
{
	r->ends = true;
	while (strand_go_on(r->strand))
		;
}

void reading_free(struct reading *r)
{
	if (!r)
		return;
	r->stops = true;
	while (strand_go_on(r->strand))
		;
	strand_free(r->strand);
	free(r);
}

/* SPDX-License-Identifier: MIT */
#include "lib/input/lines.h"

#include "lib/base/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CHUNK = 64 << 10,
	MOST_BYTES = 64 << 20,
	MANY = 64, /* lines: who sends that many at once sends more */
	GRACE = 5, /* milliseconds to wait for it */
};

/* Makes lines of n new bytes in place, NULs for ends; what is too long is dropped. */
static size_t split(struct lines *l, char *p, size_t n)
{
	size_t longest = l->longest ? l->longest : LINES_LONGEST, ends = 0;
	char *to = p;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n') {
			*to++ = '\n';
			l->in_line = 0;
			ends++;
		} else if (l->in_line < longest) {
			*to++ = p[i];
			l->in_line++;
		} else {
			l->dropped++;
		}
	}
	l->text.len += (size_t)(to - p);
	return ends;
}

static bool wait_for(int fd, int milliseconds)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, milliseconds) > 0;
}

static enum status fill(struct lines *l, size_t *ends, struct err *e)
{
	*ends = 0;
	do {
		char *p = buf_reserve(&l->text, CHUNK);
		ssize_t got = read(l->fd, p, CHUNK);

		if (got < 0) {
			if (errno == EAGAIN)
				wait_for(l->fd, -1);
			else if (errno != EINTR)
				return err_sys(e, "cannot read");
			continue;
		}
		if (!got) {
			l->at_end = true;
			return ST_OK;
		}
		*ends += split(l, p, (size_t)got);
	} while (!*ends || (*ends < LINES_MOST && l->text.len < MOST_BYTES &&
			    wait_for(l->fd, *ends >= MANY ? GRACE : 0)));
	return ST_OK;
}

static void add(struct lines *l, size_t from, size_t to)
{
	l->text.data[to] = '\0';
	VEC_PUSH(l->items, l->n, l->cap) = (struct line){l->text.data + from, to - from};
}

enum status lines_next(struct lines *l, struct err *e)
{
	size_t ends;
	enum status st;

	l->n = 0;
	if (l->used) {
		memmove(l->text.data, l->text.data + l->used, l->text.len - l->used);
		l->text.len -= l->used;
		l->used = 0;
	}
	if (l->at_end)
		return ST_NONE;
	st = fill(l, &ends, e);
	if (st)
		return st;
	buf_reserve(&l->text, 1); /* for the NUL of a last line without an end */
	while (ends--) {
		char *end = memchr(l->text.data + l->used, '\n', l->text.len - l->used);

		add(l, l->used, (size_t)(end - l->text.data));
		l->used = (size_t)(end - l->text.data) + 1;
	}
	if (l->at_end && l->used < l->text.len) {
		add(l, l->used, l->text.len);
		l->used = l->text.len;
	}
	return l->n ? ST_OK : ST_NONE;
}

void lines_release(struct lines *l)
{
	buf_release(&l->text);
	free(l->items);
	*l = (struct lines){.fd = -1};
}

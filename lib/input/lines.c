/* SPDX-License-Identifier: MIT */
#include "lib/input/lines.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK = 64 << 10,
	MOST_BYTES = 64 << 20,
	USUAL = 16, /* bytes of a line, or so */
	MANY = 64,  /* lines: who sends that many at once sends more */
	GRACE = 5,  /* milliseconds to wait for it */
};

/* Makes lines of n new bytes in place; what is too long is dropped. */
static void lines_split(struct input_lines *l, char *p, size_t n)
{
	size_t longest = l->longest ? l->longest : LINES_LONGEST;
	char *to = p, *end = p + n;

	while (p < end) {
		char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t length = (size_t)((nl ? nl : end) - p), fits = longest - l->in_line;

		if (fits > length)
			fits = length;
		if (to != p)
			memmove(to, p, fits);
		l->dropped += length - fits;
		l->in_line += fits;
		to += fits;
		p += length;
		if (!nl)
			break;
		VEC_PUSH(l->ends, l->n_ends, l->cap_ends) = (uint32_t)(to - l->text.data);
		*to++ = *p++;
		l->in_line = 0;
	}
	l->text.len = (size_t)(to - l->text.data);
}

static void make_ends(struct input_lines *l, size_t cap)
{
	uint32_t *ends;

	if (cap <= l->cap_ends)
		return;
	ends = pages_array(cap, sizeof *ends);
	if (l->n_ends)
		memcpy(ends, l->ends, l->n_ends * sizeof *ends);
	free(l->ends);
	l->ends = ends;
	l->cap_ends = cap;
}

/* For a file of questions, all of it and the end that is behind it. */
static size_t first_room(int fd)
{
	struct stat s;
	size_t n = 4 * CHUNK;

	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > (off_t)n)
		n = s.st_size < MOST_BYTES ? (size_t)s.st_size + CHUNK + 1 : MOST_BYTES;
	return n;
}

/* A file comes in few pieces. */
static char *make_room(struct input_lines *l)
{
	struct buf *b = &l->text;
	size_t cap = b->cap ? 2 * b->cap : first_room(l->fd);
	char *data;

	if (b->cap - b->len >= CHUNK)
		return b->data + b->len;
	data = pages_alloc(cap);
	if (b->len)
		memcpy(data, b->data, b->len);
	free(b->data);
	b->data = data;
	b->cap = cap;
	make_ends(l, cap / USUAL);
	return data + b->len;
}

static bool wait_for(int fd, int milliseconds)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, milliseconds) > 0;
}

/* Whether bytes are converted, or may have to be. */
static bool is_decoded(const struct input_lines *l)
{
	return l->is_text && (!l->mark.looked || l->mark.utf16);
}

/* Bytes of a text came at p; how many are there now. Those of UTF-16 become at most half as many more. */
static size_t lines_decode(struct input_lines *l, char *p, size_t n)
{
	const size_t before = l->n_window;

	/* the first line of most texts need not wait for the bytes that tell a mark */
	if (!l->mark.looked && !before && n && !strchr("\xef\xfe\xff", *p))
		l->mark.looked = true;
	if (!is_decoded(l))
		return n;
	l->window = mem_grow(l->window, &l->cap_window, before + n + 1, 1);
	memcpy(l->window + before, p, n);
	l->n_window += n;
	text_mark_decode(&l->mark, &l->window, &l->cap_window, before, &l->n_window,
			 n ? TEXT_MORE : TEXT_END);
	if (!l->mark.looked)
		return 0;
	n = l->n_window;
	memcpy(p, l->window, n);
	l->n_window = 0;
	return n;
}

static enum status lines_fill(struct input_lines *l, struct err *e)
{
	l->n_ends = 0;
	do {
		char *p = make_room(l);
		size_t room = l->text.cap - l->text.len;
		ssize_t got = read(l->fd, p, is_decoded(l) ? room / 2 : room);

		if (got < 0) {
			if (errno == EAGAIN)
				wait_for(l->fd, -1);
			else if (errno != EINTR)
				return err_sys(e, "cannot read");
			continue;
		}
		if (is_decoded(l))
			lines_split(l, p, lines_decode(l, p, (size_t)got));
		else
			lines_split(l, p, (size_t)got);
		if (!got) {
			l->at_end = true;
			return ST_OK;
		}
	} while (!l->n_ends ||
		 (l->n_ends > 1 && l->n_ends < LINES_MOST && l->text.len < MOST_BYTES &&
		  wait_for(l->fd, l->n_ends >= MANY ? GRACE : 0)));
	return ST_OK;
}

static void add(struct input_lines *l, size_t end)
{
	l->text.data[end] = '\0';
	l->items[l->n++] = (struct input_line){l->text.data + l->used, end - l->used};
	l->used = end;
}

enum status lines_next(struct input_lines *l, struct err *e)
{
	enum status st;

	l->n = 0;
	if (l->used) {
		memmove(l->text.data, l->text.data + l->used, l->text.len - l->used);
		l->text.len -= l->used;
		l->used = 0;
	}
	if (l->at_end)
		return ST_NONE;
	st = lines_fill(l, e);
	if (st)
		return st;
	buf_reserve(&l->text, 1); /* for the NUL of a last line without an end */
	if (l->n_ends >= l->cap) {
		free(l->items);
		l->cap = l->n_ends + l->n_ends / 4 + 1;
		l->items = pages_array(l->cap, sizeof *l->items);
	}
	for (size_t i = 0; i < l->n_ends; i++) {
		add(l, l->ends[i]);
		l->used++;
	}
	if (l->at_end && l->used < l->text.len)
		add(l, l->text.len);
	return l->n ? ST_OK : ST_NONE;
}

void lines_release(struct input_lines *l)
{
	buf_release(&l->text);
	text_mark_release(&l->mark);
	free(l->window);
	free(l->ends);
	free(l->items);
	*l = (struct input_lines){.fd = -1};
}

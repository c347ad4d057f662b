/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/output.h"

#include "lib/recorder/base/high_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };

/* An error of ours is not a signal to the program. The kernel sends one for a write that fails, and
 * also for one that a pipe's last reader leaves half done: that one says how far it came, and no
 * error. */
long cap_output_write(int fd, const void *p, size_t n)
{
	static const int signals[] = {SIGPIPE, SIGXFSZ};
	sigset_t ours, before, waiting;
	struct timespec none = {0};
	ssize_t done;
	int error;

	sigemptyset(&ours);
	for (size_t i = 0; i < 2; i++)
		sigaddset(&ours, signals[i]);
	sigpending(&waiting);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	done = write(fd, p, n);
	error = errno;
	if (done < 0 || (size_t)done < n) {
		for (size_t i = 0; i < 2; i++)
			if (sigismember(&waiting, signals[i]))
				sigdelset(&ours, signals[i]); /* the program's own */
		while (sigtimedwait(&ours, NULL, &none) > 0)
			;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return (long)done;
}

static void put(struct cap_output *o, const uint8_t *p, size_t n)
{
	while (n && o->fd >= 0) {
		long done = cap_output_write(o->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			o->error = done ? errno : EIO;
			o->fd = -1;
			return;
		}
		p += done;
		n -= (size_t)done;
	}
}

static bool same_file(const struct cap_output *o)
{
	struct stat st;

	return !fstat(o->fd, &st) && (uint64_t)st.st_dev == o->device &&
	       (uint64_t)st.st_ino == o->inode;
}

static bool opened_again(struct cap_output *o)
{
	int fd = o->path ? open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	if (fd < 0)
		return false;
	o->fd = cap_high_fd(fd, FD_CLOEXEC);
	if (same_file(o))
		return true;
	close(o->fd);
	return false;
}

void cap_output_close(struct cap_output *o)
{
	if (o->fd >= 0 && same_file(o))
		close(o->fd);
	o->fd = -1;
}

void cap_output_begin(struct cap_output *o, int fd, const char *path, uint8_t *room, int64_t unit)
{
	uint8_t mark[TRACE_MARK_SIZE];
	struct stat st;

	memset(o, 0, offsetof(struct cap_output, mark));
	o->fd = fd;
	o->path = path;
	o->gather.unit = unit; /* which is asked for also when there is no output */
	if (!room || fstat(fd, &st)) {
		o->error = room ? errno : ENOMEM;
		o->fd = -1;
		return;
	}
	column_encoder_init(&o->gather, room, unit);
	o->device = (uint64_t)st.st_dev;
	o->inode = (uint64_t)st.st_ino;
	trace_mark_encode(mark);
	put(o, mark, sizeof mark);
}

static bool output_is_there(struct cap_output *o)
{
	if (o->fd < 0)
		return false;
	if (same_file(o) || opened_again(o))
		return true;
	o->error = EBADF;
	o->fd = -1;
	return false;
}

void cap_output_chunk(struct cap_output *o, uint32_t kind, const void *payload, uint32_t n)
{
	if (!output_is_there(o))
		return;
	chunk_encode(o->mark, kind, payload, n);
	put(o, o->mark, sizeof o->mark);
	put(o, payload, n);
}

static void flush_rows(struct cap_output *o)
{
	if (o->kind)
		cap_output_chunk(o, o->kind, o->row, o->n_rows);
	o->kind = 0;
	o->n_rows = 0;
}

uint8_t *cap_output_row(struct cap_output *o, uint32_t kind, uint64_t first, uint32_t n)
{
	if (o->kind != kind || o->n_rows + n > sizeof o->row)
		flush_rows(o);
	o->fresh = !o->kind;
	if (o->fresh) {
		o->kind = kind;
		cap_output_rows(o, cap_uleb(o->row, first));
	}
	return o->row + o->n_rows;
}

void cap_output_event(struct cap_output *o, const struct event *ev)
{
	if (o->fd < 0)
		return;
	o->events[ev->kind]++;
	if (column_encoder_add(&o->gather, ev))
		return;
	cap_output_flush(o);
	o->full++;
}

uint64_t cap_output_string(struct cap_output *o, const void *text, size_t n)
{
	uint8_t *p;

	n = n < TEXT_MAX ? n : TEXT_MAX;
	p = cap_output_row(o, CHUNK_STRINGS, ++o->strings, (uint32_t)n + 10);
	p = cap_uleb(p, n);
	memcpy(p, text, n);
	cap_output_rows(o, p + n);
	return o->strings;
}

uint32_t cap_output_severity(struct cap_output *o, unsigned severity)
{
	static const char *const names[] = {"info", "warning", "error"};
	uint64_t name, category;
	uint8_t *p;

	if (o->severity[severity])
		return o->severity[severity];
	name = cap_output_string(o, names[severity], strlen(names[severity]));
	category = cap_output_string(o, "log", 3);
	p = cap_output_row(o, CHUNK_MARKERS, ++o->markers, 24);
	p = cap_uleb(p, name);
	cap_output_rows(o, cap_uleb(p, category));
	o->severity[severity] = (uint32_t)o->markers;
	return o->severity[severity];
}

void cap_output_note(struct cap_output *o, unsigned severity, uint64_t count, const char *text)
{
	size_t n = strlen(text);
	uint8_t *p = cap_output_row(o, CHUNK_NOTES, 1, (uint32_t)n + 24);

	*p++ = (uint8_t)severity;
	p = cap_uleb(p, count);
	p = cap_uleb(p, n);
	for (size_t i = 0; i < n; i++)
		*p++ = (uint8_t)text[i];
	cap_output_rows(o, p);
}

void cap_output_flush(struct cap_output *o)
{
	uint8_t *payload;
	uint32_t n;

	flush_rows(o);
	if (o->fd < 0 || !o->gather.n)
		return;
	payload = column_encoder_finish(&o->gather, &n);
	if (!output_is_there(o))
		return;
	chunk_encode(payload - CHUNK_HEADER_SIZE, CHUNK_COLUMNS, payload, n);
	put(o, payload - CHUNK_HEADER_SIZE, CHUNK_HEADER_SIZE + (size_t)n);
}

void cap_output_totals(struct cap_output *o)
{
	const uint64_t rows[] = {o->strings, o->modules, o->locations, o->stacks,
				 o->types,   o->threads, o->markers,   o->counters};
	uint8_t *p;

	cap_output_flush(o);
	p = cap_uleb(o->row, EV_KINDS);
	for (unsigned k = 0; k < EV_KINDS; k++)
		p = cap_uleb(p, o->events[k]);
	p = cap_uleb(p, sizeof rows / sizeof *rows);
	for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
		p = cap_uleb(p, rows[k]);
	cap_output_chunk(o, CHUNK_TOTALS, o->row, (uint32_t)(p - o->row));
}

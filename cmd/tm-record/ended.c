/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/ended.h"

#include "lib/base/buf.h"
#include "lib/cli/cli.h"
#include "lib/trace/encode.h"
#include "lib/trace/model.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOTALS_MAX = 4096 };

struct ended_totals { /* the last chunk of a trace */
	off_t at;
	size_t n;
	uint8_t bytes[TOTALS_MAX];
};

/* From chunk to chunk; false: the trace is cut, or none. */
static bool ended_find_totals(int fd, struct ended_totals *t)
{
	uint8_t head[CHUNK_HEADER_SIZE], magic[TRACE_MAGIC_SIZE];
	struct trace_chunk c = {.kind = CHUNK_TOTALS}; /* a mark follows, as behind totals */
	struct stat st;
	off_t at = 0;

	t->at = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	while (at < st.st_size) {
		if (c.kind == CHUNK_TOTALS) {
			if (pread(fd, magic, sizeof magic, at) != sizeof magic ||
			    memcmp(magic, TRACE_MAGIC, sizeof magic) != 0)
				return false;
			at += TRACE_MARK_SIZE;
		}
		if (pread(fd, head, sizeof head, at) != sizeof head)
			return false;
		c = chunk_decode(head);
		t->at = at;
		at += CHUNK_HEADER_SIZE + (off_t)c.length;
	}
	t->n = (size_t)(at - t->at);
	return at == st.st_size && c.kind == CHUNK_TOTALS && t->n <= sizeof t->bytes &&
	       pread(fd, t->bytes, t->n, t->at) == (ssize_t)t->n;
}

/* A chunk of one note, and the totals behind it. */
static void ended_make(const struct ended_totals *t, int status, struct buf *to)
{
	uint8_t head[CHUNK_HEADER_SIZE];
	struct buf row = BUF_INIT, text = BUF_INIT;

	buf_addf(&text, "%s%d", TRACE_NOTE_ENDED, status);
	buf_add_uleb(&row, 0); /* as of other chunks the first row, which notes do not have */
	buf_addc(&row, NOTE_INFO);
	buf_add_uleb(&row, 0);
	buf_add_uleb(&row, text.len);
	buf_add(&row, text.data, text.len);
	chunk_encode(head, CHUNK_NOTES, row.data, (uint32_t)row.len);
	buf_add(to, (const char *)head, sizeof head);
	buf_add(to, row.data, row.len);
	buf_add(to, (const char *)t->bytes, t->n);
	buf_release(&text);
	buf_release(&row);
}

void ended_note(const char *path, int status)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct ended_totals t;
	struct buf b = BUF_INIT;

	if (fd < 0)
		return;
	if (ended_find_totals(fd, &t)) {
		ended_make(&t, status, &b);
		if (pwrite(fd, b.data, b.len, t.at) != (ssize_t)b.len)
			cli_note(path, "its exit status could not be written into the trace");
		buf_release(&b);
	}
	close(fd);
}

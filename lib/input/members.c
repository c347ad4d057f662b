/* SPDX-License-Identifier: MIT */
#include "lib/input/members.h"

#include "lib/base/mem.h"
#include "lib/input/seven_zip.h"
#include "lib/input/unpack.h"
#include "lib/input/zip_end.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 64 << 10,
	TAR_TYPE = 156,
	TAR_MARK = 257,
	TAR_BLOCK = 512,
	TAR_SUM_BITS = 24,
	TAR_MARK_BITS = 48
};
#define TAR_GOES_ON 'M'

struct members {
	struct input *in;
	struct unpack *unpack;
	enum unpacked how; /* it was opened */
	uint8_t *block;    /* of an archive that is read in any order */
	uint64_t at;       /* where the next one begins */
	struct err why;    /* its bytes cannot be read; or nothing: it is damaged */
	struct unpack_member member;
	/* of the member, what was unpacked and not taken: zeros up to next, then bytes */
	uint64_t taken, next;
	const uint8_t *bytes;
	size_t n_bytes;
	bool ended, no_space;
	bool cut; /* a zip file without its directory */
};

/* The sum of a tar file's first block, with blanks for the sum itself, stands there as octal digits. */
static bool has_tar_sum(const uint8_t *p, size_t n)
{
	enum { SUM_AT = 148, SUM_SIZE = 8 };
	unsigned sum = 0, stated = 0;
	size_t at = SUM_AT, digits = 0;

	if (n < TAR_BLOCK || !*p)
		return false;
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i - SUM_AT < SUM_SIZE ? ' ' : p[i];
	while (at < SUM_AT + SUM_SIZE && p[at] == ' ')
		at++;
	for (; at < SUM_AT + SUM_SIZE && p[at] >= '0' && p[at] <= '7'; at++, digits++)
		stated = stated * 8 + (p[at] - '0');
	return digits && at < SUM_AT + SUM_SIZE && (!p[at] || p[at] == ' ') && sum == stated;
}

static bool has_tar_mark(const uint8_t *p, size_t n)
{
	/* POSIX's with its NUL, and GNU's */
	return n >= TAR_MARK + 6 &&
	       (!memcmp(p + TAR_MARK, "ustar", 6) || !memcmp(p + TAR_MARK, "ustar ", 6));
}

enum archive members_head(const uint8_t *p, size_t n, int *bits)
{
	static const struct {
		size_t at, n;
		const char *bytes;
		enum archive is;
	} marks[] = {
	    {0, 4, "PK\3\4", ARCHIVE_ZIP},        {0, 4, "PK\5\6", ARCHIVE_ZIP},
	    {0, 8, "PK00PK\3\4", ARCHIVE_ZIP}, /* in parts, of which one was enough; the first of them */
	    {0, 8, "PK\7\10PK\3\4", ARCHIVE_ZIP}, {0, 6, "7z\274\257\47\34", ARCHIVE_7Z},
	};
	bool summed = has_tar_sum(p, n), marked = has_tar_mark(p, n);

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		if (n >= marks[i].at + marks[i].n &&
		    !memcmp(p + marks[i].at, marks[i].bytes, marks[i].n)) {
			*bits = 8 * (int)marks[i].n;
			return marks[i].is;
		}
	}
	/* Unix wrote them without a mark; and a text may have the mark there. */
	if (!marked && (!summed || p[TAR_TYPE] == TAR_GOES_ON))
		return ARCHIVE_NONE;
	*bits = !summed ? MEMBERS_GUESS_BITS : marked ? TAR_SUM_BITS + TAR_MARK_BITS : TAR_SUM_BITS;
	return ARCHIVE_TAR;
}

bool members_tar_goes_on(const uint8_t *p, size_t n)
{
	return has_tar_sum(p, n) && p[TAR_TYPE] == TAR_GOES_ON;
}

static ssize_t members_read_on(void *arg, const void **p)
{
	struct members *m = arg;
	struct cursor *c = &m->in->cur;
	size_t n = cursor_available(c, 1);

	if (c->failed) {
		m->why = *c->e;
		return -1;
	}
	*p = c->pos;
	c->pos += n;
	return (ssize_t)n;
}

static ssize_t members_read_at(void *arg, const void **p)
{
	struct members *m = arg;
	uint64_t left = m->in->size - m->at;
	size_t n = left < BLOCK ? (size_t)left : BLOCK;

	if (input_at(m->in, m->at, m->block, n, "archive", &m->why))
		return -1;
	m->at += n;
	*p = m->block;
	return (ssize_t)n;
}

static bool members_seek(void *arg, uint64_t offset)
{
	struct members *m = arg;

	m->at = offset;
	return true;
}

struct members *members_new(struct input *in)
{
	struct members *m = mem_zalloc(sizeof *m);
	struct unpack_from from = {.arg = m, .read = members_read_on};
	enum archive what;
	const uint8_t *p;
	size_t n;
	int bits;

	m->in = in;
	m->why = (struct err)ERR_INIT;
	m->how = UNPACKED_LOST;
	if (input_head(in, &p, &n)) {
		m->why = *in->cur.e;
		return m;
	}
	what = members_head(p, n, &bits);
	if (what != ARCHIVE_TAR) {
		if (input_random(in, &m->why) ||
		    (what == ARCHIVE_7Z && seven_zip_check(in, &m->why)) ||
		    (what == ARCHIVE_ZIP && zip_end_check(in, &m->cut, &m->why)))
			return m;
		m->block = mem_alloc(BLOCK);
		from.read = members_read_at;
		from.seek = members_seek;
		from.size = in->size;
		from.no_directory = m->cut;
	}
	m->unpack = unpack_archive(&from, &m->how);
	m->no_space = !m->unpack;
	return m;
}

void members_free(struct members *m)
{
	if (!m)
		return;
	unpack_free(m->unpack);
	free(m->block);
	free(m);
}

static enum status members_failure(const struct members *m, struct err *e)
{
	if (m->why.code) {
		*e = m->why;
		return err_failure(e);
	}
	return m->no_space ? err_set(e, ST_SYS, "cannot start unpacking")
			   : err_set(e, ST_BAD, "archive: %s", unpack_error(m->unpack));
}

/* What there is instead of another member. */
static enum status members_end(const struct members *m, struct err *e)
{
	const char *why;

	if (!m->cut || m->why.code || !m->unpack)
		return m->how == UNPACKED_END ? ST_NONE : members_failure(m, e);
	why = unpack_error_known(m->unpack);
	return err_at(e, ST_BAD, m->in->size,
		      "the directory at the end of the zip file is missing or cut%s%s",
		      why ? ": " : "", why ? why : "");
}

/* Zeros between the bytes of a sparse file count as bytes. */
static ssize_t member_read(void *arg, void *p, size_t n, struct err *e)
{
	struct members *m = arg;

	while (m->taken == m->next && !m->n_bytes && !m->ended) {
		const void *bytes;
		size_t n_bytes;
		uint64_t at;
		enum unpacked how = unpack_bytes(m->unpack, &bytes, &n_bytes, &at);

		m->ended = how == UNPACKED_END;
		if (m->ended)
			break;
		if (m->member.encrypted && how != UNPACKED_SOME) {
			err_set(e, ST_BAD, "it is encrypted");
			return -1;
		}
		if (how != UNPACKED_SOME) {
			members_failure(m, e);
			return -1;
		}
		if (at < m->taken) {
			err_set(e, ST_BAD, "archive: its parts are not in order");
			return -1;
		}
		m->bytes = bytes;
		m->n_bytes = n_bytes;
		m->next = at;
	}
	if (m->taken < m->next) {
		n = m->next - m->taken < n ? (size_t)(m->next - m->taken) : n;
		memset(p, 0, n);
	} else {
		n = m->n_bytes < n ? m->n_bytes : n;
		if (n) {
			memcpy(p, m->bytes, n);
			m->bytes += n;
		}
		m->n_bytes -= n;
		m->next += n;
	}
	m->taken += n;
	return (ssize_t)n;
}

enum status members_next(struct members *m, struct input *member, struct err *of_member,
			 struct err *e)
{
	struct input_pull pull = {m, member_read};

	if (m->how != UNPACKED_SOME)
		return members_end(m, e);
	do
		m->how = unpack_next(m->unpack, &m->member);
	while (m->how == UNPACKED_SOME && !m->member.regular);
	if (m->how != UNPACKED_SOME)
		return members_end(m, e);
	m->taken = m->next = 0;
	m->n_bytes = 0;
	m->ended = false;
	input_pulled(member, m->member.name, &pull, of_member);
	return ST_OK;
}

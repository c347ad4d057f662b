/* SPDX-License-Identifier: MIT */
#include "lib/managed/usym.h"

#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEADER = 28, RECORD = 36, LITE_HEADER = 24, LITE_RECORD = 16, VERSION = 2 };

struct usym {
	char *data;
	const uint8_t *records;
	const char *strings;
	size_t n_strings;
	bool lite;
	uint32_t n;
	uint32_t id, name;       /* strings */
	struct sort_item *order; /* by address; NULL: they are */
};

static const uint8_t *record(const struct usym *u, uint32_t i)
{
	return u->records + (size_t)i * (u->lite ? LITE_RECORD : RECORD);
}

static uint64_t address(const struct usym *u, uint32_t i)
{
	const uint8_t *p = record(u, i);

	return le64(p);
}

static struct usym_text text(const struct usym *u, uint32_t offset)
{
	struct usym_text none = {"", 0};
	const char *s = u->strings + offset;
	size_t left, n;

	if (offset >= u->n_strings)
		return none;
	left = u->n_strings - offset;
	if (u->lite) {
		n = strnlen(s, left);
		return n < left ? (struct usym_text){s, n} : none;
	}
	if (left < 2)
		return none;
	n = le16(s);
	return n <= left - 2 ? (struct usym_text){s + 2, n} : none;
}

static void order(struct usym *u)
{
	uint32_t i = 1;

	while (i < u->n && address(u, i - 1) <= address(u, i))
		i++;
	if (i >= u->n)
		return;
	u->order = mem_array(u->n, sizeof *u->order);
	for (i = 0; i < u->n; i++)
		u->order[i] = (struct sort_item){address(u, i), i};
	sort_radix(u->order, u->n);
}

static enum status usym_read_header(struct usym *u, size_t n, struct err *e)
{
	size_t header, each;
	const uint8_t *magic;
	uint32_t version;
	struct cursor c;

	cursor_init(&c, u->data, n, 0, e);
	magic = cursor_bytes(&c, 4, "header");
	if (!magic)
		return err_failure(e);
	u->lite = !memcmp(magic, "sym-", 4);
	if (!u->lite && memcmp(magic, "usym", 4) != 0)
		return err_set(e, ST_UNSUPPORTED, "not a usym file");
	version = cursor_u32(&c);
	u->n = cursor_u32(&c);
	u->id = cursor_u32(&c);
	u->name = u->lite ? 0 : cursor_u32(&c);
	cursor_skip(&c, 8, "header"); /* system and machine */
	if (cursor_failed(&c))
		return err_failure(e);
	if (version != VERSION)
		return err_at(e, ST_UNSUPPORTED, 4, "version %" PRIu32 ", not %d", version,
			      VERSION);
	header = u->lite ? LITE_HEADER : HEADER;
	each = u->lite ? LITE_RECORD : RECORD;
	if (u->n > (n - header) / each)
		return err_at(e, ST_BAD, 8, "%" PRIu32 " records are more than the file holds",
			      u->n);
	u->records = (const uint8_t *)u->data + header;
	u->strings = u->data + header + each * u->n;
	u->n_strings = n - header - each * u->n;
	return ST_OK;
}

enum status usym_read(struct usym **out, char *data, size_t n, struct err *e)
{
	struct usym *u = mem_zalloc(sizeof *u);
	enum status st;

	u->data = data;
	st = usym_read_header(u, n, e);
	if (st) {
		usym_free(u);
		return st;
	}
	order(u);
	*out = u;
	return ST_OK;
}

void usym_free(struct usym *u)
{
	if (!u)
		return;
	free(u->order);
	free(u->data);
	free(u);
}

struct usym_facts usym_facts(const struct usym *u)
{
	return (struct usym_facts){
	    .id = text(u, u->id), .name = text(u, u->name), .records = u->n, .lite = u->lite};
}

uint32_t usym_at(const struct usym *u, uint64_t at)
{
	/* the first that is greater */
	uint32_t lo = BISECT(i, 0, u->n, (u->order ? u->order[i].key : address(u, i)) <= at);

	if (lo && u->order)
		lo = u->order[lo - 1].index + 1;
	return lo && at - address(u, lo - 1) < USYM_REACH ? lo : 0;
}

uint64_t usym_address(const struct usym *u, uint32_t i)
{
	return address(u, i - 1);
}

struct usym_line usym_line(const struct usym *u, uint32_t i)
{
	const uint8_t *p = record(u, i - 1);
	struct usym_line l = {.parent = 0};
	uint32_t parent;

	if (u->lite) {
		struct usym_text file = text(u, le32(p + 8));
		bool managed = file.n > 3 && !memcmp(file.s + file.n - 3, ".cs", 3);

		*(managed ? &l.managed_file : &l.native_file) = file;
		*(managed ? &l.managed_line : &l.native_line) = le32(p + 12);
		return l;
	}
	parent = le32(p + 32);
	l.native = text(u, le32(p + 8));
	l.native_file = text(u, le32(p + 12));
	l.native_line = le32(p + 16);
	l.managed = text(u, le32(p + 20));
	l.managed_file = text(u, le32(p + 24));
	l.managed_line = le32(p + 28);
	l.parent = parent < u->n ? parent + 1 : 0;
	return l;
}

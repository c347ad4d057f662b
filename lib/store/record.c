/* SPDX-License-Identifier: MIT
 *
 * Records, and who an upload is.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text_file.h"
#include "lib/base/utf.h"
#include "lib/store/impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:/";

void record_add(struct store_record *r, const char *name, const char *value)
{
	buf_adds(&r->text, name);
	buf_addc(&r->text, ' ');
	for (; *value; value++)
		if (strchr(plain, *value))
			buf_addc(&r->text, *value);
		else
			buf_addf(&r->text, "%%%02X", (unsigned char)*value);
	buf_addc(&r->text, '\n');
}

void record_add_number(struct store_record *r, const char *name, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	record_add(r, name, text);
}

void record_add_meta(struct store_record *r, const struct store_meta *m)
{
	char name[STORE_WORD + 8];

	record_add(r, "name", m->name);
	for (size_t i = 0; i < m->n; i++) {
		snprintf(name, sizeof name, "label.%s", m->labels[i].name);
		record_add(r, name, m->labels[i].value);
	}
}

static enum status write_all(int fd, const char *p, size_t n, struct err *e)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0)
			return err_sys(e, "cannot write");
		p += done;
		n -= (size_t)done;
	}
	return ST_OK;
}

enum status record_write(struct store_record *r, int folder, const char *name, bool durable,
			 struct err *e)
{
	char beside[SHA256_HEX + 16];
	enum status st;
	int fd;

	snprintf(beside, sizeof beside, "%s.new", name);
	fd = openat(folder, beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		st = err_sys(e, "the record %s", name);
		buf_release(&r->text);
		return st;
	}
	st = write_all(fd, buf_at(&r->text, 0), r->text.len, e);
	if (!st && durable && fsync(fd))
		st = err_sys(e, "cannot synchronize");
	close(fd);
	if (!st && renameat(folder, beside, folder, name))
		st = err_sys(e, "cannot rename");
	if (!st && durable && fsync(folder))
		st = err_sys(e, "cannot synchronize");
	if (st) {
		unlinkat(folder, beside, 0);
		err_prefix(e, "the record %s", name);
	}
	buf_release(&r->text);
	return st;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place. False: no percent-encoding, or a NUL. */
static bool decode(char *s)
{
	char *to = s;

	while (*s) {
		int high, low;

		if (*s != '%') {
			*to++ = *s++;
			continue;
		}
		high = hex_digit(s[1]);
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0 || !(high | low))
			return false;
		*to++ = (char)(high << 4 | low);
		s += 3;
	}
	*to = 0;
	return true;
}

static bool record_take_line(char *line, bool (*each)(void *, const char *, const char *),
			     void *arg)
{
	char *blank = strchr(line, ' ');

	if (!blank)
		return false;
	*blank = 0;
	return decode(blank + 1) && each(arg, line, blank + 1);
}

enum status record_read(int folder, const char *name,
			bool (*each)(void *arg, const char *name, const char *value), void *arg,
			struct err *e)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct buf text = BUF_INIT;
	struct text_lines lines;
	const char *at, *end;
	enum status st;

	if (fd < 0)
		return err_sys(e, "the record %s", name);
	st = text_file_read_open(fd, STORE_RECORD_MOST, "a record", &text, e);
	close(fd);
	lines = text_lines_of(buf_at(&text, 0), text.len);
	while (!st && text_lines_next(&lines, &at, &end)) {
		char *line = mem_strndup(at, (size_t)(end - at));

		if (!record_take_line(line, each, arg))
			st = err_set(e, ST_BAD, "the record %s, line %zu: not as it was written",
				     name, lines.line);
		free(line);
	}
	buf_release(&text);
	return st;
}

bool record_is_digest(const char *text)
{
	return strlen(text) == SHA256_HEX - 1 && strspn(text, "0123456789abcdef") == SHA256_HEX - 1;
}

bool record_number(const char *text, uint64_t *v)
{
	return num_dec(text, strlen(text), v);
}

/* --- who an upload is --- */

static bool is_of(const char *s, const char *letters)
{
	return strspn(s, letters) == strlen(s);
}

enum status store_meta_name(struct store_meta *m, const char *name, struct err *e)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	if (!*name || strlen(name) >= sizeof m->name || !is_of(name, letters) ||
	    strchr("._-", *name))
		return err_set(e, ST_BAD,
			       "a name has letters, digits and ._- (none of these first), at most "
			       "%zu bytes",
			       sizeof m->name - 1);
	strcpy(m->name, name);
	return ST_OK;
}

/* Nothing that would end a line, or be seen as something else. */
static bool is_text(const char *s)
{
	const char *end = s + strlen(s);

	for (const char *at = s; at < end; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			return false;
	return utf8_valid(s, (size_t)(end - s));
}

enum status store_meta_label(struct store_meta *m, const char *name, const char *value,
			     struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t at = 0;

	if (!*name || strlen(name) >= STORE_WORD || !is_of(name, letters))
		return err_set(e, ST_BAD,
			       "the name of a label has small letters, digits, _ and -, at most "
			       "%d bytes",
			       STORE_WORD - 1);
	if (!*value || strlen(value) >= STORE_VALUE || !is_text(value))
		return err_set(e, ST_BAD,
			       "label %s: a value is UTF-8 without control characters, 1 to %d "
			       "bytes",
			       name, STORE_VALUE - 1);
	while (at < m->n && strcmp(m->labels[at].name, name) < 0)
		at++;
	if (at < m->n && !strcmp(m->labels[at].name, name))
		return err_set(e, ST_BAD, "label %s is given twice", name);
	if (m->n == STORE_LABELS)
		return err_set(e, ST_BAD, "more than %d labels", STORE_LABELS);
	memmove(m->labels + at + 1, m->labels + at, (m->n - at) * sizeof *m->labels);
	strcpy(m->labels[at].name, name);
	strcpy(m->labels[at].value, value);
	m->n++;
	return ST_OK;
}

const char *store_meta_get(const struct store_meta *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->labels[i].name, name))
			return m->labels[i].value;
	return NULL;
}

bool record_meta(struct store_meta *m, const char *name, const char *value)
{
	struct err e = ERR_INIT;

	if (!strcmp(name, "name"))
		return !store_meta_name(m, value, &e);
	return strncmp(name, "label.", 6) || !store_meta_label(m, name + 6, value, &e);
}

void meta_key(const struct store_meta *m, char key[SHA256_HEX])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, m->name, strlen(m->name) + 1);
	for (size_t i = 0; i < m->n; i++) {
		sha256_add(&s, m->labels[i].name, strlen(m->labels[i].name) + 1);
		sha256_add(&s, m->labels[i].value, strlen(m->labels[i].value) + 1);
	}
	sha256_end(&s, key);
}

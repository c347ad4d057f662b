/* SPDX-License-Identifier: MIT */
#include "formats/loli/config.h"

#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/base/utf.h"
#include "lib/input/input.h"

#include <ctype.h>

enum { LINE_LIMIT = 1 << 20 };

static void trim(const char **s, size_t *n)
{
	while (*n && isspace((unsigned char)**s)) {
		++*s;
		--*n;
	}
	while (*n && isspace((unsigned char)(*s)[*n - 1]))
		--*n;
}

static const char *const keys[] = {"threshold", "whitelist", "blacklist", "mode", "build",
				   "type",      "arch",      "compiler",  "hook"};

static bool set_value(struct loli_config *c, const char *key, size_t nk, const char *s, size_t n)
{
	if (text_is(key, nk, "threshold")) {
		c->has_threshold = num_dec(s, n, &c->threshold);
		return c->has_threshold;
	}
	if (text_is(key, nk, "mode")) /* the agent takes any other word for nostack */
		c->mode = text_is(s, n, "strict")  ? LOLI_MODE_STRICT
			  : text_is(s, n, "loose") ? LOLI_MODE_LOOSE
						   : LOLI_MODE_NOSTACK;
	if (text_is(key, nk, "build"))
		c->build =
		    text_is(s, n, "instrumented") ? LOLI_BUILD_INSTRUMENTED : LOLI_BUILD_UNWIND;
	if (text_is(key, nk, "hook"))
		c->hook_mmap = text_is(s, n, "mmap");
	return true;
}

enum status loli_config_parse(struct loli_config *c, struct cursor *in, struct err *e)
{
	const char *line;
	size_t n;

	while ((line = cursor_line(in, &n, LINE_LIMIT))) {
		const char *colon = memchr(line, ':', n), *value;
		size_t nk, nv, i;

		if (!colon) {
			trim(&line, &n);
			c->refused += n > 0;
			continue;
		}
		value = colon + 1;
		nk = (size_t)(colon - line);
		nv = n - nk - 1;
		trim(&line, &nk);
		trim(&value, &nv);
		if (text_is(line, nk, "saved"))
			break;
		for (i = 0; i < sizeof keys / sizeof *keys && !text_is(line, nk, keys[i]); i++)
			;
		if (i == sizeof keys / sizeof *keys)
			continue; /* the agent ignores keys that it does not know */
		if (!set_value(c, line, nk, value, nv) || memchr(value, 0, nv)) {
			c->refused++;
			continue;
		}
		buf_add(&c->text, line, nk);
		buf_addc(&c->text, '\0');
		utf8_add_repaired(&c->text, value, nv);
		buf_addc(&c->text, '\0');
	}
	if (cursor_failed(in))
		return err_failure(e);
	if (!c->text.len)
		return err_set(e, ST_BAD, "no line is a setting of LoliProfiler");
	return ST_OK;
}

enum status loli_config_read(struct loli_config *c, const char *path, struct err *e)
{
	struct input in = {0};
	enum status st = input_open(&in, path, e);

	if (!st)
		st = loli_config_parse(c, &in.cur, e);
	if (st)
		err_of_file(e, "loli3.conf", path);
	input_close(&in);
	return st;
}

void loli_config_release(struct loli_config *c)
{
	buf_release(&c->text);
	*c = (struct loli_config){0};
}

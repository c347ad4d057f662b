/* SPDX-License-Identifier: MIT
 *
 * The grammar of files that users write. The first byte chooses the forms of keys. A line's parts lie where its
 * columns say; lines follow each other; an error has its line. A line that is written again is read as the same.
 */
#include "lib/base/buf.h"
#include "lib/base/ini.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_place(const char *line, const char *end, size_t column, const char *text)
{
	must(column && column <= (size_t)(end - line) + 1);
	must((size_t)(end - line) - column + 1 >= strlen(text));
	must(!*text || line[column - 1] == *text || line[column - 1] == '\\');
}

static void check_again(const struct ini *in, unsigned forms)
{
	struct arena arena = ARENA_INIT;
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct ini again;

	if (in->key)
		buf_addf(&b, "%s%s=", in->negated ? "!" : "", in->key);
	else
		buf_addc(&b, '[');
	for (const char *s = in->key ? in->value : in->section; *s; s++) {
		if ((*s == ';' || *s == '#') && text_is_blank(b.data[b.len - 1]))
			buf_addc(&b, '\\');
		buf_addc(&b, *s);
	}
	buf_adds(&b, in->key ? "" : "]");
	again = ini_of(b.data, b.len, forms, &arena, &e);
	must(ini_next(&again));
	must(again.negated == in->negated && !again.key == !in->key);
	must(!strcmp(in->key ? in->value : in->section, in->key ? again.value : again.section));
	must(!in->key || !strcmp(in->key, again.key));
	must(!ini_next(&again) && !again.st);
	buf_release(&b);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const unsigned forms = n ? data[0] & 3u : 0;
	const char *text = n ? (const char *)data + 1 : NULL;
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct ini in = ini_of(text, n ? n - 1 : 0, forms, &arena, &e);
	uint32_t line = 0;

	while (ini_next(&in)) {
		const char *end = in.lines.at;

		must(in.line > line && in.section);
		line = in.line;
		must(!in.key || (*in.key && *in.value));
		must(in.column < in.value_column);
		check_place(in.start, end, in.column, in.key ? "" : "[");
		check_place(in.start, end, in.value_column, in.key ? in.value : in.section);
		check_again(&in, forms);
	}
	must(in.st == e.code);
	must(!in.st || (in.st == ST_BAD && !strncmp(e.msg, "line ", 5)));
	arena_release(&arena);
	return 0;
}

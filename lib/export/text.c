/* SPDX-License-Identifier: MIT */
#include "lib/export/text.h"

#include "lib/base/utf.h"

#include <string.h>

void text_add_separated(struct buf *b, const char *s, size_t n)
{
	size_t from = b->len;

	utf8_add_text(b, s, n);
	for (size_t i = from; i < b->len; i++) {
		unsigned char c = (unsigned char)b->data[i];

		if (c == ';')
			b->data[i] = ':';
		else if (c < ' ' || c == 0x7f)
			b->data[i] = ' ';
	}
}

void text_add_json(struct buf *b, const char *s, size_t n)
{
	size_t start = 0;
	struct buf valid = BUF_INIT;

	utf8_add_text(&valid, s, n);
	buf_addc(b, '"');
	for (size_t i = 0, k; i < valid.len; i += k) {
		uint32_t cp = (unsigned char)valid.data[i];

		k = cp < 0x80 ? 1 : utf8_next(valid.data + i, valid.len - i, &cp);
		if (cp > ' ' && cp < 0x7f && cp != '"' && cp != '\\')
			continue;
		if (cp != '"' && cp != '\\' && !utf_hidden(cp))
			continue;
		buf_add(b, valid.data + start, i - start);
		start = i + k;
		if (cp == '"' || cp == '\\')
			buf_addf(b, "\\%c", (char)cp);
		else
			utf_add_json(b, cp);
	}
	if (valid.len)
		buf_add(b, valid.data + start, valid.len - start);
	buf_addc(b, '"');
	buf_release(&valid);
}

/* SPDX-License-Identifier: MIT */
#include "lib/render/xml.h"

#include "lib/base/utf.h"

#include <string.h>

void xml_text(struct buf *b, const char *s, size_t n)
{
	for (size_t k; n; s += k, n -= k) {
		uint32_t cp = 0;

		k = utf8_next(s, n, &cp);
		if (k == 1 && cp >= 0x20 && cp != 0x7f) {
			switch (*s) {
			case '<': buf_adds(b, "&lt;"); break;
			case '>': buf_adds(b, "&gt;"); break;
			case '&': buf_adds(b, "&amp;"); break;
			case '"': buf_adds(b, "&quot;"); break;
			case '\'': buf_adds(b, "&#39;"); break;
			default: buf_addc(b, *s);
			}
		} else if (cp == 0xfffe || cp == 0xffff) {
			buf_addf(b, "\\xef\\xbf\\x%02x", (unsigned char)s[2]);
		} else {
			k = k ? k : 1;
			buf_add_escaped(b, s, k);
		}
	}
}

void xml_string(struct buf *b, const char *s)
{
	if (s)
		xml_text(b, s, strlen(s));
}

/* SPDX-License-Identifier: MIT */
#include "lib/render/html_data.h"

#include "lib/render/json.h"

/* Cut between characters, so that no half of one is left. */
size_t html_cut(const char *s, size_t n)
{
	if (n <= HTML_TEXT)
		return n;
	for (n = HTML_TEXT; n > HTML_TEXT - 4 && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

/* As in the page's tables: the scripts draw it as it is. */
void html_shown(struct buf *b, const char *s, size_t n)
{
	struct buf shown = BUF_INIT;

	buf_add_visible(&shown, s, n, "\\");
	json_text(b, shown.data ? shown.data : "", shown.len);
	buf_release(&shown);
}

/* A number that needs no decimals of its column is one of its own to the page's scripts. */
const char *html_type(enum column_type type)
{
	return type == COLUMN_DECIMAL ? "decimal" : json_types[type];
}

/* SPDX-License-Identifier: MIT
 *
 * lib/input/xml.c. Expected pieces are those of XML 1.0; a text of blanks is none.
 */
#include "lib/input/xml.h"
#include "tests/unit/test.h"

#include <string.h>

/* "<name ATTRIBUTES", ">name" of an end, and texts, with '|' behind each; "!" where it failed. */
static const char *pieces_of(const char *file)
{
	static struct buf b;
	struct err e = ERR_INIT;
	struct cursor c;
	struct xml x = {.in = &c};
	enum xml_piece piece;

	cursor_init(&c, file, strlen(file), 0, &e);
	b.len = 0;
	while ((piece = xml_next(&x))) {
		if (piece == XML_TEXT) {
			buf_add(&b, buf_str(&x.text), x.text.len);
		} else {
			buf_addc(&b, piece == XML_OPEN ? '<' : '>');
			buf_add(&b, x.name, x.name_n);
			if (piece == XML_OPEN)
				buf_add(&b, x.attributes, x.attributes_n);
		}
		buf_addc(&b, '|');
	}
	if (cursor_failed(&c))
		buf_addc(&b, '!');
	xml_release(&x);
	return buf_str(&b);
}

TEST(tags_and_texts_come_one_after_the_other)
{
	CHECK_STR(pieces_of(""), "");
	CHECK_STR(pieces_of("<a>x</a>"), "<a|x|>a|");
	CHECK_STR(
	    pieces_of("<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<a>\n  <b/>\n <!-- <c> --> y </a>\n"),
	    "<a|<b|>b|y|>a|");
	CHECK_STR(pieces_of("<a k='>' l=\"'/\"/>&lt;&amp;lt;&#9;"),
		  "<a k='>' l=\"'/\"|>a|<&lt;&#9;|");
}

TEST(what_has_no_end_fails)
{
	CHECK_STR(pieces_of("<a><b"), "<a|!");
	CHECK_STR(pieces_of("<a><b k=\">"), "<a|!");
	CHECK_STR(pieces_of("<!-- x"), "!");
}

TEST(an_attribute_is_found_by_its_whole_name)
{
	static const char file[] = "<row id=\"7\" fmt='1 \"ms\"' xid=\"8\" empty=\"\">";
	struct err e = ERR_INIT;
	struct cursor c;
	struct xml x = {.in = &c};
	const char *s = NULL;
	size_t n = 0;

	cursor_init(&c, file, sizeof file - 1, 0, &e);
	CHECK_EQ(xml_next(&x), XML_OPEN);
	CHECK(xml_is(&x, "row") && !xml_is(&x, "ro"));
	CHECK(xml_attribute(&x, "id", &s, &n) && n == 1 && *s == '7');
	CHECK(xml_attribute(&x, "fmt", &s, &n) && n == 6);
	CHECK(xml_attribute(&x, "xid", &s, &n) && *s == '8');
	CHECK(xml_attribute(&x, "empty", &s, &n) && n == 0);
	CHECK(!xml_attribute(&x, "i", &s, &n) && !xml_attribute(&x, "fm", &s, &n));
	xml_release(&x);
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT
 *
 * The pieces of an XML file, one after the other: tags and the texts between them, whatever lines they stand in. There is
 * no check that what is opened is closed in its order, and no definition of entities but the five that XML has; comments,
 * <?...?> and <!...> are passed over.
 */
#ifndef TM_INPUT_XML_H
#define TM_INPUT_XML_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"

enum xml_piece {
	XML_END, /* of the input, or it failed: the cursor says so */
	XML_OPEN,
	XML_CLOSE,
	XML_TEXT, /* other than blanks, without those around it */
};

/* Zeroed, with in, is valid. What the pointers point to is valid until the next piece. */
struct xml {
	struct cursor *in;
	const char *name, *attributes; /* of a tag */
	size_t name_n, attributes_n;
	bool empty; /* an XML_OPEN that its own XML_CLOSE follows: <row/> */
	struct buf text;
	bool closing; /* that one is next */
	struct buf last;
};

/* No piece is longer than 16 MiB. */
enum xml_piece xml_next(struct xml *x);
bool xml_is(const struct xml *x, const char *name);
/* The value of an attribute as it stands there; false: the tag does not have it. */
bool xml_attribute(const struct xml *x, const char *name, const char **s, size_t *n);
/* A text without its entities: &lt; is '<'. What is none stays. Replaces what to has. */
void xml_unescape(struct buf *to, const char *s, size_t n);
void xml_release(struct xml *x);

#endif

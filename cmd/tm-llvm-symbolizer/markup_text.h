/* SPDX-License-Identifier: MIT
 *
 * The nodes of a line of a log: elements of symbolizer markup, {{{tag:field:...}}}, and the text between them.
 * Codes of colour are nodes of their own. All of it is borrowed from the line.
 */
#ifndef TM_LLVM_SYMBOLIZER_MARKUP_TEXT_H
#define TM_LLVM_SYMBOLIZER_MARKUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct markup_span {
	const char *s;
	size_t n;
};

/* Text has no tag. */
struct markup_node {
	struct markup_span all, tag;
	struct markup_span inside; /* an element's, between the braces */
	size_t n_fields;
};

/* A line as it is cut into nodes. */
struct markup_cutting {
	struct markup_span text, rest;
	struct markup_node element; /* behind text; all.n 0: none */
};

/* The next node. False: the line, which is c->rest at first, is at its end. */
bool markup_next(struct markup_cutting *c, struct markup_node *out);
struct markup_span markup_field(const struct markup_node *n,
				size_t number); /* number < n->n_fields */
/* The length of ESC[0m, ESC[1m, ESC[30m to ESC[37m at the start; 0: none of them. */
size_t markup_color_code(struct markup_span s);
bool span_is(struct markup_span s, const char *word);

#endif

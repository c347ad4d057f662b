/* SPDX-License-Identifier: MIT
 *
 * Words and numbers of the lines of a .memreport.
 */
#ifndef TM_FORMATS_UNREAL_MEMREPORT_LINE_H
#define TM_FORMATS_UNREAL_MEMREPORT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mr_text {
	const char *s, *end;
};

static inline size_t mr_length(struct mr_text t)
{
	return (size_t)(t.end - t.s);
}

bool mr_begins(struct mr_text t, const char *word);
/* The same, and t is behind it. */
bool mr_skip_word(struct mr_text *t, const char *word);
bool mr_is(struct mr_text t, const char *word);
/* Without blanks around it. */
struct mr_text mr_trim(struct mr_text t);
/* What comes before a text, and t behind it; false: it is not there, and t stays. */
bool mr_split(struct mr_text *t, const char *at, struct mr_text *before);
/* The last word, of what is not blank, taken off; empty: none. */
struct mr_text mr_last_word(struct mr_text *t);
/* All of t: "-0.062", "507". Times scale, rounded; false: no number, or too large. */
bool mr_number(struct mr_text t, double scale, int64_t *v);
/* The first "1120.75 MB", "117.38mb" or "24448K" in t, as bytes, and t behind it. *before: the text
 * between. */
bool mr_next_size(struct mr_text *t, struct mr_text *before, int64_t *bytes);

/* The columns of a list of objects or classes, and a row of it. Sizes are bytes. */
struct mr_columns {
	unsigned n;       /* behind the name */
	uint8_t what[16]; /* enum mr_column, by place */
};
enum mr_column { MR_OTHER, MR_COUNT, MR_NUM, MR_MAX, MR_RESOURCES, MR_COLUMNS };
struct mr_row {
	struct mr_text name;
	int64_t v[MR_COLUMNS];
};
/* "Class    Count      NumKB ...", "Object      NumKB ..."; first: the word. False: no such
 * line. */
bool mr_head(struct mr_text line, const char *first, struct mr_columns *c);
bool mr_row(struct mr_text line, const struct mr_columns *c, struct mr_row *r);

#endif

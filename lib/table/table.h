/* SPDX-License-Identifier: MIT
 *
 * What a report shows, before it is text or CSV: columns, and rows made on demand, so that a
 * report of a million stacks is never in memory as text. Reports fill tables, lib/render writes
 * them; neither knows the other.
 */
#ifndef TM_TABLE_TABLE_H
#define TM_TABLE_TABLE_H

#include "lib/base/buf.h"

#include <stdbool.h>

enum column_type {
	COLUMN_TEXT,
	COLUMN_INT,
	COLUMN_BYTES,   /* a size: for people in units, in CSV always exact */
	COLUMN_PERCENT, /* the number is in hundredths of a percent */
};

enum column_flags {
	COLUMN_NOT_TEXT = 1 << 0, /* for CSV only */
	COLUMN_NOT_CSV = 1 << 1,  /* for people only */
	COLUMN_SHORTEN = 1 << 2,  /* text that may lose its middle on a narrow terminal */
	COLUMN_PATH = 1 << 3,     /* with COLUMN_SHORTEN: its first folders instead */
	COLUMN_SPARE = 1 << 4,    /* left out, and told, where a terminal has no room */
};

struct column {
	const char *key;   /* CSV heading: fixed, [a-z_] */
	const char *title; /* for people */
	enum column_type type;
	unsigned flags;
};

/* A cell that is not present is blank: not known is not 0. Numbers are a sign and a magnitude,
 * since a sum may need all 64 bits. Text is bytes as captured; render escapes it. */
struct cell {
	bool present, negative;
	uint64_t number;
	const char *text;
	size_t len;
};

struct row {
	struct cell *cells;   /* n_columns, the caller's */
	const char **details; /* lines beneath the row for people, NUL-terminated; the source's */
	size_t n_details;
	const char *more; /* a last such line, e.g. how many were left out; NULL: none */
};

struct table {
	const char *title;
	struct column *columns;
	size_t n_columns;
	size_t n_rows;
	/* Fills row i. r->cells comes zeroed; what it points to is valid until the next call. */
	void (*fill)(void *arg, size_t i, struct row *r);
	void *arg;
	struct cell *totals; /* n_totals rows of n_columns cells; for people only */
	size_t n_totals;
	const char **notes; /* lines at the end, for people only */
	size_t n_notes;
};

static inline struct cell cell_number(uint64_t v)
{
	return (struct cell){.present = true, .number = v};
}

static inline struct cell cell_text(const char *s, size_t n)
{
	return (struct cell){.present = true, .text = s, .len = n};
}

/* part of whole in hundredths of a percent, rounded half up; not present for a whole of 0. */
struct cell cell_share(uint64_t part, uint64_t whole);

/* The size for people: "496 B", "1.5 KiB", "2.0 GiB": one decimal, units of 1024. */
void size_text(struct buf *out, uint64_t bytes);

#endif

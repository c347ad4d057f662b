/* SPDX-License-Identifier: MIT
 *
 * A table, the form of a report before it is text or CSV: columns, and rows made on demand, so that
 * a report of a million stacks is never in memory as text. Reports fill tables, lib/render writes
 * them; neither knows the other. A program prints a struct table_document (document.h) of tables, flame
 * graphs (flame.h), series (series.h) and checks (checks.h).
 */
#ifndef TM_TABLE_TABLE_H
#define TM_TABLE_TABLE_H

#include "lib/base/decimal.h"

#include <stdbool.h>

enum column_type {
	COLUMN_TEXT,
	COLUMN_INT,
	COLUMN_BYTES, /* a size: for people in units, in CSV always exact */
	COLUMN_PERCENT, /* the number is in hundredths of a percent; with a fraction of them only where it
			   would be 0 or 100 and is not */
	COLUMN_TIME,    /* nanoseconds: for people in units, in CSV always exact; key ends in _ns */
	COLUMN_NUMBER,  /* a decimal fraction: the number is in units of 10^-decimals */
	COLUMN_DECIMAL, /* a number and a fraction: as many decimals as there are */
};

enum column_flags {
	COLUMN_NOT_TEXT = 1 << 0, /* for CSV, TSV and JSON only */
	COLUMN_NOT_CSV = 1 << 1,  /* for people only */
	COLUMN_SHORTEN = 1 << 2,  /* text that may lose its middle on a narrow terminal */
	COLUMN_PATH = 1 << 3,     /* with COLUMN_SHORTEN: its first folders instead */
	COLUMN_SPARE = 1 << 4,    /* left out, with a note, where a terminal has no room */
	COLUMN_SIGNED = 1 << 5,   /* a difference: people see +, - or nothing before a 0 */
	COLUMN_TREE = 1 << 6,     /* text that is indented by the row's depth; see TABLE_TREE */
	COLUMN_PROSE = 1 << 7,    /* text in the program's own words, not a name from input */
	COLUMN_BAR = 1 << 8,      /* a percentage of 0 to 100 that pages draw, too: a histogram's */
	COLUMN_FIRST_SPARE =
	    1 << 9, /* with COLUMN_SPARE: left out before columns that have only that */
};

struct table_column {
	const char *key;   /* CSV heading: fixed, [a-z_0-9]; unique in its table */
	const char *title; /* for people; may be NULL with COLUMN_NOT_TEXT */
	enum column_type type;
	unsigned flags;
	unsigned decimals; /* COLUMN_NUMBER: 0 to 9; COLUMN_DECIMAL: so many for people, 0: six */
};

/* What a value means, where colour can say it. Never the only sign: what a person must know
 * is in a text column too. */
enum mark {
	MARK_NONE,
	MARK_GOOD,
	MARK_WARN,
	MARK_BAD,
	MARK_STRONG, /* look here */
	MARK_FAINT,  /* of little weight */
};

/* A cell that is not present is blank: not known is not 0. Numbers are a sign and a magnitude,
 * since a sum may need all 64 bits; of a counter the magnitude is number + fraction / 10^18, also where
 * it is of bytes or ns. Text is bytes as captured; render escapes it. */
struct table_cell {
	bool present, negative;
	uint8_t mark; /* enum mark */
	uint64_t number, fraction;
	uint64_t high; /* what number has above 64 bits: of percentages and differences */
	const char *text;
	size_t len;
};

struct table_row {
	struct table_cell *cells; /* n_columns, the caller's */
	const char **details; /* lines beneath the row for people, NUL-terminated; the source's */
	size_t n_details;
	const char *more; /* a last such line, e.g. how many were left out; NULL: none */
	uint32_t depth;   /* TABLE_TREE: 0 is outermost; rows are in pre-order */
};

enum table_flags {
	/* Rows are a tree: CSV, TSV and JSON get a first column "depth"; people see the column with
	 * COLUMN_TREE indented. */
	TABLE_TREE = 1 << 0,
	/* Details are sentences and commands: text does not shorten them. */
	TABLE_WHOLE_DETAILS = 1 << 1,
	/* Text has it before the tables that were asked for. */
	TABLE_AHEAD = 1 << 2,
};

struct table {
	const char *name; /* a word [a-z-], unique in a document: `--table NAME`, JSON; may be NULL
			     in a document of one table */
	const char *title;
	unsigned flags;
	struct table_column *columns;
	size_t n_columns;
	size_t n_rows;
	/* Fills row i. r->cells comes zeroed; what it points to is valid until the next call. May
	 * be asked for any row, in any order, more than once. */
	void (*fill)(void *arg, size_t i, struct table_row *r);
	void *arg;
	const char *
	    empty; /* why there are no rows, for people, who get it instead of headings and totals; NULL:
			      a table without rows has these, or is "none" */
	struct table_cell *totals; /* n_totals rows of n_columns cells; not for CSV and TSV */
	size_t n_totals;
	const char **notes; /* lines at the end; not for CSV and TSV */
	size_t n_notes;
	/* How many records, and how much of what rows are ranked by, have which names; JSON alone has it. */
	struct table_coverage {
		const char *known;
		uint64_t records, amount;
	} coverage[5];
	size_t n_coverage;
};

/* What people get instead of the table; NULL: the table. */
static inline const char *table_empty(const struct table *t)
{
	return t->n_rows ? NULL : t->empty ? t->empty : t->n_totals ? NULL : "none";
}

static inline struct table_cell cell_number(uint64_t v)
{
	return (struct table_cell){.present = true, .number = v};
}

static inline struct table_cell cell_text(const char *s, size_t n)
{
	return (struct table_cell){.present = true, .text = s, .len = n};
}

/* to - from: exact over the whole range, and negated when the sides are swapped. */
static inline struct table_cell cell_difference(uint64_t from, uint64_t to)
{
	return (struct table_cell){
	    .present = true, .negative = to < from, .number = to < from ? from - to : to - from};
}

static inline struct table_cell cell_signed(int64_t v)
{
	return (struct table_cell){
	    .present = true, .negative = v < 0, .number = v < 0 ? -(uint64_t)v : (uint64_t)v};
}

static inline struct table_cell cell_decimal(decimal v)
{
	unsigned __int128 size = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;

	return (struct table_cell){.present = true,
				   .negative = v < 0,
				   .number = (uint64_t)(size / DECIMAL_UNIT),
				   .fraction = (uint64_t)(size % DECIMAL_UNIT)};
}

/* v rounded half away from 0, also beyond 64 bits; not present where it is no number. */
struct table_cell cell_rounded(double v);
/* part of whole for a COLUMN_PERCENT, rounded half up; not present for a whole of 0. What is not 0 and
 * not the whole stays so: then it has three digits more. */
struct table_cell cell_share(uint64_t part, uint64_t whole);
struct table_cell cell_ratio(bool negative, unsigned __int128 part, unsigned __int128 whole);
struct table_cell cell_percent(double percent); /* not present where it is no number */

/* For people, without the sign of percent: "12.30", "<0.01" of what is not 0, ">-100.00" of what is not gone. */
void percent_text(struct buf *out, const struct table_cell *v, bool is_signed);

/* The size for people: "496 B", "1.5 KiB", "2.0 GiB": one decimal, units of 1024. */
void size_text(struct buf *out, uint64_t bytes);

/* The time for people: "496 ns", "1.25 ms", "75.00 s": two decimals. */
void time_text(struct buf *out, uint64_t ns);

/* A number as its column says, for people: with units (not where exact is asked for), % and the
 * sign of COLUMN_SIGNED; of a fraction at most six decimals, of bytes one, of ns two. Nothing for a cell that is not present; not
 * for COLUMN_TEXT. */
void cell_for_people(struct buf *out, const struct table_column *c, const struct table_cell *v,
		     bool exact);

/* The same for machines: digits, '-' and '.' only; percents have two decimals, and
 * more where those say 0 or 100 of what is not. */
void cell_exact(struct buf *out, const struct table_column *c, const struct table_cell *v);

#endif

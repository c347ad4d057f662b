/* SPDX-License-Identifier: MIT */
#include "lib/table/table.h"

#include <inttypes.h>
#include <math.h>

enum { PERCENT_WHOLE = 10000, DECIMALS_SHOWN = 6 };

/* The three digits of v that stand first, in units of 10^-18; at least 1. */
static uint64_t first_digits(double v)
{
	double unit = pow(10, floor(log10(v)) - 2), rounded = rint(v / unit) * unit * 1e18;

	return rounded > 1 ? (uint64_t)(rounded + 0.5) : 1;
}

/* Rounded to n, and hundredths or whole - hundredths is what is known of it beside an end. */
static struct table_cell beside_an_end(bool negative, unsigned __int128 n, double hundredths,
				       double rest)
{
	struct table_cell c = {.present = true,
			       .negative = negative,
			       .number = (uint64_t)n,
			       .high = (uint64_t)(n >> 64)};

	if (!n && hundredths > 0) {
		c.fraction = first_digits(hundredths);
	} else if (n == PERCENT_WHOLE && rest > 0) {
		c.number--;
		c.fraction = DECIMAL_UNIT - first_digits(rest);
	}
	return c;
}

struct table_cell cell_ratio(bool negative, unsigned __int128 part, unsigned __int128 whole)
{
	double of = (double)whole / PERCENT_WHOLE, hundredths = (double)part / of;
	unsigned __int128 n;

	if (!whole)
		return (struct table_cell){.present = false};
	if ((part | whole) >> 110) /* a double has more digits than a percentage shows */
		n = hundredths < 0x1p127 ? (unsigned __int128)(hundredths + 0.5)
					 : (unsigned __int128)1 << 127;
	else
		n = (part * (2 * PERCENT_WHOLE) + whole) / (whole * 2);
	return beside_an_end(negative, n, hundredths,
			     part < whole ? (double)(whole - part) / of : 0);
}

struct table_cell cell_share(uint64_t part, uint64_t whole)
{
	return cell_ratio(false, part, whole);
}

struct table_cell cell_percent(double percent)
{
	double size = fabs(percent) * 100;

	if (!(size < 0x1p127))
		return (struct table_cell){.present = false};
	return beside_an_end(percent < 0, (unsigned __int128)(size + 0.5), size,
			     PERCENT_WHOLE - size);
}

struct table_cell cell_rounded(double v)
{
	double size = round(fabs(v));
	unsigned __int128 all;

	if (!(size < 0x1p127))
		return (struct table_cell){.present = false};
	all = (unsigned __int128)size;
	return (struct table_cell){.present = true,
				   .negative = v < 0,
				   .number = (uint64_t)all,
				   .high = (uint64_t)(all >> 64)};
}

void size_text(struct buf *out, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;
	unsigned __int128 tenths;

	if (bytes < 1024) {
		buf_addf(out, "%u B", (unsigned)bytes);
		return;
	}
	for (;; unit++) {
		unsigned shift = 10 * (unsigned)(unit + 1);

		tenths = ((unsigned __int128)bytes * 10 + ((uint64_t)1 << (shift - 1))) >> shift;
		/* 1023.96 rounds to 1024.0: the next unit's 1.0 */
		if (tenths < 10240 || !units[unit + 1])
			break;
	}
	buf_addf(out, "%u.%u %ciB", (unsigned)(tenths / 10), (unsigned)(tenths % 10), units[unit]);
}

void time_text(struct buf *out, uint64_t ns)
{
	static const char *const units[] = {"us", "ms", "s"};
	uint64_t unit = 1000, hundredths = 0;
	size_t i;

	if (ns < 1000) {
		buf_addf(out, "%u ns", (unsigned)ns);
		return;
	}
	for (i = 0;; i++, unit *= 1000) {
		hundredths = ns / unit * 100 + (ns % unit * 100 + unit / 2) / unit;
		/* 999.995 rounds to 1000.00: the next unit's 1.00 */
		if (hundredths < 100000 || i == 2)
			break;
	}
	buf_addf(out, "%" PRIu64 ".%02u %s", hundredths / 100, (unsigned)(hundredths % 100),
		 units[i]);
}

static uint64_t power_of_10(unsigned n)
{
	uint64_t v = 1;

	for (; n; n--)
		v *= 10;
	return v;
}

static void add_fraction(struct buf *out, const struct table_cell *cell, unsigned decimals)
{
	unsigned __int128 v = (unsigned __int128)cell->high << 64 | cell->number;
	uint64_t unit = power_of_10(decimals);

	buf_add_u128(out, v / unit);
	if (decimals)
		buf_addf(out, ".%0*" PRIu64, (int)decimals, (uint64_t)(v % unit));
}

static decimal decimal_of_cell(const struct table_cell *v)
{
	return decimal_of_unsigned(v->number) + (decimal)v->fraction;
}

/* What is too small for so many decimals has all that it has. What was rounded to a whole number has its decimals, since it
 * is none. */
static void add_decimal(struct buf *out, const struct table_cell *v, unsigned places)
{
	decimal all = decimal_of_cell(v), shown = decimal_round(all, places);

	decimal_text(out, shown ? shown : all);
	if (shown && shown != all && !(shown % DECIMAL_UNIT) && places)
		buf_addf(out, ".%0*d", (int)places, 0);
}

/* In units; a part of the smallest one has so many decimals. */
static void add_units(struct buf *out, const struct table_cell *v, unsigned places,
		      const char *smallest, void (*text)(struct buf *out, uint64_t v))
{
	decimal all = decimal_of_cell(v), shown = decimal_round(all, places);

	if (v->fraction && v->number < 1000 && (!shown || shown % DECIMAL_ONE)) {
		add_decimal(out, v, places);
		buf_adds(out, smallest);
		return;
	}
	text(out, v->high ? UINT64_MAX : (uint64_t)(decimal_round(all, 0) / DECIMAL_ONE));
}

void cell_exact(struct buf *out, const struct table_column *c, const struct table_cell *v)
{
	if (!v->present || c->type == COLUMN_TEXT)
		return;
	if (v->negative && (v->number || v->fraction))
		buf_addc(out, '-');
	if (v->fraction) {
		decimal all = decimal_of_cell(v);

		decimal_text(out, c->type == COLUMN_PERCENT ? all / 100 : all);
		return;
	}
	add_fraction(out, v,
		     c->type == COLUMN_PERCENT  ? 2
		     : c->type == COLUMN_NUMBER ? c->decimals
						: 0);
}

static void add_sign(struct buf *out, const struct table_cell *v, bool is_signed)
{
	if ((v->number || v->fraction || v->high) && (v->negative || is_signed))
		buf_addc(out, v->negative ? '-' : '+');
}

/* Between 0 and the first hundredth, and between the last and the whole, it is said on which side. */
void percent_text(struct buf *out, const struct table_cell *v, bool is_signed)
{
	struct table_cell end = *v;

	if (!v->present)
		return;
	if (v->fraction) {
		buf_addc(out, v->negative ? '>' : '<');
		end.number++;
	}
	add_sign(out, v, is_signed);
	add_fraction(out, &end, 2);
}

void cell_for_people(struct buf *out, const struct table_column *c, const struct table_cell *v,
		     bool exact)
{
	if (!v->present || c->type == COLUMN_TEXT)
		return;
	if (c->type == COLUMN_PERCENT) {
		percent_text(out, v, c->flags & COLUMN_SIGNED);
		buf_addc(out, '%');
		return;
	}
	add_sign(out, v, c->flags & COLUMN_SIGNED);
	switch (c->type) {
	case COLUMN_TEXT:
	case COLUMN_INT: add_fraction(out, v, 0); break;
	case COLUMN_BYTES:
		if (exact)
			add_decimal(out, v, DECIMALS_SHOWN);
		else
			add_units(out, v, 1, " B", size_text);
		break;
	case COLUMN_TIME:
		if (exact) {
			add_decimal(out, v, DECIMALS_SHOWN);
			buf_adds(out, " ns");
		} else {
			add_units(out, v, 2, " ns", time_text);
		}
		break;
	case COLUMN_PERCENT: break;
	case COLUMN_NUMBER: add_fraction(out, v, c->decimals); break;
	case COLUMN_DECIMAL: add_decimal(out, v, c->decimals ? c->decimals : DECIMALS_SHOWN); break;
	}
}

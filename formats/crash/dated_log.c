/* SPDX-License-Identifier: MIT
 *
 * Logs whose lines begin with a date and a time, or with the time alone:
 *
 *	2026-11-29T13:52:02.123Z loading level 3		RFC 3339, with its zone
 *	2026-11-29 13:52:02,123 WARN renderer: out of pools	most logging libraries, in local time
 *	[2026.11.29-13.52.02:123][ 42]LogTemp: Warning: text	Unreal Engine, in UTC
 *	11-29 13:52:02.123  1234  1250 W Unity   : text		logcat, in local time, without the year
 *	2026-11-29 13:52:02: WARNING[Server]: text		Minetest, in local time
 *	[13:52:02.123] text					the time of a day alone
 *
 * Each such line is a line of the log, at its time after the first one's; lines without a time belong to
 * the one before, and only the first line of these is kept. Where times without a date go back by more than half a day, a day has passed; in logcat's, a year.
 *
 * Facts: RFC 3339, 5.6; logcat's threadtime format (developer.android.com, "Logcat command-line tool"); Unreal Engine's
 * -LogTimes, whose default is UTC (ELogTimes).
 */
#include "formats/emit.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/trace/encode.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 1 << 20, TEXT_MOST = 4096, DIGITS = 9, LEAST_LINES = 3, OF_LINES = 4, BITS = 10 };
#define SECOND INT64_C(1000000000)
#define DAY    (86400 * SECOND)

/* The time at the begin of a line. */
struct log_stamp {
	bool dated, yearless, zoned;
	int64_t
	    ns; /* since 1970; of logcat since a year's begin; of a time alone since the day's */
	unsigned digits; /* of the second's fraction */
	const char *rest;
};

/* Exactly n digits. */
static bool take_digits(const char **p, const char *end, unsigned n, int *v)
{
	*v = 0;
	for (unsigned i = 0; i < n; i++, (*p)++) {
		if (*p == end || !isdigit((unsigned char)**p))
			return false;
		*v = *v * 10 + (**p - '0');
	}
	return true;
}

static bool take_one_of(const char **p, const char *end, const char *chars)
{
	if (*p == end || !**p || !strchr(chars, **p))
		return false;
	(*p)++;
	return true;
}

/* Days since 1970 of the proleptic Gregorian calendar: of a year that begins in March, its leap day is the last. */
static int64_t days_of(int year, int month, int day)
{
	static const int before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
	int64_t y = year - (month < 3);

	return 365 * y + y / 4 - y / 100 + y / 400 + before[month - 1] + day - 1 - 719468;
}

static bool is_day(int year, int month, int day)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] + (leap && month == 2);
}

/* "13:52:02.123456", also "13.52.02:123"; a fraction may follow any of '.', ',' and ':'. */
static bool take_time(const char **p, const char *end, const char *between, struct log_stamp *to)
{
	int h, m, s, digit;
	int64_t fraction = 0, unit = SECOND;

	if (!take_digits(p, end, 2, &h) || !take_one_of(p, end, between) ||
	    !take_digits(p, end, 2, &m) || !take_one_of(p, end, between) ||
	    !take_digits(p, end, 2, &s) || h > 23 || m > 59 || s > 60)
		return false;
	if (end - *p > 1 && strchr(".,:", **p) && isdigit((unsigned char)(*p)[1])) {
		(*p)++;
		while (*p < end && isdigit((unsigned char)**p)) {
			take_digits(p, end, 1, &digit);
			if (to->digits == DIGITS)
				continue;
			to->digits++;
			unit /= 10;
			fraction += digit * unit;
		}
	}
	if (*p < end && isdigit((unsigned char)**p))
		return false;
	to->ns += ((int64_t)h * 3600 + m * 60 + s) * SECOND + fraction;
	return true;
}

/* "Z", "+01:00", "+0100"; behind a blank "UTC", "GMT", and a number that has a sign and four digits. */
static void take_zone(const char **p, const char *end, struct log_stamp *to)
{
	const char *q = *p;
	int h, m, sign;

	if (end - q >= 4 && *q == ' ' && (!memcmp(q + 1, "UTC", 3) || !memcmp(q + 1, "GMT", 3)) &&
	    (end - q == 4 || (!isalnum((unsigned char)q[4]) && !strchr("+-", q[4])))) {
		to->zoned = true;
		*p = q + 4;
		return;
	}
	if (take_one_of(&q, end, "Zz") && (q == end || !isalnum((unsigned char)*q))) {
		to->zoned = true;
		*p = q;
		return;
	}
	q = *p;
	take_one_of(&q, end, " ");
	if (q == end || (*q != '+' && *q != '-'))
		return;
	sign = *q++ == '-' ? -1 : 1;
	if (!take_digits(&q, end, 2, &h))
		return;
	take_one_of(&q, end, ":");
	if (!take_digits(&q, end, 2, &m) || h > 14 || m > 59 ||
	    (q < end && isalnum((unsigned char)*q)))
		return;
	to->zoned = true;
	to->ns -= sign * ((int64_t)h * 60 + m) * 60 * SECOND;
	*p = q;
}

/* "2026-11-29 ", "2026/11/29T", "2026.11.29-", and the time behind it. */
static bool take_date_and_time(const char *s, const char *end, struct log_stamp *to)
{
	const char *p = s;
	int y, m, d;
	bool unreal;

	if (!take_digits(&p, end, 4, &y) || !take_one_of(&p, end, "-/.") ||
	    !take_digits(&p, end, 2, &m) || !take_one_of(&p, end, "-/.") ||
	    !take_digits(&p, end, 2, &d) || y < 1970 || y > 2200 || !is_day(y, m, d))
		return false;
	unreal = p < end && *p == '-';
	if (!take_one_of(&p, end, "Tt -_"))
		return false;
	*to = (struct log_stamp){.dated = true, .zoned = unreal, .ns = days_of(y, m, d) * DAY};
	if (!take_time(&p, end, unreal ? "." : ":", to))
		return false;
	take_zone(&p, end, to);
	to->rest = p;
	return true;
}

static bool take_logcat(const char *s, const char *end, struct log_stamp *to)
{
	const char *p = s;
	int m, d;

	if (!take_digits(&p, end, 2, &m) || !take_one_of(&p, end, "-") ||
	    !take_digits(&p, end, 2, &d) || !take_one_of(&p, end, " ") || !is_day(1972, m, d))
		return false;
	*to = (struct log_stamp){.yearless = true,
				 .ns = (days_of(1972, m, d) - days_of(1972, 1, 1)) * DAY};
	if (!take_time(&p, end, ":", to))
		return false;
	to->rest = p;
	return true;
}

/* Past sequences that colour a terminal: "ESC [ 1 ; 32 m". */
static const char *past_colours(const char *s, const char *end)
{
	while (end - s > 2 && s[0] == '\033' && s[1] == '[') {
		const char *p = s + 2;

		while (p < end && (isdigit((unsigned char)*p) || *p == ';'))
			p++;
		if (p == end || *p != 'm')
			break;
		s = p + 1;
	}
	return s;
}

static bool take_stamp(const char *line, const char *end, struct log_stamp *to)
{
	const char *s = past_colours(line, end), *p = s;

	if (p < end && *p == '[')
		p++;
	*to = (struct log_stamp){.ns = 0};
	if (!take_date_and_time(p, end, to) && !take_logcat(p, end, to)) {
		*to = (struct log_stamp){.ns = 0};
		if (!take_time(&p, end, ":", to))
			return false;
		to->rest = p;
	}
	/* A bracket that was opened is closed, and something follows or nothing does. */
	if (s < end && *s == '[' && (to->rest == end || *to->rest++ != ']'))
		return false;
	to->rest = past_colours(to->rest, end);
	return to->rest == end || !isalnum((unsigned char)*to->rest);
}

/* --- what a line says --- */

static const char *const levels[] = {"verbose", "trace", "debug",    "info",  "notice", "warn",
				     "warning", "error", "critical", "fatal", "assert", "display"};

/* Of a line in the form of logcat: "1234  1250 W Unity   : text". */
static const char *logcat_level(const char **s, const char *end)
{
	static const char letters[] = "VDIWEFA";
	static const char *const words[] = {"verbose", "debug", "info",  "warning",
					    "error",   "fatal", "assert"};
	const char *p = *s, *letter;

	for (unsigned i = 0; i < 2; i++) {
		while (p < end && *p == ' ')
			p++;
		if (p == end || !isdigit((unsigned char)*p))
			return NULL;
		while (p < end && isdigit((unsigned char)*p))
			p++;
	}
	if (end - p < 3 || p[0] != ' ' || !p[1] || p[2] != ' ' || !(letter = strchr(letters, p[1])))
		return NULL;
	*s = p + 3;
	return words[letter - letters];
}

/* The first word that is a level, among the first three; the text stays whole. */
static const char *word_level(const char *s, const char *end)
{
	const char *p = s;

	for (unsigned words = 0; p < end && words < 3; words++) {
		const char *from;

		while (p < end && !isalpha((unsigned char)*p))
			p++;
		for (from = p; p < end && isalpha((unsigned char)*p);)
			p++;
		for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
			if ((size_t)(p - from) == strlen(levels[i]) &&
			    !strncasecmp(from, levels[i], (size_t)(p - from)))
				return levels[i];
	}
	return NULL;
}

struct dated_log {
	struct import *im;
	bool begun, bracketed;
	struct log_stamp first;
	int64_t last, days; /* days: ns that were added, of times without a date */
	unsigned digits;
	uint64_t lines, without, cut, back;
};

static void log_set_attributes(struct dated_log *x)
{
	struct trace *t = x->im->t;
	char text[32];
	int64_t resolution = SECOND;

	trace_set(t, "format", "log");
	trace_set(t, "clock", "wall");
	for (unsigned i = 0; i < x->first.digits; i++)
		resolution /= 10;
	snprintf(text, sizeof text, "%" PRId64, resolution);
	trace_set(t, "time_resolution_ns", text);
	if (!x->first.dated)
		return;
	trace_set_date(t, x->first.ns);
	if (!x->first.zoned)
		trace_set(t, TRACE_DATE_ZONE, TRACE_ZONE_UNKNOWN);
}

static enum status log_take_line(struct dated_log *x, const struct log_stamp *stamp,
				 const char *end, struct err *e)
{
	struct trace *t = x->im->t;
	const char *s = stamp->rest, *level;
	struct emit_log l = {.text = 0};
	/* Of a leap year the days are counted: its last one, and the first of the next, follow each other. */
	int64_t time, round = stamp->yearless ? 366 * DAY : DAY;
	enum status st = ST_OK;

	if (!x->begun) {
		x->first = *stamp;
		log_set_attributes(x);
		st = import_begin(x->im, e);
		x->begun = true;
	}
	time = stamp->ns - x->first.ns + x->days;
	if (!stamp->dated && time < x->last - round / 2) {
		x->days += round;
		time += round;
	}
	x->back += time < x->last;
	x->last = time;
	x->lines++;
	level = logcat_level(&s, end);
	if (s < end && *s == ':')
		s++;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	level = level ? level : word_level(s, end);
	if (end - s > TEXT_MOST) {
		end = s + TEXT_MOST;
		x->cut++;
	}
	l.text = trace_string(t, s, (size_t)(end - s));
	l.time = KNOWN(time);
	if (level)
		l.severity = trace_marker(t, &(struct marker){.name = trace_strz(t, level)});
	return st ? st : emit_log(x->im, &l, e);
}

static enum status dated_log_read(struct import *im, struct err *e)
{
	struct dated_log x = {.im = im};
	struct log_stamp stamp;
	enum status st = ST_OK;
	size_t n;
	const char *line;

	while (!st && (line = cursor_line(&im->in->cur, &n, LONGEST))) {
		if (!take_stamp(line, line + n, &stamp))
			x.without += n != 0;
		else
			st = log_take_line(&x, &stamp, line + n, e);
	}
	if (!st && cursor_failed(&im->in->cur))
		st = err_failure(e);
	if (!st && !x.begun)
		return err_set(e, ST_BAD, "no line begins with a date or a time");
	if (!x.begun)
		return st;
	if (x.without)
		trace_note(im->t, NOTE_INFO, x.without,
			   "lines without a time, which belong to the line before, are left out");
	if (x.cut)
		trace_note(im->t, NOTE_LOSS, x.cut, "lines were cut at %d bytes", TEXT_MOST);
	if (x.back)
		trace_note(im->t, NOTE_INFO, x.back, "times go back");
	return st;
}

/* Three lines at least, and a quarter of all: stacks and the like stand between. */
static int dated_log_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *p = (const char *)head, *end = p + n;
	size_t lines = 0, stamped = 0;
	struct log_stamp stamp;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		if (memchr(p, 0, (size_t)((newline ? newline : end) - p)))
			return 0;
		if (!newline && !whole)
			break;
		newline = newline ? newline : end;
		if (newline > p) {
			lines++;
			stamped += take_stamp(p, newline, &stamp);
		}
		p = newline + 1;
	}
	return stamped >= LEAST_LINES && stamped * OF_LINES >= lines ? BITS : 0;
}

const struct reader reader_log = {
    .name = "log",
    .family = "Logs",
    .page = "crash",
    .capabilities = CAPABILITY_TIME,
    .what = "logs whose lines begin with a date or a time: each line with its time and level",
    .suffixes = "log,txt",
    .cut = CUT_AT_LINE,
    .guesses = true,
    .by_name = true,
    .bid = dated_log_bid,
    .read = dated_log_read,
};

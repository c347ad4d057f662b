/* SPDX-License-Identifier: MIT
 *
 * What Android's "dumpsys thermalservice" and "dumpsys battery" print, once or again and again into one file:
 *
 *	IsStatusOverride: false
 *	Thermal Status: 0
 *	Cached temperatures:
 *		Temperature{mValue=33.6, mType=0, mName=cpu0, mStatus=0}
 *	Current temperatures from HAL:
 *		Temperature{mValue=44.1, mType=0, mName=cpu0, mStatus=0}
 *	Current cooling devices from HAL:
 *		CoolingDevice{mValue=0, mType=2, mName=thermal-cpufreq-0}
 *
 *	Current Battery Service state:
 *	  USB powered: true
 *	  level: 67
 *	  voltage: 3964
 *	  temperature: 337
 *
 * Neither has a time; the order of dumps is that of the file. What is cached may be old: it counts only if a dump has
 * nothing else. Facts: Android's classes Temperature, CoolingDevice and BatteryManager, whose documentation has the units
 * and the numbers of types, and outputs of Android 9 to 16 in public repositories.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, CACHED_MOST = 1 << 12 };
enum section { SECTION_OTHER, SECTION_CACHED, SECTION_NOW, SECTION_COOLING, SECTION_BATTERY };

struct thermal {
	struct import *im;
	enum section section;
	bool has_now;    /* this dump has temperatures of the moment */
	size_t n_cached; /* readings of this dump that wait for that */
	struct thermal_reading {
		uint32_t counter;
		decimal v;
	} * cached;
	size_t cap_cached;
	struct buf name;
	uint64_t readings, odd, absent;
};

static enum status push(struct thermal *x, uint32_t counter, decimal v, struct err *e)
{
	x->readings++;
	return emit_decimal(x->im, counter, ABSENT, v, e);
}

/* "mName=cpu0-gold-usr, mStatus=0}": what stands behind a key, up to the next one. */
static bool value_of(const char *s, const char *end, const char *key, const char **v, size_t *n)
{
	const char *at = memmem(s, (size_t)(end - s), key, strlen(key)), *to;

	if (!at)
		return false;
	at += strlen(key);
	to = memmem(at, (size_t)(end - at), ", m", 3);
	if (!to)
		to = memrchr(at, '}', (size_t)(end - at));
	*v = at;
	*n = to ? (size_t)(to - at) : 0;
	return *n > 0;
}

/* Of sensors of voltage, current and percent the value is no temperature. */
static const char *unit_of(uint64_t type, bool cooling)
{
	return cooling ? "" : type == 6 ? "mV" : type == 7 ? "mA" : type == 8 ? "%" : "\302\260C";
}

static enum status read_sensor(struct thermal *x, const char *s, const char *end, bool cooling,
			       struct err *e)
{
	const char *v;
	size_t n;
	uint64_t type = 0;
	decimal d;
	uint32_t counter;

	if (!value_of(s, end, "mValue=", &v, &n) ||
	    (decimal_parse(v, n, &d) > DECIMAL_ROUNDED && !text_is(v, n, "NaN"))) {
		x->odd++;
		return ST_OK;
	}
	if (text_is(v, n, "NaN")) {
		x->absent++;
		return ST_OK;
	}
	if (value_of(s, end, "mType=", &v, &n))
		num_dec(v, n, &type);
	if (!value_of(s, end, "mName=", &v, &n)) {
		x->odd++;
		return ST_OK;
	}
	x->name.len = 0;
	buf_addf(&x->name, "%s.%.*s", cooling ? "cooling" : "thermal", (int)n, v);
	counter = emit_counter_id(x->im, buf_str(&x->name), unit_of(type, cooling));
	if (x->section != SECTION_CACHED)
		return push(x, counter, d, e);
	if (x->n_cached == CACHED_MOST) {
		x->odd++;
		return ST_OK;
	}
	VEC_PUSH(x->cached, x->n_cached, x->cap_cached) = (struct thermal_reading){counter, d};
	return ST_OK;
}

/* A dump ends: what it had cached counts if it had nothing of the moment. */
static enum status end_dump(struct thermal *x, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < x->n_cached && !x->has_now && !st; i++)
		st = push(x, x->cached[i].counter, x->cached[i].v, e);
	x->n_cached = 0;
	x->has_now = false;
	return st;
}

/* "  temperature: 337" */
static enum status read_battery(struct thermal *x, const char *s, const char *end, struct err *e)
{
	static const struct {
		const char *key, *unit;
		int64_t divisor;
	} known[] = {{"temperature", "\302\260C", 10},
		     {"level", "%", 1},
		     {"voltage", "mV", 1},
		     {"Charge counter", "uAh", 1},
		     {"Max charging current", "uA", 1},
		     {"Max charging voltage", "uV", 1},
		     {"current now", "uA", 1}};
	const char *colon = memchr(s, ':', (size_t)(end - s)), *v, *to = end, *unit = "";
	int64_t divisor = 1;
	decimal d;
	bool flag;

	if (!colon || colon == s) {
		x->section = SECTION_OTHER;
		return ST_OK;
	}
	v = colon + 1;
	text_trim(&v, &to);
	if (v == to) { /* the title of something else */
		x->section = SECTION_OTHER;
		return ST_OK;
	}
	flag = text_is(v, (size_t)(to - v), "true") || text_is(v, (size_t)(to - v), "false");
	if (flag)
		d = decimal_of(*v == 't');
	else if (decimal_parse(v, (size_t)(to - v), &d) > DECIMAL_ROUNDED)
		return ST_OK; /* a technology, or the like */
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(s, (size_t)(colon - s), known[i].key)) {
			unit = known[i].unit;
			divisor = known[i].divisor;
		}
	x->name.len = 0;
	buf_adds(&x->name, "battery.");
	for (; s < colon; s++)
		buf_addc(&x->name, *s == ' ' ? '-' : (char)tolower((unsigned char)*s));
	return push(x, emit_counter_id(x->im, buf_str(&x->name), unit), d / divisor, e);
}

static enum status read_line(struct thermal *x, const char *s, size_t n, struct err *e)
{
	static const char status[] = "Thermal Status: ";
	static const struct {
		const char *title;
		enum section is;
	} titles[] = {{"Cached temperatures:", SECTION_CACHED},
		      {"Current temperatures from HAL:", SECTION_NOW},
		      {"Current cooling devices from HAL:", SECTION_COOLING},
		      {"Current Battery Service state:", SECTION_BATTERY}};
	const char *end = s + n;
	uint64_t v;

	text_trim(&s, &end);
	n = (size_t)(end - s);
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (text_is(s, n, titles[i].title)) {
			x->section = titles[i].is;
			return ST_OK;
		}
	if (text_begins(s, n, "IsStatusOverride:")) {
		x->section = SECTION_OTHER;
		return end_dump(x, e);
	}
	if (text_begins(s, n, status)) {
		if (!num_dec(s + sizeof status - 1, n - sizeof status + 1, &v) || v > 100) {
			x->odd++;
			return ST_OK;
		}
		return push(x, emit_counter_id(x->im, "thermal.status", ""), decimal_of((int64_t)v),
			    e);
	}
	if (text_begins(s, n, "Temperature{") &&
	    (x->section == SECTION_CACHED || x->section == SECTION_NOW)) {
		x->has_now |= x->section == SECTION_NOW;
		return read_sensor(x, s, end, false, e);
	}
	if (text_begins(s, n, "CoolingDevice{") && x->section == SECTION_COOLING)
		return read_sensor(x, s, end, true, e);
	if (x->section == SECTION_BATTERY && n)
		return read_battery(x, s, end, e);
	if (n)
		x->section = SECTION_OTHER;
	return ST_OK;
}

static enum status thermal_read(struct import *im, struct err *e)
{
	struct thermal x = {.im = im};
	struct cursor *c = &im->in->cur;
	const char *s;
	size_t n;
	enum status st = import_begin(im, e);

	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&x, s, n, e);
	if (!st)
		st = end_dump(&x, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !x.readings)
		st = err_set(e, ST_BAD, "the dump has no temperature, and no state of the battery");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x.odd, "impossible numbers"),
	    LOSS(NOTE_INFO, x.absent, "sensors have no value: left out"),
	};

	TRACE_LOSSES(im->t, losses);
	free(x.cached);
	buf_release(&x.name);
	return st;
}

static int thermal_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const marks[] = {"Current Battery Service state:\n",
					    "Thermal Status: ", "Current temperatures from HAL:"};

	(void)whole;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const uint8_t *at = memmem(head, n, marks[i], strlen(marks[i]));

		if (at && (at == head || at[-1] == '\n') &&
		    (!i || memmem(head, n, "Temperature{mValue=", 19)))
			return 120;
	}
	return 0;
}

const struct reader reader_thermal = {
    .name = "thermal",
    .family = "Tables of frames",
    .page = "table",
    .capabilities = CAPABILITY_COUNTERS,
    .what = "Android's dumpsys thermalservice and dumpsys battery, one dump or many",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* what is cached counts if nothing else comes */
    .bid = thermal_bid,
    .read = thermal_read,
};

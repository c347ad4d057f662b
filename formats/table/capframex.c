/* SPDX-License-Identifier: MIT
 *
 * Records of CapFrameX, as JSON:
 *
 *	{"Info":{"GameName":S,..},"Runs":[{"PresentMonRuntime":S,
 *	 "CaptureData":{"TimeInSeconds":[N..],"MsBetweenPresents":[N..],..,"Dropped":[B..]},
 *	 "SensorData2":{"MeasureTime":{"Values":[N..]},"/gpu/0/load/0":{"Name":S,"Type":"Load","Values":[N..]},..}}..]}
 *
 * The columns of CaptureData have an element for each frame. A frame ends at its TimeInSeconds, and MsBetweenPresents is
 * how long it took: that of the first one began before the record did. Columns of a sensor have an element for each
 * MeasureTime, which is in seconds. SensorData of older versions has columns alone, whose names say what they are. A run
 * is held in memory, since its columns stand one behind the other. Facts: the public classes of CapFrameX's sessions, the
 * units of LibreHardwareMonitor's sensor types, and a record of version 1.7.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

#define NO_VALUE  (-((decimal)1 << 126)) /* of an element that has none; no reading is so low */
#define NS_OF_S   1000000000
#define NS_OF_MS  1000000
#define NAME_MOST 256

enum { SERIES_MOST = 4096, VALUES_MOST = 1 << 25 };

enum capframex_place {
	FILE_ = JSON_PLACES,
	INFO,
	INFO_VALUE,
	RUNS,
	RUN,
	RUNTIME,
	FRAMES,
	OLD,
	SENSORS,
	SENSOR,
	SENSOR_NAME,
	SENSOR_TYPE,
	SERIES,
	CELL,
	OTHER,
	OTHER_CELL
};

static const struct json_row capframex_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "Info{", INFO},
    {INFO, "*", INFO_VALUE},
    {FILE_, "Runs[", RUNS},
    {RUNS, "{", RUN},
    {RUN, "PresentMonRuntime", RUNTIME},
    {RUN, "CaptureData{", FRAMES},
    {FRAMES, "*[", SERIES},
    {RUN, "SensorData{", OLD},
    {OLD, "*[", SERIES},
    {RUN, "SensorData2{", SENSORS},
    {SENSORS, "*{", SENSOR},
    {SENSOR, "Name", SENSOR_NAME},
    {SENSOR, "Type", SENSOR_TYPE},
    {SENSOR, "Values[", SERIES},
    {SERIES, "", CELL},
    {RUN, "*[", OTHER},
    {OTHER, "", OTHER_CELL},
    {0},
};

struct series {
	char *key, *name; /* owned */
	const char *unit;
	decimal *v;
	size_t n, cap;
	bool flat; /* nothing but 0 */
	uint32_t counter;
};

struct set {
	struct series *items;
	size_t n, cap;
};

struct capframex {
	struct import *im;
	struct set info, frames, old, sensors;
	struct set *into; /* of the column that is read */
	struct buf key, name, type, runtime;
	uint64_t values; /* of the run */
	uint64_t refused, rounded, uneven, unlasting, flat, other, frameless;
};

struct unit {
	const char *word, *unit;
};

/* Of a column of frames whose name does not begin with Ms. */
static const struct unit frame_units[] = {{"PcLatency", "ms"},
					  {"AnimationError", "ms"},
					  {"GpuActive", "ms"},
					  {"CpuActive", "ms"},
					  {NULL, ""}};

static const struct unit sensor_units[] = {{"Voltage", "V"},
					   {"Current", "A"},
					   {"Power", "W"},
					   {"Clock", "MHz"},
					   {"Temperature", "\302\260C"},
					   {"Load", "%"},
					   {"Frequency", "Hz"},
					   {"Fan", "RPM"},
					   {"Flow", "L/h"},
					   {"Control", "%"},
					   {"Level", "%"},
					   {"Data", "GiB"},
					   {"SmallData", "MiB"},
					   {"Throughput", "B/s"},
					   {"TimeSpan", "s"},
					   {"Timing", "ns"},
					   {"Energy", "mWh"},
					   {"Noise", "dBA"},
					   {"Humidity", "%"},
					   {NULL, ""}};

static const struct unit old_units[] = {{"CpuUsage", "%"},        {"CpuMaxThreadUsage", "%"},
					{"CpuMaxClock", "MHz"},   {"CpuPower", "W"},
					{"CpuTemp", "\302\260C"}, {"GpuUsage", "%"},
					{"GpuClock", "MHz"},      {"RamUsage", "GiB"},
					{"GpuPower", "W"},        {"GpuTBPSim", "W"},
					{"GpuTemp", "\302\260C"}, {"VRamUsage", "MiB"},
					{"VRamUsageGB", "GiB"},   {NULL, ""}};

static const char *unit_of(const struct unit *units, const char *word)
{
	while (units->word && strcmp(units->word, word) != 0)
		units++;
	return units->unit;
}

static void set_release(struct set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].key);
		free(s->items[i].name);
		free(s->items[i].v);
	}
	free(s->items);
	*s = (struct set){0};
}

static struct series *set_find(struct set *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->items[i].key, key))
			return &s->items[i];
	return NULL;
}

static decimal value_at(const struct series *s, size_t i)
{
	return s && i < s->n ? s->v[i] : NO_VALUE;
}

/* Seconds or ms as ns, if it is there and is one. */
static struct known_number time_at(const struct series *s, size_t i, int64_t scale)
{
	decimal v = value_at(s, i);

	if (v == NO_VALUE || __builtin_mul_overflow(v, scale, &v))
		return ABSENT;
	v = decimal_round(v, 0);
	return KNOWN_IF(v < decimal_of(INT64_MAX) / 2 && v > decimal_of(INT64_MIN) / 2,
			decimal_whole(v));
}

/* ---- what stands in the file ---- */

static enum status begin_series(struct capframex *x, struct err *e)
{
	if (x->into->n == SERIES_MOST)
		return err_set(e, ST_LIMIT, "a run has more than %d columns", SERIES_MOST);
	VEC_PUSH(x->into->items, x->into->n, x->into->cap) =
	    (struct series){.key = mem_strdup(buf_str(&x->key)), .flat = true};
	return ST_OK;
}

static enum status read_cell(struct capframex *x, struct json_value v, struct err *e)
{
	struct series *s = &x->into->items[x->into->n - 1];
	enum decimal_read read = DECIMAL_EXACT;
	decimal d = NO_VALUE;

	if (x->values++ == VALUES_MOST)
		return err_set(e, ST_LIMIT, "a run has more than %d values", VALUES_MOST);
	if (v.kind == JSON_BOOLEAN)
		d = decimal_of(*v.s == 't');
	else if (v.kind != JSON_NULL && !text_is(v.s, v.n, "NaN"))
		read = decimal_parse(v.s, v.n, &d);
	x->rounded += read == DECIMAL_ROUNDED;
	if (read > DECIMAL_ROUNDED) {
		x->refused++;
		d = NO_VALUE;
	}
	s->flat = s->flat && !d;
	VEC_PUSH(s->v, s->n, s->cap) = d;
	return ST_OK;
}

static enum status capframex_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct capframex *x = arg;

	(void)in, (void)e;
	x->key.len = 0;
	buf_add(&x->key, s, n < NAME_MOST ? n : NAME_MOST);
	return ST_OK;
}

static enum status capframex_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct capframex *x = arg;
	struct buf *to = NULL;

	switch (place) {
	case CELL: return read_cell(x, v, e);
	case OTHER_CELL: x->other++; break;
	case SENSOR_NAME: to = &x->name; break;
	case SENSOR_TYPE: to = &x->type; break;
	case RUNTIME: to = &x->runtime; break;
	case INFO_VALUE:
		if (v.kind != JSON_NULL && v.n && x->info.n < SERIES_MOST)
			VEC_PUSH(x->info.items, x->info.n, x->info.cap) = (struct series){
			    .key = mem_strdup(buf_str(&x->key)), .name = mem_strndup(v.s, v.n)};
		break;
	default: break;
	}
	if (to && v.kind == JSON_STRING) {
		to->len = 0;
		buf_add(to, v.s, v.n < NAME_MOST ? v.n : NAME_MOST);
	}
	return ST_OK;
}

/* "GPU Core Load"; the second of this name has its place, too: "GPU Core Load /gpu/1/load/0". */
static void name_sensor(struct capframex *x, struct series *s)
{
	struct buf b = BUF_INIT;
	bool twice = false;

	buf_add(&b, buf_str(&x->name), x->name.len);
	if (x->type.len && !text_ends(buf_str(&x->name), x->name.len, buf_str(&x->type)))
		buf_addf(&b, "%s%s", b.len ? " " : "", buf_str(&x->type));
	for (size_t i = 0; i < x->sensors.n; i++)
		twice |= x->sensors.items[i].name && !strcmp(x->sensors.items[i].name, buf_str(&b));
	if (twice || !b.len)
		buf_addf(&b, "%s%s", b.len ? " " : "", s->key);
	s->name = mem_strdup(buf_str(&b));
	s->unit = unit_of(sensor_units, buf_str(&x->type));
	buf_release(&b);
}

/* ---- what is made of a run ---- */

/* A time that is 0 in each frame was not measured. */
static void choose_frame_columns(struct capframex *x)
{
	for (size_t i = 0; i < x->frames.n; i++) {
		struct series *s = &x->frames.items[i];

		s->unit =
		    text_begins(s->key, strlen(s->key), "Ms") ? "ms" : unit_of(frame_units, s->key);
		if (!strcmp(s->key, "TimeInSeconds") || !strcmp(s->key, "MsBetweenPresents") ||
		    !strcmp(s->key, "QPCTime")) /* ticks of a clock whose rate is not told */
			continue;
		if (s->n && s->flat && *s->unit)
			x->flat++;
		else if (s->n)
			s->counter = emit_counter_id(x->im, s->key, s->unit);
	}
}

static void choose_sensors(struct capframex *x, struct set *sensors)
{
	for (size_t i = 0; i < sensors->n; i++) {
		struct series *s = &sensors->items[i];

		if (!text_begins(s->key, strlen(s->key), "MeasureTime") &&
		    !text_begins(s->key, strlen(s->key), "BetweenMeasureTime"))
			s->counter =
			    emit_counter_id(x->im, s->name ? s->name : s->key,
					    s->name ? s->unit : unit_of(old_units, s->key));
	}
}

static enum status push_readings(struct capframex *x, const struct set *set, size_t at,
				 struct known_number time, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < set->n && !st; i++) {
		decimal v = value_at(&set->items[i], at);

		if (set->items[i].counter && v != NO_VALUE)
			st = emit_decimal(x->im, set->items[i].counter, time, v, e);
	}
	return st;
}

static size_t longest(const struct set *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n = s->items[i].n > n ? s->items[i].n : n;
	return n;
}

static enum status push_frame(struct capframex *x, size_t i, struct known_number begin,
			      struct known_number took, struct err *e)
{
	enum status st = ST_OK;

	if (took.is && (int64_t)took.v >= 0)
		st = emit_frame_lasting(x->im, KNOWN(i + 1), 0, begin, took, e);
	else
		x->unlasting++;
	return st ? st : push_readings(x, &x->frames, i, begin, e);
}

static enum status push_run(struct capframex *x, struct err *e)
{
	const struct series *ends = set_find(&x->frames, "TimeInSeconds"),
			    *durations = set_find(&x->frames, "MsBetweenPresents");
	struct set *sensors = x->sensors.n ? &x->sensors : &x->old;
	const struct series *times = set_find(sensors, "MeasureTime");
	size_t n = durations ? durations->n : 0, n_readings = longest(sensors), k = 0;
	enum status st = ST_OK;
	int64_t clock = 0;

	for (size_t i = 0; i < x->frames.n; i++)
		x->uneven += x->frames.items[i].n && x->frames.items[i].n != n;
	choose_frame_columns(x);
	choose_sensors(x, sensors);
	for (size_t i = 0; i < n && !st; i++) {
		struct known_number took = time_at(durations, i, NS_OF_MS),
				    end = time_at(ends, i, NS_OF_S), at;
		struct known_number begin = KNOWN(clock);

		if (end.is && took.is)
			begin = KNOWN((int64_t)end.v - (int64_t)took.v);
		if (!took.is || __builtin_add_overflow((int64_t)begin.v, (int64_t)took.v, &clock))
			clock = (int64_t)begin.v;
		for (; k < n_readings && !st; k++) {
			at = time_at(times, k, NS_OF_S);
			if (!at.is || (int64_t)at.v >= (int64_t)begin.v)
				break;
			st = push_readings(x, sensors, k, at, e);
		}
		if (!st)
			st = push_frame(x, i, begin, took, e);
	}
	for (; k < n_readings && !st; k++)
		st = push_readings(x, sensors, k, time_at(times, k, NS_OF_S), e);
	return st;
}

static void release_run(struct capframex *x)
{
	set_release(&x->frames);
	set_release(&x->old);
	set_release(&x->sensors);
	x->runtime.len = 0;
	x->values = 0;
}

static void set_attributes(struct capframex *x)
{
	struct buf b = BUF_INIT;

	trace_set(x->im->t, "format", "capframex");
	for (size_t i = 0; i < x->info.n; i++) {
		b.len = 0;
		buf_addf(&b, "capframex.%s", x->info.items[i].key);
		trace_set(x->im->t, buf_str(&b), x->info.items[i].name);
	}
	if (x->runtime.len)
		trace_set(x->im->t, "capframex.PresentMonRuntime", buf_str(&x->runtime));
	buf_release(&b);
}

static void note_losses(struct capframex *x)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->refused, "fields are not numbers or too large"),
	    LOSS(NOTE_LOSS, x->unlasting,
		 "rows do not say how long their frame took: they are no frames"),
	    LOSS(NOTE_LOSS, x->uneven, "columns do not have a value for each frame"),
	    LOSS(NOTE_INFO, x->flat,
		 "columns of times are 0 in each frame, which is no time: left out"),
	    LOSS(NOTE_INFO, x->other, "values of other devices are left out"),
	    LOSS(NOTE_INFO, x->rounded, "values have more than 18 decimals: they are rounded"),
	};

	if (x->im->begun)
		TRACE_LOSSES(x->im->t, losses);
	x->refused = x->unlasting = x->uneven = x->flat = x->other = x->rounded = 0;
}

static enum status finish_run(struct capframex *x, struct err *e)
{
	enum status st = ST_OK;

	if (set_find(&x->frames, "MsBetweenPresents")) {
		if (x->im->begun)
			st = import_next(x->im, e);
		if (!st) {
			set_attributes(x);
			st = import_begin(x->im, e);
		}
		if (!st)
			st = push_run(x, e);
		note_losses(x);
	} else {
		x->frameless++;
	}
	release_run(x);
	return st;
}

static enum status capframex_begin(void *arg, unsigned place, struct err *e)
{
	struct capframex *x = arg;

	switch (place) {
	case FRAMES: x->into = &x->frames; break;
	case OLD: x->into = &x->old; break;
	case SENSORS: x->into = &x->sensors; break;
	case SENSOR: x->name.len = x->type.len = 0; break;
	case SERIES: return begin_series(x, e);
	default: break;
	}
	return ST_OK;
}

static enum status capframex_end(void *arg, unsigned place, struct err *e)
{
	struct capframex *x = arg;

	if (place == SENSOR && x->sensors.n && !x->sensors.items[x->sensors.n - 1].name)
		name_sensor(x, &x->sensors.items[x->sensors.n - 1]);
	return place == RUN ? finish_run(x, e) : ST_OK;
}

static enum status capframex_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = capframex_rows,
						  .begin = capframex_begin,
						  .end = capframex_end,
						  .value = capframex_value,
						  .key = capframex_key};
	static const struct json_options options = {.repair_utf8 = true};
	struct capframex x = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &x, &options, &at, NULL, e);

	if (st == ST_BAD && !im->begun) { /* the frames of a file that is cut among its sensors */
		struct err later;

		finish_run(&x, &later);
	}
	if (!st && !im->begun)
		st = err_set(e, ST_BAD, "a record of CapFrameX without a frame");
	if (im->begun && x.frameless)
		trace_losses(im->t,
			     &(const struct trace_loss)LOSS(NOTE_LOSS, x.frameless,
							    "runs have no frames: left out"),
			     1);
	release_run(&x);
	set_release(&x.info);
	buf_release(&x.key);
	buf_release(&x.name);
	buf_release(&x.type);
	buf_release(&x.runtime);
	return st;
}

static int capframex_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char runs[] = "\"Runs\"", data[] = "\"CaptureData\"";
	const uint8_t *at = memmem(head, n, runs, sizeof runs - 1);
	size_t i = 0;

	(void)whole;
	while (i < n && text_is_space((char)head[i]))
		i++;
	return i < n && head[i] == '{' && at &&
		       memmem(at, (size_t)(head + n - at), data, sizeof data - 1)
		   ? 8 * (sizeof runs + sizeof data - 2)
		   : 0;
}

const struct reader reader_capframex = {
    .name = "capframex",
    .family = "Tables of frames",
    .page = "table",
    .capabilities = CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS,
    .what = "records of CapFrameX (JSON): a frame for each present, readings of sensors",
    .suffixes = "json",
    .cut = CUT_NEVER, /* a column stands behind the other */
    .bid = capframex_bid,
    .read = capframex_read,
};

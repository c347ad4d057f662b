/* SPDX-License-Identifier: MIT
 *
 * What a system trace says of the whole machine: its memory, battery, temperatures, the clocks of its processors and of
 * its GPU, what the GPU's driver counts, and Android's log. Numbers and meanings of fields: google/perfetto,
 * protos/perfetto/trace/{sys_stats,power,gpu,android,ftrace} and protos/perfetto/common.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/text.h"

#include <inttypes.h>
#include <string.h>

static enum status push_reading(struct perfetto *x, const char *unit, struct perfetto_time at,
				decimal value, struct err *e)
{
	const decimal most = decimal_of(INT64_MAX);

	if (value == PERFETTO_NO_READING || value > most || value < -most) {
		x->tracks.no_number++;
		return ST_OK;
	}
	return emit_decimal(x->im, emit_counter_id(x->im, buf_str(&x->text), unit),
			    perfetto_known_ns(x, at), value, e);
}

static decimal reading_of_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;
	decimal v;

	memcpy(&f, &low, sizeof f);
	return decimal_from_double((double)f, &v) ? v : PERFETTO_NO_READING;
}

/* --- the kernel's events --- */

enum status perfetto_clock_rate(struct perfetto *x, const char *of, uint32_t number,
				const char *unit, uint64_t value, struct perfetto_time at,
				struct err *e)
{
	x->counters = true;
	if (x->pass == PERFETTO_SCAN)
		return ST_OK;
	x->text.len = 0;
	buf_addf(&x->text, "%s%u.frequency", of, number);
	return push_reading(x, unit, at, decimal_of_unsigned(value), e);
}

enum status perfetto_event_frequency(struct perfetto *x, bool gpu, struct pb b,
				     struct perfetto_time at, struct err *e)
{
	uint64_t state = 0;
	uint32_t number = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == (gpu ? 2 : 1))
			state = f.value;
		else if (f.number == (gpu ? 1 : 2))
			number = (uint32_t)f.value;
	if (b.bad)
		return ST_OK;
	/* Drivers of GPUs give what unit they like. */
	return perfetto_clock_rate(x, gpu ? "gpu" : "cpu", number, gpu ? "" : "kHz", state, at, e);
}

enum status perfetto_event_thermal(struct perfetto *x, struct pb b, struct perfetto_time at,
				   struct err *e)
{
	struct pb_field f, zone = {0};
	int32_t millis = 0;

	x->counters = true;
	if (x->pass == PERFETTO_SCAN)
		return ST_OK;
	while (pb_next(&b, &f))
		if (f.number == 2)
			millis = (int32_t)f.value;
		else if (f.number == 4 && f.wire == PB_BYTES)
			zone = f;
	x->text.len = 0;
	buf_addf(&x->text, "thermal.%.*s", zone.n > 200 ? 200 : (int)zone.n,
		 zone.n ? (const char *)zone.s : "");
	return push_reading(x, "C", at, decimal_of(millis) / 1000, e);
}

/* --- the machine's memory, and clocks that were asked for --- */

/* As /proc/meminfo calls them; by enum MeminfoCounters. */
static const char *const meminfo_words[] = {NULL,
					    "MemTotal",
					    "MemFree",
					    "MemAvailable",
					    "Buffers",
					    "Cached",
					    "SwapCached",
					    "Active",
					    "Inactive",
					    "Active(anon)",
					    "Inactive(anon)",
					    "Active(file)",
					    "Inactive(file)",
					    "Unevictable",
					    "Mlocked",
					    "SwapTotal",
					    "SwapFree",
					    "Dirty",
					    "Writeback",
					    "AnonPages",
					    "Mapped",
					    "Shmem",
					    "Slab",
					    "SReclaimable",
					    "SUnreclaim",
					    "KernelStack",
					    "PageTables",
					    "CommitLimit",
					    "Committed_AS",
					    "VmallocTotal",
					    "VmallocUsed",
					    "VmallocChunk",
					    "CmaTotal",
					    "CmaFree",
					    "Gpu",
					    "Zram",
					    "Misc",
					    "IonHeap",
					    "IonHeapPool"};

static enum status push_meminfo(struct perfetto *x, struct pb b, struct perfetto_time at,
				struct err *e)
{
	uint64_t key = 0, kib = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1)
			key = f.value;
		else if (f.number == 2)
			kib = f.value;
	if (!key || key >= sizeof meminfo_words / sizeof *meminfo_words)
		return ST_OK;
	x->text.len = 0;
	buf_addf(&x->text, "meminfo.%s", meminfo_words[key]);
	return push_reading(
	    x, "B", at,
	    kib > INT64_MAX >> 10 ? PERFETTO_NO_READING : decimal_of((int64_t)(kib << 10)), e);
}

enum status perfetto_system_stats(struct perfetto *x, const struct perfetto_packet *p,
				  struct err *e)
{
	struct pb b = pb_of(&p->data);
	enum status st = ST_OK;
	uint32_t cpu = 0;
	struct pb_field f;

	while (!st && pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES)
			st = push_meminfo(x, pb_of(&f), p->time, e);
		else if (f.number == 11 && f.wire == PB_VARINT)
			st = perfetto_clock_rate(x, "cpu", cpu++, "kHz", f.value, p->time, e);
	return st;
}

/* --- the battery --- */

enum status perfetto_battery(struct perfetto *x, const struct perfetto_packet *p, struct err *e)
{
	static const struct {
		const char *name, *unit;
	} fields[] = {
	    [1] = {"charge", "uAh"},         [2] = {"capacity", "%"}, [3] = {"current", "uA"},
	    [4] = {"current.average", "uA"}, [6] = {"energy", "uWh"}, [7] = {"voltage", "uV"}};
	struct pb b = pb_of(&p->data), again = b;
	struct pb_field f, name = {0};
	enum status st = ST_OK;

	while (pb_next(&again, &f))
		if (f.number == 5 && f.wire == PB_BYTES)
			name = f;
	while (!st && pb_next(&b, &f)) {
		if (f.number >= sizeof fields / sizeof *fields || !fields[f.number].name)
			continue;
		x->text.len = 0;
		buf_addf(&x->text, "battery.%s%s%.*s", fields[f.number].name, name.n ? " " : "",
			 name.n > 200 ? 200 : (int)name.n, name.n ? (const char *)name.s : "");
		st = push_reading(x, fields[f.number].unit, p->time,
				  f.wire == PB_FIXED32 ? reading_of_float(f.value)
						       : decimal_of((int64_t)f.value),
				  e);
	}
	return st;
}

/* --- what the GPU's driver counts --- */

/* By enum MeasureUnit. */
static const char *const gpu_units[] = {
    "",    "bit", "kbit", "Mbit",       "Gbit",      "Tbit",        "Pbit",
    "B",   "kB",  "MB",   "GB",         "TB",        "PB",          "Hz",
    "kHz", "MHz", "GHz",  "THz",        "PHz",       "ns",          "us",
    "ms",  "s",   "min",  "h",          "vertices",  "pixels",      "triangles",
    "mW",  "W",   "kW",   "J",          "V",         "A",           "C",
    "F",   "K",   "%",    "primitives", "fragments", "instructions"};

static const char *gpu_unit(uint64_t unit)
{
	return unit < sizeof gpu_units / sizeof *gpu_units ? gpu_units[unit] : "";
}

static uint64_t gpu_key(uint64_t gpu, uint64_t counter)
{
	return gpu << 32 | (uint32_t)counter;
}

/* The first number of a field, which may be packed. */
static void first_number(const struct pb_field *f, uint64_t *to)
{
	struct pb list = pb_of(f);

	if (!*to)
		*to = f->wire == PB_BYTES ? pb_varint(&list) : f->value;
}

static void keep_spec(struct perfetto *x, uint64_t gpu, struct pb b)
{
	struct pb_field f, name = {0};
	uint64_t counter = 0, unit = 0, per = 0;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: counter = f.value; break;
		case 2: name = f; break;
		case 7: first_number(&f, &unit); break;
		case 8: first_number(&f, &per); break;
		}
	if (b.bad || !name.n)
		return;
	x->text.len = 0;
	buf_addf(&x->text, "%s%s%s", gpu_unit(unit), per ? "/" : "", gpu_unit(per));
	*map64_put(&x->system.gpu_names, gpu_key(gpu, counter)) = perfetto_name(x, name.s, name.n);
	if (x->text.len)
		*map64_put(&x->system.gpu_units, gpu_key(gpu, counter)) =
		    perfetto_name(x, x->text.data, x->text.len);
}

static void keep_specs(struct perfetto *x, uint64_t gpu, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES)
			keep_spec(x, gpu, pb_of(&f));
}

static enum status push_gpu_counter(struct perfetto *x, uint64_t gpu, struct pb b,
				    struct perfetto_time at, struct err *e)
{
	decimal value = PERFETTO_NO_READING;
	uint64_t counter = 0;
	uint32_t name, unit;
	struct pb_field f;
	double d;

	while (pb_next(&b, &f))
		if (f.number == 1) {
			counter = f.value;
		} else if (f.number == 2) {
			value = decimal_of((int64_t)f.value);
		} else if (f.number == 3 && f.wire == PB_FIXED64) {
			memcpy(&d, &f.value, sizeof d);
			if (!decimal_from_double(d, &value))
				value = PERFETTO_NO_READING;
		}
	name = map64_get(&x->system.gpu_names, gpu_key(gpu, counter));
	unit = map64_get(&x->system.gpu_units, gpu_key(gpu, counter));
	if (!name) {
		x->tracks.unknown_counters++;
		return ST_OK;
	}
	x->text.len = 0;
	if (gpu)
		buf_addf(&x->text, "gpu%" PRIu32 ".", (uint32_t)gpu);
	buf_adds(&x->text, intern_text(&x->names.strings, name, NULL));
	return push_reading(x, unit ? intern_text(&x->names.strings, unit, NULL) : "", at, value,
			    e);
}

enum status perfetto_gpu_counters(struct perfetto *x, const struct perfetto_packet *p,
				  struct err *e)
{
	struct pb b = pb_of(&p->data), again = b;
	enum status st = ST_OK;
	uint64_t gpu = 0;
	struct pb_field f;

	while (pb_next(&again, &f))
		if (f.number == 3)
			gpu = (uint32_t)f.value;
	while (!st && pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == 1 && x->pass == PERFETTO_SCAN)
			keep_specs(x, gpu, pb_of(&f));
		else if (f.wire == PB_BYTES && f.number == 2 && x->pass == PERFETTO_SCAN)
			x->counters = true;
		else if (f.wire == PB_BYTES && f.number == 2)
			st = push_gpu_counter(x, gpu, pb_of(&f), p->time, e);
	return st;
}

/* --- Android's log --- */

/* An event of the log has values in place of a text. */
static void add_argument(struct buf *to, struct pb b, bool first)
{
	struct pb_field f, name = {0}, value = {0};
	float real;
	uint32_t bits;

	while (pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES)
			name = f;
		else if (f.number >= 2 && f.number <= 4)
			value = f;
	buf_addf(to, "%s%.*s%s", first ? "" : ", ", (int)(name.n > 200 ? 200 : name.n),
		 name.n ? (const char *)name.s : "", name.n ? "=" : "");
	if (value.number == 4 && value.wire == PB_BYTES) {
		buf_add(to, value.s, value.n);
	} else if (value.number == 3) {
		bits = (uint32_t)value.value;
		memcpy(&real, &bits, sizeof real);
		buf_addf(to, "%g", (double)real);
	} else if (value.number == 2) {
		buf_addf(to, "%" PRId64, (int64_t)value.value);
	}
}

static enum status push_line(struct perfetto *x, struct pb b, struct err *e)
{
	/* By enum AndroidLogPriority; the words of logs as text. */
	static const char *const levels[] = {NULL,   NULL,      "verbose", "debug",
					     "info", "warning", "error",   "fatal"};
	struct pb_field f, tag = {0}, message = {0};
	uint64_t priority = 0, time = 0;
	struct perfetto_time at = {0};
	struct trace *t = x->im->t;
	struct emit_log line = {0};
	struct pb again = b;
	bool first = true;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 5: time = f.value; break;
		case 6: tag = f; break;
		case 7: priority = f.value; break;
		case 8: message = f; break;
		}
	if (b.bad)
		return ST_OK;
	if (time && time < INT64_MAX / 2)
		at = perfetto_time_at(x, PERFETTO_REALTIME, (int64_t)time);
	if (x->pass == PERFETTO_SCAN)
		return ST_OK;
	x->text.len = 0;
	if (tag.n && tag.s) {
		buf_add(&x->text, tag.s, tag.n);
		buf_adds(&x->text, ": ");
	}
	if (message.n && message.s)
		buf_add(&x->text, message.s, message.n);
	while (!message.n && pb_next(&again, &f))
		if (f.number == 9 && f.wire == PB_BYTES) {
			add_argument(&x->text, pb_of(&f), first);
			first = false;
		}
	while (x->text.len && x->text.data[x->text.len - 1] == '\n')
		x->text.len--;
	line.text = trace_string(t, x->text.len ? x->text.data : "", x->text.len);
	if (priority < sizeof levels / sizeof *levels && levels[priority])
		line.severity =
		    trace_marker(t, &(struct marker){.name = trace_strz(t, levels[priority])});
	line.time = perfetto_known_ns(x, at);
	return emit_log(x->im, &line, e);
}

enum status perfetto_log(struct perfetto *x, const struct perfetto_packet *p, struct err *e)
{
	struct pb b = pb_of(&p->data);
	enum status st = ST_OK;
	struct pb_field f;

	while (!st && pb_next(&b, &f))
		if (f.number == 1 && f.wire == PB_BYTES) {
			x->system.lines += x->pass == PERFETTO_SCAN;
			st = push_line(x, pb_of(&f), e);
		}
	return st;
}

void perfetto_system_release(struct perfetto_system *s)
{
	map64_release(&s->gpu_names);
	map64_release(&s->gpu_units);
}

/* SPDX-License-Identifier: MIT
 *
 *	session FOLDER [--OPTION N...]
 *
 * Writes the files of one simulated run into a folder: native.tmt (blocks of malloc), lua.tmt (Lua's blocks), frames.csv
 * (frames and counters) and game.log. The game's own clock is native.tmt's; each other file has its own.
 *
 * The run has --frames frames, of 16.67 ms and at most --jitter us more or less, of which --jank (default: none) takes
 * 120 ms. In each frame:
 *
 *	native	10 blocks of 100 bytes by update, which are freed in the next one;
 *		with --scratch 1 they are freed at once, and nothing is live between frames;
 *		with --leak N (default: 0) N blocks of 64 bytes by add_particle, which are not freed;
 *		in the first twentieth of the frames, 10 blocks of 5000 bytes by load_asset, which stay, but with --scratch 1
 *	Lua	5 blocks of 40 bytes by on_tick, which are freed in the next one
 *
 * and in the frame --spike (default: none) 3000 blocks of 50 bytes by the Lua function spawn_wave, and 2000 of 1000 bytes by
 * the native compress_state, which are freed in the next one. The log has a line for each hundredth frame, one
 * "loading level 3" in the frame --jank, and with --sync 1 the line "sync level loaded" when native.tmt has a marker of that
 * name, in frame 50.
 *
 * With --marks 0 no file has frames, and there is no frames.csv. The game sleeps for --wait ms (default: 0) before the first frame.
 *
 * With --sampled 1 the blocks are said to be estimated. With --long-line 1 the log has a line of 5000 bytes.
 *
 * Clocks: time T of the game's clock is T + --lua-offset us in lua.tmt, times --lua-ppm parts of a million faster,
 * and its frames are late by less than --lua-late us; T + --csv-offset us in frames.csv, whose times are
 * rounded down to --csv-step ns and whose frames are numbered from 1000 on; and the date --date s after 2026-02-03T12:00:00Z
 * + T in game.log, rounded down to ms. With --csv-other 1 frames.csv is of another run. With --dates 0 no file but the
 * log has a date; with --zone 0 the log has no zone, and its times are 8 hours ahead; with --log-time 1 it has times of the day
 * only.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/trace/encode.h"
#include "lib/trace/writer.h"
#include "testdata/gen/gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define US INT64_C(1000)
#define MS (1000 * US)
#define S  (1000 * MS)

static uint64_t frames = 600, jitter = 2000, jank = UINT64_MAX, spike = UINT64_MAX, leak, scratch,
		marks = 1, wait, sampled, long_line, sync_mark, lua_offset, lua_ppm, lua_late,
		csv_offset, csv_step = 1000, csv_other, date, dates = 1, zone = 1, log_time,
		seed = 1;
static const char *folder;
static int64_t *starts; /* frames + 1 */

static const int64_t epoch = INT64_C(1770120000) * S; /* 2026-02-03T12:00:00Z */

static void fail(const char *what)
{
	fprintf(stderr, "session: %s\n", what);
	exit(2);
}

static FILE *open_file(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (!f)
		fail(path);
	return f;
}

static void make_frames(int64_t *to)
{
	int64_t t = 5 * MS + (int64_t)wait * MS;

	for (uint64_t i = 0; i <= frames; i++) {
		to[i] = t;
		t += i == jank ? 120 * MS : 16670 * US;
		if (jitter && i != jank)
			t += ((int64_t)draw((uint32_t)(2 * jitter)) - (int64_t)jitter) * US +
			     (int64_t)draw(1000);
	}
}

/* --- traces --- */

struct made {
	FILE *file;
	struct writer *w;
	struct sink *sink;
	struct trace *t;
	uint64_t address;
	uint32_t thread;
	uint8_t domain;
};

static uint32_t stack_of(struct trace *t, const char *name, const char *file, uint32_t line)
{
	const struct location l = {.space = SPACE_NAME,
				   .name = trace_strz(t, name),
				   .file = trace_strz(t, file),
				   .line = line};

	return trace_stack(t, 0, trace_location(t, &l));
}

static void begin(struct made *m, const char *name, const char *format, uint8_t domain)
{
	const enum metric_state state = sampled ? METRIC_ESTIMATED : METRIC_EXACT;
	struct err e = ERR_INIT;
	char text[32];

	*m = (struct made){
	    .file = open_file(name), .t = trace_new(), .domain = domain, .address = 4096};
	m->w = writer_new(m->file);
	m->sink = writer_sink(m->w);
	trace_set(m->t, "format", format);
	if (dates) {
		/* Of time 0: what the clock is ahead has passed by then. */
		int64_t at = epoch - (domain == DOMAIN_LUA ? (int64_t)lua_offset * US : 0);

		snprintf(text, sizeof text, "%" PRId64, at);
		trace_set(m->t, TRACE_DATE, text);
	}
	trace_metric(m->t, METRIC_COUNT, state, METRIC_AT_ALL);
	trace_metric(m->t, METRIC_REQUESTED, state, METRIC_AT_ALL);
	trace_metric(m->t, METRIC_LIVE, state, METRIC_AT_ALL);
	m->thread = trace_thread(m->t, &(struct thread){.process = 1, .tid = 1});
	if (m->sink->begin(m->sink, m->t, &e))
		fail(e.msg);
}

static void push(struct made *m, const struct event *ev)
{
	struct err e = ERR_INIT;

	if (sink_event(m->sink, m->t, ev, &e))
		fail(e.msg);
}

static void end(struct made *m)
{
	struct err e = ERR_INIT;

	if (m->sink->end(m->sink, m->t, &e) || fclose(m->file))
		fail("cannot write");
	trace_free(m->t);
	writer_free(m->w);
}

static void push_frame(struct made *m, uint64_t number, int64_t time)
{
	if (!marks)
		return;
	push(m, &(struct event){.kind = EV_FRAME,
				.has = EV_HAS_VALUE | EV_HAS_TIME,
				.value = (int64_t)number,
				.time = time,
				.count = 1});
}

/* n blocks one ns after the other; the address of the first. */
static uint64_t push_blocks(struct made *m, uint32_t stack, uint64_t n, uint64_t size,
			    int64_t *time)
{
	uint64_t first = m->address;

	for (uint64_t i = 0; i < n; i++, m->address += 16384)
		push(m, &(struct event){.kind = EV_ALLOC,
					.has = EV_HAS_ADDRESS | EV_HAS_REQUESTED | EV_HAS_STACK |
					       EV_HAS_TIME | EV_HAS_DOMAIN | EV_HAS_THREAD,
					.domain = m->domain,
					.thread = m->thread,
					.address = m->address,
					.requested = size,
					.stack = stack,
					.time = (*time)++,
					.count = 1});
	return first;
}

static void push_frees(struct made *m, uint64_t first, uint64_t n, int64_t *time)
{
	for (uint64_t i = 0; i < n; i++)
		push(m, &(struct event){.kind = EV_FREE,
					.has = EV_HAS_ADDRESS | EV_HAS_TIME | EV_HAS_DOMAIN |
					       EV_HAS_THREAD,
					.domain = m->domain,
					.thread = m->thread,
					.address = first + i * 16384,
					.time = (*time)++,
					.count = 1});
}

static void push_marker(struct made *m, const char *name, int64_t time)
{
	uint32_t marker = trace_marker(m->t, &(struct marker){.name = trace_strz(m->t, name)});
	struct event ev = {.kind = EV_ENTER,
			   .has = EV_HAS_TYPE | EV_HAS_TIME | EV_HAS_THREAD,
			   .type = marker,
			   .thread = m->thread,
			   .time = time,
			   .count = 1};

	push(m, &ev);
	ev.kind = EV_EXIT;
	ev.time++;
	push(m, &ev);
}

static void write_native(void)
{
	struct made m;
	uint64_t before = 0, before_spike = 0;

	begin(&m, "native.tmt", "capture", DOMAIN_MALLOC);
	for (uint64_t i = 0; i < frames; i++) {
		int64_t time = starts[i];

		push_frame(&m, i, time++);
		if (i && !scratch)
			push_frees(&m, before, 10, &time);
		before = push_blocks(&m, stack_of(m.t, "update", "game.cpp", 10), 10, 100, &time);
		if (scratch)
			push_frees(&m, before, 10, &time);
		if (i == spike + 1 && spike != UINT64_MAX)
			push_frees(&m, before_spike, 2000, &time);
		if (i == spike)
			before_spike = push_blocks(
			    &m, stack_of(m.t, "compress_state", "save.cpp", 44), 2000, 1000, &time);
		if (leak)
			push_blocks(&m, stack_of(m.t, "add_particle", "particles.cpp", 7), leak, 64,
				    &time);
		if (i < frames / 20 && !scratch)
			push_blocks(&m, stack_of(m.t, "load_asset", "assets.cpp", 21), 10, 5000,
				    &time);
		if (sync_mark && i == 50)
			push_marker(&m, "sync level loaded", time);
	}
	end(&m);
}

static int64_t on_lua(int64_t time)
{
	return time + time / 1000000 * (int64_t)lua_ppm + (int64_t)lua_offset * US;
}

static void write_lua(void)
{
	struct made m;
	uint64_t before = 0, before_spike = 0;

	begin(&m, "lua.tmt", "capture.lua", DOMAIN_LUA);
	for (uint64_t i = 0; i < frames; i++) {
		int64_t time =
		    on_lua(starts[i]) + (lua_late ? (int64_t)draw((uint32_t)lua_late) * US : 0);

		push_frame(&m, i, time++);
		if (i)
			push_frees(&m, before, 5, &time);
		before = push_blocks(&m, stack_of(m.t, "on_tick", "game.lua", 12), 5, 40, &time);
		if (i == spike + 1 && spike != UINT64_MAX)
			push_frees(&m, before_spike, 3000, &time);
		if (i == spike)
			before_spike = push_blocks(&m, stack_of(m.t, "spawn_wave", "game.lua", 77),
						   3000, 50, &time);
	}
	end(&m);
}

/* --- texts --- */

static void write_csv(void)
{
	FILE *f = open_file("frames.csv");
	int64_t *own = starts;

	if (csv_other) {
		own = mem_array(frames + 1, sizeof *own);
		make_frames(own);
	}
	fprintf(f, "time_ns,frame,pss (B),temperature\n");
	for (uint64_t i = 0; i < frames; i++) {
		int64_t time = own[i] + (int64_t)csv_offset * US;

		time -= time % (int64_t)csv_step;
		fprintf(f, "%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", time, 1000 + i,
			100000000 + i * 64, 40 + i / 100);
	}
	if (fclose(f))
		fail("cannot write");
	if (csv_other)
		free(own);
}

static void say(FILE *f, int64_t time, const char *text)
{
	int64_t at = (zone ? 0 : 8 * 3600) + 12 * 3600 + (int64_t)date + time / S,
		ms = time % S / MS;
	int h = (int)(at / 3600 % 24), m = (int)(at / 60 % 60), s = (int)(at % 60);

	if (log_time)
		fprintf(f, "[%02d:%02d:%02d.%03d] %s\n", h, m, s, (int)ms, text);
	else
		fprintf(f, "2026-02-%02dT%02d:%02d:%02d.%03d%s %s\n", 3 + (int)(at / 86400), h, m,
			s, (int)ms, zone ? "Z" : "", text);
}

static void write_log(void)
{
	FILE *f = open_file("game.log");
	char text[64];

	say(f, 0, "INFO the game begins");
	for (uint64_t i = 0; i < frames; i++) {
		snprintf(text, sizeof text, "INFO checkpoint %" PRIu64, i / 100);
		if (i % 100 == 0)
			say(f, starts[i], text);
		if (i == 50 && sync_mark)
			say(f, starts[i], "INFO sync level loaded");
		if (i == jank)
			say(f, starts[i] + 10 * MS, "WARN loading level 3");
	}
	if (long_line)
		fprintf(f, "2026-02-03T12:00:59Z %05000d\n", 0);
	if (fclose(f))
		fail("cannot write");
}

int main(int argc, char **argv)
{
	const struct {
		const char *word;
		uint64_t *to;
	} options[] = {
	    {"--frames", &frames},       {"--jitter", &jitter},       {"--jank", &jank},
	    {"--spike", &spike},         {"--leak", &leak},           {"--scratch", &scratch},
	    {"--marks", &marks},         {"--wait", &wait},           {"--sampled", &sampled},
	    {"--long-line", &long_line}, {"--sync", &sync_mark},      {"--lua-offset", &lua_offset},
	    {"--lua-ppm", &lua_ppm},     {"--lua-late", &lua_late},   {"--csv-offset", &csv_offset},
	    {"--csv-step", &csv_step},   {"--csv-other", &csv_other}, {"--date", &date},
	    {"--dates", &dates},         {"--zone", &zone},           {"--log-time", &log_time},
	    {"--seed", &seed},
	};

	if (argc < 2)
		fail("no folder");
	folder = argv[1];
	for (int i = 2; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		bool known = false;

		for (size_t k = 0; k < sizeof options / sizeof *options; k++)
			if (!strcmp(argv[i], options[k].word))
				known = num_dec(value, strlen(value), options[k].to);
		if (!known)
			fail("options are --frames N and the like");
	}
	if (mkdir(folder, 0777) && errno != EEXIST)
		fail("cannot make the folder");
	random_state = seed;
	starts = mem_array(frames + 1, sizeof *starts);
	make_frames(starts);
	write_native();
	write_lua();
	if (marks)
		write_csv();
	write_log();
	free(starts);
	return 0;
}

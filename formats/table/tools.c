/* SPDX-License-Identifier: MIT
 *
 * Tables that tools write, a row a frame or a reading:
 *
 *  - PresentMon 1 and 2, and what writes the same columns: OCAT, CapFrameX's CSV, FrameView. Facts: its README files,
 *    and the tables of its own tests (GameTechDev/PresentMon, MIT).
 *  - Unreal's CSV profiler. Facts: files that it wrote, and Epic's public pages on it.
 *  - MangoHud's logs. Facts: files that it wrote.
 *  - Android's "dumpsys gfxinfo PACKAGE framestats". Facts: the page "Test UI performance" of Android's documentation.
 *  - PerfDog's exports: by description.
 *
 * And any table, by the words of tm-import --columns.
 */
#include "formats/table/table.h"

#include "lib/base/arena.h"
#include "lib/base/text.h"

#include <string.h>

#define MS  1000000
#define SEC 1000000000
#define LAST                                 \
	{                                    \
		NULL, TABLE_COUNTER, NULL, 0 \
	}

static const struct table_rule presentmon_rules[] = {
    {"ProcessID", TABLE_PROCESS, NULL, 0},
    {"SwapChainAddress", TABLE_PROCESS, NULL, 0},
    {"TimeInSeconds", TABLE_COUNTER, "s", 0},
    {"ms*", TABLE_COUNTER, "ms", 0},
    {"CPUStartTime", TABLE_COUNTER, "ms", 0},
    {"QPCTime", TABLE_LEFT_OUT, NULL, 0}, /* ticks of a clock whose rate is not told */
    {"TimeInQPC", TABLE_LEFT_OUT, NULL, 0},
    {"CPUStartQPC", TABLE_LEFT_OUT, NULL, 0},
    {"FrameTime", TABLE_COUNTER, "ms", 0},
    {"CPUBusy", TABLE_COUNTER, "ms", 0},
    {"CPUWait", TABLE_COUNTER, "ms", 0},
    {"GPUTime", TABLE_COUNTER, "ms", 0},
    {"GPUBusy", TABLE_COUNTER, "ms", 0},
    {"GPUWait", TABLE_COUNTER, "ms", 0},
    {"VideoBusy", TABLE_COUNTER, "ms", 0},
    {"*Latency", TABLE_COUNTER, "ms", 0},
    {"DisplayedTime", TABLE_COUNTER, "ms", 0},
    {"Animation*", TABLE_COUNTER, "ms", 0},
    LAST,
};

/* Names of Unreal have no units: those of its timings are ms. */
static const struct table_rule unreal_rules[] = {
    {"EVENTS", TABLE_EVENTS, NULL, 0},
    {"Exclusive/*", TABLE_COUNTER, "ms", 0},
    {"GPU/*", TABLE_COUNTER, "ms", 0},
    {"*Time", TABLE_COUNTER, "ms", 0},
    {"*Time_CriticalPath", TABLE_COUNTER, "ms", 0},
    {"*MB", TABLE_COUNTER, "MB", 0},
    LAST,
};

static const struct table_rule mangohud_rules[] = {
    {"fps", TABLE_COUNTER, "fps", 0},          {"*_load", TABLE_COUNTER, "%", 0},
    {"*_temp", TABLE_COUNTER, "\302\260C", 0}, {"*_power", TABLE_COUNTER, "W", 0},
    {"*_clock", TABLE_COUNTER, "MHz", 0},      {"cpu_mhz", TABLE_COUNTER, "MHz", 0},
    {"*_used", TABLE_COUNTER, "GB", 0},        {"process_rss", TABLE_COUNTER, "GB", 0},
    {"frametime", TABLE_COUNTER, "ms", MS},    LAST,
};

static const struct table_rule perfdog_rules[] = {
    {"num", TABLE_LEFT_OUT, NULL, 0},        {"Time(ms)", TABLE_BEGIN, NULL, MS},
    {"Abs_time*", TABLE_LEFT_OUT, NULL, 0},  {"AbsTime*", TABLE_LEFT_OUT, NULL, 0},
    {"Mono_time*", TABLE_LEFT_OUT, NULL, 0}, {"Label", TABLE_EVENTS, NULL, 0},
    {"FPS", TABLE_COUNTER, "fps", 0},        LAST,
};

/* The page says which rows count, and that the work on a frame takes from IntendedVsync to FrameCompleted: the frame
 * itself is there until the next one begins. */
static const struct table_rule framestats_rules[] = {
    {"Flags", TABLE_UNUSUAL, NULL, 0},
    {"IntendedVsync", TABLE_BEGIN, NULL, 1},
    {"FrameTimelineVsyncId", TABLE_LEFT_OUT, NULL, 0},
    {"InputEventId", TABLE_LEFT_OUT, NULL, 0},
    {"*Duration", TABLE_COUNTER, "ns", 0},
    {"FrameInterval", TABLE_COUNTER, "ns", 0},
    {"WorkloadTarget", TABLE_COUNTER, "ns", 0},
    {"*", TABLE_MOMENT, "ns", 0},
    LAST,
};

#define FRAMESTATS "Android's dumpsys gfxinfo framestats: a row a frame"
#define PRESENTMON "tables of PresentMon 1 and 2, OCAT, CapFrameX and FrameView: a row a frame"
#define UNREAL     "tables of Unreal's CSV profiler: a row a frame, events"
#define MANGOHUD   "logs of MangoHud: frames, or readings at its interval"
#define PERFDOG    "tables that PerfDog exports: a row a second"

static const struct table_tool tools[] = {
    {.name = "presentmon",
     .what = PRESENTMON,
     .marks = {"Application", "ProcessID", "SwapChainAddress"},
     .rules = presentmon_rules,
     .rows = TABLE_FRAMES,
     .axes = {{"MsBetweenPresents", MS, "TimeInSeconds", TABLE_END, SEC},
	      {"FrameTime", MS, "CPUStartTime", TABLE_BEGIN, MS},
	      {"MsBetweenAppStart", MS, "CPUStartTime", TABLE_BEGIN, MS}}},
    {.name = "unreal-csv",
     .what = UNREAL,
     .marks = {"FrameTime", "GameThreadTime"},
     .rules = unreal_rules,
     .rows = TABLE_FRAMES,
     .axes = {{"FrameTime", MS, NULL, TABLE_COUNTER, 0}},
     .header_at_end = true},
    {.name = "mangohud",
     .what = MANGOHUD,
     .marks = {"fps", "frametime", "cpu_load"},
     .rules = mangohud_rules,
     .rows = TABLE_EITHER,
     .axes = {{"frametime", MS, "elapsed", TABLE_END, 1}}},
    {.name = "framestats",
     .what = FRAMESTATS,
     .marks = {"Flags", "IntendedVsync", "FrameCompleted"},
     .rules = framestats_rules,
     .rows = TABLE_FRAMES,
     .from_first = true,
     .texts = true},
    {.name = "perfdog",
     .what = PERFDOG,
     .marks = {"num", "Label", "FPS"},
     .rules = perfdog_rules,
     .rows = TABLE_READINGS},
};

static const struct table_tool *tool_named(const char *name)
{
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

/* ---- words of tm-import --columns ---- */

enum { WORDS_MOST = 64 };

static const struct {
	const char *word;
	enum table_role role;
	bool time; /* with a unit */
} roles[] = {{"time", TABLE_BEGIN, true},        {"end", TABLE_END, true},
	     {"duration", TABLE_DURATION, true}, {"frame", TABLE_FRAME, false},
	     {"events", TABLE_EVENTS, false},    {"process", TABLE_PROCESS, false},
	     {"skip", TABLE_LEFT_OUT, false},    {"counter", TABLE_COUNTER, false}};

static const struct {
	const char *word;
	int64_t ns;
} units[] = {{"s", SEC}, {"ms", MS}, {"us", 1000}, {"ns", 1}};

struct mapping {
	struct arena arena;
	struct table_rule rules[WORDS_MOST + 1];
	size_t n, marks;
	struct table_tool tool;
};

/* One word: "time=Time:ms", "counter=load:%". */
static enum status add_word(struct mapping *m, const char *s, size_t n, struct err *e)
{
	const char *equals = memchr(s, '=', n), *colon = memrchr(s, ':', n);
	struct table_rule *r = &m->rules[m->n];
	bool time = false, known = false, given = false;

	for (size_t i = 0; equals && i < sizeof roles / sizeof *roles; i++)
		if (text_is(s, (size_t)(equals - s), roles[i].word)) {
			r->role = roles[i].role;
			time = roles[i].time;
			known = true;
		}
	if (!known || equals + 1 == s + n)
		return err_set(
		    e, ST_BAD,
		    "--columns: '%.*s' is not time=COLUMN:UNIT, end=, duration=, frame=COLUMN, "
		    "events=, process=, skip= or counter=COLUMN:UNIT",
		    (int)n, s);
	for (size_t i = 0; i < m->n && r->role != TABLE_COUNTER && r->role != TABLE_LEFT_OUT; i++)
		given |= m->rules[i].role == r->role;
	if (given)
		return err_set(e, ST_BAD, "--columns: '%.*s' is given twice", (int)(equals - s), s);
	if (m->n == WORDS_MOST)
		return err_set(e, ST_LIMIT, "--columns: more than %d words", WORDS_MOST);
	colon = colon && colon > equals ? colon : NULL;
	for (size_t i = 0; time && colon && i < sizeof units / sizeof *units; i++)
		if (text_is(colon + 1, (size_t)(s + n - colon) - 1, units[i].word))
			r->ns = units[i].ns;
	if (time && !r->ns)
		return err_set(e, ST_BAD, "--columns: '%.*s' does not end with :s, :ms, :us or :ns",
			       (int)n, s);
	if (r->role == TABLE_COUNTER && colon)
		r->unit = arena_strndup(&m->arena, colon + 1, (size_t)(s + n - colon) - 1);
	if (!time && r->role != TABLE_COUNTER)
		colon = NULL;
	r->name =
	    arena_strndup(&m->arena, equals + 1, (size_t)((colon ? colon : s + n) - equals) - 1);
	if (r->role != TABLE_LEFT_OUT && m->marks < TABLE_MARKS)
		m->tool.marks[m->marks++] = r->name;
	if (r->role == TABLE_DURATION)
		m->tool.axes[0] = (struct table_axis){r->name, r->ns, NULL, TABLE_COUNTER, 0};
	m->n++;
	return ST_OK;
}

enum {
	BEGIN_AND_END = 1 << TABLE_BEGIN | 1 << TABLE_END,
	ALL_TIMES = BEGIN_AND_END | 1 << TABLE_DURATION,
};

static unsigned roles_of(const struct mapping *m)
{
	unsigned known = 0;

	for (size_t i = 0; i < m->n; i++)
		known |= 1u << m->rules[i].role;
	return known;
}

/* Rows say how long they last: they are frames. */
static bool lasts(const struct mapping *m)
{
	unsigned known = roles_of(m);

	return known >> TABLE_DURATION & 1 || (known & BEGIN_AND_END) == BEGIN_AND_END;
}

static enum status read_mapped(struct import *im, const char *words, struct err *e)
{
	struct mapping m = {.n = 0};
	enum status st = ST_OK;

	for (const char *at = words, *to; !st && at && *at; at = to ? to + 1 : NULL) {
		to = strchr(at, ',');
		st = add_word(&m, at, to ? (size_t)(to - at) : strlen(at), e);
	}
	if (!st && (roles_of(&m) & ALL_TIMES) == ALL_TIMES)
		st = err_set(e, ST_BAD, "--columns: two of time=, end= and duration= are enough");
	m.tool.name = "table";
	m.tool.rules = m.rules;
	m.tool.rows = lasts(&m) ? TABLE_FRAMES : TABLE_READINGS;
	if (!st)
		st = table_read(im, &m.tool, e);
	arena_release(&m.arena);
	return st;
}

static enum status table_tools_read(struct import *im, struct err *e)
{
	const struct table_tool *tool = im->part ? tool_named(im->part->name) : NULL;
	const uint8_t *head;
	size_t n;

	if (im->options->table)
		return read_mapped(im, im->options->table, e);
	if (!tool) {
		n = cursor_available(&im->in->cur, 1);
		head = im->in->cur.pos;
		tool = table_tool_of(head, n, tools, sizeof tools / sizeof *tools);
	}
	if (!tool)
		return err_set(e, ST_BAD,
			       "the first lines have no header of a tool that is known: tm-import "
			       "--columns tells which columns are what");
	return table_read(im, tool, e);
}

static int table_tools_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return table_tool_of(head, n, tools, sizeof tools / sizeof *tools) ? 64 : 0;
}

#define TABLE_HAS (CAPABILITY_TIME | CAPABILITY_FRAMES | CAPABILITY_COUNTERS)

static const struct reader_part table_parts[] = {
    {"presentmon", TABLE_HAS, PRESENTMON},
    {"unreal-csv", TABLE_HAS, UNREAL},
    {"mangohud", TABLE_HAS, MANGOHUD},
    {"framestats", TABLE_HAS, FRAMESTATS},
    {"perfdog", CAPABILITY_TIME | CAPABILITY_COUNTERS, PERFDOG},
    {NULL, 0, NULL},
};

const struct reader reader_table = {
    .name = "table",
    .family = "Tables of frames",
    .page = "table",
    .capabilities = TABLE_HAS,
    .what = "a table as CSV, of PresentMon, Unreal or others, or any by tm-import --columns",
    .suffixes = "csv",
    .rewinds = true,
    .parts = table_parts,
    .cut = CUT_NEVER,
    .bid = table_tools_bid,
    .read = table_tools_read,
};

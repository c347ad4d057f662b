/* SPDX-License-Identifier: MIT
 *
 * Facts: unity3d-jp/ProfilerReader and a parser of 2022.3 files agree on the sizes of the parts; no
 * file was there to check them on.
 */
#include "formats/unity/stats.h"

#include "formats/unity/version.h"

#include <string.h>

enum { CLASSES_MAX = 4096, CHARTS = 9 };

static const uint8_t *words(struct unity_bytes *b, unsigned n)
{
	return unity_read_bytes(b, (uint64_t)n * 4);
}

void unity_stats_read(struct unity_bytes *b, uint32_t ordinal, struct unity_stats *s)
{
	s->memory = words(b, 33);
	words(b, 1);
	/* objects of each class: pairs up to a class of -1; the count before it is not reliable */
	for (unsigned i = 0; unity_u32(b) != UINT32_MAX && !b->cut; i++) {
		words(b, 1);
		if (i == CLASSES_MAX)
			b->cut = true;
	}
	words(b, 16);
	s->draw = words(b, 51);
	words(b, 15); /* physics */
	if (ordinal >= UNITY_PHYSICS2D)
		words(b, 23);
	words(b, 19); /* net operations, net messages */
	words(b, 20);
	words(b, ordinal >= UNITY_2019_3 ? 10 : 3); /* debug */
	words(b, 45);                               /* audio, video */
	words(b, 16);
	s->chart = words(b, 19);
	words(b, 19); /* what is selected of it */
	if (ordinal >= UNITY_UI_STATS)
		words(b, 10);
	words(b, ordinal >= UNITY_2018_3 ? 18 : 16); /* GI */
}

enum status unity_counter(struct unity_frames *f, uint32_t lane, const char *name, const char *unit,
			  int64_t value, uint64_t ticks, struct err *e)
{
	struct trace *t = f->im->t;
	const struct counter row = {trace_strz(t, name), trace_strz(t, unit)};
	const struct unity_item it = {.kind = UNITY_COUNTER,
				      .total = (uint64_t)value,
				      .start = ticks,
				      .thread = lane,
				      .node = trace_counter(t, &row)};

	return unity_frames_push(f, &it, ticks, e);
}

enum status unity_stats_push(struct unity_frames *f, uint32_t lane, const struct unity_stats *s,
			     uint64_t ticks, struct err *e)
{
	const struct {
		const uint8_t *part;
		const char *name, *unit;
		unsigned word, factor;
	} numbers[] = {
	    {s->memory, "unity.memory.total", "B", 0, 1024},
	    {s->memory, "unity.memory.mono", "B", 2, 1024},
	    {s->memory, "unity.memory.gc-allocs", "", 31, 1},
	    {s->memory, "unity.memory.gc", "B", 32, 1024},
	    {s->draw, "unity.draw.set-pass", "", 0, 1},
	    {s->draw, "unity.draw.batches", "", 1, 1},
	    {s->draw, "unity.draw.draw-calls", "", 2, 1},
	    {s->draw, "unity.draw.triangles", "", 3, 1},
	    {s->draw, "unity.draw.vertices", "", 4, 1},
	};
	static const char *const charts[CHARTS] = {
	    "unity.time.rendering", "unity.time.scripts", "unity.time.physics",
	    "unity.time.animation", "unity.time.gc",      "unity.time.vsync",
	    "unity.time.gi",        "unity.time.ui",      "unity.time.others"};
	enum status st = ST_OK;

	for (size_t i = 0; !st && i < sizeof numbers / sizeof *numbers; i++)
		st = unity_counter(f, lane, numbers[i].name, numbers[i].unit,
				   (int64_t)le32(numbers[i].part + (size_t)numbers[i].word * 4) *
				       numbers[i].factor,
				   ticks, e);
	for (size_t i = 0; !st && i < CHARTS; i++) {
		uint32_t bits = le32(s->chart + i * 4);
		float v;

		memcpy(&v, &bits, sizeof v);
		if (v >= 0 && v < 9e18f)
			st = unity_counter(f, lane, charts[i], "ns", (int64_t)v, ticks, e);
	}
	return st;
}

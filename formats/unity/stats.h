/* SPDX-License-Identifier: MIT
 *
 * The statistics of a frame: words of fixed layout in .data files, and, as far as is known, in
 * AllProfilerStats messages of streams. A few of them become counters:
 *
 *	unity.memory.total, unity.memory.mono, unity.memory.gc (B, from KiB)
 *	unity.memory.gc-allocs
 *	unity.draw.set-pass, .batches, .draw-calls, .triangles, .vertices
 *	unity.time.rendering, .scripts, .physics, .animation, .gc, .vsync, .gi, .ui, .others (ns)
 */
#ifndef TM_FORMATS_UNITY_STATS_H
#define TM_FORMATS_UNITY_STATS_H

#include "formats/unity/bytes.h"
#include "formats/unity/frames.h"

struct unity_stats {
	const uint8_t *memory, *draw, *chart; /* first words of these parts */
};

/* Steps over them; b->cut when they do not fit. */
void unity_stats_read(struct unity_bytes *b, uint32_t ordinal, struct unity_stats *s);
/* A counter of the trace at these ticks (0: no time), in the lane's frame. */
enum status unity_counter(struct unity_frames *f, uint32_t lane, const char *name, const char *unit,
			  int64_t value, uint64_t ticks, struct err *e);
enum status unity_stats_push(struct unity_frames *f, uint32_t lane, const struct unity_stats *s,
			     uint64_t ticks, struct err *e);

#endif

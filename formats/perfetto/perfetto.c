/* SPDX-License-Identifier: MIT
 *
 * Traces of Perfetto: packets, one behind the other, of any number of sources. What the reader makes of
 * them is in the files beside it, by kind.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- what a packet is, by pass --- */

static void remember_time(struct perfetto *x, const struct perfetto_packet *p)
{
	if (p->time.clock)
		perfetto_time_at(x, x->clocks.list[p->time.clock - 1].key, p->time.raw);
}

static void parse_thread_descriptor(struct perfetto *x, struct perfetto_seq *s, struct pb b)
{
	uint32_t pid = 0, tid = 0;
	int64_t reference = INT64_MIN;

	perfetto_thread_descriptor(x, b, &pid, &tid, &reference);
	if (!s)
		return;
	s->pid = pid;
	s->tid = tid;
	s->has_thread = true;
	if (reference != INT64_MIN)
		s->reference = reference;
}

static bool is_read(uint32_t number)
{
	static const uint8_t numbers[] = {PERFETTO_PROCESS_TREE,
					  PERFETTO_CLOCK_SNAPSHOT,
					  PERFETTO_PROCESS_STATS,
					  PERFETTO_TRACK_EVENT,
					  PERFETTO_PROFILE,
					  PERFETTO_PROCESS_DESCRIPTOR,
					  PERFETTO_THREAD_DESCRIPTOR,
					  PERFETTO_STREAMING_PROFILE,
					  PERFETTO_HEAP_GRAPH,
					  PERFETTO_TRACK_DESCRIPTOR,
					  PERFETTO_MODULE_SYMBOLS,
					  PERFETTO_DEOBFUSCATION,
					  PERFETTO_PERF_SAMPLE,
					  PERFETTO_STACK_SAMPLE,
					  PERFETTO_FTRACE,
					  PERFETTO_FRAME_TIMELINE,
					  PERFETTO_SYSTEM_STATS,
					  PERFETTO_BATTERY,
					  PERFETTO_LOG,
					  PERFETTO_GPU_COUNTERS};

	return number && memchr(numbers, (int)number, sizeof numbers);
}

static enum status perfetto_scan(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p, struct err *e)
{
	struct pb b = pb_of(&p->data), whole = b;
	struct pb_field f;
	uint32_t pid;

	while (is_read(p->data.number) && pb_next(&whole, &f))
		;
	if (whole.bad && !x->broken++)
		x->first_broken = p->offset;
	switch (p->data.number) {
	case PERFETTO_CLOCK_SNAPSHOT: perfetto_clock_snapshot(x, s, p->seq, b); break;
	case PERFETTO_PROCESS_TREE: perfetto_process_tree(x, b); break;
	case PERFETTO_PROCESS_DESCRIPTOR: perfetto_process_descriptor(x, b, &pid); break;
	case PERFETTO_THREAD_DESCRIPTOR: parse_thread_descriptor(x, s, b); break;
	case PERFETTO_TRACK_DESCRIPTOR: perfetto_track_descriptor(x, b); break;
	case PERFETTO_MODULE_SYMBOLS: perfetto_module_symbols(x, b); break;
	case PERFETTO_DEOBFUSCATION: perfetto_deobfuscation(x, b); break;
	case PERFETTO_HEAP_GRAPH: return perfetto_graph(x, s, p, e);
	case PERFETTO_TRACK_EVENT: return perfetto_track_event(x, s, p, e);
	case PERFETTO_PROFILE: perfetto_profile_scan(x, p); break;
	case PERFETTO_STREAMING_PROFILE:
		x->samples = true;
		return s ? perfetto_streaming_profile(x, s, p, e) : ST_OK;
	case PERFETTO_PERF_SAMPLE:
	case PERFETTO_STACK_SAMPLE:
		if (p->data.number == PERFETTO_STACK_SAMPLE)
			perfetto_stack_sample_scan(x, b);
		x->samples = true;
		remember_time(x, p);
		break;
	case PERFETTO_FTRACE: return perfetto_ftrace(x, p, e);
	case PERFETTO_FRAME_TIMELINE: perfetto_frame_timeline(x, p); break;
	case PERFETTO_GPU_COUNTERS: remember_time(x, p); return perfetto_gpu_counters(x, p, e);
	case PERFETTO_LOG: return perfetto_log(x, p, e);
	case PERFETTO_SYSTEM_STATS:
	case PERFETTO_BATTERY:
	case PERFETTO_PROCESS_STATS:
		x->counters = true;
		remember_time(x, p);
		break;
	}
	return ST_OK;
}

static enum status perfetto_make_events(struct perfetto *x, struct perfetto_seq *s,
					const struct perfetto_packet *p, struct err *e)
{
	switch (p->data.number) {
	case PERFETTO_CLOCK_SNAPSHOT:
		perfetto_clock_snapshot(x, s, p->seq, pb_of(&p->data));
		return ST_OK;
	case PERFETTO_THREAD_DESCRIPTOR:
		parse_thread_descriptor(x, s, pb_of(&p->data));
		return ST_OK;
	case PERFETTO_TRACK_EVENT: return perfetto_track_event(x, s, p, e);
	case PERFETTO_PROFILE: perfetto_profile(x, s, p); return ST_OK;
	case PERFETTO_PERF_SAMPLE: return perfetto_perf_sample(x, s, p, e);
	case PERFETTO_STREAMING_PROFILE: return s ? perfetto_streaming_profile(x, s, p, e) : ST_OK;
	case PERFETTO_STACK_SAMPLE: return perfetto_stack_sample(x, s, p, e);
	case PERFETTO_PROCESS_STATS: return perfetto_process_stats(x, p, e);
	case PERFETTO_SYSTEM_STATS: return perfetto_system_stats(x, p, e);
	case PERFETTO_BATTERY: return perfetto_battery(x, p, e);
	case PERFETTO_GPU_COUNTERS: return perfetto_gpu_counters(x, p, e);
	case PERFETTO_LOG: return perfetto_log(x, p, e);
	case PERFETTO_FTRACE: return perfetto_ftrace(x, p, e);
	case PERFETTO_FRAME_TIMELINE: perfetto_frame_timeline(x, p); return ST_OK;
	default: return ST_OK;
	}
}

enum status perfetto_dispatch(struct perfetto *x, const struct perfetto_packet *p, struct err *e)
{
	struct perfetto_seq *s = p->seq ? perfetto_seq_of(x, p->seq) : NULL;

	switch (x->pass) {
	case PERFETTO_SCAN: return perfetto_scan(x, s, p, e);
	case PERFETTO_EVENTS: return perfetto_make_events(x, s, p, e);
	default: return p->data.number == PERFETTO_HEAP_GRAPH ? perfetto_graph(x, s, p, e) : ST_OK;
	}
}

static enum status perfetto_walk(struct perfetto *x, enum perfetto_pass pass, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	enum status st = ST_OK;
	struct pb_field f;

	x->pass = pass;
	perfetto_seqs_release(x);
	x->graphs.packets = 0;
	x->graphs.numbered = 0;
	while (!st) {
		uint64_t offset = cursor_offset(c);

		st = pb_next_of(c, &f, "trace");
		if (!st && f.number == 1 && f.wire == PB_BYTES) {
			struct pb b = pb_of(&f);

			st = perfetto_on_packet(x, &b, offset, 0, e);
		} else if (!st) {
			x->others += pass == PERFETTO_SCAN;
		}
		if (pass == PERFETTO_GRAPHS && x->graphs.done)
			break;
	}
	return st == ST_NONE ? ST_OK : st;
}

/* --- notes --- */

/* Packets with something in them that no reader here takes. */
static void perfetto_note_kinds(const struct perfetto *x)
{
	static const struct {
		uint8_t number;
		const char *name;
	} kinds[] = {{4, "inodes"},
		     {5, "Chrome's old events"},
		     {40, "power rails"},
		     {49, "metatrace"},
		     {53, "GPU render stages"},
		     {57, "graphics frames"},
		     {62, "Vulkan memory"},
		     {63, "GPU log"},
		     {65, "Vulkan"},
		     {68, "smaps"},
		     {71, "GPU memory"},
		     {73, "Chrome's memory snapshots"},
		     {74, "single allocations"},
		     {75, "single frees"},
		     {77, "energy"},
		     {84, "statsd"},
		     {86, "Android properties"},
		     {88, "network"},
		     {92, "network"},
		     {93, "layers"},
		     {94, "transactions"},
		     {95, "ETW"},
		     {99, "V8 code"},
		     {100, "V8 code"},
		     {104, "protolog"},
		     {117, "kernel tasks"},
		     {118, "kernel frequencies"},
		     {129, "GPU frequencies"}};
	struct buf b = BUF_INIT;
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		uint64_t have = x->kinds[kinds[i].number];

		if (have)
			buf_addf(&b, "%s%s %" PRIu64, b.len ? ", " : "", kinds[i].name, have);
		n += have;
	}
	if (n)
		trace_note(x->im->t, NOTE_INFO, n, "packets of other sources were not read: %s",
			   buf_str(&b));
	buf_release(&b);
}

struct counted {
	uint64_t n;
	enum severity severity;
	const char *text;
};

static void add_counted(struct trace *t, const struct counted *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].n)
			trace_note(t, c[i].severity, c[i].n, "%s", c[i].text);
}

void perfetto_notes(struct perfetto *x)
{
	struct trace *t = x->im->t;
	const struct counted notes[] = {
	    {x->unneeded, NOTE_LOSS, "packets need data of their sequence that was lost: left out"},
	    {x->dropped, NOTE_LOSS, "times a sequence lost packets while it was recorded"},
	    {x->missing, NOTE_LOSS,
	     "references go to strings, mappings, frames or callstacks that are not in the "
	     "trace"},
	    {x->more_calls, NOTE_LOSS,
	     "calls above the limit of 65536 in a stack were left "
	     "out"},
	    {x->names.more_lines, NOTE_LOSS,
	     "lines above the limit of 1024 in a symbol were "
	     "left out"},
	    {x->names.more_packages, NOTE_LOSS,
	     "packages with obfuscated names above the limit of 64 were left out"},
	    {x->names.more_members, NOTE_LOSS,
	     "meanings above the limit of 1024 for an obfuscated name were left out"},
	    {x->names.more_inlined, NOTE_LOSS,
	     "lines of obfuscated code have more than 64 calls: the outer calls were left out"},
	    {x->names.ambiguous, NOTE_INFO,
	     "obfuscated names have several meanings, and no line decides: the first is used"},
	    {x->clocks.unreached, NOTE_GUESS,
	     "times are of a clock that no snapshot connects to the trace's clock: used "
	     "unchanged"},
	    {x->clocks.more, NOTE_LOSS, "times of clocks above the limit of 4096 were left out"},
	    {x->more_seqs, NOTE_LOSS,
	     "packets of sequences above the limit of 65536 were "
	     "left out"},
	    {x->others, NOTE_LOSS, "fields of the file are not packets and were left out"},
	    {x->graphs.more, NOTE_LOSS,
	     "packets of heap graphs above the limit of 64 were "
	     "left out"},
	};

	if (x->noted)
		return;
	x->noted = true;
	if (x->broken)
		trace_note(
		    t, NOTE_LOSS, x->broken,
		    "packets are damaged, and the rest of each was not read; the first is at "
		    "byte %" PRIu64,
		    x->first_broken);
	add_counted(t, notes, sizeof notes / sizeof *notes);
	perfetto_note_kinds(x);
}

static void note_samples(const struct perfetto *x)
{
	const struct counted notes[] = {
	    {x->lost_records, NOTE_LOSS,
	     "records were lost by the kernel because they were read too slowly"},
	    {x->skipped, NOTE_LOSS, "samples were skipped by the profiler: they have no stack"},
	    {x->weighed, NOTE_INFO,
	     "samples have weights that are not times: the weights "
	     "were not read"},
	};

	add_counted(x->im->t, notes, sizeof notes / sizeof *notes);
}

/* --- the whole --- */

static bool has_events(const struct perfetto *x)
{
	return x->calls || x->counters || x->samples || x->system.lines ||
	       x->kinds[PERFETTO_PROFILE];
}

static enum status perfetto_push_events(struct perfetto *x, struct err *e)
{
	struct import *im = x->im;
	enum status st, end = ST_OK;

	perfetto_heaps_metrics(x);
	if (x->calls)
		trace_metric(im->t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	else if (x->timed)
		trace_metric(im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	perfetto_sched_tracks(x);
	perfetto_tracks_ready(x);
	st = input_rewind(im->in);
	if (!st)
		st = import_begin(im, e);
	if (st)
		return st;
	st = x->walk(x, PERFETTO_EVENTS, e);
	/* A file that is cut ends earlier; what was known of its calls and heaps is sound. */
	if (!st || cursor_failed(&im->in->cur)) {
		struct err of_end = ERR_INIT;

		end = perfetto_tracks_end(x, &of_end);
		if (!end)
			end = perfetto_heaps_end(x, &of_end);
		if (end)
			*e = of_end;
	}
	note_samples(x);
	perfetto_notes(x);
	return end ? end : st;
}

static enum status perfetto_push_graphs(struct perfetto *x, struct err *e)
{
	struct perfetto_graphs *g = &x->graphs;
	enum status st = ST_OK;

	while (!st && g->now < g->n) {
		st = input_rewind(x->im->in);
		if (!st && (g->now || has_events(x)))
			st = import_next(x->im, e);
		if (!st)
			st = perfetto_graph_begin(x, e);
		g->done = false;
		if (!st)
			st = perfetto_walk(x, PERFETTO_GRAPHS, e);
		if (!g->done)
			perfetto_graph_end(x);
		g->now += !g->done;
		if (st && g->now < g->n && cursor_failed(&x->im->in->cur))
			st = ST_OK;
	}
	return st;
}

static enum status perfetto_read_all(struct perfetto *x, const char *empty, struct err *e)
{
	enum status st = x->walk(x, PERFETTO_SCAN, e);

	if (st && !cursor_failed(&x->im->in->cur) && st != ST_BAD && st != ST_LIMIT)
		return st;
	if (!x->packets)
		return st ? st : err_at(e, ST_BAD, 0, "%s", empty);
	perfetto_clocks_join(x);
	if (has_events(x) || !x->graphs.n) {
		st = perfetto_push_events(x, e);
		if (st && (!cursor_failed(&x->im->in->cur) || !x->graphs.n))
			return st;
	}
	return x->graphs.n ? perfetto_push_graphs(x, e) : st;
}

enum status perfetto_read_by(struct import *im, perfetto_walker *walk, const char *empty,
			     struct err *e)
{
	struct perfetto *x = mem_zalloc(sizeof *x);
	enum status st;

	x->im = im;
	x->walk = walk;
	x->blocks.im = im;
	x->clocks.primary = PERFETTO_BOOTTIME;
	st = perfetto_read_all(x, empty, e);
	perfetto_seqs_release(x);
	perfetto_clocks_release(&x->clocks);
	perfetto_names_release(&x->names);
	perfetto_tracks_release(&x->tracks);
	perfetto_android_release(&x->android);
	perfetto_sched_release(&x->sched);
	perfetto_system_release(&x->system);
	perfetto_heaps_release(&x->heaps);
	perfetto_graphs_release(&x->graphs);
	map64_release(&x->module_ids);
	buf_release(&x->unpacked);
	buf_release(&x->text);
	free(x->places);
	free(x->plain);
	free(x);
	return st;
}

static enum status perfetto_read(struct import *im, struct err *e)
{
	return perfetto_read_by(im, perfetto_walk, "the file has no Perfetto packet", e);
}

/* --- whose file it is --- */

/* Fields of a packet that are numbers; those of one byte are most of what there is. */
static bool is_number(uint32_t number)
{
	static const uint8_t numbers[] = {3, 8, 10, 13, 41, 42, 58, 79, 87, 98};

	for (size_t i = 0; i < sizeof numbers; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* False: some field is not of a packet. known: of those whose number and kind are certain. */
static bool packet_fits(struct pb b, unsigned *known, bool *marked)
{
	static const uint8_t mark[] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
				       0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};
	struct pb_field f;

	while (pb_next(&b, &f)) {
		if (f.number > 1999 || f.wire == PB_FIXED32 || f.wire == PB_FIXED64 ||
		    (f.wire == PB_VARINT) != is_number(f.number))
			return false;
		*known += f.number < PERFETTO_DATA;
		*marked |= f.number == 36 && f.n == sizeof mark && !memcmp(f.s, mark, sizeof mark);
	}
	return !b.bad;
}

/* A first packet that is longer than the head. */
static bool long_packet(const uint8_t *head, size_t n)
{
	struct pb b = {head + 1, head + n, false};
	struct pb_field f = {0};
	unsigned known = 0;

	pb_varint(&b);
	while (pb_next(&b, &f))
		known += (f.wire == PB_VARINT) == is_number(f.number) && f.number < PERFETTO_DATA
			     ? 1
			     : 100;
	return known < 100 && f.number && f.number < PERFETTO_DATA && !is_number(f.number) &&
	       f.wire == PB_BYTES && (known || f.value > n);
}

static int perfetto_bid(const uint8_t *head, size_t n, bool whole)
{
	struct pb b = {head, head + n, false};
	unsigned packets = 0, known = 0, misfits = 0;
	bool marked = false;
	struct pb_field f = {0};

	while (pb_next(&b, &f)) {
		if (f.number != 1 || f.wire != PB_BYTES)
			return 0;
		packets++;
		misfits += !packet_fits(pb_of(&f), &known, &marked);
	}
	/* The head's end cuts a packet; of a first one that is longer, what there is must do. */
	if ((b.bad && (f.number != 1 || f.wire != PB_BYTES)) || misfits * 4 > packets)
		return 0;
	if (b.bad && !packets && !whole && f.value)
		return long_packet(head, n) ? 16 : 0;
	if (marked)
		return 120;
	if (packets - misfits > 1 && known > 4)
		return misfits ? 20 : 40;
	return packets && known && !misfits ? 16 : 0;
}

const struct reader reader_perfetto = {
    .name = "perfetto",
    .family = "Perfetto",
    .page = "perfetto",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_THREADS | CAPABILITY_FRAMES | CAPABILITY_COUNTERS |
		    CAPABILITY_OBJECTS | CAPABILITY_REFERENCES | CAPABILITY_ADDRESSES |
		    CAPABILITY_BUILD_IDS,
    .what = "traces of Perfetto: heap profiles, heap graphs, slices, scheduling, counters, "
	    "samples, frames, logs",
    .suffixes = "pftrace,perfetto-trace",
    .rewinds = true,
    .guesses = true,
    .cut = CUT_NEVER, /* names come after what they name */
    .bid = perfetto_bid,
    .read = perfetto_read,
};

/* SPDX-License-Identifier: MIT
 *
 * Internal to the reader of Perfetto's traces. Numbers and meanings of fields: google/perfetto,
 * protos/perfetto/trace and protos/third_party/android/art at ec5d16b1 (August 2026).
 *
 * The file is walked at least twice. The first time (PERFETTO_SCAN) finds what names stand behind what
 * they name: clocks, threads and processes, tracks, types of heap graphs, symbols, mappings of obfuscated
 * names. The second makes events, the others a capture for each heap graph.
 */
#ifndef TM_FORMATS_PERFETTO_PERFETTO_H
#define TM_FORMATS_PERFETTO_PERFETTO_H

#include "formats/emit.h"
#include "lib/base/buf.h"
#include "lib/base/decimal.h"
#include "lib/input/protobuf.h"

/* Bounds of ours; what is beyond them is counted. */
enum {
	PERFETTO_CLOCKS_MOST = 4096,
	PERFETTO_GRAPHS_MOST = 64,
	PERFETTO_STACK_MOST = 65536,
	PERFETTO_LINES_MOST = 1024,
	PERFETTO_PACKAGES_MOST = 64,
	PERFETTO_INLINED_MOST = 64, /* calls of a line in obfuscated code */
	PERFETTO_EXTRA_MOST = 32,
	PERFETTO_SUPERS_MOST = 1024,       /* classes above a class */
	PERFETTO_UNPACKED_MOST = 16 << 20, /* writers keep packed ones below 512 KiB */
	PERFETTO_SEQS_MOST = 1 << 16,
};

enum perfetto_pass { PERFETTO_SCAN, PERFETTO_EVENTS, PERFETTO_GRAPHS };

/* A number of the field of struct TracePacket. */
enum perfetto_data {
	PERFETTO_FTRACE = 1,
	PERFETTO_PROCESS_TREE = 2,
	PERFETTO_CLOCK_SNAPSHOT = 6,
	PERFETTO_SYSTEM_STATS = 7,
	PERFETTO_PROCESS_STATS = 9,
	PERFETTO_TRACK_EVENT = 11,
	PERFETTO_PROFILE = 37,
	PERFETTO_BATTERY = 38,
	PERFETTO_LOG = 39,
	PERFETTO_PROCESS_DESCRIPTOR = 43,
	PERFETTO_THREAD_DESCRIPTOR = 44,
	PERFETTO_GPU_COUNTERS = 52,
	PERFETTO_STREAMING_PROFILE = 54,
	PERFETTO_HEAP_GRAPH = 56,
	PERFETTO_TRACK_DESCRIPTOR = 60,
	PERFETTO_MODULE_SYMBOLS = 61,
	PERFETTO_DEOBFUSCATION = 64,
	PERFETTO_PERF_SAMPLE = 66,
	PERFETTO_FRAME_TIMELINE = 76,
	PERFETTO_STACK_SAMPLE = 135,
	PERFETTO_DATA = 136,
};

enum {
	PERFETTO_REALTIME = 1,
	PERFETTO_MONOTONIC = 3,
	PERFETTO_MONOTONIC_COARSE = 4,
	PERFETTO_BOOTTIME = 6
};

struct perfetto_time {
	uint32_t clock; /* index + 1; 0: there is no time */
	int64_t raw;    /* of that clock, ns */
};

struct perfetto_packet {
	struct pb_field data; /* number 0: none that counts */
	struct pb_field interned, defaults;
	uint64_t timestamp, offset; /* offset: in the file */
	uint32_t seq, clock, flags, dropped;
	bool has_time, has_clock, cleared;
	struct perfetto_time time;
};

/* --- clocks (perfetto_clock.c) --- */

struct perfetto_clock {
	uint64_t key;     /* of a sequence: with its number above 32 bits */
	int64_t unit;     /* ns */
	bool used, steps; /* steps: times are since the last one of the sequence */
	uint32_t next;    /* index + 1 of the clock by which it comes to the trace's; 0: none */
	int64_t least;    /* of what was read; used says that there is one */
	struct perfetto_pair {
		int64_t from, to;
	} * pairs; /* by from, in order; to is of next */
	size_t n_pairs, cap_pairs;
};

struct perfetto_clocks {
	struct perfetto_clock *list;
	size_t n, cap;
	struct map64 by_key; /* -> index + 1 */
	struct perfetto_reading {
		uint32_t snapshot, clock;
		int64_t at;
	} * readings;
	size_t n_readings, cap_readings;
	uint32_t snapshots;
	uint64_t primary;   /* key of the trace's clock */
	int64_t start;      /* of the trace's clock, where times begin */
	uint64_t unreached; /* times of clocks that no snapshot joins to it */
	uint64_t more;
};

/* --- sequences (perfetto_packet.c) --- */

enum perfetto_state { PERFETTO_NEW, PERFETTO_VALID, PERFETTO_LOST };

enum perfetto_text {
	PERFETTO_FUNCTION,
	PERFETTO_BUILD_ID,
	PERFETTO_PATH,
	PERFETTO_SOURCE,
	PERFETTO_CATEGORY,
	PERFETTO_EVENT_NAME,
	PERFETTO_TEXTS
};

struct perfetto_frame {
	uint64_t function, mapping, pc, source;
	uint32_t line;
	bool has_pc;
	uint32_t first,
	    n;        /* locations in struct perfetto's places, callers first; n 0: not made yet */
	uint8_t kind; /* enum location_kind that they were made with */
};

struct perfetto_tables {                    /* interned data, of a sequence or of one profile */
	struct map64 texts[PERFETTO_TEXTS]; /* -> string of the trace */
	struct map64 mapping_ids, frame_ids, callstack_ids; /* -> index + 1 */
	struct perfetto_mapping {
		uint64_t build_id;
		size_t first, n;       /* pieces of the path in ids */
		uint32_t module, path; /* of the trace */
		bool made;
	} * mappings;
	size_t n_mappings, cap_mappings;
	struct perfetto_frame *frames;
	size_t n_frames, cap_frames;
	struct perfetto_callstack {
		size_t first, n; /* frames in ids, callers first */
		uint32_t stack;  /* of the trace + 1; 0: not made yet */
		bool partial;    /* a frame of it is not there */
	} * callstacks;
	size_t n_callstacks, cap_callstacks;
	uint64_t *ids;
	size_t n_ids, cap_ids;
	struct map64 task_ids, weight_ids; /* -> index + 1 of pairs */
	struct perfetto_pair_of {
		uint64_t first, second; /* process and thread; unit and factor */
	} * pairs;
	size_t n_pairs, cap_pairs;
};

struct perfetto_row { /* of a profile whose stacks may stand behind it */
	uint64_t callstack, v[4];
	uint32_t owner;
	bool counted, most;
};

struct perfetto_seq {
	uint32_t id, clock; /* clock: default of packets, key; 0: none */
	uint8_t state;
	bool has_track, inlined; /* inlined: the profile has tables of its own */
	uint64_t track;          /* default of events */
	uint64_t unit, factor;   /* default of weights of samples */
	/* Tracks of counters beside events, where those do not say: of whole numbers, of others. */
	uint64_t extra[PERFETTO_EXTRA_MOST], doubles[PERFETTO_EXTRA_MOST];
	uint32_t n_extra, n_doubles;
	int64_t reference; /* us, of MONOTONIC: of old events */
	uint32_t pid, tid;
	bool has_thread;
	uint64_t step_clock; /* key */
	int64_t step;        /* ns: where it is */
	uint64_t profile;    /* number of the last packet of a profile, + 1 */
	uint32_t session;    /* of profiles */
	uint32_t graph;      /* index + 1 of the heap graph that is not over */
	struct perfetto_tables *tables, *own;
	struct map64 sums; /* of counters that come as differences: track -> index + 1 of values */
	decimal *values;
	size_t n_values, cap_values;
	struct perfetto_row *rows;
	size_t n_rows, cap_rows;
};

/* --- names (perfetto_names.c) --- */

struct perfetto_line {
	uint32_t function, file, line;
};

struct perfetto_names {
	struct intern strings;           /* of ours: those of a trace end with its capture */
	struct map64 processes, threads; /* pid; pid << 32 | tid: -> string */
	struct map64 symbols;            /* hash of module and address -> index + 1 */
	struct perfetto_symbol {
		size_t first;
		uint32_t n;
	} * symbols_list;
	size_t n_symbols, cap_symbols;
	struct perfetto_line *lines; /* inlined calls first */
	size_t n_lines, cap_lines;
	uint32_t packages[PERFETTO_PACKAGES_MOST];
	uint32_t n_packages;
	struct map64 classes; /* hash -> string */
	struct map64 members; /* hash -> index + 1 of the first of its name */
	struct map64 members_seen;
	struct perfetto_member {     /* what an obfuscated field or method stands for */
		uint32_t name, next; /* next: index + 1 of the next one of the same; 0: none */
		uint32_t from, to;   /* lines of the obfuscated; to 0: and all that follow */
		uint32_t source, source_to;
		uint32_t last, n; /* of the first: index + 1 of the last, and how many there are */
		bool ranged;      /* it has from */
		bool several;     /* of the first: their names differ, and that is not counted */
	} * member_list;
	size_t n_members, cap_members;
	uint64_t more_packages, more_lines, more_members, more_inlined, ambiguous;
};

/* --- tracks (perfetto_track.c) --- */

struct perfetto_call {
	int64_t ts, end; /* end: of a complete one; else INT64_MAX */
	uint32_t track, marker;
	bool ends;
	bool waits; /* a time off the processor, which counts in another call only */
};

struct perfetto_track {
	uint64_t uuid, parent;
	uint32_t name, unit_name; /* strings of ours */
	uint32_t pid, tid;
	bool has_pid, has_tid, is_counter, steps, mixed;
	uint8_t unit, builtin;
	int64_t factor;
	uint32_t counter, thread; /* of the trace; 0: not yet */
	struct perfetto_time last_seen;
	uint32_t seq;
	bool seen;
	int64_t last;
	struct perfetto_open {
		int64_t end;
		uint32_t marker;
	} * open;
	size_t n_open, cap_open;
	/* When there were calls, in order; of a thread of which the scheduler tells. */
	struct perfetto_span {
		int64_t from, to;
	} * spans;
	size_t n_spans, cap_spans;
};

struct perfetto_tracks {
	struct perfetto_track *list;
	size_t n, cap;
	struct map64 by_uuid; /* -> index + 1 */
	struct perfetto_call *calls;
	size_t n_calls, cap_calls;
	uint32_t *stacks; /* by marker */
	size_t n_stacks, cap_stacks;
	uint64_t unmatched, unended, clipped, instants, asyncs, no_number, unknown_counters,
	    no_time;
};

/* --- what Android's system traces have (perfetto_android.c) --- */

struct perfetto_android {
	struct map64 asyncs; /* hash of process, name and cookie -> index + 1 of begins */
	struct perfetto_begin {
		int64_t ts;
		bool open;
	} * begins;
	size_t n_begins, cap_begins;
	struct map64 cookies; /* of frames that are not over -> index + 1 of frames */
	struct perfetto_timeline_frame {
		int64_t start, end, token;
		uint32_t surface, jank;
		bool actual, over;
	} * frames;
	size_t n_frames, cap_frames;
	/* Complete calls that may overlap, of tracks that are split where they do. */
	struct perfetto_call *overlapping;
	size_t n_overlapping, cap_overlapping;
	struct map64 surface_ids; /* hash of process and layer -> index + 1 */
	struct perfetto_surface {
		uint32_t pid, layer; /* layer: string of ours, 0: of the display */
		uint64_t frames;     /* actual ones */
	} * surfaces;
	size_t n_surfaces, cap_surfaces;
	uint64_t prints, others, odd, unended, unmatched, instants;
};

/* --- when threads ran (perfetto_sched.c) --- */

struct perfetto_sched {
	struct map64 pids,
	    comms;             /* of tid: process; name, as the kernel cuts it, a string of ours */
	struct map64 threads;  /* tids of which the scheduler tells */
	struct map64 track_of; /* tid -> index + 1 of the track of its calls */
	struct map64 running[2]; /* by pass: processor -> tid */
	struct perfetto_sched_event {
		int64_t ts;
		uint32_t tid, what;
	} * events;
	size_t n_events, cap_events;
	struct perfetto_run {
		int64_t from, to;
		uint32_t tid;
	} * runs; /* by thread and time */
	size_t n_runs, cap_runs;
	uint64_t open, lost;
	bool seen;
};

struct perfetto_switch {
	uint32_t prev, next, state; /* tids, 0: none, or not known; why prev went off */
	const void *prev_comm, *next_comm;
	size_t n_prev_comm, n_next_comm;
};

/* --- of the whole machine (perfetto_system.c) --- */

struct perfetto_system {
	struct map64 gpu_names, gpu_units; /* of GPU and counter: strings of ours */
	uint64_t lines;                    /* of the log */
};

/* --- profiles of heaps (perfetto_heap.c) --- */

struct perfetto_heaps {
	struct perfetto_owner {     /* a heap of a process */
		uint32_t pid, name; /* string of the trace; 0: none */
		int64_t time;
		bool has_time, art;
	} * owners;
	size_t n_owners, cap_owners;
	struct map64 owner_ids; /* -> index + 1 */
	struct perfetto_sum {
		uint64_t v[4]; /* bytes, bytes freed, blocks, blocks freed */
		uint32_t owner, stack;
		bool counted;
	} * sums;
	size_t n_sums, cap_sums;
	struct map64 sum_ids;
	struct perfetto_dump {
		uint32_t owner;
		int64_t time;
		uint64_t stamp, live;
	} * dumps;
	size_t n_dumps, cap_dumps;
	uint64_t rejected, disconnected, overran, corrupted, guardrail, errors, huge, lost, most;
	bool sampled, late;
};

/* --- heap graphs (perfetto_graph.c) --- */

struct perfetto_type {
	uint64_t super, location;
	uint32_t name; /* string of ours */
	uint8_t kind;
	uint64_t size;
	size_t first, n; /* fields in ids */
};

struct perfetto_graph {
	uint32_t pid;
	struct perfetto_time time;
	uint64_t first, last; /* numbers of packets */
	bool over, lost;
	struct map64 type_ids, fields, places; /* -> index + 1; strings of ours */
	struct perfetto_type *types;
	size_t n_types, cap_types;
	uint64_t *ids;
	size_t n_ids, cap_ids;
	uint64_t index; /* of the next packet */
};

struct perfetto_graphs {
	struct perfetto_graph *list;
	size_t n, cap;
	uint64_t more;    /* packets of graphs beyond the bound */
	uint64_t packets; /* of the pass */
	/* of the graph that is being read */
	uint32_t now, numbered; /* index; how many began in this pass */
	uint64_t last_id;
	struct map64 type_of; /* type's index -> of the trace */
	uint64_t unknown_types, no_fields, zero, natives, odd;
	bool done;
	uint64_t *refs;
	size_t n_refs, cap_refs, n_names;
	uint64_t *names;
	size_t cap_names;
};

struct perfetto;
/* All events of a file, of which a pass takes what it is for. */
typedef enum status perfetto_walker(struct perfetto *x, enum perfetto_pass pass, struct err *e);

struct perfetto {
	struct import *im;
	perfetto_walker *walk; /* for graphs: none; they are of packets */
	enum perfetto_pass pass;
	struct perfetto_clocks clocks;
	struct perfetto_names names;
	struct perfetto_tracks tracks;
	struct perfetto_android android;
	struct perfetto_sched sched;
	struct perfetto_system system;
	struct perfetto_heaps heaps;
	struct perfetto_graphs graphs;
	struct emit_blocks blocks;
	struct perfetto_seq *seqs;
	size_t n_seqs, cap_seqs;
	struct map64 seq_ids, module_ids;
	uint32_t *places; /* locations of the trace */
	size_t n_places, cap_places;
	struct buf unpacked, text;
	struct perfetto_plain {
		uint32_t name, line; /* string of the trace; of the source, 0: not known */
		bool same_class;     /* as the obfuscated method's, so its file is */
	} * plain;
	size_t n_plain, cap_plain;
	uint64_t kinds[PERFETTO_DATA]; /* packets, by the number of what they have */
	uint64_t packets, broken, first_broken, unneeded, dropped, missing, more_calls, others,
	    lost_records, more_seqs, skipped, weighed;
	bool calls, counters, samples, timed; /* what there is */
	bool noted;
};

/* Reads the file in the passes; empty: what is said of one without events. */
enum status perfetto_read_by(struct import *im, perfetto_walker *walk, const char *empty,
			     struct err *e);
/* A sequence, borrowed until the next one comes; NULL: beyond the bound. */
struct perfetto_seq *perfetto_seq_of(struct perfetto *x, uint32_t id);
/* A packet: its state, then what the pass does with it. */
enum status perfetto_on_packet(struct perfetto *x, const struct pb *message, uint64_t offset,
			       unsigned depth, struct err *e);
enum status perfetto_dispatch(struct perfetto *x, const struct perfetto_packet *p, struct err *e);
/* What is to be said of the file; of the first capture that ends. */
void perfetto_notes(struct perfetto *x);
/* What a weight of a sample is: its unit (of StackSample) and factor. */
struct perfetto_weight {
	uint64_t unit, factor;
};
enum { PERFETTO_UNIT_NS = 1 };
struct perfetto_weight perfetto_weight_of(struct pb b);
/* Sequences begin anew with a pass. */
void perfetto_seqs_release(struct perfetto *x);

uint32_t perfetto_clock_of(struct perfetto *x, uint64_t key); /* index + 1; 0: too many */
void perfetto_clock_snapshot(struct perfetto *x, struct perfetto_seq *s, uint32_t seq, struct pb b);
/* When the scan is over. */
void perfetto_clocks_join(struct perfetto *x);
/* Of a packet, by its clock; of old events. The scan remembers the first of each. */
struct perfetto_time perfetto_time_at(struct perfetto *x, uint64_t key, int64_t raw);
/* ns since the start; false: there is no such. */
bool perfetto_ns(struct perfetto *x, struct perfetto_time at, int64_t *ns);
/* The same, as events have it. */
static inline struct known_number perfetto_known_ns(struct perfetto *x, struct perfetto_time at)
{
	int64_t ns;
	bool is = perfetto_ns(x, at, &ns);

	return KNOWN_IF(is, ns);
}
void perfetto_clocks_release(struct perfetto_clocks *c);

/* Interned data into tables; of_profile: fields have the numbers that a profile gives them. */
void perfetto_intern(struct perfetto *x, struct perfetto_tables *k, struct pb b, bool of_profile);
void perfetto_tables_clear(struct perfetto_tables *k);
void perfetto_tables_free(struct perfetto_tables *k);
/* The trace's stack of a callstack; false: it, or a part of it, is not there. */
bool perfetto_stack(struct perfetto *x, struct perfetto_tables *k, uint64_t id, uint8_t kind,
		    uint32_t *stack);
uint32_t perfetto_thread(struct perfetto *x, uint32_t pid, uint32_t tid);
uint32_t perfetto_process(struct perfetto *x, uint32_t pid); /* as a thread without number */

uint32_t perfetto_name(struct perfetto *x, const void *s, size_t n);
uint32_t perfetto_string(struct perfetto *x, uint32_t name); /* of ours as the trace's */
void perfetto_process_tree(struct perfetto *x, struct pb b);
void perfetto_process_descriptor(struct perfetto *x, struct pb b, uint32_t *pid);
void perfetto_thread_descriptor(struct perfetto *x, struct pb b, uint32_t *pid, uint32_t *tid,
				int64_t *reference);
/* The bytes of a build-id that is text, as Chrome writes it, of which 0: it is none; bytes has room for
 * PERFETTO_BUILD_ID_MOST. Of Windows they are those of Breakpad. */
enum { PERFETTO_BUILD_ID_MOST = 32 };
size_t perfetto_plain_build_id(bool windows, const char *s, size_t n, uint8_t *bytes);
void perfetto_module_symbols(struct perfetto *x, struct pb b);
void perfetto_deobfuscation(struct perfetto *x, struct pb b);
const struct perfetto_symbol *perfetto_symbol_of(struct perfetto *x, uint32_t path,
						 uint32_t build_id, uint64_t pc);
/* A Java function or class as its source calls it, in x->text; false: it is as it is. place: the path of
 * the file that it is in. */
bool perfetto_plain_function(struct perfetto *x, const char *s, size_t n, const char *place);
/* What a method is at a line that is its own in the obfuscated code, with the calls that were inlined there:
 * in plain of x, innermost first. Returns how many; 0: no range has the line. */
size_t perfetto_plain_calls(struct perfetto *x, const char *s, size_t n, const char *place,
			    uint32_t line);
bool perfetto_plain_class(struct perfetto *x, const char *s, size_t n, const char *place);
bool perfetto_plain_field(struct perfetto *x, const char *s, size_t n, const char *place);
void perfetto_names_release(struct perfetto_names *n);

/* Of what is no number, or too large: no reading. */
#define PERFETTO_NO_READING ((decimal)((unsigned __int128)1 << 127))

/* The track, which may be new. */
struct perfetto_track *perfetto_track_of(struct perfetto *x, uint64_t uuid);
enum status perfetto_push_value(struct perfetto *x, struct perfetto_seq *s, uint64_t uuid,
				decimal value, struct perfetto_time at, struct err *e);
enum status perfetto_ftrace(struct perfetto *x, const struct perfetto_packet *p, struct err *e);
/* The text that a thread printed into the kernel's trace. */
enum status perfetto_atrace(struct perfetto *x, const char *s, size_t n, uint32_t tid,
			    struct perfetto_time at, struct err *e);
void perfetto_frame_timeline(struct perfetto *x, const struct perfetto_packet *p);
/* Before the calls that were kept are pushed: frames, and the calls of their timelines. */
enum status perfetto_android_end(struct perfetto *x, struct err *e);
void perfetto_android_release(struct perfetto_android *a);

/* Which process a thread is of, and what the kernel calls it. */
void perfetto_thread_pid(struct perfetto *x, uint32_t tid, uint32_t pid);
void perfetto_comm(struct perfetto *x, uint32_t tid, const void *comm, size_t n);
void perfetto_sched_switch(struct perfetto *x, const struct perfetto_switch *w,
			   struct perfetto_time at);
/* The thread, which waited, may run. */
void perfetto_sched_ready(struct perfetto *x, uint32_t tid, struct perfetto_time at);
void perfetto_event_switch(struct perfetto *x, struct pb b, struct perfetto_time at);
void perfetto_event_ready(struct perfetto *x, struct pb b, struct perfetto_time at);
void perfetto_compact_sched(struct perfetto *x, struct pb b, uint32_t cpu, int64_t to_boot);
/* Between the passes: the track of each thread. */
void perfetto_sched_tracks(struct perfetto *x);
/* Times off the processor join the calls that were kept. */
void perfetto_sched_waits(struct perfetto *x);
/* When the calls are pushed: times on the processor that are in none. */
enum status perfetto_sched_runs(struct perfetto *x, struct err *e);
void perfetto_sched_release(struct perfetto_sched *s);

/* A clock's rate: "cpu" 3. */
enum status perfetto_clock_rate(struct perfetto *x, const char *of, uint32_t number,
				const char *unit, uint64_t value, struct perfetto_time at,
				struct err *e);
enum status perfetto_event_frequency(struct perfetto *x, bool gpu, struct pb b,
				     struct perfetto_time at, struct err *e);
enum status perfetto_event_thermal(struct perfetto *x, struct pb b, struct perfetto_time at,
				   struct err *e);
enum status perfetto_system_stats(struct perfetto *x, const struct perfetto_packet *p,
				  struct err *e);
enum status perfetto_battery(struct perfetto *x, const struct perfetto_packet *p, struct err *e);
enum status perfetto_gpu_counters(struct perfetto *x, const struct perfetto_packet *p,
				  struct err *e);
enum status perfetto_log(struct perfetto *x, const struct perfetto_packet *p, struct err *e);
void perfetto_system_release(struct perfetto_system *s);

void perfetto_track_descriptor(struct perfetto *x, struct pb b);
void perfetto_tracks_ready(struct perfetto *x);
enum status perfetto_track_event(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p, struct err *e);
enum status perfetto_tracks_end(struct perfetto *x, struct err *e);
enum status perfetto_process_stats(struct perfetto *x, const struct perfetto_packet *p,
				   struct err *e);
void perfetto_tracks_release(struct perfetto_tracks *t);

void perfetto_profile_scan(struct perfetto *x, const struct perfetto_packet *p);
void perfetto_profile(struct perfetto *x, struct perfetto_seq *s, const struct perfetto_packet *p);
void perfetto_profile_flush(struct perfetto *x, struct perfetto_seq *s);
void perfetto_heaps_metrics(struct perfetto *x);
enum status perfetto_heaps_end(struct perfetto *x, struct err *e);
void perfetto_heaps_release(struct perfetto_heaps *h);

enum status perfetto_perf_sample(struct perfetto *x, struct perfetto_seq *s,
				 const struct perfetto_packet *p, struct err *e);
enum status perfetto_streaming_profile(struct perfetto *x, struct perfetto_seq *s,
				       const struct perfetto_packet *p, struct err *e);
enum status perfetto_stack_sample(struct perfetto *x, struct perfetto_seq *s,
				  const struct perfetto_packet *p, struct err *e);

void perfetto_stack_sample_scan(struct perfetto *x, struct pb b);

enum status perfetto_graph(struct perfetto *x, struct perfetto_seq *s,
			   const struct perfetto_packet *p, struct err *e);
/* Before a graph's first packet: its capture. */
enum status perfetto_graph_begin(struct perfetto *x, struct err *e);
void perfetto_graph_end(struct perfetto *x);
void perfetto_graphs_release(struct perfetto_graphs *g);

#endif

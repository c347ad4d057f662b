/* SPDX-License-Identifier: MIT
 *
 * Internal to the reader of perf.data: the state shared by the parts that read attributes,
 * features, maps and samples. Facts: perf.data-file-format.txt and uapi/linux/perf_event.h of
 * Linux, the comments of simpleperf's record_file_format.h and record_file.proto, and files of
 * both.
 */
#ifndef TM_FORMATS_PERF_PERF_DATA_H
#define TM_FORMATS_PERF_PERF_DATA_H

#include "formats/perf/perf_events.h"
#include "formats/reader.h"

/* Bounds of ours; what is beyond them is counted. */
enum {
	PERF_ATTRS_MOST = 1024,
	PERF_IDS_MOST = 1 << 20,      /* of all events */
	PERF_MAPS_MOST = 16384,       /* mappings of a process */
	PERF_MAPS_ALL = 4 << 20,      /* of all that run */
	PERF_STACK_MOST = 65536,      /* addresses of a sample */
	PERF_FEATURE_MOST = 64 << 20, /* bytes of a feature that is read */
	PERF_NAMES_MOST = 16 << 20,   /* functions that simpleperf names */
};

/* Record types, and bits of header.misc. */
enum {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_THROTTLE = 5,
	PERF_UNTHROTTLE = 6,
	PERF_FORK = 7,
	PERF_READ = 8,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_AUX = 11,
	PERF_ITRACE_START = 12,
	PERF_LOST_SAMPLES = 13,
	PERF_KSYMBOL = 17,
	PERF_KINDS = 22, /* of the kernel's */
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_EVENT_TYPE = 65,
	PERF_HEADER_TRACING_DATA = 66,
	PERF_HEADER_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_EVENT_UPDATE = 78,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_FINISHED_INIT = 82,
	PERF_COMPRESSED2 = 83,
	PERF_SIMPLE = 32768, /* simpleperf's own, whose sizes have 32 bits */
	PERF_SIMPLE_KERNEL_SYMBOL = PERF_SIMPLE + 1,
	PERF_SIMPLE_SPLIT = PERF_SIMPLE + 4,
	PERF_SIMPLE_SPLIT_END = PERF_SIMPLE + 5,
	PERF_SIMPLE_EVENT_ID = PERF_SIMPLE + 6,

	PERF_MISC_CPUMODE = 7,
	PERF_MISC_COMM_EXEC = 1 << 13,
	PERF_MISC_FORK_EXEC = 1 << 13,
	PERF_MISC_MMAP_BUILD_ID = 1 << 14,
	PERF_MISC_BUILD_ID_SIZE = 1 << 15,
};

enum perf_mode { PERF_KERNEL = 1, PERF_USER, PERF_HYPERVISOR, PERF_GUEST_KERNEL, PERF_GUEST_USER };

/* Bits of an attribute's sample_type, in the order of sample fields but for IDENTIFIER, the first. */
enum perf_field {
	PERF_HAS_IP = 1 << 0,
	PERF_HAS_TID = 1 << 1,
	PERF_HAS_TIME = 1 << 2,
	PERF_HAS_ADDR = 1 << 3,
	PERF_HAS_READ = 1 << 4,
	PERF_HAS_CALLCHAIN = 1 << 5,
	PERF_HAS_ID = 1 << 6,
	PERF_HAS_CPU = 1 << 7,
	PERF_HAS_PERIOD = 1 << 8,
	PERF_HAS_STREAM_ID = 1 << 9,
	PERF_HAS_BRANCH_STACK = 1 << 11,
	PERF_HAS_STACK_USER = 1 << 13,
	PERF_HAS_IDENTIFIER = 1 << 16,
};

struct perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format;
	bool freq, sample_id_all;
	uint32_t name;    /* string; 0: none yet */
	uint32_t kind;    /* in events + 1; 0: not sampled yet */
	uint64_t samples; /* those of an event beyond all kinds too */
};

/* A file, or what else is mapped. */
struct perf_dso {
	uint32_t name, build_id; /* strings */
	uint32_t module;         /* 0: not needed yet */
	bool anonymous;          /* its addresses are those of the process */
	bool whole;              /* of the kernel itself */
	bool unlinked;           /* of a kernel module, whose sections lie where they like */
	uint64_t lo, hi;         /* its last mapping */
	uint32_t names;          /* of simpleperf's + 1 */
};

struct perf_maps { /* of processes that have forked and mapped nothing since, too */
	struct perf_map {
		uint64_t lo, hi, offset;
		uint32_t dso; /* index */
		bool jit;     /* its names are by runtime address */
	} * items;            /* ascending, apart from each other */
	size_t n, cap;
	uint32_t users;
	uint64_t version; /* no two that differ have the same */
};

/* What simpleperf knows of a file. */
struct perf_file {
	uint32_t path; /* string */
	uint32_t type;
	uint64_t min_vaddr, offset; /* of the executable segment; offset UINT64_MAX: not given */
	size_t first, n;            /* in functions */
};

struct perf_function {
	uint64_t lo, hi;
	uint32_t name;
};

struct perf_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *p; /* behind the header */
	size_t n;
	uint64_t at; /* its place in the file, for messages */
};

struct perf_data {
	struct import *im;
	bool big_endian, pipe, simpleperf;
	struct perf_events events;

	/* perf_attr.c */
	struct perf_attr *attrs;
	size_t n_attrs, cap_attrs;
	struct map64 ids; /* of events -> index + 1 */
	uint64_t more_attrs;

	/* perf_feature.c */
	struct map64 build_ids; /* string of a path -> string of bytes */
	struct perf_file *files;
	size_t n_files, cap_files;
	struct perf_function *functions;
	size_t n_functions, cap_functions;
	struct map64 file_of_path; /* string -> index + 1 */
	uint64_t skipped[4];       /* features that are not read, by bit */
	uint64_t broken_features;
	bool is_x86_64;

	/* perf_map.c */
	struct perf_dso *dsos;
	size_t n_dsos, cap_dsos;
	struct intern dso_keys; /* id - 1 is the index */
	struct perf_maps *kernel;
	struct perf_process {
		uint32_t pid;
		uint32_t threads; /* that are known */
		struct perf_maps *maps;
	} * processes;
	size_t n_processes, cap_processes;
	struct map64 process_of; /* pid -> index + 1 */
	struct perf_thread {
		uint32_t pid, comm;
		uint32_t row; /* of the trace; 0: not needed yet */
	} * threads;
	size_t n_threads, cap_threads;
	struct map64 thread_of; /* tid -> index + 1 */
	uint32_t *free_processes, *free_threads;
	size_t n_free_processes, cap_free_processes, n_free_threads, cap_free_threads;
	uint64_t maps_version, maps_all, more_maps, kernel_guessed;
	struct perf_function *kernel_functions; /* by runtime address */
	size_t n_kernel_functions, cap_kernel_functions;
	bool kernel_unsorted;

	/* perf_sample.c */
	struct map64 stacks; /* hash of a chain and what it depends on -> stack + 1 */
	uint32_t *line;
	size_t n_line, cap_line;
	int64_t start;
	bool begun, has_start;
	uint64_t samples, odd, lost, lost_samples, throttled, unknown_attr, guests, unmapped,
	    more_calls, unwound, branches, groups, no_period, raw_traces, aux;

	/* perf_data.c */
	uint64_t others, first_other; /* records of kinds that are not read, and one of them */
};

/* --- perf_attr.c --- */

/* An attribute as it is in a file, c just before it; c is then behind it. false: it makes no
 * sense. */
bool perf_attr_add(struct perf_data *x, struct cursor *c, size_t size);
void perf_attr_id(struct perf_data *x, uint64_t id, size_t attr);
/* Of a sample (c at its fields) or of another record (c at its end): NULL: of none that is known. */
struct perf_attr *perf_attr_of_sample(struct perf_data *x, const struct perf_record *r);
/* The time behind another record's fields; 0: it has none. */
uint64_t perf_time_of_other(const struct perf_data *x, const struct perf_record *r);
uint64_t perf_time_of_sample(const struct perf_data *x, const struct perf_record *r);
/* Its name, made of its numbers where the file has none. */
uint32_t perf_attr_name(struct perf_data *x, struct perf_attr *a);
void perf_attr_named(struct perf_data *x, uint64_t id, const char *s, size_t n);
bool perf_attr_is_clock(const struct perf_attr *a);

/* --- perf_feature.c --- */

/* bit: the feature's number. The bytes are those of its section or record. */
void perf_feature(struct perf_data *x, unsigned bit, struct cursor *c);
void perf_build_id(struct perf_data *x, struct cursor *c, uint16_t misc);
void perf_features_note(struct perf_data *x);
/* The function that simpleperf says is at a place of a file; 0: it does not say. */
uint32_t perf_function_at(struct perf_data *x, const struct perf_dso *dso, const struct perf_map *m,
			  uint64_t ip);
/* Lines of /proc/kallsyms. */
void perf_kallsyms(struct perf_data *x, const char *s, size_t n);

/* --- perf_map.c --- */

void perf_on_mmap(struct perf_data *x, const struct perf_record *r);
void perf_on_comm(struct perf_data *x, const struct perf_record *r);
void perf_on_fork(struct perf_data *x, const struct perf_record *r);
void perf_on_exit(struct perf_data *x, const struct perf_record *r);
void perf_on_ksymbol(struct perf_data *x, const struct perf_record *r);
struct perf_process *perf_process(struct perf_data *x, uint32_t pid);
/* The trace's row of a thread. */
uint32_t perf_thread_row(struct perf_data *x, uint32_t pid, uint32_t tid);
/* A location of the trace; process may be NULL. */
uint32_t perf_location(struct perf_data *x, const struct perf_process *process, uint64_t ip,
		       enum perf_mode mode, uint8_t kind);
void perf_maps_release(struct perf_data *x);

/* --- perf_sample.c --- */

enum status perf_on_sample(struct perf_data *x, const struct perf_record *r, struct err *e);
void perf_samples_note(struct perf_data *x);

/* A cursor over a record's fields, whose errors are not reported. */
static inline struct cursor perf_fields(const struct perf_data *x, const struct perf_record *r,
					struct err *own)
{
	struct cursor c;

	cursor_init(&c, r->p, r->n, r->at, own);
	c.big_endian = x->big_endian;
	return c;
}

static inline uint64_t perf_word(const struct perf_data *x, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return x->big_endian ? __builtin_bswap64(v) : v;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The times at which the threads of a uftrace capture were off the processor. They are in the files
 * perf-cpuN.dat next to its records, as the kernel's records of perf_event (linux/perf_event.h): u32 type, u16
 * misc, u16 size of all. Of them PERF_RECORD_SWITCH (14) counts: misc bit 13 off the processor, else back on it,
 * bit 14 because another thread had to run; after it u32 pid, u32 tid, u64 time on the clock of the records.
 *
 * A time off is a call without a function, "linux:schedule", in the call that waits, as uftrace's
 * own reports have it: so it is no function's self time. Memory: 16 bytes for each switch, up to
 * SWITCHES_MAX.
 */
#ifndef TM_FORMATS_INSTRUMENT_UFTRACE_SWITCHES_H
#define TM_FORMATS_INSTRUMENT_UFTRACE_SWITCHES_H

#include "formats/instrument/uftrace.h"

enum { SWITCHES_MAX = 1 << 22 };

struct uftrace_switch {
	uint64_t time;
	uint32_t tid;
	bool off, preempted;
};

struct uftrace_switches {
	struct uftrace_switch *all; /* by thread and time */
	size_t n, cap;
	uint64_t beyond, broken; /* switches that are not kept; files that end in the middle */
};

/* No files: none. */
void uftrace_switches_read(struct uftrace_switches *s, const struct uftrace *u);
/* The first of a thread from a time on; s->n and others' behind its last. */
size_t uftrace_switches_from(const struct uftrace_switches *s, uint64_t tid, uint64_t time);
void uftrace_switches_release(struct uftrace_switches *s);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Internal to the reader of uftrace's data directories (github.com/namhyung/uftrace, doc and code
 * of 0.13; tried on output of Debian's package): the contents of task.txt and sid-*.map.
 *
 *	info        header: "Ftrace!\0", version, features; then lines
 *	task.txt    SESS, TASK, FORK and DLOP lines of key=value
 *	sid-ID.map  what a session had mapped, as in /proc/PID/maps, with build-ids behind the paths
 *	NAME.sym    symbols of a module (uftrace_symbols.h); of a second one of that name NAME-XXXX.sym
 *	NAME.dbg    lines of its functions, where they were asked for
 *	TID.dat     records of a thread
 *	perf-cpuN.dat   when threads were off a processor (uftrace_switches.h)
 *
 * A session is one image of a process: exec begins another. It is an epoch of the module map, and
 * sessions count through all processes, so that an address and its epoch say what it is.
 */
#ifndef TM_FORMATS_INSTRUMENT_UFTRACE_H
#define TM_FORMATS_INSTRUMENT_UFTRACE_H

#include "formats/instrument/uftrace_symbols.h"
#include "formats/reader.h"

struct uftrace_module {
	uint64_t lo, hi;
	uint32_t epoch;
	struct uftrace_symbols *symbols; /* NULL: none */
};

struct uftrace_session {
	uint64_t time; /* ns of the capture's clock */
	uint32_t pid;
	char id[24];
};

struct uftrace_task {
	uint64_t tid, pid;
};

struct uftrace {
	struct import *im;
	char *folder;
	uint64_t features;
	struct uftrace_session *sessions; /* [i] is epoch i; by time */
	size_t n_sessions, cap_sessions;
	struct uftrace_task *tasks;
	size_t n_tasks, cap_tasks;
	struct map64 parents;  /* pid -> the one that forked it, + 1 */
	struct map64 seen;     /* tid -> 1, by a fork; 2, by a task */
	struct uftrace_start { /* a thread that has a number which another had */
		uint64_t tid, time;
	} * starts; /* by tid and time */
	size_t n_starts, cap_starts;
	struct uftrace_module *modules;
	size_t n_modules, cap_modules;
	struct map64 symbol_files; /* hash of a path and build-id -> place in files + 1 */
	struct uftrace_symbols **files;
	size_t n_files, cap_files;
	uint64_t refused, guessed_ends;
};

/* Opens a file of the folder. */
enum status uftrace_open(const struct uftrace *u, struct input *in, const char *name, char **path,
			 struct err *e);
/* task.txt, and with it the maps and symbols. */
enum status uftrace_tasks(struct uftrace *u, struct err *e);
/* When the number of a thread goes to another one, after a time; UINT64_MAX: never. */
uint64_t uftrace_next_start(const struct uftrace *u, uint64_t tid, uint64_t after);
/* The session of a process at a time. */
uint32_t uftrace_epoch(const struct uftrace *u, uint64_t pid, uint64_t time);
const struct uftrace_module *uftrace_module_at(const struct uftrace *u, uint32_t epoch,
					       uint64_t address);
void uftrace_release(struct uftrace *u);

enum { UFTRACE_SYM_REL_ADDR = 1 << 5 };

#endif

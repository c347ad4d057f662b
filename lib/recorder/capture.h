/* SPDX-License-Identifier: MIT
 *
 * The runtime's core: what a thread does with an allocation, and the one writer. It knows nothing
 * of how the program's calls are caught (hooks/); tests use it without hooks.
 *
 * A thread takes a block's stack, interns it, takes a number and puts a record into its ring.
 * The holder of cap.writing is the writer: the helper thread every CAP_TICK_MS or when a ring is
 * half full, a thread whose ring is full, and the thread that ends the process. Nothing in here
 * calls malloc; the C library does, with the hooks off, when the helper is started.
 *
 * Bounded: CAP_RINGS rings, CAP_NODES nodes of stacks, CAP_MODULES modules, CAP_LIVE sampled
 * blocks, CAP_NAMES names. What does not fit is counted, and a note of loss in the trace reports
 * it; a slow output makes the program wait, or with drop=1 lose events, counted too.
 */
#ifndef TM_RECORDER_CAPTURE_H
#define TM_RECORDER_CAPTURE_H

#include "lib/recorder/base/blocks.h"
#include "lib/recorder/base/live.h"
#include "lib/recorder/base/mappings.h"
#include "lib/recorder/base/modules.h"
#include "lib/recorder/base/output.h"
#include "lib/recorder/base/settings.h"
#include "lib/recorder/code.h"
#include "lib/recorder/origin.h"
#include "lib/recorder/ring.h"
#include "lib/recorder/shadow.h"
#include "lib/recorder/stacks/pcs.h"
#include "lib/recorder/stacks/stacks.h"

#include <pthread.h>
#include <stddef.h>

enum {
	CAP_PROGRAM_MAX = 64,
	CAP_TICK_MS = 50,
	CAP_NAMES = 4096,
	CAP_NAME_MAX = 128,
	CAP_NAME_SLOTS = 8192
};

/* Entries of the functions that are open, innermost first; how many. */
typedef int (*cap_backtrace)(void **entry, int max);

enum cap_state { CAP_UNSTARTED, CAP_ON, CAP_DONE };

struct cap_name {
	char text[CAP_NAME_MAX];
	const char *unit;
	uint32_t string, counter, type; /* rows of the trace; 0: not yet */
};

/* By size, not by subject: the analyzer counts what padding there is. */
struct capture {
	struct cap_rings rings; /* first: it is aligned */
	int64_t start;          /* ns of the monotonic clock */
	void (*loaded)(void);   /* called by the helper when modules have come; NULL: nothing */
	void (*ticked)(void);   /* called by the helper at each tick; NULL: nothing */
	_Atomic cap_backtrace
	    engine_unwind;           /* get_stack_backtrace of an engine that has its own hooks */
	_Atomic uint64_t unready;    /* before the C library had an environment */
	_Atomic uint64_t nested;     /* from signal handlers inside the runtime */
	_Atomic uint64_t waited;     /* names whose lock was given up */
	_Atomic uint64_t dropped;    /* slow output */
	_Atomic uint64_t nameless;   /* what has no room for its name */
	_Atomic uint64_t no_numbers; /* readings of counters */
	_Atomic uint64_t guessed; /* stacks in which a script's functions are at a guessed place */
	_Atomic uint64_t
	    unscripted;       /* stacks, blocks and calls of scripts that there was no memory for */
	_Atomic uint64_t old; /* frees of blocks from before the recording */
	_Atomic(const char *) presents; /* the function at whose calls frames begin; NULL: none */
	struct cap_outcome *outcome;    /* NULL: not wanted */
	uint32_t *generation;           /* the writer's: of thread numbers, by tid */
	uint8_t *columns;               /* the writer's: room for events; NULL: none yet */
	uint64_t date;                  /* the writer's: of time 0, ns since 1970 */
	int64_t flushed;                /* the writer's: nothing older waits to be written */
	int64_t drained;                /* the writer's: when it last emptied the rings */
	int64_t rounded;                /* the writer's: the last event's time */
	struct cap_pcs pcs;             /* the writer's */
	struct cap_mappings mappings;
	struct cap_code code;
	struct cap_stacks_table stacks;
	struct cap_modules modules;
	struct cap_settings settings;
	struct cap_output out; /* the writer's */
	struct cap_live live;
	struct cap_live own;             /* what was allocated with CAP_OWN and is not freed */
	struct cap_blocks blocks;        /* the writer's; of a recording that began in the middle */
	struct cap_name name[CAP_NAMES]; /* [0] unused */
	char program[CAP_PROGRAM_MAX]; /* what was started, cut; a child of fork has its parent's */
	char path[CAP_PATH_MAX + CAP_PROGRAM_MAX + 16]; /* of the output; "": not known */
	struct cap_origin origin;
	const char *original; /* 1, and 0 in a copy of the process; NULL: not known */
	_Atomic int state;    /* enum cap_state */
	struct cap_lock writing, starting, naming;
	uint32_t pid;
	_Atomic uint32_t n_names;
	_Atomic uint32_t wake_futex;                /* the helper sleeps on it */
	uint32_t nodes;                             /* written */
	uint32_t epoch;                             /* of the locations in pcs */
	struct cap_seen seen;                       /* the writer's: of that epoch */
	_Atomic uint16_t name_slot[CAP_NAME_SLOTS]; /* by hash; 0: free */
	bool some;                                  /* not every block: threshold or sampling */
	_Atomic bool owned;                         /* own is made */
	_Atomic bool picks;                         /* some or owned: a free may be none of ours */
	_Atomic bool scripted;                      /* a script says its calls */
	_Atomic bool helped;                        /* there is a helper */
	_Atomic bool ready;                         /* the process is far enough for one */
};

extern struct capture cap;

/* depth: we know; we are writing a record; an engine's hooks asked for it; what is allocated is a
 * profiler's, whose free will not be recorded either, wherever it comes */
enum { CAP_QUIET = 1, CAP_BUSY = 2, CAP_IGNORED = 4, CAP_OWN = 8 };
/* Where a hook was called from, for the stack. */
struct cap_where {
	const void *frame, *caller, *cfa;
};
#define CAP_HERE                                                                     \
	((struct cap_where){__builtin_frame_address(0), __builtin_return_address(0), \
			    __builtin_dwarf_cfa()})

/* An operator new that has not returned yet. */
struct cap_new {
	struct cap_where where;
	size_t size,
	    most; /* what it was asked for, and what it may make of that for an allocator */
	const void *block; /* what the newest allocation inside of it gave */
	unsigned depth;    /* of cap_self when it began */
	bool open;
};

struct cap_self {
	struct cap_ring *ring;
	unsigned depth; /* not 0: nothing that this thread does is recorded */
	struct cap_new outer;
	const void *freed; /* inside of an operator delete: what has been recorded as freed */
	struct script_stack *scripts; /* script.h; NULL: no script has run in this thread */
};
extern __thread struct cap_self cap_self __attribute__((tls_model("initial-exec")));

/* Begins to record as the settings say; false: not this process, no output, or no memory. */
bool cap_start(const struct cap_settings *s);
void cap_settings_apply(const struct cap_settings *s);
/* The descriptor that the settings name for this process; -1: none. Sets cap.path. */
int cap_output_open(const struct cap_settings *s);
/* What is written so far reaches the output. False: another thread is writing and does not end. */
bool cap_flush(void);
/* Ends the trace with its totals; note may be NULL. Nothing is recorded any more. */
void cap_finish(const char *note);
/* Goes on behind cap_finish with another capture in the same output: an exec has failed. */
void cap_resume(void);
/* As cap_start, in a process that may have been recorded before. */
bool cap_start_late(const struct cap_settings *s);
/* In a copy of the process that no handler of fork has heard of (_Fork, the system call): nothing
 * is recorded from then on, and true. Asked wherever what the helper has locked may be waited for.
 */
bool cap_is_forked_copy(void);
void cap_original(void); /* this one is no copy */
void cap_fork_prepare(void);
void cap_fork_parent(void);
void cap_fork_child(void);
/* Around what a profiler allocates for itself, or frees: what cap_self.depth was, to be given back. */
static inline unsigned cap_own_begin(void)
{
	unsigned depth = cap_self.depth;

	cap_self.depth = depth | CAP_QUIET | CAP_OWN;
	return depth;
}
/* Before and after modules have changed. */
void cap_modules_look(void);
/* Addresses have another meaning from now on. */
void cap_addresses_forget(void);

/* An allocation that is not recorded since its size is below the threshold, or no sample falls on
 * it, which is nearly all of them: so this is tested before anything else. */
static inline bool cap_passes(size_t size)
{
	struct cap_ring *ring = cap_self.ring;

	if (!cap.some || cap_self.depth || !ring)
		return false;
	if (size < cap.settings.threshold)
		return true;
	if (!cap.settings.sample || ring->until <= 0 || size >= (uint64_t)ring->until)
		return false;
	ring->until -= (int64_t)size;
	return true;
}
/* An allocation that succeeded; before the program knows of it. */
void cap_alloc(const void *p, size_t requested, size_t real, unsigned domain,
	       struct cap_where where);
/* The same of a mapping: of the stack of the one that it remains of, or 0: of where. Returns the stack. */
uint32_t cap_alloc_mapping(const void *p, size_t requested, size_t real, uint32_t stack,
			   struct cap_where where);
/* The same of a block of a type, which may be NULL; its real size is not known. */
void cap_alloc_typed(const void *p, size_t requested, unsigned domain, const char *type,
		     struct cap_where where);
/* Before a block is given back. */
void cap_free(const void *p, unsigned domain);
/* Around a realloc: cap_move says whether the old block was recorded, and takes the number of its
 * free, which is written by cap_moved when the new block is there (NULL: it stays). */
struct cap_move {
	uint64_t seq;
	const void *old;
	bool on, own;
};
struct cap_move cap_move(const void *p);
void cap_moved(const struct cap_move *m, const void *p, size_t requested, size_t real,
	       struct cap_where where);
/* An allocation of a managed heap, of which an address is not known. Never sampled. */
void cap_typed(const char *type, size_t requested, size_t real, struct cap_where where);
/* The thread is about to end: what it is called now. */
void cap_thread_ends(void);
/* A frame; name may be NULL. */
void cap_mark_frame(const char *name, int64_t number);
/* The next frame, for a program that does not mark its frames; false: it does, and nothing is recorded. */
bool cap_mark_frame_found(void);
/* A counter's reading: whole + fraction / 10^18. */
void cap_mark_reading(const char *name, const char *unit, int64_t whole, uint64_t fraction);

/* A line of the program's log (cap_log_line); severity: enum tracemill_severity. */
void cap_mark_line(unsigned severity, const char *text, size_t n);

/* The thread's ring, with room for n records and one more, until cap_close; NULL: nothing is
 * recorded. */
struct cap_ring *cap_open(unsigned n);
void cap_close(const struct cap_ring *ring);
/* How many records n bytes of text take. */
static inline unsigned cap_text_records(size_t n)
{
	return (unsigned)((n + CAP_TEXT_MAX - 1) / CAP_TEXT_MAX);
}
/* In calls.c: the text of the record that comes next, at most CAP_TEXTS bytes. The ring has room. */
void cap_put_text(struct cap_ring *ring, const char *text, size_t n);
/* In names.c: the row of a name, made if missing; 0: there is no room, which is counted. */
uint32_t cap_name_id(const char *text, const char *unit);
/* The record of an allocation between cap_open and cap_close. stack: 0 is that of where. Returns it; 0: not
 * recorded. */
uint32_t cap_put_alloc(struct cap_ring *ring, const void *p, size_t requested, size_t real,
		       unsigned domain, uint32_t name, uint32_t stack, struct cap_where where);
/* An object of a managed heap, with this stack. */
void cap_put_typed(struct cap_ring *ring, const char *type, size_t requested, size_t real,
		   uint32_t stack);
/* In walk.c: the number of the stack of an allocation. */
uint32_t cap_stack_of(struct cap_ring *ring, struct cap_where where);
/* Of n locations those that are kept: what is beyond is counted. */
unsigned cap_within_depth(struct cap_ring *ring, unsigned n);
/* In script.c: ring->pc, n locations with ring->sp, with the thread's open functions of scripts as
 * ring->joined; how many, at most max. here: the stack pointer of the block's caller. */
unsigned cap_script_join(struct cap_ring *ring, uintptr_t here, unsigned n, unsigned max);
/* The same by libgcc's unwinder, from caller on; what it allocates is its own. */
unsigned cap_walk_tables(const void *caller, uint64_t *pc, unsigned max);
/* Before the program's own code: the unwinder, if the settings ask for it, binds what it calls. */
void cap_walk_begin(void);
/* In shadow.c: the stack of an allocation by the shadow stack, or an engine's own. entry and pc
 * have room for max. */
unsigned cap_shadow_of(struct cap_where where, void **entry, uint64_t *pc, unsigned max);

/* In writer.c: what the rings hold goes to the output; the caller holds cap.writing. */
void cap_write_begin(int fd);
enum cap_write { CAP_WRITE_KNOWN, CAP_WRITE_ALL, CAP_WRITE_FLUSH };
/* Known: only what was there when the modules were last looked at; what came since may be of another
 * module, at the addresses of one that went. */
void cap_write(enum cap_write what);
void cap_write_end(const char *end); /* a note, or NULL */
/* What was lost so far does not count in the next capture. */
void cap_losses_forget(void);
/* A line in standard error, as it was when cap_log_open was called: not into a file that the
 * program has opened under that number since. error is an errno. */
void cap_log(const char *what, int error);
void cap_log_open(void);
/* In helper.c. */
void cap_helper_start(void);
/* When it is back there is no such thread, for the kernel neither. */
void cap_helper_stop(void);
void cap_helper_wake(void);

int64_t cap_now(void);
static inline bool cap_on(void)
{
	return atomic_load_explicit(&cap.state, memory_order_relaxed) == CAP_ON;
}

#endif

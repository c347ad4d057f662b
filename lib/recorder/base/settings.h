/* SPDX-License-Identifier: MIT
 *
 * The settings of the capture runtime, which tm-record passes in the environment variable
 * TRACEMILL_CAPTURE: words "key=value" separated by spaces; out=PATH, which is the last, takes the
 * rest. Nothing here allocates.
 *
 *   pid=N          only this process is recorded (and with children=1 those it makes)
 *   fd=N           the output is open there; inherited, so that an exec goes on with it
 *   inode=N        of the file that is open there: a process that does not record closes it
 *   outcome=N      a struct cap_outcome is open there; inherited like fd
 *   out=PATH       the output, or with children=1 what the names of the children's are made of
 *   since=S        seconds since 1970: an older file of a child's name is another recording's
 *   stacks=WORD    auto, fp, unwind, none or shadow
 *   calls=WORD     enter and exit of calls: none, markers (spike.h) or all
 *   threshold=N    only blocks of N bytes and more
 *   sample=N       Poisson sampling: a point every N bytes on average
 *   depth=N        locations kept of a stack
 *   mmap=1         anonymous mappings too
 *   times=N        of blocks: 0 at a rate, 1 of each in us, 2 of each in ns
 *   children=1     processes that are forked or started write OUT.PROGRAM.PID, of x.tmt
 *                  x.PROGRAM.PID.tmt
 *   drop=1         when the output is slower than the program: drop, and count, instead of wait
 *   attached=1     the process was running before: frees of blocks from before are counted
 *   duration=MS    stop recording after so long
 *   frames=NAMES   a frame begins at each call of the first of these functions that is called; with
 *                  commas; none: of no function; without this word: cap_frames_at_known
 *   wraps=WORDS    functions of the program whose calls are recorded (hooks/wrap_at.c)
 *   rss=MS         the counters of the process's memory so often
 */
#ifndef TM_RECORDER_BASE_SETTINGS_H
#define TM_RECORDER_BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define CAP_VARIABLE "TRACEMILL_CAPTURE"
/* Of a file that has the runtime linked in: its section in which that name lies. */
#define CAP_SECTION ".tracemill"

enum cap_stacks {
	CAP_STACKS_AUTO,
	CAP_STACKS_FP,
	CAP_STACKS_UNWIND,
	CAP_STACKS_NONE,
	CAP_STACKS_SHADOW
};
enum cap_times { CAP_TIMES_RATE, CAP_TIMES_US, CAP_TIMES_NS };
enum cap_calls { CAP_CALLS_NONE, CAP_CALLS_MARKERS, CAP_CALLS_ALL };
enum {
	CAP_DEPTH_MAX = 256,
	CAP_DEPTH = 128,
	CAP_PATH_MAX = 4096,
	CAP_TIMES_NS_APART = 20000, /* of CAP_TIMES_RATE */
	CAP_FRAMES_AT = 512,
	CAP_FRAMES_AT_NAMES = 24,
	CAP_WRAP_AT = 24,     /* functions */
	CAP_WRAP_BYTES = 20,  /* of each, that are replaced */
	CAP_WRAP_MOVED = 32,  /* what they are elsewhere; places in these are letters */
	CAP_WRAP_RETURN = 52, /* from these: 8 bytes, the address behind what is replaced */
	CAP_WRAPS_TEXT = 4096
};

/* What is not in a trace, or not as it was; notes say how much. The first are events: their sums
 * are lower bounds. */
enum cap_loss {
	CAP_LOSS_UNREADY,
	CAP_LOSS_NESTED,
	CAP_LOSS_RINGLESS,
	CAP_LOSS_DROPPED,
	CAP_LOSS_WAITED,
	CAP_LOSS_EVENTS,
	CAP_LOSS_NAMES = CAP_LOSS_EVENTS,
	CAP_LOSS_READINGS,
	CAP_LOSS_FREES,
	CAP_LOSS_DEPTH,
	CAP_LOSS_STRAY,
	CAP_LOSS_TABLE,
	CAP_LOSS_MAPPINGS,
	CAP_LOSS_SHADOW_DEPTH,
	CAP_LOSS_SHADOW_NESTED,
	CAP_LOSS_SHADOW_FOREIGN,
	CAP_LOSS_SHADOW_ORPHANS,
	CAP_LOSS_JUMPS,
	CAP_LOSS_TEXTS,
	CAP_LOSS_SITES,
	CAP_LOSS_MODULES,
	CAP_LOSSES
};
extern const char *const cap_loss_text[CAP_LOSSES];
/* Functions of libraries that show a frame; the last is NULL. */
extern const char *const cap_frames_at_known[];

/* What became of the recording: memory that tm-record shares with the program. */
enum { CAP_OUTCOME = 0x3a6d7472 };
enum cap_loaded {
	CAP_NOT_LOADED, /* into what was started */
	CAP_LOADED,
	CAP_LEFT,    /* that called exec, and what came has not loaded it */
	CAP_NOT_RUN, /* what was to be started */
};
struct cap_outcome {
	uint32_t mark; /* CAP_OUTCOME: it is no other file that has come to the descriptor */
	_Atomic uint32_t error;   /* errno of the first write of a trace that failed; 0: none */
	_Atomic uint32_t open;    /* the trace of the process that was started has no totals yet */
	_Atomic uint32_t loaded;  /* enum cap_loaded */
	_Atomic uint32_t framed;  /* a function was called at which frames begin (frames_at.h) */
	_Atomic uint32_t wrapped; /* functions (hooks/wrap_at.h) */
	_Atomic uint64_t lost[CAP_LOSSES]; /* of all processes, as their traces' notes */
	_Atomic uint64_t children; /* CPU time of those that the first one has waited for, in us */
};

/* A recording that tm-record has begun in a process that was running: in the process's memory, where
 * tm-record reads and writes it. tracemill_attach
 * gives its address, or one of the last three instead. */
enum { CAP_ATTACHED = 0x3a6d7461, CAP_SILENCE_MS = 10000 };
enum cap_attach {
	CAP_ATTACH_NONE,
	CAP_ATTACH_ON,
	CAP_ATTACH_ENDED, /* nothing comes through us any more */
	CAP_ATTACH_TWICE, /* the process is recorded already, since its start or by another */
	CAP_ATTACH_NO_OUTPUT,
	CAP_ATTACH_NO_ROOM,
};
struct cap_attached {
	uint32_t mark;          /* CAP_ATTACHED */
	_Atomic uint32_t state; /* enum cap_attach */
	_Atomic uint32_t
	    beat; /* tm-record's, another one each time: silent for CAP_SILENCE_MS it is
				* gone, and the recording ends */
	_Atomic uint32_t leave;      /* tm-record's: end it */
	_Atomic uint64_t places;     /* where calls have been led to us */
	_Atomic uint64_t unwritable; /* where they could not */
	_Atomic uint64_t old;        /* frees of blocks from before */
	struct cap_outcome outcome;
};

struct cap_settings {
	uint64_t pid, threshold, sample, duration_ms, rss_ms, inode, since;
	int fd, outcome; /* -1: none */
	enum cap_stacks stacks;
	enum cap_calls calls;
	unsigned depth;
	bool mmap, children, drop;
	enum cap_times times;
	bool attached; /* to a process that was running */
	char frames_at
	    [CAP_FRAMES_AT]; /* "": the functions that present a frame, of known libraries */
	char wraps[CAP_WRAPS_TEXT];
	char out[CAP_PATH_MAX]; /* "": none */
};

/* False when the text has a word that is not known, or an invalid value: nothing is recorded
 * then. */
bool cap_settings_parse(struct cap_settings *s, const char *text);

#endif

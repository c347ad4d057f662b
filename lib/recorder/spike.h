/* SPDX-License-Identifier: MIT
 *
 * PET's markers (prolog epilog timing): which calls of a program took longer than they may. A plain
 * header for C and C++, GCC and clang; it needs nothing else of tracemill to compile or to run. The
 * calls do something when the program has libtracemill-capture linked in, or preloaded by
 * tm-record, and a log or a recording of calls is asked for:
 *
 *     TRACEMILL_SPIKES=game.log ./game            with the library linked in
 *     tm-record --spikes game.log -- ./game
 *     tm-record --calls markers -o game.tmt -- ./game
 *
 * else they test a pointer. With -DTRACEMILL_OFF they compile to nothing.
 *
 *     #include <tracemill/spike.h>
 *
 *     void Tick(void)
 *     {
 *             PET_FUNCTION();
 *             PET_SetFunctionThresholdMSec(1000.0 / 60);
 *             ...
 *     }
 *
 * PET_FUNCTION and its kind are put at the beginning of a function, one of them. In a function that
 * the compiler instruments too (-finstrument-functions) they say more of its call; else they are
 * the call themselves, until the end of the block: C by the cleanup attribute, C++ by a destructor.
 * So markers work alone, hooks work alone (then every function is watched), and both together.
 *
 * The other calls are about the innermost call that is open in the thread: one with a marker, or of
 * an instrumented function. Without such a call they do nothing. Which limit a call has, the first
 * of these that there is: what a call below it has given to all its parents; its own; what the
 * nearest caller has given to its children; the global one, which is 1 ms at first.
 *
 * Kept per thread: 1024 open calls; deeper ones are counted and not watched. Descriptions and
 * messages of 255 bytes. libtracemill-capture(3) describes the whole.
 *
 * Names and their meaning: slides and notes of Adisak Pochanayon's talk on runtime CPU spike
 * detection, Game Developers Conference 2012. Where they leave it open it is said below.
 */
#ifndef TRACEMILL_SPIKE_H
#define TRACEMILL_SPIKE_H

#include <stddef.h>
#include <stdint.h>

#define TRACEMILL_SPIKE_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRACEMILL_WEAK
#define TRACEMILL_WEAK __attribute__((weak, visibility("default")))
#endif

/* A marker's place; id is the library's. */
struct tracemill_spike_site {
	const char *name, *file;
	uint32_t line, id;
};

/* What a marker has opened; serial 0: nothing. */
struct tracemill_spike_scope {
	uint32_t index, serial;
};

/* Bits of a marker: what it says of its call. */
enum tracemill_spike_how {
	TRACEMILL_SPIKE_FUNCTION = 1,        /* a function's: joins the hook's call of it */
	TRACEMILL_SPIKE_IGNORE = 2,          /* it is not reported */
	TRACEMILL_SPIKE_IGNORE_CHILDREN = 4, /* nothing below it is */
	TRACEMILL_SPIKE_PAUSE = 8 /* neither, and its time is not in that of its callers */
};

enum tracemill_spike_whose {
	TRACEMILL_SPIKE_GLOBAL,
	TRACEMILL_SPIKE_OWN,
	TRACEMILL_SPIKE_CHILDREN,
	TRACEMILL_SPIKE_PARENTS
};

/* What the macros call. */
void tracemill_spike_begin(struct tracemill_spike_site *site, unsigned how, void *caller,
			   struct tracemill_spike_scope *scope) TRACEMILL_WEAK;
void tracemill_spike_end(const struct tracemill_spike_scope *scope) TRACEMILL_WEAK;
/* ms below 0 or not a number: never. */
void tracemill_spike_threshold(unsigned whose, double ms) TRACEMILL_WEAK;
void tracemill_spike_describe(const char *format, ...)
    __attribute__((format(printf, 1, 2))) TRACEMILL_WEAK;
int tracemill_spike_is_over(void) TRACEMILL_WEAK;
void tracemill_spike_message(const char *format, ...)
    __attribute__((format(printf, 1, 2))) TRACEMILL_WEAK;
void tracemill_spike_thread(int active) TRACEMILL_WEAK;
void tracemill_spike_pause(int on) TRACEMILL_WEAK;

/* Where PET's log goes: entries are added to the file at path (NULL: none; 4095 bytes at most), and
 * given to sink (NULL: none), whole, without a NUL, by the thread whose call it was. sink must not
 * call the macros. Before there are threads. */
void tracemill_spike_log(const char *path) TRACEMILL_WEAK;
void tracemill_spike_sink(void (*sink)(const char *text, size_t n)) TRACEMILL_WEAK;
/* A clock in ns instead of the monotonic one, for tests and engines that have their own; NULL: the
 * monotonic one. Before there are threads. */
void tracemill_spike_clock(int64_t (*clock)(void)) TRACEMILL_WEAK;

#ifdef TRACEMILL_OFF
#define TRACEMILL_SPIKE_CALL(function, arguments)   ((void)0)
#define TRACEMILL_SPIKE_SCOPE(text, how, condition) ((void)0)
#define TRACEMILL_SPIKE_MESSAGE(arguments)          ((void)0)
#else

#define TRACEMILL_SPIKE_INLINE \
	static inline __attribute__((always_inline, no_instrument_function, unused))

/* Inlined, so that the library sees the marked function's own frame. */
TRACEMILL_SPIKE_INLINE struct tracemill_spike_scope tracemill_spike_open(
    struct tracemill_spike_site *site, unsigned how, int condition)
{
	struct tracemill_spike_scope scope = {0, 0};

	if (condition && tracemill_spike_begin)
		tracemill_spike_begin(site, how, __builtin_return_address(0), &scope);
	return scope;
}

TRACEMILL_SPIKE_INLINE void tracemill_spike_close(struct tracemill_spike_scope *scope)
{
	if (scope->serial)
		tracemill_spike_end(scope);
}

#define TRACEMILL_SPIKE_CALL(function, arguments) ((void)(function ? (function arguments, 0) : 0))
#define TRACEMILL_SPIKE_MESSAGE(arguments)                           \
	((void)(tracemill_spike_is_over && tracemill_spike_is_over() \
		    ? (tracemill_spike_message arguments, 0)         \
		    : 0))
#define TRACEMILL_SPIKE_JOIN2(a, b) a##b
#define TRACEMILL_SPIKE_JOIN(a, b)  TRACEMILL_SPIKE_JOIN2(a, b)
#define TRACEMILL_SPIKE_ID(what)    TRACEMILL_SPIKE_JOIN(tracemill_spike_##what##_, __LINE__)

/* What a function is called, and where it is, in the log; to be defined before this is included. */
#ifndef TRACEMILL_SPIKE_NAME
#define TRACEMILL_SPIKE_NAME __func__
#endif
#ifndef TRACEMILL_SPIKE_FILE
#define TRACEMILL_SPIKE_FILE __FILE__
#endif

#ifdef __cplusplus
}

struct tracemill_spike_guard {
	struct tracemill_spike_scope scope;

	__attribute__((always_inline, no_instrument_function)) explicit tracemill_spike_guard(
	    struct tracemill_spike_scope s)
	    : scope(s)
	{
	}
	tracemill_spike_guard(const tracemill_spike_guard &) = delete;
	tracemill_spike_guard &operator=(const tracemill_spike_guard &) = delete;
	__attribute__((always_inline, no_instrument_function)) ~tracemill_spike_guard()
	{
		tracemill_spike_close(&scope);
	}
};

extern "C" {
#define TRACEMILL_SPIKE_SCOPE(text, how, condition)                                                \
	static struct tracemill_spike_site TRACEMILL_SPIKE_ID(site) = {text, TRACEMILL_SPIKE_FILE, \
								       __LINE__, 0};               \
	const struct tracemill_spike_guard TRACEMILL_SPIKE_ID(guard)(                              \
	    tracemill_spike_open(&TRACEMILL_SPIKE_ID(site), how, static_cast<bool>(condition)))
#else
#define TRACEMILL_SPIKE_SCOPE(text, how, condition)                                                \
	static struct tracemill_spike_site TRACEMILL_SPIKE_ID(site) = {text, TRACEMILL_SPIKE_FILE, \
								       __LINE__, 0};               \
	__attribute__((cleanup(tracemill_spike_close), unused)) struct tracemill_spike_scope       \
	TRACEMILL_SPIKE_ID(scope) =                                                                \
	    tracemill_spike_open(&TRACEMILL_SPIKE_ID(site), how, (condition) ? 1 : 0)
#endif
#endif /* TRACEMILL_OFF */

/* This function's call. */
#define PET_FUNCTION() TRACEMILL_SPIKE_SCOPE(TRACEMILL_SPIKE_NAME, TRACEMILL_SPIKE_FUNCTION, 1)
/* A call of its own, called name (a literal), until the end of the block. */
#define PET_SECTION_MANUAL(name) TRACEMILL_SPIKE_SCOPE(name, 0, 1)

/* Instead of PET_FUNCTION: this call is not reported; nothing that is called below it is. */
#define PET_FUNCTION_IGNORE()                       \
	TRACEMILL_SPIKE_SCOPE(TRACEMILL_SPIKE_NAME, \
			      TRACEMILL_SPIKE_FUNCTION | TRACEMILL_SPIKE_IGNORE, 1)
#define PET_FUNCTION_IGNORE_CHILDREN()              \
	TRACEMILL_SPIKE_SCOPE(TRACEMILL_SPIKE_NAME, \
			      TRACEMILL_SPIKE_FUNCTION | TRACEMILL_SPIKE_IGNORE_CHILDREN, 1)

/* Only where the condition holds (a channel is on); else as if there were no marker. */
#define PET_FUNCTION_CONDITIONAL(condition) \
	TRACEMILL_SPIKE_SCOPE(TRACEMILL_SPIKE_NAME, TRACEMILL_SPIKE_FUNCTION, condition)
/* PET_FUNCTION; and where the condition holds paused, ignored, or what is below it is. Paused: as
 * if it were not there, neither it and its callees nor the time they take in their callers'. */
#define PET_FUNCTION_CONDITIONAL_PAUSED(condition) \
	TRACEMILL_SPIKE_SCOPE(                     \
	    TRACEMILL_SPIKE_NAME,                  \
	    TRACEMILL_SPIKE_FUNCTION | ((condition) ? TRACEMILL_SPIKE_PAUSE : 0), 1)
#define PET_FUNCTION_CONDITIONAL_IGNORE(condition) \
	TRACEMILL_SPIKE_SCOPE(                     \
	    TRACEMILL_SPIKE_NAME,                  \
	    TRACEMILL_SPIKE_FUNCTION | ((condition) ? TRACEMILL_SPIKE_IGNORE : 0), 1)
#define PET_FUNCTION_CONDITIONAL_IGNORE_CHILDREN(condition) \
	TRACEMILL_SPIKE_SCOPE(                              \
	    TRACEMILL_SPIKE_NAME,                           \
	    TRACEMILL_SPIKE_FUNCTION | ((condition) ? TRACEMILL_SPIKE_IGNORE_CHILDREN : 0), 1)

/* What any call may take, in ms, where nothing else is said. */
#define PET_SetGlobalThresholdMSec(ms) \
	TRACEMILL_SPIKE_CALL(tracemill_spike_threshold, (TRACEMILL_SPIKE_GLOBAL, ms))
/* What this call may take. */
#define PET_SetFunctionThresholdMSec(ms) \
	TRACEMILL_SPIKE_CALL(tracemill_spike_threshold, (TRACEMILL_SPIKE_OWN, ms))
/* What each call below this one may take, at all depths; for those that begin from now on. */
#define PET_SetChildrenThresholdMSec(ms) \
	TRACEMILL_SPIKE_CALL(tracemill_spike_threshold, (TRACEMILL_SPIKE_CHILDREN, ms))
/* What all calls above this one may take this time, whatever else is said of them. */
#define PET_SetAllParentsThresholdMSec(ms) \
	TRACEMILL_SPIKE_CALL(tracemill_spike_threshold, (TRACEMILL_SPIKE_PARENTS, ms))

/* A text about this call, formatted now; in the log of each spike that is this call or below it. */
#define PET_SetFunctionDescf(...) TRACEMILL_SPIKE_CALL(tracemill_spike_describe, (__VA_ARGS__))
/* A text for this call's own spike. Nothing is evaluated or formatted unless the call has taken
 * too long already: so it belongs at the function's end. */
#define PET_OTMessagef(...) TRACEMILL_SPIKE_MESSAGE((__VA_ARGS__))

/* Whether calls of this thread that begin from now on are watched; they are at first. */
#define PET_SetThreadActive(active) TRACEMILL_SPIKE_CALL(tracemill_spike_thread, ((active) ? 1 : 0))
/* Until as many PET_Unpause: what begins in this thread is not watched, and the time is not in that
 * of the calls that are open. */
#define PET_Pause()   TRACEMILL_SPIKE_CALL(tracemill_spike_pause, (1))
#define PET_Unpause() TRACEMILL_SPIKE_CALL(tracemill_spike_pause, (0))

#ifdef __cplusplus
}
#endif

#endif

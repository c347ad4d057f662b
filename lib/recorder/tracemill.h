/* SPDX-License-Identifier: MIT
 *
 * The interface by which a program adds frames, counters, lines of its log and its own allocators'
 * blocks to its recording. A plain header for C and C++: it needs nothing else of tracemill to compile or to run.
 * The functions are there when the program runs under tm-record or has libtracemill-capture linked
 * in; else the calls do nothing and cost a test of a pointer.
 *
 *     #include <tracemill.h>
 *
 *     for (;;) {
 *             tracemill_frame();
 *             tracemill_counter("enemies", n_enemies);
 *             tracemill_counter_unit("frametime", "ms", 16.7);
 *             tracemill_log(TRACEMILL_WARNING, "level 2 is loaded in the main thread");
 *             ...
 *     }
 *
 * With -DTRACEMILL_OFF the calls compile to nothing.
 */
#ifndef TRACEMILL_H
#define TRACEMILL_H

#include <stddef.h>
#include <stdint.h>

#define TRACEMILL_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

#define TRACEMILL_WEAK __attribute__((weak, visibility("default")))

/* A frame begins: what follows, of all threads, belongs to it. Numbered from 0. */
void tracemill_mark_frame(void) TRACEMILL_WEAK;
/* The same with a number and a label of the program's own; label may be 0. Labels, names and
 * types are kept up to 127 bytes, and 4095 different ones. */
void tracemill_mark_frame_named(int64_t number, const char *label) TRACEMILL_WEAK;
/* The value of a counter now. unit ("B", "fps", "") is that of the name's first use, and is to
 * stay valid. */
void tracemill_mark_counter(const char *name, const char *unit, int64_t value) TRACEMILL_WEAK;
/* The same with decimals: tracemill_counter takes it for a floating-point number. */
void tracemill_mark_counter_real(const char *name, const char *unit, double value) TRACEMILL_WEAK;
void tracemill_mark_counter_float(const char *name, const char *unit, float value) TRACEMILL_WEAK;
/* A line of the program's log, kept up to 255 bytes; what was cut ends with three dots. A line break at
 * its end is left out. */
enum tracemill_severity { TRACEMILL_INFO, TRACEMILL_WARNING, TRACEMILL_ERROR };
void tracemill_mark_log(enum tracemill_severity severity, const char *text) TRACEMILL_WEAK;
/* A managed heap (IL2CPP's, Mono's, a script's) has handed out an object of this type: the bytes
 * that were asked for, and those that it takes. To be called behind the allocation, in the
 * function that makes it; its stack is that of the caller. A frame's part of them reaches the
 * output before the next frame begins. */
void tracemill_mark_typed_alloc(const char *type, size_t requested, size_t real) TRACEMILL_WEAK;
/* An allocator of the program's own (a pool, lua_newstate's function, a managed heap) has handed
 * out the block of n bytes at p, or moves or frees it. To be called behind an allocation and before
 * a free, where no other thread can be given the address in between. type may be 0; p 0 does
 * nothing. A domain's blocks are not added to those of malloc in which they lie. */
enum tracemill_domain { TRACEMILL_POOL = 1, TRACEMILL_MANAGED = 3, TRACEMILL_LUA = 4 };
void tracemill_mark_alloc(enum tracemill_domain domain, const void *p, size_t n,
			  const char *type) TRACEMILL_WEAK;
void tracemill_mark_free(enum tracemill_domain domain, const void *p) TRACEMILL_WEAK;
/* What was at old (0: nothing was) is n bytes at p now (0: it was freed). */
void tracemill_mark_realloc(enum tracemill_domain domain, const void *old, const void *p, size_t n,
			    const char *type) TRACEMILL_WEAK;
/* on 1: what this thread allocates is not the program's but that of a tool inside of it (a profiler, a
 * console): neither that nor its free, whenever and wherever it comes, is recorded. Until on 0. */
void tracemill_mark_own(int on) TRACEMILL_WEAK;
/* This thread runs this fiber (a coroutine, a job with a stack of its own) from now on: to be called by whoever
 * switches to it, directly before, or as the first thing on it. fiber: what tells it from others, as the
 * address of what describes it, not 0; name may be 0. leave: the thread is on its own stack again. From one
 * fiber to another no leave is needed. What a fiber that is switched out has open takes no time meanwhile. */
void tracemill_mark_fiber_enter(const void *fiber, const char *name) TRACEMILL_WEAK;
void tracemill_mark_fiber_leave(void) TRACEMILL_WEAK;
/* What is recorded so far reaches the output. */
void tracemill_mark_flush(void) TRACEMILL_WEAK;

#ifdef TRACEMILL_OFF
#define TRACEMILL_CALL(function, arguments) ((void)0)
#else
#define TRACEMILL_CALL(function, arguments) ((void)(function ? (function arguments, 0) : 0))
#endif

#define tracemill_frame() TRACEMILL_CALL(tracemill_mark_frame, ())
#define tracemill_frame_named(number, label) \
	TRACEMILL_CALL(tracemill_mark_frame_named, (number, label))
#define tracemill_counter(name, value) tracemill_counter_unit(name, "", value)
#ifdef TRACEMILL_OFF
#define tracemill_counter_unit(name, unit, value) ((void)0)
#elif defined __cplusplus
#define tracemill_counter_unit(name, unit, value) tracemill_counter_of(name, unit, value)
#elif (defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L) || !defined __STRICT_ANSI__
#define tracemill_counter_unit(name, unit, value)                 \
	_Generic((value), float                                   \
		 : tracemill_counter_float, double                \
		 : tracemill_counter_real, long double            \
		 : tracemill_counter_real, unsigned long          \
		 : tracemill_counter_unsigned, unsigned long long \
		 : tracemill_counter_unsigned, default            \
		 : tracemill_counter_whole)(name, unit, value)
#else /* -std=c99 cannot tell: tracemill_counter_real and _unsigned are for others there */
#define tracemill_counter_unit(name, unit, value) tracemill_counter_whole(name, unit, value)
#endif
#define tracemill_log(severity, text) TRACEMILL_CALL(tracemill_mark_log, (severity, text))
#define tracemill_typed_alloc(type, requested, real) \
	TRACEMILL_CALL(tracemill_mark_typed_alloc, (type, requested, real))
#define tracemill_alloc(domain, p, n, type) \
	TRACEMILL_CALL(tracemill_mark_alloc, (domain, p, n, type))
#define tracemill_free(domain, p) TRACEMILL_CALL(tracemill_mark_free, (domain, p))
#define tracemill_realloc(domain, old, p, n, type) \
	TRACEMILL_CALL(tracemill_mark_realloc, (domain, old, p, n, type))
#define tracemill_own(on)                  TRACEMILL_CALL(tracemill_mark_own, (on))
#define tracemill_fiber_enter(fiber, name) TRACEMILL_CALL(tracemill_mark_fiber_enter, (fiber, name))
#define tracemill_fiber_leave()            TRACEMILL_CALL(tracemill_mark_fiber_leave, ())
#define tracemill_flush()                  TRACEMILL_CALL(tracemill_mark_flush, ())

#ifndef TRACEMILL_OFF
static inline void tracemill_counter_whole(const char *name, const char *unit, int64_t value)
{
	TRACEMILL_CALL(tracemill_mark_counter, (name, unit, value));
}

/* Of a recorder that is older than this header the whole number. */
static inline void tracemill_counter_real(const char *name, const char *unit, double value)
{
	if (tracemill_mark_counter_real)
		tracemill_mark_counter_real(name, unit, value);
	else if (value > -9e18 && value < 9e18)
		tracemill_counter_whole(name, unit, (int64_t)value);
}

/* A reading is below 2^63: what is not is counted as lost. */
static inline void tracemill_counter_unsigned(const char *name, const char *unit, uint64_t value)
{
	if (!(value >> 63))
		tracemill_counter_whole(name, unit, (int64_t)value);
	else
		tracemill_counter_real(name, unit, (double)value);
}

/* Of 59.94f the decimals are 94: as a double it has more. */
static inline void tracemill_counter_float(const char *name, const char *unit, float value)
{
	if (tracemill_mark_counter_float)
		tracemill_mark_counter_float(name, unit, value);
	else
		tracemill_counter_real(name, unit, (double)value);
}
#endif

#ifdef __cplusplus
}

#ifndef TRACEMILL_OFF

/* An integer, or what becomes one; the overloads are those that may be no int64_t. */
template <typename number>
static inline void tracemill_counter_of(const char *name, const char *unit, number value)
{
	tracemill_counter_whole(name, unit, (int64_t)value);
}

static inline void tracemill_counter_of(const char *name, const char *unit, unsigned long value)
{
	tracemill_counter_unsigned(name, unit, value);
}

static inline void tracemill_counter_of(const char *name, const char *unit,
					unsigned long long value)
{
	tracemill_counter_unsigned(name, unit, value);
}

static inline void tracemill_counter_of(const char *name, const char *unit, float value)
{
	tracemill_counter_float(name, unit, value);
}

static inline void tracemill_counter_of(const char *name, const char *unit, double value)
{
	tracemill_counter_real(name, unit, value);
}

static inline void tracemill_counter_of(const char *name, const char *unit, long double value)
{
	tracemill_counter_real(name, unit, (double)value);
}
#endif
#endif

#endif

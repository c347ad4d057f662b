/* SPDX-License-Identifier: MIT
 *
 * Protection of our work in a thread of the program from cancellation and signals.
 *
 * Cancellation: malloc is no cancellation point, but write, open and nanosleep are (POSIX.1-2017,
 * XSH 2.9.5), and a thread that is cancelled in there would take our locks with it. Signals: while
 * a thread is the writer or holds a lock that others wait for, a handler may exit and then want to
 * be the writer itself, or stop the thread until another one, who waits for the lock, lets it go on
 * (collectors stop the world so).
 */
#ifndef TM_RECORDER_BASE_SIGNAL_GUARD_H
#define TM_RECORDER_BASE_SIGNAL_GUARD_H

#include <pthread.h>
#include <signal.h>

static inline int cap_uncancelled(void)
{
	int before = 0;

#ifdef PTHREAD_CANCEL_DISABLE /* bionic has no cancellation */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
#endif
	return before;
}

static inline void cap_cancelled(int before)
{
#ifdef PTHREAD_CANCEL_DISABLE
	pthread_setcancelstate(before, NULL);
#else
	(void)before;
#endif
}

static inline void cap_hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void cap_release_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif

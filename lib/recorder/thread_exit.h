/* SPDX-License-Identifier: MIT
 *
 * The release of a thread's resources in the recorder (its ring, its shadow stack) when the thread
 * ends, by the destructor of a thread-specific key of the C library. One key for everything, made
 * as early as possible: glibc keeps the values of the first 32 in a thread's descriptor and
 * allocates for those after them (nptl: PTHREAD_KEY_2NDLEVEL_SIZE), which a hook may not do. Where
 * ours is not among the first, nothing is set; what has no destructor to give it back is found by
 * the helper (reclaim).
 */
#ifndef TM_RECORDER_THREAD_EXIT_H
#define TM_RECORDER_THREAD_EXIT_H

/* The calling thread has something of ours from now on. */
void cap_thread_exit_register(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The common declarations of moments.c and moments_threads.c.
 */
#ifndef TM_TESTDATA_MOMENTS_H
#define TM_TESTDATA_MOMENTS_H

#include <stdatomic.h>

extern atomic_ulong blocks; /* of 123 bytes that were asked for and freed */
extern atomic_int held;     /* each mode's own */

void block(void);
void *in_thread(void *(*f)(void *), void *arg);

void moment_tls(void);
void moment_keys(void);
void moment_keys2(void);
void moment_signals(void);
void moment_cancel(void);
void moment_contexts(void);
void moment_objects(void);
void moment_suspend(void);
void moment_interrupted(void);

#endif

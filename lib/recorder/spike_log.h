/* SPDX-License-Identifier: MIT
 *
 * PET's log, as tracemill-pet(5) has it and tm-spikes --pet writes it: the same calls give the same
 * bytes.
 */
#ifndef TM_RECORDER_SPIKE_LOG_H
#define TM_RECORDER_SPIKE_LOG_H

#include "lib/recorder/timing.h"

/* Where it goes: a file, to which entries are added; NULL or "": none. False: the path is too long.
 */
bool cap_spike_log_file(const char *to);
void cap_spike_log_sink(void (*to)(const char *text, size_t n));
/* The last call of s, which is about to be taken off, took ns: too long. */
void cap_spike_log(struct cap_shadow *s, uint64_t ns);
/* In a child of fork. */
void cap_spike_log_fork(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Records of calls in the thread's ring: CAP_ENTER and CAP_EXIT, before them CAP_TEXT with what is
 * told of the call.
 */
#ifndef TM_CAPTURE_CALLS_H
#define TM_CAPTURE_CALLS_H

#include "lib/capture/ring.h"

#include <stddef.h>

/* pc: CAP_ENTRY and a function, or CAP_SITE and a marker's number, 0: PET_Pause. time is that of
 * records. False: nothing is recorded. */
bool cap_call_put(enum cap_record_kind kind, uint64_t pc, int64_t time, bool has_time,
		  const char *text, size_t n);

#endif

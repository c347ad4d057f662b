/* SPDX-License-Identifier: MIT
 *
 * Records of calls in the thread's ring: CAP_ENTER and CAP_EXIT, before them CAP_TEXT with the text
 * of the call.
 */
#ifndef TM_RECORDER_CALLS_H
#define TM_RECORDER_CALLS_H

#include "lib/recorder/ring.h"
#include "lib/recorder/shadow.h"

#include <stddef.h>

#define CAP_NO_TIME INT64_MIN

struct cap_call_info {
	struct cap_fiber_row fiber; /* on which it is */
	uint64_t pc; /* CAP_ENTRY and a function, or CAP_SITE and a marker's number, 0: PET_Pause */
	int64_t time;  /* as that of records; CAP_NO_TIME */
	int64_t value; /* enter: 1 of a pause; exit: the limit that it had, ns */
	const char *text;
	size_t n;
};

/* False: nothing is recorded. */
bool cap_call_put(enum cap_record_kind kind, const struct cap_call_info *info);

#endif

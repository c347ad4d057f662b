/* SPDX-License-Identifier: MIT */
#include "lib/group/regex_timeouts.h"

#include "lib/match/match.h"

void regex_timeouts_note(struct trace *t)
{
	static _Thread_local uint64_t noted;
	uint64_t times = match_all_timed_out();

	if (times > noted)
		trace_note(t, NOTE_LOSS, times - noted,
			   "names that an expression was given up on count as not matching");
	noted = times;
}

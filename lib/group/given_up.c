/* SPDX-License-Identifier: MIT */
#include "lib/group/given_up.h"

#include "lib/match/match.h"

void given_up_note(struct trace *t)
{
	static uint64_t noted;
	uint64_t times = match_all_gave_up();

	if (times > noted)
		trace_note(t, NOTE_LOSS, times - noted,
			   "names that an expression was given up on count as not matching");
	noted = times;
}

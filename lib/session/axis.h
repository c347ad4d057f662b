/* SPDX-License-Identifier: MIT
 *
 * A capture as a part of a session: a sink in front of another one, which gets the capture's events between the
 * frames of the session instead of its own. The number of a frame is its index on the axis; frames that the axis does not
 * have are below 0, or from its n on. Times stay the capture's own.
 *
 * A capture whose frames are the axis's has them where they were. Any other one gets all of them before its first event,
 * with their times on its clock, as marks that are known from the beginning (trace.marks): an event belongs to the last one
 * that is not later. Events without a time are in none of them then: there is a frame after all others, numbered n.
 */
#ifndef TM_SESSION_AXIS_H
#define TM_SESSION_AXIS_H

#include "lib/session/survey.h"
#include "lib/trace/tap.h"

struct session_axis { /* borrowed from the survey of the capture whose clock it is */
	const struct clock_frame *frames;
	const int64_t *numbers;
	size_t n;
};

/* The frames of a capture with this clock are those of the axis: its i-th is the axis's i + lag. */
bool session_frames_shared(const struct session_clock *c);

struct axis_tap {
	struct sink_tap tap; /* first */
	const struct session_axis *axis;
	const struct survey *survey;
	const struct session_clock *clock;
	size_t captures, at; /* at: its frames that came */
	struct trace_marks marks;
};

/* a stays where it is until axis_tap_release; all else outlives it. */
void axis_tap_init(struct axis_tap *a, struct sink *to, const struct session_axis *axis,
		   const struct survey *s, const struct session_clock *c);
void axis_tap_release(struct axis_tap *a);

#endif

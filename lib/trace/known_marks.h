/* SPDX-License-Identifier: MIT
 *
 * The marks of frames from a first reading, for inputs that have them behind the events of these frames, such as a
 * file in which the main thread stands last. Such inputs are read twice: the first reading finds the marks, and the
 * second one has them from its beginning (trace.marks).
 */
#ifndef TM_TRACE_KNOWN_MARKS_H
#define TM_TRACE_KNOWN_MARKS_H

#include "lib/trace/tap.h"

struct known_marks { /* of one input; its sinks are for two readings, in this order */
	struct sink find;
	struct sink_tap forward;
	struct capture_marks *captures;
	size_t n, cap, at;
};

void known_marks_init(struct known_marks *k, struct sink *to);
void known_marks_release(struct known_marks *k);
/* After the first reading: a second one is needed. */
bool known_marks_any(const struct known_marks *k);
/* After the first reading: captures were read, and no frame is marked in them. */
bool known_marks_none(const struct known_marks *k);

#endif

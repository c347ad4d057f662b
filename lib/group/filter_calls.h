/* SPDX-License-Identifier: MIT
 *
 * Part of filter_sink.h: the calls of a capture that filters and a selection keep, handed on as enters and exits
 * whose sums are those that the same filters have on the whole capture.
 *
 * A call that is kept below callers that are not has these on its own stack. Of a call that reaches into a
 * range the part in it stays: it is entered where the range begins, with the count 0 where its own enter is
 * not in the range, and exits where the range ends. Filters that keep a call and not what it calls cannot
 * be kept to so, and are refused.
 */
#ifndef TM_GROUP_FILTER_CALLS_H
#define TM_GROUP_FILTER_CALLS_H

#include "lib/group/group_pass.h"
#include "lib/select/marks.h"

struct filter_calls;

/* All but the sink are borrowed; marks are those of the frames so far. */
struct filter_calls *filter_calls_new(struct grouped_profile *p, const struct frame_marks *marks,
				      enum status (*put)(void *arg, struct trace *t,
							 const struct event *ev, struct err *e),
				      void *arg);
void filter_calls_free(struct filter_calls *c); /* accepts NULL */
void filter_calls_begin(struct filter_calls *c);
/* An enter or exit of a thread that is selected; selected: so is its place. */
enum status filter_calls_event(struct filter_calls *c, struct trace *t, const struct event *ev,
			       bool selected, struct err *e);
/* Calls that are not there any more. */
uint64_t filter_calls_dropped(const struct filter_calls *c);
/* How often a call was cut where a range begins or ends. */
uint64_t filter_calls_cut(const struct filter_calls *c);
/* The attribute of a trace that says so: time by calls is no mean of it. */
#define TRACE_PARTS "filtered.parts"

#endif

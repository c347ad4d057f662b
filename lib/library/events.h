/* SPDX-License-Identifier: MIT
 *
 * The check that public events have the layout of the trace's own, so that batches are handed on as they lie.
 */
#ifndef TM_LIBRARY_EVENTS_H
#define TM_LIBRARY_EVENTS_H

#include "lib/library/tracemill/trace.h"
#include "lib/trace/model.h"

#define EVENTS_AGREE(field)                                                                        \
	_Static_assert(offsetof(struct tracemill_event, field) == offsetof(struct event, field) && \
			   sizeof((struct tracemill_event){0}.field) ==                            \
			       sizeof((struct event){0}.field),                                    \
		       #field)
EVENTS_AGREE(kind);
EVENTS_AGREE(domain);
EVENTS_AGREE(has);
EVENTS_AGREE(type);
EVENTS_AGREE(stack);
EVENTS_AGREE(thread);
EVENTS_AGREE(name);
EVENTS_AGREE(time);
EVENTS_AGREE(seq);
EVENTS_AGREE(address);
EVENTS_AGREE(target);
EVENTS_AGREE(count);
EVENTS_AGREE(requested);
EVENTS_AGREE(real);
EVENTS_AGREE(value);
_Static_assert(sizeof(struct tracemill_event) == sizeof(struct event), "events agree");
_Static_assert(TRACEMILL_FRAME == (int)EV_FRAME && TRACEMILL_PROFILE == (int)EV_PROFILE &&
		   TRACEMILL_PROFILE + 1 == (int)EV_KINDS,
	       "kinds agree");
_Static_assert(TRACEMILL_HAS_SEQ == (int)EV_HAS_SEQ && TRACEMILL_HAS_TARGET == (int)EV_HAS_TARGET,
	       "fields agree");
_Static_assert(TRACEMILL_LUA == (int)DOMAIN_LUA, "domains agree");
_Static_assert(TRACEMILL_RUNTIME == (int)SPACE_RUNTIME &&
		   TRACEMILL_UNKNOWN_ADDRESS == (int)SPACE_UNKNOWN,
	       "spaces agree");

#endif

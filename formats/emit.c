/* SPDX-License-Identifier: MIT */
#include "formats/emit.h"

#include "lib/trace/reading.h"

enum status emit_frame(struct import *im, struct known_number number, struct known_number time,
		       struct err *e)
{
	return emit_frame_labeled(im, number, 0, time, e);
}

enum status emit_frame_labeled(struct import *im, struct known_number number, uint32_t label,
			       struct known_number time, struct err *e)
{
	struct event ev = emit_event(EV_FRAME, 0, 0, 0, time);

	emit_put_value(&ev, number);
	emit_put_id(&ev, EV_HAS_NAME, &ev.name, label);
	return import_event(im, &ev, e);
}

uint32_t emit_counter_id(struct import *im, const char *name, const char *unit)
{
	struct counter c = {trace_strz(im->t, name), trace_strz(im->t, unit)};

	return trace_counter(im->t, &c);
}

enum status emit_counter(struct import *im, uint32_t counter, struct known_number time,
			 int64_t value, struct err *e)
{
	struct event ev = emit_event(EV_COUNTER, counter, 0, 0, time);

	emit_put_value(&ev, KNOWN(value));
	return import_event(im, &ev, e);
}

enum status emit_decimal(struct import *im, uint32_t counter, struct known_number time,
			 decimal value, struct err *e)
{
	struct event ev = emit_event(EV_COUNTER, counter, 0, 0, time);

	reading_set(&ev, value);
	return import_event(im, &ev, e);
}

uint32_t emit_named(struct trace *t, uint32_t name, uint32_t file, uint32_t line)
{
	struct location l = {
	    .space = name ? SPACE_NAME : SPACE_UNKNOWN, .name = name, .file = file, .line = line};

	return trace_location(t, &l);
}

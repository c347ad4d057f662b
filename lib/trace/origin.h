/* SPDX-License-Identifier: MIT
 *
 * What a trace says of the device and of the build that it is of.
 */
#ifndef TM_TRACE_ORIGIN_H
#define TM_TRACE_ORIGIN_H

#include "lib/base/buf.h"
#include "lib/trace/model.h"

/* The device, in the words of the capture; NULL: it names none. */
const char *trace_device(const struct trace *t);
/* The build's number or label, in the words of the capture; NULL: it names none. */
const char *trace_build_label(const struct trace *t);
/* The build-id of the recorded program's module, or of the first that has one; appends nothing where none has. */
void trace_build_id(const struct trace *t, struct buf *to);

#endif

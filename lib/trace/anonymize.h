/* SPDX-License-Identifier: MIT
 *
 * A sink that hands on a capture without text that identifies its owner: paths, names of threads,
 * messages, values of attributes and notes become stand-ins, 48 bits of SipHash under a key; equal
 * texts have equal stand-ins, in every capture with that key. Numbers, addresses, build-ids, names
 * of counters and of system libraries stay. Functions, types and markers stay or become stand-ins;
 * where they stay, paths and names of users inside them do not.
 */
#ifndef TM_TRACE_ANONYMIZE_H
#define TM_TRACE_ANONYMIZE_H

#include "lib/trace/sink.h"

struct anonymize;

/* key: any text that its owner keeps, n 0: none, and a guess at a name can be confirmed. to is the
 * caller's. */
struct anonymize *anonymize_new(struct sink *to, bool functions, const void *key, size_t n);
void anonymize_free(struct anonymize *a); /* accepts NULL */
struct sink *anonymize_sink(struct anonymize *a);

#endif

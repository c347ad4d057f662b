/* SPDX-License-Identifier: MIT
 *
 * A file that may change while it is looked at. What a trace gains is put after what was loaded; it can be walked at
 * any time, and names of its locations come some time after them. Any other file is loaded again.
 */
#ifndef TM_CMD_VIEW_FOLLOW_H
#define TM_CMD_VIEW_FOLLOW_H

#include "lib/cli/autosymbolize.h"
#include "lib/event_store/event_store.h"

struct follow;

enum follow_news {
	FOLLOW_SAME,
	FOLLOW_TURNED, /* only follow_deserted says something else */
	FOLLOW_GREW,
	FOLLOW_OTHER,    /* it is to be loaded again: it has changed, or what came is damaged */
	FOLLOW_REPLACED, /* another file is in its place, or this one is shorter or begins otherwise */
};

/* Fills k with what is there of a trace; what else it is, follow_grows says. symbolizer (NULL: no names) is the caller's,
 * as what the options point to, and the sink (NULL: k itself), which passes events on to k. most: so many events, and the
 * rest by follow_read_on; 0: all. */
struct follow *follow_new(const char *path, const struct import_options *o, struct event_store *k,
			  struct cli_symbolizer *symbolizer, struct sink *sink, uint64_t most);
/* There is more in the file, as far as is known, than was taken: in percent, at most 99; 100: there is not. */
unsigned follow_taken(const struct follow *f);
/* Takes the next events, until k has so many. False: the trace is damaged, and is to be loaded as any file. */
bool follow_read_on(struct follow *f, uint64_t most);
/* False: it is to be loaded as any file: no trace, or a packed or damaged one, or options say how to read it. */
bool follow_grows(const struct follow *f);
/* Takes what has come since. */
enum follow_news follow_look(struct follow *f);
/* Looks up names for what has none yet. True: there are more. */
bool follow_names(struct follow *f);
/* A trace's totals were there, and nothing behind them. Of another file: no process has it open for writing. */
bool follow_ended(const struct follow *f);
/* No process of this machine has it open for writing: who recorded it has gone, or was killed. False
 * where the system does not say. */
bool follow_deserted(const struct follow *f);
void follow_free(struct follow *f); /* before k is released; accepts NULL */

#endif

/* SPDX-License-Identifier: MIT
 *
 * The rule file of tm-spikes (tracemill-spikes(5)): limits on the time of calls. Sections [spikes],
 * [thread NAME], [subsystem NAME] and [function NAME] in the grammar of lib/base/ini.h. Of several rules that match, the first one that gives a setting
 * decides about that setting. Times are in ns.
 */
#ifndef TM_REPORT_SPIKES_RULES_H
#define TM_REPORT_SPIKES_RULES_H

#include "lib/base/arena.h"
#include "lib/select/selection.h"

#define SPIKE_NEVER UINT64_MAX /* a limit that nothing is above */

enum { SPIKE_RULES_MAX = 4096, SPIKE_RULES_BYTES = 1 << 20 }; /* of a file */

enum spike_flag { SPIKE_UNSET, SPIKE_NO, SPIKE_YES };
enum spike_rule_kind { SPIKE_THREAD, SPIKE_SUBSYSTEM, SPIKE_FUNCTION };

struct spike_matches { /* any of them */
	struct match **items;
	size_t n, cap;
};

struct spike_rule {
	const char *name;
	uint32_t line;
	enum spike_rule_kind kind;
	struct spike_matches match; /* THREAD: the thread's name; else the function's */
	struct spike_matches files, modules;
	bool has_threshold, has_children, has_parents;
	uint64_t threshold; /* of what matches */
	uint64_t children;  /* of all that it calls, unless they have their own */
	uint64_t parents;   /* of all that called it, for this time */
	uint8_t ignore, ignore_children, pause; /* enum spike_flag */
	uint8_t active;                         /* THREAD: whether it is judged at all */
	const char *describe;                   /* NULL: none; see spike_fill */
	const char *message;

	/* The rule counts where all of these hold. */
	struct spike_matches threads; /* names */
	struct spike_matches below;   /* functions, one of which is a caller */
	struct tally_selection in;    /* frames and times */
	const char *channel;          /* NULL: none; else it has to be on */
	bool off;                     /* its channel is not on */
};

struct spike_rules {
	struct spike_rule *items;
	size_t n, cap;
	bool has_threshold;
	uint64_t threshold; /* of all */
	uint64_t frame;     /* what a frame may take; 0: not given */
	uint64_t least;     /* the smallest limit that any rule gives; SPIKE_NEVER: none */
	struct arena arena;
};

void spike_rules_init(struct spike_rules *r);
void spike_rules_release(struct spike_rules *r);
/* Adds a file's rules behind those that are there; its name is for messages. ST_BAD: "line 3,
 * column 9: ...". */
enum status spike_rules_add(struct spike_rules *r, const char *name, const char *text, size_t n,
			    struct err *e);
enum status spike_rules_add_file(struct spike_rules *r, const char *path, struct err *e);
/* After all files: which channels are on. ST_BAD: no rule has such a channel. */
enum status spike_rules_channels(struct spike_rules *r, const char *const *on, size_t n,
				 struct err *e);

bool spike_matches_any(const struct spike_matches *m, const char *s, size_t n);

/* A limit: "1ms", "0", "never". */
bool spike_parse_limit(const char *s, size_t n, uint64_t *ns);

/* The words of a message or description: {function} {thread} {ms} {frames} {frame}. What is not
 * known is left out. */
struct buf;
struct spike_words {
	const char *function, *thread;
	size_t n_function, n_thread;
	bool has_total, has_frame;
	uint64_t total;
	int64_t frame;
};
void spike_fill(struct buf *to, const struct spike_rules *r, const char *pattern,
		const struct spike_words *w);
void spike_add_ms(struct buf *to,
		  uint64_t ns); /* "16.58": two decimals at least, three if need be */

#endif

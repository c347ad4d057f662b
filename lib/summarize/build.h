/* SPDX-License-Identifier: MIT
 *
 * A sink that makes an aggregate of a capture.
 */
#ifndef TM_SUMMARIZE_BUILD_H
#define TM_SUMMARIZE_BUILD_H

#include "lib/summarize/write.h"

struct agg_builder {
	struct sink sink; /* first */
	struct frames frames;
	struct things things;
	struct summarizer summarizer;

	/* private */
	const char *options;
	void (*captured)(void *arg, struct trace *t);
	void *arg;
	struct agg_note *notes;
	size_t n_notes, cap_notes;
	struct arena texts;
	int64_t first, last; /* times of the present capture */
	bool timed;
	uint64_t duration;
};

/* o: filters, domain and the like; what to add up is settled here. options: these in words,
 * borrowed. The builder stays where it is until agg_builder_release. */
void agg_builder_init(struct agg_builder *b, const struct project_options *o, const char *options);
void agg_builder_release(struct agg_builder *b);
static inline bool agg_builder_has(const struct agg_builder *b)
{
	return b->frames.project.now.captures > 0;
}
/* What was read; once. */
void agg_builder_write(struct agg_builder *b, const struct agg_origin *origin,
		       struct agg_writer *w);

#endif

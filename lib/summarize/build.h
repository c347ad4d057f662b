/* SPDX-License-Identifier: MIT
 *
 * The builder of an aggregate from a capture.
 */
#ifndef TM_SUMMARIZE_BUILD_H
#define TM_SUMMARIZE_BUILD_H

#include "lib/group/summarizer.h"
#include "lib/profile/write.h"
#include "lib/report/frames/frames.h"

struct aggregate_builder {
	struct frames frames; /* captures go into its sink */
	struct profile_entities entities;
	struct summarizer summarizer;

	struct aggregate_building *building; /* build.c */
};

/* o: filters, domain and the like; what to add up is settled here. options: these in words,
 * borrowed. The builder stays where it is until aggregate_builder_release. */
void aggregate_builder_init(struct aggregate_builder *b, const struct grouped_profile_options *o,
			    const char *options);
void aggregate_builder_release(struct aggregate_builder *b);
static inline bool aggregate_builder_has(const struct aggregate_builder *b)
{
	return b->frames.project.now.captures > 0;
}
/* What was read; once. */
void aggregate_builder_write(struct aggregate_builder *b, const struct aggregate_origin *origin,
			     struct aggregate_writer *w);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The reader of an aggregate into a profile of entities, the input of tm-compare and tm-history. Of all captures
 * together it has the sums; of frames the worst. Spreads are passed over.
 */
#ifndef TM_PROFILE_READ_H
#define TM_PROFILE_READ_H

#include "lib/profile/file.h"
#include "lib/profile/profile.h"

/* The whole file: entities are added to t. *p is released already when it fails. */
enum status profile_read(struct cursor *c, struct profile_entities *t, struct profile *p,
			 struct err *e);

/* All records of an aggregate, front to back, until each() returns another status than ST_OK. One without a head or
 * without any record is ST_BAD. */
enum status aggregate_records(struct cursor *c,
			      enum status (*each)(void *arg, const struct aggregate_record *r,
						  struct err *e),
			      void *arg, struct err *e);
/* A record of kind HEAD, NOTE, WHOLE or FRAMES joins the sums of everything: captures and frames, notes by severity,
 * what is known of all, of all before filters and by coverage, the worst frames. Of other kinds: nothing. */
enum status profile_join_record(struct profile *p, const struct aggregate_record *r, struct err *e);

/* A record of kind INPUT; strings: the profile's, NULL: its name is not kept. */
void profile_read_input(struct profile *p, struct intern *strings,
			const struct aggregate_record *r);

/* The sums of a record from metric first on: 0 or AGG_TOTAL. */
struct tally_sums aggregate_sums_of(const struct aggregate_record *r, unsigned first);
/* The place of a stack's site, or of a function; false: none, or it makes no sense. */
struct aggregate_site {
	struct aggregate_text raw, module, file;
	uint32_t line;
	bool inside;
};
bool aggregate_site_of(const struct aggregate_record *r, struct aggregate_site *s);
bool aggregate_known_check(const struct aggregate_record *r, struct err *e);

#endif

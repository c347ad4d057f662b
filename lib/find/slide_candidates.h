/* SPDX-License-Identifier: MIT
 *
 * The search for the slides of given files (slide.h), for a capture that has lost them.
 */
#ifndef TM_FIND_SLIDE_CANDIDATES_H
#define TM_FIND_SLIDE_CANDIDATES_H

#include "lib/find/call_check.h"

struct slide_candidates {
	struct slide_candidate {
		struct find_file *file;
		uint64_t slide;
	} * items;
	size_t n, cap;
};

enum { SLIDE_CANDIDATES_MEMBERS = 256 }; /* of zip files, that are tried */

/* For each given file that has code, and each library of a zip file that was given; of these only
 * what was found is reported, since most are for other processors. addrs: the n addresses that no
 * module maps, in any order, sorted here. Notes what was found, and what was not and why. */
void slide_candidates_find(struct slide_candidates *s, struct trace *t, struct find_files *files,
			   uint64_t *addrs, size_t n);
/* Of a slide that was given, or that the capture has: a loss if it puts far fewer addresses of f
 * behind calls than another one, which is found beyond doubt. */
void slide_candidates_check(struct trace *t, struct find_file *f, uint64_t slide, uint64_t *addrs,
			    size_t n);
void slide_candidates_release(struct slide_candidates *s); /* accepts a zeroed struct */
/* The file that has addr in its code or right behind it, and the link-time address; NULL: none. */
struct find_file *slide_candidates_at(const struct slide_candidates *s, uint64_t addr,
				      uint64_t *vaddr);

#endif

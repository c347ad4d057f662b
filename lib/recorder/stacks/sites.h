/* SPDX-License-Identifier: MIT
 *
 * The places of a program's markers and of a script's functions: their names, files and lines. Copied at their
 * first use, since the module that has them may be gone when they are written. Bounded: CAP_SITES
 * places, names of CAP_SITE_TEXT bytes; what is beyond that has no name.
 */
#ifndef TM_RECORDER_STACKS_SITES_H
#define TM_RECORDER_STACKS_SITES_H

#include "lib/recorder/base/lock.h"

#include <stdint.h>

enum { CAP_SITES = 1 << 16, CAP_SITE_SLOTS = 1 << 17, CAP_SITE_TEXT = 160, CAP_FUNCTIONS = 8192 };

/* In a program counter of cap_stacks_id: the number of a site. */
#define CAP_SITE ((uint64_t)1 << 62)
/* In place of a marker: the fiber is switched out. */
#define CAP_AWAY (CAP_SITE | UINT32_MAX)

struct cap_site {
	char name[CAP_SITE_TEXT], file[CAP_SITE_TEXT];
	uint32_t line;
};

struct cap_sites {
	struct cap_lock lock;
	_Atomic uint32_t n;
	struct cap_site *items;  /* [0] unused; reserved for CAP_SITES, used from the front */
	_Atomic uint32_t *slots; /* numbers, by hash */
	_Atomic uint64_t lost;
	struct cap_marked { /* functions with a marker, reported by hooks: open addressing
			     */
		_Atomic uint64_t function;
		_Atomic uint32_t site;
	} marked[CAP_FUNCTIONS];
	uint32_t n_marked;
};
extern struct cap_sites cap_sites;

/* The number of a place, 0: no room. */
uint32_t cap_site_add(const char *name, const char *file, uint32_t line);
const struct cap_site *cap_site_at(uint32_t id); /* NULL: none */
/* The function is what the site is in; the first one counts. */
void cap_site_of_function(uint64_t function, uint32_t site);
uint32_t cap_site_find(uint64_t function); /* 0: none */

#endif

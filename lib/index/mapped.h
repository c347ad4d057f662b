/* SPDX-License-Identifier: MIT
 *
 * Answers for files with a debug map (lib/object/debug_map.h): an address of a function is one in the function of this
 * name in its object file, which is asked like any other file, and the answers are the caller's again.
 */
#ifndef TM_INDEX_MAPPED_H
#define TM_INDEX_MAPPED_H

#include "lib/index/cache.h"

enum status cache_run_mapped(struct index_cache *c, struct dwarf_job *jobs, size_t n,
			     const struct dwarf_options *options, struct err *e);

#endif

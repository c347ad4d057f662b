/* SPDX-License-Identifier: MIT
 *
 * The debug source of files with a debug map (lib/object/debug_map.h). An address in a function becomes one in the
 * function of this name in its object file, which is asked like any other file; what it answers becomes an answer for
 * the first address.
 */
#ifndef TM_INDEX_MAPPED_H
#define TM_INDEX_MAPPED_H

#include "lib/index/cache.h"

enum status cache_run_mapped(struct index_cache *c, struct dwarf_job *jobs, size_t n,
			     const struct dwarf_options *options, struct err *e);

#endif

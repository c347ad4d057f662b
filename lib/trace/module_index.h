/* SPDX-License-Identifier: MIT
 *
 * An index from addresses to the modules that map them: trace_module_at for millions of addresses.
 * Built once from a trace's modules; ranges may overlap and modules may come and go by epoch,
 * without a look-up or the building becoming slow. Read-only use from several threads is safe.
 */
#ifndef TM_TRACE_MODULE_INDEX_H
#define TM_TRACE_MODULE_INDEX_H

#include "lib/trace/model.h"

struct module_index;

struct module_index *module_index_new(const struct trace *t); /* t must not gain modules */
void module_index_free(struct module_index *x);               /* accepts NULL */

/* The module whose range holds a runtime address, of several the first; NULL when none does.
 * *range is that range. */
const struct module *module_index_at(const struct module_index *x, uint32_t process, uint32_t epoch,
				     uint64_t addr, const struct map_range **range);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Answers for the symbol files that are no objects (GSYM, Breakpad), in an engine's place.
 */
#ifndef TM_DWARF_SOURCE_H
#define TM_DWARF_SOURCE_H

#include "lib/dwarf/engine.h"

/* Answers a job whose object is a source (object_is_source). */
void dwarf_source(struct dwarf_job *job, const struct dwarf_options *options);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The names of a module's functions whose addresses are in the trace. They are written when the module is
 * unloaded, or at the end when its path leads to another file, since whoever reads the trace has no such file
 * any more. The writer's.
 */
#ifndef TM_RECORDER_MODULE_NAMES_H
#define TM_RECORDER_MODULE_NAMES_H

#include <stdbool.h>

/* At the end, ended is set. The caller has the lock of the modules. */
void cap_module_names_write(bool ended);

#endif

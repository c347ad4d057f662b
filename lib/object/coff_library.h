/* SPDX-License-Identifier: MIT
 *
 * What a static library of Windows is (.lib, .dll.a), none of which has code that is read here: an import library, which
 * stands for a DLL, or objects of COFF.
 */
#ifndef TM_OBJECT_COFF_LIBRARY_H
#define TM_OBJECT_COFF_LIBRARY_H

#include "lib/object/ar.h"

/* ST_UNSUPPORTED, and *e says what it is. ST_NONE: no library of Windows, *e is as it was. */
enum status coff_library_refuse(const struct ar *a, struct err *e);

#endif

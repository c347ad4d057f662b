/* SPDX-License-Identifier: MIT
 *
 * A build-id as people meet it: of Windows, GUID and age as symbol servers write them, else hexadecimal digits.
 */
#ifndef TM_OBJECT_ID_TEXT_H
#define TM_OBJECT_ID_TEXT_H

#include "lib/object/object.h"

enum { OBJECT_ID_TEXT = 2 * OBJECT_BUILD_ID_MAX + 1 };
/* windows: 20 bytes, as captures have them, are a GUID and an age. "": there is no id. */
void object_id_text(const struct object_build_id *id, bool windows, char text[OBJECT_ID_TEXT]);

#endif

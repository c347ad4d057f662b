/* SPDX-License-Identifier: MIT
 *
 * The text of a build-id, in the one spelling of lib/base/id_text.h.
 */
#ifndef TM_OBJECT_ID_TEXT_H
#define TM_OBJECT_ID_TEXT_H

#include "lib/object/object.h"

enum { OBJECT_ID_TEXT = 2 * OBJECT_BUILD_ID_MAX + 1 };
/* As id_text_add has it, of a file's own id or a captured one. "": there is no id. */
void object_id_text(const struct object_build_id *id, bool windows, char text[OBJECT_ID_TEXT]);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: text for XML 1.0 and HTML. What they cannot hold (control characters,
 * bytes that are not UTF-8, U+FFFE, U+FFFF) is shown as buf_add_escaped shows it.
 */
#ifndef TM_RENDER_XML_H
#define TM_RENDER_XML_H

#include "lib/base/buf.h"

void xml_text(struct buf *b, const char *s, size_t n);
void xml_string(struct buf *b, const char *s); /* NULL: nothing */

#endif

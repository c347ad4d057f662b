/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: the formats that hold checks and nothing else. The document has some.
 */
#ifndef TM_RENDER_GATE_H
#define TM_RENDER_GATE_H

#include "lib/render/out.h"

enum status junit_document(const struct table_document *d, struct render_out *o);
enum status sarif_document(const struct table_document *d, struct render_out *o);
enum status code_quality_document(const struct table_document *d, struct render_out *o);

#endif

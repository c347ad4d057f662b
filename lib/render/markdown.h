/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/render: Markdown, as GitHub and GitLab show it.
 */
#ifndef TM_RENDER_MARKDOWN_H
#define TM_RENDER_MARKDOWN_H

#include "lib/render/out.h"

enum status markdown_document(const struct table_document *d, const struct render_options *o,
			      struct render_out *out);

#endif

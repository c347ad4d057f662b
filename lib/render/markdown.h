/* SPDX-License-Identifier: MIT */
#ifndef TM_RENDER_MARKDOWN_H
#define TM_RENDER_MARKDOWN_H

#include "lib/render/out.h"

enum status markdown_document(const struct document *d, const struct render_options *o,
			      struct out *out);

#endif

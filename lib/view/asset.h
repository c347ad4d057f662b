/* SPDX-License-Identifier: MIT
 *
 * The page's files, from lib/view/page: the Makefile makes C of them.
 */
#ifndef TM_VIEW_ASSET_H
#define TM_VIEW_ASSET_H

#include <stddef.h>

struct view_asset {
	const char *name; /* "table.js" */
	const char *text;
};

extern const struct view_asset view_assets[]; /* ends with name NULL */

#endif

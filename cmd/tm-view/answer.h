/* SPDX-License-Identifier: MIT
 *
 * Internal to tm-view: the answers to questions, by the programs' own functions. A question is about one view
 * (lib/view/view.h), and reads what this view has loaded and names: nothing else.
 */
#ifndef TM_CMD_VIEW_ANSWER_H
#define TM_CMD_VIEW_ANSWER_H

#include "lib/view/view.h"

/* For questions about v, which is borrowed; the files and limits are the caller's to set. */
void answer_by_programs(struct query_runner *r, struct view *v);

#endif

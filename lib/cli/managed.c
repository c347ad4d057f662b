/* SPDX-License-Identifier: MIT */
#include "lib/cli/managed.h"

void cli_managed_release(struct cli_managed *m)
{
	opt_list_release(&m->line_maps);
	opt_list_release(&m->method_maps);
	opt_list_release(&m->usyms);
}

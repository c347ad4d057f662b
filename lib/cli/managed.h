/* SPDX-License-Identifier: MIT
 *
 * Option rows of programs that symbolize managed code; symbolizer.h or search.h takes them.
 */
#ifndef TM_CLI_MANAGED_H
#define TM_CLI_MANAGED_H

#include "lib/cli/opt.h"

struct cli_managed {
	struct opt_list line_maps, method_maps, usyms;
	const char *jit_map; /* of what reads captures */
	uint64_t window;
	bool has_window;
};

#define CLI_MANAGED_ROWS(m)                                                                       \
	ROW_GROUP("managed code:"),                                                               \
	    ROW_LIST(0, "linemap", "FILE",                                                        \
		     "line map of il2cpp: LineNumberMappings.json, or Sentry's", &(m).line_maps), \
	    ROW_ADDRESS(0, "linemap-window", "N", "lines that an entry of a map covers; 0: any",  \
			&(m).window, &(m).has_window),                                            \
	    ROW_LIST(0, "method-map", "FILE", "il2cpp's MethodMap.tsv", &(m).method_maps),        \
	    ROW_LIST(0, "usym", "FILE", "usym file of a binary, or MODULE=FILE", &(m).usyms)

void cli_managed_release(struct cli_managed *m);

#endif

/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/modules.h"

#include "lib/cli/cli.h"

#include <inttypes.h>

struct tracemill_trace_symbolizer_options cli_modules_done(const struct cli_modules *m)
{
	cli_check_modules(&m->modules);
	return (struct tracemill_trace_symbolizer_options){
	    .size = sizeof(struct tracemill_trace_symbolizer_options),
	    .flags = m->no_local ? TRACEMILL_NO_CAPTURED_PATHS : 0,
	    .files = m->files.items,
	    .n_files = m->files.n,
	    .modules = m->modules.items,
	    .n_modules = m->modules.n};
}

void cli_modules_release(struct cli_modules *m)
{
	opt_list_release(&m->files);
	opt_list_release(&m->modules);
}

void cli_prewarm(struct tracemill_symbolizer *s, const char *path)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};
	struct tracemill_binary *b;
	uint64_t bytes = 0;
	enum tracemill_status st = tracemill_binary_open(s, path, &b);
	bool opened = !st;

	if (opened)
		st = tracemill_prewarm(s, b, &bytes);
	cli_progress_clear();
	if (opened && (st == TRACEMILL_NOTHING || st == TRACEMILL_UNSUPPORTED)) {
		/* The debug file that it names may be missing. */
		const char *why =
		    st == TRACEMILL_NOTHING ? "it has neither DWARF nor a PDB" : tracemill_error(s);

		if (!tracemill_binary_facts(s, b, &facts) && *facts.complaint)
			why = facts.complaint;
		cli_note(path, "no index: %s", why);
		cli_status(EXIT_INCOMPLETE);
	} else if (st) {
		cli_symbolizer_fail(s, path);
	} else {
		cli_info(path, "its index has %" PRIu64 " bytes", bytes);
	}
	cli_symbolizer_report(s, TRACEMILL_TOPIC_CACHE);
}

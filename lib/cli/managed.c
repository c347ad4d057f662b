/* SPDX-License-Identifier: MIT */
#include "lib/cli/managed.h"

#include "lib/cli/cli.h"

struct managed_options cli_managed_done(const struct cli_managed *m)
{
	return (struct managed_options){.line_maps = m->line_maps.items,
					.n_line_maps = m->line_maps.n,
					.method_maps = m->method_maps.items,
					.n_method_maps = m->method_maps.n,
					.usyms = m->usyms.items,
					.n_usyms = m->usyms.n,
					.jit_map = m->jit_map,
					.window = m->window,
					.has_window = m->has_window};
}

bool cli_managed_given(const struct cli_managed *m)
{
	return m->line_maps.n || m->method_maps.n || m->usyms.n;
}

void cli_managed_load(struct managed *m)
{
	managed_load(m);
	for (size_t i = 0; i < m->n_failures; i++)
		cli_fail(m->failures[i].path, &m->failures[i].e);
}

void cli_managed_tell(struct managed *m)
{
	const char *word;

	while ((word = managed_told(m)))
		cli_info(NULL, "%s", word);
}

void cli_managed_release(struct cli_managed *m)
{
	opt_list_release(&m->line_maps);
	opt_list_release(&m->method_maps);
	opt_list_release(&m->usyms);
}

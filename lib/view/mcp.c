/* SPDX-License-Identifier: MIT */
#include "lib/view/mcp.h"

#include "lib/base/mem.h"

#include <stdlib.h>

struct mcp {
	const struct view *view;
};

struct mcp *mcp_new(const struct view *v)
{
	struct mcp *m = mem_zalloc(sizeof *m);

	m->view = v;
	return m;
}

void mcp_free(struct mcp *m)
{
	free(m);
}

void mcp_line(struct mcp *m, const char *line, size_t n, struct buf *to)
{
	(void)m;
	(void)line;
	(void)n;
	(void)to;
}

/* SPDX-License-Identifier: MIT
 *
 * The front end for assistants: the Model Context Protocol (modelcontextprotocol.io, revision 2026-07-28 and those
 * before it, which begin with a handshake) over lines of JSON-RPC 2.0. Its tools are questions (query.h) with answers cut into pages; a node of
 * the call tree keeps its number for as long as the program runs.
 */
#ifndef TM_VIEW_MCP_H
#define TM_VIEW_MCP_H

#include "lib/view/view.h"

struct mcp;

struct mcp *mcp_new(const struct view *v);
void mcp_free(struct mcp *m); /* accepts NULL */
/* What is printed for a line, nothing for a notification. */
void mcp_line(struct mcp *m, const char *line, size_t n, struct buf *to);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The agent's side of LoliProfiler's connection, on loopback: packets go to the client that
 * attaches, as they come; they wait until one does. The desktop application connects to port 8000
 * of its own machine, to which adb otherwise forwards the agent's 7100.
 *
 * The client may send a byte, 0: the dump. The memory map of the program is then written to a file
 * (the agent's is smaps.txt), an answer says that it is there, and nothing more is sent. One client
 * at a time, others are closed; another may come when it has gone. Waiting packets are bounded:
 * those beyond SERVE_WAITING bytes are dropped whole, and counted; their numbers are missing in
 * the stream, which is how its readers know. A client that takes nothing for SERVE_STALL_MS while
 * the program has ended is given up.
 *
 * A thread of its own sends; everything else is called by one thread.
 */
#ifndef TM_RECORD_SERVE_H
#define TM_RECORD_SERVE_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { SERVE_PORT = 8000, SERVE_WAITING = 128 << 20, SERVE_STALL_MS = 10000 };

struct serve;

/* Listens at 127.0.0.1; port 0 is any that is free. NULL: *e says why. */
struct serve *serve_new(uint16_t port, struct err *e);
uint16_t serve_port(const struct serve *s);
/* Begins to serve the packets of that process; smaps: where its map is dumped, from maps when the
 * process has ended (both borrowed). What is written to the stream that comes back (whole packets,
 * in any pieces) is sent, and written to copy if that is not NULL. Not before the fork. */
FILE *serve_begin(struct serve *s, pid_t program, const char *smaps, const char *maps, FILE *copy);
/* Behind fclose of that stream: waits until the client has all; for a first client so long. SIGINT
 * and SIGTERM end that, and are left to do so. What was sent, and what was not, is added to the
 * text. */
void serve_end(struct serve *s, unsigned wait_ms, char *text, size_t size);
void serve_free(struct serve *s); /* accepts NULL */

#endif

/* SPDX-License-Identifier: MIT
 *
 * Connections to the programs that send what is recorded over TCP: a Unity player, LoliProfiler's agent.
 */
#ifndef TM_RECORD_PEER_H
#define TM_RECORD_PEER_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct addrinfo;

enum { PEER_HOST_MAX = 256, PEER_WINDOW = 16 };

/* HOST[:PORT]; port 0 if none. A bare IPv6 address has no port. */
bool peer_split(const char *place, char host[PEER_HOST_MAX], uint16_t *port);
/* Up to PEER_WINDOW connections at once, to ports from first on; those that are made by wait_ms stay in fd[], the rest
 * are -1. They do not block. */
void peer_connect_some(const struct addrinfo *a, uint16_t first, unsigned n, unsigned wait_ms,
		       int *fd);
/* Calls on_data when there is something to receive, until *stop is set (by a signal) or the time, of now_ms of the
 * monotonic clock, is over (0: never): ST_OK. ST_LIMIT: nothing came for idle_ms. ST_NONE of on_data is an end, ST_OK; any
 * other status is handed on. */
enum status peer_wait(int fd, int64_t until_ms, unsigned idle_ms, const volatile int *stop,
		      enum status (*on_data)(void *arg, struct err *e), void *arg, struct err *e);

#endif

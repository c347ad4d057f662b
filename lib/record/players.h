/* SPDX-License-Identifier: MIT
 *
 * Unity's players that announce themselves on the local network, by a datagram a second to a multicast group.
 */
#ifndef TM_RECORD_PLAYERS_H
#define TM_RECORD_PLAYERS_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PLAYERS_MOST = 64,
	PLAYERS_GATHER_MS =
	    2500, /* behind the first one: the time in which others are heard, too */
};

struct player {
	char host[64], id[128]; /* id: "AndroidPlayer(Pixel_7)" */
	uint16_t port;
};

struct players {
	struct player items[PLAYERS_MOST];
	size_t n;
};

/* The text of an announcement. False: it is none. */
bool player_parse(const char *s, size_t n, struct player *p);
/* Waits for a first player, at most wait_ms, and gathers all that are heard then. ST_LIMIT: there was none until then, or
 * *stop was set (by a signal). */
enum status players_listen(struct players *all, unsigned wait_ms, const volatile int *stop,
			   struct err *e);

#endif

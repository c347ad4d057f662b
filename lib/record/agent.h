/* SPDX-License-Identifier: MIT
 *
 * The desktop's side of LoliProfiler's connection: what the agent in a game sends is written as it comes, packet by packet
 * (formats/loli/stream.c reads it). The agent listens at port 7100 of the device, to which adb forwards a port of this machine,
 * usually 8000. It waits for no request, and sends until the game ends.
 */
#ifndef TM_RECORD_AGENT_H
#define TM_RECORD_AGENT_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { AGENT_PORT = 8000, AGENT_CONNECT_MS = 2000, AGENT_PACKET_MAX = 64 << 20 };

struct agent_options {
	const char *place;    /* PORT or HOST:PORT */
	uint64_t duration_ms; /* 0: to the end */
	unsigned idle_ms;
	bool follow; /* what has come is written at once */
	const volatile int *stop;
};

struct agent_received {
	uint64_t packets, bytes;
};

/* All packets of an agent, into a file. ST_BAD: nothing listens there, or the connection ends within a packet or goes on with
 * something else; ST_LIMIT: nothing came for idle_ms. Whole packets and the sound part of the last one have been written
 * whatever comes back. */
enum status agent_record(const struct agent_options *o, struct agent_received *r, FILE *out,
			 struct err *e);

#endif

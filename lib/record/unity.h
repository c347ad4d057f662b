/* SPDX-License-Identifier: MIT
 *
 * The profiler window's side of the connection to a Unity player: finds the player, turns its
 * profiler on, and hands on what it sends, message by message (formats/unity/tcp.h reads it).
 *
 * A development player listens at the first free port from 55000 on. A port that connects may be
 * something else's: the player is who answers with a message of its protocol within
 * UNITY_ANSWER_MS. What mode turns on everything depends on the version, which is in the first
 * message with data: so 1 is sent first, and then the version's.
 */
#ifndef TM_RECORD_UNITY_H
#define TM_RECORD_UNITY_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	UNITY_PORTS = 55000,
	UNITY_PORTS_END = 55512,
	UNITY_ANSWER_MS = 2000,
	UNITY_CONNECT_MS = 250, /* for each 16 ports, at once */
	UNITY_BODY_MAX = 256 << 20
};

struct unity_player {
	int fd; /* -1: not connected */
	uint16_t port;
	uint32_t version; /* of the stream; 0: not seen yet */
	uint64_t messages, with_data, bytes;
	bool answered;
	uint8_t header[24];
	uint32_t n_header; /* bytes of it that have come */
	uint32_t left;     /* of the body */
	bool data;         /* the body is profiler data */
	uint8_t first[12]; /* of the first body with data */
	uint32_t n_first;
};

/* Where messages go; false: no more, e is filled. */
typedef bool (*unity_on_bytes)(void *arg, const void *p, uint32_t n, struct err *e);

/* Hands on messages until the player ends, *stop is set (by a signal) or the time, of now_ms of
 * the monotonic clock, is over: ST_OK. ST_BAD: the connection ends within a message, or goes on
 * with something else; ST_LIMIT: nothing came for idle_ms. Whole messages and the sound part of the
 * last one have been handed on whatever comes back. */
enum status unity_read(struct unity_player *u, int64_t until_ms, unsigned idle_ms,
		       const volatile int *stop, unity_on_bytes take, void *arg, struct err *e);
/* All of a player's messages, into a file. place is HOST, HOST:PORT, [V6]:PORT; without a port the
 * documented ones are tried. ST_BAD too: nothing listens there, or the ports that connect are no
 * player's. */
struct unity_options {
	const char *place;
	uint64_t duration_ms; /* 0: to the end */
	unsigned idle_ms;
	bool follow; /* what has come is written at once */
	const volatile int *stop;
};
enum status unity_record(struct unity_player *u, const struct unity_options *o, FILE *out,
			 struct err *e);
/* Turns the profiler off and hangs up. */
void unity_close(struct unity_player *u);

#endif

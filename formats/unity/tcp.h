/* SPDX-License-Identifier: MIT
 *
 * The recorded stream from a Unity player to the profiler window: messages of a 24-byte header
 * (magic, GUID, size) and a body. The bodies of the messages with profiler data, back to back, are
 * what a .raw file holds; this gives them as one cursor. Other messages are skipped and counted.
 */
#ifndef TM_FORMATS_UNITY_TCP_H
#define TM_FORMATS_UNITY_TCP_H

#include "lib/base/cursor.h"
#include "lib/trace/model.h"

enum { UNITY_TCP_HEADER = 24, UNITY_TCP_MAGIC = 0x67A54E8F, UNITY_TCP_KINDS = 24 };

/* A line of the game's log, which came behind so many bytes of data. */
struct unity_log {
	uint64_t offset;
	uint32_t level, n;
	char *text;
};

/* The game writes what it likes: longer lines are cut, and more of them counted. */
enum { UNITY_LOG_TEXT = 4096, UNITY_LOGS = 1 << 16 };

struct unity_tcp {
	struct cursor *in;     /* borrowed */
	struct cursor payload; /* its offsets are in the data alone */
	uint8_t *window;
	size_t cap;
	uint64_t left; /* of the body being read */
	bool ended;
	uint64_t data, others, skipped, damaged, missing;
	uint64_t given;         /* bytes of data */
	struct unity_log *logs; /* that wait */
	size_t n_logs, cap_logs, next_log;
	uint64_t logged, logs_left, logs_cut;
	uint64_t kinds[UNITY_TCP_KINDS];
};

/* The payload cursor reads from in. */
void unity_tcp_init(struct unity_tcp *t, struct cursor *in);
void unity_tcp_release(struct unity_tcp *t); /* accepts a zeroed struct */
/* The next line of the log that came before this offset of the data; NULL: none. Valid until the next call
 * on t or its payload. */
const struct unity_log *unity_tcp_log(struct unity_tcp *t, uint64_t offset);
/* Adds what was skipped and lost to the notes of a capture, and forgets it. */
void unity_tcp_notes(struct unity_tcp *t, struct trace *to);
/* How many bits of the head speak for such a stream. */
int unity_tcp_bid(const uint8_t *head, size_t n);

#endif

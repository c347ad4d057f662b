/* SPDX-License-Identifier: MIT
 *
 * The version and the statuses of libtracemill, shared by all its parts.
 */
#ifndef TRACEMILL_VERSION_H
#define TRACEMILL_VERSION_H

#include <stdint.h>

/* major << 16 | minor: functions are added with the minor, and nothing is taken away. */
#define TRACEMILL_LIBRARY_VERSION ((UINT32_C(1) << 16) | 0)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum tracemill_status {
	TRACEMILL_OK,
	TRACEMILL_NOTHING,     /* nothing found; not an error */
	TRACEMILL_BAD,         /* the input breaks its format's rules, or is cut short */
	TRACEMILL_UNSUPPORTED, /* well formed, but nothing here reads it */
	TRACEMILL_LIMIT,       /* a stated limit was reached */
	TRACEMILL_SYSTEM,      /* the system said no */
	TRACEMILL_MEMORY,      /* memory ran out */
	TRACEMILL_CANCELLED,
	TRACEMILL_MISUSE,   /* an argument that the header does not allow */
	TRACEMILL_VERSIONS, /* the header has another major version than the library */
	TRACEMILL_PIPE,     /* what reads the output is gone */
};

/* "memory ran out"; never NULL. */
const char *tracemill_status_text(enum tracemill_status status);

/* Of the library that runs, as TRACEMILL_LIBRARY_VERSION. */
uint32_t tracemill_library_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 *
 * Enter and exit of functions of the program that tm-record was told of (--wrap-at). The first bytes of each are replaced by
 * a jump into memory of ours. There the call is reported as a compiler's hook would report it, its return address is replaced
 * by that of a thunk, and the bytes that were there before go on, moved. The thunk reports the exit and returns to where the
 * call would have.
 *
 * tm-record has looked at the instructions (cmd/tm-record/wrap_at.c); here only bytes are compared and copied. Each thunk
 * knows one return address, so any thread may return by it. As many calls as there are thunks can be open at once; others are
 * counted and not recorded.
 *
 * Unwinders know no thunk: while a stack is walked by us, and from when an exception is thrown until it is caught, return
 * addresses are what they were.
 */
#ifndef TM_RECORDER_HOOKS_WRAP_AT_H
#define TM_RECORDER_HOOKS_WRAP_AT_H

#include <stdint.h>

/* At the start, while there is one thread. */
void cap_wrap_begin(void);

#endif

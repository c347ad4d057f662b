/* SPDX-License-Identifier: MIT
 *
 * A guard around our floating point calculations in a thread of the program: its exception flags
 * are restored afterwards, and traps that the program has enabled (feenableexcept) are off
 * meanwhile. Its direction of rounding holds for us too. The statement is a call of a function, so
 * that the compiler moves nothing out.
 */
#ifndef TM_RECORDER_BASE_FLOATS_H
#define TM_RECORDER_BASE_FLOATS_H

#include <fenv.h>

#define CAP_FLOATS(statement)          \
	do {                           \
		fenv_t floats;         \
		feholdexcept(&floats); \
		statement;             \
		fesetenv(&floats);     \
	} while (0)

#endif

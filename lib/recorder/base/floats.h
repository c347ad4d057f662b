/* SPDX-License-Identifier: MIT
 *
 * Around what we calculate with floating point in a thread of the program's: its flags are as they
 * were then, and what it has asked to be stopped by (feenableexcept) does not stop it in here. Its
 * direction of rounding holds for us too. A function between the two, so that the compiler moves
 * nothing out.
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

/* SPDX-License-Identifier: MIT
 *
 * The template that a C++ function is an instance of, by its demangled name: without template
 * arguments, parameters and the result's type. "Vec<int>::grow(int const&)" and
 * "Vec<float>::grow(float const&)" are both "Vec<>::grow".
 */
#ifndef TM_RULES_TEMPLATES_H
#define TM_RULES_TEMPLATES_H

#include "lib/base/buf.h"

#include <stdbool.h>

/* out becomes the template's name; *own is where in it the last component begins that has
 * arguments, "grow<>" of "eng::grow<>". False: an instance of none, or the name is not understood
 * (operators, lambdas, Rust's paths). */
bool templates_name(const char *s, size_t n, struct buf *out, size_t *own);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Shared libraries that are loaded at their first use: the start of a program that seldom needs one
 * does not pay for its relocations and for the libraries behind it.
 */
#ifndef TM_BASE_SHARED_LIBRARY_H
#define TM_BASE_SHARED_LIBRARY_H

#include "lib/base/err.h"

#include <stddef.h>

struct shared_function {
	const char *name;
	void *at; /* the function pointer to set */
};

/* Loads the library and sets all functions; it stays loaded until the process ends. file is a soname, which the
 * dynamic linker searches for. ST_UNSUPPORTED: it cannot be loaded, or a function is missing; no pointer was set then.
 * In a sandbox, load before the sandbox closes. */
enum status shared_library_load(const char *file, const struct shared_function *functions, size_t n,
				struct err *e);

#endif

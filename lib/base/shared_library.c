/* SPDX-License-Identifier: MIT */
#include "lib/base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

enum status shared_library_load(const char *file, const struct shared_function *functions, size_t n,
				struct err *e)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return err_set(e, ST_UNSUPPORTED, "cannot load %s: %s", file, dlerror());
	for (size_t i = 0; i < n; i++)
		if (!dlsym(library, functions[i].name)) {
			err_set(e, ST_UNSUPPORTED, "%s has no function %s", file,
				functions[i].name);
			dlclose(library);
			return ST_UNSUPPORTED;
		}
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(library, functions[i].name);

		memcpy(functions[i].at, &f, sizeof f);
	}
	return ST_OK;
}

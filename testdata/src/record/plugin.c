/* SPDX-License-Identifier: MIT
 *
 * A library that allocates, in a function whose name and size are given when it is compiled.
 */
#include <stdlib.h>

#ifdef PLUGIN
void *PLUGIN(void)
{
	return malloc(SIZE);
}
#else /* the program: loads, calls and unloads two of them in turn, often at the same addresses */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	static const char *const names[] = {"one", "two"};
	static volatile void *keep;

	for (int i = 0; i < 20; i++) {
		char path[16];
		void *library;
		void *(*make)(void);

		snprintf(path, sizeof path, "./%s.so", names[i % 2]);
		library = dlopen(path, RTLD_NOW);
		if (!library)
			return 1;
		*(void **)&make = dlsym(library, names[i % 2]);
		for (int k = 0; k < 50; k++)
			keep = make();
		dlclose(library);
	}
	return !keep;
}
#endif

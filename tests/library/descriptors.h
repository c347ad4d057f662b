/* SPDX-License-Identifier: MIT
 *
 * How many descriptors this process has open, for tests that look for what is left open.
 */
#ifndef TM_TESTS_LIBRARY_DESCRIPTORS_H
#define TM_TESTS_LIBRARY_DESCRIPTORS_H

#include <dirent.h>

static inline int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * A library to load before a program: a machine whose pages have PAGE bytes, as far as sysconf and
 * getpagesize say. Other questions are not answered.
 */
#include <errno.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))

SEEN long sysconf(int name)
{
	/* Of all that the tests' programs ask, the only one. */
	if (name == _SC_PAGESIZE)
		return PAGE;
	errno = EINVAL;
	return -1;
}

SEEN int getpagesize(void)
{
	return PAGE;
}

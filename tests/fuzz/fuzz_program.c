/* SPDX-License-Identifier: MIT
 *
 * What tm-record asks of the file of a program, of any bytes. What cannot be recorded says why; a symbol that is not asked
 * for has no value.
 */
#include "lib/record/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = {"malloc", "a_name_that_no_library_has"};
	uint64_t values[] = {1, 1};
	struct err e = ERR_INIT;
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (program_check_running(path, &e) && !e.msg[0])
		abort();
	program_symbols(path, names, 2, values);
	if (!(program_unseen(path) & PROGRAM_OWN_MALLOC) != !values[0])
		abort();
	program_differs(path);
	close(fd);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The choice of a number for the output's descriptor that programs do not use themselves, for tm-record and the
 * runtime. Scripts take 3 to 9, 200 (flock's manual page) or 255, and a program that has closed 0 to 2 relies on
 * getting those back.
 */
#ifndef TM_RECORDER_BASE_HIGH_FD_H
#define TM_RECORDER_BASE_HIGH_FD_H

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CAP_HIGH_FD = 1000 };

/* The same file under CAP_HIGH_FD or the next free number; where the limit is lower, its last. Closes
 * fd; gives fd itself when there is no other. flags are FD_CLOEXEC or 0. */
static inline int cap_high_fd(int fd, int flags)
{
	int at = CAP_HIGH_FD, far;
	struct rlimit most;

	if (!getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur <= CAP_HIGH_FD)
		at = (int)most.rlim_cur - 1;
	far = at > fd ? fcntl(fd, flags ? F_DUPFD_CLOEXEC : F_DUPFD, at) : -1;
	if (far < 0) {
		fcntl(fd, F_SETFD, flags);
		return fd;
	}
	close(fd);
	return far;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "lib/base/machine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { TEXT = 4096 };

/* What a small file says, with a NUL; false: nothing. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of one group; "max" and what is not there are no limit. */
static uint64_t limit_in(const char *folder, const char *name)
{
	char path[TEXT + 64], text[64], *end;
	uint64_t limit;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!read_text(path, text, sizeof text))
		return UINT64_MAX;
	limit = strtoull(text, &end, 10);
	return end == text ? UINT64_MAX : limit;
}

/* A group is within those above it. In a container its path may be the one outside: then only
 * the top, which is the container's own, is there. */
static uint64_t limit_of_group(const char *top, const char *group, const char *name)
{
	char folder[TEXT];
	size_t n_top = strlen(top);
	uint64_t limit = UINT64_MAX;

	if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
		return UINT64_MAX;
	for (;;) {
		char *slash;

		limit = smaller(limit, limit_in(folder, name));
		slash = strrchr(folder + n_top, '/');
		if (!slash)
			return limit;
		*slash = 0;
	}
}

/* controllers is a list with commas. */
static bool has_memory(const char *controllers)
{
	for (const char *at = controllers; (at = strstr(at, "memory")); at++) {
		if ((at == controllers || at[-1] == ',') && (!at[6] || at[6] == ','))
			return true;
	}
	return false;
}

uint64_t machine_memory_of_groups(const char *list, const char *root)
{
	char text[TEXT], top[TEXT], *line, *rest = text;
	uint64_t limit = UINT64_MAX;

	if (!read_text(list, text, sizeof text))
		return UINT64_MAX;
	while ((line = strsep(&rest, "\n"))) { /* ID:CONTROLLERS:PATH, cgroups(7) */
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*controllers++ = *group++ = 0;
		if (!*controllers) {
			limit = smaller(limit, limit_of_group(root, group, "memory.max"));
		} else if (has_memory(controllers)) {
			snprintf(top, sizeof top, "%s/memory", root);
			limit = smaller(limit, limit_of_group(top, group, "memory.limit_in_bytes"));
		}
	}
	return limit;
}

static uint64_t value_of(const struct rlimit *r)
{
	return r->rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)r->rlim_cur;
}

static uint64_t held; /* what there was before machine_hold_memory; 0: it was not called */

uint64_t machine_memory(void)
{
	struct rlimit r;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t most = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;

	if (held)
		return held;
	if (!getrlimit(RLIMIT_AS, &r))
		most = smaller(most, value_of(&r));
	if (!getrlimit(RLIMIT_DATA, &r))
		most = smaller(most, value_of(&r));
	return smaller(most, machine_memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void machine_hold_memory(void)
{
	uint64_t most = machine_memory();
	struct rlimit r;

	if (held || getrlimit(RLIMIT_DATA, &r) || value_of(&r) <= most / 4 * 3)
		return;
	r.rlim_cur = (rlim_t)(most / 4 * 3);
	if (!setrlimit(RLIMIT_DATA, &r))
		held = most;
}

uint64_t machine_disk_share(int fd)
{
	struct statvfs v;

	return fstatvfs(fd, &v) ? UINT64_MAX : (uint64_t)v.f_bavail * v.f_frsize / 2;
}

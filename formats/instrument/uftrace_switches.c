/* SPDX-License-Identifier: MIT */
#include "formats/instrument/uftrace_switches.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER = 8, SWITCH = 14, SWITCH_SIZE = 24, CPUS_MAX = 1024 };
enum { MISC_OFF = 1 << 13, MISC_PREEMPTED = 1 << 14 };

static void uftrace_switches_read_file(struct uftrace_switches *s, struct cursor *c)
{
	while (cursor_available(c, HEADER) >= HEADER) {
		uint32_t type = cursor_u32(c);
		uint16_t misc = cursor_u16(c), size = cursor_u16(c);
		struct uftrace_switch x = {.off = misc & MISC_OFF,
					   .preempted = misc & MISC_PREEMPTED};

		size_t rest = size < HEADER ? SIZE_MAX : (size_t)size - HEADER;

		if (rest == SIZE_MAX || cursor_available(c, rest) < rest) {
			s->broken++;
			return;
		}
		if (type != SWITCH || size != SWITCH_SIZE) {
			cursor_skip(c, rest, "a record of the scheduler");
			continue;
		}
		cursor_u32(c);
		x.tid = cursor_u32(c);
		x.time = cursor_u64(c);
		if (s->n < SWITCHES_MAX)
			VEC_PUSH(s->all, s->n, s->cap) = x;
		else
			s->beyond++;
	}
	s->broken += cursor_available(c, 1) > 0;
}

static int uftrace_switches_by_thread(const void *a, const void *b)
{
	const struct uftrace_switch *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

void uftrace_switches_read(struct uftrace_switches *s, const struct uftrace *u)
{
	bool more = true;

	for (int cpu = 0; more && cpu < CPUS_MAX; cpu++) {
		struct err e = ERR_INIT;
		struct input in;
		char name[32], *path;

		snprintf(name, sizeof name, "perf-cpu%d.dat", cpu);
		more = !uftrace_open(u, &in, name, &path, &e);
		if (more)
			uftrace_switches_read_file(s, &in.cur);
		input_close(&in);
		free(path);
	}
	if (s->n)
		sort_array(s->all, s->n, sizeof *s->all, uftrace_switches_by_thread);
}

size_t uftrace_switches_from(const struct uftrace_switches *s, uint64_t tid, uint64_t time)
{
	return BISECT(i, 0, s->n,
		      s->all[i].tid < tid || (s->all[i].tid == tid && s->all[i].time < time));
}

void uftrace_switches_release(struct uftrace_switches *s)
{
	free(s->all);
	*s = (struct uftrace_switches){.n = 0};
}

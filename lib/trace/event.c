/* SPDX-License-Identifier: MIT */
#include "lib/trace/event.h"

const char *event_kind_name(unsigned kind)
{
	static const char *const names[EV_KINDS] = {
	    [EV_FRAME] = "frame",   [EV_ALLOC] = "alloc",           [EV_FREE] = "free",
	    [EV_FREED] = "freed",   [EV_TYPE_TOTAL] = "type-total", [EV_ENTER] = "enter",
	    [EV_EXIT] = "exit",     [EV_SAMPLE] = "sample",         [EV_COUNTER] = "counter",
	    [EV_OBJECT] = "object", [EV_REFERENCE] = "reference",   [EV_DELTA] = "delta",
	    [EV_LOG] = "log",       [EV_PROFILE] = "profile",
	};

	return kind < EV_KINDS && names[kind] ? names[kind] : "?";
}

int domain_most(const uint64_t bytes[DOMAINS], const uint64_t entries[DOMAINS])
{
	int most = -1;

	for (int d = 0; d < DOMAINS; d++)
		if (entries[d] && (most < 0 || bytes[d] > bytes[most] ||
				   (bytes[d] == bytes[most] && entries[d] > entries[most])))
			most = d;
	return most;
}

const char *domain_name(unsigned domain)
{
	static const char *const names[DOMAINS] = {"malloc", "pool", "mmap", "mono", "lua"};

	return domain < DOMAINS ? names[domain] : "?";
}

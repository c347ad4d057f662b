/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stats.h"

#include "lib/base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

double stats_lap(double *from)
{
	double now = clock_seconds(), took = now - *from;

	*from = now;
	return took;
}

void stats_release(struct symbolize_stats *s)
{
	free(s->modules);
	*s = (struct symbolize_stats){.n = 0};
}

bool stats_line(const struct symbolize_stats *s, size_t i, struct buf *line)
{
	const struct stats_module *m = i / 3 < s->n ? &s->modules[i / 3] : NULL;
	struct rusage r;

	line->len = 0;
	if (m && i % 3 == 0) {
		buf_addf(line,
			 "%s: %" PRIu64 " locations, %" PRIu64 " unique addresses, units: %" PRIu64
			 ", asked %" PRIu64 ", declined %" PRIu64 ", lost %" PRIu64,
			 m->path, m->locations, m->addresses, m->dwarf.n_units, m->dwarf.n_asked,
			 m->dwarf.n_declined, m->dwarf.n_lost);
		return true;
	}
	if (m && i % 3 == 1) {
		buf_addf(line,
			 "%s: seconds: sections %.3f, units %.3f, decode %.3f, merge %.3f, "
			 "reference engine %.3f",
			 m->path, m->dwarf.sections, m->dwarf.units, m->dwarf.decode,
			 m->dwarf.merge, m->dwarf.reference);
		return true;
	}
	if (m) {
		buf_addf(line,
			 "%s: of decode, processor seconds: scopes %.3f, lines %.3f, names %.3f",
			 m->path, m->dwarf.scopes, m->dwarf.lines, m->dwarf.names);
		return true;
	}
	switch (i - 3 * s->n) {
	case 0:
		buf_addf(line,
			 "all: %" PRIu64 " locations, %" PRIu64 " functions, %" PRIu64 " calls",
			 s->locations, s->functions, s->calls);
		return true;
	case 1:
		buf_addf(line,
			 "all: seconds: read %.3f, bind %.3f, decode %.3f, copy %.3f, names %.3f, "
			 "write %.3f",
			 s->read, s->bind, s->engine, s->copy, s->names, s->write);
		return true;
	case 2:
		if (getrusage(RUSAGE_SELF, &r))
			return false;
		buf_addf(line, "all: peak memory %ld MiB", r.ru_maxrss / 1024);
		return true;
	default: return false;
	}
}

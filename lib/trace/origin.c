/* SPDX-License-Identifier: MIT */
#include "lib/trace/origin.h"

#include "lib/base/id_text.h"
#include "lib/base/path.h"

#include <string.h>

/* Attributes of readers, what says most first. */
static const char *find_attribute(const struct trace *t, const char *const *keys)
{
	for (; *keys; keys++) {
		const char *value = trace_get(t, *keys);

		if (value && *value)
			return value;
	}
	return NULL;
}

const char *trace_device(const struct trace *t)
{
	static const char *const keys[] = {"unreal.device",
					   "unreal.profile",
					   "simpleperf.android_build",
					   "android.fingerprint",
					   "tombstone.fingerprint",
					   "perf.host",
					   "unity.platform",
					   NULL};

	return find_attribute(t, keys);
}

const char *trace_build_label(const struct trace *t)
{
	static const char *const keys[] = {"unreal.changelist", NULL};

	return find_attribute(t, keys);
}

static bool ends_in(const char *name, size_t n, const char *end, size_t n_end)
{
	return n >= n_end && !memcmp(name + n - n_end, end, n_end) &&
	       (n == n_end || name[n - n_end - 1] == '/');
}

void trace_build_id(const struct trace *t, struct buf *to)
{
	size_t n_program = 0, n, n_name, best = 0;
	const char *program = trace_program(t, &n_program), *name, *id;

	for (size_t i = 1; i < t->n_modules; i++) {
		if (!t->modules[i].build_id)
			continue;
		name = intern_text(&t->strings, t->modules[i].name, &n);
		if (!best)
			best = i;
		if (program && ends_in(name, n, program, n_program)) {
			best = i;
			break;
		}
	}
	if (!best)
		return;
	id = intern_text(&t->strings, t->modules[best].build_id, &n);
	name = intern_text(&t->strings, t->modules[best].name, &n_name);
	id_text_add(to, path_is_of_windows(name, n_name), id, n);
}

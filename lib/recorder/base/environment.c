/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/environment.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/settings.h"

#include <stdint.h>
#include <string.h>

static const char preload[] = "LD_PRELOAD=", settings[] = CAP_VARIABLE "=";
static char words[CAP_PATH_MAX + 1024], path[CAP_PATH_MAX], rest[2 * CAP_PATH_MAX];

static const char *value(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) ? NULL : entry + n;
}

static char **find(char **env, const char *name)
{
	while (*env && !value(*env, name))
		env++;
	return *env ? env : NULL;
}

static void drop(char **entry)
{
	do
		entry[0] = entry[1];
	while (*entry++);
}

void cap_environment_hide(char **env, const char *library)
{
	char **before = find(env, preload), **setting = find(env, settings);
	const char *list = before ? value(*before, preload) : NULL;
	size_t n = strlen(library);

	if (!list || !setting || strncmp(list, library, n) != 0 || (list[n] && list[n] != ':') ||
	    n >= sizeof path || strlen(*setting) >= sizeof words || strlen(*before) >= sizeof rest)
		return;
	memcpy(path, library, n + 1);
	memcpy(words, *setting, strlen(*setting) + 1);
	if (list[n]) {
		memcpy(rest, preload, sizeof preload - 1);
		memcpy(rest + sizeof preload - 1, list + n + 1, strlen(list + n + 1) + 1);
		*before = rest;
		drop(setting);
		return;
	}
	drop(before);
	drop(find(env, settings));
}

char **cap_environment_restored(char *const *env, size_t *size)
{
	char **all, **to, *text;
	const char *others = "", *v;
	size_t n = 0;

	if (!*path)
		return (char **)(uintptr_t)env;
	for (; env && env[n]; n++)
		if ((v = value(env[n], preload)))
			others = v;
	*size = (n + 3) * sizeof *all + sizeof preload + strlen(path) + 1 + strlen(others);
	all = to = cap_map(*size);
	if (!all)
		return (char **)(uintptr_t)env;
	for (size_t i = 0; i < n; i++)
		if (!value(env[i], preload) && !value(env[i], settings))
			*to++ = env[i];
	text = (char *)(all + n + 3);
	*to++ = words;
	*to++ = text;
	*to = NULL;
	text = (char *)memcpy(text, preload, sizeof preload - 1) + sizeof preload - 1;
	text = (char *)memcpy(text, path, strlen(path)) + strlen(path);
	if (*others) {
		*text++ = ':';
		memcpy(text, others, strlen(others));
	}
	return all;
}

/* SPDX-License-Identifier: MIT
 *
 * Functions on paths: the last part of a path, whether a path is one of Windows, and the place below the sysroot of an
 * absolute path of a captured system.
 */
#ifndef TM_BASE_PATH_H
#define TM_BASE_PATH_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Appends where an absolute path is that a captured system, or a file made on it, names: below the sysroot. False,
 * and nothing is appended: no sysroot ("/", "" or NULL), or a relative path. */
static inline bool path_in_sysroot(struct buf *to, const char *sysroot, const char *path)
{
	if (!sysroot || !*sysroot || !strcmp(sysroot, "/") || path[0] != '/')
		return false;
	buf_adds(to, sysroot);
	buf_adds(to, path);
	return true;
}

/* What follows the last slash, which may be nothing; all of it where there is no slash. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The same of *n bytes; *n is then how many are left. */
static inline const char *path_base_n(const char *path, size_t *n)
{
	const char *slash = *n ? memrchr(path, '/', *n) : NULL;

	if (!slash)
		return path;
	*n -= (size_t)(slash + 1 - path);
	return slash + 1;
}

static inline bool path_is_slash(char c) /* of Windows, where both separate */
{
	return c == '/' || c == '\\';
}

/* A path of Windows: C:\g\game.exe, C:/g\game.exe, \\host\g\game.exe, \Device\HarddiskVolume3\g\game.exe; and
 * /C:/g/game.exe, the path of a URL. */
static inline bool path_is_windows(const char *path, size_t n)
{
	size_t drive = n > 3 && path[0] == '/' && path[2] == ':';

	return n && (path[0] == '\\' ||
		     (n > drive + 2 && path[drive + 1] == ':' && path_is_slash(path[drive + 2]) &&
		      ((path[drive] | 0x20) >= 'a' && (path[drive] | 0x20) <= 'z')));
}

/* A name as programs and libraries of Windows have it. */
static inline bool path_is_program(const char *name, size_t n)
{
	static const char *const endings[] = {".exe", ".dll", ".sys", ".ocx"};

	for (size_t i = 0; n > 4 && i < sizeof endings / sizeof *endings; i++)
		if (!strncasecmp(name + n - 4, endings[i], 4))
			return true;
	return false;
}

/* Either of both: what a capture calls so is a module of Windows. */
static inline bool path_is_of_windows(const char *path, size_t n)
{
	return path_is_windows(path, n) || path_is_program(path, n);
}

/* As path_base_n, of a path of Windows. */
static inline const char *path_base_windows_n(const char *path, size_t *n)
{
	size_t at = *n;

	while (at && !path_is_slash(path[at - 1]))
		at--;
	*n -= at;
	return path + at;
}

static inline const char *path_base_windows(const char *path)
{
	size_t n = strlen(path);

	return path_base_windows_n(path, &n);
}

/* As path_base_n, of a path that a capture has, which may be one of Windows. */
static inline const char *path_base_captured_n(const char *path, size_t *n)
{
	return path_is_of_windows(path, *n) ? path_base_windows_n(path, n) : path_base_n(path, n);
}

static inline const char *path_base_captured(const char *path)
{
	size_t n = strlen(path);

	return path_base_captured_n(path, &n);
}

/* As path_base_captured, but all of what ends in a slash: never empty, unless the path is. */
static inline const char *path_name(const char *path)
{
	const char *base = path_base_captured(path);

	return *base ? base : path;
}

static inline const char *path_name_n(const char *path, size_t *n)
{
	size_t left = *n;
	const char *base = path_base_captured_n(path, &left);

	if (!left)
		return path;
	*n = left;
	return base;
}

#endif

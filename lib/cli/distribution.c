/* SPDX-License-Identifier: MIT */
#include "lib/cli/distribution.h"

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/base/text_file.h"

#include <stdio.h>
#include <string.h>

enum tool { TOOL_NONE, TOOL_DEBIAN, TOOL_UBUNTU, TOOL_DNF, TOOL_ZYPPER };
enum { OS_RELEASE_MAX = 1 << 16 };

struct distribution_kind {
	const char *id, *name, *server;
	enum tool tool;
	bool like; /* those that are built on it (ID_LIKE) have its packages' debug files */
};

static const char elfutils[] = "https://debuginfod.elfutils.org";
static const struct distribution_kind kinds[] = {
    {"debian", "Debian", "https://debuginfod.debian.net", TOOL_DEBIAN, false},
    {"ubuntu", "Ubuntu", "https://debuginfod.ubuntu.com", TOOL_UBUNTU, false},
    {"fedora", "Fedora", "https://debuginfod.fedoraproject.org", TOOL_DNF, false},
    {"centos", "CentOS", "https://debuginfod.centos.org", TOOL_DNF, false},
    {"rhel", "RHEL", elfutils, TOOL_DNF, false},
    {"rocky", "Rocky Linux", elfutils, TOOL_DNF, false},
    {"almalinux", "AlmaLinux", elfutils, TOOL_DNF, false},
    {"opensuse-leap", "openSUSE", "https://debuginfod.opensuse.org", TOOL_ZYPPER, false},
    {"opensuse-tumbleweed", "openSUSE", "https://debuginfod.opensuse.org", TOOL_ZYPPER, false},
    {"opensuse", "openSUSE", "https://debuginfod.opensuse.org", TOOL_ZYPPER, true},
    {"arch", "Arch", "https://debuginfod.archlinux.org", TOOL_NONE, true},
    {"void", "Void", "https://debuginfod.s.voidlinux.org", TOOL_NONE, false},
};
static const struct distribution_kind unknown = {NULL, NULL, elfutils, TOOL_NONE, false};

/* The value of a line KEY=VALUE, with or without quotes. */
static bool value_of(const char *s, const char *end, const char *key, char *to, size_t room)
{
	size_t n = strlen(key);

	if (!text_begins(s, (size_t)(end - s), key) || s + n == end || s[n] != '=')
		return false;
	s += n + 1;
	text_trim(&s, &end);
	if (end - s >= 2 && (*s == '"' || *s == '\'') && end[-1] == *s) {
		s++;
		end--;
	}
	snprintf(to, room, "%.*s", (int)(end - s), s);
	return true;
}

/* It goes into a command. */
static bool is_plain(const char *word)
{
	return !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789.-")];
}

static const struct distribution_kind *kind_of(const char *id, bool like)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].id, id) && (!like || kinds[i].like))
			return &kinds[i];
	return NULL;
}

/* From the nearest to the farthest, with a blank between two. */
static const struct distribution_kind *kind_like(char *list)
{
	const struct distribution_kind *k = NULL;
	char *rest = NULL;

	for (char *id = strtok_r(list, " ", &rest); id && !k; id = strtok_r(NULL, " ", &rest))
		k = kind_of(id, true);
	return k;
}

void distribution_read(struct distribution *d, const char *text, size_t n)
{
	struct text_lines lines = text_lines_of(text, n);
	char id[64] = "", like[256] = "", own[32] = "", ubuntu[32] = "", debian[32] = "",
	     number[32] = "";
	const char *s, *end;

	*d = (struct distribution){.kind = NULL};
	while (text_lines_next(&lines, &s, &end)) {
		text_trim(&s, &end);
		value_of(s, end, "ID", id, sizeof id);
		value_of(s, end, "ID_LIKE", like, sizeof like);
		value_of(s, end, "VERSION_CODENAME", own, sizeof own);
		value_of(s, end, "VERSION_ID", number, sizeof number);
		/* What is built on a release of these and has its packages. */
		value_of(s, end, "UBUNTU_CODENAME", ubuntu, sizeof ubuntu);
		value_of(s, end, "DEBIAN_CODENAME", debian, sizeof debian);
	}
	d->rolling = !*number;
	d->kind = kind_of(id, false);
	if (!d->kind && *ubuntu) {
		d->kind = kind_of("ubuntu", false);
		memcpy(own, ubuntu, sizeof own);
	} else if (!d->kind && *debian) {
		d->kind = kind_of("debian", false);
		memcpy(own, debian, sizeof own);
	}
	if (!d->kind)
		d->kind = kind_like(like);
	if (!d->kind)
		d->kind = &unknown;
	if (is_plain(own))
		memcpy(d->codename, own, sizeof own);
}

void distribution_here(struct distribution *d)
{
	static const char *const paths[] = {"/etc/os-release", "/usr/lib/os-release"};
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof paths / sizeof *paths && !text.len; i++)
		if (text_file_read(paths[i], OS_RELEASE_MAX, "an os-release", &text, &e))
			text.len = 0;
	distribution_read(d, buf_str(&text), text.len);
	buf_release(&text);
}

const char *distribution_name(const struct distribution *d)
{
	return d->kind->name;
}

const char *distribution_server(const struct distribution *d)
{
	return d->kind->server;
}

/* What it is called there where it is not PACKAGE-dbgsym: python3.11-minimal's has python3.11-dbg. */
static bool is_old_style(const char *package, size_t *stem)
{
	static const char *const pythons[] = {"python3.", "libpython3."};

	*stem = strlen(package);
	if (!strcmp(package, "libc6"))
		return true;
	for (size_t i = 0; i < sizeof pythons / sizeof *pythons; i++) {
		size_t n = strlen(pythons[i]);

		if (strncmp(package, pythons[i], n) != 0)
			continue;
		n += strspn(package + n, "0123456789");
		if (!package[n] || !strcmp(package + n, "-minimal") ||
		    !strcmp(package + n, "-stdlib")) {
			*stem = n;
			return true;
		}
	}
	return false;
}

bool distribution_is_apart(const struct distribution *d, const char *package)
{
	size_t stem;

	return (d->kind->tool == TOOL_DEBIAN || d->kind->tool == TOOL_UBUNTU) &&
	       !is_old_style(package, &stem);
}

bool distribution_install(const struct distribution *d, const char *package, const char *path,
			  struct buf *to)
{
	size_t stem;

	switch (d->kind->tool) {
	case TOOL_DEBIAN:
	case TOOL_UBUNTU:
		if (!package)
			return false;
		if (is_old_style(package, &stem))
			buf_addf(to, "sudo apt install %.*s-dbg", (int)stem, package);
		else
			buf_addf(to, "sudo apt install %s-dbgsym", package);
		return true;
	case TOOL_DNF:
		buf_adds(to, "sudo dnf debuginfo-install $(rpm -qf ");
		buf_add_shell(to, path);
		buf_addc(to, ')');
		return true;
	case TOOL_ZYPPER:
		buf_adds(to, "sudo zypper --plus-content debug install "
			     "$(rpm -qf --qf '%{NAME}-debuginfo' ");
		buf_add_shell(to, path);
		buf_addc(to, ')');
		return true;
	default: return false;
	}
}

bool distribution_archive(const struct distribution *d, struct buf *to, const char **host)
{
	const char *c = d->codename;

	if (!*c)
		return false;
	if (d->kind->tool == TOOL_DEBIAN) {
		*host = "debian-debug";
		buf_addf(to, "for s in %s-debug", c);
		/* Those of security updates. */
		if (!d->rolling)
			buf_addf(to, " %s-proposed-updates-debug", c);
		buf_adds(to, "; do echo deb http://debug.mirrors.debian.org/debian-debug $s main; "
			     "done | sudo tee "
			     "/etc/apt/sources.list.d/debug.list && sudo apt update");
		return true;
	}
	if (d->kind->tool == TOOL_UBUNTU) {
		*host = "ddebs.ubuntu.com";
		buf_addf(
		    to,
		    "sudo apt install ubuntu-dbgsym-keyring && for s in %s %s-updates; do echo deb "
		    "http://ddebs.ubuntu.com $s main restricted universe multiverse; done | sudo "
		    "tee "
		    "/etc/apt/sources.list.d/ddebs.list && sudo apt update",
		    c, c);
		return true;
	}
	return false;
}

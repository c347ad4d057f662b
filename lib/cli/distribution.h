/* SPDX-License-Identifier: MIT
 *
 * A Linux distribution's debug files: the packages that have them, the archive that these are in, its
 * debuginfod server. os-release(5) says which distribution this is. The lines are for people to type; no server
 * is asked and no command is run. Sources: wiki.debian.org/AutomaticDebugPackages,
 * wiki.ubuntu.com/Debug%20Symbol%20Packages, dnf-debuginfo-install(8), zypper(8), sourceware.org/elfutils/Debuginfod.html.
 */
#ifndef TM_CLI_DISTRIBUTION_H
#define TM_CLI_DISTRIBUTION_H

#include "lib/base/buf.h"

#include <stdbool.h>

struct distribution {
	const struct distribution_kind *kind; /* never NULL after distribution_read */
	char codename[32];                    /* of the release; "": not known */
	bool rolling;                         /* Debian's testing and unstable have no number */
};

/* From the text of an os-release; d is filled in any case. */
void distribution_read(struct distribution *d, const char *text, size_t n);
/* From /etc/os-release, or /usr/lib/os-release. */
void distribution_here(struct distribution *d);

/* "Debian"; NULL: none that is known, and the server is that of elfutils, which asks all others. */
const char *distribution_name(const struct distribution *d);
const char *distribution_server(const struct distribution *d);

/* The command that installs the debug file of a binary that is at path, and came with package (NULL: not known).
 * False: no package has it, as far as is known. */
bool distribution_install(const struct distribution *d, const char *package, const char *path,
			  struct buf *to);
/* The command that adds the archive of such packages; false: none is needed. *host: by which it is known among
 * the archives that are there. */
bool distribution_archive(const struct distribution *d, struct buf *to, const char **host);
/* Whether that package is in the archive of debug packages, and not among all others. */
bool distribution_is_apart(const struct distribution *d, const char *package);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The Debian package that a file belongs to, and the sources that apt takes packages from. They are read from
 * dpkg's lists (/var/lib/dpkg/info, dpkg(1)) and apt's; no program is run.
 */
#ifndef TM_CMD_RECORD_PACKAGE_H
#define TM_CMD_RECORD_PACKAGE_H

#include <stdbool.h>

/* Its name, without the architecture, to be freed; NULL: of none, or there is no dpkg here. */
char *package_of(const char *path);

/* Whether apt's sources (sources.list(5)) name it: a host, or a folder of one. */
bool package_source(const char *host);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The package that a file came with, from dpkg's lists (/var/lib/dpkg/info, dpkg(1)); no program is
 * run.
 */
#ifndef TM_CMD_RECORD_PACKAGE_H
#define TM_CMD_RECORD_PACKAGE_H

/* Its name, without the architecture, to be freed; NULL: of none, or there is no dpkg here. */
char *package_of(const char *path);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Which package a file came with, as dpkg's lists say it (/var/lib/dpkg/info, dpkg(1)); no program
 * is asked.
 */
#ifndef TM_CMD_RECORD_PACKAGE_H
#define TM_CMD_RECORD_PACKAGE_H

/* Its name, without the architecture, to be freed; NULL: of none, or there is no dpkg here. */
char *package_of(const char *path);

#endif

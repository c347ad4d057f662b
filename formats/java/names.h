/* SPDX-License-Identifier: MIT
 *
 * Names of Java's classes: as files have them, and as Java's users write them.
 */
#ifndef TM_FORMATS_JAVA_NAMES_H
#define TM_FORMATS_JAVA_NAMES_H

#include "lib/base/buf.h"

/* Appends "java/lang/String" as java.lang.String, and "[[I" as int[][]. */
void java_class_name(struct buf *to, const char *s, size_t n);

#endif

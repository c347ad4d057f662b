/* SPDX-License-Identifier: MIT
 *
 * Maps of source paths: the names that a build's folders get in reports, so that builds of one
 * source in two places have the same files. "OLD=NEW": a path that is OLD, or goes on after it
 * with a separator, begins with NEW instead. The first that fits counts.
 */
#ifndef TM_NAMES_PATHS_H
#define TM_NAMES_PATHS_H

#include "lib/base/buf.h"
#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct paths;

struct paths *paths_new(void);
void paths_free(struct paths *p);
/* "OLD=NEW"; NEW may be empty, and then the separator goes too. The text is copied. ST_BAD: it has
 * no '=', or nothing before it. */
enum status paths_add(struct paths *p, const char *text, struct err *e);
void paths_add_all(struct paths *p, const struct paths *from); /* from may be NULL */
size_t paths_count(const struct paths *p);                     /* p may be NULL */
/* Appends it without /./ and NAME/../. False, and nothing is appended: there is neither. */
bool paths_tidy(const char *s, size_t n, struct buf *to);
/* Appends what s is mapped to. False, and nothing is appended: no map fits. */
bool paths_map(const struct paths *p, const char *s, size_t n, struct buf *to);

#endif

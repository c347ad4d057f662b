/* SPDX-License-Identifier: MIT
 *
 * Owners of memory, by rules in a file.
 *
 *	[Rendering]
 *	type ^(Texture|Mesh)
 *	module ^librender
 *	[Physics]
 *	function ^physics::
 *	file /physics/
 *
 * The grammar is that of lib/base/ini.h. A rule is "function", "module", "file" or "type" and a
 * regular expression, as in a file of site rules; it belongs to the owner in brackets above it. An
 * owner may come again. The rules are tried in the order of the file; the first that matches any
 * call of the stack (a function by display or linkage name, a module by base name, a file by path)
 * or the type decides. What no rule matches has no owner.
 */
#ifndef TM_RULES_OWNERS_H
#define TM_RULES_OWNERS_H

#include "lib/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct owners;

#define OWNER_NONE UINT32_MAX /* the rank of no rule */

struct owners *owners_new(void);
void owners_free(struct owners *o); /* accepts NULL */
/* From the text of a file, whose name is for messages. ST_BAD: "line 3, column 10: ...". */
enum status owners_add(struct owners *o, const char *name, const char *text, size_t n,
		       struct err *e);
enum status owners_add_file(struct owners *o, const char *path, struct err *e);

/* The number of the first rule that matches, or OWNER_NONE; of several things the least counts. */
uint32_t owners_function(struct owners *o, const char *display, const char *raw);
uint32_t owners_module(struct owners *o, const char *module);
uint32_t owners_file(struct owners *o, const char *file);
uint32_t owners_type(struct owners *o, const char *type, size_t n);
/* "[no owner]" for OWNER_NONE. */
const char *owners_name(const struct owners *o, uint32_t rule);
/* The owner of a rule as a number, 0: none; and its name. */
uint32_t owners_id(const struct owners *o, uint32_t rule);
const char *owners_name_of(const struct owners *o, uint32_t id);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The user's own code in a stack: the innermost call whose module has debug information or is no library of the
 * system, and which no rule for sites passes over. What is known of a module's place is its path in the capture; a
 * base name alone is no library of the system.
 *
 * The profile is as lib/group/resite.h has it.
 */
#ifndef TM_GROUP_OWN_CODE_H
#define TM_GROUP_OWN_CODE_H

#include "lib/group/grouped_profile.h"

/* The name of the group of stacks that have no such call. */
#define OWN_CODE_NONE "(no own code)"

/* More than half of the sum is at sites without names. */
bool own_code_is_wanted(const struct grouped_profile *p, enum sum sum);
/* Adds a grouping of these calls to the profile, behind the others, with the run's sums by stack: its number. 0: less
 * than a hundredth of the sum has own code elsewhere than its site, or the sums are not there. Of calls no counts and no
 * total time are known. */
size_t own_code_add(struct grouped_profile *p, enum sum sum);
/* Answers for single calls, when all captures are read. */
struct own_code;
struct own_code *own_code_new(struct grouped_profile *p);
void own_code_free(struct own_code *o); /* accepts NULL */
bool own_code_is(const struct own_code *o, uint32_t call);
/* A module of this path belongs to the system: in /lib, /usr/lib, /system, C:\Windows and so on. */
bool own_code_is_system(const char *path);

#endif

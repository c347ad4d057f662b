/* SPDX-License-Identifier: MIT
 *
 * The keys that sums are grouped by.
 */
#ifndef TM_PROFILE_KEY_H
#define TM_PROFILE_KEY_H

#include <stdbool.h>
#include <stdint.h>

enum key {
	KEY_SITE,
	KEY_FUNCTION,
	KEY_LOCATION,
	KEY_STACK,
	KEY_TYPE,
	KEY_FILE,
	KEY_MODULE,
	KEY_FRAME,
	KEY_THREAD,
	KEY_OWNER,
	KEYS
};

extern const char *const key_words[];   /* "site", ...; ends with NULL; in the order of enum key */
extern const char *const key_plurals[]; /* "sites" */
static inline const char *key_counted(enum key k, uint64_t n)
{
	return n == 1 ? key_words[k] : key_plurals[k];
}

/* By these there is a total in addition to the self: what lies in or below a thing, on the stacks.
 * The self of a function or location is what the innermost call allocates; of a file or module,
 * what the sites in it do. */
static inline bool key_has_total(enum key k)
{
	return k == KEY_FUNCTION || k == KEY_LOCATION || k == KEY_FILE || k == KEY_MODULE;
}

/* Of these a row is where the site is, not where the innermost call is. */
static inline bool key_is_of_site(enum key k)
{
	return k == KEY_SITE || k == KEY_FILE || k == KEY_MODULE;
}

#endif

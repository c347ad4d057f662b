/* SPDX-License-Identifier: MIT */
#include "lib/profile/key.h"

#include <stddef.h>

const char *const key_words[] = {"site",   "function", "location", "stack", "type", "file",
				 "module", "frame",    "thread",   "owner", NULL};
const char *const key_plurals[] = {"sites",   "functions", "locations", "stacks", "types", "files",
				   "modules", "frames",    "threads",   "owners", NULL};

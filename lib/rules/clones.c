/* SPDX-License-Identifier: MIT */
#include "lib/rules/clones.h"

#include <stdbool.h>
#include <string.h>

size_t clones_cut(const char *s, size_t n)
{
	static const char *const words[] = {".cold",     ".hot",   ".warm",  ".part",
					    ".isra",     ".llvm",  ".clone", ".constprop",
					    ".lto_priv", ".__uniq"};

	for (bool again = true; again;) {
		size_t end = n;

		again = false;
		for (size_t k; end; end = k - 1) { /* numbers at the end */
			for (k = end; k && s[k - 1] >= '0' && s[k - 1] <= '9';)
				k--;
			if (k == end || !k || s[k - 1] != '.')
				break;
		}
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			size_t len = strlen(words[i]);

			if (end > len && !memcmp(s + end - len, words[i], len)) {
				n = end - len;
				again = true;
			}
		}
	}
	return n;
}

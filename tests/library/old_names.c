/* SPDX-License-Identifier: MIT
 *
 * A program with the old names of libtracemill's interface (tracemill/deprecated.h): old_names BINARY. It ends with 0
 * if they do what the new ones do.
 */
#include <tracemill/symbolize_trace.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	struct tracemill_scanned scanned = {.size = sizeof scanned};
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;
	struct tracemill_naming *n = NULL;
	enum tracemill_weight weight;
	int topics = 0;

	if (argc != 2 || tracemill_symbolizer_new(&s, NULL) ||
	    tracemill_binary_open(s, argv[1], &b) || tracemill_expect(s, b) ||
	    tracemill_naming_new(s, NULL, &n) || !n)
		return 1;
	for (enum tracemill_about about = TRACEMILL_ABOUT_CACHE; about <= TRACEMILL_ABOUT_MET;
	     about++) {
		topics++;
		while (tracemill_told(s, about, &weight))
			;
	}
	if (tracemill_complaint(s) || tracemill_intact(s) || topics != 4 || scanned.has_name ||
	    scanned.proven)
		return 1;
	if (tracemill_naming_copy(n, 1) != TRACEMILL_MISUSE) /* no stream is scanned */
		return 1;
	tracemill_symbolizer_abandon(s);
	return 0;
}

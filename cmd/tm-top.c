/* SPDX-License-Identifier: MIT
 *
 * tm-top: what allocates most, by site, function, location, stack, type and so on; as a ranking,
 * as a tree of calls, or as the callers and callees of a function.
 */
#include "cmd/tm-top/program.h"

int main(int argc, char **argv)
{
	return tm_top(argc, argv);
}

/* SPDX-License-Identifier: MIT
 *
 * tm-compare: builds, runs or parts of a capture side by side, and a policy checked against them.
 */
#include "cmd/tm-compare/program.h"

int main(int argc, char **argv)
{
	return tm_compare(argc, argv);
}

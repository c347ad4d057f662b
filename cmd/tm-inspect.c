/* SPDX-License-Identifier: MIT
 *
 * tm-inspect: is this binary fit to profile and to symbolize?
 */
#include "cmd/tm-inspect/program.h"

int main(int argc, char **argv)
{
	return tm_inspect(argc, argv);
}

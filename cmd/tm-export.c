/* SPDX-License-Identifier: MIT
 *
 * tm-export: traces as other tools' files.
 */
#include "cmd/tm-export/program.h"

int main(int argc, char **argv)
{
	return tm_export(argc, argv);
}

/* SPDX-License-Identifier: MIT
 *
 * tm-heap: snapshots of heaps: what there is, who holds it, and what came between two of them.
 */
#include "cmd/tm-heap/program.h"

int main(int argc, char **argv)
{
	return tm_heap(argc, argv);
}

/* SPDX-License-Identifier: MIT
 *
 * tm-spikes: what was over its threshold, where, and how often.
 */
#include "cmd/tm-spikes/program.h"

int main(int argc, char **argv)
{
	return tm_spikes(argc, argv);
}

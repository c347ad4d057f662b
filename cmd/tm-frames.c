/* SPDX-License-Identifier: MIT
 *
 * tm-frames: what each frame, or each step of time, allocated and left behind.
 */
#include "cmd/tm-frames/program.h"

int main(int argc, char **argv)
{
	return tm_frames(argc, argv);
}

/* SPDX-License-Identifier: MIT
 *
 * frames [LOG]: a frame loop with planted spikes and a leak, on a clock of its own that only work()
 * moves, so that what its calls take is known to the ns. C and C++, with markers (-DMARKERS),
 * compilers' hooks, or both. Truth: 20 frames of 16.666 ms and less, but
 *
 *   frame 7    LoadLevel takes 40 ms and allows its parents 60: nothing
 *   frame 11   Script takes 3 ms (it may take 2 and has a description and a message), in it Jump
 *              2.5 ms (its limit is its parent's for children, 0.5 ms), left by longjmp
 *   frame 13   Physics takes 9 ms (limit 4): Tick 22 ms
 *   frame 17   Render takes 12.345 ms, of which 9 are paused, and 2.345 ms are a section's
 *
 * and each frame leaks a block of 1000 + its number bytes in Physics. With markers, Ignored takes
 * 5 ms in each frame, and what is below Quiet takes 2 ms: no spikes.
 */
#include "lib/recorder/tracemill.h"
#ifndef MARKERS
#define TRACEMILL_OFF
#endif
#include "lib/recorder/spike.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define KEEP  __attribute__((noinline))
#define QUIET __attribute__((noinline, no_instrument_function))

void *volatile leaked[20];

static int64_t now;
static QUIET int64_t clock_now(void)
{
	return now;
}

static QUIET void work(int64_t us)
{
	now += us * 1000;
}

static jmp_buf back;

KEEP void Jump(int frame)
{
	PET_FUNCTION();
	work(frame == 11 ? 2500 : 100);
	if (frame == 11)
		longjmp(back, 1);
	work(0);
}

KEEP void Script(int frame)
{
	PET_FUNCTION();
	PET_SetFunctionThresholdMSec(2);
	PET_SetChildrenThresholdMSec(0.5);
	PET_SetFunctionDescf("script %d", frame);
	if (!setjmp(back))
		Jump(frame);
	work(500);
	PET_OTMessagef("slow script in frame %d", frame);
}

KEEP void LoadLevel(int frame)
{
	PET_FUNCTION_CONDITIONAL(frame > 0);
	PET_SetFunctionThresholdMSec(60);
	if (frame == 7) {
		PET_SetAllParentsThresholdMSec(60);
		work(40000);
	}
	work(10);
}

KEEP void Ignored(void)
{
	PET_FUNCTION_IGNORE();
	work(5000);
}

KEEP void Below(void)
{
	PET_FUNCTION();
	work(2000);
}

KEEP void Quiet(void)
{
	PET_FUNCTION_IGNORE_CHILDREN();
	PET_SetFunctionThresholdMSec(4);
	Below();
	work(1);
}

KEEP void Physics(int frame)
{
	PET_FUNCTION();
	PET_SetFunctionThresholdMSec(4);
	leaked[frame] = malloc(1000 + (size_t)frame);
	work(frame == 13 ? 9000 : 3000);
}

KEEP void Render(int frame)
{
	PET_FUNCTION();
	PET_SetFunctionThresholdMSec(3);
	work(1000);
	if (frame == 17) {
		PET_Pause();
		Below();
		work(7000);
		PET_Unpause();
		{
			PET_SECTION_MANUAL("Particles");
			work(2345);
		}
	}
}

KEEP void Tick(int frame)
{
	PET_FUNCTION();
	PET_SetFunctionThresholdMSec(16.666);
	Script(frame);
	LoadLevel(frame);
#ifdef MARKERS
	Ignored();
	Quiet();
#endif
	Physics(frame);
	Render(frame);
}

QUIET int main(int argc, char **argv)
{
	if (argc > 1 && tracemill_spike_log)
		tracemill_spike_log(argv[1]);
	if (tracemill_spike_clock)
		tracemill_spike_clock(clock_now);
	for (int frame = 0; frame < 20; frame++) {
		tracemill_frame_named(frame, 0);
		Tick(frame);
	}
	return 0;
}

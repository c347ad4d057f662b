/* SPDX-License-Identifier: MIT
 *
 * A file of saved profiler frames: formats/unity/data.c finds the frames, formats/unity/data_frame.c reads one.
 */
#ifndef TM_FORMATS_UNITY_DATA_H
#define TM_FORMATS_UNITY_DATA_H

#include "formats/unity/bytes.h"
#include "formats/unity/frames.h"
#include "formats/unity/version.h"

struct unity_data_sample {
	uint64_t start, total; /* ns */
	uint32_t marker;       /* index */
	uint32_t children;     /* direct ones, which follow it */
	uint32_t node, calls;
};

struct unity_data_thread { /* of the frame being read */
	uint32_t lane;
	size_t first, n; /* samples */
};

struct unity_data_alloc {
	size_t sample;
	uint32_t lane, bytes;
};

struct unity_data {
	struct import *im;
	struct unity_frames frames;
	bool begun;
	uint32_t version, ordinal;
	struct map64 lanes;  /* hash of a thread's id or names -> lane */
	struct intern names; /* of threads; and of markers where these have no ids */
	struct buf text;
	/* of the frame being read */
	struct unity_data_sample *samples;
	size_t n_samples, cap_samples;
	struct unity_data_thread *threads;
	size_t n_threads, cap_threads;
	struct unity_data_alloc *allocs;
	size_t n_allocs, cap_allocs;
	struct unity_data_open { /* samples whose children come */
		size_t sample;
		uint64_t children; /* ns */
		uint32_t left;
	} * open;
	size_t n_open, cap_open;
	uint64_t n_frames, bad_frames, odd_trees, clamped, clamped_ns, odd_times;
};

/* A frame's body without its last word; sound: that was the right one. What does not end there is
 * counted, and nothing of it is used. */
enum status unity_data_frame(struct unity_data *d, const uint8_t *p, size_t n, bool sound,
			     struct err *e);
void unity_data_release(struct unity_data *d); /* accepts a zeroed struct */

#endif

/* SPDX-License-Identifier: MIT
 *
 * .data, what the profiler window saves: frames of 32-bit words, one after the other, up to the end
 * or a word 0xDEADFEED; each ends in the word 0xAFAFAFAF, which is the one check that its layout
 * was understood. A frame that fails it is left out and counted, as no file was there to check.
 *
 * Facts: unity3d-jp/ProfilerReader and a parser of 2022.3 files; where the two disagree on when the
 * header grew, what fits is taken, and a DSP has the 14 words of 2022.1's reference source.
 */
#include "formats/unity/data.h"

#include "formats/emit.h"
#include "formats/unity/stats.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

#define FILE_END  0xDEADFEEDu
#define FRAME_END 0xAFAFAFAFu

enum { BODY_MAX = 256 << 20, HEAD_OLD = 16, HEAD = 12, HEAD_2 = 28 };

struct head {
	uint32_t version, size, release[5];
	size_t length;
	bool has_release;
};

/* False: n bytes hold no such header. */
static bool unity_data_read_head(const uint8_t *p, size_t n, bool second, struct head *h)
{
	uint32_t first = n >= HEAD_OLD ? le32(p) : UINT32_MAX;

	*h = (struct head){0};
	if (first <= 1) {
		h->version = le32(p + 4);
		h->size = le32(p + 8);
		h->length = HEAD_OLD;
	} else {
		h->version = first;
		h->size = n >= HEAD_OLD ? le32(p + 4) : 0;
		h->length = second ? HEAD_2 : HEAD;
	}
	h->has_release = h->length == HEAD_2 && n >= HEAD_2;
	for (size_t i = 0; h->has_release && i < 5; i++)
		h->release[i] = le32(p + 8 + i * 4);
	return unity_version_possible(h->version) && h->size >= 4 && h->size <= BODY_MAX &&
	       !(h->size & 3);
}

static bool second_header(uint32_t version)
{
	return unity_ordinal(version) >= UNITY_HEADER_2;
}

/* A frame's header and body, or what is there of it. */
static const uint8_t *unity_data_next_frame(struct cursor *c, struct head *h, bool *ended,
					    struct err *e)
{
	uint64_t offset = cursor_offset(c);
	size_t n = cursor_available(c, HEAD_2);
	const uint8_t *p = c->pos;
	bool second;

	*ended = !n || (n >= 4 && le32(p) == FILE_END);
	if (*ended || c->failed)
		return NULL;
	second = n >= 4 && second_header(le32(p));
	if (!unity_data_read_head(p, n, second, h)) {
		cursor_fail(c, ST_BAD, "a frame header is missing");
		return NULL;
	}
	/* in doubt about the header, by the word at the frame's end */
	n = cursor_available(c, h->size + HEAD_2);
	p = c->pos;
	if (le32(p) > 1 && n >= h->length + h->size &&
	    le32(p + h->length + h->size - 4) != FRAME_END) {
		size_t other = h->length == HEAD ? HEAD_2 : HEAD;

		if (n >= other + h->size && le32(p + other + h->size - 4) == FRAME_END)
			unity_data_read_head(p, n, !second, h);
	}
	if (n < h->length + h->size) {
		err_at(e, ST_BAD, offset, "frame: needs %zu bytes, %zu are left",
		       h->length + h->size, n);
		c->failed = true;
		return NULL;
	}
	c->pos += h->length;
	return cursor_bytes(c, h->size, "frame");
}

static void begin(struct unity_data *d, const struct head *h)
{
	struct trace *t = d->im->t;

	d->version = h->version;
	d->ordinal = unity_ordinal(h->version);
	unity_frames_init(&d->frames, d->im, d->ordinal);
	unity_version_attributes(t, h->version);
	if (h->has_release)
		unity_release_attribute(t, h->release);
	trace_note(t, NOTE_GUESS, 0,
		   "best effort: this reader was never checked with a real "
		   "file of the format");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_TIME, METRIC_EXACT, METRIC_AT_ALL);
	d->begun = true;
}

static void unity_data_add_notes(struct unity_data *d)
{
	struct trace *t = d->im->t;

	trace_note(t, NOTE_INFO, d->n_frames, "frames");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, d->bad_frames,
		 "frames have an unknown layout or are damaged: left out"),
	    LOSS(NOTE_LOSS, d->odd_trees, "samples have more children than samples follow them"),
	    LOSS(NOTE_LOSS, d->clamped,
		 "samples are shorter than their callees: their self time is 0"),
	    LOSS(NOTE_LOSS, d->clamped_ns,
		 "ns of difference between these samples and their callees"),
	    LOSS(NOTE_LOSS, d->odd_times, "times are invalid and shown as 0"),
	};

	TRACE_LOSSES(t, losses);
}

static enum status unity_data_read(struct import *im, struct err *e)
{
	struct unity_data d = {.im = im};
	struct cursor *c = &im->in->cur;
	struct err later = ERR_INIT;
	enum status st = ST_OK, end;
	bool ended = false;

	while (!st && !ended) {
		struct head h;
		const uint8_t *body = unity_data_next_frame(c, &h, &ended, e);

		if (!body) {
			st = ended ? ST_OK : c->failed ? err_failure(e) : ST_BAD;
			break;
		}
		if (!d.begun)
			begin(&d, &h);
		d.n_frames++;
		if (h.version != d.version)
			d.bad_frames++;
		else
			st = unity_data_frame(&d, body, h.size - 4,
					      le32(body + h.size - 4) == FRAME_END, e);
	}
	if (!st && !d.begun)
		st = err_at(e, ST_BAD, 0, "the file has no frame");
	if (d.begun && im->t) {
		end = unity_frames_end(&d.frames, st ? &later : e);
		unity_data_add_notes(&d);
		st = st ? st : end;
	}
	unity_data_release(&d);
	return st;
}

static int unity_data_bid(const uint8_t *head, size_t n, bool whole)
{
	bool second = n >= 4 && second_header(le32(head));
	struct head h;

	if (!unity_data_read_head(head, n, second, &h))
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t size = h.length + h.size;

		if (size <= n && le32(head + size - 4) == FRAME_END)
			return 56;
		unity_data_read_head(head, n, !second, &h);
	}
	unity_data_read_head(head, n, second, &h);
	/* a frame's number and real number follow, nearly the same */
	return h.length + h.size > n && !whole && n >= h.length + 8 &&
		       le32(head + h.length + 4) - le32(head + h.length) + 1000 < 100000
		   ? 36
		   : 0;
}

const struct reader reader_unity_data = {
    .name = "unity-data",
    .family = "Unity",
    .page = "unity",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_CALLS |
		    CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_FRAMES | CAPABILITY_COUNTERS,
    .what = "Unity profiler: .data, saved by the editor, 2018.1 on (best effort)",
    .suffixes = "data",
    .guesses = true,
    .bid = unity_data_bid,
    .read = unity_data_read,
};

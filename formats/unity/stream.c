/* SPDX-License-Identifier: MIT */
#include "formats/unity/stream.h"

#include "formats/emit.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void unity_stream_init(struct unity_stream *s, struct import *im, uint32_t version)
{
	*s = (struct unity_stream){.im = im, .version = version, .ordinal = unity_ordinal(version)};
	unity_frames_init(&s->frames, im, s->ordinal);
	VEC_PUSH(s->threads, s->n_threads, s->cap_threads) = NULL;
}

void unity_stream_release(struct unity_stream *s)
{
	unity_frames_release(&s->frames);
	for (size_t i = 1; i < s->n_threads; i++) {
		free(s->threads[i]->open);
		free(s->threads[i]->carry);
		free(s->threads[i]);
	}
	free(s->threads);
	map64_release(&s->thread_index);
	*s = (struct unity_stream){0};
}

/* The id is not the one that the thread's last block announced. */
static enum status gap(struct unity_stream *s, struct unity_thread *t, uint32_t id, struct err *e)
{
	uint32_t lost = id - t->next;

	if (lost < UINT32_MAX / 2) {
		s->gaps++;
		s->lost_blocks += lost;
	} else {
		s->reordered++;
	}
	s->capabilities_lost += t->n_carry > 0;
	s->unknown_bytes += t->n_carry;
	t->n_carry = 0;
	return unity_thread_break(s, t, e);
}

/* The messages in the bytes, of which the first may have begun in the block before. */
static enum status unity_stream_body(struct unity_stream *s, struct unity_thread *t,
				     const uint8_t *p, size_t n, struct err *e)
{
	size_t used, rest;
	enum status st;

	if (t->n_carry) {
		if (t->cap_carry < t->n_carry + n)
			t->carry = mem_grow(t->carry, &t->cap_carry, t->n_carry + n, 1);
		memcpy(t->carry + t->n_carry, p, n);
		p = t->carry;
		n += t->n_carry;
	}
	st = unity_messages(s, t, p, n, &used, e);
	rest = n - used;
	if (rest && p == t->carry) {
		memmove(t->carry, p + used, rest);
	} else if (rest) {
		if (t->cap_carry < rest)
			t->carry = mem_grow(t->carry, &t->cap_carry, rest, 1);
		memcpy(t->carry, p + used, rest);
	}
	t->n_carry = rest;
	return st;
}

enum status unity_block(struct unity_stream *s, uint64_t thread, uint32_t id, uint32_t next,
			const uint8_t *bytes, size_t n, bool whole, struct err *e)
{
	struct unity_thread *t = unity_stream_thread(s, thread);
	enum status st = t->chained && t->next != id ? gap(s, t, id, e) : ST_OK;

	s->blocks += whole;
	t->chained = whole;
	t->next = next;
	return st ? st : unity_stream_body(s, t, bytes, n, e);
}

static void note(struct unity_stream *s, enum severity severity, uint64_t count, const char *text)
{
	if (count)
		trace_note(s->im->t, severity, count, "%s", text);
}

static void unity_stream_messages_notes(struct unity_stream *s)
{
	static const char *const values[UNITY_VALUES] = {
	    "0",   "instance id", "i32",      "u32",          "i64",  "u64",    "f32",
	    "f64", "string",      "string16", "three floats", "blob", "gfx id", "entity id"};
	struct trace *t = s->im->t;

	note(s, NOTE_INFO, s->blocks, "blocks");
	for (unsigned i = 0; i < UNITY_MESSAGES; i++)
		if (s->messages[i])
			trace_note(t, NOTE_INFO, s->messages[i], "messages: %s",
				   unity_message_name(i));
	note(s, NOTE_INFO, s->frames.names.distinct, "markers");
	for (unsigned i = 0; i < UNITY_VALUES; i++)
		if (s->values[i])
			trace_note(t, NOTE_INFO, s->values[i], "values of samples: %s", values[i]);
	for (unsigned i = 0; i < UNITY_MESSAGES; i++)
		if (s->unknown[i])
			trace_note(t, NOTE_LOSS, s->unknown[i],
				   "messages have the unknown type %u: the rest of their block was "
				   "not read",
				   i);
}

static void unity_stream_add_notes(struct unity_stream *s)
{
	uint64_t carried = 0;

	for (size_t i = 1; i < s->n_threads; i++)
		carried += s->threads[i]->n_carry;
	unity_stream_messages_notes(s);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->unknown_others,
		 "messages have an impossible type: the rest of their block was not read"),
	    LOSS(NOTE_LOSS, s->unknown_values,
		 "samples have a value of an unknown type: the rest of their block was not read"),
	    LOSS(NOTE_LOSS, s->too_long, "messages are damaged: their length is above 1 MiB"),
	    LOSS(NOTE_LOSS, s->gaps, "gaps between the blocks of a thread"),
	    LOSS(NOTE_LOSS, s->lost_blocks, "block numbers are missing"),
	    LOSS(NOTE_LOSS, s->reordered, "blocks have the number of an earlier block"),
	    LOSS(NOTE_LOSS, s->capabilities_lost,
		 "messages are incomplete: a part was in a lost block"),
	    LOSS(NOTE_LOSS, carried, "bytes belong to messages without an end"),
	    LOSS(NOTE_LOSS, s->unknown_bytes, "bytes of blocks were not read"),
	    LOSS(NOTE_LOSS, s->dropped, "samples were open where data was lost: left out"),
	    LOSS(NOTE_LOSS, s->waited,
		 "samples are between lost data and the next frame of their thread: left out"),
	    LOSS(NOTE_LOSS, s->misnested, "samples were open when their caller ended: left out"),
	    LOSS(NOTE_INFO, s->orphans, "ends of samples have no begin in the file"),
	    LOSS(NOTE_INFO, s->unclosed, "samples were open at the end: left out"),
	    LOSS(NOTE_LOSS, s->backward, "samples end before they begin: their time is 0"),
	    LOSS(NOTE_LOSS, s->clamped,
		 "samples are shorter than their callees: their self time is 0"),
	    LOSS(NOTE_LOSS, s->clamped_ns,
		 "ns of difference between these samples and their callees"),
	    LOSS(NOTE_LOSS, s->no_number, "counter values are not numbers or too large: left out"),
	    LOSS(NOTE_INFO, s->stats, "statistics have an unknown layout and were not read"),
	    LOSS(NOTE_GUESS, s->guessed_stats,
		 "statistics are assumed to have the layout of .data files"),
	};

	TRACE_LOSSES(s->im->t, losses);
}

enum status unity_stream_end(struct unity_stream *s, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 1; !st && i < s->n_threads; i++) {
		uint64_t before = s->dropped;

		st = unity_thread_break(s, s->threads[i], e);
		s->unclosed += s->dropped - before;
		s->dropped = before;
	}
	if (!st)
		st = unity_frames_end(&s->frames, e);
	if (!st)
		unity_stream_add_notes(s);
	return st;
}

/* SPDX-License-Identifier: MIT */
#include "formats/import.h"

static enum status add_maps(struct trace *t, const char *path, struct smaps *sizes, struct err *e)
{
	struct input maps = {0};
	enum status st = input_open(&maps, path, e);

	if (!st)
		st = maps_read(&maps.cur, t, sizes, e);
	input_close(&maps);
	return st ? err_of_file(e, "module map", path) : ST_OK;
}

enum status import_capture_new(struct import *im, struct err *e)
{
	im->t = trace_new();
	im->begun = false;
	im->captures++;
	if (im->reader->own_tables) /* a trace: what it says, and nothing added */
		return ST_OK;
	trace_set(im->t, "format", im->part ? im->part->name : im->reader->name);
	return im->options->maps ? add_maps(im->t, im->options->maps, &im->smaps, e) : ST_OK;
}

enum status import_begin(struct import *im, struct err *e)
{
	im->begun = true;
	return im->sink->begin(im->sink, im->t, e);
}

static void note_broken(struct import *im)
{
	uint64_t n = input_broken(im->in);

	if (n > im->broken)
		trace_note(
		    im->t, NOTE_LOSS, n - im->broken,
		    "characters were not UTF-16: each became U+FFFD, half a character at the "
		    "end was left out");
	im->broken = n;
}

enum status import_capture_finish(struct import *im, struct err *e)
{
	enum status st = im->begun ? ST_OK : import_begin(im, e);

	if (!st)
		st = smaps_push(&im->smaps, im, e);
	smaps_release(&im->smaps);
	if (st)
		return st;
	if (im->t->cut_strings)
		trace_note(im->t, NOTE_LOSS, im->t->cut_strings,
			   "names longer than %d bytes were cut", TRACE_STRING_MAX);
	note_broken(im);
	return ST_OK;
}

enum status import_capture_end(struct import *im, bool *lossy, struct err *e)
{
	enum status st = import_capture_finish(im, e);

	if (st)
		return st;
	for (size_t i = 0; i < im->t->n_notes; i++)
		*lossy |= im->t->notes[i].severity == NOTE_LOSS;
	st = im->sink->end(im->sink, im->t, e);
	trace_free(im->t);
	im->t = NULL;
	return st;
}

void import_capture_whole(struct import *im)
{
	im->t->complete |= !im->reader->own_tables;
}

enum status import_next(struct import *im, struct err *e)
{
	enum status st;

	import_capture_whole(im);
	st = import_capture_end(im, im->lossy, e);
	return st ? st : import_capture_new(im, e);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/attached.h"

#include "lib/base/clock.h"
#include "lib/cli/cli.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int stop;

static void attached_stop(int sig)
{
	stop = sig;
}

/* It opens the trace itself, as its own user. */
static void attached_give(const struct attach *a, int fd)
{
	struct stat st;

	if (!geteuid() && a->process.uid && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid &&
	    fchown(fd, a->process.uid, a->process.gid))
		cli_note(NULL, "the trace stays ours: its program may not be able to write it");
}

static void attached_hear_signals(void)
{
	static const int sent[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
		sigaction(sent[i], &(struct sigaction){.sa_handler = attached_stop}, NULL);
}

static int attached_report(const struct attach *a, enum attach_end end, const char *path)
{
	const struct cap_attached *last = &a->last;
	int error = (int)atomic_load(&last->outcome.error);
	uint64_t n;

	for (unsigned i = 0; i < CAP_LOSSES; i++)
		if ((n = atomic_load(&last->outcome.lost[i])))
			cli_note(path, "loss: %s: %" PRIu64, cap_loss_text[i], n);
	if ((n = atomic_load(&last->unwritable)))
		cli_note(a->process.name,
			 "%" PRIu64 " of its calls could not be redirected to the recorder", n);
	if (end == ATTACH_STOPPED)
		cli_note(a->process.name, "goes on without the recorder");
	else if (end == ATTACH_ENDED)
		cli_note(a->process.name, "has ended");
	else if (end == ATTACH_LEFT)
		cli_note(a->process.name, "became another program (exec), which is not recorded");
	else
		cli_error(a->process.name, "does not answer: it is stopped. Its recording ends by "
					   "itself when it goes on");
	if ((n = atomic_load(&last->old)))
		cli_note(a->process.name, "frees of blocks from before the attach: %" PRIu64, n);
	if (error)
		cli_error(path, "the trace is incomplete: %s", strerror(error));
	return error || end == ATTACH_SILENT ? EXIT_INPUT : 0;
}

int attached_record(struct attach *a, const char *library, const struct cap_settings *s,
		    const char *path, int fd, struct recorded *r)
{
	char *whole = realpath(path, NULL);
	struct err e = ERR_INIT;
	enum attach_end end;
	struct stat st;
	bool plain = !lstat(path, &st) && S_ISREG(st.st_mode);
	int status;

	attached_give(a, fd);
	close(fd);
	attached_hear_signals();
	if (!whole || attach_begin(a, library, s, whole, &e)) {
		if (!whole)
			err_sys(&e, "cannot open");
		cli_fail(a->process.name, &e);
		if (plain) /* and not a device */
			unlink(path);
		free(whole);
		return EXIT_INPUT;
	}
	cli_note(a->process.name, "is being recorded: %s ends the recording, not the program",
		 s->duration_ms ? "an interrupt (Ctrl-C), or the time given,"
				: "an interrupt (Ctrl-C)");
	r->ns = (uint64_t)clock_ns();
	end = attach_wait(a, &stop, s->duration_ms);
	r->ns = (uint64_t)clock_ns() - r->ns;
	r->path = path;
	r->program = a->process.name;
	r->runs = true;
	status = attached_report(a, end, path);
	if (end != ATTACH_SILENT)
		recorded_end(r);
	free(whole);
	return status;
}

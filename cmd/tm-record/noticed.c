/* SPDX-License-Identifier: MIT */
#include "cmd/tm-record/noticed.h"

#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"
#include "lib/inspect/fitness.h"
#include "lib/record/lua.h"
#include "lib/record/program.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* By tm-inspect's judgement of the program's own file. */
static void noticed_fitness(const char *path, enum capability c, const char *what)
{
	struct inspect x = {0};
	struct object_search search = {0};
	struct err e = ERR_INIT;
	struct fitness f = {.fit = FIT_UNKNOWN};

	if (!inspect_open(&x, path, &search, &e))
		fitness_of(&x, c, &f);
	if (f.fit == FIT_NO)
		cli_note(path, "%s: %s", what, f.why);
	inspect_release(&x);
}

void noticed_start(const struct launch *l)
{
	const char *path = l->program;

	if (cli_now->quiet)
		return;
	if ((l->unseen & PROGRAM_OWN_MALLOC) && !(l->unseen & PROGRAM_RECORDS_ITSELF))
		cli_note(path, "has its own malloc, such as a static jemalloc, whose blocks are "
			       "not recorded: link a shared one, or libtracemill-wrap.a");
	if (l->unseen & PROGRAM_GO)
		cli_note(path, "is a Go program: its Go heap is not recorded, only allocations of "
			       "its C code; " PROGRAM_GO_PROFILES);
	if (l->settings.stacks == CAP_STACKS_FP)
		noticed_fitness(path, FIT_FRAME_POINTERS,
				"--stacks fp will cut its stacks short (--stacks unwind does not)");
	if (l->settings.stacks == CAP_STACKS_SHADOW)
		noticed_fitness(path, FIT_INSTRUMENTED,
				"--stacks shadow will see no calls in its own code");
	if (l->settings.calls == CAP_CALLS_ALL)
		noticed_fitness(path, FIT_INSTRUMENTED,
				"--calls all will see no calls in its own code");
}

static void noticed_lua(const struct launch *l, char *const *argv)
{
	struct buf line = BUF_INIT;

	if (!lua_advice(&line, l->program, l->library, argv))
		return;
	if (line.len)
		cli_note(*argv,
			 "runs Lua: this trace has functions of the interpreter; this records "
			 "those of the script: %s",
			 buf_str(&line));
	else
		cli_note(*argv,
			 "runs Lua: this trace has functions of the interpreter; tracemill-lua(3) "
			 "records those of the script");
	buf_release(&line);
}

/* CPython keeps objects of up to 512 bytes in arenas of its own, which it maps (Objects/obmalloc.c). */
static void noticed_python(const struct launch *l, char *const *argv)
{
	struct buf line = BUF_INIT;
	char file[PATH_MAX];

	if (getenv("PYTHONMALLOC") || !realpath(l->program, file) ||
	    strncmp(path_base(file), "python3", 7) != 0)
		return;
	for (size_t i = 0; argv[i]; i++) {
		buf_addc(&line, ' ');
		buf_add_shell(&line, argv[i]);
	}
	cli_note(
	    *argv,
	    "runs Python: objects of up to 512 bytes are in Python's own arenas, not in malloc; "
	    "this records them: PYTHONMALLOC=malloc tracemill run%s",
	    buf_str(&line));
	buf_release(&line);
}

/* Functions that the user has named. */
static void noticed_frames(const struct launch *l, char *const *argv)
{
	const char *names = l->settings.frames_at;

	if (*names && strcmp(names, "none") != 0 && l->outcome && !atomic_load(&l->outcome->framed))
		cli_note(*argv, "no frames: no call of %s by a symbol was seen", names);
}

int noticed_end(const struct launch *l, char *const *argv, int status)
{
	switch (launch_loaded(l)) {
	case CAP_NOT_LOADED:
		if (*l->library)
			cli_error(*argv,
				  "nothing was recorded: the capture library was not loaded into "
				  "it; is %s to be read from where it ran (a container, another "
				  "root)?",
				  l->library);
		else
			cli_error(
			    *argv,
			    "nothing was recorded: the runtime that is linked into it did not "
			    "start");
		return status ? status : EXIT_INPUT;
	case CAP_LEFT:
		cli_note(*argv, "became another program (exec), of which nothing was recorded: the "
				"capture library was not loaded into it, or its descriptors were "
				"closed before");
		break;
	default:
		noticed_frames(l, argv);
		noticed_lua(l, argv);
		noticed_python(l, argv);
		break;
	}
	return status;
}

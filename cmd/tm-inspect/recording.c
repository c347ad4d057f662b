/* SPDX-License-Identifier: MIT
 *
 * Sources: the kernel's Documentation/admin-guide/LSM/Yama.rst (ptrace_scope) and
 * Documentation/timers/timekeeping.rst (clock sources); clocks that a program reads without a system call:
 * vdso(7).
 */
#include "cmd/tm-inspect/recording.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/inspect/fitness.h"
#include "lib/record/launch.h"
#include "lib/record/program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *const check_names[RECORDING_CHECKS] = {
    [RECORDING_PROGRAM] = "recording",   [RECORDING_LIBRARY] = "recorder-library",
    [RECORDING_ALLOCATOR] = "allocator", [RECORDING_FRAMES] = "frames",
    [RECORDING_CLOCK] = "clock",         [RECORDING_DISK] = "disk",
    [RECORDING_ATTACH] = "attach",       [RECORDING_ADB] = "adb"};

static void __attribute__((format(printf, 5, 6)))
put(struct recording *r, unsigned check, enum fit fit, const char *fix, const char *fmt, ...)
{
	struct recording_check *c = &r->checks[check];
	va_list args;

	c->fit = fit_words[fit];
	c->fix = fix;
	va_start(args, fmt);
	vsnprintf(c->why, sizeof c->why, fmt, args);
	va_end(args);
}

/* The first word of a small file; false: it cannot be read. */
static bool read_word(const char *path, char word[64])
{
	FILE *f = fopen(path, "re");
	bool is_read = f && fscanf(f, "%63s", word) == 1;

	if (f)
		fclose(f);
	return is_read;
}

static bool look_at_program(struct recording *r, const char *program)
{
	struct err e = ERR_INIT;

	if (program_check(program, &r->path, &e)) {
		put(r, RECORDING_PROGRAM, FIT_NO,
		    e.code == ST_NONE ? "give its path"
				      : "libtracemill-capture(3): what to link into it, or to use "
					"on other systems",
		    "%s", e.msg);
		return false;
	}
	put(r, RECORDING_PROGRAM, FIT_YES, NULL, "a library can be loaded into %s", r->path);
	return true;
}

static bool look_at_library(struct recording *r)
{
	unsigned differs = r->path ? program_differs(r->path) : 0;
	char library[CAP_PATH_MAX];

	if (r->path && program_unseen(r->path) & PROGRAM_RECORDS_ITSELF)
		put(r, RECORDING_LIBRARY, FIT_YES, NULL, "the recorder is linked into the program");
	else if (launch_find_library(NULL,
				     differs & PROGRAM_MUSL      ? "musl/"
				     : differs & PROGRAM_32_BITS ? "32/"
								 : "",
				     library))
		put(r, RECORDING_LIBRARY, FIT_YES, NULL, "%s", library);
	else {
		put(r, RECORDING_LIBRARY, FIT_NO,
		    "install the recorder's library, or name it: tm-record --library FILE",
		    "the library for programs of this kind%s is not there",
		    differs & PROGRAM_MUSL      ? " (musl)"
		    : differs & PROGRAM_32_BITS ? " (32 bits)"
						: "");
		return false;
	}
	return true;
}

static void look_at_allocator(struct recording *r)
{
	unsigned unseen = r->path ? program_unseen(r->path) : 0;

	if (!r->path)
		put(r, RECORDING_ALLOCATOR, FIT_UNKNOWN, NULL, "there is no program to look at");
	else if (r->checks[RECORDING_PROGRAM].fit == fit_words[FIT_NO])
		put(r, RECORDING_ALLOCATOR, FIT_UNKNOWN, NULL, "the program cannot be recorded");
	else if (unseen & PROGRAM_GO)
		put(r, RECORDING_ALLOCATOR, FIT_PARTLY, PROGRAM_GO_PROFILES,
		    "a Go program: only the C code's allocations are recorded, not the Go heap");
	else if (unseen & PROGRAM_OWN_MALLOC && !(unseen & PROGRAM_RECORDS_ITSELF))
		put(r, RECORDING_ALLOCATOR, FIT_NO,
		    "link the allocator as a shared library, or link libtracemill-wrap.a",
		    "the program has its own malloc, whose blocks are not recorded");
	else
		put(r, RECORDING_ALLOCATOR, FIT_YES, NULL, "malloc is that of a shared library");
}

/* Those that a program cannot read without a system call cost a microsecond an event. */
static void look_at_clock(struct recording *r)
{
	static const char *const fast[] = {"tsc", "kvm-clock", "arch_sys_counter", "timebase"};
	char word[64];

	if (!read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource", word)) {
		put(r, RECORDING_CLOCK, FIT_UNKNOWN, NULL,
		    "the kernel does not say which it reads");
		return;
	}
	for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
		if (!strcmp(word, fast[i]) || !strncmp(word, "hyperv", 6)) {
			put(r, RECORDING_CLOCK, FIT_YES, NULL, "%s: read without a system call",
			    word);
			return;
		}
	put(r, RECORDING_CLOCK, FIT_PARTLY,
	    "boot with clocksource=tsc if the processor's clock is stable",
	    "%s: each event costs a system call", word);
}

static void look_at_disk(struct recording *r)
{
	enum { ENOUGH_MB = 1024 };
	struct statvfs s;
	unsigned long long mb;

	if (access(".", W_OK) || statvfs(".", &s)) {
		put(r, RECORDING_DISK, FIT_NO, "change to another folder, or give -o FILE",
		    "no file can be made in this folder: %s", strerror(errno));
		return;
	}
	mb = (unsigned long long)s.f_bavail * s.f_frsize >> 20;
	if (mb < ENOUGH_MB)
		put(r, RECORDING_DISK, FIT_PARTLY, "record to another file system: -o FILE",
		    "%llu MiB are free in this folder; 100 million events take some 200 MB", mb);
	else
		put(r, RECORDING_DISK, FIT_YES, NULL, "%llu MiB are free in this folder", mb);
}

static void look_at_attach(struct recording *r)
{
	char word[64];
	bool there = read_word("/proc/sys/kernel/yama/ptrace_scope", word);

	if (!geteuid() && !(there && *word == '3'))
		put(r, RECORDING_ATTACH, FIT_YES, NULL, "root may attach (tm-record --pid)");
	else if (!there || *word == '0')
		put(r, RECORDING_ATTACH, FIT_YES, NULL,
		    "you may attach to your own processes (tm-record --pid)");
	else if (*word == '3')
		put(r, RECORDING_ATTACH, FIT_NO, "start the program with tm-record",
		    "nobody may attach until the next boot (ptrace_scope 3)");
	else
		put(r, RECORDING_ATTACH, FIT_PARTLY,
		    "run tm-record --pid with sudo, or start the program with tm-record",
		    "only root may attach to a running program (ptrace_scope %s)", word);
}

static void look_at_adb(struct recording *r)
{
	const char *dirs = getenv("PATH");
	struct buf b = BUF_INIT;
	bool found = false;

	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs && !found;) {
		size_t n = strcspn(dirs, ":");

		b.len = 0;
		buf_add(&b, n ? dirs : ".", n ? n : 1);
		buf_adds(&b, "/adb");
		found = !access(buf_str(&b), X_OK);
		dirs += n + (dirs[n] == ':');
	}
	if (found)
		put(r, RECORDING_ADB, FIT_YES, NULL, "%s", buf_str(&b));
	else
		put(r, RECORDING_ADB, FIT_NO,
		    "only for Android: install adb (Debian's package adb)", "adb is not in PATH");
	buf_release(&b);
}

bool recording_look(struct recording *r, const char *program)
{
	bool able;

	*r = (struct recording){.path = NULL};
	able = look_at_program(r, program);
	able &= look_at_library(r);
	look_at_allocator(r);
	look_at_clock(r);
	look_at_disk(r);
	look_at_attach(r);
	look_at_adb(r);
	put(r, RECORDING_FRAMES, FIT_UNKNOWN, NULL, "the program's symbols were not read");
	return able;
}

struct frame_functions {
	const char *present, *mark;
};

static void see_frame_function(void *arg, const struct object_linked *s)
{
	struct frame_functions *f = arg;

	if (!s->undefined)
		return;
	if (!strncmp(s->name, "tracemill_mark_frame", 20))
		f->mark = s->name;
	for (const char *const *p = cap_frames_at_known; *p; p++)
		if (!strcmp(s->name, *p) && !f->present)
			f->present = *p;
}

void recording_symbols(struct recording *r, const struct inspect *x)
{
	struct frame_functions f = {NULL, NULL};
	uint64_t n;

	if (!object_each_linked(x->file.object, true, &n, see_frame_function, &f))
		return;
	if (f.mark)
		put(r, RECORDING_FRAMES, FIT_YES, NULL, "the program marks its frames (%s)",
		    f.mark);
	else if (f.present)
		put(r, RECORDING_FRAMES, FIT_YES, NULL, "a frame begins at each call of %s",
		    f.present);
	else
		put(r, RECORDING_FRAMES, FIT_UNKNOWN,
		    "tm-record --frames-at FUNCTION, or tracemill_frame() of tracemill.h",
		    "the program itself calls no function that is known to show a frame; its "
		    "libraries may");
}

void recording_rows(const struct recording *r, const char *program, struct table_buf *to)
{
	for (unsigned i = 0; i < RECORDING_CHECKS; i++) {
		const struct recording_check *c = &r->checks[i];
		struct table_cell *row = table_buf_row(to);

		row[0] = table_buf_text(to, program);
		row[1] = table_buf_text(to, check_names[i]);
		row[2] = table_buf_text(to, c->fit);
		row[3] = table_buf_text(to, c->why);
		row[4] = table_buf_text(to, c->fix);
	}
}

void recording_release(struct recording *r)
{
	free(r->path);
	r->path = NULL;
}

/* SPDX-License-Identifier: MIT */
#include "lib/record/attach.h"

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/record/inject.h"
#include "lib/record/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOW = 2, OLD_DLOPEN = (int)0x80000000, TICK_MS = 50, LEAVE_MS = 10000 };

enum status attach_look(struct attach *a, pid_t pid, const char *library, struct err *e)
{
	*a = (struct attach){.ends = -1};
	return running_look(&a->process, pid, library, e);
}

void attach_release(struct attach *a)
{
	if (a->ends >= 0)
		close(a->ends);
	running_release(&a->process);
}

/* Why dlopen has failed, in its own words. */
static enum status attach_not_loaded(struct attach *a, struct inject *x, struct err *e)
{
	const uint64_t none[6] = {0};
	char text[256] = "";
	uint64_t at;

	if (a->process.dlerror && !inject_call(x, a->process.dlerror, none, &at, e) && at)
		for (size_t i = 0;
		     i + 1 < sizeof text && running_read(&a->process, at + i, text + i, 1); i++)
			if (!text[i])
				break;
	text[sizeof text - 1] = 0;
	return err_set(e, ST_UNSUPPORTED, "does not load the capture library%s%s",
		       *text ? ": " : "", text);
}

static enum status attach_refused(const struct attach *a, uint64_t why, struct err *e)
{
	if (why == CAP_ATTACH_TWICE)
		return err_set(e, ST_UNSUPPORTED, "is recorded already");
	if (why == CAP_ATTACH_NO_OUTPUT)
		return err_set(e, ST_UNSUPPORTED,
			       "cannot open the trace: user %u must be able to write it, in the "
			       "files that it sees",
			       (unsigned)a->process.uid);
	return err_set(e, ST_UNSUPPORTED, "had no room for the recorder");
}

static enum status attach_call(struct attach *a, struct inject *x, const char *library,
			       const char *settings, struct err *e)
{
	uint64_t text = inject_text(x, library), told = inject_text(x, settings), result, function;
	const uint64_t open[6] = {
	    text, a->process.dlopen_is_old ? (uint64_t)(NOW | (uint32_t)OLD_DLOPEN) : NOW};
	const uint64_t begin[6] = {told};
	enum status st;

	if (!text || !told)
		return err_set(e, ST_UNSUPPORTED, "cannot be written to");
	st = inject_call(x, a->process.dlopen, open, &result, e);
	if (st)
		return st;
	if (!result)
		return attach_not_loaded(a, x, e);
	function = running_symbol(&a->process, library, "tracemill_attach");
	if (!function)
		return err_set(e, ST_UNSUPPORTED, "%s cannot record a running process", library);
	st = inject_call(x, function, begin, &result, e);
	if (!st && result < 4096)
		st = attach_refused(a, result, e);
	a->at = st ? 0 : result;
	return st;
}

/* A thread that calls for us must not be left there. */
enum status attach_begin(struct attach *a, const char *library, const struct cap_settings *s,
			 const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	struct inject x;
	sigset_t all, before;
	enum status st;

	launch_describe(&text, s);
	buf_addf(&text, " attached=1 out=%s", path);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	a->ends = (int)syscall(SYS_pidfd_open, a->process.pid, 0);
	st = inject_begin(&x, &a->process, e);
	if (!st)
		st = attach_call(a, &x, library, buf_str(&text), e);
	inject_end(&x);
	sigprocmask(SIG_SETMASK, &before, NULL);
	buf_release(&text);
	return st;
}

static bool has_ended(const struct attach *a, unsigned ms)
{
	struct pollfd p = {.fd = a->ends, .events = POLLIN};

	if (poll(&p, a->ends >= 0, (int)ms) > 0)
		return true;
	return a->ends < 0 && kill(a->process.pid, 0) && errno == ESRCH;
}

/* False: it is not there any more. */
static bool attach_hear(struct attach *a)
{
	struct cap_attached now = {0};

	if (!running_read(&a->process, a->at, &now, sizeof now) || now.mark != CAP_ATTACHED)
		return false;
	a->last = now;
	return true;
}

static void attach_write(struct attach *a, size_t member, uint32_t value)
{
	running_write(&a->process, a->at + member, &value, sizeof value);
}

enum attach_end attach_wait(struct attach *a, const volatile int *stop, uint64_t ms)
{
	uint64_t begin = (uint64_t)clock_ns() / 1000000, asked = 0;

	for (;;) {
		uint64_t now = (uint64_t)clock_ns() / 1000000;

		if (has_ended(a, 0))
			return ATTACH_ENDED;
		if (!attach_hear(a))
			return has_ended(a, TICK_MS) ? ATTACH_ENDED : ATTACH_LEFT;
		if (atomic_load(&a->last.state) == CAP_ATTACH_ENDED)
			return ATTACH_STOPPED;
		if (asked && now - asked > LEAVE_MS)
			return ATTACH_SILENT;
		if (!asked && (*stop || (ms && now - begin >= ms))) {
			attach_write(a, offsetof(struct cap_attached, leave), 1);
			asked = now;
		}
		attach_write(a, offsetof(struct cap_attached, beat), ++a->beat);
		has_ended(a, asked ? 5 : TICK_MS);
	}
}

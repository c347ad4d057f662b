/* SPDX-License-Identifier: MIT */
#include "lib/sandbox/sandbox.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/sandbox/impl.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void (*sandbox_on_breach)(void);

static struct sandbox_grant *grants;
static size_t n_grants, cap_grants;
static const char *off;
static bool entered, narrows;
static struct buf said;

void sandbox_allow(enum sandbox_path how, const char *path)
{
	VEC_PUSH(grants, n_grants, cap_grants) = (struct sandbox_grant){how, path};
}

void sandbox_allow_nothing(void)
{
	n_grants = 0;
}

void sandbox_forget(const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < n_grants; i++)
		if (grants[i].path != path)
			grants[n++] = grants[i];
	n_grants = n;
}

void sandbox_off(const char *why)
{
	off = why;
}

bool sandbox_entered(void)
{
	return entered;
}

/* NULL: it can be on. */
static const char *sandbox_why_off(void)
{
	static const char *const variables[] = {"LD_PRELOAD", "LD_AUDIT"};

	if (off)
		return off;
#ifdef COVERAGE
	return "a build for coverage";
#endif
	if (SANDBOX_SANITIZED)
		return "a sanitizer's build";
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *s = getenv(variables[i]);

		if (s && *s)
			return "LD_PRELOAD or LD_AUDIT is set, and what they load has calls of its "
			       "own";
	}
	return NULL;
}

enum { TEXTS = 32 << 10 }; /* bytes: four paths of the longest */

const char *sandbox_text(const char *s)
{
	static char *texts;
	static size_t used;
	size_t n = strlen(s) + 1;
	char *to, *at = (char *)(uintptr_t)(SANDBOX_LOW / 2);

	if (!texts)
		texts = mmap(at, TEXTS, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (texts != at || n > TEXTS - used || mprotect(texts, TEXTS, PROT_READ | PROT_WRITE))
		return mem_strdup(s); /* then the folder alone is held */
	to = memcpy(texts + used, s, n);
	used += n;
	mprotect(texts, TEXTS, PROT_READ);
	return to;
}

int sandbox_kept_fd = INT_MAX;

void sandbox_keep(int fd)
{
	sandbox_kept_fd = fd;
}

void sandbox_enter_thread(const char *folder, const struct sandbox_call *calls, size_t n)
{
	const struct sandbox_grant names = {SANDBOX_NAMES, folder};
	const struct sandbox_held h = {.grants = &names, .n = 1, .calls = calls, .n_calls = n};

	if (sandbox_why_off())
		return;
	sandbox_hold_paths(&h);
	sandbox_hold_calls(&h);
}

static bool granted(enum sandbox_path how)
{
	for (size_t i = 0; i < n_grants; i++)
		if (grants[i].how == how)
			return true;
	return false;
}

/* NFS and old overlays, for example, have none. */
static bool makes_unnamed(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct sandbox_held held_by(const struct sandbox_profile *p)
{
	struct sandbox_held h = {.rights = p->rights, .grants = grants, .n = n_grants};
	const char *spool = getenv("TMPDIR");

	h.program = p->program;
	h.spool = spool && *spool ? spool : "/tmp";
	if (!granted(SANDBOX_STORE) && !granted(SANDBOX_CACHE)) {
		h.refuses_files = h.rights & SANDBOX_FILES;
		h.rights &= ~(unsigned)SANDBOX_FILES;
	}
	h.stores = h.rights & SANDBOX_FILES && granted(SANDBOX_STORE);
	h.unnamed_spool = h.rights & SANDBOX_SPOOL && makes_unnamed(h.spool);
	return h;
}

static void describe_folders(const struct sandbox_held *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct sandbox_grant *g = &h->grants[i];

		if ((g->how == SANDBOX_STORE || g->how == SANDBOX_CACHE) &&
		    h->rights & SANDBOX_FILES)
			buf_addf(&said, ", writes below %s", g->path);
	}
}

static void describe_files(const struct sandbox_held *h)
{
	if (!(h->rights & (SANDBOX_NAMED | SANDBOX_ANY_FILE)))
		buf_adds(&said, "opens no file");
	else
		buf_addf(&said, "reads %s",
			 h->rights & SANDBOX_ANY_FILE ? "any file" : "what it was given");
	if (h->rights & SANDBOX_SPOOL)
		buf_addf(&said, ", has %s files in %s", h->unnamed_spool ? "unnamed" : "new",
			 h->spool);
	describe_folders(h);
}

static void sandbox_describe(const struct sandbox_held *h, int calls, int abi)
{
	if (calls && abi < 0) {
		buf_addf(&said, "none: seccomp: %s; Landlock: %s", strerror(calls), strerror(-abi));
		return;
	}
	if (!calls)
		buf_adds(&said, "seccomp");
	if (abi > 0)
		buf_addf(&said, "%sLandlock ABI %d", calls ? "" : " and ", abi);
	if (calls) {
		buf_addf(&said, " (seccomp: %s): ", strerror(calls));
	} else {
		if (abi < 0)
			buf_addf(&said, " (Landlock: %s: paths are not held)", strerror(-abi));
		buf_addf(&said, ": %s, no exec, ",
			 h->rights & SANDBOX_NETWORK ? "network" : "no network");
	}
	describe_files(h);
}

const char *sandbox_enter(const struct sandbox_profile *p)
{
	const char *why = p->rights & SANDBOX_FREE ? p->why : sandbox_why_off();
	struct sandbox_held h;
	int calls, abi;

	said.len = 0;
	if (why) {
		buf_addf(&said, "off: %s", why);
		return buf_str(&said);
	}
	h = held_by(p);
	/* What opens nothing needs no paths held; and after the calls are held it is too late:
	 * a process that enters within another profile has the paths of that one. */
	abi = h.rights && (!entered || narrows) ? sandbox_hold_paths(&h) : 0;
	calls = sandbox_hold_calls(&h);
	entered |= !calls || abi > 0;
	narrows = p->rights & SANDBOX_NARROWS;
	sandbox_describe(&h, calls, abi);
	return buf_str(&said);
}

/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/settings.h"

#include <stddef.h>
#include <string.h>

const char *const cap_loss_text[CAP_LOSSES] = {
    [CAP_LOSS_UNREADY] = "events before the C library was ready",
    [CAP_LOSS_NESTED] = "events from signal handlers inside the recorder",
    [CAP_LOSS_RINGLESS] = "events of threads beyond the recorder's limit",
    [CAP_LOSS_DROPPED] = "events dropped: the output was too slow",
    [CAP_LOSS_WAITED] = "events, or parts of them, given up: a thread was stopped in the recorder",
    [CAP_LOSS_NAMES] = "names (of frames, counters, types) beyond the recorder's limit",
    [CAP_LOSS_READINGS] = "readings of counters that are not numbers, or too large, left out",
    [CAP_LOSS_FREES] = "frees not recorded: too many sampled blocks live",
    [CAP_LOSS_DEPTH] = "stacks without their outer callers: deeper than --depth",
    [CAP_LOSS_STRAY] = "stacks without their outer callers: there is no code where they lead",
    [CAP_LOSS_TABLE] = "stacks cut short: the recorder's table is full",
    [CAP_LOSS_MAPPINGS] = "mappings beyond the recorder's limit",
    [CAP_LOSS_SHADOW_DEPTH] = "calls deeper than the shadow stack",
    [CAP_LOSS_SHADOW_NESTED] = "calls in signal handlers that interrupted a compiler's hook",
    [CAP_LOSS_SHADOW_FOREIGN] = "calls on more stacks beside those of threads than are kept",
    [CAP_LOSS_SHADOW_ORPHANS] = "exits of calls that were not open",
    [CAP_LOSS_JUMPS] = "calls that ended by a jump, at an unknown time",
    [CAP_LOSS_TEXTS] = "texts of calls without room, or too late",
    [CAP_LOSS_SITES] = "markers without a name: too many places",
    [CAP_LOSS_MODULES] = "modules beyond the recorder's limit",
};

/* SDL 2 and 3, SDL 1.2, GLFW, Allegro, GLUT; GLX, EGL, Vulkan. */
const char *const cap_frames_at_known[] = {"SDL_GL_SwapWindow",
					   "SDL_RenderPresent",
					   "SDL_UpdateWindowSurface",
					   "SDL_GL_SwapBuffers",
					   "SDL_Flip",
					   "glfwSwapBuffers",
					   "al_flip_display",
					   "glutSwapBuffers",
					   "glXSwapBuffers",
					   "eglSwapBuffers",
					   "eglSwapBuffersWithDamageKHR",
					   "eglSwapBuffersWithDamageEXT",
					   "vkQueuePresentKHR",
					   NULL};

/* No strtoull: it looks at the locale, which may not be there yet. */
static bool number(const char *p, size_t n, uint64_t *v)
{
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned digit = (unsigned)(p[i] - '0');

		if (digit > 9 || x > (UINT64_MAX - digit) / 10)
			return false;
		x = x * 10 + digit;
	}
	*v = x;
	return n > 0;
}

static bool is(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(p, word, n);
}

static bool calls(struct cap_settings *s, const char *p, size_t n)
{
	static const char *const words[] = {"none", "markers", "all"};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (is(p, n, words[i])) {
			s->calls = (enum cap_calls)i;
			return true;
		}
	return false;
}

static bool stacks(struct cap_settings *s, const char *p, size_t n)
{
	static const char *const words[] = {"auto", "fp", "unwind", "none", "shadow"};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (is(p, n, words[i])) {
			s->stacks = (enum cap_stacks)i;
			return true;
		}
	return false;
}

static bool settings_set(struct cap_settings *s, const char *key, size_t k, const char *p, size_t n)
{
	uint64_t v = 0;

	if (is(key, k, "stacks"))
		return stacks(s, p, n);
	if (is(key, k, "calls"))
		return calls(s, p, n);
	if (is(key, k, "frames")) {
		if (n >= sizeof s->frames_at)
			return false;
		memcpy(s->frames_at, p, n);
		s->frames_at[n] = 0;
		return true;
	}
	if (is(key, k, "wraps")) {
		if (n >= sizeof s->wraps)
			return false;
		memcpy(s->wraps, p, n);
		s->wraps[n] = 0;
		return true;
	}
	if (!number(p, n, &v))
		return false;
	if (is(key, k, "pid"))
		s->pid = v;
	else if (is(key, k, "fd") && v <= INT32_MAX)
		s->fd = (int)v;
	else if (is(key, k, "outcome") && v <= INT32_MAX)
		s->outcome = (int)v;
	else if (is(key, k, "inode"))
		s->inode = v;
	else if (is(key, k, "since"))
		s->since = v;
	else if (is(key, k, "threshold"))
		s->threshold = v;
	else if (is(key, k, "sample"))
		s->sample = v;
	else if (is(key, k, "depth") && v > 0)
		s->depth = v < CAP_DEPTH_MAX ? (unsigned)v : CAP_DEPTH_MAX;
	else if (is(key, k, "mmap"))
		s->mmap = v;
	else if (is(key, k, "times") && v <= CAP_TIMES_NS)
		s->times = (enum cap_times)v;
	else if (is(key, k, "children"))
		s->children = v;
	else if (is(key, k, "drop"))
		s->drop = v;
	else if (is(key, k, "attached"))
		s->attached = v;
	else if (is(key, k, "duration"))
		s->duration_ms = v;
	else if (is(key, k, "rss"))
		s->rss_ms = v;
	else
		return false;
	return true;
}

bool cap_settings_parse(struct cap_settings *s, const char *text)
{
	memset(s, 0, sizeof *s);
	s->fd = s->outcome = -1;
	s->depth = CAP_DEPTH;
	while (*text) {
		size_t n = strcspn(text, " "), k = strcspn(text, "= ");

		if (k == n && n > 0)
			return false;
		if (is(text, k, "out")) {
			n = strlen(text + k + 1);
			if (n >= sizeof s->out)
				return false;
			memcpy(s->out, text + k + 1, n + 1);
			return true;
		}
		if (n && !settings_set(s, text, k, text + k + 1, n - k - 1))
			return false;
		text += n;
		text += strspn(text, " ");
	}
	return true;
}

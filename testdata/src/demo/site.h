/* SPDX-License-Identifier: MIT
 *
 * The known truth. Every call that can end in a capture is written CALL(expression): for as
 * long as the call runs, the thread's site_stack holds who called (from __func__ and __LINE__, not
 * from debug information) and in which machine frame. The machine frame is what makes the
 * truth independent of inlining: entries with the same frame pointer are one return address.
 *
 * Rules: the whole CALL is on one line (its __LINE__ is the call's line), CALLs are not
 * nested, and no function between two of them is anything but ours.
 */
#ifndef DEMO_SITE_H
#define DEMO_SITE_H

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE      __attribute__((noinline))

struct Site {
	const char *func;
	const char *pretty;
	const char *file;
	int line;
};

struct SiteEntry {
	const Site *site;
	const void *frame;
};

enum { SITE_DEPTH_MAX = 256 };

/* One per thread. root is the machine frame of main() or of the thread's entry: what called
 * that is the C library and is outside the truth. */
struct SiteStack {
	const void *root;
	int depth;
	SiteEntry entry[SITE_DEPTH_MAX];
};

extern "C" __thread SiteStack site_stack __attribute__((tls_model("initial-exec")));

static ALWAYS_INLINE void site_push(const Site *site, const void *frame)
{
	site_stack.entry[site_stack.depth].site = site;
	site_stack.entry[site_stack.depth].frame = frame;
	site_stack.depth = site_stack.depth + 1;
}

/* Leaving restores the depth of entering, so an exception needs no help from the frames it
 * flies through. */
class SiteScope
{
      public:
	ALWAYS_INLINE SiteScope(const Site *site, const void *frame) : depth_(site_stack.depth)
	{
		site_push(site, frame);
	}
	ALWAYS_INLINE ~SiteScope()
	{
		site_stack.depth = depth_;
	}
	SiteScope(const SiteScope &) = delete;
	SiteScope &operator=(const SiteScope &) = delete;

      private:
	int depth_;
};

/* clang-format off */
#define SITE_HERE static const Site site_here_{__func__, __PRETTY_FUNCTION__, __FILE__, __LINE__}

#define CALL(expr) __extension__({ SITE_HERE; SiteScope site_scope_(&site_here_, __builtin_frame_address(0)); expr; })

/* For a callee that never returns: nothing may follow the call, so that the call is the
 * function's last instruction and its return address belongs to whatever comes next. */
#define CALL_LAST(expr) do { SITE_HERE; site_push(&site_here_, __builtin_frame_address(0)); expr; } while (0)

/* First statement of main() and of every thread's entry. */
#define SITE_ROOT() (site_stack.root = __builtin_frame_address(0), site_stack.depth = 0)
/* clang-format on */

#endif

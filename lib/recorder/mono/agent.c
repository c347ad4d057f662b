/* SPDX-License-Identifier: MIT
 *
 * Mono's profiler of the name tracemill: mono --profile=tracemill in a program that tm-record records. Objects with their
 * types and stacks, calls of methods and collections go into the trace of that recording, through script.h; native
 * blocks that C# code asks for have its stack, too.
 *
 * The word behind tracemill: may be calls=off; without it each method tells of its calls. Those of the class library do not:
 * Mono has them compiled ahead of time.
 *
 * Mono calls back in the thread that allocates or calls, and in the one that collects while the others stand still. Which
 * objects a collection frees is not known.
 *
 * Facts: mono/metadata/profiler.h of Mono 6.8 (MONO_PROFILER_API_VERSION 3).
 */
#include "lib/recorder/script.h"

#include <mono/metadata/assembly.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/profiler.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 17, WALK = 256, NAME = 512 };

struct _MonoProfiler { /* the tag that Mono's header gives it */
	MonoProfilerHandle handle;
	bool calls;
	uint32_t collector;  /* strand of collections */
	uint64_t collection; /* that is under way; 0: none is */
};

static struct _MonoProfiler agent = {.calls = true};

/* --- what is known of methods and classes: found once each, and never let go --- */

struct known {
	_Atomic(const void *) key;
	_Atomic uintptr_t value;
};

static struct known methods[KEYS], classes[KEYS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(const void *key)
{
	return (size_t)(((uintptr_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 47) & (KEYS - 1);
}

/* The one of this key, or the free one where it belongs; NULL: three quarters are full. */
static struct known *find_known(struct known *all, const void *key)
{
	size_t at = slot_of(key);

	for (size_t i = 0; i < KEYS - KEYS / 4; i++, at = (at + 1) & (KEYS - 1)) {
		const void *is = atomic_load_explicit(&all[at].key, memory_order_acquire);

		if (!is || is == key)
			return &all[at];
	}
	return NULL;
}

static bool is_known(const struct known *k)
{
	return k && atomic_load_explicit(&k->key, memory_order_relaxed);
}

static uintptr_t learn(struct known *all, void *key, uintptr_t (*make)(void *key))
{
	struct known *k = find_known(all, key);

	if (is_known(k))
		return atomic_load_explicit(&k->value, memory_order_relaxed);
	if (!k)
		return 0;
	tracemill_own(1);
	pthread_mutex_lock(&adding);
	k = find_known(all, key);
	if (k && !is_known(k)) {
		atomic_store_explicit(&k->value, make(key), memory_order_relaxed);
		atomic_store_explicit(&k->key, key, memory_order_release);
	}
	pthread_mutex_unlock(&adding);
	tracemill_own(0);
	return k ? atomic_load_explicit(&k->value, memory_order_relaxed) : 0;
}

/* "Game.Level.Load": nested classes with their outer ones. */
static void add_class(MonoClass *c, char *to, size_t room)
{
	MonoClass *outer = mono_class_get_nesting_type(c);
	const char *space = mono_class_get_namespace(c);
	size_t n;

	if (outer)
		add_class(outer, to, room);
	else if (space && *space)
		snprintf(to, room, "%s", space);
	n = strlen(to);
	snprintf(to + n, room - n, "%s%s", n ? "." : "", mono_class_get_name(c));
}

static uintptr_t place_of(void *key)
{
	MonoMethod *method = key;
	MonoDebugMethodInfo *info = mono_debug_enabled() ? mono_debug_lookup_method(method) : NULL;
	MonoDebugSourceLocation *at = info ? mono_debug_method_lookup_location(info, 0) : NULL;
	char name[NAME] = "";
	uint64_t place;
	size_t n;

	add_class(mono_method_get_class(method), name, sizeof name);
	n = strlen(name);
	snprintf(name + n, sizeof name - n, ".%s", mono_method_get_name(method));
	place = tracemill_script_place(name, at ? at->source_file : NULL, at ? at->row : 0);
	if (at)
		mono_debug_free_source_location(at);
	return (uintptr_t)place;
}

static uintptr_t type_of(void *key)
{
	return (uintptr_t)mono_type_get_name(mono_class_get_type(key));
}

/* --- calls --- */

static __thread struct script_stack *own;
static __thread uint32_t strand;
static __thread bool asked;

static struct script_stack *stack_of_thread(void)
{
	if (!asked) {
		asked = true;
		own = tracemill_script_stack(&agent);
		strand = agent.calls ? tracemill_script_strand() : 0;
	}
	return own;
}

static void on_enter(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	struct script_stack *s = stack_of_thread();
	uint64_t place = learn(methods, method, place_of);

	(void)p, (void)context;
	if (!s || !place)
		return;
	if (s->n < SCRIPT_DEPTH)
		s->call[s->n] = (struct script_call){place, (uintptr_t)__builtin_frame_address(0)};
	atomic_signal_fence(memory_order_seq_cst);
	s->n++;
	tracemill_script_call(1, place, tracemill_script_time(), strand, "C#");
}

/* Those above it have been left without a word. */
static void leave(MonoMethod *method)
{
	struct script_stack *s = stack_of_thread();
	uint64_t place = learn(methods, method, place_of);
	int64_t now = tracemill_script_time();
	uint32_t n = s ? s->n : 0;

	if (!place)
		return;
	while (n && n <= SCRIPT_DEPTH && s->call[n - 1].place != place)
		n--;
	if (!n)
		return;
	for (; s->n > n; s->n--)
		if (s->n <= SCRIPT_DEPTH)
			tracemill_script_call(0, s->call[s->n - 1].place, now, strand, "C#");
	s->n--;
	tracemill_script_call(0, place, now, strand, "C#");
}

static void on_leave(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)context;
	leave(method);
}

static void on_tail_call(MonoProfiler *p, MonoMethod *method, MonoMethod *target)
{
	(void)p, (void)target;
	leave(method);
}

static void on_exception_leave(MonoProfiler *p, MonoMethod *method, MonoObject *exception)
{
	(void)p, (void)exception;
	leave(method);
}

/* When a method is compiled: is it to tell of its calls? */
static MonoProfilerCallInstrumentationFlags choose(MonoProfiler *p, MonoMethod *method)
{
	(void)p;
	if (mono_class_get_image(mono_method_get_class(method)) == mono_get_corlib())
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	       MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
	       MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

/* --- objects --- */

static atomic_bool collected; /* and the heap's size was not read since */

/* Mono takes a lock for these, which it has itself in all events of a collection. */
static void read_heap(void)
{
	if (!atomic_load_explicit(&collected, memory_order_relaxed) ||
	    !atomic_exchange(&collected, false))
		return;
	tracemill_counter_unit("mono.used", "B", mono_gc_get_used_size());
	tracemill_counter_unit("mono.heap", "B", mono_gc_get_heap_size());
}

struct walk {
	MonoMethod *methods[WALK]; /* innermost first */
	uint32_t n;
};

static mono_bool add_method(MonoMethod *method, int32_t native, int32_t il, mono_bool managed,
			    void *data)
{
	struct walk *w = data;

	(void)native, (void)il;
	if (managed && w->n < WALK)
		w->methods[w->n++] = method;
	return w->n == WALK;
}

/* Without calls the open methods are those that Mono finds on the stack now. */
static void walk_stack(struct script_stack *s)
{
	struct walk w = {.n = 0};

	mono_stack_walk_no_il(add_method, &w);
	for (uint32_t i = 0; i < w.n; i++)
		s->call[i] =
		    (struct script_call){learn(methods, w.methods[w.n - 1 - i], place_of), 0};
	s->n = w.n;
}

static void on_allocation(MonoProfiler *p, MonoObject *object)
{
	struct script_stack *s = stack_of_thread();
	MonoClass *c = mono_object_get_class(object);
	const char *type = (const char *)learn(classes, c, type_of);

	read_heap();
	if (s && !p->calls)
		walk_stack(s);
	tracemill_script_object(&agent, type, mono_object_get_size(object));
	if (s && !p->calls)
		s->n = 0;
}

/* --- collections --- */

static void on_gc_event(MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation,
			mono_bool serial)
{
	static uint64_t places[2]; /* by generation: the nursery, all */
	int64_t now = tracemill_script_time();

	(void)serial;
	if (event == MONO_GC_EVENT_START && !p->collection) {
		unsigned i = generation > 0;

		if (!places[i])
			places[i] = tracemill_script_place(
			    i ? "collection of all objects" : "collection of the nursery", NULL, 0);
		p->collection = places[i];
		tracemill_script_call(1, p->collection, now, p->collector, "Mono's collector");
	} else if (event == MONO_GC_EVENT_END && p->collection) {
		tracemill_script_call(0, p->collection, now, p->collector, "Mono's collector");
		p->collection = 0;
		atomic_store(&collected, true);
	}
}

/* --- */

__attribute__((visibility("default"))) void mono_profiler_init_tracemill(const char *words);

void mono_profiler_init_tracemill(const char *words)
{
	if (!tracemill_script_on()) {
		fputs("tracemill: nothing records this program: start it with tm-record\n", stderr);
		return;
	}
	agent.calls = !strstr(words, ":calls=off");
	agent.handle = mono_profiler_create(&agent);
	agent.collector = tracemill_script_strand();
	mono_profiler_enable_allocations();
	mono_profiler_set_gc_allocation_callback(agent.handle, on_allocation);
	mono_profiler_set_gc_event_callback(agent.handle, on_gc_event);
	if (!agent.calls)
		return;
	mono_profiler_set_call_instrumentation_filter_callback(agent.handle, choose);
	mono_profiler_set_method_enter_callback(agent.handle, on_enter);
	mono_profiler_set_method_leave_callback(agent.handle, on_leave);
	mono_profiler_set_method_tail_call_callback(agent.handle, on_tail_call);
	mono_profiler_set_method_exception_leave_callback(agent.handle, on_exception_leave);
}

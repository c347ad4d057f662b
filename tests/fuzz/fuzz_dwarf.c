/* SPDX-License-Identifier: MIT
 *
 * The reference engine over an ELF file with any debug sections. libdwarf is known to crash on
 * such: in the child process that is an answer.
 */
#include "lib/dwarf/engine.h"
#include "lib/object/object.h"
#include "tests/fuzz/answers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDRESSES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sanitizer's report in the child is a survived crash when libdwarf is on its stack, and our
 * failure otherwise. */
void __sanitizer_set_report_path(const char *path) __attribute__((weak));
void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));
void __asan_set_error_report_callback(void (*fn)(const char *)) __attribute__((weak));

static pid_t parent;
static bool foreign;

static void on_report(const char *text)
{
	foreign = strstr(text, "libdwarf.so") != NULL;
}

static void on_death(void)
{
	if (getpid() != parent && !foreign)
		kill(parent, SIGABRT);
}

static void set_up(void)
{
	parent = getpid();
	if (__sanitizer_set_report_path)
		__sanitizer_set_report_path("stderr");
	if (__asan_set_error_report_callback)
		__asan_set_error_report_callback(on_report);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_death);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_options options = {.jobs = 1, .seconds = 2, .memory = 256 << 20};
	struct dwarf_answers answers;
	struct dwarf_job job = {.n = ADDRESSES, .out = &answers};
	uint64_t addrs[ADDRESSES], lo = 0x1000, span = 0x1000;
	struct err e = ERR_INIT;
	struct object_section text;

	if (!parent)
		set_up();
	if (object_open_memory(&job.object, data, size, &e))
		return 0;
	if (!object_section(job.object, ".text", &text, &e) && text.size &&
	    text.addr < UINT64_MAX - text.size) {
		lo = text.addr;
		span = text.size < ADDRESSES ? ADDRESSES : text.size;
	}
	for (size_t i = 0; i < ADDRESSES; i++)
		addrs[i] = lo + span / ADDRESSES * i;
	job.addrs = addrs;
	dwarf_answers_init(&answers, job.n);
	if (dwarf_reference.run(&job, 1, &options, &e))
		abort();
	answers_check(&answers);
	dwarf_answers_release(&answers);
	object_free(job.object);
	return 0;
}

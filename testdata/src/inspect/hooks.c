/* SPDX-License-Identifier: MIT
 *
 * A file for tests/sh/inspect.sh: what LoliProfiler looks for, exported (-DEXPORT=default) or not.
 */
#define MADE __attribute__((visibility(EXPORT)))

MADE void loli_set_allocandfree(void *a, void *f)
{
	(void)a;
	(void)f;
}

MADE int get_stack_backtrace(void **to, int max)
{
	return to ? max : 0;
}

MADE void set_loli_ignore_func(void *f)
{
	(void)f;
}

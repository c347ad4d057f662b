/* SPDX-License-Identifier: MIT
 *
 * The program's environment without tm-record's words. Processes that it starts are not recorded
 * then, nor do they load the library, which may be for another machine, another C library or not
 * to be found where they are, or come before a sanitizer's. When the program itself calls exec, the
 * next one gets the words again. With --pid-children they stay where they are.
 */
#ifndef TM_RECORDER_BASE_ENVIRONMENT_H
#define TM_RECORDER_BASE_ENVIRONMENT_H

#include <stddef.h>

/* Takes CAP_VARIABLE out of env (environ), and library out of its LD_PRELOAD, where it is the
 * first. Does nothing when one of them is not there. While there is one thread. */
void cap_environment_hide(char **env, const char *library);
/* env, which may be NULL, with what was hidden; to be given back with cap_unmap and *size. env
 * itself when nothing was hidden, or there is no memory. */
char **cap_environment_restored(char *const *env, size_t *size);

#endif

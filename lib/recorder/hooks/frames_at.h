/* SPDX-License-Identifier: MIT
 *
 * Frames of programs that do not mark them: a frame begins at each call of the function that presents the last one
 * on the screen. Many functions do, and one calls another, as a driver's eglSwapBuffers may call the symbol of that name:
 * of those that are looked for, the first that is called is the outermost, and the only one whose calls are frames. An
 * address that a program was given for a name is a function of its own.
 *
 * A call is seen if a module calls the function by its symbol, or by an address that it got from dlsym,
 * glXGetProcAddress, eglGetProcAddress, vkGetInstanceProcAddr or vkGetDeviceProcAddr.
 */
#ifndef TM_RECORDER_HOOKS_FRAMES_AT_H
#define TM_RECORDER_HOOKS_FRAMES_AT_H

/* As a recording begins: its settings name the functions. */
void cap_frames_at_begin(void);
/* Looks for the functions in what is loaded, at the start and when modules have come. Takes the dynamic linker's
 * lock. In programs without any of the libraries nothing is redirected, unless the settings name functions. */
void cap_frames_at_look(void);

#endif

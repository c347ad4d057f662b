/* SPDX-License-Identifier: MIT
 *
 * A library with the functions that present a frame, as SDL and EGL have them, and by its macros two programs that call
 * them: MAIN by symbol, DL by addresses. Each prints how many calls there were. SDL_GL_SwapWindow calls
 * eglSwapBuffers, as the real one does, and has as many arguments as fit in registers.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void eglSwapBuffers(void *display, void *surface);
double SDL_GL_SwapWindow(void *w, int a, int b, int c, int d, int e, double x, double y);
void *eglGetProcAddress(const char *name);
extern int inner_calls, outer_calls;
int show_frame(int i);

#if defined MAIN || defined DL
static int wrong;

static void *volatile block;
static void update(int i)
{
	while (i--) {
		block = malloc(100);
		free(block);
	}
}
#endif

#ifdef MAIN
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;

	for (int i = 0; i < n; i++) {
		update(i);
		if (SDL_GL_SwapWindow(&wrong, 1, 2, 3, 4, 5, 2.5, i) != 2.5 * i)
			wrong++;
	}
	printf("%d outer %d inner %d wrong\n", outer_calls, inner_calls, wrong);
	return wrong;
}
#elif defined DL
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	void *library = dlopen("./libshown.so", RTLD_NOW), *(*get)(const char *);
	void (*swap)(void *, void *);

	if (!library)
		return 9;
	*(void **)&get = dlsym(library, "eglGetProcAddress");
	*(void **)&swap = get("eglSwapBuffers");
	wrong += dlsym(library, "no_such_function") != NULL || !dlerror();
	for (int i = 0; i < n; i++) {
		update(i);
		swap(NULL, NULL);
	}
	printf("%d inner %d wrong\n", *(int *)dlsym(library, "inner_calls"), wrong);
	return wrong;
}
#else
int inner_calls, outer_calls;

void eglSwapBuffers(void *display, void *surface)
{
	(void)display, (void)surface;
	inner_calls++;
}

double SDL_GL_SwapWindow(void *w, int a, int b, int c, int d, int e, double x, double y)
{
	eglSwapBuffers(w, NULL);
	outer_calls++;
	return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 ? x * y : -1;
}

int show_frame(int i)
{
	return i + 1;
}

/* Another one than the symbol's, as drivers have it. */
static void driver_swap(void *display, void *surface)
{
	eglSwapBuffers(display, surface);
}

void *eglGetProcAddress(const char *name)
{
	void *swap = NULL;

	if (!strcmp(name, "eglSwapBuffers"))
		*(void (**)(void *, void *)) & swap = driver_swap;
	return swap;
}
#endif

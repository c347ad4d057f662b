/* SPDX-License-Identifier: MIT
 *
 * main for a fuzz target without libFuzzer: replays the files and folders named on the command
 * line. Every input gets a heap block of exactly its size, so that a sanitizer sees a read one
 * byte past its end, and ten seconds of time.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static char current[4096];

static void name_the_input(void)
{
	static const char text[] = "while replaying ";

	if (write(2, text, sizeof text - 1) < 0 || write(2, current, strlen(current)) < 0 ||
	    write(2, "\n", 1) < 0)
		_exit(2);
}

static void out_of_time(int sig)
{
	static const char text[] = "no answer after 10 s ";

	(void)sig;
	if (write(2, text, sizeof text - 1) > 0)
		name_the_input();
	_exit(1);
}

static int unreadable(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return -1;
}

/* How many inputs were replayed, or -1 when one cannot be read. */
static int replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;

	if (!f)
		return unreadable(path);
	data = malloc(size);
	if (!data && size) {
		fclose(f);
		return unreadable(path);
	}
	if (size && fread(data, 1, size, f) != size) {
		fclose(f);
		free(data);
		return unreadable(path);
	}
	fclose(f);
	snprintf(current, sizeof current, "%s", path);
	alarm(SECONDS);
	LLVMFuzzerTestOneInput(data, size);
	alarm(0);
	free(data);
	return 1;
}

static int replay(const char *path);

static int replay_folder(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort), count = 0;

	if (n < 0)
		return unreadable(path);
	for (int i = 0; i < n; i++) {
		char inner[4096];
		int k = 0;

		if (names[i]->d_name[0] != '.' && count >= 0) {
			snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
			k = replay(inner);
			count = k < 0 ? -1 : count + k;
		}
		free(names[i]);
	}
	free(names);
	return count;
}

static int replay(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return unreadable(path);
	return S_ISDIR(st.st_mode) ? replay_folder(path) : replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	int count = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(name_the_input);
	signal(SIGALRM, out_of_time);
	for (int i = 1; i < argc; i++) {
		int k = replay(argv[i]);

		if (k < 0)
			return 1;
		count += k;
	}
	printf("replayed %d inputs\n", count);
	return count == 0; /* a replay of nothing shows nothing */
}

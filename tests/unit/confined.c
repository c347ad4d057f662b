/* SPDX-License-Identifier: MIT
 *
 * tm-record's look at a foreign file: the child has that file and nothing else, whatever the look becomes.
 */
#include "lib/sandbox/confined.h"

#include "lib/sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

struct answer {
	int result;
	char bytes[4];
};

static void reads(int fd, void *answer)
{
	struct answer *a = answer;

	a->result = (int)pread(fd, a->bytes, 4, 0);
}

/* Of the parent's descriptors it has none. */
static void closed(int fd, void *answer)
{
	struct answer *a = answer;

	(void)fd;
	a->result = 0;
	for (int other = 5; other < 64; other++)
		a->result += read(other, a->bytes, 0) == 0;
}

static void opens(int fd, void *answer)
{
	((struct answer *)answer)->result = open("/etc/passwd", O_RDONLY);
	(void)fd;
}

static void connects(int fd, void *answer)
{
	((struct answer *)answer)->result = socket(AF_INET, SOCK_STREAM, 0);
	(void)fd;
}

static void executes(int fd, void *answer)
{
	char *argv[] = {(char[]){"true"}, NULL};

	((struct answer *)answer)->result = execv("/bin/true", argv);
	(void)fd;
}

static pid_t parent;

static void traces(int fd, void *answer)
{
	((struct answer *)answer)->result = (int)ptrace(PTRACE_SEIZE, parent, NULL, NULL);
	(void)fd;
}

static void crashes(int fd, void *answer)
{
	(void)answer;
	(void)fd;
	_exit(0);
}

TEST(a_look_reads_its_file)
{
	struct answer a = {0};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	CHECK(confined_look(NULL, reads, fd, &a, sizeof a));
	CHECK_EQ(a.result, 4);
	CHECK(!memcmp(a.bytes, "\177ELF", 4));
	CHECK(confined_look(NULL, closed, fd, &a, sizeof a));
	CHECK_EQ(a.result, 0);
	CHECK(!confined_look(NULL, crashes, fd, &a, sizeof a));
	close(fd);
}

TEST(a_look_does_nothing_else)
{
	static void (*const looks[])(int, void *) = {opens, connects, executes, traces};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const char *preloaded = getenv("LD_PRELOAD");

	parent = getpid();

	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		struct answer a = {.result = 1};

		if (SANDBOX_SANITIZED || (preloaded && *preloaded))
			continue;
		CHECK(!confined_look(NULL, looks[i], fd, &a, sizeof a) || a.result < 0);
		CHECK(a.result <= 1);
	}
	close(fd);
}

TEST_MAIN()

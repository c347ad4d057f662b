/* SPDX-License-Identifier: MIT
 *
 * The limits of a process's memory: the allowance's arithmetic (lib/base/mem_budget.h), and limits of
 * control groups (machine.h) in folders made as cgroups(7) and the kernel's cgroup-v1/memory.rst
 * describe them.
 */
#include "lib/base/machine.h"
#include "lib/base/mem_budget.h"
#include "lib/base/pool.h"
#include "tests/unit/test.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char top[] = "/tmp/tm-memory-XXXXXX";

static void put_file(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", top, name);
	for (char *p = path + strlen(top) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	f = fopen(path, "w");
	if (!CHECK(f != NULL))
		return;
	fputs(text, f);
	fclose(f);
}

static uint64_t groups(const char *list)
{
	char name[300], root[300];

	put_file("list", list);
	snprintf(name, sizeof name, "%s/list", top);
	snprintf(root, sizeof root, "%s/fs", top);
	return machine_memory_of_groups(name, root);
}

TEST(the_tightest_control_group)
{
	char command[64];

	if (!CHECK(mkdtemp(top) != NULL))
		return;
	put_file("fs/memory.max", "3000000\n");
	put_file("fs/a/memory.max", "max\n");
	put_file("fs/a/b/memory.max", "5000000\n");
	put_file("fs/c/memory.max", "2000000\n");
	put_file("fs/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
	put_file("fs/memory/old/memory.limit_in_bytes", "1000000\n");
	CHECK_EQ(groups("0::/a/b\n"), 3000000); /* of those above it */
	CHECK_EQ(groups("0::/c\n"), 2000000);
	CHECK_EQ(groups("0::/\n"), 3000000);
	CHECK_EQ(groups("0::/outside/of/the/container\n"), 3000000);
	CHECK_EQ(groups("7:cpu,cpuacct:/c\n5:memory:/old\n0::/c\n"), 1000000);
	CHECK_EQ(groups("5:hugetlb,memory:/old/none\n"), 1000000);
	CHECK_EQ(groups("5:memory:/\n"), 9223372036854771712u);
	CHECK_EQ(groups("5:memorystick:/old\n"), UINT64_MAX);
	CHECK_EQ(groups("no colons\n0:\n"), UINT64_MAX);
	CHECK_EQ(machine_memory_of_groups("/nonexistent", "/nonexistent"), UINT64_MAX);
	snprintf(command, sizeof command, "rm -r %s", top);
	CHECK_EQ(system(command), 0);
}

/* ulimit -v of half a gibibyte: half of that is the allowance, which is its least as well. */
TEST(a_limit_of_the_address_space)
{
	int status = 0;
	pid_t child;

#ifdef __SANITIZE_THREAD__
	TEST_SKIP("ThreadSanitizer needs more than that");
#endif
	child = fork();
	if (!child) {
		struct rlimit r = {UINT64_C(512) << 20, RLIM_INFINITY};

		getrlimit(RLIMIT_AS, &r);
		r.rlim_cur = UINT64_C(600) << 20;
		if (setrlimit(RLIMIT_AS, &r))
			_exit(2);
		_exit(machine_memory() > UINT64_C(600) << 20 || mem_budget_limit() > UINT64_C(300)
											 << 20);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

TEST(what_is_taken_is_given_back)
{
	uint8_t *a, *b;

	mem_budget_set(1000);
	CHECK_EQ(mem_budget_left(), 1000);
	a = mem_budget_grow(NULL, 600);
	CHECK(a != NULL);
	CHECK_EQ(mem_budget_left(), 400);
	CHECK(!mem_budget_grow(NULL, 401));
	CHECK_EQ(mem_budget_left(), 400); /* what was refused is not counted */
	b = mem_budget_grow(NULL, 400);
	CHECK(b != NULL);
	CHECK_EQ(mem_budget_left(), 0);
	a[599] = 7;
	CHECK(!mem_budget_grow(a, 601));
	CHECK_EQ(a[599], 7);
	a = mem_budget_grow(a, 100);
	CHECK_EQ(mem_budget_left(), 500);
	mem_budget_free(b);
	CHECK_EQ(mem_budget_left(), 900);
	a = mem_budget_grow(a, 1000);
	CHECK_EQ(mem_budget_left(), 0);
	mem_budget_free(a);
	mem_budget_free(NULL);
	CHECK_EQ(mem_budget_left(), 1000);
	CHECK(!mem_budget_grow(NULL, UINT64_MAX));
	CHECK_EQ(mem_budget_left(), 1000);
	mem_budget_set(0);
	CHECK(mem_budget_limit() >= MEM_BUDGET_LEAST);
}

static void take_some(size_t item, unsigned worker, void *arg)
{
	uint64_t *most = arg;
	void *p = mem_budget_grow(NULL, 100 + item % 7);

	(void)worker;
	if (p && mem_budget_left() > 350)
		__atomic_fetch_add(most, 1, __ATOMIC_RELAXED);
	mem_budget_free(p);
}

/* At any time at most 350 of 350 are held, and in the end none. */
TEST(threads_share_it)
{
	uint64_t wrong = 0;

	mem_budget_set(350);
	pool_run(4, 20000, take_some, &wrong);
	CHECK_EQ(wrong, 0);
	CHECK_EQ(mem_budget_left(), 350);
	mem_budget_set(0);
}

TEST_MAIN()

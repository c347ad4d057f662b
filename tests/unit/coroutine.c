/* SPDX-License-Identifier: MIT */
#include "lib/base/coroutine.h"

#include "tests/unit/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct counting {
	struct coroutine *s;
	int at, end;
};

static void count_up(void *arg)
{
	struct counting *c = arg;
	char deep[COROUTINE_STACK / 2];

	memset(deep, 1, sizeof deep);
	for (; c->at < c->end; c->at += deep[c->at])
		coroutine_yield(c->s);
}

TEST(it_waits_and_goes_on)
{
	struct counting c = {.end = 3}, other = {.end = 1};

	c.s = coroutine_new(count_up, &c, COROUTINE_STACK);
	other.s = coroutine_new(count_up, &other, COROUTINE_STACK);
	CHECK_EQ(c.at, 0);
	CHECK(coroutine_resume(c.s));
	CHECK_EQ(c.at, 0);
	CHECK(coroutine_resume(c.s));
	CHECK(coroutine_resume(other.s));
	CHECK_EQ(c.at, 1);
	CHECK(coroutine_resume(c.s));
	CHECK(!coroutine_resume(other.s));
	CHECK(!coroutine_resume(c.s));
	CHECK_EQ(c.at, 3);
	CHECK(!coroutine_resume(c.s));
	coroutine_free(c.s);
	coroutine_free(other.s);
	coroutine_free(NULL);
}

TEST(one_that_never_began)
{
	struct counting c = {.end = 3};

	c.s = coroutine_new(count_up, &c, COROUTINE_STACK);
	coroutine_free(c.s);
	CHECK_EQ(c.at, 0);
}

TEST(a_child_has_it_where_it_stands)
{
	struct counting c = {.end = 3};
	int status = 0;
	pid_t pid;

	c.s = coroutine_new(count_up, &c, COROUTINE_STACK);
	coroutine_resume(c.s);
	coroutine_resume(c.s);
	pid = fork();
	if (!pid) {
		while (coroutine_resume(c.s))
			;
		_exit(10 + c.at);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 13);
	CHECK_EQ(c.at, 1);
	CHECK(coroutine_resume(c.s));
	CHECK_EQ(c.at, 2);
	CHECK(!coroutine_resume(c.s));
	coroutine_free(c.s);
}

TEST_MAIN()

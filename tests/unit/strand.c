/* SPDX-License-Identifier: MIT */
#include "lib/base/strand.h"

#include "tests/unit/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct counting {
	struct strand *s;
	int at, end;
};

static void count_up(void *arg)
{
	struct counting *c = arg;
	char deep[STRAND_STACK / 2];

	memset(deep, 1, sizeof deep);
	for (; c->at < c->end; c->at += deep[c->at])
		strand_wait(c->s);
}

TEST(it_waits_and_goes_on)
{
	struct counting c = {.end = 3}, other = {.end = 1};

	c.s = strand_new(count_up, &c, STRAND_STACK);
	other.s = strand_new(count_up, &other, STRAND_STACK);
	CHECK_EQ(c.at, 0);
	CHECK(strand_go_on(c.s));
	CHECK_EQ(c.at, 0);
	CHECK(strand_go_on(c.s));
	CHECK(strand_go_on(other.s));
	CHECK_EQ(c.at, 1);
	CHECK(strand_go_on(c.s));
	CHECK(!strand_go_on(other.s));
	CHECK(!strand_go_on(c.s));
	CHECK_EQ(c.at, 3);
	CHECK(!strand_go_on(c.s));
	strand_free(c.s);
	strand_free(other.s);
	strand_free(NULL);
}

TEST(one_that_never_began)
{
	struct counting c = {.end = 3};

	c.s = strand_new(count_up, &c, STRAND_STACK);
	strand_free(c.s);
	CHECK_EQ(c.at, 0);
}

TEST(a_child_has_it_where_it_stands)
{
	struct counting c = {.end = 3};
	int status = 0;
	pid_t pid;

	c.s = strand_new(count_up, &c, STRAND_STACK);
	strand_go_on(c.s);
	strand_go_on(c.s);
	pid = fork();
	if (!pid) {
		while (strand_go_on(c.s))
			;
		_exit(10 + c.at);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 13);
	CHECK_EQ(c.at, 1);
	CHECK(strand_go_on(c.s));
	CHECK_EQ(c.at, 2);
	CHECK(!strand_go_on(c.s));
	strand_free(c.s);
}

TEST_MAIN()

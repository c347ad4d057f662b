// SPDX-License-Identifier: MIT
//
// unwound: allocations below calls that end in all the ways that calls end. Each block has a size
// of its own, so that its stack can be looked up; what the stacks are, unwind tables say too. All
// of them are functions with a capital letter.
//
// unwound deep N: N calls deep, then a block of 77 bytes at depth 3; fork: blocks and marked calls
// in a child too; signal: a handler that allocates, on its own stack and on another.
#include "lib/recorder/spike.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#define KEEP  __attribute__((noinline))
#define PLAIN __attribute__((noinline, no_instrument_function))

static void *volatile kept;

KEEP static void Block(size_t n)
{
	kept = malloc(n);
}

KEEP static void Wide(size_t n) // its frame reaches below those that are gone
{
	volatile char room[8192];

	room[0] = 1;
	Block(n);
	room[1] = 2;
}

struct Cleaner {
	size_t n;
	KEEP ~Cleaner()
	{
		Block(n);
	}
};

KEEP static int Throw(int depth)
{
	Cleaner c = {100 + static_cast<size_t>(depth)};

	if (!depth)
		throw std::runtime_error("unwound");
	return Throw(depth - 1) + static_cast<int>(c.n);
}

KEEP static void Catch(int round)
{
	try {
		Throw(6);
	} catch (const std::exception &) {
		if (round & 1)
			Wide(200);
		else
			Block(201);
	}
	Block(202);
}

KEEP static void Rethrow()
{
	try {
		try {
			Throw(3);
		} catch (const std::exception &) {
			Block(300);
			throw;
		}
	} catch (...) {
		Wide(301);
	}
}

static jmp_buf back;

KEEP static int Jump(int depth)
{
	if (!depth)
		longjmp(back, 1);
	return Jump(depth - 1) + 1;
}

KEEP static void Set()
{
	for (volatile int i = 0; i < 4; i = i + 1) {
		if (!setjmp(back))
			Jump(i * 3);
		else if (i & 1)
			Wide(400);
		else
			Block(401);
		Block(402);
	}
}

KEEP static int Compare(const void *a, const void *b)
{
	Block(500);
	return memcmp(a, b, 1);
}

KEEP static void Sort()
{
	char text[] = "dbca";

	qsort(text, 4, 1, Compare);
	Block(501);
}

KEEP static int Recurse(int n)
{
	if (n == 3)
		Block(600);
	return n ? Recurse(n - 1) + 1 : 0;
}

static inline void Inlined(size_t n)
{
	Block(n);
}

KEEP static void Inlines()
{
	Inlined(700);
	Inlined(701);
}

typedef void (*operation)(int);
KEEP static void Leaves(int i)
{
	if (i)
		longjmp(back, 1);
	Block(800);
}
KEEP static void Stays(int i)
{
	Block(801 + static_cast<size_t>(i));
}

KEEP static void Operations() // one call, of functions that end and of those that do not
{
	static const operation list[] = {Leaves, Stays, Leaves, Stays};

	for (volatile int i = 0; i < 4; i = i + 1)
		if (!setjmp(back))
			list[i](i);
}

KEEP static void All()
{
	for (int i = 0; i < 4; i++)
		Catch(i);
	Rethrow();
	Set();
	Sort();
	Recurse(10);
	Inlines();
	Operations();
	Block(900);
}

KEEP static int Deep(int n, int at)
{
	if (n == at)
		Block(77);
	return n ? Deep(n - 1, at) + 1 : 0;
}

KEEP static void Child()
{
	PET_FUNCTION();
	Block(50);
}

KEEP static void Handle(int)
{
	Block(60);
}

PLAIN static void Signals()
{
	static char other[65536];
	stack_t stack = {};
	struct sigaction act = {};

	act.sa_handler = Handle;
	sigaction(SIGUSR1, &act, nullptr);
	raise(SIGUSR1);
	stack.ss_sp = other;
	stack.ss_size = sizeof other;
	sigaltstack(&stack, nullptr);
	act.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &act, nullptr);
	raise(SIGUSR1);
	Block(61);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		int n = atoi(argv[2]);

		Deep(n, n - 3);
		Deep(5, 2);
	} else if (argc > 1 && !strcmp(argv[1], "signal")) {
		Signals();
	} else if (argc > 1) {
		Child();
		if (!fork()) {
			Child();
			exit(0);
		}
		wait(nullptr);
	} else {
		std::thread other(Inlines);

		other.join();
		All();
	}
	return 0;
}

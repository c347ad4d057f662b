// SPDX-License-Identifier: MIT
//
// throws: exceptions through frames that allocate, in threads; and longjmp over frames that did.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int down(int n, bool jump, jmp_buf *to)
{
	std::vector<std::string> some(3, std::string(40, 'a' + char(n % 26)));

	if (n == 0) {
		if (jump)
			longjmp(*to, 1);
		throw std::runtime_error(some[1]);
	}
	return down(n - 1, jump, to) + int(some.size());
}

static void work(int *caught)
{
	for (int i = 0; i < 500; i++) {
		try {
			down(i % 30, false, nullptr);
		} catch (const std::exception &e) {
			*caught += std::string(e.what()).size() == 40;
		}
	}
}

int main()
{
	std::vector<std::thread> threads;
	std::vector<int> caught(8);
	volatile int jumps = 0;
	jmp_buf to;

	for (int &c : caught)
		threads.emplace_back(work, &c);
	for (std::thread &t : threads)
		t.join();
	if (setjmp(to))
		jumps = jumps + 1;
	if (jumps < 50)
		down(jumps % 20, true, &to); // what it leaves behind leaks, as it must
	int all = 0;
	for (int c : caught)
		all += c;
	std::printf("caught %d, jumped %d\n", all, int(jumps));
}

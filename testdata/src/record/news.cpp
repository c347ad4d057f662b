// SPDX-License-Identifier: MIT
//
// news: C++'s operators, to be recorded. 100 rounds of: new and delete, of arrays, nothrow,
// aligned, aligned and nothrow, sized; one that throws bad_alloc and one that gives nullptr. In
// each round 8 blocks are allocated, of 10 + 20 + 30 + 40 + 64 + 128 + 256 + 512 bytes, and 7
// freed; all have made() as their caller. Then 7 of changed(), for which operators ask an allocator
// for other sizes, 0, 0, 0, 0, 5, 100 and 5000 bytes, and 6 are freed. handler() allocates 77 bytes
// in each, which the operator does not return; left() is behind an operator that a jump has left,
// and allocates 1 byte.
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <new>

static void *volatile keep;
static int failed;

__attribute__((noinline)) static void made()
{
	void *p[8];

	p[0] = ::operator new(10);
	p[1] = ::operator new[](20);
	p[2] = ::operator new(30, std::nothrow);
	p[3] = ::operator new[](40, std::nothrow);
	p[4] = ::operator new(64, std::align_val_t(64));
	p[5] = ::operator new[](128, std::align_val_t(128));
	p[6] = ::operator new(256, std::align_val_t(64), std::nothrow);
	p[7] = ::operator new(512);
	::operator delete(p[0]);
	::operator delete[](p[1]);
	::operator delete(p[2], std::nothrow);
	::operator delete[](p[3], std::nothrow);
	::operator delete(p[4], std::align_val_t(64));
	::operator delete[](p[5], 128, std::align_val_t(128));
	::operator delete(p[6], std::align_val_t(64), std::nothrow);
	keep = p[7];
}

__attribute__((noinline)) static void changed()
{
	void *p[7];

	p[0] = ::operator new(0);
	p[1] = ::operator new[](0);
	p[2] = ::operator new(0, std::nothrow);
	p[3] = ::operator new(0, std::align_val_t(64));
	p[4] = ::operator new[](5, std::align_val_t(2));
	p[5] = ::operator new[](100, std::align_val_t(64), std::nothrow);
	p[6] = ::operator new(5000, std::align_val_t(4096));
	::operator delete(p[0]);
	::operator delete[](p[1]);
	::operator delete(p[2], std::nothrow);
	::operator delete(p[3], std::align_val_t(64));
	::operator delete[](p[4], std::align_val_t(2));
	::operator delete[](p[5], std::align_val_t(64), std::nothrow);
	keep = p[6];
}

static void handler()
{
	keep = std::malloc(77);
	std::set_new_handler(nullptr);
}

static std::jmp_buf before;

static void jump()
{
	std::set_new_handler(nullptr);
	std::longjmp(before, 1);
}

__attribute__((noinline)) static void left()
{
	void *p = std::malloc(1);

	keep = p;
	std::free(p);
}

int main()
{
	volatile std::size_t huge = static_cast<std::size_t>(-1) / 2;

	for (int i = 0; i < 100; i++) {
		made();
		changed();
		std::set_new_handler(handler);
		try {
			keep = ::operator new(huge);
		} catch (const std::bad_alloc &) {
			failed++;
		}
		failed += !::operator new(huge, std::nothrow);
		std::set_new_handler(jump);
		if (!setjmp(before))
			keep = ::operator new(huge);
		left();
	}
	return failed == 200 ? 0 : 1;
}

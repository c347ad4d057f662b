/* SPDX-License-Identifier: MIT
 *
 * lib/rules/templates: names as c++filt prints them, and the template that the source has.
 */
#include "lib/rules/templates.h"
#include "tests/unit/test.h"

#include <string.h>

TEST(templates)
{
	static const struct {
		const char *name, *want, *own; /* NULL: no instance */
	} cases[] = {
	    {"Vec<int>::grow(int const&)", "Vec<>::grow", "Vec<>::grow"},
	    {"Vec<std::vector<float, std::allocator<float> > >::grow()", "Vec<>::grow",
	     "Vec<>::grow"},
	    {"eng::ManagedArray<eng::Entity*>* eng::new_array<eng::Entity*>(eng::Klass const&, "
	     "int)",
	     "eng::new_array<>", "new_array<>"},
	    {"new_array<arcade::(anonymous namespace)::BulletData>", "new_array<>", "new_array<>"},
	    {"(anonymous namespace)::Pool<4>::take() const", "(anonymous namespace)::Pool<>::take",
	     "Pool<>::take"},
	    {"Outer<int>::Inner<char>::f()", "Outer<>::Inner<>::f", "Inner<>::f"},
	    {"std::function<void (int)>::clone[abi:cxx11](int)",
	     "std::function<>::clone[abi:cxx11]", "function<>::clone[abi:cxx11]"},
	    {"Big<(4>3)>::f()", "Big<>::f", "Big<>::f"},
	    {"Fn<decltype (a->b)>::call()", "Fn<>::call", "Fn<>::call"},
	    {"void run<&Thing::field>(int) [clone .cold]", "run<>", "run<>"},
	    {"decltype (a->b) make<int>(int)", NULL, NULL},
	    {"plain(std::vector<int> const&)", NULL, NULL},
	    {"std::vector<int> plain(int)", NULL, NULL},
	    {"bool operator< <int>(int)", NULL, NULL},
	    {"Vec<int>::operator[](int)", NULL, NULL},
	    {"f<int>(int)::{lambda(int)#1}", NULL, NULL},
	    {"<alloc::vec::Vec<i32>>::push", NULL, NULL},
	    {"main::<lambda(int)>", NULL, NULL},
	    {"broken<int", NULL, NULL},
	    {"broken<int)::f()", NULL, NULL},
	    {"broken<int::f()", NULL, NULL},
	    {"xmalloc", NULL, NULL},
	    {"", NULL, NULL},
	};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t own = 0;
		bool is = templates_name(cases[i].name, strlen(cases[i].name), &b, &own);

		CHECK_EQ(is, cases[i].want != NULL);
		if (!is || !cases[i].want)
			continue;
		CHECK_STR(buf_str(&b), cases[i].want);
		CHECK_STR(buf_str(&b) + own, cases[i].own);
	}
	buf_release(&b);
}

TEST_MAIN()

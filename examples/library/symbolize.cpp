// SPDX-License-Identifier: MIT
//
// The stack of this program, with names, from C++:
//
//     c++ -g -o stack symbolize.cpp $(pkg-config --cflags --libs tracemill)
#include <tracemill/symbolize.h>

#include <execinfo.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Free {
	void operator()(tracemill_symbolizer *s) const { tracemill_symbolizer_free(s); }
};

std::string shown(std::string_view name)
{
	std::string text(4096, '\0');
	size_t n = tracemill_demangle(name.data(), name.size(), text.data(), text.size());

	return n ? std::string(text.c_str()) : std::string(name);
}

int print_stack(const std::vector<uint64_t> &addresses)
{
	tracemill_symbolizer *raw;
	if (tracemill_symbolizer_new(&raw, nullptr))
		return 1;
	std::unique_ptr<tracemill_symbolizer, Free> s(raw);
	std::ifstream file("/proc/self/maps");
	std::string maps{std::istreambuf_iterator<char>(file), {}};
	std::vector<tracemill_query> queries(addresses.size());
	tracemill_process *process;

	if (tracemill_process_new(s.get(), &process) ||
	    tracemill_process_maps(process, maps.data(), maps.size()) ||
	    tracemill_bind(process, addresses.data(), addresses.size(), TRACEMILL_RETURN,
			   queries.data()) ||
	    tracemill_symbolize(s.get(), queries.data(), queries.size())) {
		std::cerr << tracemill_error(s.get()) << '\n';
		return 1;
	}
	tracemill_views v = {};
	for (const auto &q : queries) {
		if (tracemill_view(s.get(), &q, 1, &v))
			return 1;
		for (const auto *c = v.calls; c < v.calls + v.first[1]; c++)
			std::cout << shown({c->function, c->n_function}) << ' '
				  << std::string_view(c->file, c->n_file) << ':' << c->line << '\n';
	}
	tracemill_views_release(&v);
	return 0;
}

} // namespace

int __attribute__((noinline)) here()
{
	std::vector<void *> frames(64);
	frames.resize(backtrace(frames.data(), 64));
	std::vector<uint64_t> addresses;
	for (void *p : frames)
		addresses.push_back(reinterpret_cast<uintptr_t>(p));
	return print_stack(addresses);
}

int main()
{
	return here() * 1;
}

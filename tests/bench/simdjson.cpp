// SPDX-License-Identifier: MIT
//
// simdjson FILE: what reading Chrome's trace events takes by simdjson on demand: each field that an import needs is
// read and added up, nothing is kept.
#include <cstdint>
#include <cstdio>
#include <simdjson.h>
#include <string_view>

using namespace simdjson;

int main(int, char **v)
{
	ondemand::parser parser;
	padded_string text = padded_string::load(v[1]);
	ondemand::document file = parser.iterate(text);
	double times = 0;
	int64_t ids = 0;
	size_t events = 0, bytes = 0;

	for (ondemand::object event : file.get_array()) {
		for (auto field : event) {
			std::string_view key = field.unescaped_key(), word;
			double time;
			int64_t id;

			if (key == "ts" || key == "dur")
				times += field.value().get(time) ? 0 : time;
			else if (key == "pid" || key == "tid")
				ids += field.value().get(id) ? 0 : id;
			else if (key == "name" || key == "cat" || key == "ph")
				bytes += field.value().get(word) ? 0 : word.size();
		}
		events++;
	}
	printf("%zu events, %.0f us, %lld, %zu bytes\n", events, times, (long long)ids, bytes);
}

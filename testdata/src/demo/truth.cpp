/* SPDX-License-Identifier: MIT
 *
 * See truth.h; the files are described in testdata/README.md.
 */
#include "truth.h"
#include <link.h>
#include <set>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

namespace
{

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

struct Where {
	uint64_t address;
	std::string module;
	uint64_t vaddr;
};

int find_module(dl_phdr_info *info, size_t, void *arg)
{
	Where *where = static_cast<Where *>(arg);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t lo = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || where->address < lo ||
		    where->address >= lo + info->dlpi_phdr[i].p_memsz)
			continue;
		where->vaddr = where->address - info->dlpi_addr;
		where->module = base_name(info->dlpi_name);
		if (where->module.empty()) {
			char path[4096];
			ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
			path[n > 0 ? n : 0] = '\0';
			where->module = base_name(path);
		}
		return 1;
	}
	return 0;
}

Where locate(uint64_t address)
{
	Where where = {address, "?", 0};
	dl_iterate_phdr(find_module, &where);
	return where;
}

/* Compilers spell __PRETTY_FUNCTION__ differently; without return type, parameters and
 * template arguments they agree: eng::Array::push. */
std::string qualified(const Site *site)
{
	std::string flat;
	std::string func = site->func;
	std::string pretty = site->pretty;
	int depth = 0;

	if (func == "operator()")
		return func;
	for (const char *anon : {"(anonymous namespace)", "{anonymous}"}) {
		size_t at;
		while ((at = pretty.find(anon)) != std::string::npos)
			pretty.replace(at, strlen(anon), "\1");
	}
	for (char c : pretty) {
		if (c == '<')
			depth++;
		else if (c == '>')
			depth--;
		else if (depth == 0)
			flat.push_back(c);
	}
	flat = flat.substr(0, flat.find(" ["));
	size_t at = flat.rfind(func + "(");
	if (at == std::string::npos)
		return func;
	flat = flat.substr(0, at + func.size());
	flat = flat.substr(flat.rfind(' ') + 1);
	flat = flat.substr(flat.find_first_not_of("*&"));
	while ((at = flat.find('\1')) != std::string::npos)
		flat.replace(at, 1, "(anonymous namespace)");
	return flat;
}

bool same_call(const Site *a, const Site *b)
{
	return a == b || (strcmp(a->func, b->func) == 0 && strcmp(a->file, b->file) == 0 &&
			  a->line == b->line);
}

/* The demo's allocator code: what a report of sites skips. */
bool in_allocator(const Site *site)
{
	std::string file = base_name(site->file);
	return file == "pool.cpp" || file == "gc.cpp" || file == "gc.h";
}

FILE *open_out(const std::string &path)
{
	FILE *f = fopen(path.c_str(), "w");
	if (!f)
		perror(path.c_str());
	return f;
}

bool close_out(FILE *f)
{
	bool fine = !ferror(f);
	return fclose(f) == 0 && fine;
}

} // namespace

int Truth::intern(const CapturedAddress *stack, int depth)
{
	Stack fresh;
	int next = site_stack.depth;

	for (int i = 0; i < depth; i++) {
		Chain chain;
		while (next > 0 && site_stack.entry[next - 1].frame == stack[i].frame &&
		       i < depth - 1)
			chain.push_back(site_stack.entry[--next].site);
		if (chain.empty() != (i == depth - 1))
			contradictions_++;
		fresh.address.push_back(stack[i].address);
		fresh.chain.push_back(chain);
	}
	if (next != 0)
		contradictions_++;
	auto found = ids_.emplace(fresh.address, static_cast<int>(stacks_.size()));
	if (found.second)
		stacks_.push_back(fresh);
	const Stack &known = stacks_[static_cast<size_t>(found.first->second)];
	for (size_t i = 0; i < fresh.address.size(); i++) {
		const Chain &is = fresh.chain[i];
		const Chain &was = chain_of_.emplace(fresh.address[i], is).first->second;
		bool same = is.size() == was.size() && is.size() == known.chain[i].size();
		for (size_t k = 0; same && k < is.size(); k++)
			same = same_call(is[k], was[k]);
		if (!same)
			contradictions_++;
	}
	return found.first->second;
}

uint64_t Truth::main_slide() const
{
	uint64_t slide = 0;
	/* The first object that the walk names is the program. */
	dl_iterate_phdr(
	    [](dl_phdr_info *info, size_t, void *arg) {
		    *static_cast<uint64_t *>(arg) = info->dlpi_addr;
		    return 1;
	    },
	    &slide);
	return slide;
}

void Truth::add_alloc(int stack, uint64_t address, uint64_t size)
{
	Stack &s = stacks_[static_cast<size_t>(stack)];
	s.stream.bytes += size;
	s.stream.count++;
	s.live.bytes += size;
	s.live.count++;
	stream_.bytes += size;
	stream_.count++;
	live_[address] = {stack, size};
}

void Truth::add_alloc_without_stack(uint64_t address, uint64_t size)
{
	nostack_.bytes += size;
	nostack_.count++;
	nostack_live_.bytes += size;
	nostack_live_.count++;
	stream_.bytes += size;
	stream_.count++;
	live_[address] = {-1, size};
}

void Truth::add_free(uint64_t address)
{
	auto found = live_.find(address);
	frees_++;
	if (found == live_.end()) {
		frees_unmatched_++;
		return;
	}
	int stack = found->second.first;
	Totals &live = stack < 0 ? nostack_live_ : stacks_[static_cast<size_t>(stack)].live;
	live.bytes -= found->second.second;
	live.count--;
	live_.erase(found);
}

void Truth::add_packet(size_t records)
{
	packets_++;
	records_ += records;
}

void Truth::add_managed(int stack, uint64_t real)
{
	Stack &s = stacks_[static_cast<size_t>(stack)];
	s.managed.bytes += real;
	s.managed.count++;
}

void Truth::add_type(int frame, const std::string &type, uint64_t requested, uint64_t real,
		     size_t entries)
{
	TypeTotals *rows[] = {&frames_[frame], &managed_, entries ? &types_[type] : nullptr};
	for (TypeTotals *row : rows) {
		if (!row)
			continue;
		row->requested += requested;
		row->real += real;
		row->entries += entries;
	}
}

bool Truth::write_sites(const std::string &path) const
{
	FILE *f = open_out(path);
	if (!f)
		return false;
	fprintf(
	    f, "# runtime\tmodule\tvaddr\tkind\tcovered\tcalls\t(func\tqualified\tfile:line)...\n");
	for (const auto &entry : chain_of_) {
		Where where = locate(entry.first);
		fprintf(f, "0x%llx\t%s\t0x%llx\treturn\t%d\t%zu", ull{entry.first},
			where.module.c_str(), ull{where.vaddr}, entry.second.empty() ? 0 : 1,
			entry.second.size());
		for (const Site *site : entry.second)
			fprintf(f, "\t%s\t%s\t%s:%d", site->func, qualified(site).c_str(),
				base_name(site->file), site->line);
		fputc('\n', f);
	}
	return close_out(f);
}

bool Truth::write_stacks(const std::string &path) const
{
	FILE *f = open_out(path);
	if (!f)
		return false;
	fprintf(f, "# stack\tid\taddresses\tcalls\tstream allocs\tstream bytes\tlive allocs\t"
		   "live bytes\tmem entries\tmem real\n");
	for (size_t id = 0; id < stacks_.size(); id++) {
		const Stack &s = stacks_[id];
		size_t calls = 0;
		for (const Chain &chain : s.chain)
			calls += chain.size();
		fprintf(f, "stack\t%zu\t%zu\t%zu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n", id,
			s.address.size(), calls, ull{s.stream.count}, ull{s.stream.bytes},
			ull{s.live.count}, ull{s.live.bytes}, ull{s.managed.count},
			ull{s.managed.bytes});
		for (size_t i = 0; i < s.address.size(); i++) {
			Where where = locate(s.address[i]);
			fprintf(f, "addr\t0x%llx\t%s\t0x%llx\t%d\n", ull{where.address},
				where.module.c_str(), ull{where.vaddr}, s.chain[i].empty() ? 0 : 1);
			for (const Site *site : s.chain[i])
				fprintf(f, "call\t%s\t%s\t%s:%d\n", site->func,
					qualified(site).c_str(), base_name(site->file), site->line);
		}
	}
	return close_out(f);
}

bool Truth::write_totals(const std::string &path) const
{
	struct Row {
		Totals self, total, live_self, live_total;
	};
	std::map<std::string, Row> function[2], site[2];
	uint64_t stacks[2] = {0, 0}, entries = 0;
	std::set<uint64_t> distinct[2];
	FILE *f = open_out(path);

	if (!f)
		return false;
	for (const Stack &s : stacks_) {
		for (int which = 0; which < 2; which++) {
			const Totals &add = which ? s.managed : s.stream;
			std::set<std::string> seen;
			bool sited = false;
			if (add.count == 0)
				continue;
			stacks[which]++;
			entries += which ? s.managed.count : 0;
			distinct[which].insert(s.address.begin(), s.address.end());
			for (const Chain &chain : s.chain) {
				for (const Site *call : chain) {
					std::string name = qualified(call);
					Row &row = function[which][name];
					if (seen.empty()) {
						row.self.bytes += add.bytes;
						row.self.count += add.count;
						row.live_self.bytes += s.live.bytes;
						row.live_self.count += s.live.count;
					}
					if (seen.insert(name).second) {
						row.total.bytes += add.bytes;
						row.total.count += add.count;
						row.live_total.bytes += s.live.bytes;
						row.live_total.count += s.live.count;
					}
					if (sited || in_allocator(call))
						continue;
					sited = true;
					name += std::string("\t") + base_name(call->file) + ":" +
						std::to_string(call->line);
					Row &here = site[which][name];
					here.self.bytes += add.bytes;
					here.self.count += add.count;
					here.live_self.bytes += s.live.bytes;
					here.live_self.count += s.live.count;
				}
			}
		}
	}
	fprintf(f, "mem.frames\t%zu\n", frames_.size());
	fprintf(f, "mem.total\t%llu\t%llu\t%llu\n", ull{managed_.requested}, ull{managed_.real},
		ull{managed_.entries});
	fprintf(f, "mem.stacks\t%llu\nmem.addresses\t%zu\n", ull{stacks[1]}, distinct[1].size());
	for (const auto &row : types_)
		fprintf(f, "mem.type\t%s\t%llu\t%llu\t%llu\n", row.first.c_str(),
			ull{row.second.requested}, ull{row.second.real}, ull{row.second.entries});
	for (const auto &row : frames_)
		fprintf(f, "mem.frame\t%d\t%llu\t%llu\t%llu\n", row.first,
			ull{row.second.requested}, ull{row.second.real}, ull{row.second.entries});
	for (const auto &row : function[1])
		fprintf(f, "mem.function\t%s\t%llu\t%llu\t%llu\t%llu\n", row.first.c_str(),
			ull{row.second.self.bytes}, ull{row.second.self.count},
			ull{row.second.total.bytes}, ull{row.second.total.count});
	for (const auto &row : site[1])
		fprintf(f, "mem.site\t%s\t%llu\t%llu\n", row.first.c_str(),
			ull{row.second.self.bytes}, ull{row.second.self.count});

	Totals live;
	live.count = live_.size();
	for (const auto &block : live_)
		live.bytes += block.second.second;
	fprintf(f, "stream.packets\t%llu\nstream.records\t%llu\n", ull{packets_}, ull{records_});
	fprintf(f, "stream.allocs\t%llu\t%llu\n", ull{stream_.count}, ull{stream_.bytes});
	fprintf(f, "stream.frees\t%llu\t%llu\n", ull{frees_}, ull{frees_unmatched_});
	fprintf(f, "stream.live\t%llu\t%llu\n", ull{live.count}, ull{live.bytes});
	fprintf(f, "stream.nameonly\t%llu\t%llu\t%llu\t%llu\n", ull{nostack_.count},
		ull{nostack_.bytes}, ull{nostack_live_.count}, ull{nostack_live_.bytes});
	fprintf(f, "stream.stacks\t%llu\nstream.addresses\t%zu\n", ull{stacks[0]},
		distinct[0].size());
	for (const auto &row : function[0])
		fprintf(f, "stream.function\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n",
			row.first.c_str(), ull{row.second.self.bytes}, ull{row.second.self.count},
			ull{row.second.total.bytes}, ull{row.second.total.count},
			ull{row.second.live_self.bytes}, ull{row.second.live_self.count},
			ull{row.second.live_total.bytes}, ull{row.second.live_total.count});
	for (const auto &row : site[0])
		fprintf(f, "stream.site\t%s\t%llu\t%llu\t%llu\t%llu\n", row.first.c_str(),
			ull{row.second.self.bytes}, ull{row.second.self.count},
			ull{row.second.live_self.bytes}, ull{row.second.live_self.count});
	bool consistent = contradictions_ == 0 && entries == managed_.entries &&
			  records_ == stream_.count + frees_;
	if (!consistent)
		fprintf(stderr, "arcade: %llu contradictions between stacks and sites\n",
			ull{contradictions_});
	return close_out(f) && consistent;
}

bool Truth::write(const std::string &dir) const
{
	bool sites = write_sites(dir + "/truth.sites");
	bool stacks = write_stacks(dir + "/truth.stacks");
	bool totals = write_totals(dir + "/truth.totals");
	return sites && stacks && totals;
}

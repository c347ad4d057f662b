/* SPDX-License-Identifier: MIT
 *
 * The program's own record of its captures: every stack with the calls that made it
 * (site.h), and exact totals. Nothing here looks at debug information.
 */
#ifndef DEMO_TRUTH_H
#define DEMO_TRUTH_H

#include "site.h"
#include <map>
#include <stddef.h>
#include <stdint.h>
#include <string>
#include <unordered_map>
#include <vector>

struct CapturedAddress {
	uint64_t address;
	const void *frame; /* machine frame that the address returns into */
};

struct Totals {
	uint64_t bytes = 0;
	uint64_t count = 0;
};

class Truth
{
      public:
	/* The calling thread's stack as captured, paired with its site_stack. Id from 0. */
	int intern(const CapturedAddress *stack, int depth);
	const std::vector<uint64_t> &addresses(int id) const
	{
		return stacks_[static_cast<size_t>(id)].address;
	}
	uint64_t main_slide() const;

	void add_alloc(int stack, uint64_t address, uint64_t size);
	void add_alloc_without_stack(uint64_t address, uint64_t size);
	void add_free(uint64_t address);
	void add_packet(size_t records);
	/* One sz entry of the MemTracer file. */
	void add_managed(int stack, uint64_t real);
	void add_type(int frame, const std::string &type, uint64_t requested, uint64_t real,
		      size_t entries);

	/* The three truth files. False: not written, or a contradiction, said on stderr. */
	bool write(const std::string &dir) const;

      private:
	typedef std::vector<const Site *> Chain;

	struct Stack {
		std::vector<uint64_t> address;
		std::vector<Chain> chain; /* per address, innermost first; empty: not ours */
		Totals stream, live, managed;
	};
	struct TypeTotals {
		uint64_t requested = 0, real = 0, entries = 0;
	};

	bool write_sites(const std::string &path) const;
	bool write_stacks(const std::string &path) const;
	bool write_totals(const std::string &path) const;

	std::vector<Stack> stacks_;
	std::map<std::vector<uint64_t>, int> ids_;
	std::map<uint64_t, Chain> chain_of_;
	std::unordered_map<uint64_t, std::pair<int, uint64_t>> live_; /* stack or -1, size */
	std::map<int, TypeTotals> frames_;
	std::map<std::string, TypeTotals> types_;
	TypeTotals managed_;
	Totals stream_, nostack_, nostack_live_;
	uint64_t frees_ = 0, frees_unmatched_ = 0, packets_ = 0, records_ = 0;
	uint64_t contradictions_ = 0;
};

#endif

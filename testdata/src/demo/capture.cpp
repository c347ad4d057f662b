/* SPDX-License-Identifier: MIT
 *
 * See capture.h.
 */
#include "capture.h"
#include "pool.h"
#include "truth.h"
#include <atomic>
#include <deque>
#include <lz4.h>
#include <mutex>
#include <stdio.h>
#include <string>
#include <time.h>
#include <vector>

extern "C" {
extern void (*gc_alloc_event_ptr)(const char *, void *, size_t, size_t);
}

namespace
{

const size_t PACKET_RECORDS = 3000;
const int FRAMES_MAX = 126;

struct TypeRow {
	std::string name;
	uint64_t requested = 0;
	uint64_t real = 0;
	std::vector<std::pair<int, uint64_t>> stacks;
};

struct Agent {
	std::mutex lock;
	std::string out;
	FILE *mem = nullptr;
	FILE *stream = nullptr;
	std::atomic<uint32_t> seq{0};
	int64_t epoch = 0;
	std::deque<std::string> pending;
	std::vector<TypeRow> types;
	Truth truth;
};

Agent *agent;
__thread const char *nostack_library;

int64_t now_ms()
{
	timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return static_cast<int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
}

template <class T> void put(std::string *out, T value)
{
	for (size_t i = 0; i < sizeof(T); i++)
		out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

/* From the hook's own frame outwards; entry i is a return address and the frame it returns
 * into. The hook itself is never an entry. */
ALWAYS_INLINE int walk(void **frame, CapturedAddress *out)
{
	int n = 0;
	while (n < FRAMES_MAX) {
		void **caller = static_cast<void **>(frame[0]);
		out[n].address = reinterpret_cast<uint64_t>(frame[1]);
		out[n++].frame = caller;
		if (frame == site_stack.root)
			break;
		frame = caller;
	}
	return n;
}

void send_packet(size_t count)
{
	std::string raw;
	size_t first = agent->pending.size() - count;
	for (size_t i = first; i < agent->pending.size(); i++) {
		put(&raw, static_cast<uint16_t>(agent->pending[i].size()));
		raw += agent->pending[i];
	}
	agent->pending.resize(first);

	std::vector<char> packed(
	    static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
	int size = LZ4_compress_default(raw.data(), packed.data(), static_cast<int>(raw.size()),
					static_cast<int>(packed.size()));
	std::string head;
	put(&head, static_cast<uint32_t>(size + 8));
	put(&head, static_cast<uint32_t>(0));
	put(&head, static_cast<uint32_t>(raw.size()));
	fwrite(head.data(), 1, head.size(), agent->stream);
	fwrite(packed.data(), 1, static_cast<size_t>(size), agent->stream);
	agent->truth.add_packet(count);
}

/* The newest go first: with more than one packet's worth waiting, the older ones stay. */
bool send_newest()
{
	size_t waiting = agent->pending.size();
	if (waiting == 0)
		return false;
	send_packet(waiting < PACKET_RECORDS ? waiting : PACKET_RECORDS);
	return true;
}

NOINLINE void on_alloc(void *ptr, size_t size)
{
	CapturedAddress stack[FRAMES_MAX];
	int depth = walk(static_cast<void **>(__builtin_frame_address(0)), stack);
	uint64_t address = reinterpret_cast<uint64_t>(ptr);
	std::lock_guard<std::mutex> guard(agent->lock);
	uint32_t seq = ++agent->seq;
	std::string record;

	put(&record, static_cast<uint8_t>(1));
	put(&record, seq);
	put(&record, now_ms() - agent->epoch);
	put(&record, static_cast<uint32_t>(size));
	put(&record, address);
	if (nostack_library) {
		std::string name = nostack_library;
		put(&record, static_cast<uint8_t>(0));
		put(&record, static_cast<uint16_t>(name.size()));
		record += name;
		agent->truth.add_alloc_without_stack(address, size);
	} else {
		put(&record, static_cast<uint8_t>(1));
		for (int i = 0; i < depth; i++)
			put(&record, stack[i].address);
		agent->truth.add_alloc(agent->truth.intern(stack, depth), address, size);
	}
	agent->pending.push_back(record);
}

NOINLINE void on_free(void *ptr)
{
	uint64_t address = reinterpret_cast<uint64_t>(ptr);
	std::lock_guard<std::mutex> guard(agent->lock);
	std::string record;

	put(&record, static_cast<uint8_t>(0));
	put(&record, static_cast<uint32_t>(++agent->seq));
	put(&record, address);
	agent->pending.push_back(record);
	agent->truth.add_free(address);
}

NOINLINE void on_managed_alloc(const char *type, void *, size_t requested, size_t real)
{
	CapturedAddress stack[FRAMES_MAX];
	int depth = walk(static_cast<void **>(__builtin_frame_address(0)), stack);
	std::lock_guard<std::mutex> guard(agent->lock);
	int id = agent->truth.intern(stack, depth);
	size_t row = 0;

	while (row < agent->types.size() && agent->types[row].name != type)
		row++;
	if (row == agent->types.size()) {
		agent->types.emplace_back();
		agent->types[row].name = type;
	}
	TypeRow &t = agent->types[row];
	t.requested += requested;
	t.real += real;
	for (auto &entry : t.stacks) {
		if (entry.first == id) {
			entry.second += real;
			return;
		}
	}
	t.stacks.emplace_back(id, real);
}

bool copy_file(const char *from, const std::string &to)
{
	char block[65536];
	size_t n;
	FILE *in = fopen(from, "r");
	FILE *out = fopen(to.c_str(), "w");
	bool fine = in && out;
	while (fine && (n = fread(block, 1, sizeof(block), in)) > 0)
		fine = fwrite(block, 1, n, out) == n;
	if (in)
		fclose(in);
	if (out)
		fine = fclose(out) == 0 && fine;
	return fine;
}

FILE *open_out(const char *name)
{
	std::string path = agent->out + "/" + name;
	FILE *file = fopen(path.c_str(), "w");
	if (!file)
		perror(path.c_str());
	return file;
}

bool close_out(FILE *file)
{
	bool fine = !ferror(file);
	return fclose(file) == 0 && fine;
}

} // namespace

bool capture_start(const char *out)
{
	agent = new Agent;
	agent->out = out;
	agent->epoch = now_ms();
	agent->mem = open_out("arcade.mem");
	agent->stream = open_out("arcade.stream");
	FILE *conf = open_out("loli3.conf");
	if (!agent->mem || !agent->stream || !conf)
		return false;
	fprintf(conf, "threshold:0\nwhitelist:engine,\nmode:strict\nbuild:framepointer\n"
		      "type:white list\ncompiler:gcc\nhook:malloc\n");
	if (!close_out(conf))
		return false;
	fprintf(agent->mem, "{\"app\":\"arcade\",\"slide\":\"0x%llx\"}\n",
		static_cast<unsigned long long>(agent->truth.main_slide()));
	loli_set_allocandfree(&on_alloc, &on_free);
	gc_alloc_event_ptr = &on_managed_alloc;
	return true;
}

void capture_nostack(const char *library)
{
	nostack_library = library;
}

void capture_frame(int number)
{
	if (!agent)
		return;
	std::lock_guard<std::mutex> guard(agent->lock);
	const char *comma = "";
	fprintf(agent->mem, "{\"f\":%d,\"d\":[", number);
	for (const TypeRow &t : agent->types) {
		fprintf(agent->mem, "%s{\"t\":\"%s\",\"s\":%llu,\"r\":%llu,\"st\":[", comma,
			t.name.c_str(), static_cast<unsigned long long>(t.requested),
			static_cast<unsigned long long>(t.real));
		comma = "";
		for (const auto &entry : t.stacks) {
			fprintf(agent->mem, "%s\"", comma);
			for (uint64_t address : agent->truth.addresses(entry.first))
				fprintf(agent->mem, "0x%llx;",
					static_cast<unsigned long long>(address));
			fputc('"', agent->mem);
			comma = ",";
		}
		fputs("],\"sz\":[", agent->mem);
		comma = "";
		for (const auto &entry : t.stacks) {
			fprintf(agent->mem, "%s%llu", comma,
				static_cast<unsigned long long>(entry.second));
			comma = ",";
			agent->truth.add_managed(entry.first, entry.second);
		}
		fputs("]}", agent->mem);
		comma = ",";
		agent->truth.add_type(number, t.name, t.requested, t.real, t.stacks.size());
	}
	if (agent->types.empty())
		agent->truth.add_type(number, "", 0, 0, 0);
	fputs("]}\n", agent->mem);
	agent->types.clear();
	send_newest();
}

bool capture_finish()
{
	bool fine = true;

	loli_set_allocandfree([](void *, size_t) {}, [](void *) {});
	gc_alloc_event_ptr = [](const char *, void *, size_t, size_t) {};
	while (send_newest())
		;
	std::string echo;
	put(&echo, static_cast<uint32_t>(8));
	put(&echo, static_cast<uint32_t>(1));
	put(&echo, static_cast<uint32_t>(0));
	fwrite(echo.data(), 1, echo.size(), agent->stream);
	fine = close_out(agent->mem) && fine;
	fine = close_out(agent->stream) && fine;
	fine = copy_file("/proc/self/maps", agent->out + "/arcade.maps") && fine;
	fine = copy_file("/proc/self/smaps", agent->out + "/arcade.smaps") && fine;
	return agent->truth.write(agent->out) && fine;
}

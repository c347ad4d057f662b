/* SPDX-License-Identifier: MIT
 *
 * The rules of addresses in lib/README.md, each on an ELF file made for it.
 */
#include "tests/unit/bind.h"

TEST(return_addresses_are_looked_up_one_less)
{
	struct find_resolved b = {.vaddr = 0x1000, .kind = LOCATION_RETURN};

	CHECK_EQ(bound_lookup(&b), 0xfff);
	b.kind = LOCATION_EXACT;
	CHECK_EQ(bound_lookup(&b), 0x1000);
	b.kind = LOCATION_ENTRY;
	CHECK_EQ(bound_lookup(&b), 0x1000);
}

TEST(runtime_to_offset_to_vaddr)
{
	struct bench b;
	uint32_t l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "/data/app/lib/libUE4.so", ue4_ranges, 3);
	l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].reason, REASON_RESOLVED);
	CHECK_EQ(b.out[l].vaddr, 0x59d9100); /* not 0x59d8100, its file offset */
	stop(&b);
}

TEST(offsets_and_vaddrs_are_told_apart)
{
	struct bench b;
	uint32_t module, first;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	/* As offsets all lie in functions; as vaddrs those below 0x59d9000 lie in no segment. */
	first = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8004, module, LOCATION_RETURN);
	add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8104, module, LOCATION_RETURN);
	add(&b, SPACE_OFFSET_OR_VADDR, 0x59d8204, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[first].vaddr, 0x59d9004);
	CHECK(noted(b.t, "taken as file offsets: 3 of 3 fit as file offsets, 0 as vaddrs"));
	stop(&b);
}

/* blr x8, so that the address behind it, which is a file offset, follows a call. */
static void put_call(const char *path, uint64_t behind)
{
	int fd = open(path, O_WRONLY);

	put(fd, "\x00\x01\x3f\xd6", 4, behind - 4);
	close(fd);
}

TEST(calls_tell_offsets_and_vaddrs_apart)
{
	for (int vaddrs = 0; vaddrs < 2; vaddrs++) {
		struct bench b;
		uint32_t module, first = 0;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&ue4);
		module = add_module(&b, "libUE4.so", NULL, 0);
		/* In code by both readings: where the addresses lie says nothing. */
		for (uint64_t at = 0x59da104; at < 0x59da804; at += 0x80) {
			uint32_t l = add(&b, SPACE_OFFSET_OR_VADDR, at, module, LOCATION_RETURN);

			first = first ? first : l;
			put_call(b.paths[0], vaddrs ? at - 0x1000 : at);
		}
		run(&b);
		CHECK_EQ(b.out[first].reason, REASON_RESOLVED);
		CHECK_EQ(b.out[first].vaddr, vaddrs ? 0x59da104 : 0x59db104);
		CHECK(noted(b.t, vaddrs ? "taken as vaddrs: read so 14 of 14 follow a call, as "
					  "file offsets 0"
					: "taken as file offsets: read so 14 of 14 follow a call, "
					  "as vaddrs 0"));
		stop(&b);
	}
}

TEST(offsets_can_be_forced)
{
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d9104, module, LOCATION_RETURN);
	b.options.offsets = SPACE_FILE_OFFSET;
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x59da104);
	stop(&b);
	start(&b);
	b.paths[b.n_paths++] = path_of("libUE4.so");
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59d9104, module, LOCATION_RETURN);
	b.options.offsets = SPACE_VADDR;
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x59d9104);
	stop(&b);
}

/* A PE file without sections, whose image base is 0x140000000; headers, of which 0x2000 bytes are loaded, are no
 * code. */
static const char *make_pe(const char *name)
{
	static const uint8_t base[8] = {0, 0, 0, 0x40, 1}, loaded[4] = {0, 0x20};
	const char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	put(fd, "MZ", 2, 0);
	put(fd, "\x40", 1, 0x3c);
	put(fd, "PE\0\0\x64\x86\1", 7, 0x40);
	put(fd, "\x70", 1, 0x54); /* size of the optional header */
	put(fd, "\x0b\2", 2, 0x58);
	put(fd, base, 8, 0x70);
	put(fd, loaded, 4, 0x94);
	put(fd, ".text\0\0\0\0\x10\0\0\0\x10\0\0\0\2", 18, 0xc8); /* at 0x1000, of 0x1000 bytes */
	put(fd, "\x20\0\0\x60", 4, 0xc8 + 36);
	put(fd, "", 1, 0x1fff);
	close(fd);
	return path;
}

TEST(offsets_in_pe_files_are_in_memory)
{
	static const enum space spaces[] = {SPACE_VADDR, SPACE_OFFSET_OR_VADDR};

	for (size_t i = 0; i < 2; i++) {
		struct bench b;
		uint32_t module, rva, vaddr;

		start(&b);
		b.paths[b.n_paths++] = make_pe("game.dll");
		module = add_module(&b, "game.dll", NULL, 0);
		rva = add(&b, spaces[i], 0x1234, module, LOCATION_EXACT);
		vaddr = add(&b, SPACE_VADDR, 0x140001234, module, LOCATION_EXACT);
		run(&b);
		CHECK_EQ(b.out[rva].reason, REASON_RESOLVED);
		CHECK_EQ(b.out[rva].vaddr, 0x140001234);
		CHECK_EQ(b.out[vaddr].vaddr, 0x140001234);
		stop(&b);
	}
}

/* As Go's profiles have programs of Windows: one mapping of the whole image, wherever it is loaded. */
TEST(a_pe_file_is_mapped_as_an_image)
{
	static struct map_range whole[] = {{0x7ff600000000, 0x7ff600004000, 0, true}};
	struct bench b;
	uint32_t in_image;

	start(&b);
	b.paths[b.n_paths++] = make_pe("Game.exe");
	add_module(&b, "C:\\g\\game.EXE", whole, 1);
	in_image = add(&b, SPACE_RUNTIME, 0x7ff600001234, 0, LOCATION_EXACT);
	run(&b);
	CHECK_EQ(b.out[in_image].reason, REASON_RESOLVED);
	CHECK_EQ(b.out[in_image].vaddr, 0x140001234);
	stop(&b);
}

/* The same file for 32 bits: its machine, its magic, and its image base, which is in the upper half of the other one. */
static const char *make_narrow_pe(const char *name)
{
	const char *path = make_pe(name);
	int fd = open(path, O_WRONLY);

	put(fd, "\x4c\1", 2, 0x44);
	put(fd, "\x0b\1", 2, 0x58);
	put(fd, "\0\0\x40\0", 4, 0x74);
	close(fd);
	return path;
}

TEST(a_file_for_32_bits_is_no_module_above_4_gib)
{
	static struct map_range high[] = {{0x7ff600000000, 0x7ff600004000, 0, true}};
	static struct map_range low[] = {{0x10000000, 0x10004000, 0, true}};

	for (int pass = 0; pass < 3; pass++) {
		struct bench b;
		const uint64_t base = pass == 1 ? 0x10000000 : 0x7ff600000000;
		uint32_t l;

		start(&b);
		b.paths[b.n_paths++] = make_narrow_pe("narrow.exe");
		if (pass == 2) { /* the other one of that name */
			mkdir(path_of("wide"), 0700);
			b.paths[b.n_paths++] = make_pe("wide/narrow.exe");
		}
		add_module(&b, "C:\\g\\narrow.exe", pass == 1 ? low : high, 1);
		l = add(&b, SPACE_RUNTIME, base + 0x1234, 0, LOCATION_EXACT);
		run(&b);
		CHECK_EQ(b.out[l].reason, pass ? REASON_RESOLVED : REASON_REPLACED);
		CHECK_EQ(b.out[l].vaddr, pass == 0 ? 0x1234 : pass == 1 ? 0x401234 : 0x140001234);
		CHECK_EQ(noted(b.t, "not used, since the file is for 32 bits, and the module was "
				    "above 4 GiB: narrow.exe"),
			 !pass);
		stop(&b);
	}
}

TEST(a_given_file_that_no_build_id_proves_is_noted)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct made with_id = ue4;

	memcpy(with_id.build_id, id, sizeof id);
	with_id.build_id_len = sizeof id;
	for (int pass = 0; pass < 3; pass++) {
		struct bench b;
		uint32_t module;

		start(&b);
		b.paths[b.n_paths++] = make_elf(pass == 1 ? &ue4 : &with_id);
		module = add_module(&b, "libUE4.so", NULL, 0);
		if (pass)
			b.t->modules[module].build_id =
			    trace_string(b.t, (const char *)id, sizeof id);
		add(&b, SPACE_VADDR, 0x59d9104, module, LOCATION_RETURN);
		run(&b);
		CHECK_EQ(noted(b.t, "no build-id proves that the given files are of the captured "
				    "build: libUE4.so"),
			 pass < 2);
		stop(&b);
	}
}

TEST(what_nothing_decides_is_ambiguous)
{
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	module = add_module(&b, "libUE4.so", NULL, 0);
	l = add(&b, SPACE_OFFSET_OR_VADDR, 0x59da104, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].reason, REASON_AMBIGUOUS);
	CHECK(noted(b.t, "ambiguous"));
	stop(&b);
}

TEST(signature_and_tag_bits_go_only_where_nothing_maps_the_value)
{
	struct bench b;
	uint32_t signed_pc, tagged, plain;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "libUE4.so", ue4_ranges, 3);
	signed_pc = add(&b, SPACE_RUNTIME, 0x5e6c0078660cd100, 0, LOCATION_RETURN);
	tagged = add(&b, SPACE_RUNTIME, 0xb400000000000000 | 0x78660cd104, 0, LOCATION_RETURN);
	plain = add(&b, SPACE_RUNTIME, 0x78660cd104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[signed_pc].vaddr, 0x59d9100);
	CHECK_EQ(b.out[signed_pc].flags & BINDING_STRIPPED_BITS, BINDING_STRIPPED_BITS);
	CHECK_EQ(b.out[tagged].vaddr, 0x59d9104);
	CHECK_EQ(b.out[plain].flags & BINDING_STRIPPED_BITS, 0);
	CHECK(noted(b.t, "bits were cleared"));
	CHECK_EQ(b.t->notes[b.t->n_notes - 1].count, 2);
	stop(&b);
}

TEST(thumb_bit_of_arm)
{
	static const uint64_t symbols[] = {0x1000};
	static const struct made arm = {.name = "libarm.so",
					.machine = EM_ARM,
					.offset = 0x1000,
					.vaddr = 0x1000,
					.size = 0x1000,
					.symbols = symbols,
					.n_symbols = 1};
	struct bench b;
	uint32_t module, l;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&arm);
	module = add_module(&b, "libarm.so", NULL, 0);
	l = add(&b, SPACE_VADDR, 0x1005, module, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[l].vaddr, 0x1004);
	CHECK_EQ(bound_lookup(&b.out[l]), 0x1003);
	stop(&b);
}

TEST(kinds_by_evidence_and_by_force)
{
	static const uint64_t entries[] = {0x59d9000, 0x59d9100, 0x59d9200, 0x59d9300};
	static const uint64_t returns[] = {0x59d9004, 0x59d9108, 0x59d9200, 0x59d9310};
	struct bench b;

	for (int pass = 0; pass < 3; pass++) {
		uint32_t module, l = 0;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&ue4);
		module = add_module(&b, "libUE4.so", NULL, 0);
		for (int i = 0; i < 4; i++)
			l = add(&b, SPACE_VADDR, pass == 1 ? returns[i] : entries[i], module,
				LOCATION_UNSTATED);
		if (pass == 2)
			b.options.locations = LOCATION_EXACT;
		run(&b);
		CHECK_EQ(b.out[l].kind, pass == 0   ? LOCATION_ENTRY
					: pass == 1 ? LOCATION_RETURN
						    : LOCATION_EXACT);
		CHECK_EQ(noted(b.t, "4 of 4 equal a symbol's start"), pass == 0);
		CHECK_EQ(noted(b.t, "1 of 4 equal a symbol's start"), pass == 1);
		stop(&b);
	}
}

/* Folded stacks do not say what their addresses are. The innermost of a sample is at an instruction, that of an allocation
 * behind the call of the allocator; callers' are behind calls. */
TEST(innermost_addresses_are_judged_by_what_is_before_them)
{
	for (int forced = 0; forced < 2; forced++) {
		struct bench b;
		uint32_t module, caller, sampled, called, start_of;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&ue4);
		module = add_module(&b, "libUE4.so", NULL, 0);
		caller = add(&b, SPACE_VADDR, 0x59d9104, module, LOCATION_UNSTATED);
		sampled = add(&b, SPACE_VADDR, 0x59d9208, module, LOCATION_UNSTATED);
		called = add(&b, SPACE_VADDR, 0x59d930c, module, LOCATION_UNSTATED);
		start_of = add(&b, SPACE_VADDR, 0x59d9200, module, LOCATION_UNSTATED);
		put_call(b.paths[0], 0x59d9104 - 0x1000);
		put_call(b.paths[0], 0x59d930c - 0x1000);
		trace_stack(b.t, trace_stack(b.t, 0, caller), sampled);
		trace_stack(b.t, trace_stack(b.t, 0, caller), called);
		trace_stack(b.t, trace_stack(b.t, 0, caller), start_of);
		b.options.locations = forced ? LOCATION_SAMPLE : 0;
		run(&b);
		CHECK_EQ(b.out[caller].kind, LOCATION_RETURN);
		CHECK_EQ(b.out[sampled].kind, LOCATION_EXACT);
		CHECK_EQ(b.out[called].kind, forced ? LOCATION_EXACT : LOCATION_RETURN);
		CHECK_EQ(b.out[start_of].kind, LOCATION_EXACT);
		CHECK_EQ(noted(b.t, "innermost addresses follow no call"), !forced);
		stop(&b);
	}
}

TEST(a_slide_binds_what_no_module_maps)
{
	struct bench b;
	struct module module = {.has_slide = true, .slide = 0x7000000000};
	uint32_t inside, outside;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	trace_module(b.t, &module);
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	outside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x10, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].vaddr, 0x59d9104);
	CHECK_EQ(b.out[inside].reason, REASON_RESOLVED);
	CHECK_EQ(b.out[outside].reason, REASON_OUTSIDE);
	stop(&b);

	start(&b); /* which of two files a module without a name is, cannot be known */
	b.paths[b.n_paths++] = path_of("libUE4.so");
	b.paths[b.n_paths++] = path_of("libarm.so");
	trace_module(b.t, &module);
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].reason, REASON_NO_FILE);
	stop(&b);

	start(&b); /* no slide, no module */
	b.paths[b.n_paths++] = path_of("libUE4.so");
	inside = add(&b, SPACE_RUNTIME, 0x7000000000 + 0x59d9104, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[inside].reason, REASON_NO_MODULE);
	stop(&b);
}

TEST(two_modules_of_one_base_name)
{
	static struct map_range first[] = {{0x10000000, 0x10010000, 0x59d8000, true}};
	static struct map_range second[] = {{0x20000000, 0x20010000, 0x59d8000, true}};
	struct bench b;
	uint32_t x, y;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	add_module(&b, "/apex/a/libUE4.so", first, 1);
	add_module(&b, "/system/libUE4.so", second, 1);
	x = add(&b, SPACE_RUNTIME, 0x10000104, 0, LOCATION_RETURN);
	y = add(&b, SPACE_RUNTIME, 0x20000204, 0, LOCATION_RETURN);
	run(&b);
	CHECK_EQ(b.out[x].vaddr, 0x59d9104);
	CHECK_EQ(b.out[y].vaddr, 0x59d9204);
	CHECK(b.out[x].module != b.out[y].module);
	stop(&b);
}

TEST(maps_from_elsewhere_leave_what_is_in_a_module_there)
{
	struct bench b;
	struct trace *maps = trace_new();
	struct files_options fo = {.jobs = 1};
	struct module m = {.ranges = ue4_ranges, .n_ranges = 3};
	uint32_t runtime, placed, module;

	start(&b);
	b.paths[b.n_paths++] = make_elf(&ue4);
	m.name = trace_strz(maps, "/x/y/libother.so");
	trace_module(maps, &(struct module){.name = m.name});
	m.name = trace_strz(maps, "/x/libUE4.so");
	trace_module(maps, &m);
	module = add_module(&b, "libUE4.so", NULL, 0);
	runtime = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
	placed = add(&b, SPACE_VADDR, 0x59d9204, module, LOCATION_RETURN);
	fo.files = b.paths;
	fo.n_files = b.n_paths;
	files_init(&b.files, &fo);
	bind_locations(b.t, maps, &b.files, &b.options, b.out);
	CHECK_EQ(b.out[runtime].vaddr, 0x59d9100);
	CHECK_EQ(b.out[runtime].module, 2);
	CHECK(!b.out[runtime].own_module);
	CHECK_EQ(b.out[placed].vaddr, 0x59d9204);
	CHECK(b.out[placed].own_module);
	stop(&b);
	trace_free(maps);
}

/* Addresses in modules by their ranges, and as many placed in them by the capture: minutes when
 * each address looks at each module, or each module at each address. */
TEST(many_addresses_in_many_modules)
{
	enum { MODULES = 100000, STEP = 1000, LOCATIONS = 400000 };
	const char *path = make_elf(&ue4);
	struct files_options fo = {.files = &path, .n_files = 1, .jobs = 1};
	struct bind_options options = {.offsets = 0};
	struct trace *t = trace_new();
	uint32_t name = trace_strz(t, "libUE4.so");
	struct find_resolved *out;
	struct find_files files;
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < MODULES; i++) {
		struct map_range r = {.lo = i * 0x1000, .hi = (i + 1) * 0x1000};

		trace_module(t, &(struct module){.name = name, .ranges = &r, .n_ranges = 1});
	}
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		trace_location(t, &(struct location){.raw = i * STEP, .kind = LOCATION_RETURN});
		trace_location(t, &(struct location){.raw = i,
						     .kind = LOCATION_RETURN,
						     .space = SPACE_OFFSET_OR_VADDR,
						     .module = 1 + i % MODULES});
	}
	files_init(&files, &fo);
	out = mem_array(t->n_locations, sizeof *out);
	bind_locations(t, t, &files, &options, out);
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		wrong += out[1 + 2 * i].module != 1 + i * STEP / 0x1000;
		wrong += out[2 + 2 * i].module != 1 + i % MODULES;
	}
	CHECK_EQ(wrong, 0);
	free(out);
	files_release(&files);
	trace_free(t);
}

TEST(unknown_and_named_locations)
{
	struct bench b;
	uint32_t unknown, named;

	start(&b);
	unknown = add(&b, SPACE_UNKNOWN, 0, 0, LOCATION_UNSTATED);
	named = trace_location(
	    b.t, &(struct location){.space = SPACE_NAME, .name = trace_strz(b.t, "Update")});
	run(&b);
	CHECK_EQ(b.out[unknown].reason, REASON_UNKNOWN_LOCATION);
	CHECK_EQ(b.out[named].reason, REASON_RESOLVED);
	CHECK(!b.out[named].file);
	stop(&b);
}

TEST_MAIN()

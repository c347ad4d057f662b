/* SPDX-License-Identifier: MIT
 *
 * The file of a module (lib/find/files.h): by build-id, by name, by path.
 */
#include "tests/unit/bind.h"

TEST(build_ids_are_compared)
{
	struct made m = ue4;
	struct object_build_id a = {.len = 16}, padded = {.len = 20};
	uint8_t other[20] = {9, 9, 9};

	for (uint8_t i = 0; i < 16; i++)
		a.bytes[i] = padded.bytes[i] = i;
	CHECK(object_build_id_equal(&a, &padded));
	padded.bytes[19] = 1;
	CHECK(!object_build_id_equal(&a, &padded));

	m.build_id_len = 20;
	for (uint8_t i = 0; i < 16; i++)
		m.build_id[i] = i;
	for (int pass = 0; pass < 2; pass++) {
		struct bench b;
		struct module module = {.n_ranges = 3, .ranges = ue4_ranges};
		uint32_t l;

		start(&b);
		b.paths[b.n_paths++] = make_elf(&m);
		module.name = trace_strz(b.t, "libUE4.so");
		module.build_id = pass ? trace_string(b.t, (const char *)other, 20)
				       : trace_string(b.t, (const char *)a.bytes, 16);
		trace_module(b.t, &module);
		l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
		run(&b);
		CHECK_EQ(b.out[l].reason, pass ? REASON_BUILD_ID_DIFFERS : REASON_RESOLVED);
		CHECK_EQ(noted(b.t, "of another build: libUE4.so (") &&
			     noted(b.t, ": build-id differs)"),
			 pass == 1);
		stop(&b);
	}
}

TEST(a_module_takes_its_own_file_only)
{
	static const char *const files[] = {"libUE4.v2.so",  "libUE4.sym.so", "libUE4.so.debug",
					    "libUE4.so.dbg", "libUE4.dbg.so", "xlibUE4.so"};

	for (unsigned i = 0; i < 6; i++) {
		struct made m = ue4;
		struct bench b;
		uint32_t l;

		start(&b);
		m.name = files[i];
		b.paths[b.n_paths++] = make_elf(&m);
		add_module(&b, "/data/libUE4.so", ue4_ranges, 3);
		l = add(&b, SPACE_RUNTIME, 0x78660cd100, 0, LOCATION_RETURN);
		run(&b);
		CHECK_EQ(b.out[l].reason, i == 0 || i == 5 ? REASON_NO_FILE : REASON_RESOLVED);
		stop(&b);
	}
}

/* Of two files of one name the one that can be read and belongs to this build, whatever the
 * order. */
TEST(a_file_of_use_is_taken_before_one_of_none)
{
	static const char *const orders[][3] = {
	    {"broken", "old", "good"}, {"good", "old", "broken"}, {"old", "broken", "good"},
	    {"broken", "good", "old"}, {"old", "good", "broken"}, {"good", "broken", "old"}};
	struct made good = ue4, old = ue4;

	good.build_id_len = old.build_id_len = 20;
	memset(good.build_id, 0xaa, 20);
	memset(old.build_id, 0xbb, 20);
	for (unsigned i = 0; i < 3; i++)
		mkdir(path_of(orders[0][i]), 0700);
	good.name = "good/libUE4.so";
	old.name = "old/libUE4.so";
	make_elf(&good);
	make_elf(&old);
	close(open(path_of("broken/libUE4.so"), O_WRONLY | O_CREAT, 0600));
	for (unsigned i = 0; i < 6; i++) {
		struct module m = {.ranges = ue4_ranges, .n_ranges = 3};
		struct bench b;
		uint32_t l;

		for (int with_id = 0; with_id < 2; with_id++) {
			char paths[3][300];

			start(&b);
			for (unsigned k = 0; k < 3; k++) {
				snprintf(paths[k], sizeof paths[k], "%s/%s/libUE4.so", folder,
					 orders[i][k]);
				b.paths[b.n_paths++] = paths[k];
			}
			m.name = trace_strz(b.t, "libUE4.so");
			m.build_id = with_id ? trace_string(b.t, (char *)good.build_id, 20) : 0;
			trace_module(b.t, &m);
			l = add(&b, SPACE_RUNTIME, 0x78660cd104, 0, LOCATION_RETURN);
			run(&b);
			CHECK_EQ(b.out[l].reason, REASON_RESOLVED);
			if (with_id && CHECK(b.out[l].file != NULL))
				CHECK(strstr(b.out[l].file->path, "good/") != NULL);
			stop(&b);
		}
	}
}

/* What a hostile capture may write: one file by any number of paths. */
TEST(a_file_is_opened_once_by_whatever_paths)
{
	struct files_options fo = {.jobs = 1, .sysroot = "/"};
	struct files_module m = {.name = path_of("libUE4.so")};
	struct find_file *first, *second;
	enum reason reason;
	struct find_files files;
	char path[400];

	make_elf(&ue4);
	files_init(&files, &fo);
	first = files_find(&files, &m, &reason);
	snprintf(path, sizeof path, "%s/.//./libUE4.so", folder);
	m.name = path;
	second = files_find(&files, &m, &reason);
	CHECK(first != NULL && first == second);
	CHECK_EQ(files.n, 1);
	files_release(&files);
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT
 *
 *	tombstone [--threads N] VARIANT >FILE 2>TRUTH
 *
 * A tombstone of Android with N threads (default 3), of which the last one crashed. Thread i has i % 8 + 4 calls: call j is
 * at 0x1000 * (j + 1) + i in libgame.so, but the second one in a library that lies in an APK with its name, and the third in one
 * without; every fourth has no name. VARIANT:
 *
 *	plain   as protocol buffers
 *	text    as the text of the same tombstone
 *	bad     plain, with calls of which the message is damaged, a thread of an emulated processor, lines of a log, and a call
 *	        in no file
 *
 * The truth: "threads N", "calls N".
 */
#include "testdata/gen/gen.h"
#include "testdata/gen/protobuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FINGERPRINT "example/game/game:14/AB1C.230101.001/1234567:user/release-keys"
#define BUILD_ID    "000102030405060708090a0b0c0d0e0f"

enum { PID = 4711, TID = 4800 };

static void text_field(struct message *m, unsigned field, const char *s)
{
	bytes(m, field, s, strlen(s));
}

static const char *file_of(long j)
{
	return j == 1   ? "/data/app/base.apk!libaudio.so"
	       : j == 2 ? "/data/app/base.apk"
			: "/data/app/libgame.so";
}

static void put_call(struct message *thread, long i, long j)
{
	struct message call = {0};
	char name[32];

	number(&call, 1, (uint64_t)(0x1000 * (j + 1) + i));
	number(&call, 2, (uint64_t)(0x7000001000 + 0x1000 * j + i));
	number(&call, 3, 0x7fff0000);
	if (j % 4 != 3) {
		snprintf(name, sizeof name, "Game::step%ld(int)", j);
		text_field(&call, 4, name);
		number(&call, 5, (uint64_t)i);
	}
	text_field(&call, 6, file_of(j));
	if (j == 2)
		number(&call, 7, 0x8000);
	else
		text_field(&call, 8, BUILD_ID);
	close_part(thread, 4, &call);
	free(call.p);
}

static void print_call(long i, long j)
{
	printf("      #%02ld pc %016lx  %s", j, (unsigned long)(0x1000 * (j + 1) + i), file_of(j));
	if (j == 2)
		printf(" (offset 0x8000)");
	if (j % 4 != 3)
		printf(" (Game::step%ld(int)+%ld)", j, i);
	puts(j == 2 ? "" : " (BuildId: " BUILD_ID ")");
}

static void put_thread(struct message *file, long i, long calls, unsigned field)
{
	struct message thread = {0}, entry = {0}, other = {0};
	char name[32];

	snprintf(name, sizeof name, "worker-%ld", i);
	number(&thread, 1, (uint64_t)(TID + i));
	text_field(&thread, 2, name);
	text_field(&other, 1, "x0");
	number(&other, 2, 0x1234);
	close_part(&thread, 3, &other);
	for (long j = 0; j < calls; j++)
		put_call(&thread, i, j);
	if (is("bad")) {
		bytes(&thread, 4, "\10\200", 2);
		number(&other, 2, 0x4000);
		close_part(&thread, 4, &other);
	}
	number(&entry, 1, (uint64_t)(TID + i));
	close_part(&entry, 2, &thread);
	close_part(file, field, &entry);
	free(thread.p);
	free(entry.p);
	free(other.p);
}

static void print_thread(long i, long calls, long n)
{
	if (i != n - 1)
		puts("--- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---");
	printf("pid: %d, tid: %ld, name: worker-%ld  >>> com.example.game <<<\nuid: 10302\n", PID,
	       TID + i, i);
	if (i == n - 1)
		puts("signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010");
	else
		puts("other thread");
	puts("\nbacktrace:");
	for (long j = 0; j < calls; j++)
		print_call(i, j);
	puts("");
}

static void put_head(struct message *m, long n)
{
	struct message part = {0};

	number(m, 1, 1);
	text_field(m, 2, FINGERPRINT);
	text_field(m, 3, "0");
	text_field(m, 4, "2025-11-24 16:26:18.007439439+0100");
	number(m, 5, PID);
	number(m, 6, (uint64_t)(TID + n - 1));
	number(m, 7, 10302);
	text_field(m, 8, "u:r:untrusted_app:s0");
	text_field(m, 9, "com.example.game");
	number(&part, 1, 11);
	text_field(&part, 2, "SIGSEGV");
	number(&part, 3, 1);
	text_field(&part, 4, "SEGV_MAPERR");
	number(&part, 8, 1);
	number(&part, 9, 16);
	close_part(m, 10, &part);
	text_field(m, 14, "assertion failed");
	text_field(&part, 1, "null pointer dereference");
	close_part(m, 15, &part);
	free(part.p);
}

int main(int argc, char **argv)
{
	struct message m = {0}, part = {0}, line = {0};
	bool sized = argc > 3 && !strcmp(argv[1], "--threads");
	long n = sized ? atol(argv[2]) : 3, calls = 0;

	variant = sized ? argv[3] : argc > 1 ? argv[1] : "";
	if (!is("plain") && !is("text") && !is("bad"))
		return fprintf(stderr, "tombstone: unknown variant\n"), 2;
	put_head(&m, n);
	if (is("text"))
		puts("*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n"
		     "Build fingerprint: '" FINGERPRINT "'\nABI: 'arm64'");
	for (long k = 0; k < n; k++) {
		/* In protocol buffers they are in any order; in text, that of the crash is the first. */
		long i = is("text") ? (k + n - 1) % n : k;

		calls += i % 8 + 4;
		if (is("text"))
			print_thread(i, i % 8 + 4, n);
		else
			put_thread(&m, i, i % 8 + 4, 16);
	}
	if (is("bad")) {
		text_field(&line, 6, "hello");
		text_field(&part, 1, "main");
		close_part(&part, 2, &line);
		close_part(&m, 18, &part);
		put_thread(&m, n, 4, 25);
	}
	if (!is("text"))
		fwrite(m.p, 1, m.n, stdout);
	fprintf(stderr, "threads %ld\ncalls %ld\n", n, calls);
	free(m.p);
	free(part.p);
	free(line.p);
	return 0;
}

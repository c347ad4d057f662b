/* SPDX-License-Identifier: MIT
 *
 * A debuginfod or symbol server that misbehaves, for tests/sh/debuginfod.sh (a good one is elfutils') and
 * symbol_server.sh:
 *
 *	debuginfod MODE PORT-FILE FILE
 *
 * listens on a port of the loopback interface, writes its number to PORT-FILE and the line of each
 * request to PORT-FILE.log, and answers all of them alike, whatever they ask for:
 *
 *	serve      FILE; which may be another build's: a lie
 *	missing    404
 *	error      500
 *	truncate   half of FILE, announced in full
 *	cut        half of FILE, its length not announced
 *	junk       64 KiB that are no ELF file
 *	empty      nothing, as a file
 *	noise      bytes that are not HTTP
 *	stall      nothing at all
 *	drip       FILE, a byte each 50 ms
 *	huge       16 GiB, announced
 *	redirect   FILE, by way of another path
 *	circle     redirections without an end
 *	packed     FILE for paths that end in "_", else 404
 *	pointer    FILE for paths that end in "/file.ptr", else 404
 *
 * It ends after two minutes, or when it is killed. The protocol: webapi of debuginfod(8).
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *mode;
static char *content;
static size_t n_content;
static FILE *requests;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		p += sent;
		n -= (size_t)sent;
	}
}

static void head(int fd, const char *status, unsigned long long length)
{
	char text[256];
	int n = snprintf(text, sizeof text,
			 "HTTP/1.1 %s\r\nContent-Type: application/octet-stream\r\n"
			 "Connection: close\r\nContent-Length: %llu\r\n\r\n",
			 status, length);

	put(fd, text, (size_t)n);
}

/* Until the client has gone. */
static void wait_for_end(int fd)
{
	char text[4096];

	while (recv(fd, text, sizeof text, 0) > 0)
		;
}

static void drip(int fd)
{
	struct timespec pause = {.tv_nsec = 50000000};

	head(fd, "200 OK", n_content);
	for (size_t i = 0; i < n_content; i++) {
		if (send(fd, content + i, 1, MSG_NOSIGNAL) != 1)
			return;
		nanosleep(&pause, NULL);
	}
}

static bool path_ends(const char *request, const char *with)
{
	const char *path = strchr(request, ' '), *end = path ? strchr(path + 1, ' ') : NULL;
	size_t n = strlen(with);

	return end && (size_t)(end - path) > n && !memcmp(end - n, with, n);
}

static void redirect(int fd, const char *to)
{
	char text[256];
	int n = snprintf(text, sizeof text,
			 "HTTP/1.1 302 Found\r\nLocation: %s\r\nConnection: close\r\n"
			 "Content-Length: 0\r\n\r\n",
			 to);

	put(fd, text, (size_t)n);
}

/* By the path of the request. */
static bool answer_path(int fd, const char *request)
{
	bool has = (!strcmp(mode, "packed") && path_ends(request, "_")) ||
		   (!strcmp(mode, "pointer") && path_ends(request, "/file.ptr")) ||
		   (!strcmp(mode, "redirect") && path_ends(request, "/elsewhere"));

	if (has) {
		head(fd, "200 OK", n_content);
		put(fd, content, n_content);
	} else if (!strcmp(mode, "packed") || !strcmp(mode, "pointer")) {
		head(fd, "404 Not Found", 0);
	} else if (!strcmp(mode, "redirect")) {
		redirect(fd, "/elsewhere");
	} else if (!strcmp(mode, "circle")) {
		redirect(fd, "/again");
	} else {
		return false;
	}
	return true;
}

static void answer(int fd, const char *request)
{
	static const char unannounced[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
	static char junk[65536];

	if (answer_path(fd, request))
		return;
	if (!strcmp(mode, "serve")) {
		head(fd, "200 OK", n_content);
		put(fd, content, n_content);
	} else if (!strcmp(mode, "missing")) {
		head(fd, "404 Not Found", 0);
	} else if (!strcmp(mode, "error")) {
		head(fd, "500 Internal Server Error", 0);
	} else if (!strcmp(mode, "truncate")) {
		head(fd, "200 OK", n_content);
		put(fd, content, n_content / 2);
	} else if (!strcmp(mode, "cut")) {
		put(fd, unannounced, sizeof unannounced - 1);
		put(fd, content, n_content / 2);
	} else if (!strcmp(mode, "junk")) {
		memset(junk, 'j', sizeof junk);
		head(fd, "200 OK", sizeof junk);
		put(fd, junk, sizeof junk);
	} else if (!strcmp(mode, "empty")) {
		head(fd, "200 OK", 0);
	} else if (!strcmp(mode, "noise")) {
		memset(junk, 0xff, sizeof junk);
		put(fd, junk, sizeof junk);
	} else if (!strcmp(mode, "stall")) {
		wait_for_end(fd);
	} else if (!strcmp(mode, "drip")) {
		drip(fd);
	} else if (!strcmp(mode, "huge")) {
		memset(junk, 0, sizeof junk);
		head(fd, "200 OK", 16ULL << 30);
		put(fd, junk, sizeof junk);
		wait_for_end(fd);
	}
}

/* The request's head, at most one buffer of it; its first line goes to the log. */
static void serve(int fd)
{
	char text[16384];
	size_t n = 0;

	while (n < sizeof text - 1) {
		ssize_t got = recv(fd, text + n, sizeof text - 1 - n, 0);

		if (got <= 0)
			return;
		n += (size_t)got;
		text[n] = 0;
		if (strstr(text, "\r\n\r\n"))
			break;
	}
	fprintf(requests, "%.*s\n", (int)strcspn(text, "\r\n"), text);
	fflush(requests);
	answer(fd, text);
}

static void read_content(const char *path)
{
	FILE *in = fopen(path, "rb");

	if (!in || fseek(in, 0, SEEK_END))
		fail(path);
	n_content = (size_t)ftell(in);
	rewind(in);
	content = malloc(n_content + 1);
	if (!content || fread(content, 1, n_content, in) != n_content)
		fail(path);
	fclose(in);
}

static void write_port(const char *path, int listening)
{
	struct sockaddr_in at;
	socklen_t n = sizeof at;
	char aside[4096];
	FILE *out;

	if (getsockname(listening, (struct sockaddr *)&at, &n))
		fail("getsockname");
	snprintf(aside, sizeof aside, "%s.log", path);
	requests = fopen(aside, "w");
	snprintf(aside, sizeof aside, "%s.part", path);
	out = fopen(aside, "w");
	if (!out || !requests)
		fail(aside);
	fprintf(out, "%d\n", ntohs(at.sin_port));
	if (fclose(out) || rename(aside, path))
		fail(path);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listening = socket(AF_INET, SOCK_STREAM, 0);

	if (argc != 4)
		return 2;
	mode = argv[1];
	read_content(argv[3]);
	alarm(120);
	if (listening < 0 || bind(listening, (struct sockaddr *)&at, sizeof at) ||
	    listen(listening, 16))
		fail("listen");
	write_port(argv[2], listening);
	for (;;) {
		int fd = accept(listening, NULL, NULL);

		if (fd < 0)
			fail("accept");
		serve(fd);
		shutdown(fd, SHUT_WR);
		close(fd);
	}
}

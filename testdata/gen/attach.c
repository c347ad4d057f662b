/* SPDX-License-Identifier: MIT
 *
 * A substitute for LoliProfiler's desktop application: connects to PORT on loopback, waiting for it
 * to be there, and writes what comes to standard output.
 *
 *	attach PORT [dump N | leave N | silent MS | noise]
 *
 * dump: behind N bytes asks for the dump; leave: hangs up behind N bytes; silent: reads nothing
 * for so long; noise: sends bytes that mean nothing, as many as go. "answered" goes to standard
 * error when the last packet is the answer to a dump.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void pause_for(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int attach(const char *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)atoi(port))};

	for (int i = 0; i < 500; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (!connect(fd, (struct sockaddr *)&at, sizeof at))
			return fd;
		close(fd);
		pause_for(20);
	}
	exit(2);
}

int main(int argc, char **argv)
{
	static const char answer[12] = {8, 0, 0, 0, 1};
	const char *how = argc > 2 ? argv[2] : "";
	long limit = argc > 3 ? atol(argv[3]) : 0, got = 0;
	char bytes[10000], last[12] = "", noise[256];
	int fd;

	if (argc < 2)
		return 2;
	alarm(60);
	fd = attach(argv[1]);
	for (int i = 0; i < 256; i++)
		noise[i] = (char)(255 - i % 255);
	if (!strcmp(how, "silent"))
		pause_for(limit);
	for (;;) {
		ssize_t n;

		if (!strcmp(how, "noise"))
			send(fd, noise, sizeof noise, MSG_NOSIGNAL | MSG_DONTWAIT);
		n = recv(fd, bytes, sizeof bytes, 0);
		if (n <= 0)
			break;
		fwrite(bytes, 1, (size_t)n, stdout);
		if (!strcmp(how, "dump") && got < limit && got + n >= limit &&
		    send(fd, "", 1, MSG_NOSIGNAL) != 1)
			return 2;
		got += n;
		for (ssize_t i = n > 12 ? n - 12 : 0; i < n; i++) {
			memmove(last, last + 1, 11);
			last[11] = bytes[i];
		}
		if (!memcmp(last, answer, 12)) {
			fputs("answered\n", stderr);
			break;
		}
		if (!strcmp(how, "leave") && got >= limit)
			break;
	}
	close(fd);
	return 0;
}

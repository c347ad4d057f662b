/* SPDX-License-Identifier: MIT
 *
 * Mapped pieces of files, and files that become shorter meanwhile.
 */
#include "lib/object/map.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

enum { SIZE = 1 << 20, OFFSET = 12345 };

/* A file of OFFSET + SIZE bytes of 7; its name is in path. */
static int make_file(char *path)
{
	char *bytes = malloc(OFFSET + SIZE);
	int fd = mkstemp(path);

	memset(bytes, 7, OFFSET + SIZE);
	if (fd >= 0 && write(fd, bytes, OFFSET + SIZE) != OFFSET + SIZE) {
		close(fd);
		fd = -1;
	}
	free(bytes);
	return fd;
}

static uint64_t sum(const uint8_t *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < SIZE; i++)
		n += p[i];
	return n;
}

TEST(a_piece_ends_in_nul)
{
	char path[] = "/tmp/tm-map-XXXXXX";
	int fd = make_file(path);
	uint8_t *p;

	if (!CHECK(fd >= 0))
		return;
	/* ends in the middle of a page, at the end of a page, at the end of the file */
	for (uint64_t n = 4096; n <= SIZE; n = n == 4096       ? 2 * 4096
					       : n == 2 * 4096 ? SIZE
							       : SIZE + 1) {
		uint64_t offset = n == 2 * 4096 ? 0 : OFFSET;
		struct map_piece *m = map_open(fd, offset, n, &p);

		if (!CHECK(m != NULL))
			break;
		CHECK_EQ(p[0], 7);
		CHECK_EQ(p[n - 1], 7);
		CHECK_EQ(p[n], 0);
		CHECK(map_intact(m));
		map_close(m);
	}
	CHECK_EQ(lseek(fd, 0, SEEK_END), OFFSET + SIZE); /* the NUL is not in the file */
	close(fd);
	unlink(path);
}

TEST(a_file_that_shrinks)
{
	char path[] = "/tmp/tm-map-XXXXXX";
	int fd = make_file(path);
	struct map_piece *m, *other;
	uint8_t *p, *q;

	if (!CHECK(fd >= 0))
		return;
	m = map_open(fd, OFFSET, SIZE, &p);
	other = map_open(fd, 0, 4096, &q);
	CHECK(m && other);
	CHECK_EQ(ftruncate(fd, SIZE / 2), 0);
	CHECK(sum(p) < (uint64_t)7 * SIZE);
	CHECK(sum(p) > 0);
	CHECK(!map_intact(m));
	CHECK(map_intact(other));
	map_close(m);
	/* a closed one that is used again starts anew */
	m = map_open(fd, 0, 4096, &p);
	CHECK(map_intact(m));
	CHECK_EQ(p[4095], 7);
	map_close(m);
	map_close(other);
	map_close(NULL);
	close(fd);
	unlink(path);
}

TEST_MAIN()

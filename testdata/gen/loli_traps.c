/* SPDX-License-Identifier: MIT
 *
 * Writes every file of loli_traps.h: loli_traps DIRECTORY
 */
#include "testdata/gen/loli_traps.h"

#include <errno.h>
#include <stdio.h>

static int write_file(const char *dir, const char *name, const struct buf *b)
{
	struct buf path = BUF_INIT;
	FILE *f;
	int bad;

	buf_addf(&path, "%s/%s", dir, name);
	f = fopen(buf_str(&path), "w");
	bad = !f || (b->len && fwrite(b->data, 1, b->len, f) != b->len);
	if (f && fclose(f))
		bad = 1;
	if (bad)
		fprintf(stderr, "loli_traps: %s: %s\n", path.data, strerror(errno));
	buf_release(&path);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc != 2) {
		fputs("usage: loli_traps DIRECTORY\n", stderr);
		return 2;
	}
	for (int i = 0; i < LOLI_TRAPS; i++) {
		struct buf b = BUF_INIT;

		loli_traps[i].write(&b);
		bad |= write_file(argv[1], loli_traps[i].name, &b);
		buf_release(&b);
	}
	return bad ? 3 : 0;
}

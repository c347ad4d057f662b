/* SPDX-License-Identifier: MIT
 *
 * PDB files whose answers are known (pdb_bytes.h), on standard output.
 *
 *	pdb exe AGE PATH    the PE file, whose CodeView record has this age and path
 *	pdb pdb AGE         its PDB
 *	pdb scattered AGE   the same, with streams whose blocks lie backwards
 *	pdb wide AGE        the same, with the second version of contributions
 *	pdb cross AGE       the same, with an inlined call of a function whose id another module has
 *	pdb x86 AGE         the same, for 32-bit x86
 *	pdb omap AGE        the same, whose code was moved afterwards
 *	pdb omap-headers AGE  the same, with the section headers from before and from now
 *	pdb managed AGE     the same, whose function outer is code of .NET
 *	pdb fastlink AGE    a PDB of /DEBUG:FASTLINK
 */
#include "testdata/gen/pdb_bytes.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct buf b = BUF_INIT;
	uint32_t age = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;

	if (argc < 2)
		return 2;
	variant = argv[1];
	if (is("exe"))
		pdb_make_pe(&b, age, argc > 3 ? argv[3] : "app.pdb");
	else
		pdb_make(&b, &(struct pdb_how){.age = age,
					       .fastlink = is("fastlink"),
					       .scattered = is("scattered"),
					       .wide = is("wide"),
					       .managed = is("managed"),
					       .cross = is("cross"),
					       .omap = is("omap") || is("omap-headers"),
					       .headers = is("omap-headers"),
					       .machine = is("x86") ? 0x14c : 0x8664});
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

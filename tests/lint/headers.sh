#!/bin/bash
# SPDX-License-Identifier: MIT
#
# headers.sh [ROOT]: each third-party header is included by one file of lib, formats and cmd, so
# that a library can be swapped in one place. That file is no header, unless what it includes is a
# header of constants: names of numbers that a standard has fixed, and nothing to call, so that no
# library is bound by them, and other libraries have the same. <elf.h> is for files that are about ELF
# alone: all others know object_arch, kinds of sections and so on, which other formats have, too.
set -u
cd "${1:-$SRC}" || exit 1

find cmd lib formats -name '*.[ch]' | sort |
	xargs -r awk -v known=tests/lint/standard-headers.txt '
	BEGIN {
		constants = "^(libdwarf/)?dwarf\\.h$"
		elf = "^(lib/object/(elf|elf_symbols|reloc|reloc_type|plt)\\.c|lib/(recorder|record)/.*|formats/known_types\\.c)$"
		while ((getline line < known) > 0) {
			sub(/#.*/, "", line)
			n = split(line, word, " ")
			for (i = 1; i <= n; i++)
				standard[word[i]] = 1
		}
		if (!("stdio.h" in standard)) {
			print "  " known ": cannot be read"
			bad++
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*</ {
		name = $0
		sub(/^[^<]*</, "", name)
		sub(/>.*/, "", name)
		if (name == "elf.h" && FILENAME !~ elf) {
			printf "  %s:%d: <elf.h> is for files about ELF alone\n", FILENAME, FNR
			bad++
		}
		if (name in standard)
			next
		if (!(name in by)) {
			count++
			by[name] = FILENAME
		} else if (by[name] != FILENAME) {
			printf "  %s:%d: <%s> is included by %s already\n", FILENAME, FNR, name, by[name]
			bad++
		}
		if (FILENAME ~ /\.h$/ && name !~ constants) {
			printf "  %s:%d: <%s> in a header reaches all who include that\n", FILENAME, FNR, name
			bad++
		}
	}
	END {
		if (bad)
			printf "not ok - one includer: %d problems\n", bad
		else
			printf "ok - one includer: %d third-party headers\n", count
		exit bad > 0
	}'

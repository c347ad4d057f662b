#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a binary lacks is missing from answers and ends no program: each section that code does not
# need is removed, and the listing still has every instruction.
set -u

cat >a.c <<'C'
int sink;
static inline __attribute__((always_inline)) int inlined_here(int v) { return sink += v * v; }
int work(int v) { return inlined_here(v) - inlined_here(v + 7); }
C
"${CC:-cc}" -g -gdwarf-5 -O2 -shared -fPIC -o whole a.c || exit 1
tm-inspect -q --no-cache --csv --disassemble work whole | cut -d, -f 1 >want
if [ "$(wc -l <want)" -lt 5 ]; then
	echo "not ok - the listing of a whole file"
	exit 1
fi
lo=$(sed -n 2p want | tr -d '\r')
tried=0
for section in $(objdump -h whole | awk '$2 ~ /^\.(debug_|symtab|strtab|comment|eh_frame|note)/ { print $2 }') \
	.symtab ".debug_str -R .debug_line_str" ".debug_info -R .symtab"; do
	# shellcheck disable=SC2086
	objcopy -R $section whole cut 2>/dev/null || continue
	tried=$((tried + 1))
	tm-inspect -q --no-cache --csv --disassemble "$lo" cut >out 2>errors
	[ $? -lt 128 ] || echo "not ok - --disassemble without $section"
	if [ -s out ] && ! cmp -s <(cut -d, -f 1 out) want; then
		# without its size a function ends elsewhere: the beginning is the same
		n=$(wc -l <want)
		m=$(wc -l <out)
		[ "$m" -lt "$n" ] && n=$m
		cmp -s <(cut -d, -f 1 out | head -n "$n") <(head -n "$n" want) ||
			echo "not ok - instructions without $section"
	fi
	tm-addr2line --no-cache --verify 1 -f -i -e cut "$lo" >/dev/null 2>errors
	[ $? -lt 128 ] || echo "not ok - tm-addr2line without $section"
	tm-inspect -q --no-cache cut >/dev/null 2>errors
	[ $? -lt 128 ] || echo "not ok - tm-inspect without $section"
done
if [ $tried -ge 8 ]; then
	echo "ok - binaries that lack a section ($tried)"
else
	echo "not ok - binaries that lack a section: only $tried were made"
fi

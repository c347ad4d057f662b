#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Minidumps cut at every byte of their first kilobyte and at some others, and with bytes changed: an error or a capture,
# never a crash.
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

for v in x86 linux mac; do
	"$GEN/minidump" $v >$v.dmp
	size=$(stat -c %s $v.dmp)
	bad=0
	for ((n = 1; n < size; n += n < 1024 ? 7 : 61)); do
		head -c $n $v.dmp >cut.dmp
		tm-dump -q -f minidump cut.dmp >out 2>err
		[ $? -le 3 ] || bad=$((bad + 1))
	done
	check "$v: cut short" [ $bad = 0 ]
	bad=0
	for ((n = 0; n < size; n += 13)); do
		cp $v.dmp changed.dmp
		printf '\377\377\377\177' | dd of=changed.dmp bs=1 seek=$n conv=notrunc status=none
		(ulimit -v 2000000 && tm-dump -q -f minidump changed.dmp >out 2>err)
		[ $? -le 3 ] || bad=$((bad + 1))
	done
	check "$v: changed" [ $bad = 0 ]
done
exit $failed

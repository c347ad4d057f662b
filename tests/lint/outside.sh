#!/bin/bash
# SPDX-License-Identifier: MIT
#
# outside.sh [ROOT]: lib/recorder/outside.txt has a line, and a reason, for each function of other
# libraries that the capture runtime (as built, or ROOT/library.so) calls, and for nothing else.
set -u
cd "${1:-$SRC}" || exit 1
library=${1:+library.so}
library=${library:-$BUILD/lib/libtracemill-capture.so}
table=lib/recorder/outside.txt
bad=0

# Sanitizers bring calls of their own, and clang leaves other ones.
case $library in
*build/plain/* | library.so) ;;
*)
	echo "skip - calls of the capture runtime (the table is of the plain build)"
	exit 0
	;;
esac
called=$(
	{
		nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2 }'
		# What it asks the dynamic linker for by name; operators of C++ are all as _Znwm, and not here.
		find lib/recorder -name "*.c" ! -path "*/lua/*" -exec cat {} + |
			grep -oE '(cap_next\(|resolve\(&next\.[a-z_]+, |go\(&next, |\*name = )"[a-zA-Z_]+"' |
			grep -oE '"[a-zA-Z_]+"' | tr -d '"'
	} | sort -u
)
listed=$(awk '!/^#/ && NF { print $1 }' "$table" | sort -u)
for f in $(comm -23 <(echo "$called") <(echo "$listed")); do
	echo "  $table: the runtime calls $f, which has no line: may it, in a hook?"
	bad=1
done
for f in $(comm -13 <(echo "$called") <(echo "$listed")); do
	echo "  $table: nobody calls $f"
	bad=1
done
awk -v table="$table" '!/^#/ && NF && (NF < 3 || $2 !~ /^([hfwlscem]+|-)$/) {
	printf "  %s:%d: a function, when it is called, and why it may\n", table, NR
	bad = 1
}
END { exit bad }' "$table" || bad=1
if [ $bad = 0 ]; then
	echo "ok - each call of the capture runtime has its reason"
else
	echo "not ok - each call of the capture runtime has its reason"
fi
exit $bad

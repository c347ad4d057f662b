#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# The container matrix: each row of tests/matrix.txt is a folder $DATA/matrix/<row>/, made by
# testdata/make.d, with
#	args       one line: options for tm-addr2line; paths are relative to the folder
#	addresses  one a line
#	want       what tm-addr2line -f -i -C prints of them; from a source other than ourselves
#	status     its exit status, when that is not 0
#	err        lines that are in what it says on standard error, when it may say something
#	server     "elfutils FOLDER" or "MODE FILE" of testdata/gen/debuginfod.c: a debuginfod server,
#	           whose address stands for @URL@ in args
#	fast       why libdwarf cannot answer
#	skip       why the row could not be made here
# and libdwarf, asked again by --verify, answers alike. The servers are killed. Discriminators are left out, and a line that is not known is 0.
# expects: signals
# timeout: 1200
set -u
: "${SRC:?}" "${DATA:?}"
list=$SRC/tests/matrix.txt
# shellcheck source=tests/servers.bash
. "$SRC/tests/servers.bash"
trap server_stop EXIT
unset DEBUGINFOD_URLS TRACEMILL_DEBUGINFOD_URLS
export http_proxy='' no_proxy='*'

plain() { sed -e 's/ (discriminator [0-9]*)$//' -e 's/:?$/:0/' "$@"; }

# answers ROW OPTIONS...
answers() {
	local row=$1 folder=$DATA/matrix/$1 args status want_status=0 how=${2-answers} missing=

	read -r -a args <"$folder/args"
	args=("${args[@]//@URL@/$url}")
	[ -e "$folder/status" ] && want_status=$(<"$folder/status")
	(cd "$folder" && tm-addr2line -f -i -C --no-cache "${@:2}" "${args[@]}" <addresses) \
		>got 2>err
	status=$?
	plain got >got.plain
	plain "$folder/want" >want.plain
	while IFS= read -r line; do
		grep -qF -- "$line" err || missing+="missing on standard error: $line"$'\n'
	done < <(cat "$folder/err" 2>/dev/null)
	if [ $# -gt 1 ]; then
		if ! grep -q ', 0 different, ' err; then
			missing="libdwarf answers otherwise: $(grep verify: err | head -n 3)"
		elif ! grep -q ', 0 unknown' err && [[ $row != dwp-lie-* ]]; then
			grep -Eq 'unknown: (the file has no DWARF|the symbol file is not DWARF|the debug information is in object files)' err ||
				missing="libdwarf knows too little: $(grep verify: err | head -n 3)"
		fi
		[ $status = 5 ] && status=$want_status # nothing of it is DWARF
	elif [ ! -e "$folder/err" ] && [ -s err ]; then
		missing="said on standard error: $(<err)"
	fi
	if ! cmp -s want.plain got.plain; then
		echo "not ok - $row, $how: $(diff want.plain got.plain | grep -c '^<') lines of $(wc -l <want.plain) differ"
		diff want.plain got.plain | head -n 6
		head -n 3 err
	elif [ "$status" != "$want_status" ] || [ "$missing" ]; then
		echo "not ok - $row, $how: status $status, should be $want_status; $missing"
	else
		echo "ok - $row, $how: $(wc -l <"$folder/addresses") addresses"
	fi
}

if [ "$(LC_ALL=C sort -u "$list")" != "$(cat "$list")" ]; then
	echo "not ok - tests/matrix.txt is sorted, no row twice"
fi
while read -r row what; do
	folder=$DATA/matrix/$row
	if [ -z "$what" ]; then
		echo "not ok - $row has a description"
	fi
	if [ -e "$folder/skip" ]; then
		echo "skip - $row: $(<"$folder/skip")"
	elif [ ! -s "$folder/args" ] || [ ! -s "$folder/addresses" ] || [ ! -s "$folder/want" ]; then
		echo "not ok - $row: there is no such folder, or it is not complete"
	elif grep -q '^elfutils ' "$folder/server" 2>/dev/null && ! command -v debuginfod >/dev/null; then
		echo "skip - $row: no debuginfod"
	else
		if [ -e "$folder/server" ]; then
			read -r mode served <"$folder/server"
			case $mode in
			elfutils) server_elfutils "$folder/$served" ;;
			*) server_stub "$mode" "$folder/$served" ;;
			esac
		fi
		answers "$row"
		if [ -e "$folder/fast" ]; then
			echo "skip - $row, --verify: $(<"$folder/fast")"
		else
			answers "$row" --verify 100000
		fi
	fi
done <"$list"
for folder in "$DATA"/matrix/*/; do
	row=$(basename "$folder")
	grep -q "^$row " "$list" || echo "not ok - $row is a folder, but no row of tests/matrix.txt"
done

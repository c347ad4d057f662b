#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 600
#
# What is a capture, and what is none: files of formats that are not read (tests/sh/claims.py makes them as their
# descriptions say), files of this system, and the captures of generators, which are read.
# CLAIMS: how many files of /usr; tests/sh/claims_usr.sh takes 20,000.
# shellcheck disable=SC2086,SC2317 # a status is a number
set -u
: "${SRC:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
seed=${SEED:-$(($(date +%s) / 86400))}

# Refused with status 3, in the words that say what it is.
refused() { # FILE WORDS
	local said status

	said=$(tm-import -o /dev/null "$1" 2>&1)
	status=$?
	[ $status = 3 ] && case $said in *"$2"*) return 0 ;; esac
	echo "$1: status $status: ${said:0:150}" >>err
	return 1
}
all_refused() {
	local ok=0 file words

	while IFS=$'\t' read -r file words; do
		refused "$file" "$words" || ok=1
	done <list
	[ -s list ] && return $ok
}
if [ -z "${CLAIMS-}" ]; then
	python3 "$SRC/tests/sh/claims.py" "$seed" . >list
	: >err
	check "files of other formats are no captures, and named: $(wc -l <list), seed $seed" all_refused
fi

# Each is said to be none: one that is claimed gives no line, or another one. Go's sources have bzip2 files that are broken.
PROFILES='trace|prof|perf|heap|flame|stack|valgrind|callgrind|massif|pprof|\.tm[ta]$|chrom|\.(folded|collapsed)'
# A text that quotes the stack of a crash, as a change log of Debian's libssh2 does, is such a log.
none_of_usr() {
	# Messages escape a backslash in a name.
	find /usr -xdev -type f -size -4000k -readable ! -name '*\\*' 2>/dev/null | grep -vEi "$PROFILES" | LC_ALL=C sort >all
	shuf -n "${CLAIMS:-500}" --random-source=<(yes "$seed") all >some
	xargs -d '\n' -n 200 tm-import -o /dev/null <some 2>said
	grep -Ev 'unknown capture format|not a capture that tracemill reads|without a (capture|file)|: empty file|: compressed data: ' said >err
	sed -E 's/^tm-import: //; s/: an? [a-z0-9 ]+ without a (capture|file).*//
		s/: (unknown capture format|not a capture that tracemill reads|empty file|byte [0-9]+: compressed data: ).*//' said | LC_ALL=C sort >refused
	LC_ALL=C sort some | LC_ALL=C comm -13 refused - | while read -r file; do
		zgrep -aqE '^ *#[0-9]+ 0x[0-9a-f]+ ' "$file" || echo "$file: claimed"
	done >>err
	[ -s some ] && [ ! -s err ]
}
check "of files of /usr none is a capture: ${CLAIMS:-500}, seed $seed" none_of_usr
[ -z "${CLAIMS-}" ] || exit $failed

# That a change which refuses more does not refuse these.
all_read() {
	local ok=0 file

	: >err
	while read -r file; do
		tm-import -q -o /dev/null "$file" 2>>err || ok=1
	done
	return $ok
}
check "captures that generators make are read" all_read < <(cd "$DATA" &&
	find "$PWD"/{loli,miku,mono,unity,lua-others} -type f ! -name '*.truth' ! -name 'bad-*' ! -name 'unsupported-*' \
		! -name '*.maps' ! -name '*.smaps' ! -name '*.conf' ! -name '*-huge-packet*' \
		! -name old.mlpd ! -name new.mlpd)

# Records of a cache, and zeros: what is claimed by what it begins with, and then lost, is no capture. Who says what it is
# gets what comes before.
python3 - <<'PYTHON'
import struct
out = struct.pack('>I', 4000)
for i in range(1, 2100):
    out += struct.pack('>IQIQIBI', i, 0xb400007860010000 + 64 * i, 64, i, 0, 1, 2) + struct.pack('>QQ', 0x7860cd1000 + 4 * i, 0x790005a010)
open('whole', 'wb').write(struct.pack('>I', 2099) + out[4:])
open('lost', 'wb').write(out + b'\xff' * 2 * len(out))
open('end', 'wb').write(out + b'\xff' * 900)
PYTHON
records() { tm-dump -q --no-tables "$@" 2>err | grep -c '^alloc '; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2" >err && false; }; }
check "a cache of 2,099 records is read" is "$(records whole)" 2099
check "one whose larger part is something else is no capture" refused lost "most of the file cannot be read as loli-cache"
check "but its records are there with -f" is "$(records -f loli-cache lost)" 2099
check "what is lost at the end is a loss" is "$(records end)" 2099
exit $failed

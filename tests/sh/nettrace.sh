#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Events of .NET's runtime against what the generator put in: samples by function, bytes, pauses, packed headers or not.
# shellcheck disable=SC2016,SC2094,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

is() { # GOT WANT
	[ "$1" = "$2" ] || { echo "got '$1', want '$2'" >err && false; }
}
columns() { # FILE KEY COLUMN...
	tm-top -q --csv -n 0 --by "$2" "$1" 2>err | tr -d '\r' | awk -F , -v want="${*:3}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' | LC_ALL=C sort
}

for form in plain wide; do
	"$GEN/nettrace" --samples 1000 $form >$form 2>truth
	check "$form: samples and bytes" is \
		"$(columns $form thread samples requested | awk '{ s += $1; b += $2 } END { print "samples", s; print "bytes", b }')" "$(cat truth)"
	# Samples 2, 5, ... have the nameless code: 333 of 0 to 999. Thread 7 has 500 of all, and 8 as many.
	check "$form: samples by function" is "$(columns $form function function samples | grep -v GC | awk '$NF' | tr '\n' ' ')" \
		'0x9000 333 Game.Player.Update 667 '
	check "$form: samples by thread" is "$(columns $form thread samples | awk '$1' | tr '\n' ' ')" '500 500 '
	check "$form: bytes by type" is "$(columns $form type type requested | grep Texture)" "Game.Texture $(awk '/^bytes/ { print $2 }' truth)"
	# 10 pauses of 3 ms, of which a collection takes 2.
	check "$form: pauses" is "$(columns $form function function calls self_ns total_ns | grep GC | tr '\n' ' ')" \
		'GC of generation 0 10 20000000 20000000 GC pause 10 10000000 30000000 '
	check "$form: exceptions" is "$(tm-dump -q $form | grep -c '^log .*System.Exception: no level')" 10
done
check 'sizes of the heap' is "$(tm-dump -q plain | awk '/^counter [0-9]/ && /gc.heap/ { id = "type=" $2 } /^counter value/ && $4 == id { n++; split($2, v, "="); s += v[2] }
	END { print n, s }')" "10 $(awk 'BEGIN { for (i = 0; i < 1000; i += 100) s += 10500 + 4 * i; print s }')"
exit $failed

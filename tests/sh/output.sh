#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Where output goes: standard streams that are closed, -o to what is not a plain file, and what is
# left behind by a program that is ended.
# shellcheck disable=SC2016,SC2086,SC2317 # check evaluates; numbers need no quotes
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/memtracer" --frames 3 --types 4 --stacks 5 >a.mem
echo nonsense >bad

# --- closed streams: nothing that is opened later takes their place ---

for p in tm-import tm-symbolize tm-dump tm-top tm-frames tm-filter tm-spikes; do
	"$p" -q a.mem >want 2>err
	for how in file pipe; do
		if [ $how = file ]; then
			timeout 60 "$p" -q a.mem >&- 2>err
			status=$?
		else
			# The copy of the pipe would be descriptor 1.
			# shellcheck disable=SC2002
			cat a.mem | timeout 60 "$p" -q - >&- 2>err
			status=${PIPESTATUS[1]}
		fi
		closed() { [ $status = 3 ] && [ "$(cat err)" = "$p: standard output: ${1}Bad file descriptor" ]; }
		check "$p: standard output closed, input from a $how" eval 'closed "" || closed "write: "'
	done
	"$p" a.mem bad >out 2>&-
	status=$?
	check "$p: standard error closed" eval '[ $status = 3 ] && cmp -s out want'
	"$p" -q a.mem >out 2>err <&-
	status=$?
	check "$p: standard input closed and not asked for" eval '[ $status = 0 ] && cmp -s out want'
done

# A reader that goes away is no failure, with SIGPIPE ignored either.
"$GEN/memtracer" --frames 300 --types 200 >big.mem
for p in tm-import tm-symbolize 'tm-dump' 'tm-top --by stack --csv -n 0'; do
	(
		trap '' PIPE
		# shellcheck disable=SC2086
		{
			$p -q big.mem 2>err
			echo $? >status
		} | head -c 1 >/dev/null
	)
	check "$p: a reader that goes away is status 0" eval '[ "$(cat status)" = 0 ] && [ ! -s err ]'
done

# --- -o ---

for p in tm-import tm-symbolize; do
	"$p" -q a.mem >want
	ln -s /proc/self/fd/1 dev-stdout # a link of our own: this may be run as root
	"$p" -q a.mem -o made.tmt >&- 2>err
	check "$p -o with standard output closed" cmp -s made.tmt want
	"$p" -q a.mem -o dev-stdout >made.tmt 2>err
	check "$p -o /dev/stdout, which is a file" cmp -s made.tmt want
	"$p" -q a.mem -o dev-stdout 2>err | cat >made.tmt
	check "$p -o /dev/stdout, which is a pipe" cmp -s made.tmt want
	check "$p -o /dev/stdout leaves it a link" [ -L dev-stdout ]
	rm -f dev-stdout
	: >file.tmt
	ln -s file.tmt link.tmt
	"$p" -q a.mem -o link.tmt 2>err
	check "$p -o to a link writes what it points to" eval '[ -L link.tmt ] && cmp -s file.tmt want'
	"$p" -q link.tmt -o link.tmt 2>err
	check "$p: a trace onto itself through a link" eval '[ -L link.tmt ] && [ -s file.tmt ] && tm-dump -q file.tmt | cmp -s - <(tm-dump -q want)'
	rm -f link.tmt file.tmt
	mkfifo fifo
	timeout 60 cat fifo >made.tmt &
	timeout 60 "$p" -q a.mem -o fifo 2>err
	wait
	check "$p -o to a named pipe" eval '[ -p fifo ] && cmp -s made.tmt want'
	rm -f fifo
	if [ -w /dev/full ]; then
		"$p" -q a.mem -o /dev/full 2>err
		status=$?
		check "$p -o /dev/full: the file is named" \
			eval '[ $status = 3 ] && grep -q "^$p: /dev/full: .*No space left" err && [ "$(wc -l <err)" = 1 ]'
	fi

	# Ended while it waits for input: the incomplete file goes, of SIGKILL too where the folder
	# has files without a name. In a shell of its own, as a signal is not a failure here.
	for s in TERM HUP KILL; do
		mkfifo wait
		env -u BASH_ENV bash -c '
			exec 3<>wait
			"$0" -q -o ended.tmt - <&3 3<&- &
			for ((i = 0; i < 600; i++)); do
				readlink "/proc/$!/fd/1" >seen
				[[ $(<seen) != "$PWD"/* ]] || break
				sleep 0.1
			done
			sleep 0.2
			kill -"$1" $!
			wait $!
			echo $? >status' "$p" $s
		if [ $s = KILL ] && ! python3 -c 'import os; os.close(os.open(".", os.O_TMPFILE | os.O_RDWR))' 2>/dev/null; then
			echo "skip - $p ended by SIGKILL leaves nothing (no files without a name here)"
			rm -f ended.tmt.*
		else
			check "$p ended by SIG$s leaves nothing" \
				eval '[ "$(cat status)" -gt 128 ] && grep -q "^$PWD/" seen && ! compgen -G "ended.tmt*" >/dev/null'
		fi
		rm -f wait
	done
done

# Sums of many nights in one file.
tm-compare -q --save-baseline night.tma a.mem
cp night.tma all.tma
tm-merge -q --allow-duplicates -o all.tma all.tma night.tma 2>err
check 'an aggregate onto itself' eval '[ $? = 0 ] && [ "$(tm-top -q --by type --csv -n 0 all.tma | awk -F, "NR > 1 { s += \$2 } END { print s }")" = "$(tm-top -q --by type --csv -n 0 night.tma | awk -F, "NR > 1 { s += 2 * \$2 } END { print s }")" ]'
# An input stays what it is: of captures, binaries, rules and maps.
cp /bin/true game.exe
echo '[functions]' >rules
tm-import -q -o b.tmt a.mem
while read -r words; do
	for f in a.mem b.tmt game.exe rules; do cp "$f" "$f.was"; done
	timeout 60 $words >out 2>err
	status=$?
	check "refused: $words" eval '[ $status = 2 ] && grep -q "is an input, too" err && cmp a.mem a.mem.was && cmp game.exe game.exe.was && cmp rules rules.was && cmp b.tmt b.tmt.was'
done <<'END'
tm-symbolize -o a.mem a.mem
tm-symbolize -o game.exe -e game.exe a.mem
tm-symbolize -o ./game.exe -e module=game.exe a.mem
tm-symbolize --text -o rules -e game.exe --maps rules a.mem
tm-import -oa.mem ./a.mem
tm-filter -o a.mem a.mem
tm-top --as text -o a.mem a.mem
tm-export --as pprof -o b.tmt b.tmt
tm-export --as sqlite -o b.tmt b.tmt
tm-top --as text --output=game.exe -e game.exe a.mem
tm-spikes -o rules --rules rules a.mem
tm-frames --csv -o a.mem a.mem
tm-export --as pprof -o a.mem a.mem
tm-compare --as text -o a.mem --base a.mem a.mem
END
tm-import -q -o twice.tmt -o twice.tmt a.mem && tm-import -q -o twice.tmt -o twice.tmt a.mem
check 'the same output named twice' [ -s twice.tmt ]

exit $failed

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --width is kept: no line of a report is longer, whatever names a capture has. Names are of 300 letters here
# without a blank, at which a line could be broken, paths too; in notes, titles and heads a word alone may
# be longer, and nothing else. At each width the numbers are those of the report without one, and what lost
# its last letters is a name, never "file:line".
# shellcheck disable=SC2016
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

python3 - <<'P' >script
def name(i, n=300):
    s = 'game%d::detail::World<std::map<std::string,std::vector<game::Entity<%d>>>' % (i, i)
    return (s + ',std::less<>' * 40)[:n - 14] + '>::update%04d()' % i
def at(i):
    return '@/srv/' + 'a-long-folder/' * 12 + 'world_update_%d.cpp:%d' % (i, 1234 + i)
print('metric time exact\nmetric count exact\nmetric requested exact\nmetric live exact')
print('thread thread-%s 7' % ('x' * 200))
t = 0
for f in range(1, 13):
    print('frame %d %d %s' % (f, t, 'level-' + 'y' * 200))
    for k in range(8):
        print('counter counter-%d-%s B %d %d' % (k, 'z' * 100, 123456789 * (k + f), t + 1))
    for k in range(4):
        print('enter main%s %d' % (at(0), t + 10))
        print('enter %s%s %d' % (name(k), at(k), t + 20))
        print('alloc malloc main%s;%s%s %d %d - %d' % (at(0), name(k), at(k), 1000 * f + k, t + 30, 4096 * (100 * f + k + 1)))
        if f % 3:
            print('free %d %d' % (4096 * (100 * f + k + 1), t + 31))
        print('exit %s%s %d' % (name(k), at(k), t + 5000000 * (k + 1)))
        print('exit main%s %d' % (at(0), t + 5000000 * (k + 1) + 10))
        t += 5000000 * (k + 1)
    t += 100
P
"$GEN/script" <script >long.tmt || exit
sed 's/ 1000\([0-9]\) / 3000\1 /' script | "$GEN/script" >new.tmt || exit
python3 - <<'P' >refs.txt
print('-' * 56 + '\n-- Collect memory reference at line:42@file:x.lua\n' + '-' * 56)
print('-- [Table/Function/String Address/Name]\t[Reference Path]\t[Reference Count]\n' + '-' * 56)
print('-- From Root Object: table: 0x55d872221b50 (registry)')
for i in range(40):
    print('table: 0x55d8722%05x\tregistry.2[_G].%s.leaf%d\t%d' % (i * 16, 'a_long_field.' * 20, i, 40 - i))
P
for n in 1 2; do
	tm-history add -q --build "build-$(printf 'b%.0s' {1..200})-$n" --branch "$(printf 'c%.0s' {1..90})" --commit "$(printf 'd%.0s' {1..40})" \
		h.db "$([ $n = 1 ] && echo long.tmt || echo new.tmt)" >/dev/null 2>err || exit
done
{
	printf '[rule much]\nmetric = requested\nkey = function\npercent = 1%%\n\n'
	printf '[rule growth-%s]\nmetric = requested\npercent = 1%%\n' "$(printf 'g%.0s' {1..90})"
} >policy.ini

cat >longest.py <<'P'
"""longest.py WIDTH <report: lines that are longer, but for those of one word alone (behind blanks)."""
import re
import sys
wide = int(sys.argv[1])
lines = sys.stdin.buffer.read().decode('utf-8').split('\n')
if not any(lines):
    sys.exit('nothing was printed')
for line in lines:
    if len(line) > wide and not re.fullmatch(r' *[^ ]+', line):
        print('%d: %s' % (len(line), line))
P

# What is asked: programs with options and inputs. Each of these has output with long names.
while IFS= read -r command; do
	eval "$command --width 0" >whole 2>err
	status=$?
	check "$command: status $status" [ $status -lt 2 ]
	for width in 80 120; do
		eval "$command --width $width" >out 2>err
		check "$command: status at $width columns" [ $? = $status ]
		python3 "longest.py" $width <out >err 2>&1
		check "$command: within $width columns" [ ! -s err ]
	done
done <<'X2'
tm-top -q long.tmt
tm-top -q --by stack --show-stacks 3 long.tmt
tm-top -q --by site --metrics all long.tmt
tm-top -q --by site,thread long.tmt
tm-top -q --by frame long.tmt
tm-top -q --by thread long.tmt
tm-top -q --cumulative --by function --metrics all long.tmt
tm-top -q --tree long.tmt
tm-top -q --tree --metrics all long.tmt
tm-top -q --bottom-up long.tmt
tm-top -q --peek update long.tmt
tm-top -q --leaks long.tmt
tm-top -q --memory long.tmt
tm-frames -q long.tmt
tm-frames -q --every 10ms --plot=always long.tmt
tm-frames -q --detail --frame 3 long.tmt
tm-frames -q --spread long.tmt
tm-frames -q --spread --by stack long.tmt
tm-frames -q --spike 'requested>1KiB' long.tmt
tm-frames -q --new-stacks long.tmt
tm-spikes -q --threshold 1us long.tmt
tm-spikes -q --threshold 1us --sort count long.tmt
tm-compare -q long.tmt new.tmt
tm-compare -q --all --by stack long.tmt new.tmt
tm-compare -q --all --by site --gate policy.ini long.tmt new.tmt
tm-heap -q refs.txt
tm-heap -q --objects 10 refs.txt
tm-heap -q --paths 2 --who table refs.txt
tm-heap -q --paths 0 --objects 0 refs.txt
tm-heap -q --dominators refs.txt
tm-history list -q h.db
tm-history trend -q --by function h.db
tm-history trend -q --by function --plot=always h.db
tm-history blame -q --from "#1" --to "#2" h.db
tm-history change-points -q --by function h.db
tm-history change-points -q --rules policy.ini h.db
tm-inspect -q "$BIN/tm-top"
tm-inspect -q --by-file "$BIN/tm-dump"
X2

# What of a name is left: its end, with file and line. Numbers are whole: those of a row are in the CSV.
tm-top -q --by site --width 80 long.tmt >out 2>err
check 'a place keeps its file and line' grep -q '[.]cpp:123[45]' out
tm-top -q --by function --metrics all --width 80 long.tmt >out 2>err
check 'what was left out is named' grep -q '^columns hidden (narrow width): ' out
tm-frames -q --bytes --width 80 long.tmt | grep '^ *[0-9]*  level' | sed 's/level[^ ]*//' | grep -o '[0-9]\+' | sort -u >numbers
tm-frames -q --csv long.tmt | tr -c '0-9\n' '\n' | sort -u >all
check 'numbers are whole' eval '[ -s numbers ] && [ -z "$(comm -23 numbers all)" ]'
exit $failed

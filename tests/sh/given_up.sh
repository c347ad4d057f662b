#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# An expression that backtracks too much is given up: every program that takes expressions says so,
# with the place of the expression, and every gate then cannot tell (5). ^(a|aa)+[bc]$|Z$ matches
# the name below, which ends with Z, but to find out that its first half does not match takes as
# many steps as there are ways to write 60 as a sum of ones and twos: the 61st Fibonacci number,
# some 10^12.
# shellcheck disable=SC2016 # check evaluates
set -u
: "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

bad='^(a|aa)+[bc]$|Z$'
name=$(printf 'a%.0s' {1..60})cZ

# WANTED-STATUS PLACE COMMAND: what it prints is in out, what it says in err.
says() {
	local want=$1 place=$2 got

	shift 2
	"$@" >out 2>err
	got=$?
	check "$want, and says $place: ${*//"$bad"/BAD}" eval "[ $got = $want ] && grep -qFe '$place' err &&
		grep -q 'gave up [0-9]* time' err"
}

# The same name as function, type, thread, file and module.
trace() { # FUNCTION SAMPLES
	printf '%s\n' 'metric requested exact' "thread $name" "alloc malloc main;$1@$name:3 $2" | "$GEN/script"
}
trace "$name" 1 >base.tmt
trace "$name" 1000 >new.tmt
echo "{\"f\":1,\"d\":[{\"t\":\"$name\",\"s\":8,\"r\":8,\"st\":[\"0x10;\"],\"sz\":[8]}]}" >type.mem
echo "0-1000 r-xp 0 0:0 0 /lib/$name" >maps
printf '[rule all]\nmetric = requested\npercent = 1\n' >plain.ini
printf '[rule all]\nmetric = real\npercent = 1\n' >real.ini

# --- a policy's own expressions
printf '[rule x]\nmetric = requested\nkey = function\nmatch = %s\npercent = 1\n' "$bad" >rule.ini
says 5 'rule.ini: line 4: ' tm-compare --gate rule.ini base.tmt new.tmt
check 'the rule says why' grep -q 'inconclusive  *x .*an expression took too long' out
printf '[rule y]\nmetric = requested\nmax = 1G\n' >>rule.ini
for as in json junit sarif html markdown; do
	says 5 'rule.ini: line 4: ' tm-compare --as $as --gate rule.ini base.tmt new.tmt
	check "--as $as has it" grep -q 'an expression took too long' out
done
printf '[rule x]\nmetric = requested\nkey = function\neach = yes\npercent = 1\n[waiver w]\nrule = x\nuntil = 2999-12-31\nreason = r\nmatch = %s\n' "$bad" >waiver.ini
says 5 'waiver.ini: line 10: ' tm-compare --gate waiver.ini base.tmt new.tmt
printf '[rule z]\nmetric = requested\nmax = 10\n' | cat rule.ini - >broken.ini
says 1 'broken.ini: line 4: ' tm-compare --gate broken.ini base.tmt new.tmt

# --- what chooses and what names, under a gate of everything
echo "function $bad" >sites
printf '[A]\n# a comment\nfunction %s\n' "$bad" >owners
printf '[A]\ntype %s\n' "$bad" >owners-type
printf 'b\n%s\n' "$bad" >list
printf '[%s]\nfunction a\n' "$name" >owner-name
for o in focus ignore file hide show prune-from thread; do
	says 5 "--$o: " tm-compare --gate plain.ini --$o "$bad" base.tmt base.tmt
done
says 5 'list: line 2: ' tm-compare --gate plain.ini --focus @list base.tmt base.tmt
says 5 'sites: line 1: ' tm-compare --gate plain.ini --sites sites base.tmt base.tmt
says 5 'owners: line 3: ' tm-compare --gate plain.ini --owners owners base.tmt base.tmt
says 5 '--owner: ' tm-compare --gate plain.ini --owners owner-name --owner "$bad" base.tmt base.tmt
says 5 '--type: ' tm-compare --gate real.ini --slide 0 --type "$bad" type.mem type.mem
says 5 '--module: ' tm-compare --gate real.ini --maps maps --module "$bad" type.mem type.mem
says 5 'owners-type: line 2: ' tm-compare --by owner --gate real.ini --slide 0 --owners owners-type type.mem type.mem

# --- and where the loss goes on from there
says 0 '--focus: ' tm-compare --save-baseline base.tma --focus "$bad" base.tmt
check 'a baseline remembers' eval 'tm-compare -q --gate plain.ini base.tma base.tma >out 2>err; [ $? = 5 ]'
says 0 'sites: line 1: ' tm-compare --save-baseline sites.tma --sites sites base.tmt
check 'also of site rules' eval 'tm-compare -q --gate plain.ini sites.tma sites.tma >out 2>err; [ $? = 5 ]'
says 0 '--ignore: ' tm-filter --ignore "$bad" -o kept.tmt base.tmt
check 'what tm-filter writes remembers' eval 'tm-compare -q --gate plain.ini kept.tmt kept.tmt >out 2>err; [ $? = 5 ]'
says 0 '--focus: ' tm-history add store.db --focus "$bad" --status green base.tmt
check 'a store remembers' eval 'tm-compare -q --gate plain.ini --history store.db base.tmt >out 2>err; [ $? = 5 ]'

# --- reports
says 0 '--focus: ' tm-top --focus "$bad" base.tmt
says 0 '--peek: ' tm-top --peek "$bad" base.tmt
says 0 'sites: line 1: ' tm-top --sites sites base.tmt
says 0 '--focus: ' tm-frames --focus "$bad" base.tmt
printf 'alloc malloc a 5\n' | "$GEN/script" >short.tmt
check 'an expression that is never asked gives nothing up' \
	eval 'tm-top --focus "$bad" short.tmt >out 2>err; [ $? = 0 ] && ! grep -q "given up" err'
"$GEN/heap" one "$name" >heap.tmt
for o in type who site root; do
	says 0 "--$o: " tm-heap --$o "$bad" heap.tmt
done
says 0 'owners: line 3: ' tm-heap --owners owners --by owner heap.tmt

# --- histories
for n in 1 2 3 4 5 6 7 8 9 10; do
	printf '%s\n' 'metric requested exact' "alloc malloc main;$name $((5000 + n % 3))" \
		"alloc malloc main;b $((n < 6 ? 2000 : 3000))" | "$GEN/script" >b$n.tmt
	tm-history add -q runs.db b$n.tmt --date 2026-01-$((n + 9)) >>out 2>&1
done
check 'the step at the sixth build is found' eval 'tm-history change-points runs.db --gate >out 2>err; [ $? = 1 ]'
says 5 '--name: ' tm-history change-points runs.db --gate --by function --name "$bad" --name '^b$'
says 0 '--name: ' tm-history trend runs.db --by function --name "$bad" --name '^b$'
says 5 'rule.ini: line 4: ' tm-history change-points runs.db --gate --rules rule.ini

# --- spikes: main takes 5 ms
printf '%s\n' "thread $name" "> 0 $name @$name:1" '> 1000 inner' '< 3000' '< 5000' | "$GEN/calls" >calls.tmt
says 0 '--focus: ' tm-spikes --focus "$bad" calls.tmt
says 5 '--ignore: ' tm-spikes --ignore "$bad" --gate 9 calls.tmt
printf '[function x]\nmatch = %s\nthreshold = 1h\n' "$bad" >match
says 5 'match: line 2: ' tm-spikes --rules match --gate 0 calls.tmt
for word in file thread below; do
	printf '[function x]\nmatch = .\n%s = %s\nthreshold = 1h\n' $word "$bad" >$word
	says 5 "$word: line 3: " tm-spikes --rules $word --gate 0 calls.tmt
done
exit $failed

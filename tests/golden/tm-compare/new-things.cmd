# What is new, and what only some runs have. Of three runs a side there are 20 ways to deal them out. Truth: of each case, what
# is written beside it.
printf '[rule new]\nmetric = samples\nkey = function\nabsolute = 10\nnew = %d\n' 0 >p.ini
gate() {
	echo "$1:"
	tm-compare -q --no-config --gate p.ini --table policy --base b?.folded --new n?.folded | grep -E '^(fail|pass|inconcl)| is new|Statistics|no new'
	echo "status ${PIPESTATUS[0]}"
}
runs() { # base runs, new runs: all have the same
	rm -f ?[0-9].folded
	for ((k = 0; k < $1; k++)); do printf 'main;always %d\n' $((100 + k)) >b$k.folded; done
	for ((k = 0; k < $2; k++)); do printf 'main;always %d\n' $((201 + k)) >n$k.folded; done
}
has() { for f in "${@:3}"; do echo "main;$1 $2" >>$f.folded; done; }

runs 3 3; has seldom 60 n1
gate "in 1 of 3 new runs, 60 in it: not told; with 4 of 12, C(12,4) / C(24,4) = 0.047 would be"
runs 3 3; has fresh 60 n0 n1 n2
gate "in all new runs, and all base runs have the same: new"
runs 3 3; has fresh 60 n0 n1 n2; has noise 50 b0 n2
gate "the same, and another is in a base run and a new one: 1 of 20 ways has three that no base run has"
runs 3 3; has fresh 60 n0 n1 n2; has noise 50 b0 b1 n2
gate "another is in three runs, too: 2 of 20; of four a side there are 70"
runs 3 3; has fresh 60 n0 n1 n2; has noise 9 b0 b1 n2
gate "another is smaller than the rule asks: all base runs have the same"
runs 5 1; has fresh 60 n0
gate "one run against five that are alike: new"
runs 5 1; has fresh 60 n0; has noise 50 b3
gate "and against five that are not: 2 of 6, and three runs a side would do"
runs 1 1; has fresh 60 n0
gate "single runs are exact"
sed -i 's/new = 0/new = 1/' p.ini
runs 3 3; has fresh 60 n0 n1 n2; has seldom 60 n1
gate "one is allowed: one is new, the other may be"
printf '[waiver seldom]\nrule = new\nmatch = ^seldom\nuntil = 2999-01-01\nreason = seldom\n' >>p.ini
gate "what cannot be told is waived: one is left"

echo "Sampled every 1,000 bytes: of 30 points of a thing that both builds have, none is in the base in 1 of 2^30 cases; of 3, in 1 of 8"
heap() {
	echo 'heap profile: 1: 1000 [1: 1000] @ heap_v2/1000'
	i=17
	for n; do
		[ $n = 0 ] || printf '%d: %d [%d: %d] @ 0x%x\n' $n $((10 * n)) $n $((10 * n)) $i
		i=$((i + 16))
	done
	printf '\nMAPPED_LIBRARIES:\n'
}
heap 100 0 0 >b0.heap
heap 100 0 3 >few.heap
heap 100 30 0 >many.heap
printf '[rule new]\nmetric = requested\nkey = function\nnew = 0\n' >new.ini
# 100 points at most 10 times in 20 where 90 are expected, exp(-0.6) or less; where 50 are, exp(-19)
printf '[rule cap]\nmetric = requested\nkey = function\neach = yes\nmax = 90000\n' >near.ini
printf '[rule cap]\nmetric = requested\nkey = function\neach = yes\nmax = 50000\n' >far.ini
for what in 'new few' 'new many' 'near b0' 'far b0'; do
	set -- $what
	tm-compare -q --no-config --allow-copies --gate $1.ini --table policy b0.heap $2.heap | grep -E '^(fail|pass|inconcl)|Statistics'
	echo "$what: status ${PIPESTATUS[0]}"
done

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/oracle.bash tells new failures, known ones and stale lines apart. The oracle here is a stub.
mkdir oracle
cat >oracle/run <<'R'
#!/bin/sh
echo "seed $3"
cat ../said
R
chmod +x oracle/run
cat >said <<'R'
FAIL gate/noise-1: a healthy pair; expected 0; seen 1; command: x; repeat: --seed 1
FAIL gate/noise-1: another healthy pair; expected 0; seen 1; command: x; repeat: --seed 1
FAIL sums/huge: a sum; expected 1; seen 0; command: x; repeat: --seed 1
skipped (no cc): 1, first names/x
10 passed, 3 failed, 1 skipped
R
sed -i 's|\.\./said|'"$PWD"'/said|' oracle/run

check() { # $1: what, $2: the last line, $3: status, $4: what it says
	local out status

	out=$(ORACLE_SEED=7 bash "$SRC/tests/oracle.bash" oracle bin . 2>&1)
	status=$?
	if [ "$(tail -1 <<<"$out")" = "$2" ] && [ $status = "$3" ] && [[ $out == *"$4"* ]]; then
		echo "ok - $1"
	else
		echo "$out"
		echo "not ok - $1: status $status"
	fi
}

: >oracle-open
: >oracle-wrong
check 'without lists each failure counts' '10 passed, 3 failed, 1 skipped' 1 'not ok - sums/huge: a sum'
printf '# a comment\n\ngate\tA gate\nsums/huge\tNumbers\n' >oracle-open
check 'what is listed is skipped, and said' '10 passed, 0 failed, 4 skipped' 0 'gate: 2 checks fail (open: A gate)'
printf 'gate\tA gate\n' >oracle-open
printf 'sums/huge\tIt counts twice: see RFC 1\n' >oracle-wrong
check 'so is what the oracle has wrong' '10 passed, 0 failed, 4 skipped' 0 'the oracle is wrong: It counts'
printf 'gate\tA gate\nsums/huge\tNumbers\nsums/huge-2\tNumbers\n' >oracle-open
: >oracle-wrong
check 'a line of which nothing fails is stale' '10 passed, 1 failed, 4 skipped' 1 'sums/huge-2: the line is stale'
printf 'sums/huge\tNumbers\n' >oracle-open
printf 'gate/noise-*\t"a healthy pair" The seed draws 5 %% of them\n' >oracle-wrong
check 'a check of drawn cases is excused, and no other' '10 passed, 1 failed, 3 skipped' 1 'not ok - gate/noise-1: another healthy pair'
printf 'gate\tA gate\n' >>oracle-open
printf 'gate/step-*\t"a step" It is drawn on other days\n' >oracle-wrong
check 'such a line is not stale' '10 passed, 0 failed, 4 skipped' 0 'gate: 2 checks fail'
printf 'gate/step-*\tIt is drawn on other days\n' >oracle-wrong
check 'such a line names its check' '10 passed, 1 failed, 4 skipped' 1 'gate/step-*: a "check" and the reason follow'
: >oracle-wrong
printf 'gate\nsums/huge\tNumbers\n' >oracle-open
check 'a line needs its reason' '10 passed, 1 failed, 4 skipped' 1 'gate: no reason follows'
printf 'gate\tA gate\nsums/huge\tNumbers\n' >oracle-open
head -3 said >shorter
mv shorter said
check 'an oracle that ends early has failed' '0 passed, 1 failed, 3 skipped' 1 'did not end as it should'
rm oracle/run
check 'a missing oracle is one skip' '0 passed, 0 failed, 1 skipped' 0 'the oracle is not here'

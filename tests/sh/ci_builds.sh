#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 900
#
# examples/ci through ten builds on GitHub and on GitLab, as tests/ci/ci.py knows them, from empty caches. The
# builds are in its head: a flaky run (2), a leak (3), which is gone (4), another name of the program (5), growth
# of 1.1 % a build, which has become more than the 5 % that the budget allows with the sixth (6, 7) and is
# repaired (8), and the leak again (10); then come a request to merge a branch (11, 13), a game that ends badly (14) and a mistake in the budget (15). Red exactly there, and nothing of the workflow itself is wrong. The
# example of 0.2.0 (tests/ci/old) never turns green: it finds no programs, and with them its first build, which
# cannot be judged, leaves no history for the second.
# shellcheck disable=SC2016,SC2317 # check evaluates
set -u
. "$SRC/tests/check.bash"

if ! python3 -c 'import yaml' 2>/dev/null; then
	echo "skip - ci_builds (no python3-yaml here)"
	exit 0
fi
bin=$(dirname "$(command -v tm-record)")
ci() { timeout 400 python3 "$SRC/tests/ci/ci.py" "$1" "$2" "$bin" "$SRC/tests/ci/game.c" "${@:3}" >"$1.out" 2>err; }

want='1 pass
2 pass
3 fail
4 pass
5 pass
6 fail
7 fail
8 pass
9 pass
10 fail
11 pass
12 pass
13 pass
14 fail
15 fail'
for system in github gitlab; do
	ci $system "$SRC/examples/ci" renamed
	cut -d';' -f1 $system.out >verdicts
	check "$system: red where a build is worse, and green elsewhere" diff <(echo "$want") verdicts
	check "$system: no other step fails" eval '! grep -E "; step" $system.out | grep -vE "; step (gate|script)$"'
	check "$system: the leak is named first, with its callers" \
		grep -q '^    log_event (game.c:[0-9]*) allocates .* a run, was .*(limit +20 % and +16.0 KiB)\. Called by ai_system < main\.$' \
		ci-$system-3/log
	check "$system: a page, and a summary that says what broke" grep -q '^- log' ci-$system-3/work/gate.md
	check "$system: GitLab's issues are at the source" \
		jq -e '[.[].location.path] | index("game.c") != null' ci-$system-3/work/gate.json
	check "$system: so are SARIF's results" jq -e \
		'[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri] | index("game.c") != null' \
		ci-$system-3/work/gate.sarif
	check "$system: the game gets its own arguments alone" \
		[ "$(tm-dump ci-$system-3/work/run1.tmt 2>err | grep -c -- '--seed')" = 0 ]
	check "$system: only the first build has nothing to compare with" \
		[ "$(grep -l 'nothing was compared: no green run' ci-$system-*/log)" = ci-$system-1/log ]
	check "$system: the runs that a breach names are kept" grep -qx 'run5.tmt' ci-$system-3/uploaded
	check "$system: a request is held to main as it is" \
		[ "$(tm-history list -q --no-config --csv ci-$system-13/work/runs.db 2>err | grep -c sha-12)" -gt 0 ]
	check "$system: its own builds are no base" \
		[ "$(tm-history list -q --no-config --csv ci-$system-13/work/runs.db 2>err | grep -c sha-11)" = 0 ]
	check "$system: a game that ends badly says so, with what it printed" \
		eval 'grep -q "gate.sh: run 1 of ./game --frames 40 ended with status 7" ci-$system-14/log && grep -q "the disk is full" ci-$system-14/log'
	check "$system: and in the reports" \
		eval 'grep -q "ended with status 7" ci-$system-14/work/gate.md && grep -q "ended with status 7" ci-$system-14/work/gate.xml'
	check "$system: a mistake in the budget is printed once" \
		[ "$(grep -c "has no setting 'metrc'" ci-$system-15/log)" = 1 ]
	check "$system: no SARIF without a verdict" eval '[ ! -e ci-$system-14/work/gate.sarif ] && [ ! -e ci-$system-15/work/gate.sarif ]'
	check "$system: which ends with 2" grep -q '^= 2$' ci-$system-15/log
done
check "the request has its comment" grep -q '^gh pr comment 7 --body-file gate.md$' ci-github-11/log
check "the first build has every report" xmllint --noout ci-github-1/work/gate.xml

for system in github gitlab; do
	ci $system "$SRC/tests/ci/old"
	check "$system, as it was: never green" [ "$(grep -c fail $system.out)" = 15 ]
	rm -rf "old-$system"-*
	ci $system "$SRC/tests/ci/old" lenient
	check "$system, as it was, where tracemill is there and the game takes any arguments: never green" \
		[ "$(grep -c fail $system.out)" = 15 ]
	check "$system, as it was: since each build is the first" \
		[ "$(cat "old-$system"-*/log | grep -c 'the first build: nothing to compare with')" -ge 10 ]
done
exit $failed

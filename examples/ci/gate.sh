#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a CI job runs behind the build: five runs of the game, held to budget.ini beside the branch's green
# builds. 0: within the budget; 1: over it; 5: cannot tell, as before the first green build.
#
#     gate.sh BUILD BRANCH ./game --frames 40
set -u
build=$1 branch=$2
shift 2
for n in 1 2 3 4 5; do tm-record -q -o "run$n.tmt" -- "$@" --seed "$n" >run.log || exit 3; done
keep() { tm-history add -q runs.db run?.tmt --build "$build" --branch "$branch" --status green >added; }
judge() { tm-compare -q --history runs.db --base-branch "$branch" --gate budget.ini "$@" run?.tmt; }
tm-top -q --sites game.sites --as html -o top.html run1.tmt
[ -e runs.db ] || { keep && echo 'gate.sh: the first build: nothing to compare with' && exit 5; }
judge --as junit -o gate.xml
status=$?
judge --as sarif -o gate.sarif
[ $status = 1 ] || keep || status=3
exit $status

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gate.sh of examples/ci with the demo game: the first build has nothing to compare with, one like it passes, one
# whose tiles are three times as many fails, and says so in every report; the reports are there, too, when the
# game dies. Ten builds of it on CI systems are in ci_builds.sh.
# shellcheck disable=SC2016,SC2317 # check evaluates
set -u
. "$SRC/tests/check.bash"

cp "$SRC"/examples/ci/{gate.sh,budget.ini} .
game=$DATA/demo/gcc-dwarf5-O2/bin/arcade
export RUNS=3
gate() { # BUILD, then words for the game
	local build=$1

	shift
	rm -f gate.xml gate.sarif gate.json gate.md top.html
	sh gate.sh "$build" main "$game" --frames 40 --out . "$@" >out 2>err
}
reports() {
	xmllint --noout gate.xml && jq -e 'type == "array"' gate.json >/dev/null &&
		[ -s gate.md ] && [ -s top.html ]
}
gate b1
check "the first build passes" [ $? = 0 ]
check "and has its reports" reports
check "which say that there is nothing to compare with" grep -q 'nothing was compared: no green run' gate.xml
gate b2
check "the same game again: within the budget" [ $? = 0 ]
check "JUnit without a failure" xmllint --noout --xpath '//testsuite[@failures="0"]' gate.xml
# A build of the game that has more tiles of itself: other arguments would make no verdict.
GROW=200 gate b3
check "tiles three times as large: over it" [ $? = 1 ]
check "JUnit names the rule" xmllint --noout --xpath '//testcase[@name="sites"]/failure' gate.xml
check "SARIF has a result" jq -e '.runs[0].results | length > 0' gate.sarif
check "GitLab has an issue" jq -e 'length > 0' gate.json
check "the summary begins with it" [ "$(head -n 1 gate.md)" = "## The policy is broken" ]
check "a page to look at" grep -q '<title>' top.html
check "what failed is not in the history" [ "$(tm-history list -q --csv runs.db 2>err | grep -c b3)" = 0 ]
runs() { [ "$(compgen -G 'run*.tmt' | wc -l)" = "$1" ]; }
check "and no more runs, which it does not need" runs 3
BASE=mian gate b3c
check "a mistyped base: cannot tell" [ $? = 5 ]
check "and no more runs, which would not help" runs 3
gate b3b --grow 200
check "other arguments: nothing to compare with" grep -q 'started with other arguments' err
check "and no more runs of them" runs 3
gate b4 --no-such-word
check "a game that fails" [ $? = 3 ]
check "leaves reports, too" reports
check "which say why" eval 'grep -q "ended with status" gate.md && grep -q "ended with status" gate.xml'
check "and no SARIF, which would close what is open" [ ! -e gate.sarif ]
check "and is not in the history" [ "$(tm-history list -q --csv runs.db 2>err | grep -c b4)" = 0 ]
exit $failed

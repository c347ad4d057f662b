#!/bin/bash
# SPDX-License-Identifier: MIT
#
# examples/ci as a CI system would run it, with the demo game: the first build cannot be judged, one
# like it passes, one whose tiles are a third larger fails, and says so in JUnit and SARIF.
set -u
. "$SRC/tests/check.bash"

cp "$SRC"/examples/ci/{gate.sh,budget.ini} .
cp "$SRC/testdata/src/demo/arcade.sites" game.sites
game=$DATA/demo/gcc-dwarf5-O2/bin/arcade
gate() { # BUILD, then words for the game
	local build=$1

	shift
	sh gate.sh "$build" main "$game" --frames 40 --out . "$@" >out 2>err
}
gate b1
check "the first build: cannot tell" [ $? = 5 ]
gate b2
check "the same game again: within the budget" [ $? = 0 ]
check "JUnit without a failure" xmllint --noout --xpath '//testsuite[@failures="0"]' gate.xml
gate b3 --grow 200
check "tiles three times as large: over it" [ $? = 1 ]
check "JUnit names the rule" xmllint --noout --xpath '//testcase[contains(@name, "heap")]/failure' gate.xml
check "SARIF has a result" jq -e '.runs[0].results | length > 0' gate.sarif
check "a page to look at" grep -q '<title>' top.html
check "what failed is not in the history" [ "$(tm-history list -q --csv runs.db 2>err | grep -c b3)" = 0 ]
exit $failed

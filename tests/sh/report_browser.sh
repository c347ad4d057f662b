#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# A page of many nodes and rows, in a headless browser with real clicks and keys, at 400 and 1400 pixels,
# light and dark: it has every node and every row of the report's JSON, makes elements for those in view
# only, each node is reached by clicking, keys go from call to call, a screen reader has names and values,
# and where scripts do not run its first part is there. What must be seen is computed from the JSON.
# timeout: 900
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"
if ! command -v python3 >/dev/null; then
	echo 'skip - in a browser: no Python'
	exit 0
fi
"$GEN/report" --kind big -o big.html
"$GEN/report" --kind big -o big.json
"$GEN/report" -o sample.html
"$GEN/report" -o sample.json
"$GEN/report" --kind hostile --rows 3000 --stacks 3000 -o hostile.html
"$GEN/report" --kind hostile --rows 3000 --stacks 3000 -o hostile.json
exec python3 "$SRC/tests/report_browser.py" "$browser" "$SRC"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The manual as HTML (make docs): a page for each page of the manual, an index that leads to all of them, and no link
# that leads nowhere: neither to a file that is not there nor to a place that its page does not have.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
command -v mandoc >/dev/null || {
	echo 'skip - the manual as HTML (no mandoc here)'
	exit 0
}

check 'the manual is made' sh "$SRC/man/html.sh" "$PWD/docs"
cd docs || exit 1
(cd "$SRC/man" && printf '%s.html\n' *.[1-9]) >../want
printf '%s\n' *.html | grep -vx index.html >../got
check "a page for each of $(wc -l <../want)" cmp ../want ../got
grep -o '<dt><a href="[^"#]*"' index.html | cut -d'"' -f2 | sort >../listed
check 'the index has each of them once' cmp <(sort ../want) ../listed
check '... and a sentence about each' [ "$(grep -c '<dd>[a-zA-Z]' index.html)" = "$(wc -l <../want)" ]

# FILE, TARGET of each link within the manual, and FILE#ID of each place that one may lead to.
links() {
	grep -o '\(href\|src\)="[^"]*"' ./*.html | sed -e 's|^\./||' -e 's|:[a-z]*="|\t|' -e 's|"$||' | grep -v '	[a-z]*://'
}
{
	printf '%s\n' *
	grep -o ' id="[^"]*"' ./*.html | sed -e 's|^\./||' -e 's|: id="|#|' -e 's|"$||'
} >../places
links >../links
nowhere=$(awk -F '\t' '
	NR == FNR { there[$0] = 1; next }
	{ to = $2 ~ /^#/ ? $1 $2 : $2 }
	!(to in there) { print $1 ": " $2 }' ../places ../links)
echo "$nowhere" | sed 's/^./# &/' | head -n 20
check "each of $(wc -l <../links) links leads to a page or a place that is there" [ -z "$nowhere" ]
check '... and pages link to each other' grep -q '^tm-top.1.html	tm-frames.1.html' ../links
exit $failed

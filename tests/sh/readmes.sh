#!/bin/bash
# SPDX-License-Identifier: MIT
#
# README.md and README.zh-CN.md say the same: as many sections, the same commands in the same order, a picture each near
# the top. What they and docs/*.md link to is there. Pictures are small. Where a release is said to be, make leaves it.
set -u
# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
for f in "$SRC"/*; do
	ln -s "$f" .
done
both=(README.md README.zh-CN.md)

# The commands of indented lines, without what is said of them, and the programs and options in backticks.
commands() {
	sed -n 's/^    \(\(\$ \)\{0,1\}\(make\|podman\|tracemill\)[^(]*\)/\1/p' "$1" | sed 's/   *.*//; s/ [^ -~].*//'
}
targets() {
	grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '://'
}
equals 'as many sections' "$(grep -c '^## ' README.md)" "$(grep -c '^## ' README.zh-CN.md)"
equals 'the same commands' "$(commands README.md)" "$(commands README.zh-CN.md)"
check '... seven at least' [ "$(commands README.md | wc -l)" -ge 7 ]
for readme in "${both[@]}"; do
	check "$readme: a picture within the first 12 lines" eval 'head -n 12 $readme | grep -q "^!\[.*\](docs/.*\.png)"'
	check "$readme: make dist, packages, an image, the manual" eval 'grep -q "make dist .*build/tracemill-VERSION.tar.gz" $readme &&
		grep -q "make packages .*build/release" $readme && grep -q "podman build -t tracemill \. .*Containerfile" $readme &&
		grep -q "make docs.*build/docs/index.html" $readme'
done
missing=
for page in "${both[@]}" docs/*.md; do
	for to in $(targets "$page"); do
		[ -e "$(dirname "$page")/$to" ] || missing="$missing $page:$to"
	done
done
check "what they link to is there$missing" [ -z "$missing" ]
large=$(find docs/ -name '*.png' -size +146k)
check "pictures are smaller than 150 KB $large" [ -z "$large" ]
unused=
for picture in docs/*.png; do
	grep -qF "${picture#docs/})" "${both[@]}" docs/*.md || unused="$unused $picture"
done
check "each of them is shown$unused" [ -z "$unused" ]
check 'they say where make leaves the packages and the manual' eval 'grep -qx "RELEASE  *:= build/release" Makefile &&
	grep -q "html.sh build/docs" Makefile && [ -f Containerfile ]'
exit $failed

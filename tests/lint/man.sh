#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Manual pages are well-formed mdoc.
set -u
cd "$SRC" || exit 1

pages=$(find man -name '*.[1-9]' | sort)
if [ -z "$pages" ]; then
	echo "skip - man (no pages)"
	exit 0
fi
# shellcheck disable=SC2086
if ! out=$(mandoc -Tlint -W warning $pages); then
	echo "$out" | sed 's/^/  /'
	echo "not ok - man: $(echo "$out" | wc -l) remarks"
	exit 1
fi
echo "ok - man: $(echo "$pages" | wc -l) pages"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Manual pages are well-formed mdoc, and are set in 80 columns without a word from man or groff: a table that does
# not fit there is garbled.
# shellcheck disable=SC1112,SC2086 # quotes of the pages; names without blanks
set -u
cd "$SRC" || exit 1
bad=0

pages=$(find man -name '*.[1-9]' | sort)
if [ -z "$pages" ]; then
	echo "skip - man (no pages)"
	exit 0
fi
say() { # WHAT REMARKS
	if [ -z "$2" ]; then
		echo "ok - $1: $(wc -w <<<"$pages") pages"
		return
	fi
	head -n 20 <<<"$2" | sed 's/^/  /'
	echo "not ok - $1: $(wc -l <<<"$2") remarks"
	bad=1
}
# shellcheck disable=SC2086
# EXAMPLES come before OPTIONS here: readers want them first.
say mandoc "$(mandoc -Tlint -W warning $pages | grep -v 'sections out of conventional order')"
if ! command -v groff >/dev/null 2>&1; then
	echo "skip - groff (not here)"
else
	# A line of few long words is not adjusted, which newer versions remark.
	say groff "$(for p in $pages; do groff -mdoc -t -Tutf8 -ww -rLL=78n "$p" 2>&1 >/dev/null; done | grep -v 'cannot adjust line')"
fi
if ! man --version >/dev/null 2>&1; then
	echo "skip - man (not here)"
else
	say man "$(for p in $pages; do MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l "$p" 2>&1 >/dev/null | sed "s|^|$p: |"; done | grep -v 'cannot adjust line')"
fi
# Macros that took words of the text for their own: a quote within a quote, a parenthesis that stands alone, In of
# .Pq In 1000, and a colon in the middle of what Ql quotes. Lines that begin "0) main" are listings.
if man --version >/dev/null 2>&1; then
	say 'balanced text' "$(for p in $pages; do
		MANWIDTH=2000 LC_ALL=C.UTF-8 man -E UTF-8 -l "$p" 2>/dev/null | sed "s/.\x08//g" | awk -v p="$p" '{
			text = $0
			if (text ~ /^ *\$ /)
				next
			sub(/^[ •]*[0-9]+\) /, "", text)
			gsub(/‘[0-9]+\) /, "‘", text)
			gsub(/\[[()]\]/, "", text) # of an expression
			open = gsub(/\(/, "(", text)
			if (open != gsub(/\)/, ")", text) || $0 ~ /‘[^’]*‘/ || $0 ~ /<[0-9]+>/)
				print p ": " substr($0, 1, 200) }'
	done)"
fi
say 'colons in quotes' "$(grep -nE '^\.(Pq |Po )?.*(Ql|Cm|Fl|Ev|Li) [^ ]+ : [^N ]' $pages)"
exit $bad

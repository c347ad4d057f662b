#!/bin/bash
# SPDX-License-Identifier: MIT
#
# names.sh [ROOT]: a static function that a struct of callbacks holds is the only one of its name: no call in the
# source leads to it, but its name in a debugger or a profile. A struct in a header that two files include has no
# tag that any other file could have: those of rooms (trace, table) are theirs.
set -u
cd "${1:-$SRC}" || exit 1

common='answer args attribute bytes cache call cell check checks code column columns cost count data document entry
	events field file files function group handle image item items line lines list load memory name names node nodes
	note number out pair piece point project question record request result row rows run search section series
	slice slot slots source span state stats store stream string summary sums symbols text unit value values
	word words'

# Relies on the layout that lint/format holds: the { of a function is in the first column.
# shellcheck disable=SC2046
find cmd lib formats tests -name '*.[ch]' | sort | xargs -r awk -v common="$common" '
	# Strings may have braces and names in them, attributes the first ( of a line.
	function bare(line) {
		gsub(/\\./, "", line)
		gsub(/"[^"]*"/, "", line)
		gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\) ?/, "", line)
		return line
	}
	function held(name) {
		if (name in defined)
			registered[name] = 1
	}
	# .member = name, and a struct of nothing but names: {begin, event, end}
	function look(line, part, n, i, inner) {
		if (match(line, /\.[a-z_0-9]+ = [a-z_0-9]+[,;}]/)) {
			inner = substr(line, RSTART, RLENGTH - 1)
			sub(/.* = /, "", inner)
			wanted[inner] = 1
		}
		while (match(line, /\{[A-Za-z_0-9, ]*\}/)) {
			n = split(substr(line, RSTART + 1, RLENGTH - 2), part, /, */)
			for (i = 1; i <= n; i++)
				wanted[part[i]] = 1
			line = substr(line, RSTART + RLENGTH)
		}
	}
	function settle(name) { # what the file that ends here has
		for (name in wanted)
			held(name)
		for (name in registered) {
			functions++
			if (name in of) {
				printf "  %s: %s, as in %s\n", file, name, of[name]
				bad++
			} else
				of[name] = file
		}
		split("", defined)
		split("", wanted)
		split("", registered)
	}
	BEGIN {
		n = split(common, part, " ")
		for (i = 1; i <= n; i++)
			is_common[part[i]] = 1
	}
	FNR == 1 {
		if (file != "")
			settle()
		file = FILENAME
		product = file !~ /^tests\//
		head = ""
	}
	/^#[ \t]*include "/ {
		split($0, part, "\"")
		included[part[2]]++
		next
	}
	!product { next }
	/^struct [a-z0-9]+ \{/ && file ~ /\.h$/ && $2 in is_common { tag[file " struct " $2] = file }
	/^static / { head = bare($0) }
	head != "" && !/^static / { head = head " " $0 }
	head ~ /;$|=/ { head = "" }
	/^\{/ && head != "" {
		name = head
		sub(/ ?\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		defined[name] = 1
		head = ""
		next
	}
	/ = [a-z_0-9]+[,;}]|\{[A-Za-z_]/ { look(bare($0)) }
	END {
		settle()
		for (t in tag)
			if (included[tag[t]] > 1) {
				printf "  %s: a word that any file could have, in a header of %d files\n", t, included[tag[t]]
				bad++
			}
		if (bad)
			printf "not ok - names: %d problems\n", bad
		else if (!functions)
			print "not ok - names: no callback seen at all"
		else
			printf "ok - names: %d callbacks\n", functions
		exit bad > 0 || !functions
	}'

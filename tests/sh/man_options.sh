#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every program has a page, tracemill(7) and the README list every program and no other, and each
# page's OPTIONS and SYNOPSIS have the options of --help, no more and no less.
set -u

# "-o --output FILE" a line, from the help text: the argument is upper case, one blank behind.
help_options() {
	"$1" --help all | sed -n 's/$/ /; s/\[=\([A-Z]*\)\] / \1 /; s/^ *\(-[^-]\), --/  \1 --/; s/^ \{2,6\}\(\(-[^-] \)\{0,1\}--[a-zA-Z-]*\( [A-Z.=]\{1,\}\)\{0,1\}\) .*/\1/p' |
		sort
}

# The same, from the .It lines of OPTIONS.
page_options() {
	awk '/^\.Sh / { in_options = $0 == ".Sh OPTIONS" }
		in_options && /^\.It Fl / {
			sub(/^\.It /, "")
			gsub(/ Ns Op = Ns Ar /, " ")
			gsub(/Fl /, "-")
			gsub(/Ar /, "")
			gsub(/ , /, " ")
			print
		}' "$1" | sort
}

# Long words, and letters of options that have one, from the SYNOPSIS.
page_synopsis() {
	awk '/^\.Sh / { in_synopsis = $0 == ".Sh SYNOPSIS" }
		in_synopsis && match($0, /Fl /) {
			rest = substr($0, RSTART + 3)
			split(rest, word, " ")
			if (word[1] ~ /^-/)
				print "-" word[1]
			else
				for (i = 1; i <= length(word[1]); i++)
					print "-" substr(word[1], i, 1)
		}' "$1" | sort
}

# What the synopsis should have: the letter where there is one, else the word; help and version
# are understood.
help_synopsis() {
	help_options "$1" | awk '$1 != "-h" && $1 != "-V" { print $1 }' | sort
}

compare() { # what, wanted, found
	if [ -z "$2" ]; then
		echo "not ok - $1: nothing found to compare with"
	elif [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		diff <(echo "$2") <(echo "$3") | sed -n 's/^</  missing: /p; s/^>/  too much: /p'
		echo "not ok - $1"
	fi
}

programs=$(cd "$SRC/cmd" && printf '%s\n' tm-*.c | sed 's/\.c$//')
for program in $programs; do
	page=$SRC/man/$program.1
	if [ ! -f "$page" ]; then
		echo "not ok - $program has no page"
		continue
	fi
	compare "$program: OPTIONS are those of --help" "$(help_options "$program")" \
		"$(page_options "$page")"
	for old in $("$program" --help all | sed -n '/^until the next version:/,/^$/p' | grep -o -- '--[a-z-]* is' | cut -d' ' -f1); do
		if grep -q "^\.Fl ${old#-}\b" "$page"; then
			echo "ok - $program: the page has $old, which is old"
		else
			echo "not ok - $program: the page has $old, which is old"
		fi
	done
	# A synopsis with [option ...] has the options most used, and none that --help does not have.
	wanted=$(help_synopsis "$program")
	found=$(page_synopsis "$page")
	if grep -q '^\.Op Ar option \.\.\.$' "$page"; then
		wanted=$(comm -12 <(echo "$wanted") <(echo "$found"))
	fi
	compare "$program: SYNOPSIS has the options of --help" "$wanted" "$found"
done
# The forms of a report: what the page lists is what the program can write.
"$GEN/calls" >calls.tmt <<'X'
thread Main
frame 1
= 9000 8000 1 Tick;Load
X
"$GEN/heap" big 20 60 >heap.tmt
printf '[rule a]\nmetric = self-time\npercent = 5\n' >policy.ini
page_forms() {
	sed -n '/^\.It Fl -as Ar/,/^see/p' "$1" | sed -n '/;$/{s/^.Cm //;s/ ;$//;p};/^or$/d;/,/{s/^.Cm //;p}' | tr -d ' ' |
		tr ',' '\n' | sort
}
written_forms() { # program and operands
	local form

	for form in text csv tsv json markdown junit sarif html code-quality; do
		"$@" --as "$form" >/dev/null 2>&1
		[ $? = 2 ] || echo "$form"
	done | sort
}
for program in tm-top tm-frames tm-spikes tm-heap tm-compare; do
	case $program in
	tm-spikes) operands=(--gate 100 calls.tmt) ;;
	tm-heap) operands=(heap.tmt) ;;
	tm-compare) operands=(--gate policy.ini calls.tmt calls.tmt) ;;
	*) operands=(calls.tmt) ;;
	esac
	compare "$program(1) names the forms of its report" "$(page_forms "$SRC/man/$program.1")" \
		"$(written_forms $program "${operands[@]}")"
	compare "$program --help lists them" "$($program --help all | sed -n '/--as FORMAT/,/--csv/p' | sed '$d; s/--as FORMAT//' |
		tr -s ', ' '\n' | grep -vxE 'auto|or|' | sort)" "$(written_forms $program "${operands[@]}")"
done

# The words of --sort: the pages list those that the table of metrics gives the programs.
page_metrics() {
	sed -n '/^\.It Fl -sort Ar METRIC/,/^\.It Fl n/p' "$1" | sed -n 's/^\.Cm //p' | tr -s ' ,.' '\n' | grep -v '^$' | sort -u
}
help_metrics() {
	"$1" --completion=bash | sed -n "s/.*--sort=) words='\([^']*\)'.*/\1/p" | tr ' ' '\n' | sort -u
}
for program in tm-top tm-frames; do
	compare "$program(1) names the metrics of --sort" "$(page_metrics "$SRC/man/$program.1")" "$(help_metrics $program)"
done

compare "a page for every program, and no other" "$programs" \
	"$(cd "$SRC/man" && printf '%s\n' tm-*.1 | sed 's/\.1$//')"
compare "tracemill(7) lists the programs" "$programs" \
	"$(sed -n '/^\.Ss Programs/,/^\.El/s/^\.It Xr \(tm-[a-z0-9-]*\) 1$/\1/p' "$SRC/man/tracemill.7" | sort)"
compare "the README lists the programs" "$programs" \
	"$(sed -n 's/^| `\(tm-[a-z0-9-]*\)` |.*/\1/p' "$SRC/README.md" | sort)"
compare "the Chinese README lists the programs" "$programs" \
	"$(sed -n 's/^| `\(tm-[a-z0-9-]*\)` |.*/\1/p' "$SRC/README.zh-CN.md" | sort)"
row_commands() { grep '^| [^`|]* | .*`' "$1" | grep -oE '`tracemill [^`]*`'; }
compare "both READMEs answer with the same commands" "$(row_commands "$SRC/README.md")" "$(row_commands "$SRC/README.zh-CN.md")"
# The tutorial in Chinese: its programs, commands and outputs are the manual page's, and what it calls the parts of
# tm-view's page these are called there.
compare "the Chinese tutorial has the commands and the outputs" \
	"$(awk '/^\.Bd -literal/ { inside = 1; print "block"; next } /^\.Ed/ { inside = 0 } inside { gsub(/\\e/, "\\"); print }' "$SRC/man/tracemill-tutorial.7")" \
	"$(awk '/^```$/ { inside = !inside; if (inside) print "block"; next } inside' "$SRC/docs/tutorial.zh-CN.md")"
commands=$(sed -n 's/^\.Ql "*\(t[a-z-]* .*[^ .;"]\)"*\( [.;]\)*$/\1/p' "$SRC/man/tracemill-tutorial.7")
compare "and the commands in its text" "$commands" \
	"$(while IFS= read -r s; do ! grep -qF "\`$s\`" "$SRC/docs/tutorial.zh-CN.md" || echo "$s"; done <<<"$commands")"
words=$(grep -o '“[^”]*”' "$SRC/docs/tutorial.zh-CN.md" | tr -d '“”')
compare "and the page's words" "$words" \
	"$(while IFS= read -r s; do ! grep -qE "\": ?\"$s( \{0\})?\",\$" "$SRC/lib/render/html/texts.js" || echo "$s"; done <<<"$words")"
compare "tm-import(1) has a section, or a line, for each format" \
	"$(tm-import --list-formats | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' | sort)" \
	"$(sed -n '/^\.Sh FORMATS/,/^\.Sh ENV/s/^\.\(Ss\|It\) \([a-z0-9-]*\)$/\2/p' "$SRC/man/tm-import.1" | sort)"
if bash "$SRC/man/formats.sh" --check; then
	echo "ok - the tables of formats are those of tm-import --list-formats"
else
	echo "not ok - the tables of formats are those of tm-import --list-formats"
fi

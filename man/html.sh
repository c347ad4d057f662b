#!/bin/sh
# SPDX-License-Identifier: MIT
#
# man/html.sh FOLDER: the manual as HTML, a page each and an index, by mandoc. Pages link to each other; pages that are
# not ours are named without a link.
set -eu
command -v mandoc >/dev/null || {
	echo 'html.sh: the manual as HTML needs mandoc' >&2
	exit 1
}
rm -rf "$1"
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")"

cat >"$to/style.css" <<'CSS'
:root { color-scheme: light dark; }
body { max-width: 52em; margin: 1em auto; padding: 0 1em; font: 16px/1.5 sans-serif; }
table.head, table.foot { width: 100%; font-size: smaller; opacity: 0.7; }
td.head-vol, td.foot-date { text-align: center; }
td.head-rtitle, td.foot-os { text-align: right; }
h1.Sh { font-size: 1.15em; margin: 1.5em 0 0.5em; }
h2.Ss { font-size: 1em; margin: 1.2em 0 0.4em; }
a.permalink { color: inherit; text-decoration: none; }
code, pre { font-family: monospace; font-size: 0.95em; }
pre { padding: 0.5em 0.8em; background: #8881; overflow-x: auto; }
dt { margin-top: 0.4em; }
table.Bl-column td, table.Nm td { vertical-align: top; padding-right: 1em; }
table.Nm code.Nm { white-space: nowrap; }
.Bd-indent { margin-left: 1.5em; }
code.Nm, code.Fl, code.Cm, code.Ic { font-weight: bold; }
code.Fl { white-space: nowrap; }
CSS

pages=$(printf "%s\n" *.[1-9])
# sed's word for each link to a page of somebody else.
ours=$(echo "$pages" | sed 's/\./\\./; s/$/\\.html/' | paste -sd'|')
for page in $pages; do
	mandoc -T html -O man=%N.%S.html,style=style.css "$page" |
		sed -E -e "s#href=\"(($ours)(\#[^\"]*)?)\"#keep=\"\1\"#g" -e 's#href="[a-zA-Z0-9_.+-]*\.[1-9][a-z]*\.html"##g' \
			-e 's#keep="#href="#g' -e 's#^<table class="head">#<a href="index.html">tracemill: the manual</a>\n&#' >"$to/$page.html"
done

# The first sentence of a page, as its NAME has it.
line_of() {
	tr '\n' ' ' <"$to/$1.html" | sed -E 's#^.*class="Nd">##; s#</p>.*##; s/<[^>]*>//g; s/ +/ /g'
}
list() { # TITLE PAGE...
	printf '<h2>%s</h2>\n<dl>\n' "$1"
	shift
	for page; do
		printf '<dt><a href="%s.html">%s(%s)</a></dt><dd>%s</dd>\n' "$page" "${page%.*}" "${page##*.}" "$(line_of "$page")"
	done
	echo '</dl>'
}
first='tracemill-tutorial.7 tracemill.1 tracemill.7'
of() { # SECTION; without those that stand first
	echo "$pages" | grep "\.$1\$" | grep -vxF "$(echo "$first" | tr ' ' '\n')"
}
{
	cat <<-'HTML'
		<!DOCTYPE html>
		<html lang="en">
		<head>
		<meta charset="utf-8"/>
		<meta name="viewport" content="width=device-width, initial-scale=1.0"/>
		<link rel="stylesheet" href="style.css"/>
		<title>tracemill: the manual</title>
		</head>
		<body>
		<h1>tracemill: the manual</h1>
	HTML
	# shellcheck disable=SC2086,SC2046 # names
	{
		list 'Start here' $first
		list 'Programs' $(of 1)
		list 'Overviews' $(of 7)
		list 'Captures, traces and other files' $(of 5)
		list 'From inside a program' $(of 3)
	}
	printf '</body>\n</html>\n'
} >"$to/index.html"

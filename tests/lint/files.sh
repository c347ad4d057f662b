#!/bin/bash
# SPDX-License-Identifier: MIT
#
# files.sh [--write] [ROOT]: the last part of lib/README.md names each file of lib/ and formats/ that no table before it names, with
# the first sentence of the file, or of its header. --write (make tables) writes that part.
set -u
write=no
if [ "${1-}" = --write ]; then
	write=yes
	shift
fi
cd "${1:-$SRC}" || exit 1
map=lib/README.md title='## Other files'

# Its first words in a comment, up to a full stop or a colon.
sentence() { # file
	awk 'NR == 1 && !/^\/\*/ { exit }
		{ end = sub(/ *\*\/.*/, ""); sub(/^\/\*/, ""); sub(/^ \*/, ""); sub(/^ /, ""); sub(/SPDX-License-Identifier: MIT/, "") }
		/^ *$/ { if (text != "" || end) exit; next }
		{ text = text (text == "" ? "" : " ") $0 }
		end { exit }
		END { sub(/^Internal to [^:]*: */, "", text); if (match(text, /[.:]( |$)/)) text = substr(text, 1, RSTART - 1)
			if (gsub(/[(]/, "(", text) > gsub(/[)]/, ")", text))
				sub(/ *[(][^(]*$/, "", text)
			print text }' "$1"
}

part() {
	local room='' f base text

	# shellcheck disable=SC2016 # Markdown
	printf '%s\n\nFiles that no table above names. `make tables` writes this part from the first sentences of the files.\n' "$title"
	find -H lib formats -name '*.c' | sed 's#\(.*\)/#\1/ #' | LC_ALL=C sort | tr -d ' ' | while read -r f; do
		base=${f##*/} base=${base%.c}
		if grep -qF -e "\`${f#lib/}\`" -e "\`../$f\`" above; then
			continue
		fi
		[ "${f%/*}" = "$room" ] || printf '\n### `%s/`\n\n' "${f%/*}"
		room=${f%/*}
		text=$(sentence "$f")
		[ -n "$text" ] || [ ! -f "${f%c}h" ] || text=$(sentence "${f%c}h")
		[ -n "$text" ] || text='(says nothing of itself)'
		printf -- '- `%s.c`: %s\n' "$base" "$text"
	done
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
sed "/^$title\$/,\$d" "$map" >"$work/above"
(
	root=$PWD
	cd "$work" && ln -s "$root/lib" "$root/formats" . && part
) >"$work/part"
cat "$work/above" "$work/part" >"$work/map"
if [ "$write" = yes ]; then
	cmp -s "$work/map" "$map" || cp "$work/map" "$map"
elif grep -n 'says nothing of itself' "$work/part"; then
	echo 'not ok - files: a file has no first sentence'
	exit 1
elif diff "$map" "$work/map" | head -n 20 | grep .; then
	echo 'not ok - files: lib/README.md has other files than there are: make tables'
	exit 1
else
	echo "ok - files: lib/README.md names $(grep -c '^- ' "$work/part") files after its tables"
fi

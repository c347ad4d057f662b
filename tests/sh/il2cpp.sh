#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# C# lines of il2cpp's C++, end to end: every instruction of the library in $DATA/il2cpp, by
# tm-symbolize with each kind of line map, against llvm-symbolizer's chain of C++ calls with the C#
# that the source's own comments say put inside each.
set -u
status=0
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | cut -c1-150 | head -n 8
	status=1
}

: "${DATA:?}"
data=$DATA/il2cpp
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Lines "ADDRESS function file:line ..." of all calls, innermost first.
truth() { # LIBRARY
	llvm-symbolizer --output-style=GNU -a -f=linkage -i --no-demangle -e "$1" <"$work/addresses" | awk -v map="$data/truth" '
		BEGIN { while ((getline < map) > 0) cs[$1] = $2 }
		/^0x/ { if (n++) print text; sub(/^0x0*/, "0x"); text = $0; next }
		{
			name = $0
			getline
			sub(/ \(discriminator.*/, "")
			line = $0
			sub(/.*:/, "", line)
			# padding between functions has a line, and no function to bound it
			if (name != "??" && line in cs && cs[line] != "-") text = text " " name " " cs[line]
			if (name != "??" || line != 0) text = text " " name " " $0
		}
		END { print text }'
}

# The same of a trace.
ours() { # tm-symbolize's options
	tm-symbolize -q --no-local --locations exact "$@" "$work/capture.mem" |
		tm-dump -q --no-events - | awk '
		function field(key) {
			if (!match($0, " " key "=\"[^\"]*\"")) return "??"
			return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
		}
		$1 == "location" { raw[$2] = $5 }
		$1 == "binding" { at = $2; order[++n] = at }
		$1 == "call" {
			raw_name = field("raw") == "??" ? field("function") : field("raw")
			file = field("file")
			match($0, / line=[0-9]+/)
			text[at] = text[at] " " raw_name " " file ":" (RSTART ? substr($0, RSTART + 6, RLENGTH - 6) : 0)
		}
		END { for (i = 1; i <= n; i++) print raw[order[i]] text[order[i]] }'
}

prepare() { # LIBRARY
	objdump -d --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/0x\1/p' >"$work/addresses"
	awk 'BEGIN { printf "{\"slide\":\"0x0\"}\n{\"f\":1,\"d\":[" }
		{ printf "%s{\"t\":\"A\",\"s\":8,\"r\":8,\"st\":[\"%s;\"],\"sz\":[8]}", (NR > 1 ? "," : ""), $1 }
		END { print "]}" }' "$work/addresses" >"$work/capture.mem"
}

found=0
for folder in "$data"/*/; do
	name=$(basename "$folder")
	library=$folder/libil2cpp.so
	[ -e "$library" ] || continue
	found=$((found + 1))
	prepare "$library"
	truth "$library" >"$work/want"
	for map in unity.json below/LineNumberMappings.json windows.json "sentry-$name.json"; do
		ours -e "$library" --linemap "$data/$map" >"$work/got"
		if diff "$work/want" "$work/got" >"$work/diff"; then
			ok "$name: $(wc -l <"$work/got") addresses, $(grep -c '\.cs:' "$work/got") with C#, by $map"
		else
			not_ok "$name: C# lines by $map" "$work/diff"
		fi
	done
	if grep -q 'Player.cs:12 .*Player.cs:20 ' "$work/got" || [ "${name##*-O}" = 0 ]; then
		ok "$name: an inlined method's line and its caller's"
	else
		not_ok "$name: an inlined method's line and its caller's" "$work/got"
	fi
done
[ $found -gt 0 ] || echo "skip - il2cpp lines (no compiler made the library)"
exit $status

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
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
	llvm-symbolizer-19 --output-style=GNU -a -f=linkage -i --no-demangle -e "$1" <"$work/addresses" | awk -v map="$data/truth" '
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
	objdump -d -j .text --no-show-raw-insn "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/0x\1/p' >"$work/addresses"
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

# Found next to the binary where a build leaves it; the map's absence or another build is no error.
same() { # WHAT, with want and got
	if [ -s "$work/want" ] && cmp -s "$work/want" "$work/got"; then ok "$1"; else not_ok "$1" "$work/got"; fi
}
folder=$data/g++-5-O1
if [ -e "$folder/libil2cpp.so" ]; then
	prepare "$folder/libil2cpp.so"
	ours -e "$folder/libil2cpp.so" --linemap "$data/unity.json" >"$work/want"
	for place in . Symbols il2cppOutput/cpp/Symbols ../Game_BackUpThisFolder_ButDontShipItWithYourGame/il2cppOutput/Symbols; do
		rm -rf "$work/build"
		mkdir -p "$work/build/lib" "$work/build/lib/$place"
		cp "$folder/libil2cpp.so" "$work/build/lib"
		cp "$data"/below/* "$work/build/lib/$place"
		ours -e "$work/build/lib/libil2cpp.so" >"$work/got"
		same "a line map in $place of the library's folder"
	done
	tm-symbolize -v --no-local -e "$work/build/lib/libil2cpp.so" -o "$work/out.tmt" "$work/capture.mem" 2>"$work/err"
	if grep -q 'LineNumberMappings.json: a line map (Unity.s) of 1 C++ files, 7 lines, with il2cppFileRoot.txt' "$work/err"; then
		ok "-v names what was found"
	else
		not_ok "-v names what was found" "$work/err"
	fi
	ours -e "$folder/libil2cpp.so" >"$work/want"
	ours -e "$work/build/lib/libil2cpp.so" --no-managed >"$work/got"
	same "--no-managed looks for nothing"
	ours -e "$folder/libil2cpp.so" --linemap "$data/sentry-g++-5-O2.json" >"$work/got"
	same "Sentry's map of another build is not used"
	ours -e "$folder/libil2cpp.so" --linemap "$data/sentry-g++-5-O1.json" --linemap-window 1 >"$work/got"
	if [ "$(grep -c '\.cs:' "$work/got")" -lt 22 ] && grep -q '\.cs:' "$work/got"; then
		ok "--linemap-window"
	else
		not_ok "--linemap-window" "$work/got"
	fi
	# The managed signature is what people see.
	tm-symbolize -q --no-local --locations exact -e "$folder/libil2cpp.so" --method-map "$data/methods.tsv" \
		"$work/capture.mem" | tm-dump -q --no-events | grep -o 'function="[^"]*"' | sort -u >"$work/got"
	{
		echo 'function="<Run>d__5.MoveNext"'
		echo 'function="Main.Run"'
		echo 'function="Player.get_Score"'
		echo 'function="System.Int32 Arcade.Player::Update()"'
		echo 'function="il2cpp_runtime_tick"'
	} >"$work/want"
	same "display names, one from a method map"

	# The drop-in, asked for one address of the second line of Runner.cs.
	at=$(awk '/Runner.cs:33/ { print $1; exit }' <(ours -e "$folder/libil2cpp.so" --linemap "$data/unity.json"))
	tm-addr2line -f -i -C -e "$folder/libil2cpp.so" --linemap "$data/unity.json" "$at" >"$work/got"
	printf '%s\n' '<Run>d__5.MoveNext' Assets/Scripts/Runner.cs:33 '<Run>d__5.MoveNext' >"$work/want"
	if [ "$(head -n 3 "$work/got")" = "$(cat "$work/want")" ] && grep -q 'Game.cpp:[45]' "$work/got"; then
		ok "tm-addr2line --linemap"
	else
		not_ok "tm-addr2line --linemap" "$work/got"
	fi
	# Broken maps: what was sound is used, the rest is an error with its place.
	head -c 200 "$data/unity.json" >"$work/cut.json"
	tm-symbolize -q --no-local -e "$folder/libil2cpp.so" --linemap "$work/cut.json" -o "$work/out.tmt" \
		"$work/capture.mem" 2>"$work/err"
	if [ $? = 3 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q 'cut.json: byte 200' "$work/err" &&
		tm-dump -q "$work/out.tmt" | grep -q 'Player.cs'; then
		ok "a line map that is cut"
	else
		not_ok "a line map that is cut" "$work/err"
	fi
fi

# A usym alone: the real file has no binary here, so the module is one by name.
shared=${SHARED:-$SRC/../shared}/samples/il2cpp/artificial.usym
if [ -r "$shared" ]; then
	printf '{"slide":"0x1000","module":"UnityFramework"}\n' >"$work/usym.mem"
	printf '{"f":1,"d":[{"t":"A","s":8,"r":8,"st":["0x8290;0x82bc;0x82f4;0x10;0x8082f4"],"sz":[8]}]}\n' >>"$work/usym.mem"
	tm-symbolize -q --no-local --locations exact --usym "$shared" "$work/usym.mem" | tm-dump -q --no-events |
		sed -n 's/^  call //p; s/^\(binding 5 .*"\) object.*/\1/p' >"$work/got"
	file=/Users/bitfox/_Workspace/IL2CPP/Builds/iOS/Xcode/Classes/Unity/UnityWebRequest.mm
	for line in 39 42 43; do
		echo "function=\"+[UnityURLRequest requestForTask:]\" file=\"$file\" line=$line"
	done >"$work/want"
	echo 'binding 5 module "no function or symbol covers it"' >>"$work/want"
	same "a real usym, three of its five records, and what is 8 MiB behind them"
else
	echo "skip - a real usym (no samples here)"
fi
[ $found -gt 0 ] || echo "skip - il2cpp lines (no compiler made the library)"
exit $status

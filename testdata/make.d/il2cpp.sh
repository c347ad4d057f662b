#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/il2cpp/: a library of C++ as il2cpp makes it (testdata/src/il2cpp), at /build/il2cppOutput/cpp
# to its DWARF, by each compiler and DWARF version; its truth, and line maps in every dialect, all
# made of the source's own comments:
#
#	truth           C++ line, tab, C# file:line; "-" if none
#	unity.json      Unity's map, with the path of DWARF
#	below/          the same, with the paths of another machine and il2cppFileRoot.txt
#	windows.json    the same, with Windows' paths
#	sentry-*.json   Sentry's map of each library (it has the debug id)
#	methods.tsv     MethodMap.tsv

set -eu
: "${SRC:?}" "${DATA:?}"
part=$DATA/il2cpp.part
source=$SRC/testdata/src/il2cpp/Game.cpp
rm -rf "$part"
mkdir -p "$part/below"

# A function begins at column 0 with extern or static and ends with "}" there.
awk '
	/^extern|^static/ { inside = 1; cs = "-" }
	/^}/ { if (inside) print NR "\t" cs; inside = 0 }
	match($0, /\/\/<source_info:.*>$/) {
		cs = substr($0, RSTART + 15, RLENGTH - 16)
		if (cs ~ /<no-source>/) cs = "-"
	}
	inside { print NR "\t" cs }
' "$source" >"$part/truth"

# json PATH SENTRY DEBUGID: Unity has the lines of the comments, Sentry those of the code behind them.
json() {
	awk -v path="$1" -v sentry="$2" -v id="$3" '
		match($0, /\/\/<source_info:.*>$/) {
			text = substr($0, RSTART + 15, RLENGTH - 16)
			line = text
			sub(/.*:/, "", line)
			file = substr(text, 1, length(text) - length(line) - 1)
			if (!(file in rows)) order[++n] = file
			rows[file] = rows[file] (file in rows && rows[file] != "" ? ",\n" : "") \
				"\"" NR + sentry "\" : " line
		}
		END {
			print "{"
			if (id != "") print "\"__debug-id__\" : {\n\"" id "\" : {}\n},"
			print "\"" path "\" : {"
			for (i = 1; i <= n; i++)
				print "\"" order[i] "\" : {\n" rows[order[i]] "\n}" (i < n ? "," : "")
			print "}\n}"
		}' "$source"
}

json /build/il2cppOutput/cpp/Game.cpp 0 '' >"$part/unity.json"
json /Users/me/Game/Library/Bee/artifacts/iOS/il2cppOutput/cpp/Game.cpp 0 '' \
	>"$part/below/LineNumberMappings.json"
printf %s /Users/me/Game/Library/Bee/artifacts/iOS/il2cppOutput >"$part/below/il2cppFileRoot.txt"
json 'D:\\\\Game\\\\Library\\\\Bee\\\\Game.cpp' 0 '' >"$part/windows.json"
{
	printf 'Player_Update_m89ABCDEF0123456789ABCDEF0123456789ABCDEF\t'
	printf 'System.Int32 Arcade.Player::Update()\tAssembly-CSharp.dll\n'
	printf 'NULL\tSystem.Void Arcade.Player::Abstract()\tAssembly-CSharp.dll\n'
} >"$part/methods.tsv"

# The GUID of a build-id: its first three numbers are little-endian.
debug_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: *//p' | cut -c1-32 | sed -E \
		's/(..)(..)(..)(..)(..)(..)(..)(..)(....)/\4\3\2\1-\6\5-\8\7-\9-/'
}

for cxx in g++ clang++; do
	if ! command -v $cxx >/dev/null 2>&1; then
		echo "skip - il2cpp library by $cxx (not here)"
		continue
	fi
	for flags in "4 -O0" "5 -O1" "5 -O2"; do
		name=$cxx-$(echo "$flags" | tr -d ' ')
		mkdir -p "$part/$name"
		# shellcheck disable=SC2086 # several flags
		$cxx -g -gdwarf-$flags -shared -fPIC -nostdlib -Wl,--build-id=sha1 \
			"-fdebug-prefix-map=$SRC/testdata/src/il2cpp=/build/il2cppOutput/cpp" \
			-o "$part/$name/libil2cpp.so" "$source"
		json /build/il2cppOutput/cpp/Game.cpp 1 "$(debug_id "$part/$name/libil2cpp.so")" \
			>"$part/sentry-$name.json"
	done
done
rm -rf "$DATA/il2cpp"
mv "$part" "$DATA/il2cpp"

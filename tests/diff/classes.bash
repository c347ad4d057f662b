# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For corpus_llvm.sh and languages.sh: answers of tm-llvm-symbolizer and llvm-symbolizer 19 for addresses of
# a file, the whole chain of each - linkage names, and files without folders with their lines - and what
# differs, by classes that are checked for each address:
#   llvm-none  llvm knows nothing of the address, or neither name nor line
#   llvm-name  llvm has no name (??) for a call whose place is ours
#   llvm-line  llvm has no line, or no file, for a call whose name is ours
#   inlined    ours has calls that were inlined, and ends with llvm's only one
#   data-name  llvm takes the name from a symbol that is in a section without code, or begins with .L
#   label      llvm takes the name from a label without a size inside a function with one, which is ours
#   far-label  llvm takes the name from a label without a size whose section ends before the address (_init
#              for a PLT, or for all of .text in stripped files)
#   no-size    ours has no name: no symbol with a size holds the address, and llvm's has none
# All else is of the class other, and listed by its address.
: "${SRC:?}" "${BIN:?}"
PATH=$BIN:$PATH

# flat: an answer a line: 0xADDRESS|NAME|FILE:LINE|NAME|FILE:LINE
flat() {
	awk '/^0x[0-9a-f]+$/ && !inside { line = $0; inside = 1; n = 0; next }
	     /^$/ { print line; inside = 0; next }
	     { n++
	       if (n % 2 == 0) { sub(/:[0-9]+$/, ""); sub(/^.*\//, "") }
	       line = line "|" $0 }'
}

# symbols FILE: "FROM SIZE KIND NAME START SIZE": code, label (of code, without a size), data; start and size of
# its section
symbols() {
	readelf -SW "$1" 2>/dev/null | sed -n 's/^ *\[ *\([0-9]*\)\] *\(.*\)$/\1 \2/p' |
		awk '{ n = NF; print $1, ($(n - 3) ~ /X/ && $(n - 3) !~ /^[0-9]+$/), $4, $6 }' >sections
	{
		readelf -sW "$1"
		readelf --dyn-syms -W "$1"
	} 2>/dev/null | awk '
		BEGIN { while ((getline line < "sections") > 0) { split(line, w, " "); code[w[1]] = w[2]; place[w[1]] = w[3] " " w[4] } }
		$1 ~ /^[0-9]+:$/ && NF >= 8 && $7 ~ /^[0-9]+$/ {
			sub(/@.*/, "", $8)
			print $2, $3, (!code[$7] || $8 ~ /^\.L/ ? "data" : $3 == 0 ? "label" : "code"), $8, place[$7]
		}' >symbols
}

# classify NAME FILE: of the addresses in the file addrs. Appends "NAME CLASS ADDRESS OURS LLVM" to differences and
# "NAME ADDRESSES EQUAL" to totals. False: one of them did not end well.
classify() {
	local name=$1 file=$2 status

	timeout 120 tm-llvm-symbolizer -q --lenient --no-demangle -a --obj="$file" <addrs >ours.raw 2>err
	status=$?
	if [ $status != 0 ]; then
		echo "BAD $name: tm-llvm-symbolizer ended with $status"
		return 1
	fi
	timeout 120 llvm-symbolizer-19 --no-demangle -a --obj="$file" <addrs >llvm.raw 2>/dev/null
	if [ ! -s llvm.raw ]; then
		echo "skip - $name (llvm-symbolizer does not open it)"
		return 0
	fi
	flat <ours.raw >ours
	flat <llvm.raw >llvm
	if [ "$(wc -l <ours)" != "$(wc -l <addrs)" ] || [ "$(wc -l <llvm)" != "$(wc -l <addrs)" ]; then
		echo "BAD $name: $(wc -l <addrs) addresses, $(wc -l <ours) and $(wc -l <llvm) answers"
		return 1
	fi
	echo "$name $(wc -l <addrs) $(paste -d '\n' ours llvm | awk 'NR % 2 { a = $0; next } a == $0 { n++ } END { print n + 0 }')" >>totals
	! cmp -s ours llvm || return 0
	symbols "$file"
	paste -d '\n' ours llvm | awk -v name="$name" '
		function hex(s, i, v) {
			v = 0
			s = tolower(s)
			sub(/^0x/, "", s)
			for (i = 1; i <= length(s); i++)
				v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		function unknown(place) { return place ~ /^\?\?:/ || place ~ /:0$/ }
		function kind_of(symbol, k) {
			k = kinds[symbol]
			return k ~ /code/ ? "code" : k ~ /label/ ? "label" : k ~ /data/ ? "data" : ""
		}
		function sized_at(addr, i) {
			for (i = 1; i <= n_sized; i++)
				if (from[i] <= addr && addr < to[i])
					return 1
			return 0
		}
		function class_of(no, nl, o, l, i, places, names) {
			if (nl == 3 && l[2] == "??" && unknown(l[3]))
				return "llvm-none"
			if (no > nl && nl == 3 && o[no - 1] == l[2])
				return "inlined"
			if (no != nl)
				return "other"
			places = names = 1
			for (i = 2; i <= no; i += 2) {
				if (o[i] != l[i])
					names = 0
				if (o[i + 1] != l[i + 1])
					places = 0
			}
			if (names) {
				for (i = 3; i <= no; i += 2)
					if (o[i] != l[i] && !unknown(l[i]))
						return "other"
				return "llvm-line"
			}
			if (places) {
				for (i = 2; i <= no; i += 2)
					if (o[i] != l[i] && l[i] != "??")
						break
				if (i > no)
					return "llvm-name"
			}
			for (i = 2; i < no - 1; i += 2)
				if (o[i] != l[i] || o[i + 1] != l[i + 1])
					return "other"
			if (kind_of(l[nl - 1]) == "data")
				return "data-name"
			if (kind_of(l[nl - 1]) == "label" && hex(o[1]) >= ends[l[nl - 1]])
				return "far-label"
			if (kind_of(l[nl - 1]) == "label")
				return sized_at(hex(o[1])) ? "label" : o[no - 1] == "??" ? "no-size" : "other"
			if (places && o[no - 1] == "??" && !sized_at(hex(o[1])))
				return "no-size"
			return "other"
		}
		BEGIN {
			while ((getline line < "symbols") > 0) {
				split(line, w, " ")
				kinds[w[4]] = kinds[w[4]] " " w[3]
				if (w[3] == "label")
					ends[w[4]] = hex(w[5]) + hex(w[6])
				if (w[3] == "code") {
					from[++n_sized] = hex(w[1])
					to[n_sized] = from[n_sized] + (w[2] ~ /^0x/ ? hex(w[2]) : w[2] + 0)
				}
			}
		}
		NR % 2 { ours = $0; next }
		ours != $0 {
			no = split(ours, o, "|")
			nl = split($0, l, "|")
			print name, class_of(no, nl, o, l), o[1], substr(ours, index(ours, "|") + 1), substr($0, index($0, "|") + 1)
		}' >>differences
}

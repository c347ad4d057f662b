# The generator's truth against what is read: samples and allocations of each frame, and of each marker
# its calls and self time; .pdata has no allocations.
per() { # KIND KEY SUM: of events with this word, "KEY sum of SUM"
	tr '\t' ' ' | awk -v kind="$1" -v key="$2" -v sum="$3" '
		function of(name,   i, f) {
			for (i = 2; i <= NF; i++) { split($i, f, "="); if (f[1] == name) return f[2] }
			return name == "count" ? 1 : 0
		}
		function num(v,   i, n) { # awks differ in hexadecimal numbers
			if (v !~ /^0x/)
				return v + 0
			for (i = 3; i <= length(v); i++)
				n = n * 16 + index("0123456789abcdef", substr(v, i, 1)) - 1
			return n
		}
		$1 == "marker" { id[++m] = $0 }
		$1 == kind { n[of(key)]++; s[of(key)] += num(of(sum)) }
		END { for (k in n) printf "%s %d %.0f\n", k, n[k], s[k] }'
}
for kind in data '--version 7 pdata' '--version 1 pdata'; do
	# shellcheck disable=SC2086 # options
	"$GEN/unity_data" --seed 5 --frames 4 --threads 2 --calls 9 $kind >run 2>truth
	tm-import -q run | tm-dump -q >dump
	tm-dump -q --no-tables --no-events run | tail -n 1
	awk '$1 == "samples" || $1 == "allocs"' truth
	tr '\t' ' ' <truth | awk '$1 == "marker" { s = $NF; n++; self += s; total += $(NF - 1) } END { printf "of %d markers: self %.0f total %.0f\n", n, self, total }'
	per sample nothing target <dump | awk '{ printf "read: self %.0f\n", $NF }'
	per sample nothing value <dump | awk '{ printf "read: total %.0f\n", $NF }'
done
# .data of a frame and a thread, whole.
"$GEN/unity_data" --seed 5 --frames 1 --threads 1 --calls 4 data 2>truth | tm-import | tm-dump
cat truth

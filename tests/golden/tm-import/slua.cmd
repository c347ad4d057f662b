# A .sluastat against its truth: calls and self time by function, and the heap at the end; then a block
# that does not inflate, and no end.
"$GEN/slua" --frames 6 >run.sluastat 2>truth
tm-import run.sluastat | tm-dump >dump
grep -E '^(attribute|note|totals)' dump
awk '$1 == "function" { calls += $(NF - 1); self += $NF } $1 == "heap" || $1 == "frames" { print }
	END { printf "calls %.0f self %.0f\n", calls, self }' truth
awk 'function of(name,   i, f) {
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
	$1 == "sample" { calls += of("count"); self += num(of("target")) }
	$1 == "counter" && $2 !~ /^[0-9]+$/ { heap = of("value") }
	$1 == "frame" { frames++ }
	END { printf "read: heap %.0f frames %d calls %.0f self %.0f\n", heap, frames, calls, self }' dump
for variant in broken cut nan; do
	echo "== $variant"
	"$GEN/slua" --frames 6 --block 2 --variant $variant 2>/dev/null | tm-import -q | tm-dump -q |
		grep -E '^(note (loss|guess)|totals)'
done
head -c 20 run.sluastat | tm-import

# freed and peak are real bytes where both sides know them, as live is. Each side has blocks of 24 requested and 32 real bytes:
# the base 4, of which it frees 1 at the end, and the new side 6, of which it frees 3.
side() { # NAME BLOCKS FREED
	{
		printf 'metric time exact\nmetric count exact\nmetric requested exact\nmetric real exact\nmetric live exact\n'
		for ((i = 1; i <= $2; i++)); do echo "alloc malloc main;mesh 24 $i 32 $((i * 64))"; done
		for ((i = 1; i <= $3; i++)); do echo "free $((i * 64)) $((100 + i))"; done
	} | "$GEN/script" >"$1.tmt"
}
side a 4 1
side b 6 3
for sort in live freed peak; do
	tm-compare -q --by function --sort "$sort" --table changes a.tmt b.tmt | sed -n '3,4p'
done

# References before their objects, ids twice and 0, a cycle that no root reaches, sizes beyond
# 64 bits together, names that drive terminals.
cd "$DATA/heap"
tm-heap hostile.tmt
tm-heap --csv --table objects hostile.tmt | tr -d '\r'
# The third snapshot is cut: two are left to compare.
head -c -100 all.tmt | {
	tm-heap --table compare - 2>&1 >&3 |
		sed "s/[0-9][0-9]* bytes, [0-9]* are left: the file ends early (at byte [0-9]*)/N bytes, M are left: the file ends early (at byte O)/" >&2
} 3>&1

# References before their objects, ids twice and 0, a cycle that no root reaches, sizes beyond
# 64 bits together, names that drive terminals.
cd "$DATA/heap"
tm-heap hostile.tmt
tm-heap --csv --table objects hostile.tmt | tr -d '\r'
# The third snapshot is cut: two are left to compare.
head -c -100 all.tmt | tm-heap --table compare -

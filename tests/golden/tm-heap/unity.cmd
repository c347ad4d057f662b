# The same heap in every format: 12 managed objects of 536 bytes and 4 native ones of 8892.
cd "$DATA/heap"
tm-heap il2cpp.snap
for f in il2cpp.memsnap2 il2cpp.memsnap3 il2cpp.heap v1.heap v9.snap v18.snap mono.memsnap2 mono.memsnap3 mono.heap mono.snap; do
	tm-heap -q --csv $f | cmp - <(tm-heap -q --csv il2cpp.snap) && echo "$f: the same"
done
tm-heap -q --who Weapon --table paths il2cpp.heap
tm-heap -q --destroyed --table paths --csv il2cpp.memsnap3 | tr -d '\r'
tm-heap -q --duplicates --csv mono.snap | tr -d '\r'
# Allocations by their site: 3 x 100 (120), 50, 7.
tm-top --by site --csv il2cpp.snap | tr -d '\r'
tm-top --by stack --csv il2cpp.snap | tr -d '\r'

# Mangled names that a capture carries are shown demangled, as c++filt does, by every program; what tools write around
# them stays, and so do names that only look so. --no-demangle shows them as they are, and an aggregate knows both.
cat >m.folded <<'F'
main;_ZN4game4tickEi 30
main;_ZN4game4tickEi;_ZN4game4drawEv+0x1c 20
main;libgame.so`_ZN4game4loadEPKc;_ZN4game5pauseEv_[k] 10
main;_Zebra;game!_RNvC4game3run 5
main;_ZN4game4initEv.part.0;_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE 3
F
names() { python3 -c 'import csv, sys
for row in sorted(csv.DictReader(sys.stdin), key=lambda r: r["function"]): print(" ", row["samples"] or "0", row["function"])'; }
echo "tm-top"
tm-top -q --by function --csv m.folded | names
echo "c++filt says of the plain ones: $(c++filt _ZN4game4tickEi _ZN4game4loadEPKc | tr '\n' ' ')"
echo "tm-top --no-demangle, and of an aggregate"
tm-top -q --by function --no-demangle --csv m.folded | names >raw
cat raw
tm-compare -q --save-baseline m.tma m.folded
tm-top -q --by function --no-demangle --csv m.tma | names | cmp - raw && echo the same
echo "patterns match what is shown"
tm-top -q --by function --focus 'game::load' --csv m.folded | names
echo "tm-export: $(tm-export -q --as folded m.folded | head -n 1), $(tm-export -q --as folded --no-demangle m.folded | head -n 1)"
echo "tm-frames: $(tm-frames -q --detail --csv m.folded | grep -c 'game::tick(int)')"
echo "tm-compare: $(tm-compare -q --all --by function --csv m.folded m.tma | grep -c 'game::tick(int)')"
echo "uftrace, and spikes of it"
mkdir uf && "$GEN/instrument" uftrace uf 3 >/dev/null
sed -i 's/function10$/_ZN4game4tickEi/' uf/game.sym
for p in "tm-top -q --by function --csv" "tm-spikes -q --table worst --csv" "tm-export -q --as speedscope" "tm-export -q --as chrome"; do
	echo "$p: $($p uf | grep -cF 'game::tick(int)' | sed 's/^[1-9].*/it is there/'), $($p --no-demangle uf | grep -c _ZN4game4tickEi | sed 's/^[1-9].*/raw too/')"
done

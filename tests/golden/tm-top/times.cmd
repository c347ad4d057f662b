# The example of calls: A of 30 ns calls B of 10 ns, so A has 20 of its own. The other capture has
# its sums beside it: main 100 = 10 + f 90, f 90 = 20 + f 50 + g 20, the inner f 50 = 30 + g 20.
# Functions count recursion once: f has 90, not 140, in 3 calls of 30 each; paths are distinguished.
"$GEN/script" >ab.tmt <<'X'
metric time exact
thread main
enter A 0
enter A;B 20
exit A;B 30
exit A 30
X
"$GEN/script" >rec.tmt <<'X'
metric time exact
metric net exact
frame 1 0
sample main@m.lua:1 1 100 10
sample main@m.lua:1;f@f.lua:2 2 90 20
sample main@m.lua:1;f@f.lua:2;f@f.lua:2 1 50 30
sample main@m.lua:1;f@f.lua:2;f@f.lua:2;g@f.lua:9 4 20 20
sample main@m.lua:1;f@f.lua:2;g@f.lua:9 4 20 20
delta lua main@m.lua:1;f@f.lua:2 100 2
delta lua main@m.lua:1;f@f.lua:2;g@f.lua:9 -30 4
delta mono main@m.lua:1;f@f.lua:2;g@f.lua:9 16 4
X
tm-top --by function ab.tmt
tm-top --by function rec.tmt
tm-top --by stack --csv rec.tmt
tm-top --by file --sort total-time rec.tmt
tm-top --by type --sort lua-net --metrics lua-net,mono-net,calls rec.tmt
tm-top --by function --cumulative -n 2 rec.tmt
tm-top --tree rec.tmt
tm-top --peek '^f$' rec.tmt
# The hook takes 1 ns per call, in the caller: main calls f twice, so 10 - 2 and, with all 11 calls
# below it, 100 - 11; f's paths lose 1 + 4 and 4 of their own time.
tm-top --by function --hook-cost 1ns rec.tmt
tm-top --by function --hook-cost 3ns ab.tmt
# A filter on g keeps its two paths and leaves 40 ns in them.
tm-top --by function --focus '^g$' --cumulative rec.tmt
tm-top --sort real rec.tmt
# Exits that are missing, of nothing, and times that go back.
"$GEN/script" >odd.tmt <<'X'
metric time exact
enter a 0
enter a;b 10
enter a;b;c 20
exit a;b 30
exit z 35
exit a 33
enter a 40
X
tm-top --by stack odd.tmt

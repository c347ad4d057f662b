# Two frames. String: 10 + 20 + 5 requested, 16 + 16 + 32 + 16 real in 4 entries; Node[]: 8 and
# 24 in 1. Real comes from the entries, requested from the types: neither is added twice.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"String","s":30,"r":64,"st":["0x1010;0x2020;","0x1030;0x2020;","0x1010;0x2020;"],"sz":[16,16,32]},{"t":"Node[]","s":8,"r":24,"st":["0x3030;"],"sz":[24]}]}
{"f":2,"d":[{"t":"String","s":5,"r":16,"st":["0x1030;0x2020;"],"sz":[16]}]}
X
tm-top --slide 0 --by type run.mem
tm-top --slide 0 --by type --csv run.mem
tm-top --slide 0 --by type --sort requested --bytes -n 1 <run.mem

# Node grew by 24 requested and 32 real, Gone by what it had, New is new, Same is; then the sides
# are swapped: every difference is the same with the other sign.
cat >a.mem <<'X'
{"f":1,"d":[{"t":"Node","s":40,"r":48,"st":["0x10;","0x20;"],"sz":[32,16]},{"t":"Gone","s":8,"r":16,"st":["0x10;"],"sz":[16]},{"t":"Same","s":5,"r":8,"st":["0x30;"],"sz":[8]}]}
X
cat >b.mem <<'X'
{"f":1,"d":[{"t":"Node","s":64,"r":80,"st":["0x10;","0x20;"],"sz":[64,16]},{"t":"New","s":100,"r":112,"st":["0x40;"],"sz":[112]},{"t":"Same","s":5,"r":8,"st":["0x30;"],"sz":[8]}]}
X
tm-compare -q --slide 0 --by type a.mem b.mem
tm-compare -q --slide 0 --by type --sort requested --all --csv a.mem b.mem | tr -d '\r' | cut -d, -f 1-5,63-
tm-compare -q --slide 0 --by type --sort requested --all --csv b.mem a.mem | tr -d '\r' | cut -d, -f 1-5,63-
tm-compare -q --slide 0 --by site --bytes --table changes a.mem b.mem

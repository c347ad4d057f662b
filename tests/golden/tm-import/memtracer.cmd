# One frame, two records of type A that share the caller 0x10, 5 + 6 requested and 16 + 32 real
# bytes; then a frame of which the second record has a negative size: what was sound is kept.
cat >run.mem <<'X'
{"slide":"0x8"}
{"f":5,"d":[{"t":"A","s":11,"r":48,"st":["0x30;0x10;","0x20;0x10;"],"sz":[16,32]}]}
{"f":6,"d":[{"t":"B","s":1,"r":16,"st":["0x10;"],"sz":[16]},{"t":"C","s":-1,"r":16,"st":["0x10;"],"sz":[16]}]}
X
tm-import run.mem | tm-dump

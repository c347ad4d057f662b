# Frames of one capture: the first two against the third; per frame 15 against 60.
cat >a.mem <<'X'
{"f":1,"d":[{"t":"A","s":10,"r":10,"st":["0x10;"],"sz":[10]}]}
{"f":2,"d":[{"t":"A","s":20,"r":20,"st":["0x10;"],"sz":[20]}]}
{"f":3,"d":[{"t":"A","s":60,"r":60,"st":["0x10;"],"sz":[60]}]}
X
tm-compare -q --slide 0 --by type --base-frame 1..2 --new-frame 3 a.mem
tm-compare -q --slide 0 --by type --base-frame 1..2 --new-frame 3 --per frame a.mem --table changes
tm-compare -q --slide 0 --save-baseline a.tma a.mem
tm-compare -q --slide 0 --by type --base-frame 1..2 --new-frame 3 a.tma

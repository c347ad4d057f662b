# What does not go together, and unknown words.
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >a.mem
run() { tm-compare -q --slide 0 "$@" >out; echo "status $? $(wc -c <out)"; }
run
run a.mem
run --base a.mem
run --base a.mem --new a.mem -- a.mem
run a.mem --base a.mem --new a.mem
run --group one
run --group one a.mem
run --base-frame x a.mem
run --base-frame 1 a.mem a.mem a.mem
run --by frame a.mem a.mem
run --sort live a.mem a.mem
run --sort count a.mem a.mem
run --per second a.mem a.mem
run --today 2026-02-30 a.mem a.mem
run --gate none.ini a.mem a.mem
run --save-baseline x a.mem a.mem
run --save-baseline none/x a.mem
run a.mem none.mem
run --base-frame 1 --new-frame 1 - <a.mem
echo '[rule x' >bad.ini
run --gate bad.ini a.mem a.mem
printf '[rule x]\nmetric = count\nabsolute = 1\n' >bad.ini
run --gate bad.ini a.mem a.mem
printf '[rule x]\nmetric = live-reqested\npercent = 1\n' >bad.ini
run --gate bad.ini a.mem a.mem
printf '[rule x]\nmetric = count\npercnt = 1\n' >bad.ini
run --gate bad.ini a.mem a.mem
tm-compare -q --slide 0 a.mem a.mem >/dev/full
echo "status $?"

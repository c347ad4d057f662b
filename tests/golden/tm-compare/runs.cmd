# Several runs: noise, and what it allows to say. 1000 +- 10 against 1100 +- 10 and against itself: 1 of the
# 252 ways to deal out ten runs has as large a growth, and the same values have the mean of all ways.
run() { echo "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":$1,\"r\":$1,\"st\":[\"0x10;\"],\"sz\":[$1]}]}" >"$1.mem"; }
for n in 990 995 1000 1005 1010 1090 1095 1100 1105 1110; do run $n; done
printf '[rule r]\nmetric = real\npercent = 5\n' >p.ini
gate() { tm-compare -q --slide 0 --today 2026-06-01 --table policy --gate p.ini "$@"; echo "status $?"; }
gate --base 990.mem 995.mem 1000.mem 1005.mem 1010.mem --new 1090.mem 1095.mem 1100.mem 1105.mem 1110.mem
gate --allow-copies --base 990.mem 995.mem 1000.mem 1005.mem 1010.mem --new 1010.mem 1005.mem 1000.mem 995.mem 990.mem
echo "two base runs and a new one: of three ways none reaches 5 %"
gate --base 990.mem 1010.mem --new 1100.mem
{ cat 1000.mem; echo; } >again.mem
gate --base 1000.mem again.mem --new 1100.mem
echo "what is in one new run only"
echo '{"f":1,"d":[{"t":"A","s":990,"r":990,"st":["0x10;"],"sz":[990]},{"t":"B","s":500,"r":500,"st":["0x20;"],"sz":[500]}]}' >extra.mem
printf '[rule r]\nmetric = real\nkey = type\neach = yes\nabsolute = 100\n' >p.ini
gate --base 990.mem 995.mem 1000.mem --new 1005.mem 1010.mem extra.mem

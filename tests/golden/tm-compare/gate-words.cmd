# What a report says of the gate's own reach. run NAME A B C: three types, A the same in every base run.
run() {
	echo "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":$2,\"r\":$2,\"st\":[\"0x10;\"],\"sz\":[$2]},{\"t\":\"B\",\"s\":$3,\"r\":$3,\"st\":[\"0x20;\"],\"sz\":[$3]},{\"t\":\"C\",\"s\":$4,\"r\":$4,\"st\":[\"0x30;\"],\"sz\":[$4]}]}" >"$1.mem"
}
gate() { tm-compare -q --slide 0 --today 2026-06-01 --table policy --gate p.ini "$@"; echo "status $?"; }
echo "five base runs and one new run have 6 orders, and 5 % needs 20: C(7, 2) = 21 and C(20, 1) = 20 do"
printf '[rule r]\nmetric = real\nkey = type\neach = yes\npercent = 2\n' >p.ini
n=0
for b in 990 995 1000 1005 1010; do n=$((n + 1)); run b$n 1000 $b $((b + 3 * n)); done
run n1 1000 1050 1060
gate --base b1.mem b2.mem b3.mem b4.mem b5.mem --new n1.mem
echo "A fails: the figure is of the two others"
run n2 1100 1003 1004; run n3 1100 1000 1012; run n4 1100 998 1008
gate --base b1.mem b2.mem b3.mem b4.mem b5.mem --new n2.mem n3.mem n4.mem
echo "medians fall from 200 to 195, and the middle quotient of a new run and a base run is 300 / 210: 200 * (300 / 210 - 1) = 85.7"
echo "A waiver does not cover it, and more runs may decide"
printf '[rule r]\nmetric = real\nkey = type\nmatch = B\neach = yes\npercent = 2\n[waiver w]\nrule = r\nuntil = 2026-12-31\nreason = known\n' >p.ini
run e1 1 100 1; run e2 1 200 2; run e3 1 210 3; run f1 1 190 4; run f2 1 195 5; run f3 1 300 6
gate --base e1.mem e2.mem e3.mem --new f1.mem f2.mem f3.mem
tm-compare -q --slide 0 --gate p.ini --as json --base e1.mem e2.mem e3.mem --new f1.mem f2.mem f3.mem | grep -o '"more_runs":[a-z]*'
echo "three sides are no two"
gate e1.mem e2.mem e3.mem
gate --group a e1.mem --group b e2.mem --group c e3.mem
tm-compare -q --slide 0 --table changes e1.mem e2.mem e3.mem >three && echo "without a gate: a table"

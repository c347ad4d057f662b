# Three groups; the second has two runs, whose mean counts: (20 + 41) / 2.
for n in 10 20 41 40; do
	echo "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":$n,\"r\":$n,\"st\":[\"0x10;\"],\"sz\":[$n]}]}" >$n.mem
done
tm-compare -q --slide 0 --by type --group one 10.mem --group two 20.mem 41.mem --group three 40.mem
tm-compare -q --slide 0 --by type --csv --base 10.mem 10.mem --new 20.mem 41.mem | tr -d '\r' | cut -d, -f 1-5,63-
tm-compare -q --slide 0 --by type --table changes 10.mem 20.mem 40.mem

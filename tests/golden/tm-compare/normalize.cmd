# The base has Mesh 100 and Tex 300, of 400 real bytes in 4 and 4 blocks; the new side Mesh 200, Tex 400, Snd 200, of 800 in
# 4, 4 and 8. Bytes of the base count times 800 / 400 = 2: Mesh 200, as before; Tex 600, so 200 less (-33.33 %); Snd is 200
# more; all is 800 on both sides. Of 16 and 8 entries the factor is 2, too: Mesh and Tex had 8, and have 4. `go tool pprof
# -normalize` scales the other side: its differences are these by 2, its shares the same. Per frame (2 and 1 of them)
# 800 / 200 = 4 counts, and gives the same. Three groups: each goes to the last one's total, 400: times 1, 0.5 and 1.
n() { # FRAMES NAME=BYTES,BLOCKS...: equal blocks
	local i part sizes frames=$1 d=
	shift
	for part; do
		IFS==, read -r name bytes blocks <<<"$part"
		sizes=$(for ((i = 0; i < blocks; i++)); do echo $((bytes / blocks)); done | paste -sd ,)
		d+="${d:+,}{\"t\":\"$name\",\"s\":$bytes,\"r\":$bytes,\"st\":[$(for ((i = 0; i < blocks; i++)); do
			echo "\"of$name (in Game) (a.c:1);\""
		done | paste -sd ,)],\"sz\":[$sizes]}"
	done
	echo "{\"f\":1,\"d\":[$d]}"
	for ((i = 2; i <= frames; i++)); do echo "{\"f\":$i,\"d\":[]}"; done
}
n 2 Mesh=100,4 Tex=300,4 >a.mem
n 1 Mesh=200,4 Tex=400,4 Snd=200,8 >b.mem
tm-compare -q --by type --normalize --all a.mem b.mem
tm-compare -q --by type --normalize --all --sort entries --csv a.mem b.mem | cut -d, -f 2-5
tm-compare -q --by type --normalize --all --per frame --table changes --csv a.mem b.mem | cut -d, -f 2-5
tm-compare -q --by type --normalize --all --table changes --group x a.mem --group y b.mem --group z a.mem
tm-compare -q --by type --normalize --as json a.mem b.mem | grep -o '"stacks","title":"[^"]*"'
echo "# itself; nothing on one side"
tm-compare -q --by type --normalize --table changes a.mem a.mem
n 1 >none.mem
tm-compare -q --by type --normalize --table changes none.mem a.mem
echo "# refused"
echo '{"rules": []}' >policy
tm-compare --normalize --gate policy a.mem b.mem
tm-compare --normalize --by type --sort slack a.mem b.mem

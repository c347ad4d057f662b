# A policy made of runs that differ by themselves: noisy has 100,000 to 130,000 bytes, so that a limit of 20 % would
# not do, and the floor of sites is the next power of two above 1.5 times 30,000; the total is 600,000 to 630,000, 5 %
# apart, and 1.5 times that is 7.5 %, of which the limit is the next whole percent. Any of these runs against any others keeps it.
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["noisy() (in Game) (src/a.cpp:5);main (in Game) (src/m.cpp:3);"],"sz":[%s]},{"t":"U","s":1,"r":1,"st":["quiet() (in Game) (src/b.cpp:9);main (in Game) (src/m.cpp:4);"],"sz":[500000]}]}\n' "$1"; }
for n in 1 2 3 4 5 6; do mem $((100000 + 6000 * (n - 1))) >r$n.mem; done
tm-compare -q --init-policy r?.mem -o p.ini
cat p.ini
for sides in '1 2 3:4 5 6' '6 5 4:1 2 3' '1 3 5:2 4 6' '1:6' '1 2 3 4 5:6' '1:2 3 4 5 6'; do
	base= new=
	for n in ${sides%:*}; do base="$base r$n.mem"; done
	for n in ${sides#*:}; do new="$new r$n.mem"; done
	tm-compare -q --slide 0 --gate p.ini --table policy --base $base --new $new >out
	echo "$sides: $?"
done
echo "ten times as much does not"
mem 1000000 >big.mem
tm-compare -q --slide 0 --gate p.ini --table policy --base r?.mem --new big.mem big.mem big.mem | grep -E '^(pass|fail)' | cut -d' ' -f1-6
echo "of two runs; not of one, nor of two sides"
tm-compare -q --init-policy r1.mem r1.mem | grep 'say little'
tm-compare -q --init-policy r1.mem
tm-compare -q --init-policy --base r1.mem --new r2.mem

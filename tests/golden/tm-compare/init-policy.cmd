# A policy made of runs that differ by themselves: noisy has 100,000 to 130,000 bytes, so that a limit of 20 % would
# not do, and it has a rule by itself, whose floor is the next power of two above 1.5 times 30,000; the total is 600,000 to 630,000, 5 %
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
for n in 1 2 3; do { mem 1000000; printf "%${n}s\n" ""; } >big$n.mem; done
tm-compare -q --slide 0 --gate p.ini --table policy --base r?.mem --new big?.mem | grep -E '^(pass|fail)' | cut -d' ' -f1-6
echo "a site of 3000 bytes may not grow tenfold because another one is noisy, or is not in every run"
site() { printf ',{"t":"%s","s":1,"r":1,"st":["%s (in Game) (src/%s.cpp:7);main (in Game) (src/m.cpp:5);"],"sz":[%s]}' "$1" "$2" "$1" "$3"; }
for n in 1 2 3 4 5 6; do
	{ mem $((100000 + 6000 * (n - 1))) | sed 's/]}$//' | tr -d '\n'; } >first$n
	{ cat first$n; site V 'small()' 3000; case $n in 2 | 5) site W 'rare()' 40000 ;; esac; echo ']}'; } >s$n.mem
	{ cat first$n; site V 'small()' 30000; echo ']}'; } >t$n.mem
done
tm-compare -q --init-policy s?.mem -o s.ini
sed -n '/Each site/,$p' s.ini
for sides in 's1 s2 s3:s4 s5 s6' 's6 s5 s4:s1 s2 s3' 's1 s3 s4:s2 s5 s6' 's2 s5 s6:s1 s3 s4' 's1:s2' 's1 s2 s3:t4 t5 t6'; do
	base= new=
	for n in ${sides%:*}; do base="$base $n.mem"; done
	for n in ${sides#*:}; do new="$new $n.mem"; done
	tm-compare -q --slide 0 --gate s.ini --table policy --base $base --new $new >out
	echo "$sides: $?"
	grep '^fail' out | cut -d' ' -f1-6
done
echo "of two runs; not of one, nor of two sides"
tm-compare -q --init-policy r1.mem r2.mem | grep 'say little'
{ cat r1.mem; echo; } >again.mem
tm-compare -q --init-policy r1.mem again.mem >equal
grep 'say little' equal || echo "equal runs say as much as more of them would"
grep '^; All' equal
tm-compare -q --init-policy r1.mem
tm-compare -q --init-policy --base r1.mem --new r2.mem

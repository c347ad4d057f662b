# The engine moved from /old/engine to /src/core and a copy in /old/vendor became the same file: 10 + 4 bytes
# of x.c and 4 of y.c. Without the map a file is gone and two are new; with it nothing changed but the name.
file() {
	echo '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["a() (in Game) ('"$1"'/x.c:3);","b() (in Game) ('"$2"'/x.c:5);","c() (in Game) ('"$1"'/y.c:6);"],"sz":[10,4,4]}]}'
}
file /old/engine /old/vendor >base.mem
file /src/core /src/core >new.mem
echo "by file, nothing mapped"
tm-compare -q --by file --all --table changes base.mem new.mem
echo "mapped: 14 of x.c and 4 of y.c on both sides"
tm-compare --by file --all --table changes --map-path /old/engine=/src/core --map-path /old/vendor=/src/core \
	base.mem new.mem
echo "by the policy"
printf '[policy]\nmap-path = /old/engine=/src/core\nmap-path = /old/vendor/=/src/core\n[rule r]\nmetric = real\nkey = file\neach = yes\npercent = 0\n' >p.ini
tm-compare --by file --all --csv --table policy --gate p.ini base.mem new.mem
echo "the gate: $?"
echo "in tm-top; an aggregate has the paths that it was made with"
tm-top -q --by file --map-path /old=/new base.mem
tm-compare -q --save-baseline base.tma base.mem
tm-top -q --by file --map-path /old=/new base.tma
tm-top --map-path /old base.mem
printf '[policy]\nmap-path = /old\n' >p.ini
tm-compare --gate p.ini base.mem new.mem

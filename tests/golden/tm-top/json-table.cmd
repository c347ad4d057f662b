# One part of a report as JSON: the rest is not there. Real bytes: 64 of f below main, 32 of main.
cat >a.mem <<'END'
{"f":1,"d":[{"t":"T","s":96,"r":96,"st":["f (in A) (a.c:1);main (in A) (a.c:2);","main (in A) (a.c:2);"],"sz":[64,32]}]}
END
names() { grep -o '"kind":"[a-z]*","name":"[a-z-]*"'; }
tm-top -q --as json a.mem | names
echo "# one"
tm-top -q --as json --table top a.mem | names
tm-top -q --as json --table top a.mem | grep -o '"real":[0-9]*'
tm-top -q --as json --table stacks a.mem | names
tm-top -q --as json --table stacks a.mem | grep -o '"name":"[a-z]*","at":[^,]*,"self":[0-9]*'
tm-top -q --as json --table tree --tree a.mem | names
echo "# so many rows"
tm-top -q --as json -n 1 a.mem | names
tm-top -q --as json -n 0 a.mem | names
echo "# none of that name; a form that holds all"
tm-top -q --as json --table nothing a.mem
tm-top -q --as html --table top a.mem

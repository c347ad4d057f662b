# The same functions as two builds spell them: matched by canonical name, and reported; two lambdas
# on one side are not unique, and stay gone and new. Sites move by lines. What was 77 bytes of
# Old::f may be New::g.
cat >a.mem <<'X'
{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["std::map<int, std::vector<int> >::add() (in Game) (m.cpp:5);"],"sz":[100]},{"t":"T","s":1,"r":1,"st":["run()::{lambda(int)#1}::operator()(int) (in Game) (r.cpp:9);","one()::{lambda(int)#1}::operator()(int) (in Game) (r.cpp:3);"],"sz":[50,20]},{"t":"T","s":1,"r":1,"st":["Old::f() (in Game) (o.cpp:1);"],"sz":[77]}]}
X
cat >b.mem <<'X'
{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["std::map<int, std::vector<int>>::add() (in Game) (m.cpp:6);"],"sz":[120]},{"t":"T","s":1,"r":1,"st":["run()::{lambda(int)#2}::operator()(int) (in Game) (r.cpp:9);","run()::{lambda(int)#3}::operator()(int) (in Game) (r.cpp:9);","one()::{lambda(int)#4}::operator()(int) (in Game) (r.cpp:3);"],"sz":[30,25,20]},{"t":"T","s":1,"r":1,"st":["New::g() (in Game) (n.cpp:1);"],"sz":[77]}]}
X
tm-compare -q --by function --all --table changes a.mem b.mem
tm-compare -q --by site --all --table changes a.mem b.mem
echo "a gate says what it may have been"
printf '[rule r]\nmetric = real\nkey = site\neach = yes\npercent = 200\nmatch = ^(Old|New)\n' >p.ini
tm-compare -q --gate p.ini --today 2026-06-01 --table policy a.mem b.mem

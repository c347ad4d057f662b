# A rule says what a guess has matched: the program was built in another folder, so Lua's two functions Update are matched
# by the longest common end of their files; one grew from 100 to 300 bytes. A name that is unique needs no guess.
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["Update (in Game) (%s/ui/panel.lua:3);","Update (in Game) (%s/ai/panel.lua:5);","ns::Unique() (in Game) (%s/x.h:9);"],"sz":[%s,20,30]}]}\n' "$1" "$1" "$1" "$2"; }
mem /a 100 >a.mem
mem /b/src 300 >b.mem
cat >gate.policy <<'P'
[rule each]
key = function
each = yes
metric = real
percent = 10
[rule sum]
key = function
metric = real
percent = 900
[rule unique]
key = function
match = Unique
metric = real
percent = 10
P
tm-compare -q --by function --gate gate.policy --today 2026-06-01 --table policy a.mem b.mem
tm-compare -q --by function --gate gate.policy --as junit a.mem b.mem | grep -c 'matched by a guess'

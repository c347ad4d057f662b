# Functions of one name in several files, as Lua has them: each its own row, with the shortest end of the file that
# tells them apart; what one file has stays one (20 + 5). An aggregate says the same, and so does the export.
cat >l.mem <<'X'
{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["Update (in Game) (/a/ui/panel.lua:3);","Update (in Game) (/a/ai/panel.lua:5);","Update (in Game) (/a/ai/panel.lua:6);","New (in Game) (/a/ai/panel.lua:9);","ns::Unique() (in Game) (/a/x.h:9);","ns::Unique() (in Game) (/a/y.h:9);"],"sz":[100,20,5,1,30,4]}]}
X
tm-top -q --by function --csv l.mem | cut -d, -f1,4,7-
tm-compare -q --save-baseline l.tma l.mem
tm-top -q --by function --csv l.tma >a.csv && tm-top -q --by function --csv l.mem | cut -d, -f1,4,7- >b.csv; cut -d, -f1,4,7- a.csv | cmp - b.csv && echo "the aggregate: the same"
tm-export -q --as folded l.mem
echo "in another folder: matched by the longest common end, three by a guess"
sed 's#/a/#/b/src/#g' l.mem >m.mem
tm-compare -q --by function --all --table changes l.mem m.mem

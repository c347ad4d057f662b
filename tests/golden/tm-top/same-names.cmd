# Functions of one name in several files, as Lua has them: each its own row, with the shortest end of the file that
# tells them apart; what one file has stays one (20 + 5). An aggregate says the same, and so does the export.
cat >l.mem <<'X'
{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["Update (in Game) (/a/ui/panel.lua:3);","Update (in Game) (/a/ai/panel.lua:5);","Update (in Game) (/a/ai/panel.lua:6);","New (in Game) (/a/ai/panel.lua:9);","ns::Unique() (in Game) (/a/x.h:9);","ns::Unique() (in Game) (/a/y.h:9);"],"sz":[100,20,5,1,30,4]}]}
X
tm-top -q --by function --csv l.mem | cut -d, -f1,4,7-
tm-compare -q --save-baseline l.tma l.mem
tm-top -q --by function --csv l.tma >a.csv && tm-top -q --by function --csv l.mem | cut -d, -f1,4,7- >b.csv; cut -d, -f1,4,7- a.csv | cmp - b.csv && echo "the aggregate: the same"
# One function alone of internal linkage has its bare name there, too, beside stacks.
echo '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["_ZL4loadv (in Game) (/a/x.cpp:9);"],"sz":[100]}]}' >s.mem
tm-compare -q --save-baseline s.tma s.mem
for by in '' '--by stack'; do
	tm-top -q $by --csv s.mem | cut -d, -f1,4,7-10 >s.csv && cut -d, -f6 s.csv && tm-top -q $by --csv s.tma | cut -d, -f1,4,7-10 | cmp - s.csv && echo "the aggregate: the same"
done
tm-export -q --as folded l.mem
echo "in another folder: matched by the longest common end, three by a guess"
sed 's#/a/#/b/src/#g' l.mem >m.mem
tm-compare -q --by function --all --table changes l.mem m.mem
# By hand: Update of ui has 100, of ai 20 + 5, New 1, Unique 30 + 4, together 160. A pattern that reaches from the name
# into the file holds for any end of the path, also of the one function that has a name (New); the file alone never.
total() { tr -d '\r' | awk -F, 'NR > 1 { n += $5 } END { print n + 0 }'; }
while IFS='|' read -r pattern of; do
	for option in focus show; do
		echo "$of: --$option $pattern: $(tm-top -q --by function --csv --$option "$pattern" l.mem 2>/dev/null | total)"
	done
	for option in ignore hide; do
		echo "160 - $of: --$option $pattern: $(tm-top -q --by function --csv --$option "$pattern" l.mem 2>/dev/null | total)"
	done
done <<'T'
^Update$|125
^Update \(ui/panel[.]lua\)$|100
^Update \(/a/ai/panel[.]lua\)$|25
^Update \(panel[.]lua\)$|125
^New \(ai/|1
^.pdate.*ai/|25
^Update \(i/|0
panel|0
\(ai/|0
lua\)$|0
T
tm-top -q --by function --csv -F --focus 'Update (ui/panel.lua)' l.mem | total
tm-filter -q -F --focus 'Update (ui/panel.lua)' l.mem | tm-top -q --by function --csv | total
echo 'a rule with that name, and a waiver'
for match in '^Update [(]ui/' '^Update$' 'panel' '^New [(]panel'; do
	printf '[rule r]\nmetric = real\nkey = function\neach = yes\nmatch = %s\nmax = 50\n' "$match" >p.ini
	tm-compare -q --table policy --today 2026-06-01 --gate p.ini l.mem l.mem 2>&1 | sed -n '/rule/p'
done
printf '[waiver w]\nrule = r\nmatch = ^Update [(]panel\nuntil = 2026-06-30\nreason = soon\n' >w.ini
sed 's/^match = .*/match = ^Update [(]ui/; s/^each.*/&/' p.ini | cat - w.ini >waived.ini
tm-compare -q --table policy --today 2026-06-01 --gate waived.ini l.mem l.mem | sed -n 1,4p
for name in '^Update$' '^Update \(ui/panel\.lua\)$' '^Unique$'; do
	echo "--peek $name: $(tm-top -q --peek "$name" l.mem | grep -c ' function  ') functions"
done

# What is written alike is one line: calls in different lines are different stacks. 20 + 5, 30 + 4.
cat >l.mem <<'S'
{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["Update (in Game) (/a/ui/panel.lua:3);","Update (in Game) (/a/ai/panel.lua:5);","Update (in Game) (/a/ai/panel.lua:6);","ns::Unique() (in Game) (/a/x.h:9);","ns::Unique() (in Game) (/a/y.h:9);"],"sz":[100,20,5,30,4]}]}
S
tm-export -q --as folded l.mem
tm-export -q --as folded --types l.mem
echo "frames and spikes tell names of several files apart, too"
tm-frames -q --detail --csv l.mem | grep -c '^1,.*Update (ai.panel.lua)'
tm-frames -q --tops 2 --by function --table frames l.mem
printf 'metric time exact\nsample Update@/a/ui/panel.lua:3 1 5000000 1\nsample Update@/a/ai/panel.lua:3 1 4000000 1\n' | "$GEN/script" | tm-spikes -q --csv --table worst | cut -d, -f1,11-13

# A is open for 0..100 us, C for 40..90, B for 10..20, D for 60..70. In 45..55 both A and C are open all
# the time: 10 us each, all of it C's own; no call begins. Text, CSV and JSON, and each way to choose the
# range say so; a thread's total is its outermost calls'.
cat >a.json <<'X'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"A"},{"ph":"X","pid":1,"tid":1,"ts":10,"dur":10,"name":"B"},
{"ph":"X","pid":1,"tid":1,"ts":40,"dur":50,"name":"C"},{"ph":"X","pid":1,"tid":1,"ts":60,"dur":10,"name":"D"}]
X
tm-compare -q --table changes --all --by function --per run --sort total-time --base-time 0us..100us --new-time 45us..55us a.json
tm-compare -q --table runs --all --by function --per run --sort total-time --base-time 0us..100us --new-time 45us..55us a.json
tm-compare -q --table changes --all --by thread --per run --sort total-time --base-time 0us..100us --new-time 45us..55us a.json
tm-compare -q --table changes --all --by function --per run --sort total-time --base-time 45us..55us --new-time 61us..69us a.json
tm-top -q --by function --time 45us..55us a.json
tm-top -q --csv --metrics total-time,self-time,calls --by stack --time 45us..55us a.json

# One question: the program's own answer, with its status. What tm-view adds is nothing.
"$GEN/calls" >run.tmt <<'X'
thread Main
> 0 A
> 1000000 B
< 4000000 B
< 5000000 A
X
tm-view -q --query 'top --by function --csv' run.tmt
tm-top -q --by function --csv run.tmt | cmp - <(tm-view -q --query 'top --by function --csv' run.tmt) && echo same
X=$(echo '{"id":1,"query":"top --by function --csv"}' | tm-view -q --lines run.tmt) && echo "$X" | jq -c '[.id, .exit]'

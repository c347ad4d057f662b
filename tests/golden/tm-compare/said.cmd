# What is said of a breach and of a policy, in every form. log grows from 3000 to 390000 bytes (its stack has its callers);
# new is not in the base; and the policy has a waiver, an expression and rules that have no effect.
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["log_event (in Game) (src/game.cpp:56);ai_system (in Game) (src/ai.cpp:7);main (in Game) (src/main.cpp:3);"],"sz":[%s]},{"t":"U","s":1,"r":1,"st":["draw(int) (in Game) (src/draw.cpp:9);main (in Game) (src/main.cpp:4);"],"sz":[500000]}%s]}\n' "$1" "$2"; }
mem 3000 >a.mem
mem 390000 ',{"t":"V","s":1,"r":1,"st":["new<int> (in Game) (src/new.cpp:1);main (in Game) (src/main.cpp:5);"],"sz":[70000]}' >b.mem
cat >p.ini <<'P'
[rule sites]
metric = real
key = site
each = yes
percent = 20
absolute = 16KiB
[rule functions]
metric = real
key = function
match = ^log
match = ^lgo
each = yes
percent = 20
[rule heap]
metric = real
percent = 2000
[rule tiny]
metric = real
key = type
each = yes
absolute = 1GiB
[waiver old]
rule = functions
match = ^draw
until = 2026-05-31
reason = drawn anew
[waiver spare]
rule = heap
until = 2026-12-31
reason = none
P
gate() { tm-compare -q --slide 0 --today 2026-06-01 --gate p.ini "$@" a.mem b.mem; echo "status $?"; }
gate --table policy
gate --as markdown | sed -n '/^## /,/^### /p'
gate --as junit
gate --as code-quality
gate --as sarif | grep -o '"level":"warning","message":{"text":"[^"]*"}'
gate --as sarif | grep -o '"uri":"[^"]*"},"region":{"startLine":[0-9]*}'
echo "what is printed for the policy accepts it"
gate --as json | sed '$d' | jq -r '.sections[] | select(.kind == "checks") | .rules[].breaches[].accept // empty' >>p.ini
tail -n 5 p.ini
gate --table policy | grep -E '^(waived|status|waiver)'
echo "a policy that would pass anything"
printf '[rule heap]\nmetric = real\npercent = 2000\n[rule limit]\nmetric = real\nmax = 1GiB\n' >p.ini
gate --table policy
echo "a waiver's last day ends in UTC, wherever the machine is: today's is in force, yesterday's is not"
for zone in Pacific/Kiritimati Etc/GMT+12 UTC; do
	for day in today yesterday; do
		printf '[rule heap]\nmetric = real\npercent = 1\n[waiver w]\nrule = heap\nuntil = %s\nreason = soon\n' "$(date -u -d $day +%F)" >p.ini
		TZ=$zone tm-compare -q --slide 0 --gate p.ini a.mem b.mem >out
		echo "$zone $day: $?"
	done
done
echo "not for a report without a policy"
tm-compare -q --slide 0 --as code-quality a.mem b.mem

# The waiver that is proposed accepts what was seen and nothing else: of two functions of one name in two files, and of two
# lambdas in one file, that one; and no more of it than there was. In the base all have 30,000 bytes.
site() { printf ',{"t":"%s","s":1,"r":1,"st":["%s (in Game) (src/%s);main (in Game) (src/m.cpp:3);"],"sz":[%s]}' "$@"; }
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["main (in Game) (src/m.cpp:9);"],"sz":[5]}'; site A scratch ai.cpp:5 $1; site B scratch fx.cpp:7 $2; site C 'operator()' m.cpp:20 $3; site D 'operator()' m.cpp:30 $4; printf ']}\n'; }
mem 30000 30000 30000 30000 >base.mem
mem 30000 300000 300000 30000 >seen.mem
{ mem 30000 300000 300000 30000; echo; } >again.mem
mem 300000 30000 30000 300000 >others.mem
mem 30000 300001 300001 30000 >more.mem
printf '[rule sites]\nmetric = real\nkey = site\neach = yes\npercent = 20\n' >p.ini
gate() { tm-compare -q --slide 0 --today 2026-06-01 --gate p.ini "$@"; }
gate --as json base.mem seen.mem | jq -r '.sections[] | select(.kind == "checks") | .rules[].breaches[].accept // empty' | tee -a p.ini
for new in again others more; do
	gate --table policy base.mem $new.mem >out
	echo "$new: $?"
	grep -E '^(fail|waived|waiver)|allocates|covers' out
done
echo "Long names that differ at their end, and stacks of one site: in the base all have 30,000 bytes"
pool="Pool<$(printf 'std::map<int, std::vector<char> >, %.0s' 1 2 3 4 5 6 7 8)int>"
stack() { printf ',{"t":"%s","s":1,"r":1,"st":["eng_alloc (in Game) (src/x.c:7);%s (in Game) (src/m.c:%s);main (in Game) (src/m.c:1);"],"sz":[%s]}' "$@"; }
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["main (in Game) (src/m.cpp:9);"],"sz":[5]}'; site A "$pool::grab()" l.h:11 $1; site B "$pool::take()" l.h:12 $2; stack C ui 5 $3; stack D net 6 $4; printf ']}\n'; }
mem 30000 30000 30000 30000 >base.mem
mem 300000 30000 300000 30000 >seen.mem
{ mem 300000 30000 300000 30000; echo; } >again.mem
mem 30000 300000 30000 300000 >others.mem
for key in site stack; do
	printf '[rule r]\nmetric = real\nkey = %s\neach = yes\npercent = 20\nmatch = ^(Pool|eng)\n' $key >p.ini
	gate --as json base.mem seen.mem | jq -r '.sections[] | select(.kind == "checks") | .rules[].breaches[].accept // empty' | tee -a p.ini
	for new in again others; do
		gate --table policy base.mem $new.mem >out
		echo "$key, $new: $?"
		grep -E '^(fail|waived|waiver)|allocates|covers' out
	done
done
echo "what has no name has no waiver"
printf '[rule r]\nmetric = real\nkey = site\neach = yes\npercent = 20\n' >p.ini
for n in 1 9; do printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["0x10;"],"sz":[%s0000]}]}\n' $n >$n.mem; done
gate --table policy 1.mem 9.mem

# f0 and f1, called by main, and f1 by f0: f1's 207 on two lines are divided between its two callers, f0 has
# 107 and half of them. main has 50 of its own: 364.
$GEN/callgrind --functions 2 short >callgrind.out
cat callgrind.out
tm-dump callgrind.out
tm-top -q --by function callgrind.out
$GEN/callgrind --functions 2 inlined 2>err | tm-dump -q | grep -e '^location' -e '^stack'
$GEN/callgrind --functions 2 events 2>err | tm-dump -q | grep -e '^marker' -e note
# Calls go to a place in another file than the function's costs are of: the only function of that name is meant.
# So main has 40 and 60; of two functions of one name none is taken.
printf '%s\n' 'events: Ir' 'ob=a' 'fl=main.c' 'fn=main' '1 40' 'cfi=vec.h' 'cfn=draw' 'calls=1 7' '2 960' 'fl=draw.c' \
	'fn=draw' '5 60' 'cfi=far.c' 'cfn=twice' 'calls=2 1' '6 900' 'fl=x.c' 'fn=twice' '1 400' 'fl=y.c' 'fn=twice' '1 500' \
	'totals: 1000' >joined.out
tm-top -q --csv --by function joined.out | cut -d , -f 9-
# Costs of several events: samples are the first's, the default. a has Ir 10, b 30, and 100 and 5 of Dr, 1 and 2 of Dw.
printf '%s\n' 'events: Ir Dr Dw' 'fl=x.c' 'fn=a' '1 10 100 1' 'fn=b' '2 30 5 2' 'totals: 40 105 3' >events.out
tm-top --by function events.out
tm-top -q --by type --csv events.out | cut -d, -f 9-
tm-top -q --by function --type '^Dr$' events.out
tm-top -q --by function --sort period events.out || echo "no period"
tm-export -q --as folded events.out
# Two files whose samples are of other events.
sed 's/Ir Dr/Dr Ir/' events.out >other.out
tm-top -q events.out other.out || echo "not together"

# f0 and f1, called by main, and f1 by f0: f1's 207 on two lines are divided between its two callers, f0 has
# 107 and half of them. main has 50 of its own: 364.
$GEN/callgrind --functions 2 short >callgrind.out
cat callgrind.out
tm-dump callgrind.out
tm-top -q --by function callgrind.out
$GEN/callgrind --functions 2 inlined 2>err | tm-dump -q | grep -e '^location' -e '^stack'
$GEN/callgrind --functions 2 events 2>err | tm-dump -q | grep -e '^marker' -e note

# B's f takes 30 ns longer, in the same calls; its fps falls from a mean of 50 to 40 and its heap
# reaches 3 MiB. The second mark only ends the first frame. A baseline holds the same.
a='metric time exact
frame 1 0
sample main 1 100 40 1
sample main;f 2 60 60 2
counter fps fps 60 3
counter fps fps 40 4
counter heap B 1048576 5
frame 2 1000'
b=$(echo "$a" | sed 's/main 1 100/main 1 130/; s/f 2 60 60/f 2 90 90/; s/fps 60/fps 40/; s/1048576/3145728/')
echo "$a" | "$GEN/script" >a.tmt
echo "$b" | "$GEN/script" >b.tmt
tm-compare -q --by function a.tmt b.tmt
tm-compare -q --by stack --sort mean-time --table changes b.tmt a.tmt
tm-compare -q --by function --cumulative --csv --table changes a.tmt b.tmt | tr -d '\r' | cut -d, -f 1-5,78-
tm-compare -q --save-baseline a.tma a.tmt
cat >policy.ini <<'X'
[rule heap]
metric = counter:heap:max
max = 2MiB
[rule fps]
metric = counter:fps
percent = 5
[rule f]
metric = self-time
key = function
match = ^f$
each = yes
percent = 10
[rule mean]
metric = mean-time
key = function
each = yes
absolute = 20ns
X
tm-compare -q --by function --gate policy.ini --today 2026-06-01 --table policy a.tma b.tmt
tm-compare -q --table counters a.tma b.tmt
printf '[rule x]\nmetric = counter:gpu\nmax = 1\n' >gpu.ini
tm-compare -q --gate gpu.ini a.tmt b.tmt
printf '[rule x]\nmetric = counter:fps\nkey = function\nmax = 1\n' >bad.ini
tm-compare -q --gate bad.ini a.tmt b.tmt

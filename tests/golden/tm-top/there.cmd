# What is not there is not chosen or shown. The capture knows real bytes and what is live, but not of
# the pool, whose allocations have no address (their end is not known), and times, but no call
# came. Malloc has one block of 100 (112 real), the pool 3 of 200: by real there, by requested here.
"$GEN/script" >two.tmt <<'X'
metric count exact
metric requested exact
metric real exact
metric live exact
metric time exact
alloc malloc main;puts 100 - 112 4096
alloc pool main;Load 200
alloc pool main;Load 200
alloc pool main;Tick 200
X
tm-top --by function two.tmt
tm-top --by function --domain pool two.tmt
tm-top --by function --domain pool --csv two.tmt
tm-export --as folded --domain pool two.tmt
# Only the pool has records: it is what is shown.
grep -v malloc <<'X' | "$GEN/script" >pool.tmt
metric requested exact
metric real exact
alloc malloc main;puts 100 - 112 4096
alloc pool main;Load 200
X
tm-top --by function pool.tmt
tm-frames --every 1ms two.tmt
# Counts of samples: no times.
printf 'a;b 3\na;c 4\n' >samples.folded
tm-top --by function samples.folded
tm-export --as folded samples.folded
tm-export --as folded --sort time samples.folded

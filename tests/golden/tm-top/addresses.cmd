# Of main's three blocks one has no address: of its 2 that are followed, 100 and 30 bytes, the second is freed, and
# 7 bytes may be live or not. So what is live, was freed and was live at most (130) are lower bounds, in the table and
# above it, and of each domain by itself: the pool's one block has an address.
"$GEN/script" >some.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main 100 10 - 4096
alloc malloc main 30 20 - 8192
free 8192 30
alloc malloc main 7 40
alloc pool Load 5 50 - 12288
Y
tm-top --by function --metrics live-count,live-requested,freed-requested,peak-requested some.tmt
tm-top -q --by function --metrics live-requested --domain pool some.tmt
tm-frames -q --every 1us --table frames some.tmt

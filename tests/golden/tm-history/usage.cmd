# What does not go together, and what is wrong with values.
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >a.mem
run() { tm-history -q "$@" >out; echo "status $? $(wc -c <out)"; }
run
run frobnicate x.db
run list
run add x.db
run list x.db a.mem
run add x.db -
run "postgresql://u:secret@h/x" list
run add x.db "postgresql://u:secret@h/x"
run add x.db --label suite a.mem
run add x.db --label =x a.mem
run add x.db --label a=1 --label a=2 a.mem
run add x.db --date 2026-02-30 a.mem
run add x.db --date 2026-02-03T25:00:00Z a.mem
run add x.db --build '' a.mem
run add x.db --since 2026-01-01 a.mem
run add x.db --sort real a.mem
run add x.db --status blue a.mem
run list x.db --date 2026-02-03
run list x.db --by owner
run list x.db --focus x
run trend x.db --alpha 0
run trend x.db --alpha nan
run trend x.db --min -1
run trend x.db --from 1 --to 2
run trend x.db --gate
run list x.db --wait 99999999
run list x.db
ls x.db 2>/dev/null || echo 'no store was made'
run add x.db --slide 0 --build b1 --date 2026-01-01 a.mem
run trend x.db --by stack
run trend x.db --by site --name '('
run trend x.db --by type --cumulative
run trend x.db --sort calls
run trend x.db --counter fps
run trend x.db --per frame
run trend x.db --per second
run trend x.db --rules none.ini
run trend x.db --branch none
run blame x.db
run blame x.db --from b1
run blame x.db --from b1 --to b2
run blame x.db --from '#1' --to '#7'
run blame x.db --from b1 --to '#1'
run blame x.db --from b1 --to b1 --by total
run blame x.db --from b1 --to b1 --sort calls
run change-points x.db --gate
tm-history -q list x.db >/dev/full
echo "status $?"

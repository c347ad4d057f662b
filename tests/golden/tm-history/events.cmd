# Instructions that callgrind counted are no samples: 10 + 30, and 10 + 50.
printf '%s\n' 'events: Ir' 'fl=x.c' 'fn=a' '1 10' 'fn=b' '2 30' >a.out
printf '%s\n' 'events: Ir' 'fl=x.c' 'fn=a' '1 10' 'fn=b' '2 50' >b.out
tm-history add -q --date 2026-01-01 --build 1 h.db a.out >/dev/null
tm-history add -q --date 2026-01-02 --build 2 h.db b.out >/dev/null
tm-history trend -q --table series --by function h.db
tm-history trend -q --csv --table series h.db
tm-history blame -q --from '#1' --to '#2' h.db | head -1

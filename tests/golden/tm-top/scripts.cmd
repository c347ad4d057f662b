# update takes 100 us; for 40 of them it runs a script, whose calls are a row of their own: 140 us are counted, of which 40 are
# there twice, and a note says so. A thread that is chosen has its own time alone.
"$GEN/script" >twice.tmt <<'X'
metric time exact
thread Main 7
enter update 0
thread lua 0 16777217
enter tick@game.lua:3 20000
exit tick@game.lua:3 60000
thread Main 7
exit update 100000
X
tm-top --by function twice.tmt
tm-top --by function --thread Main twice.tmt

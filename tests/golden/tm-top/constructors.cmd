# A constructor is one function, whether it was inlined (GCC: C4), compiled (C2) or is of a symbol table.
"$GEN/script" >a.tmt <<'X'
metric count exact
metric requested exact
alloc malloc main;_ZN5LevelC4Ev 100
alloc malloc main;_ZN5LevelC2Ev 20
alloc malloc main;_ZN5LevelD4Ev 3
alloc malloc main;_ZN5LevelD2Ev 4
X
tm-top -q --by function -n 0 --csv a.tmt | cut -d, -f 3,4,18

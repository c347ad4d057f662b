# Trees, peeks and keys of four stacks in two frames. Real bytes, in entries:
#   Run > Load > Alloc    64 (frame 1) + 32 (frame 2)   String   in 2
#   Run > Load            16 (frame 1)                  Node     in 1
#   Run > Tick > Alloc    40 (frame 2)                  String   in 1
#   Work > Tick > Alloc   48 (frame 2)                  Node     in 1
# All: 200 in 5. Alloc has 64 + 32 + 40 + 48 = 184, Load 112, Tick 88, Run 152, Work 48. Frame 1
# has 80, frame 2 has 120. Sites are in a.c (Alloc, 184, module Base) and l.c (Load, 16, module
# Game); in or below l.c are 112, t.c 88, m.c 152, w.c 48; in or below Base 184, Game all.
# Owners: the first rule is of Load, 112; then String, 40; Work's 48 have no owner.
cat >run.mem <<'E'
{"f":1,"d":[{"t":"String","s":60,"r":64,"st":["Alloc (in Base) (a.c:1);Load (in Game) (l.c:2);Run (in Game) (m.c:3);"],"sz":[64]},{"t":"Node","s":10,"r":16,"st":["Load (in Game) (l.c:4);Run (in Game) (m.c:3);"],"sz":[16]}]}
{"f":2,"d":[{"t":"String","s":70,"r":72,"st":["Alloc (in Base) (a.c:1);Load (in Game) (l.c:2);Run (in Game) (m.c:3);","Alloc (in Base) (a.c:1);Tick (in Game) (t.c:5);Run (in Game) (m.c:6);"],"sz":[32,40]},{"t":"Node","s":40,"r":48,"st":["Alloc (in Base) (a.c:1);Tick (in Game) (t.c:5);Work (in Game) (w.c:7);"],"sz":[48]}]}
E
printf '[Level]\nfunction ^Load$\n[Text]\ntype ^String$\n' >owners
top() {
	echo "# $*"
	tm-top -q "$@" run.mem
}
top --tree
top --tree --min 30
top --tree --sort entries --csv --min 0
top --bottom-up
top --bottom-up --hide '^Alloc$' --csv
top --peek '^(Alloc|Tick)$'
top --by type --show-stacks 1 --csv
top --by owner --owners owners --show-stacks 1
top --by owner --owners owners --csv --owner '^(Level|\[no owner\])$'
top --by module --csv
top --by file --cumulative --csv
top --by frame --csv
top --by thread --csv
top --by type --metrics slack,requested --csv
top --by site --metrics entries --csv

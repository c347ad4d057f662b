# One run, three tools: the native one's clock is 1000 ns behind the Lua tool's, as frames 2 and 3
# say; the counters' has an offset that is given. Frame 1 the native tool missed.
"$GEN/script" >native.tmt <<'X'
metric count exact
metric requested exact
frame 2 1000
alloc malloc main;load 1000 1100
frame 3 2000
alloc malloc main;draw 64 2100
X
"$GEN/script" >lua.tmt <<'X'
metric time exact
metric net exact
frame 1 1000
sample Boot 1 10 10 1001
frame 2 2000
sample Update 1 300 300 2050
delta lua Update 48
frame 3 3000
sample Update 1 500 500 3050
delta lua Update -16
X
"$GEN/script" >mono.tmt <<'X'
metric count exact
metric requested exact
frame 2
alloc mono Script 24
frame 3
alloc mono Script 40
X
"$GEN/script" >pss.tmt <<'X'
counter pss kB 700 5
counter pss kB 900 1205
X
tm-import -q --merge --clock-offset 4=1100ns native.tmt lua.tmt mono.tmt pss.tmt -o run.tmt
tm-frames --table frames --csv run.tmt | tr -d '\r' | cut -d, -f 2,4-6,8,21-
tm-dump --no-tables run.tmt | head -30
tm-top -q --by function run.tmt
# By time numbers mean nothing, and the first file's frames are those that count.
tm-import -q --merge --align time --clock-offset 2=-1us native.tmt lua.tmt | tm-frames -q --table frames
tm-import --merge native.tmt
tm-import --clock-offset 1=2s native.tmt
tm-import --merge --clock-offset 3=1s native.tmt lua.tmt

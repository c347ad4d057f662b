# The simulated run of testdata/gen/session.c: 200 frames; in frame 100 Lua and C++ allocate, frame 150 takes 120 ms and
# loads a level; a particle of 64 bytes leaks in each. Lua's clock is 7 s ahead.
"$GEN/session" run --frames 200 --spike 100 --jank 150 --leak 1 --sync 1 --lua-offset 7000000
tm-session --width 0 run
tm-session --as csv --table worst-frames run
tm-session --as csv --table in-frames run
tm-session --as csv --table leaks run

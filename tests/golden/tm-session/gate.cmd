# The same game, and one that leaks 64 bytes a frame: 74 more bytes are not, 64 are.
"$GEN/session" base --frames 200
"$GEN/session" same --frames 200 --seed 2
"$GEN/session" leaks --frames 200 --leak 1
tm-session -q --baseline base --table compared same
tm-session -q --baseline base --as junit leaks
tm-session -q --baseline base --max-slower 0 --table compared --as csv leaks
# What the base had and is not there any more.
rm same/lua.tmt
tm-session -q --baseline base --table compared --as csv same

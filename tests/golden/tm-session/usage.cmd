tm-session
tm-session nowhere
mkdir empty
tm-session empty
printf x >file
tm-session file
tm-session --max-growth 5 empty
tm-session --baseline empty --max-growth much empty
# Damaged files are told, and the others reported.
"$GEN/session" run --frames 50
printf 'time_ns,frame\nx,y\n' >run/frames.csv
head -c 100 run/lua.tmt >run/cut.tmt
tm-session --table files --as csv run
tm-session run >/dev/full

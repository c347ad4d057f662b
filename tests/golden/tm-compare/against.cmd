# What a history is held against. Each build grows by 12 of the first build's 1100 bytes, so that the newest
# run hides what the best of the last ones, and a fixed one, show: the limit is 5 %, 55 bytes.
mem() { echo "{\"f\":1,\"d\":[{\"t\":\"Texture\",\"s\":$1,\"r\":$1,\"st\":[\"0x10;\"],\"sz\":[$1]},{\"t\":\"Other\",\"s\":100,\"r\":100,\"st\":[\"0x20;\"],\"sz\":[100]}]}"; }
gate() { printf "[policy]\n$1[rule r]\nmetric = real\npercent = 5\n[rule limit]\nmetric = real\nmax = 4000\n" >p.ini; shift; tm-compare --slide 0 --gate p.ini --csv --table policy --history h.db "$@" | cut -d, -f1,2,4,6 | sed 1d; echo "status ${PIPESTATUS[0]}"; }
mem 1000 >b0.mem
echo "no store: a failure, unless it is said that there may be none; a limit is judged nevertheless"
gate '' b0.mem
gate 'against = best of 3\n' --allow-no-base b0.mem
mem 4000 >big.mem
gate '' --allow-no-base big.mem
for i in 0 1 2 3 4 5; do
	mem $((1000 + 12 * i)) >b$i.mem
	tm-history add -q --slide 0 h.db b$i.mem --status green --branch main --date 2026-01-0$((i + 1)) >added
done
echo "against the newest run, the best of two, of six, of more than there are, a build; an option comes first"
gate '' --base-last 1 b5.mem
gate 'against = best of 2\n' b5.mem
gate 'against = best of 6\n' b5.mem
gate 'against = best of 9\n' b5.mem
gate 'against = b3\n' b5.mem
gate 'against = b3\n' --base-last 1 b5.mem
echo "no such build, no run of the branch"
gate 'against = v9\n' b5.mem
gate 'against = v9\n' --allow-no-base b5.mem
gate 'against = best of 2\n' --base-branch other b5.mem

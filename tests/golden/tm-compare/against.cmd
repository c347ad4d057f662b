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
{ cat b5.mem; echo; } >now.mem # other bytes: another run
echo "against the newest run, the best of two, of six, of more than there are, a build; an option comes first"
gate '' --base-last 1 now.mem
gate 'against = best of 2\n' now.mem
gate 'against = best of 6\n' now.mem
gate 'against = best of 9\n' now.mem
gate 'against = b3\n' now.mem
gate 'against = b3\n' --base-last 1 now.mem
echo "no such build, no run of the branch"
gate 'against = v9\n' now.mem
gate 'against = v9\n' --allow-no-base now.mem
gate 'against = best of 2\n' --base-branch other now.mem
echo "builds of one binary, whose runs have 1000 or 1060 bytes by chance: the lucky build, with two of 1000, is not the base alone"
rm h.db
space=
for build in 1 2 3 4 5; do
	runs='1060 1060 1000'
	[ $build != 2 ] || runs='1000 1060 1000'
	for bytes in $runs; do
		space="$space " # another run
		{ mem $((bytes - 100)); echo "$space"; } >run.mem
		tm-history add -q --slide 0 h.db run.mem --build l$build --status green --branch main --date 2026-02-0$build >added
	done
done
for n in 1 2 3; do { mem $((n == 1 ? 900 : 960)); echo "$space$n" | tr 123 '   '; printf '%*s' $n ''; } >now$n.mem; done
gate 'against = best of 5\n' now1.mem now2.mem now3.mem
tm-compare -q --slide 0 --gate p.ini --history h.db now1.mem now2.mem now3.mem | grep -oE '5 builds .* runs\)' | sort -u
echo "a site that grows by 12 of 1000 bytes with each build while the other falls: by everything the last build is the best"
two() { echo "{\"f\":1,\"d\":[{\"t\":\"A\",\"s\":$1,\"r\":$1,\"st\":[\"0x10;\"],\"sz\":[$1]},{\"t\":\"B\",\"s\":$2,\"r\":$2,\"st\":[\"0x20;\"],\"sz\":[$2]}]}"; }
rm h.db
for build in 1 2 3 4 5 6 7; do
	for run in 1 2 3; do
		{ two $((1000 + 12 * build)) $((5000 - 20 * build)); printf "%$((build * 3 + run))s\n"; } >run$run.mem
	done
	printf '[policy]\nagainst = best of 10\n[rule all]\nmetric = real\npercent = 5\n[rule each]\nmetric = real\nkey = site\neach = yes\npercent = 5\n' >p.ini
	tm-compare -q --no-config --slide 0 --gate p.ini --allow-no-base --history h.db --branch main --base-branch main run?.mem >out
	echo "build $build: status $?"
	[ $build = 1 ] || grep -E 'allocates|is above|^  *A .*->' out
	tm-history add -q --no-config --slide 0 h.db run?.mem --build v$build --status green --branch main --date 2026-03-0$build >added
done
echo "a store without green runs says what it has: one red, two of which nobody said a status"
rm h.db
tm-history add -q --slide 0 h.db b0.mem --status red --branch main --date 2026-03-01 >added
for i in 1 2; do tm-history add -q --slide 0 h.db b$i.mem --branch main --date 2026-03-02 >added; done
gate '' now.mem

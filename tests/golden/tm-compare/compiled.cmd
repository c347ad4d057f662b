# The same program with b and c inlined into main: 1,600 samples on both sides, of which 500 are at other
# sites. It is not said where 300 of them are missing, nor where only 60 have moved, 4 %.
printf '[rule each]\nmetric = samples\nkey = function\neach = yes\npercent = 5\n' >p.ini
printf 'main;a 100\nmain;b 200\nmain;c 300\nmain;d 1000\n' >base.folded
printf 'main;a 100\nmain 500\nmain;d 1000\n' >inlined.folded
printf 'main;a 100\nmain 200\nmain;d 1000\n' >less.folded
printf 'main;a 1\nmain;b 25\nmain;c 35\nmain;d 1539\n' >few-base.folded
printf 'main;a 1\nmain 60\nmain;d 1539\n' >few.folded
for what in 'base inlined' 'base less' 'few-base few'; do
	set -- $what
	tm-compare -q --no-config --gate p.ini --table policy $1.folded $2.folded | grep -E '^(fail|pass|the builds|.* sites are in every)'
done

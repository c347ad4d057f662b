# 2 of 6 locations have a name: a gate of 34 % fails, which is said also with -q; one of 33 % does not.
printf 'main;game.exe+0x10c5 3\nmain;My Game.dll!0x180001000 4\n[unknown];foo(int)+0x3;/lib/x+0x1 5\n' >a.folded
for gate in 34 33; do
	tm-symbolize -q --gate $gate a.folded >/dev/null
	echo "status: $?"
done
printf '    #0 0x1f08  (/lib/libnone.so+0x1f08)\n    #1 0x5 in main /src/a.c:3\n' >log
tm-symbolize -q --text --gate 51 log
echo "status: $?"
# Where nothing is a call, a gate cannot tell.
echo 'Fehleroffset: 0x1091' | tm-symbolize -q --text --gate 90

for v in counts empty; do
	"$GEN/minidump" $v >$v.dmp
	tm-import -o out.tmt $v.dmp
done
"$GEN/minidump" x86 | head -c 40 >short.dmp
tm-import -o out.tmt short.dmp
printf 'MDMPxxxx' >head.dmp
tm-import -f minidump -o out.tmt head.dmp
printf 'heap profile: 1: 10 [1: 10] @ heapprofile\n 1: 10 [1: 10] @ 0x401010 0x401111\n' >game.heap
tm-import --maps short.dmp -o out.tmt game.heap

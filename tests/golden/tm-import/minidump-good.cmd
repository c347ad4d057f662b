# testdata/gen/minidump.c says what each has: three calls of the thread that crashed, whose return addresses are 0x100
# apart, where the platform keeps frame pointers; another thread; two modules, the first one with an id.
for v in x86 x64 linux mac requested loop; do
	"$GEN/minidump" $v >$v.dmp
	echo "$v"
	tm-dump $v.dmp | grep -v '^attribute\|^capture'
done
# As a module map of another capture.
printf 'heap profile: 1: 10 [1: 10] @ heapprofile\n 1: 10 [1: 10] @ 0x401010 0x401111\n' >game.heap
tm-import -q --maps x86.dmp -o game.tmt game.heap
tm-dump game.tmt | grep '^module'
tm-top -q --by stack game.tmt | grep -o 'game.exe+0x[0-9a-f]*'

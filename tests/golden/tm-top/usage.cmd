# A metric that the capture does not have is no 0 to sort by; a wrong expression or rule has its
# place. All are status 2.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}
X
try() {
	"$@"
	echo "status $?"
}
try tm-top --slide 0 --sort count run.mem
try tm-top --slide 0 --sort requested run.mem
try tm-top --slide 0 --sort live run.mem
try tm-top --slide 0 --by type --sort requested --focus A run.mem
try tm-top --focus 'a(b' run.mem
try tm-top --ignore '[z-a]' run.mem
try tm-top --by colour run.mem
printf 'function ok\nfunktion x\n' >rules
try tm-top --sites rules run.mem
try tm-top --sites none run.mem

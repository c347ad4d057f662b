# Wrong patterns, ranges and files; a full disk; an output that stays what it was.
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >run.mem
try() {
	"$@" >out
	echo "status $?"
}
try tm-filter --focus 'a(b' run.mem
printf 'fine\nx[z-a]\n' >words
try tm-filter --focus @words run.mem
try tm-filter --focus @none run.mem
try tm-filter --frame 9..1 run.mem
try tm-filter --time 5 run.mem
try tm-filter --size 1q run.mem
try tm-filter --owner x run.mem
printf '[Mine]\nfunction a\nfunktion b\n' >owners
try tm-filter --owners owners run.mem
printf 'function a\n' >owners
try tm-filter --owners owners run.mem
printf '[Mine]\n  type (\n' >owners
try tm-filter --owners owners run.mem
echo before >kept
try tm-filter -o kept --focus @none run.mem
cat kept
head -c 30 run.mem >cut.mem
try tm-filter -q cut.mem
tm-filter -q run.mem >/dev/full
echo "status $?"
